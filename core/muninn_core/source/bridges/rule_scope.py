"""To which files an instruction file of a coding agent applies, by its path and its frontmatter.

The keys are those of the tools: `globs` and `alwaysApply` (Cursor, Continue), `applyTo` (Copilot), `paths` (Claude
Code, Cline), `trigger` and `globs` (Windsurf), `inclusion` and `fileMatchPattern` (Kiro). docs/bridges.md has the
sources.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import NamedTuple

from muninn_core.gitignore import compile_glob
from muninn_core.source.bridges.bridge import Bridge, bridge_of
from muninn_core.source.documents import frontmatter

MAX_PATTERNS = 200
"""The most patterns of one file, braces expanded. Others are not read."""

_TOOL_FOLDER = re.compile(
    r"(?:^|/)(?:\.(?:claude|cursor|github|windsurf|devin|clinerules|cline|roo|junie|kiro|continue|amazonq))/"
)
_NO_INSTRUCTIONS = ("adr", "metis", "serena", "claude_memory", "memory_bank")
_PATTERN_KEYS = ("globs", "applyTo", "paths", "fileMatchPattern")
_KEYS = (*_PATTERN_KEYS, "alwaysApply", "trigger", "inclusion", "invokable")
_LINE = re.compile(rf"(?P<key>{'|'.join(_KEYS)})\s*:(?P<value>.*)")
_ITEM = re.compile(r"\s*-\s+(?P<value>.*)")
_BRACES = re.compile(r"\{([^{}]*)\}")
_ON_REQUEST = re.compile(r"(?:^|/)(?:\.clinerules/workflows/|\.roo/rules-[^/]+/)")
_FROM_ROOT = ("instructions", "copilot", "cline", "continue_dev")
"""The tools in whose patterns a name without a slash is at the root. Elsewhere it is in any folder."""

_EVERYTHING = frozenset({"*", "**", "**/*", "**/**", "/**", "/**/*"})


class RuleScope(NamedTuple):
    """The files that an instruction file applies to: those in `folder` ("" is the root) that one of `matches` passes.

    Without `matches` it applies to all files in the folder. `matches` get a path relative to the root. `automatic` is
    false if a person or the agent decides each time.
    """

    folder: str
    matches: tuple[Callable[[str], bool], ...] = ()
    excludes: tuple[Callable[[str], bool], ...] = ()
    automatic: bool = True

    @property
    def is_partial(self) -> bool:
        """Whether it applies to some files of the repository without being asked for, and not to all."""
        return self.automatic and bool(self.folder or self.matches or self.excludes)

    def applies_to_part(self, file: str) -> bool:
        """Whether it applies to a file, and not to every file of the repository."""
        if not self.is_partial or (self.folder and not file.startswith(self.folder + "/")):
            return False
        inner = file[len(self.folder) + 1 :] if self.folder else file
        names = (inner, file) if self.folder else (file,)
        if any(excludes(name) for excludes in self.excludes for name in names):
            return False
        return not self.matches or any(matches(name) for matches in self.matches for name in names)


def has_scope(bridge: Bridge) -> bool:
    """Whether the files of a bridge are instructions, which apply to files."""
    return bridge.key not in _NO_INSTRUCTIONS


def rule_scope(path: str, text: str) -> RuleScope | None:
    """Return the scope of an instruction file by its path, relative to the root, and its text; None for others."""
    bridge = bridge_of(path)
    if bridge is None or not has_scope(bridge):
        return None
    tool = _TOOL_FOLDER.search(path)
    scope = RuleScope(path[: tool.start()] if tool else path.rpartition("/")[0])
    if _ON_REQUEST.search(path):
        return scope._replace(automatic=False)
    fields = _read_fields(text)
    if _is(fields, "alwaysApply", "true") or _is(fields, "trigger", "always_on") or _is(fields, "inclusion", "always"):
        return scope
    asked = _is(fields, "trigger", "manual", "model_decision") or _is(fields, "inclusion", "manual", "auto")
    if asked or _is(fields, "invokable", "true"):
        return scope._replace(automatic=False)
    given = next((fields[key] for key in _PATTERN_KEYS if fields.get(key) is not None), None)
    patterns = split_patterns(given)
    if patterns:
        return _with_patterns(scope, patterns, from_root=bridge.key in _FROM_ROOT)
    needs_choice = path.endswith((".mdc", ".instructions.md"))
    return scope._replace(automatic=not (needs_choice or given is not None or _is(fields, "alwaysApply", "false")))


def split_patterns(value: object) -> tuple[str, ...]:
    """Return the patterns in a text with commas or in a list, with braces expanded: `*.{ts,tsx}` is two patterns."""
    items = value if isinstance(value, list) else [value]
    found: dict[str, None] = {}
    for item in items:
        if isinstance(item, str):
            for part in _split_commas(item):
                found.update(dict.fromkeys(_expand(part.strip().strip("\"'"))))
    return tuple(pattern for pattern in found if pattern)[:MAX_PATTERNS]


def _with_patterns(scope: RuleScope, patterns: Iterable[str], *, from_root: bool) -> RuleScope:
    wanted = [pattern for pattern in patterns if not pattern.startswith("!")]
    if _EVERYTHING.intersection(wanted):
        wanted = []
    elif not (matches := _compile(wanted, from_root)) and wanted:
        return scope._replace(automatic=False)  # none of the patterns can be read
    else:
        scope = scope._replace(matches=matches)
    unwanted = [pattern[1:] for pattern in patterns if pattern.startswith("!")]
    return scope._replace(excludes=_compile(unwanted, from_root))


def _compile(patterns: Iterable[str], from_root: bool) -> tuple[Callable[[str], bool], ...]:
    found = []
    for pattern in patterns:
        anchored = f"/{pattern}" if from_root and "/" not in pattern else pattern
        try:
            found.append(compile_glob(anchored))
        except ValueError:
            continue
    return tuple(found)


def _split_commas(text: str) -> list[str]:
    """Split a text at the commas that are not in braces."""
    parts, depth, start = [], 0, 0
    for i, character in enumerate(text):
        depth += (character == "{") - (character == "}")
        if character == "," and depth <= 0:
            parts.append(text[start:i])
            start = i + 1
    return [*parts, text[start:]]


def _expand(pattern: str) -> list[str]:
    """Return the patterns that braces stand for, at most `MAX_PATTERNS`."""
    left = [pattern]
    found: list[str] = []
    while left and len(found) + len(left) <= MAX_PATTERNS:
        one = left.pop()
        braces = _BRACES.search(one)
        if braces is None:
            found.append(one)
        else:
            inner = braces[1].split(",")
            left.extend(one[: braces.start()] + each.strip() + one[braces.end() :] for each in reversed(inner))
    return found


def _is(fields: dict[str, object], key: str, *values: str) -> bool:
    value = fields.get(key)
    return isinstance(value, str | bool) and str(value).strip().casefold() in values


def _read_fields(text: str) -> dict[str, object]:
    """Return the keys of the frontmatter. Cursor writes `globs: *.ts`, which is not YAML, so lines are read then."""
    fields, after = frontmatter.read_frontmatter(text)
    if fields or not after:
        return fields
    found: dict[str, object] = {}
    items: list[str] | None = None
    for line in text.split("\n")[1 : after - 1]:
        if pair := _LINE.match(line):
            value = pair["value"].strip().removeprefix("[").removesuffix("]")
            items = [] if not value else None
            found[pair["key"]] = value or items
        elif items is not None and (item := _ITEM.match(line)):
            items.append(item["value"].strip())
        else:
            items = None
    return found
