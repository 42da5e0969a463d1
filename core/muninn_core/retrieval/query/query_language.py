"""Parses the query language: free words, "exact phrases" and filters such as `type:decision -path:tests/**`.

All front ends use this parser. It takes linear time. Plain text must never be an error: a word is a filter only when it
is one of KEYS, a colon and a value, without spaces. In a terse question a near miss is an error with a column. In prose
it is plain words, and so is a filter that is neither at the start nor at the end. `query.filters` interprets the
values. docs/recall.md is the reference.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, NoReturn

from muninn_core.errors import BadParams
from muninn_core.model.value import Value

KEYS: tuple[str, ...] = (
    *("kind", "type", "tag", "domain", "path", "lang", "author", "importance", "since", "until"),
    *("session", "task", "branch", "at"),
)
"""The keys of filters."""

MAX_CHARACTERS = 200_000
"""The longest accepted question, in characters."""

PROSE_WORDS = 6
"""A question with more plain words is prose: quotation marks only quote, and near misses of filters are plain words, as
well as filters between other words, which are seldom meant in pasted text."""

_ALSO = {"language": "lang", "file": "path", "files": "path", "branches": "branch", "after": "since", "before": "until"}
_KEY = re.compile(r"(-?)([a-z]{2,12}):(?![:\s]|//|$)")
_BLANK = re.compile(r"\s*")
_WORD = re.compile(r"\S+")
_PLAIN = re.compile(r"[^\s,\"]+")
_AROUND = 36


class Filter(Value):
    """One filter: the field `key` must have (or, if `negated`, must not have) any of the values.

    `source` is the source text and `column` its position (1-based, in characters); "" and 0 for a parameter.
    `pages` are the paths of the pages of knowledge whose frontmatter has one of the values.
    """

    key: str
    values: tuple[str, ...]
    negated: bool = False
    source: str = ""
    column: int = 0
    pages: tuple[str, ...] = ()


class Phrase(Value):
    """Words that must (or, if `negated`, must not) occur next to each other."""

    text: str
    negated: bool = False


class Question(Value):
    """A parsed question. `text` has its words in order, including those of phrases, without filters.

    `notes` are messages about near misses that were read as plain words.
    """

    text: str
    phrases: tuple[Phrase, ...] = ()
    filters: tuple[Filter, ...] = ()
    notes: tuple[str, ...] = ()


Check = Callable[[str, str], str]
"""Returns an error message for a (key, value), "" for a valid one."""


class _Mistake(NamedTuple):
    """A near miss of a filter or phrase. `start` and `end` are character offsets."""

    start: int
    end: int
    message: str
    hint: str


class _Token(NamedTuple):
    """A piece of a question: `plain` text, or a phrase or filter. `doubt` is set for a near miss."""

    plain: str
    meant: Phrase | Filter | None = None
    doubt: _Mistake | None = None


def read_question(text: str, check: Check) -> Question:
    """Parse a question. Raises BadParams for one that is too long, and for a near miss in a terse question."""
    if len(text) > MAX_CHARACTERS:
        raise BadParams(
            f"a question has at most {MAX_CHARACTERS:,} characters, this one has {len(text):,}",
            hint="Shorten it to the essential words; recall searches only some words of a long question.",
        )
    if ":" not in text and '"' not in text:
        return Question(text=text)
    tokens = list(_tokens(text, check))
    prose = sum(1 for token in tokens if token.meant is None and token.doubt is None) > PROSE_WORDS
    doubts = [token.doubt for token in tokens if token.doubt is not None]
    if doubts and not prose:
        _refuse(text, doubts[0])
    if prose:
        tokens = _without_inner_filters(tokens)
    notes = [f"{each.doubt.message}: it is read as plain words here" for each in tokens if each.doubt is not None]
    if prose and any(isinstance(token.meant, Phrase) for token in tokens):
        notes.append("in a long question a quotation counts as words; use the parameter `phrase` to require it")
    phrases = () if prose else tuple(token.meant for token in tokens if isinstance(token.meant, Phrase))
    filters = tuple(token.meant for token in tokens if isinstance(token.meant, Filter))
    if not (filters or phrases):
        return Question(text=text, notes=tuple(notes))
    words = " ".join(token.plain for token in tokens if token.plain)
    return Question(text=words, phrases=phrases, filters=filters, notes=tuple(notes))


def _without_inner_filters(tokens: Sequence[_Token]) -> list[_Token]:
    """Return the tokens with the filters between other words as doubtful words; those at both ends stay filters."""
    places = [position for position, token in enumerate(tokens) if not isinstance(token.meant, Filter)]
    first, last = places[0], places[-1]
    return [_as_words(token) if first < position < last else token for position, token in enumerate(tokens)]


def _as_words(token: _Token) -> _Token:
    """Return a filter as plain words; another token as it is."""
    if not isinstance(token.meant, Filter):
        return token
    source, start = token.meant.source, token.meant.column - 1
    message = f"'{source}' is a filter only at the start or the end of a long question"
    return _Token(source, doubt=_Mistake(start, start + len(source), message, ""))


def _tokens(text: str, check: Check) -> Iterator[_Token]:
    at = 0
    while True:
        at = _end(_BLANK, text, at)
        if at == len(text):
            return
        negated = text.startswith('-"', at)
        if text[at] == '"' or negated:
            token, at = _phrase(text, at, negated)
        elif (key := _KEY.match(text, at)) is not None:
            token, at = _filter(text, at, key, check)
        else:
            token, at = _word(text, at)
        yield token


def _word(text: str, at: int) -> tuple[_Token, int]:
    end = _end(_WORD, text, at)
    return _Token(text[at:end]), end


def _phrase(text: str, at: int, negated: bool) -> tuple[_Token, int]:
    """Read the phrase at `at`. Without a closing mark it is a near miss, read as a word."""
    start = at + (2 if negated else 1)
    end = text.find('"', start)
    if end < 0:
        word, behind = _word(text, at)
        doubt = _Mistake(
            start - 1, start, "a quotation mark has no partner", 'Close it: "exact phrase"; or leave the mark out.'
        )
        return word._replace(doubt=doubt), behind
    written = text[start:end]
    if not written.strip():
        return _Token(""), end + 1
    return _Token("" if negated else written, Phrase(text=written, negated=negated)), end + 1


def _filter(text: str, at: int, match: re.Match[str], check: Check) -> tuple[_Token, int]:
    """Read a filter at `at`. A misspelt key is a near miss; an unknown key makes it a word."""
    minus, key = match.groups()
    values, end = _values(text, match.end())
    written = text[at:end]
    if end == match.end() or not values:
        return _word(text, at)
    if key in KEYS:
        wrong = "a quotation mark has no partner" if end > len(text) else _wrong(key, values, bool(minus), check)
        if not wrong:
            return _Token("", Filter(key=key, values=values, negated=bool(minus), source=written, column=at + 1)), end
        end = min(end, len(text))
        return _Token(text[at:end], doubt=_Mistake(at, end, f"'{written}': {wrong}", _quoting(written))), end
    near = near_key(key)
    if near is None or not all(reads_as(near, value, check) for value in values):
        return _word(text, at)
    doubt = _Mistake(
        at + len(minus),
        at + len(minus) + len(key),
        f"there is no filter '{key}:'",
        f"Did you mean {near}:{values[0]}? {_quoting(written)}",
    )
    return _Token(written, doubt=doubt), min(end, len(text))


def _wrong(key: str, values: tuple[str, ...], negated: bool, check: Check) -> str:
    if key == "at" and (negated or len(values) > 1):
        return "`at` takes one revision and can't be negated"
    return next((wrong for value in values if (wrong := check(key, value))), "")


def _quoting(written: str) -> str:
    return f"""To search for the words themselves, put them in quotes: "{written.replace('"', "")}"."""


