"""Results about memory and knowledge that travel: bundles, and packs of knowledge."""

from __future__ import annotations

from typing import Any

from muninn_core.model.value import Value
from muninn_core.protocol.results.base import Result


class ExportResult(Result):
    """A bundle: `version`, `exported` (the newest record's time) and `records`, by id. The rest says what was left out.

    `memories` counts what was exported, `private` what was not because it is private, `masked` secrets.
    """

    version: int
    exported: str
    records: tuple[dict[str, Any], ...]
    memories: int
    private: int = 0
    masked: int = 0


class ImportResult(Result):
    """What was stored, in records. `known` were here; `skipped` have another content here, and it stayed.

    `withheld` would have changed memories of this repository, which outside text can't.
    """

    imported: int
    replaced: int
    known: int
    skipped: tuple[str, ...]
    withheld: tuple[str, ...]
    masked: int
    dry_run: bool


class KnowledgePack(Value):
    """A pack. `edited` are files that are not as they came; `problem` says why there is no more to tell of one."""

    name: str
    version: str = ""
    description: str = ""
    licence: str = ""
    origin: str = ""
    files: int = 0
    bytes: int = 0
    checksum: str = ""
    edited: tuple[str, ...] = ()
    problem: str = ""


class PackExportResult(Result):
    """The pack that was written to `path`, and the paths of the knowledge in it."""

    pack: KnowledgePack
    path: str
    contents: tuple[str, ...]


class PackAddResult(Result):
    """The pack that is here now, and the paths of its files."""

    pack: KnowledgePack
    contents: tuple[str, ...]


class PackListResult(Result):
    """The packs by name."""

    packs: tuple[KnowledgePack, ...]


class PackUpdateResult(Result):
    """The pack that is here now, or would be, the version `before`, and its files. `edited` were edited here."""

    pack: KnowledgePack
    before: str
    added: tuple[str, ...]
    changed: tuple[str, ...]
    removed: tuple[str, ...]
    edited: tuple[str, ...]
    older: bool
    dry_run: bool


class PackRemoveResult(Result):
    """The pack that is gone."""

    pack: KnowledgePack
