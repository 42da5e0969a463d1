"""What a project calls itself: the frontmatter of CLAUDE.md, else its first heading and paragraph, else its folder.

Lenient: whatever part is there is taken. The heading `CLAUDE.md` and the sentence that its generator puts below it say
nothing of a project and are passed over.
"""

from __future__ import annotations

import re
from pathlib import Path

from muninn_core.model.value import Value
from muninn_core.source import frontmatter
from muninn_core.source.text import Text, read_text

FILES: tuple[str, ...] = ("CLAUDE.md", ".claude/CLAUDE.md")
"""Where it is looked for, the first that is there."""

DESCRIPTION_CHARS = 300
_MOST_BYTES = 1_000_000
_HEADING = re.compile(r"^# +(.+?)\s*#*\s*$")
_FENCE = re.compile(r"^ {0,3}(```|~~~)")
_NO_NAME = re.compile(r"(?i)^(claude|agents)(\.md)?$")
_NO_PARAGRAPH = re.compile(r"^\s*([#>|*+-]|\d+[.)]|<!--|@|!\[|\[!\[|```|~~~)")
_BOILERPLATE = "This file provides guidance to"


class Project(Value):
    """A project's name and, where it says one, its description on one line."""

    name: str
    description: str = ""


def read_project(root: Path) -> Project:
    """Return what the project at `root` calls itself."""
    for path in FILES:
        read = read_text(root, path, _MOST_BYTES)
        if isinstance(read, Text):
            found = parse_project(read.text)
            return Project(name=found.name or root.name, description=found.description)
    return Project(name=root.name)


def parse_project(text: str) -> Project:
    """Return what the text of a CLAUDE.md says; the name is "" when it says none."""
    fields, after = frontmatter.read(text)
    lines = text.split("\n")[after:]
    said = {key: fields[key] for key in ("project", "description") if isinstance(fields.get(key), str | int)}
    return Project(
        name=_line(str(said.get("project", ""))) or _heading(lines),
        description=_line(str(said.get("description", ""))) or _paragraph(lines),
    )


def _heading(lines: list[str]) -> str:
    for line in _prose(lines):
        match = _HEADING.match(line)
        if match:
            return "" if _NO_NAME.match(match[1]) else _line(match[1])
    return ""


def _paragraph(lines: list[str]) -> str:
    found: list[str] = []
    for line in [*_prose(lines), ""]:
        if line.strip() and not _NO_PARAGRAPH.match(line):
            found.append(line.strip())
        elif found and not found[0].startswith(_BOILERPLATE):
            return _line(" ".join(found))
        else:
            found = []
    return ""


def _prose(lines: list[str]) -> list[str]:
    kept, fenced = [], False
    for line in lines:
        if _FENCE.match(line):
            fenced = not fenced
        elif not fenced:
            kept.append(line)
    return kept


def _line(text: str) -> str:
    whole = " ".join(text.split())
    return whole if len(whole) <= DESCRIPTION_CHARS else whole[: DESCRIPTION_CHARS - 1].rstrip() + "…"
