"""The files in which other tools store memory in a repository, recognised by path.

Muninn indexes these files and never writes them; answers name their origin.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from muninn_core.gitignore import IgnoreRules
from muninn_core.source.files.classify import path_traits

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
    work tree; without patterns they are outside of it. `label` is the display label of a file, "" if it depends on its
    path.
    """

    key: str
    title: str
    trust: Trust
    patterns: tuple[str, ...]
    label: str = ""


INSTRUCTIONS = Bridge("instructions", "CLAUDE.md and AGENTS.md", "user", (*_INSTRUCTIONS, "**/.claude/rules/**/*.md"))
ADR = Bridge(
    "adr",
    "decision records",
    "user",
    tuple(f"**/{folder}/**/*.{suffix}" for folder in DECISION_FOLDERS for suffix in _TEXTS),
    "ADR",
)
METIS = Bridge("metis", "Metis documents", "user", ("/.metis/**/*.md",))
SERENA = Bridge("serena", "Serena memories", "agent", ("/.serena/memories/**/*.md",), "Serena memory")
CLAUDE_MEMORY = Bridge("claude_memory", "Claude auto memory", "agent", (), "Claude auto memory")


def _below(folders: Iterable[str], suffixes: Iterable[str] = ("md",)) -> tuple[str, ...]:
    return tuple(f"**/{folder}/**/*.{suffix}" for folder in folders for suffix in suffixes)


AGENT_RULES: tuple[Bridge, ...] = (
    Bridge("gemini", "GEMINI.md", "user", ("GEMINI.md",), "GEMINI.md"),
    Bridge(
        "copilot",
        "Copilot instructions",
        "user",
        ("**/.github/copilot-instructions.md", "**/.github/instructions/**/*.instructions.md"),
        "Copilot instructions",
    ),
    Bridge(
        "cursor", "Cursor rules", "user", (".cursorrules", *_below([".cursor/rules"], ("mdc", "md"))), "Cursor rule"
    ),
    Bridge(
        "windsurf",
        "Windsurf rules",
        "user",
        (".windsurfrules", *_below([".windsurf/rules", ".devin/rules"])),
        "Windsurf rule",
    ),
    Bridge(
        "cline",
        "Cline rules",
        "user",
        (".clinerules", *_below([".clinerules", ".cline/rules"], ("md", "txt"))),
        "Cline rule",
    ),
    Bridge(
        "roo",
        "Roo rules",
        "user",
        (".roorules", *_below([".roo/rules", ".roo/rules-*"], ("md", "txt"))),
        "Roo rule",
    ),
    Bridge("junie", "Junie guidelines", "user", ("**/.junie/guidelines.md",), "Junie guidelines"),
    Bridge("kiro", "Kiro steering", "user", _below([".kiro/steering"]), "Kiro steering"),
    Bridge("continue_dev", "Continue rules", "user", _below([".continue/rules"]), "Continue rule"),
    Bridge("amazon_q", "Amazon Q rules", "user", _below([".amazonq/rules"]), "Amazon Q rule"),
    Bridge("aider", "CONVENTIONS.md", "user", ("/CONVENTIONS.md",), "CONVENTIONS.md"),
    Bridge("memory_bank", "memory bank", "agent", ("/memory-bank/**/*.md",), "Memory bank"),
)
"""The rules, instructions and notes of coding agents; docs/bridges.md has the source of each format."""

BRIDGES: tuple[Bridge, ...] = (INSTRUCTIONS, *AGENT_RULES, ADR, METIS, SERENA, CLAUDE_MEMORY)

TOOL_FOLDERS: tuple[str, ...] = (
    *(".metis", ".serena", ".claude", ".cursor", ".windsurf", ".devin", ".clinerules", ".cline", ".roo", ".junie"),
    *(".kiro", ".continue", ".amazonq", "memory-bank"),
)
"""Folders with files that are indexed even if git ignores them."""

