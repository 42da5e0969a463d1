"""Carry memories and curated knowledge between repositories, as bundles and packs."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from muninn_core.model.memory import Scope
from muninn_core.model.value import Meta, Value, field
from muninn_core.protocol.base import Result, SessionId, Text
from muninn_core.protocol.method import Family, Method


class ExportParams(Value):
    """Which memories to export. A memory must pass all filters that are given."""

    type: Annotated[str | None, Meta(description="Only memories of this type.")] = None
    tag: Annotated[str | None, Meta(description="Only memories with this tag.")] = None
    session: SessionId | None = None
    task: Annotated[str | None, Meta(description="Only memories of this task; T-0042 finds MUNI-T-0042.")] = None
    scope: Annotated[
        Scope,
        Meta(
            description="project: the repository's memory; session: this machine's session notes; global: your memory"
            " of all projects."
        ),
    ] = "project"
    since: Annotated[
        str | None, Meta(description="Only memories made at or after this RFC 3339 time or date (UTC).")
    ] = None
    until: Annotated[str | None, Meta(description="Only memories made before this RFC 3339 time or date (UTC).")] = None
    private: Annotated[bool, Meta(description="Include private memories.")] = False
    form: Annotated[
        Literal["bundle", "html", "obsidian"],
        Meta(
            description="bundle: records for another repository; html: one page that is read without a network;"
            " obsidian: linked notes and a canvas."
        ),
    ] = "bundle"


class ExportResult(Result):
    """A bundle: its `version`, the time of its newest record (`exported`), and its `records`, by id.

    `memories` counts the exported memories, `private` those left out because they are private, `masked` secrets. The
    other forms have no records but the active memories, the newest first: `page` is the document of html, `files` are
    the texts of obsidian by path.
    """

    version: int
    exported: str
    records: tuple[dict[str, Any], ...]
    memories: int
    private: int = 0
    masked: int = 0
    page: str = ""
    files: dict[str, str] = field(default_factory=dict)


class ImportParams(Value):
    """The bundle or the memory of another tool, and how to import it."""

    path: Annotated[
        Text,
        Meta(
            description="A bundle, or memory of another tool: the file of the MCP memory server, the notes of"
            " basic-memory (a folder), an export of claude-mem or beads. A relative path starts at the root."
        ),
    ]
    on_conflict: Annotated[
        Literal["skip", "overwrite", "error"],
        Meta(description="What to do with a record whose content differs here; error stores nothing."),
    ] = "skip"
    trust: Annotated[
        Literal["outside", "keep"],
        Meta(description="outside: the text is not trusted; keep: you vouch for the trust that its authors claim."),
    ] = "outside"
    dry_run: Annotated[bool, Meta(description="Report what would happen; change nothing.")] = False
    session: SessionId | None = None


class ImportResult(Result):
    """The outcome, in records. `known` records exist already; `skipped` ones differ from existing records.

    `withheld` ones would change existing memories, which untrusted text must not do. `tool` names another tool
    that wrote the memory, "" for a bundle. `contents` counts its items by kind, `left_out` the items that are not
    imported.
    """

    imported: int
    replaced: int
    known: int
    skipped: tuple[str, ...]
    withheld: tuple[str, ...]
    masked: int
    dry_run: bool
    tool: str = ""
    contents: dict[str, int] = field(default_factory=dict)
    left_out: dict[str, int] = field(default_factory=dict)


PackName = Annotated[str, Meta(description="The pack's name: a-z, 0-9 and '-'.", min_length=1, max_length=64)]


class PackExportParams(Value):
    """The knowledge to export, and the pack's manifest. A file must pass all filters that are given."""

    name: PackName
    path: Annotated[
        Text,
        Meta(
            description="The pack to write: a .tar.gz or .zip, otherwise a folder. A relative path starts at the root."
        ),
    ]
    version: Annotated[Text, Meta(description="The version, in the form of Semantic Versioning: 1.2.0.")]
    description: Annotated[str, Meta(description="One sentence about the pack.")] = ""
    licence: Annotated[str, Meta(description="Its licence, preferably an SPDX identifier.")] = ""
    origin: Annotated[str, Meta(description="Its origin, for readers: a project or an address.")] = ""
    match: Annotated[
        tuple[str, ...], Meta(description="Only files in this folder or of this pattern, below .muninn/knowledge.")
    ] = ()
    type: Annotated[str | None, Meta(description="Only files of this type (frontmatter).")] = None
    tag: Annotated[str | None, Meta(description="Only files with this tag (frontmatter).")] = None
    domain: Annotated[str | None, Meta(description="Only files of this domain (frontmatter).")] = None
    force: Annotated[bool, Meta(description="Replace an existing pack.")] = False


