"""The completion slot at the cursor in one of Muninn's files: which names or values may be inserted there.

Pure functions of the text up to the cursor. They use the file formats, and no names of a repository.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from muninn_core.config.description import Key as ConfigKey
from muninn_core.config.description import find_key, format_value, sections
from muninn_core.model.chunk import SOURCE_KINDS
from muninn_core.model.memory import KINDS
from muninn_core.model.value import Value
from muninn_core.source.documents import frontmatter
from muninn_core.source.documents.markup import prose_lines
from muninn_core.source.documents.muninn_file import KINDS_WITH_REFERENCES, OwnKind
from muninn_core.source.files.classify import LANGUAGES, PROSE

_NAME = re.compile(r"\[\[(?P<typed>[^\[\]\n|#]*)$")
_SYMBOL = re.compile(r"(?<![^\s(\[{\"',;:|*>])@(?P<path>[\w.~][\w.+~/-]*|\"[^\"\n]+\")#(?P<typed>[\w.$-]*)$")
_FILE = re.compile(r"(?<![^\s(\[{\"',;:|*>])@(?:(?P<typed>[\w.~+/-]*)|\"(?P<quoted>[^\"\n]*))$")
_QUESTION_LINE = re.compile(r"^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*\?(?!\s).*$|(?<![^\s(\[{\"',;:|*>])\?\"[^\"\n]*$")
_FILTER = re.compile(r"(?:^|[\s?\"])-?(?P<key>[a-z]+):(?:[^\s\"]*,)?(?P<typed>[^\s\",]*)$")
_WORD = re.compile(r"(?:^|[\s?\"])-?(?P<typed>[a-z]*)$")
_KEY = re.compile(r"^(?P<typed>[\w-]*)$")
_VALUE = re.compile(r"^(?P<key>[\w-]+)[ \t]*:[ \t]+(?:\[(?:[^\]]*,)?[ \t]*)?[\"']?(?P<typed>[^,\[\]\"']*)$")
_ITEM = re.compile(r"^[ \t]*-[ \t]+[\"']?(?P<typed>[^\"']*)$")
_OWNER = re.compile(r"^(?P<key>[\w-]+)[ \t]*:")
_OWN_KEY = re.compile(r"^(?P<indent>[ \t]*)(?P<key>[A-Za-z_][\w-]*)[ \t]*:")
_SECTION = re.compile(r"^(?P<key>[a-z_]+):")
_NESTED = re.compile(r"^[ \t]+(?P<typed>[a-z_]*)$")
_SETTING = re.compile(r"^[ \t]+(?P<key>[a-z_]+):[ \t]+(?P<typed>[\w-]*)$")

_KEYS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "knowledge": {
            "confidence": "Confidence: low, medium, high, or a number from 0 to 1.",
            "created": "Date of creation, like 2025-01-31.",
            "domain": "Its subject, in one word.",
            "files": "The files that it describes, relative to the root.",
            "id": "A stable name that survives renames of the file.",
            "related": "Related entries: knowledge, documents, memories.",
            "source": "Its origin: a decision of the team, a book, a person.",
            "status": "Its status: draft, accepted, deprecated.",
            "supersedes": "The entries that it replaces.",
            "tags": "Words for searching.",
            "title": "Its title; by default the first heading.",
            "type": "Kind of knowledge: convention, decision, glossary, guide.",
            "updated": "Date of the last review, like 2025-01-31.",
        },
        "context": {
            "budget": "The most tokens of the rendered pack, from 50 to 200000 (default 8000).",
            "description": "Its purpose, in one sentence.",
            "title": "Its title; by default the file's name.",
        },
    }
)

_VALUES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "budget": ("4000", "8000", "16000", "32000"),
        "confidence": frontmatter.LEVELS,
        "status": ("draft", "accepted", "deprecated", "superseded"),
        "type": ("convention", "decision", "glossary", "guide"),
    }
)
_NAMED: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "files": ("file",),
        "related": ("knowledge", "document", "memory"),
        "supersedes": ("knowledge", "document", "memory"),
        "tags": ("tag",),
    }
)


_FILTERS: Mapping[str, str] = MappingProxyType(
    {
        "kind": "Only code, knowledge or memory.",
        "type": "Only memories of a kind and knowledge of a type: decision, constraint, convention.",
        "tag": "Only memories and knowledge with a tag.",
        "domain": "Only knowledge, and memories, of a domain.",
        "path": "Only files below a folder or matching a pattern, and memories about them.",
        "lang": "Only files in a language, and memories about them.",
        "author": "Only memories by an actor or agent.",
        "importance": "Only memories of an importance: `>=7`, `3..5`.",
        "since": "Only memories changed since: `2w`, or a date.",
        "until": "Only memories last changed before: `2w`, or a date.",
        "session": "Only memories of a session.",
        "task": "Memories of a task, and its document.",
        "branch": "Only memories made on a branch.",
        "at": "The memory as of a commit, branch or tag.",
    }
)
"""The filters of a query, with their meaning (docs/recall.md)."""

_FILTER_VALUES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "kind": SOURCE_KINDS,
        "type": tuple(sorted(KINDS)),
        "lang": tuple(sorted({*LANGUAGES.values(), *PROSE})),
        "author": ("user", "assistant", "tool", "hook", "import"),
        "importance": (">=7", ">=5", "3..5"),
        "since": ("1d", "1w", "2w", "1m", "6m", "1y"),
        "until": ("1d", "1w", "2w", "1m", "6m", "1y"),
    }
)
_FILTER_NAMES: Mapping[str, tuple[str, ...]] = MappingProxyType({"tag": ("tag",), "path": ("file",)})


class Choice(Value):
    """A word that may be inserted, and its meaning."""

    text: str
    detail: str = ""
    markdown: str = ""


class Slot(Value):
    """A place where a word is being typed: `typed` is the part before the cursor, and `start` its offset in characters.

    `choices` are fixed words. Otherwise `kinds` are kinds of the verb `names`, and `file` is the file whose symbols are
    wanted. `closing` is inserted behind the word unless it is there already. `plain` marks a bare path behind an at
    sign, which needs quotation marks when it contains other characters than those of a word.
    """

    start: int
    typed: str
    kinds: tuple[str, ...] = ()
    choices: tuple[Choice, ...] = ()
    file: str = ""
    closing: str = ""
    plain: bool = False


def slot_at(kind: OwnKind, text: str, line: int, column: int) -> Slot | None:
    """Return the slot at a line and column (from 0); None where nothing can be completed."""
    lines = text.split("\n")
    if line >= len(lines):
        return None
    before, after = lines[line][:column], lines[line][column:]
    if kind == "config":
        return _in_config(lines, line, before)
    if kind in ("", "records", "manifest"):
        return None
    if lines[0].strip("\ufeff\r") == "---" and line > 0 and not any(_closed(each) for each in lines[1 : line + 1]):
        return _in_frontmatter(kind, lines, line, before)
    return _in_body(kind, text, line, column, after)


class Key(Value):
    """A key of frontmatter or configuration: its offsets on its line (characters, from 0) and its description."""

    start: int
    end: int
    markdown: str


def key_at(kind: OwnKind, text: str, line: int, column: int) -> Key | None:
    """Return the key at a line and column (from 0); None for an unknown key or none."""
    lines = text.split("\n")
    match = _OWN_KEY.match(lines[line]) if line < len(lines) else None
    if match is None or not match.start("key") <= column < match.end("key"):
        return None
    if kind == "config":
        section = next((found["key"] for each in reversed(lines[:line]) if (found := _SECTION.match(each))), "")
        keys = settings().get(section if match["indent"] else match["key"], {})
        choice = keys.get(match["key"]) if match["indent"] else Choice(text="", markdown=", ".join(keys))
        markdown = " · ".join(part for part in (choice.markdown, choice.detail) if part) if choice else ""
    else:
        inside = lines[0].strip("\ufeff\r") == "---" and not any(_closed(each) for each in lines[1 : line + 1])
        markdown = _KEYS.get(kind, {}).get(match["key"], "") if inside and line and not match["indent"] else ""
    return Key(start=match.start("key"), end=match.end("key"), markdown=markdown) if markdown else None


def settings() -> dict[str, dict[str, Choice]]:
    """Return the configuration keys by section, each with its default, meaning and allowed values."""
    return {section.name: {key.name: _choice(key) for key in section.keys} for section in sections()}


def _choice(key: ConfigKey) -> Choice:
    unit = f", in {key.unit}" if key.unit else ""
    about = f"{key.about}\n\nIt takes {key.takes}{unit}."
    return Choice(text=key.name, detail=f"default: {format_value(key.default)}", markdown=about)


def _closed(line: str) -> bool:
    return line.rstrip() in ("---", "...")


def _in_body(kind: OwnKind, text: str, line: int, column: int, after: str) -> Slot | None:
    prose = prose_lines(text)[line]
    before = prose[:column]
    if not before.strip():
        return None
    match = _NAME.search(before)
    if match:
        closing = "" if after.startswith("]]") else "]" if after.startswith("]") else "]]"
        kinds = ("memory", "document", "knowledge", "context", "file")
        return Slot(start=match.start("typed"), typed=match["typed"], kinds=kinds, closing=closing)
    if kind not in KINDS_WITH_REFERENCES:
        return None
    match = _SYMBOL.search(before)
    if match:
        path = match["path"].strip('"')
        return Slot(start=match.start("typed"), typed=match["typed"], kinds=("symbol",), file=path)
    match = _FILE.search(before)
    if match:
        group = "typed" if match["quoted"] is None else "quoted"
        closing = '"' if group == "quoted" and not after.startswith('"') else ""
        start, typed = match.start(group), match[group]
        return Slot(start=start, typed=typed, kinds=("file",), closing=closing, plain=group == "typed")
    return _in_question(before) if _QUESTION_LINE.search(before) else None


def _in_question(before: str) -> Slot | None:
    """Return the slot of a filter or its value; None for free words of the query."""
    match = _FILTER.search(before)
    if match:
        choices = [Choice(text=value) for value in _FILTER_VALUES.get(match["key"], ())]
        kinds = _FILTER_NAMES.get(match["key"], ())
        start, typed = match.start("typed"), match["typed"]
        return Slot(start=start, typed=typed, choices=tuple(choices), kinds=kinds) if choices or kinds else None
    match = _WORD.search(before)
    if match is None:
        return None
    begun = [
        Choice(text=key, markdown=markdown) for key, markdown in _FILTERS.items() if key.startswith(match["typed"])
    ]
    return Slot(start=match.start("typed"), typed=match["typed"], choices=tuple(begun), closing=":") if begun else None


def _in_frontmatter(kind: OwnKind, lines: list[str], line: int, before: str) -> Slot | None:
    known = _KEYS.get(kind)
    if known is None:
        return None
    match = _KEY.match(before)
    if match:
        present = {found["key"] for each in lines[1:line] if (found := _OWNER.match(each))}
        choices = [Choice(text=key, markdown=markdown) for key, markdown in known.items() if key not in present]
        return Slot(start=0, typed=match["typed"], choices=tuple(choices), closing=": ")
    match = _VALUE.match(before)
    key = match["key"] if match else _owner(lines, line)
    match = match or _ITEM.match(before)
    if match is None or key not in known:
        return None
    choices = [Choice(text=value) for value in _VALUES.get(key, ())]
    kinds = _NAMED.get(key, ())
    typed = match["typed"]
    return (
        Slot(start=match.start("typed"), typed=typed, choices=tuple(choices), kinds=kinds) if choices or kinds else None
    )


def _owner(lines: list[str], line: int) -> str:
    """Return the key that the list item on a line belongs to; "" for none."""
    for each in reversed(lines[1:line]):
        match = _OWNER.match(each)
        if match:
            return match["key"]
        if each.strip() and not each.lstrip().startswith("-"):
            return ""
    return ""


def _in_config(lines: list[str], line: int, before: str) -> Slot | None:
    known = settings()
    match = _KEY.match(before)
    if match:
        choices = [Choice(text=name, detail=", ".join(keys)) for name, keys in known.items()]
        return Slot(start=0, typed=match["typed"], choices=tuple(choices), closing=":")
    section = next((found["key"] for each in reversed(lines[:line]) if (found := _SECTION.match(each))), "")
    keys = known.get(section, {})
    match = _NESTED.match(before)
    if match:
        return Slot(start=match.start("typed"), typed=match["typed"], choices=tuple(keys.values()), closing=": ")
    match = _SETTING.match(before)
    if match is None or match["key"] not in keys:
        return None
    key = find_key(section, match["key"])
    default = format_value(key.default)
    choices = [Choice(text=word, detail="default" if word == default else "") for word in key.words]
    return Slot(start=match.start("typed"), typed=match["typed"], choices=tuple(choices)) if choices else None
