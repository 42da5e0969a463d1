"""Parameters about memory and knowledge that travel: bundles, and packs of knowledge."""

from __future__ import annotations

from typing import Annotated, Literal

from muninn_core.model.memory import Scope
from muninn_core.model.value import Meta, Value
from muninn_core.protocol.params.base import SessionId, Text


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


PackName = Annotated[str, Meta(description="The pack's name: a-z, 0-9 and '-'.", min_length=1, max_length=64)]

PackPath = Annotated[
    str,
    Meta(min_length=1, description="A pack on this machine: a folder, .tar.gz or .zip; relative ones from the root."),
]


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


class PackAddParams(Value):
    """The pack to take in."""

    path: PackPath
    force: Annotated[bool, Meta(description="Take it though it seems to hold secrets.")] = False


class PackListParams(Value):
    """Nothing to say: all packs are listed."""


class PackUpdateParams(Value):
    """The pack that comes in the place of the one of its name."""

    path: PackPath
    force: Annotated[bool, Meta(description="Overwrite what was edited here, and go back to older versions.")] = False
    dry_run: Annotated[bool, Meta(description="Say what would change; change nothing.")] = False


class PackRemoveParams(Value):
    """The pack to remove."""

    name: PackName
    force: Annotated[bool, Meta(description="Remove it though files of it were edited here.")] = False