class KnowledgePack(Value):
    """A pack. `edited` are the files changed since it was added; `problem` is set when it can't be read."""

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
    """The pack that was written to `path`, and the paths of its files."""

    pack: KnowledgePack
    path: str
    contents: tuple[str, ...]


PackPath = Annotated[
    str,
    Meta(
        min_length=1,
        description="A pack on this machine: a folder, .tar.gz or .zip. A relative path starts at the root.",
    ),
]


class PackAddParams(Value):
    """The pack to add."""

    path: PackPath
    force: Annotated[bool, Meta(description="Add it although it seems to contain secrets.")] = False


class PackAddResult(Result):
    """The pack that was added, and the paths of its files."""

    pack: KnowledgePack
    contents: tuple[str, ...]


class PackListParams(Value):
    """`pack.list` takes no parameters."""


class PackListResult(Result):
    """The packs, by name."""

    packs: tuple[KnowledgePack, ...]


class PackUpdateParams(Value):
    """The new version of an installed pack."""

    path: PackPath
    force: Annotated[bool, Meta(description="Overwrite files that were edited here, and allow an older version.")] = (
        False
    )
    dry_run: Annotated[bool, Meta(description="Report what would change; change nothing.")] = False


class PackUpdateResult(Result):
    """The pack after the update, the version `before`, and the files that change. `edited` were edited here."""

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
    force: Annotated[bool, Meta(description="Remove it although files of it were edited here.")] = False


class PackRemoveResult(Result):
    """The pack that was removed."""

    pack: KnowledgePack


FAMILY = Family(
    name="exchange",
    title="Exchange",
    summary="Carry memories and curated knowledge between repositories, as bundles and packs.",
    groups={"pack": "Carry curated knowledge between repositories, as packs."},
    methods=(
        Method(
            verb="export",
            title="Export memories",
            summary="Write memories to a bundle for another repository; it is checked for secrets again.",
            params=ExportParams,
            result=ExportResult,
            effect="read",
        ),
        Method(
            verb="import",
            title="Import memories",
            summary="Store the memories of a bundle or of another tool, all or none; their text is not trusted.",
            params=ImportParams,
            result=ImportResult,
            effect="control",
            destructive=True,
            positional=("path",),
            example={"path": "memories.json"},
            absolute_paths=("path",),
        ),
        Method(
            verb="pack.export",
            title="Export a pack",
            summary="Write curated knowledge to a versioned pack; a pack with secrets is refused.",
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
            summary="Add a pack from this machine after checking its checksums; its text is not trusted.",
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
            summary="List the installed packs: version, origin, and files edited since.",
            params=PackListParams,
            result=PackListResult,
            effect="read",
        ),
        Method(
            verb="pack.update",
            title="Update a pack",
            summary="Replace a pack by another version, and show what changes.",
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
            summary="Remove a pack and all of its files.",
            params=PackRemoveParams,
            result=PackRemoveResult,
            effect="write",
            destructive=True,
            positional=("name",),
            example={"name": "house-style"},
        ),
    ),
)
