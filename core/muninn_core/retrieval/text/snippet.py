"""Selects the lines of a hit that match the question, and the ranges to highlight.

Offsets count UTF-16 code units, as in the language server protocol.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache, reduce
from operator import itemgetter, or_

from muninn_core.model.answer import Mark, SnippetLine
from muninn_core.retrieval.text.phrase import parts
from muninn_core.source.identifiers import MAX_WORD_LENGTH, beginning_of, split_identifier, stem

LINES = 5
"""The most lines of a snippet. They are consecutive."""

LINE_CHARACTERS = 240
"""The characters of a line that are searched and shown."""

LINES_SEARCHED = 400
"""The lines of a text that are searched. Chunks have some dozens; memories have no limit."""

_WHOLE = 10**9
"""The integer for weight 1. Sums of integers do not depend on their order."""

_RUN = re.compile(r"\w+")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")

_Marks = list[tuple[int, int, str]]
"""(start, end, word) of the wanted words in a line."""


class _RunCache(dict[str, tuple[tuple[int, int, str], ...]]):
    """Caches the wanted words of each run of letters as (start, end, word), since code repeats names."""

    def __init__(self, wanted: frozenset[str], seeming: Collection[str]) -> None:
        super().__init__()
        self._wanted = wanted
        self._seeming = tuple(seeming)

    def __missing__(self, run: str) -> tuple[tuple[int, int, str], ...]:
        cut = run[:MAX_WORD_LENGTH]
        # Cheap substring tests rule out most runs before they are split.
        may_hold = not cut.isascii() or any(map(cut.lower().replace("_", "").__contains__, self._seeming))
        found = self[run] = tuple(self._find_wanted(cut)) if may_hold else ()
        return found

    def _find_wanted(self, run: str) -> _Marks:
        """Return the wanted words in an identifier: its matching parts, else the whole identifier."""
        own = split_identifier(run)
        if " " not in own and own not in self._wanted:
            return []
        there = self._wanted.intersection(own.split())
        if not there:
            return []
        if not run.isascii():
            return _unspaced(run, there) or [(0, len(run), min(there))]
        return [part for part in _parts(run) if part[2] in there] or [(0, len(run), min(there))]


@lru_cache(maxsize=10_000)
def _parts(run: str) -> tuple[tuple[int, int, str], ...]:
    """Return (start, end, stem) of the parts of an identifier."""
    return tuple([(match.start(), match.end(), stem(match[0].lower())) for match in _PART.finditer(run)])


class _Worths(dict[int, int]):
    """Caches the total weight of the words in each mask."""

    def __init__(self, weights: Sequence[int]) -> None:
        super().__init__({0: 0})
        self._weights = weights

    def __missing__(self, held: int) -> int:
        found = self[held] = sum([weight for i, weight in enumerate(self._weights) if held >> i & 1])
        return found


class _Bits:
    """Sets of words as bit masks, for fast union and cached total weights."""

    def __init__(self, weights: Mapping[str, int]) -> None:
        self.of = {word: 1 << i for i, word in enumerate(weights)}
        self.worth = _Worths(list(weights.values()))

    def all(self, words: Iterable[str]) -> int:
        """Return the mask of some words."""
        found = 0
        for word in words:
            found |= self.of[word]
        return found


class Marker:
    """Finds the words of one question in texts.

    `wanted` is {stemmed word: weight}; a line with one rare word beats a line with two common ones. Lines that contain
    one of `phrases` come before all others.
    """

    def __init__(self, wanted: Mapping[str, float], phrases: Iterable[str] = ()) -> None:
        self._phrases = [parts(phrase) for phrase in phrases]
        weights = {word: round(weight * _WHOLE) for word, weight in wanted.items()}
        seeming: dict[str, int] = {}
        for word, weight in sorted(weights.items()):
            seeming[beginning_of(word)] = max(weight, seeming.get(beginning_of(word), 0))
        self._words = _Bits(weights)
        self._beginnings = _Bits(seeming)
        self._seeming = tuple(self._beginnings.of.items())
        self._looked = _RunCache(frozenset(wanted), seeming)

    def snippet(self, text: str, first: int = 1) -> tuple[SnippetLine, ...]:
        """Return the consecutive lines with the highest total weight of words, at most LINES; () when no word matches.

        `first` is the line number of the text's first line. Of equal ranges the first wins.
        """
        if not self._seeming:
            return ()
        rows = [row[:LINE_CHARACTERS] for row in text.split("\n", LINES_SEARCHED)[:LINES_SEARCHED]]
        start, end, found = self._place(rows, *self._prefix_matches(rows))
        return tuple(
            [
                SnippetLine(line=first + i, text=rows[i].rstrip("\r"), marks=_in_utf16(rows[i], found[i - start]))
                for i in range(start, end)
            ]
        )

    def best_line(self, rows: Sequence[str]) -> tuple[int, dict[int, int]]:
        """Return the index of the line with which the snippet begins, -1 when no word matches; and {index: mask of
        words} of the lines that seem to contain a word: they have its beginning.
        """
        if not self._seeming:
            return -1, {}
        rows = [row[:LINE_CHARACTERS] for row in rows[:LINES_SEARCHED]]
        seems, joined = self._prefix_matches(rows)
        start, end, _ = self._place(rows, seems, joined)
        return start if start < end else -1, seems

    def weight(self, masks: Iterable[int]) -> int:
        """Return the total weight of the distinct words in some masks."""
        return self._beginnings.worth[reduce(or_, masks, 0)]

    def _place(self, rows: Sequence[str], seems: Mapping[int, int], joined: bool) -> tuple[int, int, list[_Marks]]:
        """Return (start, end, marks of each line) of the lines to show; an empty range when no word matches.

        `_prefix_matches`, a cheap search for prefixes, has selected lines; only these are matched exactly.
        """
        phrase_row = self._phrase_in(rows) if self._phrases else -1
        if phrase_row >= 0 and any(phrase_row <= i < phrase_row + LINES for i in seems):
            seems = {i: held for i, held in seems.items() if phrase_row <= i < phrase_row + LINES}
        start, end = _window(seems, self._beginnings, len(rows))
        found = [self._in_row(rows[i], joined) if i in seems else [] for i in range(start, end)]
        if any(found) or start == end:
            return start, end, found
        every = [self._in_row(row, joined) for row in rows]  # only a prefix matched: `form` begins `format`
        held = {i: self._words.all([word for _, _, word in row]) for i, row in enumerate(every) if row}
        start, end = _window(held, self._words, len(rows))
        return start, end, every[start:end]

    def _phrase_in(self, rows: Sequence[str]) -> int:
        """Return the index of the first line with a phrase, -1 if there is none. A phrase may wrap to the next line."""
        for phrase in self._phrases:
            for i, row in enumerate(rows):
                below = "".join(rows[i + 1 : i + 2])
                if phrase in parts(row) or (phrase not in parts(below) and phrase in parts(f"{row} {below}")):
                    return i
        return -1

    def _prefix_matches(self, rows: Sequence[str]) -> tuple[dict[int, int], bool]:
        """Return {line: mask of the prefixes found at the start of a word or of a part of a name}, and whether a
        prefix may span underscores. The whole text is searched at once, which is faster than line by line.
        """
        text = "\n".join(rows)
        low = text.lower()
        joined = "_" in low and self._joined(low)
        if not text.isascii():  # accents, and scripts without spaces
            return {i: held for i, row in enumerate(rows) if (held := self._row_matches(row, joined))}, joined
        found: dict[int, int] = {}
        for part, bit in self._seeming:
            at, before, line = low.find(part), 0, 0
            anywhere = not part[0].isalpha()
            while at >= 0:
                # `_is_word_start`, which is too slow to call here
                if at == 0 or anywhere or not low[at - 1].isalpha() or text[at].isupper():
                    line += low.count("\n", before, at)
                    found[line] = found.get(line, 0) | bit
                    before = low.find("\n", at)  # once in a line is enough
                    at = low.find(part, before) if before >= 0 else -1
                else:
                    at = low.find(part, at + 1)
        if joined:
            for i, row in enumerate(rows):
                if i not in found and "_" in row and (held := self._row_matches(row, joined)):
                    found[i] = held
        return found, joined

    def _joined(self, low: str) -> bool:
        """Whether a prefix occurs more often without underscores. Only lines that have one can differ."""
        low = "\n".join([row for row in low.split("\n") if "_" in row])
        whole = low.replace("_", "")
        within = filter(whole.__contains__, map(itemgetter(0), self._seeming))
        return sum([whole.count(part) > low.count(part) for part in within]) > 0

    def _row_matches(self, row: str, joined: bool) -> int:
        if row.isascii():
            low = row.lower()
            found = 0
            for part, bit in self._seeming:
                if part in low and _starts_word(row, low, part):
                    found |= bit
            if found or not (joined and "_" in row):  # get_user_name matches getusername
                return found
        return self._beginnings.all([beginning_of(word) for _, _, word in self._in_row(row, joined)])

    def _in_row(self, row: str, joined: bool) -> _Marks:
        found = []
        for start, run in self._runs(row, joined):
            for begin, end, word in self._looked[run]:
                found.append((start + begin, start + end, word))
        return found

    def _runs(self, row: str, joined: bool) -> list[tuple[int, str]]:
        """Return (start, run) of the runs of letters that may contain a wanted word."""
        if not row.isascii() or (joined and "_" in row):
            return [(match.start(), match[0]) for match in _RUN.finditer(row)]
        low, run = row.lower(), _RUN.match
        found: dict[int, str] = {}
        for part, _ in self._seeming:
            at = low.find(part)
            while at >= 0:
                match, start = run(row, at), at
                end = match.end() if match else at + 1
                while start > 0 and (row[start - 1].isalnum() or row[start - 1] == "_"):
                    start -= 1
                found[start] = row[start:end]
                at = low.find(part, end)
        return sorted(found.items())


def _window(held: Mapping[int, int], bits: _Bits, rows: int) -> tuple[int, int]:
    """Return the range of at most LINES lines with the highest weight, without trailing lines that have no word.

    `held` is {line: mask of its words}; `rows` is the number of lines.
    """
    if not held:
        return 0, 0
    best, most = 0, (0, 0)
    order = sorted(held)
    for position, start in enumerate(order):
        words, count = 0, 0
        for i in order[position : position + LINES]:
            if i < start + LINES:
                words |= held[i]
                count += held[i].bit_count()
        score = (bits.worth[words], count)
        if score > most:
            best, most = start, score
    last = max([i for i in order if best <= i < best + LINES])
    return best, min(max(last + 1, best + 3), rows)


def _starts_word(row: str, low: str, part: str) -> bool:
    """Whether a prefix starts a word, or a part of a name, in a line; `low` is the line in lower case."""
    at = low.find(part)
    while at >= 0:
        if _is_word_start(row, low, part, at):
            return True
        at = low.find(part, at + 1)
    return False


def _is_word_start(text: str, low: str, part: str, at: int) -> bool:
    """Whether the prefix at an offset starts a word, or a part of a name; `low` is the text in lower case."""
    return at == 0 or not low[at - 1].isalpha() or text[at].isupper() or not part[0].isalpha()


def _unspaced(run: str, there: Collection[str]) -> _Marks:
    """Return the places of words in a run of a script without spaces. At each offset the longest word wins."""
    marked: list[tuple[int, int, str]] = []
    at = 0
    lengths = sorted({len(word) for word in there}, reverse=True)
    folded = run.casefold()
    while at < len(folded) == len(run):
        fit = next((length for length in lengths if folded[at : at + length] in there), 0)
        if fit:
            marked.append((at, at + fit, folded[at : at + fit]))
        at += fit or 1
    return marked


def _in_utf16(row: str, spans: _Marks) -> tuple[Mark, ...]:
    """Convert places in code points to marks in UTF-16 code units."""
    if not spans:
        return ()
    wide = [] if row.isascii() else [i for i, sign in enumerate(row) if ord(sign) > 0xFFFF]
    if not wide:
        return tuple([Mark(start=a, end=b) for a, b, _ in spans])
    return tuple(Mark(start=a + sum(i < a for i in wide), end=b + sum(i < b for i in wide)) for a, b, _ in spans)