_KEPT_FILES: tuple[str, ...] = (
    *(*_INSTRUCTIONS, ".claude/CLAUDE.md", "GEMINI.md", ".cursorrules", ".windsurfrules", ".clinerules", ".roorules"),
    ".junie/guidelines.md",
)
_KEPT_FOLDERS: tuple[str, ...] = (
    *(".metis", ".serena/memories", ".claude/rules", ".cursor/rules", ".windsurf/rules", ".devin/rules", ".clinerules"),
    *(".cline/rules", ".roo", ".kiro/steering", ".continue/rules", ".amazonq/rules", "memory-bank"),
)

_RULES = tuple((bridge, IgnoreRules(bridge.patterns)) for bridge in AGENT_RULES)
# Most paths have none of these names, and the patterns need not be tried.
_MAY_BE_RULE = re.compile(
    r"(?:^|/)(?:\.(?:cursor|github|windsurf|devin|cline|roo|junie|kiro|continue|amazonq)|GEMINI\.md$)"
    r"|^(?:CONVENTIONS\.md$|memory-bank/)"
)

_RECORD = re.compile(rf"(?:^|/)(?:{'|'.join(DECISION_FOLDERS)})/(?:.*/)?(?P<name>[^/]+)\.(?:{'|'.join(_TEXTS)})$")
_NO_RECORD = re.compile(r"(?i)^(?:readme|index|about|(?:\w+[-_])*template(?:[-_]\w+)*)$")
_OUTSIDE = re.compile(r"^(?:/|[A-Za-z]:/)")
_CLAUDE_MEMORY = re.compile(r"^(?:/|[A-Za-z]:/).*/projects/[^/]+/memory/[^/]+\.md$")
_CLAUDE_RULE = re.compile(r"(?:^|/)\.claude/rules/.*\.md$")
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
    bridge = _bridge_by_name(path)
    return None if bridge is None or path.startswith(".muninn/") or "vendored" in path_traits(path) else bridge


def _bridge_by_name(path: str) -> Bridge | None:
    """Return the tool that the names in a path belong to, whatever project the file is of."""
    if path.rpartition("/")[2] in _INSTRUCTIONS or (".claude/rules/" in path and _CLAUDE_RULE.search(path)):
        return INSTRUCTIONS
    if _MAY_BE_RULE.search(path):
        found = next((bridge for bridge, rules in _RULES if rules.decide(path)), None)
        if found is not None:
            return found
    record = _RECORD.search(path)
    return ADR if record and not _NO_RECORD.match(record["name"]) else None


def origin_of(path: str) -> str:
    """Return the display label of a tool's file, such as `CLAUDE.md`, `ADR` or `Metis task`; "" for other files."""
    bridge = bridge_of(path)
    if bridge is None:
        return ""
    if bridge is INSTRUCTIONS:
        name = path.rpartition("/")[2]
        return name if name in _INSTRUCTIONS else "Claude rule"
    if bridge is METIS:
        *folders, name = path.split("/")[1:]
        kinds = [_METIS_KINDS[folder] for folder in folders if folder in _METIS_KINDS]  # the tasks of an initiative
        return f"Metis {kinds[-1] if kinds else 'vision' if name == 'vision.md' else 'document'}"
    return bridge.label


def is_read_if_ignored(path: str) -> bool:
    """Whether a file is indexed even if git ignores it."""
    return path in _KEPT_FILES or (path.startswith(_KEPT) and bridge_of(path) is not None)


_KEPT = tuple(f"{folder}/" for folder in _KEPT_FOLDERS)


def read_if_ignored() -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the files, and the folders with files of tools, that are indexed even if git ignores them."""
    return _KEPT_FILES, _KEPT_FOLDERS


def disabled_patterns(keys: Iterable[str]) -> tuple[str, ...]:
    """Return the patterns (of .gitignore) of the bridges with these keys, which are switched off."""
    disabled_keys = frozenset(keys)
    return tuple(pattern for bridge in BRIDGES if bridge.key in disabled_keys for pattern in bridge.patterns)
