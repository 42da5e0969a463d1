"""What other tools keep as memory in a repository: which files are whose, by their paths alone.

Muninn reads these files like any others and never writes them; an answer names their origin. It knows neither what
stands in them nor whether they are there.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from muninn_core.source.classify import traits

if TYPE_CHECKING:
    from collections.abc import Iterable

    from muninn_core.model.memory import Trust

DECISION_FOLDERS: tuple[str, ...] = (
    *("adr", "adrs", "ADR", "ADRs", "decisions", "decision-records", "decision_records"),
    *("architecture-decisions", "architecture_decisions", "architectural-decisions"),
    *("architecture-decision-records", "architecture_decision_records"),
)
"""Folders of decision records, wherever they are: docs/adr, docs/decisions, doc/adr (adr-tools), adr, …"""

_TEXTS: tuple[str, ...] = ("md", "markdown", "adoc", "rst")
_INSTRUCTIONS: tuple[str, ...] = ("CLAUDE.md", "CLAUDE.local.md", "AGENTS.md")


class Bridge(NamedTuple):
    """Memory of another tool. `key` is its switch in `bridges` of the configuration, `title` names it for people.

    `trust` is that of whoever writes it: a person curates it, or an agent keeps it for itself. `patterns` (of
    .gitignore) are its files in the work tree; one without is outside of it.
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

HOLDING: tuple[str, ...] = (".metis", ".serena", ".claude")
"""Folders that hold what is read also where git ignores it."""

_KEPT_FILES: tuple[str, ...] = (*_INSTRUCTIONS, ".claude/CLAUDE.md")
_KEPT_FOLDERS: tuple[str, ...] = (".metis", ".serena/memories")

_RECORD = re.compile(rf"(?:^|/)(?:{'|'.join(DECISION_FOLDERS)})/(?:.*/)?(?P<name>[^/]+)\.(?:{'|'.join(_TEXTS)})$")
_NO_RECORD = re.compile(r"(?i)^(?:readme|index|about|(?:\w+[-_])*template(?:[-_]\w+)*)$")
_OUTSIDE = re.compile(r"^(?:/|[A-Za-z]:/)")
_CLAUDE_MEMORY = re.compile(r"^(?:/|[A-Za-z]:/).*/projects/[^/]+/memory/[^/]+\.md$")
_METIS_KINDS = {"tasks": "task", "initiatives": "initiative", "adrs": "ADR", "strategies": "strategy"}


@lru_cache(maxsize=20_000)
def bridge_of(path: str) -> Bridge | None:
    """Return whose memory a file is, by its POSIX path relative to the root; None for what is nobody's.

    An absolute path is one outside of the work tree. What a pack or a vendored package brings along was written for
    another project: it speaks for nobody here.
    """
    if _OUTSIDE.match(path):
        return CLAUDE_MEMORY if _CLAUDE_MEMORY.match(path) else None
    if path.startswith(".metis/"):
        return METIS if path.endswith(".md") else None
    if path.startswith(".serena/memories/"):
        return SERENA if path.endswith(".md") else None
    if path.startswith(".muninn/") or "vendored" in traits(path):
        return None
    if path.rpartition("/")[2] in _INSTRUCTIONS:
        return INSTRUCTIONS
    record = _RECORD.search(path)
    return ADR if record and not _NO_RECORD.match(record["name"]) else None


def origin_of(path: str) -> str:
    """Return the label of a file that another tool keeps: `CLAUDE.md`, `ADR`, `Metis task`, …; "" for any other."""
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


def kept(path: str) -> bool:
    """Whether a file is read even where git ignores it: a person's own instructions, what tools keep beside git."""
    return path in _KEPT_FILES or (path.startswith(tuple(f"{top}/" for top in _KEPT_FOLDERS)) and path.endswith(".md"))


def kept_places() -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the files, and the folders, in which `kept` files may be."""
    return _KEPT_FILES, _KEPT_FOLDERS


def closed_patterns(keys: Iterable[str]) -> tuple[str, ...]:
    """Return the patterns (of .gitignore) of what is not read while these bridges are off."""
    wanted = frozenset(keys)
    return tuple(pattern for bridge in BRIDGES if bridge.key in wanted for pattern in bridge.patterns)
