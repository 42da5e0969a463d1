"""Reads notes of basic-memory: Markdown with frontmatter, observations and relations.

Format: docs/NOTE-FORMAT.md of github.com/basicmachines-co/basic-memory. `- [category] text #tag (context)` is an
observation, `- type [[Note]] (context)` a relation, anywhere in a list outside of code blocks and quotations. The rest
is prose.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable
from datetime import date, datetime
from typing import NamedTuple

from muninn_core.capture.foreign.foreign_memory import (
    ForeignMemories,
    ForeignMemory,
    about,
    content_key,
    iso_time,
    kind_of,
    malformed,
    relation_draft,
    tags_of,
)
from muninn_core.protocol.families.memory import MemoryDraft
from muninn_core.source.documents import frontmatter

_SLUG = "basic-memory"
_ITEM = re.compile(r"^(?P<indent>\s*)(?:[-*+]|\d{1,9}[.)])\s+(?P<text>\S.*)$")
_OBSERVATION = re.compile(r"\[(?P<category>[^\[\]()]+)\]\s+(?P<text>\S.*)", re.DOTALL)
_TIMECODE = re.compile(r"\d{1,3}:\d\d(?::\d\d)?(?:[.,]\d{1,3})?(?:\s+-\s+\d{1,3}:\d\d(?::\d\d)?(?:[.,]\d{1,3})?)?")
_RELATION = re.compile(r"(?:\"[^\"]+\"|'[^']+'|[^\s\[\]]+)\s+\[\[[^\[\]]+\]\]\s*(?:\([^()]*\))?")
_TAG = re.compile(r"(?:^|\s)#([^\s#]+)")
_FENCE = re.compile(r"^\s*(`{3,}|~{3,})")
_HEADING = re.compile(r"(#{1,6})\s+\S")


class Note(NamedTuple):
    """A file: its path relative to the folder of notes, its text, and its time (RFC 3339) on disk."""

    path: str
    text: str
    time: str


class _Parsed(NamedTuple):
    """The list items with a meaning, as (line, text), and the lines of the rest."""

    observations: list[tuple[int, str]]
    relations: list[tuple[int, str]]
    prose: list[str]


def is_note(text: str) -> bool:
    """Whether a text has an observation, a relation or a permalink, as a note of basic-memory has."""
    fields, after = frontmatter.read_frontmatter(text)
    if "permalink" in fields:
        return True
    parsed = _parse(text, after)
    return bool(parsed.relations) or any(_OBSERVATION.match(item) for _, item in parsed.observations)


def read_notes(notes: Iterable[Note]) -> ForeignMemories:
    """Return a memory for each observation, each relation, and the prose of each note. Raises BadParams."""
    memories: list[ForeignMemory] = []
    counts = {"notes": 0, "observations": 0, "relations": 0}
    for note in notes:
        counts["notes"] += 1
        for problem in frontmatter.syntax_errors(note.text):
            raise malformed(f"{note.path}:{problem.line}", problem.message)
        fields, after = frontmatter.read_frontmatter(note.text)
        parsed = _parse(note.text, after)
        counts["observations"] += len(parsed.observations)
        counts["relations"] += len(parsed.relations)
        title = _one_line(fields.get("title")) or posixpath.basename(note.path).removesuffix(".md")
        time = _created(note, fields.get("created"))
        tags = _tags(fields.get("tags"))
        drafts = [(line, _observation(title, tags, item)) for line, item in parsed.observations]
        drafts += [(line, _relation(title, item)) for line, item in parsed.relations]
        if body := _body(parsed.prose, title):
            kind = _one_line(fields.get("type")) or "note"
            drafts.append((after + 1, _prose(title, kind, tags, body)))
        memories += [ForeignMemory(draft, f"{note.path}:{line}", time) for line, draft in drafts]
    return ForeignMemories("basic-memory", _SLUG, tuple(memories), counts, {})


def _parse(text: str, after: int) -> _Parsed:
    found = _Parsed([], [], [])
    fence = ""
    items: list[tuple[int, str]] | None = None
    continued: list[str] = []
    indent = 0
    for number, line in enumerate(text.split("\n")[after:], after + 1):
        line = line.rstrip()
        mark = _FENCE.match(line)
        item = None if fence or mark else _ITEM.match(line)
        if mark:
            fence = "" if fence and line.strip().startswith(fence) else fence or mark[1]
        if item is None and items and line.strip() and not fence and not mark and _indent(line) > indent:
            continued.append(line.strip())
            continue
        _join(items, continued)
        items = None
        if item is not None:
            indent = len(item["indent"])
            meant = _list_of(item["text"], found)
            if meant is not None:
                meant.append((number, item["text"]))
                items = meant if meant is found.observations else None
                continue
        found.prose.append(line)
    _join(items, continued)
    return found


def _join(items: list[tuple[int, str]] | None, continued: list[str]) -> None:
    """Append the lines that continue the last item."""
    if items and continued:
        line, text = items[-1]
        items[-1] = (line, "\n".join([text, *continued]))
    continued.clear()


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _list_of(item: str, found: _Parsed) -> list[tuple[int, str]] | None:
    """Return the list that an item belongs to; None for an item of the prose."""
    observation = _OBSERVATION.match(item)
    if observation is not None:
        return found.observations if _is_category(observation["category"].strip()) else None
    if _RELATION.fullmatch(item):
        return found.relations
    return found.observations if _TAG.search(item) and not item.startswith("[") else None


def _is_category(word: str) -> bool:
    """Whether a word in brackets is a category: no time code and no mark of a task."""
    return not (_TIMECODE.fullmatch(word) or (len(word) == 1 and (word in "xX" or not word.isalnum())) or not word)


def _observation(title: str, tags: tuple[str, ...], item: str) -> MemoryDraft:
    match = _OBSERVATION.match(item)
    category, content = (match["category"].strip(), match["text"]) if match else ("note", item)
    own = _TAG.findall(content)
    statement = _without_last_tags(content)
    return MemoryDraft(
        text=about(title, statement),
        type=kind_of(category),
        tags=tags_of([category, *own, *tags]),
        entities=(title,),
        actor="assistant",
        key=content_key(_SLUG, "observation", title, category, content),
    )


def _without_last_tags(content: str) -> str:
    """Return an observation without the tags at its end; a context in parentheses may follow them."""
    at = content.rfind("(") if content.endswith(")") else -1
    body, context = (content[:at], content[at:]) if at > 0 else (content, "")
    words = body.split()
    while words and words[-1].startswith("#") and len(words[-1]) > 1:
        words.pop()
    if not words or len(words) == len(body.split()):
        return content
    kept = body[: body.rindex(words[-1]) + len(words[-1])] if body.count(words[-1]) == 1 else " ".join(words)
    return f"{kept} {context}".strip()


def _relation(title: str, item: str) -> MemoryDraft:
    relation, _, rest = item.partition("[[")
    target, _, note = rest.partition("]]")
    named = _one_line(target.partition("|")[0])
    return relation_draft(_SLUG, title, relation.strip().strip("\"'"), named, _one_line(note.strip(" ()")))


def _prose(title: str, kind: str, tags: tuple[str, ...], body: str) -> MemoryDraft:
    return MemoryDraft(
        text=body,
        title=title,
        type=kind_of(kind) if kind != "note" else "reference",
        tags=tags_of([kind, *tags]),
        entities=(title,),
        actor="assistant",
        key=content_key(_SLUG, "prose", title, body),
    )


def _body(lines: list[str], title: str) -> str:
    """Return the prose of a note, without headings that have nothing below them and the one that repeats the title."""
    first = next((number for number, line in enumerate(lines) if line.strip()), -1)
    kept: list[str] = []
    level_after = 0  # the level of the next heading that stays, 7 where text follows, 0 at the end
    for number in range(len(lines) - 1, -1, -1):
        line = lines[number]
        heading = _HEADING.match(line)
        if heading is None:
            level_after = 7 if line.strip() else level_after
        elif len(heading[1]) >= level_after or (number == first and line.strip("# ") == title):
            continue
        else:
            level_after = len(heading[1])
        kept.append(line)
    return re.sub(r"\n{3,}", "\n\n", "\n".join(reversed(kept))).strip()


def _one_line(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(str(each) for each in value)
    return " ".join(str(value).split()) if value is not None else ""


def _tags(value: object) -> tuple[str, ...]:
    items = value if isinstance(value, list) else str(value).split(",") if value is not None else []
    return tags_of(str(item) for item in items)


def _created(note: Note, value: object) -> str:
    """Return when a note was created: as it says, else its time on disk. A time without a zone counts as UTC."""
    if value is None:
        return note.time
    text = value.isoformat() if isinstance(value, date | datetime) else str(value)
    try:
        return iso_time(text)
    except ValueError:
        line = next((n for n, each in enumerate(note.text.split("\n"), 1) if each.startswith("created:")), 1)
        raise malformed(f"{note.path}:{line}", f"'created' is not a time in ISO 8601: {text}") from None
