"""Cuts prose (markdown, reStructuredText, plain text) at its headings. A section's title is its path of headings."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

from muninn_core.source.code.definition import Definition
from muninn_core.source.documents import frontmatter
from muninn_core.source.documents.markup import heading_text
from muninn_core.source.files.line_runs import MAX_CHUNK, group_lines, split_lines

_ATX = re.compile(r"^ {0,3}(#{1,6})\s+(.+)$")
_ASCIIDOC = re.compile(r"^(={1,6})\s+(\S.*)$")
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})")
_UNDERLINE = re.compile(r"^([=\-~^\"'*#+.:_])\1{2,}\s*$")
_MARKUP = re.compile(r"[`*]|\[([^\]]{0,500})\]\([^)]{0,2000}\)")
_MIN_SECTION = 200
"""A section with fewer characters (often a bare heading) is joined with the next."""


@dataclass(frozen=True, slots=True)
class Section:
    """Whole lines (1-based, inclusive) under one path of headings."""

    start: int
    end: int
    text: str
    title: str


class ProseFile(NamedTuple):
    """A text as sections; `heads` are (line index, level, text) of its headings, `lines` is the number of lines."""

    sections: list[Section]
    heads: list[tuple[int, int, str]]
    lines: int


def read_prose(text: str) -> ProseFile:
    """Cut prose into sections that tile the text, each of at most `MAX_CHUNK` characters except for longer lines.

    Frontmatter stays in the first section; its title, type and domain become part of the titles.
    """
    lines = split_lines(text)
    fields, body_at = frontmatter.read_frontmatter(text)
    heads = _headings(lines, body_at)
    label = _label(fields)
    spans = _spans(lines, heads, body_at)
    found: list[Section] = []
    for start, end, trail in spans:
        # Drop a first heading that repeats the frontmatter's title.
        below = trail[1:] if trail and trail[0] == fields.get("title") else trail
        title = " > ".join([*([label] if label else []), *below])
        for first, last in _pack(lines, start, end):
            found.append(Section(first + 1, last, "".join(lines[first:last]), title))
    return ProseFile(found, heads, len(lines))


def heading_definitions(page: ProseFile) -> tuple[Definition, ...]:
    """Return the headings as definitions; each extends to the next one of its level or above."""
    found: list[Definition] = []
    trail: list[tuple[int, str]] = []
    ends = _ends(page)
    for (at, level, name), end in zip(page.heads, ends, strict=True):
        while trail and trail[-1][0] >= level:
            trail.pop()
        container = " > ".join(text for _, text in trail)
        trail.append((level, name))
        if name:
            found.append(Definition(name, "heading", container, at + 1, end, at + 1))
    return tuple(found)


def _ends(page: ProseFile) -> list[int]:
    ends = [page.lines] * len(page.heads)
    open_heads: list[int] = []
    for n, (at, level, _) in enumerate(page.heads):
        while open_heads and page.heads[open_heads[-1]][1] >= level:
            ends[open_heads.pop()] = at
        open_heads.append(n)
    return ends


def _label(fields: dict[str, object]) -> str:
    """Return the frontmatter's label of a file: `title (type, domain)`."""
    title = str(fields.get("title") or "")
    notes = ", ".join(str(fields[key]) for key in ("type", "domain") if fields.get(key))
    return f"{title} ({notes})".strip() if notes else title


def _headings(lines: list[str], body_at: int) -> list[tuple[int, int, str]]:
    """Return (line index, level, text) of each heading. Underline styles get levels in order of appearance."""
    found: list[tuple[int, int, str]] = []
    fence = ""
    levels: dict[str, int] = {}
    for i in range(body_at, len(lines)):
        line = lines[i]
        under = None if fence or i == body_at else _UNDERLINE.match(line)
        if under and _may_be_title(lines, i, body_at):
            level = levels.setdefault(under.group(1), len(levels) + 1)
            overlined = i - 2 >= body_at and lines[i - 2].strip() == line.strip()
            found.append((i - 2 if overlined else i - 1, level, _plain(lines[i - 1])))
        elif mark := _FENCE.match(line):
            if not fence:
                fence = mark.group(1)
            elif line.strip().startswith(fence) and not line.strip().strip(fence[0]):
                fence = ""
        elif not fence and (head := _ATX.match(line)):
            found.append((i, len(head.group(1)), _plain(heading_text(head.group(2)))))
        elif not fence and (head := _ASCIIDOC.match(line)):
            found.append((i, len(head.group(1)), _plain(head.group(2))))
    return found


def _may_be_title(lines: list[str], i: int, body_at: int) -> bool:
    """Whether the line above an underline can be its title: text after a gap or an overline."""
    title = lines[i - 1].strip()
    before = lines[i - 2].strip() if i - 2 >= body_at else ""
    return (
        bool(title)
        and not _UNDERLINE.match(title)
        and not title.startswith(("|", "-", ">", "+"))
        and (not before or before == lines[i].strip())
    )


def _plain(heading: str) -> str:
    return _MARKUP.sub(lambda m: m.group(1) or "", heading).strip()


def _spans(lines: list[str], heads: list[tuple[int, int, str]], body_at: int) -> list[tuple[int, int, tuple[str, ...]]]:
    """Return (start, end, heading path) of runs of lines; short sections are joined with the next one."""
    spans: list[tuple[int, int, tuple[str, ...]]] = []
    trail: list[tuple[int, str]] = []
    names: tuple[str, ...] = ()
    start, size, measured = 0, 0, 0
    for at, level, name in heads:
        size += sum(map(len, lines[measured:at]))
        measured = at
        if size >= _MIN_SECTION and at > body_at:
            spans.append((start, at, names))
            start, size, names = at, 0, ()
        while trail and trail[-1][0] >= level:
            trail.pop()
        trail.append((level, name))
        deeper = tuple(text for _, text in trail)
        # A bare heading takes the deeper path of the next one; siblings keep the first path.
        if deeper[: len(names)] == names:
            names = deeper
    spans.append((start, len(lines), names))
    return spans


def _pack(lines: list[str], start: int, end: int) -> list[tuple[int, int]]:
    """Cut a section that is too long, between paragraphs where possible."""
    sizes = [len(line) for line in lines[start:end]]
    if sum(sizes) <= MAX_CHUNK:
        return [(start, end)]
    merits = [
        -5.0 if not lines[i].strip() else 20.0 if i > start and not lines[i - 1].strip() else 0.0
        for i in range(start, end)
    ]
    return [(start + a, start + b) for a, b in group_lines(sizes, merits)]
