"""The files in which other tools store memory in a repository, recognised by path.

Muninn indexes these files and never writes them; answers name their origin.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from muninn_core.source.classify import path_traits

if TYPE_CHECKING:
    from collections.abc import Iterable

    from muninn_core.model.memory import Trust

DECISION_FOLDERS: tuple[str, ...] = (
    *("adr", "adrs", "ADR", "ADRs", "decisions", "decision-records", "decision_records"),
    *("architecture-decisions", "architecture_decisions", "architectural-decisions"),
    *("architecture-decision-records", "architecture_decision_records"),
)
"""Names of folders of decision records at any depth, as in docs/adr, doc/adr (adr-tools) or adr."""

_TEXTS: tuple[str, ...] = ("md", "markdown", "adoc", "rst")
_INSTRUCTIONS: tuple[str, ...] = ("CLAUDE.md", "CLAUDE.local.md", "AGENTS.md")


class Bridge(NamedTuple):
    """The memory of another tool. `key` is its key in `bridges` of the configuration, `title` its display name.

    `trust` is "user" for curated files and "agent" for an agent's own. `patterns` (of .gitignore) are its files in the
    work tree; without patterns they are outside of it.
    """

    key: str
    title: str
    trust: Trust
    patterns: tuple[str, ...]


INSTRUCTIONS = Bridge("instructions", "CLAUDE.md and AGENTS.md", "user", _INSTRUCTIONS)
ADR = Bridge(
    "adr",
    "decision records",
    "user",
    tuple(f"**/{folder}/**/*.{suffix}" for folder in DECISION_FOLDERS for suffix in _TEXTS),
)
METIS = Bridge("metis", "Metis documents", "user", ("/.metis/**/*.md",))
SERENA = Bridge("serena", "Serena memories", "agent", ("/.serena/memories/**/*.md",))
CLAUDE_MEMORY = Bridge("claude_memory", "Claude auto memory", "agent", ())

BRIDGES: tuple[Bridge, ...] = (INSTRUCTIONS, ADR, METIS, SERENA, CLAUDE_MEMORY)

TOOL_FOLDERS: tuple[str, ...] = (".metis", ".serena", ".claude")
"""Folders with files that are indexed even if git ignores them."""

_KEPT_FILES: tuple[str, ...] = (*_INSTRUCTIONS, ".claude/CLAUDE.md")
_KEPT_FOLDERS: tuple[str, ...] = (".metis", ".serena/memories")

_RECORD = re.compile(rf"(?:^|/)(?:{'|'.join(DECISION_FOLDERS)})/(?:.*/)?(?P<name>[^/]+)\.(?:{'|'.join(_TEXTS)})$")
_NO_RECORD = re.compile(r"(?i)^(?:readme|index|about|(?:\w+[-_])*template(?:[-_]\w+)*)$")
_OUTSIDE = re.compile(r"^(?:/|[A-Za-z]:/)")
_CLAUDE_MEMORY = re.compile(r"^(?:/|[A-Za-z]:/).*/projects/[^/]+/memory/[^/]+\.md$")
_METIS_KINDS = {"tasks": "task", "initiatives": "initiative", "adrs": "ADR", "strategies": "strategy"}


@lru_cache(maxsize=20_000)
def bridge_of(path: str) -> Bridge | None:
    """Return the tool that a file belongs to, by its POSIX path relative to the root; None for other files.

    An absolute path is outside the work tree. Files of packs and vendored packages belong to other projects, so they
    have no bridge.
    """
    if _OUTSIDE.match(path):
        return CLAUDE_MEMORY if _CLAUDE_MEMORY.match(path) else None
    if path.startswith(".metis/"):
        return METIS if path.endswith(".md") else None
    if path.startswith(".serena/memories/"):
        return SERENA if path.endswith(".md") else None
    if path.startswith(".muninn/") or "vendored" in path_traits(path):
        return None
    if path.rpartition("/")[2] in _INSTRUCTIONS:
        return INSTRUCTIONS
    record = _RECORD.search(path)
    return ADR if record and not _NO_RECORD.match(record["name"]) else None


def origin_of(path: str) -> str:
    """Return the display label of a tool's file, such as `CLAUDE.md`, `ADR` or `Metis task`; "" for other files."""
    bridge = bridge_of(path)
    if bridge is None:
        return ""
    if bridge is INSTRUCTIONS:
        return path.rpartition("/")[2]
    if bridge is METIS:
        parts = path.split("/")
        folder = parts[1] if len(parts) > 2 else parts[1].removesuffix(".md")
        return f"Metis {_METIS_KINDS.get(folder, 'vision' if folder == 'vision' else 'document')}"
    return {"adr": "ADR", "serena": "Serena memory"}.get(bridge.key, bridge.title)


def is_read_if_ignored(path: str) -> bool:
    """Whether a file is indexed even if git ignores it."""
    return path in _KEPT_FILES or (path.startswith(tuple(f"{top}/" for top in _KEPT_FOLDERS)) and path.endswith(".md"))


def read_if_ignored() -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the files, and the folders with markdown files, that are indexed even if git ignores them."""
    return _KEPT_FILES, _KEPT_FOLDERS


def disabled_patterns(keys: Iterable[str]) -> tuple[str, ...]:
    """Return the patterns (of .gitignore) of the bridges with these keys, which are switched off."""
    disabled_keys = frozenset(keys)
    return tuple(pattern for bridge in BRIDGES if bridge.key in disabled_keys for pattern in bridge.patterns)
