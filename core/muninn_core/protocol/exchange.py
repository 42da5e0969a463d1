"""Carry memories and curated knowledge between repositories."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from muninn_core.model.memory import Scope
from muninn_core.model.value import Meta, Value
from muninn_core.protocol.base import Result, SessionId, Text
from muninn_core.protocol.method import Family, Method


class ExportParams(Value):
    """Which memories leave in a bundle: every filter that is given must hold."""

    type: Annotated[str | None, Meta(description="Of this type.")] = None
    tag: Annotated[str | None, Meta(description="With this tag.")] = None
    session: SessionId | None = None
    task: Annotated[str | None, Meta(description="Of this task; T-0042 finds MUNI-T-0042.")] = None
    scope: Annotated[Scope, Meta(description="project, this machine's session notes, or your global memory.")] = (
        "project"
    )
    since: Annotated[str | None, Meta(description="Made at this RFC 3339 time or date (UTC), or later.")] = None
    until: Annotated[str | None, Meta(description="Made before this RFC 3339 time or date (UTC).")] = None
    private: Annotated[bool, Meta(description="Private memories, too.")] = False


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


class ImportParams(Value):
    """A bundle, and what to do with it."""

    path: Annotated[Text, Meta(description="The bundle's file; a relative path is meant from the root.")]
    on_conflict: Annotated[
        Literal["skip", "overwrite", "error"],
        Meta(description="What to do with a record that has another content here; error stores nothing at all."),
    ] = "skip"
    trust: Annotated[
        Literal["outside", "keep"],
        Meta(description="outside: it counts as text from outside; keep: you vouch for what its authors claim."),
    ] = "outside"
    dry_run: Annotated[bool, Meta(description="Say what would happen; change nothing.")] = False
    session: SessionId | None = None


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


PackName = Annotated[str, Meta(description="The pack's name: a-z, 0-9 and '-'.", min_length=1, max_length=64)]


class PackExportParams(Value):
    """Which knowledge leaves, as what. Every filter that is given must hold."""

    name: PackName
    path: Annotated[
        Text, Meta(description="Where to: a .tar.gz or .zip, else a folder; a relative path is meant from the root.")
    ]
    version: Annotated[Text, Meta(description="The version, as in Semantic Versioning: 1.2.0.")]
    description: Annotated[str, Meta(description="What the pack is, in a sentence.")] = ""
    licence: Annotated[str, Meta(description="Its licence, best as an SPDX identifier.")] = ""
    origin: Annotated[str, Meta(description="Where it comes from, for its readers: a project or an address.")] = ""
    match: Annotated[
        tuple[str, ...], Meta(description="Only files of this folder or pattern below .muninn/knowledge.")
    ] = ()
    type: Annotated[str | None, Meta(description="Only of this type (frontmatter).")] = None
    tag: Annotated[str | None, Meta(description="Only with this tag (frontmatter).")] = None
    domain: Annotated[str | None, Meta(description="Only of this domain (frontmatter).")] = None
    force: Annotated[bool, Meta(description="Replace a pack that is there.")] = False


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


PackPath = Annotated[
    str,
    Meta(min_length=1, description="A pack on this machine: a folder, .tar.gz or .zip; relative ones from the root."),
]


class PackAddParams(Value):
    """The pack to take in."""

    path: PackPath
    force: Annotated[bool, Meta(description="Take it though it seems to hold secrets.")] = False


class PackAddResult(Result):
    """The pack that is here now, and the paths of its files."""

    pack: KnowledgePack
    contents: tuple[str, ...]


class PackListParams(Value):
    """Nothing to say: all packs are listed."""


class PackListResult(Result):
    """The packs by name."""

    packs: tuple[KnowledgePack, ...]


class PackUpdateParams(Value):
    """The pack that comes in the place of the one of its name."""

    path: PackPath
    force: Annotated[bool, Meta(description="Overwrite what was edited here, and go back to older versions.")] = False
    dry_run: Annotated[bool, Meta(description="Say what would change; change nothing.")] = False


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


class PackRemoveParams(Value):
    """The pack to remove."""

    name: PackName
    force: Annotated[bool, Meta(description="Remove it though files of it were edited here.")] = False


class PackRemoveResult(Result):
    """The pack that is gone."""

    pack: KnowledgePack


FAMILY = Family(
    name="exchange",
    title="Exchange",
    summary="Carry memories and curated knowledge between repositories.",
    groups={"pack": "Carry curated knowledge between repositories, as packs."},
    methods=(
        Method(
            verb="export",
            title="Export memories",
            summary="Make a bundle of memories for another repository; it is checked for secrets once more.",
            params=ExportParams,
            result=ExportResult,
            effect="read",
        ),
        Method(
            verb="import",
            title="Import memories",
            summary="Take in the memories of a bundle, all or none; they count as text from outside.",
            params=ImportParams,
            result=ImportResult,
            effect="write",
            destructive=True,
            positional=("path",),
            example={"path": "memories.json"},
            absolute_paths=("path",),
        ),
        Method(
            verb="pack.export",
            title="Export a pack",
            summary="Write curated knowledge as a pack with a version; one that holds secrets is refused.",
            params=PackExportParams,
            result=PackExportResult,
            effect="write",
            positional=("name", "path"),
            example={"name": "house-style", "path": "house-style.tar.gz", "version": "1.2.0"},
            absolute_paths=("path",),
        ),
        Method(
            verb="pack.add",
            title="Add a pack",
            summary="Take in a pack from this machine, checked byte by byte; its text counts as text from outside.",
            params=PackAddParams,
            result=PackAddResult,
            effect="write",
            positional=("path",),
            example={"path": "house-style.tar.gz"},
            absolute_paths=("path",),
        ),
        Method(
            verb="pack.list",
            title="List packs",
            summary="List the packs that are here, with version, origin, and what was edited since.",
            params=PackListParams,
            result=PackListResult,
            effect="read",
        ),
        Method(
            verb="pack.update",
            title="Update a pack",
            summary="Put another version in the place of a pack, and say what that changes.",
            params=PackUpdateParams,
            result=PackUpdateResult,
            effect="write",
            destructive=True,
            positional=("path",),
            example={"path": "house-style.tar.gz"},
            absolute_paths=("path",),
        ),
        Method(
            verb="pack.remove",
            title="Remove a pack",
            summary="Remove a pack with all of its files.",
            params=PackRemoveParams,
            result=PackRemoveResult,
            effect="write",
            destructive=True,
            positional=("name",),
            example={"name": "house-style"},
        ),
    ),
)
