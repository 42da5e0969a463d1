"""A project's name and description: from the frontmatter of CLAUDE.md, its first heading and paragraph, or the folder.

The heading `CLAUDE.md` and its generator's standard sentence are skipped.
"""

from __future__ import annotations

import re
from pathlib import Path

from muninn_core.launch.repository_location import locate
from muninn_core.model.value import Value
from muninn_core.source.documents import frontmatter
from muninn_core.source.documents.markup import heading_text
from muninn_core.source.files.text import Text, read_text

FILES: tuple[str, ...] = ("CLAUDE.md", ".claude/CLAUDE.md")
"""The files searched, in order."""

DESCRIPTION_CHARS = 300
_MAX_BYTES = 1_000_000
_HEADING = re.compile(r"^# +(.+)$")
_FENCE = re.compile(r"^ {0,3}(```|~~~)")
_NO_NAME = re.compile(r"(?i)^(claude|agents)(\.md)?$")
_NO_PARAGRAPH = re.compile(r"^\s*([#>|*+-]|\d+[.)]|<!--|@|!\[|\[!\[|```|~~~)")
_BOILERPLATE = "This file provides guidance to"


class Project(Value):
    """A project's name and its description on one line, "" when there is none."""

    name: str
    description: str = ""


def read_project(root: Path) -> Project:
    """Return the name and description of the project at `root`. Linked work trees have the name of their repository."""
    folder = locate(str(root)).project
    for path in FILES:
        read = read_text(root, path, _MAX_BYTES)
        if isinstance(read, Text):
            found = parse_project(read.text)
            return Project(name=found.name or folder, description=found.description)
    return Project(name=folder)


def parse_project(text: str) -> Project:
    """Return the name and description in the text of a CLAUDE.md; the name may be ""."""
    fields, after = frontmatter.read_frontmatter(text)
    lines = text.split("\n")[after:]
    named = {key: fields[key] for key in ("project", "description") if isinstance(fields.get(key), str | int)}
    return Project(
        name=_line(str(named.get("project", ""))) or _heading(lines),
        description=_line(str(named.get("description", ""))) or first_paragraph(lines),
    )


def _heading(lines: list[str]) -> str:
    for line in _prose(lines):
        match = _HEADING.match(line)
        if match:
            title = heading_text(match[1])
            return "" if _NO_NAME.match(title) else _line(title)
    return ""


def first_paragraph(lines: list[str]) -> str:
    """Return the first paragraph of markdown on one line, at most `DESCRIPTION_CHARS` long; "" for none."""
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
    prose_lines, fenced = [], False
    for line in lines:
        if _FENCE.match(line):
            fenced = not fenced
        elif not fenced:
            prose_lines.append(line)
    return prose_lines


def _line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= DESCRIPTION_CHARS else line[: DESCRIPTION_CHARS - 1].rstrip() + "…"