def _values(text: str, at: int) -> tuple[tuple[str, ...], int]:
    """Return the values from `at` on and their end offset; len(text) + 1 for an unclosed quotation mark."""
    found: list[str] = []
    while at < len(text):
        if text[at] == '"':
            end = text.find('"', at + 1)
            if end < 0:
                return (*found, text[at + 1 :]), len(text) + 1
            found.append(text[at + 1 : end])
            at = end + 1
        elif (plain := _PLAIN.match(text, at)) is not None:
            found.append(plain[0])
            at = plain.end()
        if at < len(text) and text[at] == ",":
            at += 1
        elif at >= len(text) or text[at] != '"':
            break
    return tuple(value for value in found if value.strip()), at


def near_key(word: str) -> str | None:
    """Return the key for a word that is its plural, an alias, or one edit away; else None."""
    if word in _ALSO:
        return _ALSO[word]
    return next((key for key in KEYS if word == f"{key}s" or (len(key) > 3 and _one_edit(word, key))), None)


def reads_as(key: str, value: str, check: Check) -> bool:
    """Whether a value is plausible for a key, so that `math:sin` and `time:now` stay plain words."""
    if key == "path":
        return any(mark in value for mark in "/*.")
    if key == "task":
        return any(letter.isdigit() for letter in value)
    return not check(key, value)


def _one_edit(one: str, other: str) -> bool:
    """Whether two different words have Damerau distance 1."""
    short, long = sorted((one, other), key=len)
    if len(long) - len(short) > 1 or one == other:
        return False
    same = next((i for i, (a, b) in enumerate(zip(short, long, strict=False)) if a != b), len(short))
    if len(short) < len(long):
        return short[same:] == long[same + 1 :]
    swapped = short[same : same + 2] == long[same : same + 2][::-1]
    return short[same + 1 :] == long[same + 1 :] or (swapped and short[same + 2 :] == long[same + 2 :])


def _refuse(text: str, doubt: _Mistake) -> NoReturn:
    raise BadParams(
        f"column {doubt.start + 1}: {doubt.message}",
        hint=doubt.hint,
        data={"column": doubt.start + 1, "length": doubt.end - doubt.start, "excerpt": _excerpt(text, doubt)},
    )


def _excerpt(text: str, doubt: _Mistake) -> str:
    """Return the text around a near miss and a line of carets below it, for fixed-width display."""
    start, end = max(0, doubt.start - _AROUND), min(len(text), max(doubt.end, doubt.start + 1) + _AROUND)
    shown = "".join(c if c.isprintable() else " " for c in text[start:end])
    before, marked = shown[: doubt.start - start], shown[doubt.start - start : doubt.end - start]
    lead = "…" if start else ""
    return f"{lead}{shown}{'…' if end < len(text) else ''}\n{' ' * (len(lead) + _cells(before))}{'^' * _cells(marked)}"


def _cells(text: str) -> int:
    """Return the width of a text in terminal cells."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def _end(expression: re.Pattern[str], text: str, at: int) -> int:
    found = expression.match(text, at)
    return found.end() if found else at
