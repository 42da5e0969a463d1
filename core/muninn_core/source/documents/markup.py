"""The prose and the headings of a markdown file. Removed parts become blanks, so positions do not change.

It implements the part of CommonMark that references need: fenced code, code spans, comments, ATX headings.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from muninn_core.source.documents import frontmatter

_FENCE = re.compile(r"^[ \t>]*(?:[-*+] +)?(?P<fence>`{3,}|~{3,})(?P<info>.*)$")
_SPAN = re.compile(r"(?<!`)(?P<ticks>`+)(?!`).+?(?<!`)(?P=ticks)(?!`)")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.S)
_HEADING = re.compile(r"^ {0,3}(?P<level>#{1,6})[ \t]+(?P<title>.*)$")


class Heading(NamedTuple):
    """A heading: level 1 to 6, text, its line, and the last line of its section (0-based, inclusive)."""

    level: int
    title: str
    line: int
    last: int

    @property
    def slug(self) -> str:
        """The anchor of the heading: lower case, hyphens for blanks, and only letters, digits and underscores."""
        return re.sub(r"\s", "-", re.sub(r"[^\w\s-]", "", self.title.strip().lower()))


def heading_text(rest: str) -> str:
    """Return the text of a heading from what follows its opening signs: `Title` for `Title ##`, `C#` for `C#`.

    An expression that left out blanks and signs at the end would take a time that grows with the cube of the blanks.
    """
    rest = rest.strip()
    bare = rest.rstrip("#")
    return bare.rstrip() if bare.endswith((" ", "\t")) else rest


def prose_lines(text: str) -> list[str]:
    """Return the lines of a file with frontmatter, fenced code, code spans and comments blanked."""
    lines = text.split("\n")
    body = frontmatter.body_line(text)
    kept = [" " * len(line) for line in lines[:body]] + _blank_fences(lines[body:])
    return _blank_comments([_SPAN.sub(lambda found: " " * len(found[0]), line) for line in kept])


def headings(text: str) -> list[Heading]:
    """Return the headings outside of frontmatter, code and comments, in order."""
    lines = text.split("\n")
    body = frontmatter.body_line(text)
    visible = _blank_comments(_blank_fences([""] * body + lines[body:]))
    found = [(number, match) for number, line in enumerate(visible) if (match := _HEADING.match(line))]
    last = len(lines) - 1 - (lines[-1] == "" and len(lines) > 1)
    sections = []
    for position, (number, match) in enumerate(found):
        level = len(match["level"])
        after = (later for later, other in found[position + 1 :] if len(other["level"]) <= level)
        sections.append(Heading(level, heading_text(match["title"]), number, max(next(after, last + 1) - 1, number)))
    return sections


def fences(text: str) -> list[tuple[int, int]]:
    """Return the first and last line (0-based) of each fenced block."""
    found: list[tuple[int, int]] = []
    lines = text.split("\n")
    opened_at, fence = -1, ""
    for number, line in enumerate(lines):
        match = _FENCE.match(line)
        if opened_at < 0 and match and not (match["fence"][0] == "`" and "`" in match["info"]):
            opened_at, fence = number, match["fence"]
        elif opened_at >= 0 and match and _closes(match, fence):
            found.append((opened_at, number))
            opened_at = -1
    return [*found, (opened_at, len(lines) - 1)] if opened_at >= 0 else found


def without_comments(text: str) -> str:
    """Return a text without comments, and without the lines that only they occupied; code is unchanged."""
    lines = text.split("\n")
    visible = "\n".join(_SPAN.sub(lambda found: " " * len(found[0]), line) for line in _blank_fences(lines))
    kept, at = [], 0
    for match in _COMMENT.finditer(visible):
        kept.append(text[at : match.start()])
        at = match.end()
        if (not kept[-1] or kept[-1].endswith("\n")) and text[at : at + 1] == "\n":
            at += 1
    return "".join([*kept, text[at:]])


def _closes(match: re.Match[str], fence: str) -> bool:
    return match["fence"].startswith(fence) and not match["info"].strip()


def _blank_fences(lines: list[str]) -> list[str]:
    kept = list(lines)
    for first, last in fences("\n".join(lines)):
        for number in range(first, last + 1):
            kept[number] = " " * len(lines[number])
    return kept


def _blank_comments(lines: list[str]) -> list[str]:
    text = "\n".join(lines)
    blank = re.compile(r"[^\n]")
    return _COMMENT.sub(lambda found: blank.sub(" ", found[0]), text).split("\n")
