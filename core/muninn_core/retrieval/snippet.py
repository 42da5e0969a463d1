"""Snippets: the lines of a hit that answer for it, and what to highlight in them.

It knows words, not where they are shown. Offsets count UTF-16 code units, as the language server protocol does.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache

from muninn_core.model.answer import Mark, SnippetLine
from muninn_core.retrieval.phrase import parts
from muninn_core.source.identifiers import MAX_WORD_LENGTH, split_identifier, stem

LINES = 5
"""How many lines a snippet has at most; they follow one another."""

LINE_CHARACTERS = 240
"""Of a line that are shown; what is beyond is not looked at."""

LOOKED_AT = 400
"""Lines of a text that are looked at: a chunk has some dozens, a memory could have any number."""

_WHOLE = 10**9
"""What a weight of 1 is as a whole number: sums of those are the same in any order."""

_RUN = re.compile(r"\w+")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")

_Marks = list[tuple[int, int, str]]
"""(start, end, word) of what is wanted in a line."""


class _Looked(dict[str, tuple[tuple[int, int, str], ...]]):
    """What is wanted in each run of letters that was looked at: (start, end, word). Code repeats its names."""

    def __init__(self, wanted: frozenset[str], seeming: Collection[str]) -> None:
        super().__init__()
        self._wanted = wanted
        self._seeming = tuple(seeming)

    def __missing__(self, run: str) -> tuple[tuple[int, int, str], ...]:
        found = self[run] = tuple(self._look(run[:MAX_WORD_LENGTH]))
        return found

    def _look(self, run: str) -> _Marks:
        """Return what is wanted in an identifier: its parts, else the whole of it."""
        if run.isascii():  # most hold nothing: their letters say so before they are taken apart
            low = run.lower().replace("_", "")
            if not any(map(low.__contains__, self._seeming)):
                return []
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
    """Return where the words of an identifier stand in it."""
    return tuple((match.start(), match.end(), stem(match[0].lower())) for match in _PART.finditer(run))


class _Bits:
    """Words as the bits of whole numbers, so that sets of them are joined and weighed at once."""

    def __init__(self, weights: Mapping[str, int]) -> None:
        self.of = {word: 1 << i for i, word in enumerate(weights)}
        self._weights = list(weights.values())
        self._worth = {0: 0}

    def all(self, words: Iterable[str]) -> int:
        """Return the bits of some words."""
        found = 0
        for word in words:
            found |= self.of[word]
        return found

    def worth(self, held: int) -> int:
        """Return what words weigh together."""
        found = self._worth.get(held)
        if found is None:
            found = self._worth[held] = sum([weight for i, weight in enumerate(self._weights) if held >> i & 1])
        return found


class Marker:
    """Finds the words of one question in texts; each word is looked up once, however often it stands there.

    `wanted` says how much each word tells: a line with a rare one comes before one with two that stand everywhere.
    Where one of `phrases` stands its lines come before all others.
    """

    def __init__(self, wanted: Mapping[str, float], phrases: Iterable[str] = ()) -> None:
        self._phrases = [parts(phrase) for phrase in phrases]
        weights = {word: round(weight * _WHOLE) for word, weight in wanted.items()}
        seeming: dict[str, int] = {}
        for word, weight in sorted(weights.items()):
            seeming[_beginning(word)] = max(weight, seeming.get(_beginning(word), 0))
        self._words = _Bits(weights)
        self._beginnings = _Bits(seeming)
        self._seeming = tuple(self._beginnings.of.items())
        self._looked = _Looked(frozenset(wanted), seeming)

    def snippet(self, text: str, first: int = 1) -> tuple[SnippetLine, ...]:
        """Return the lines that hold the most of the words, at most LINES; none when no word is there.

        `first` is the number of the text's first line. Of equal places the first is taken.
        """
        if not self._seeming:
            return ()
        rows = [row[:LINE_CHARACTERS] for row in text.split("\n", LOOKED_AT)[:LOOKED_AT]]
        start, end, found = self._place(rows)
        return tuple(
            [
                SnippetLine(line=first + i, text=rows[i].rstrip("\r"), marks=_in_utf16(rows[i], found[i - start]))
                for i in range(start, end)
            ]
        )

    def _place(self, rows: Sequence[str]) -> tuple[int, int, list[_Marks]]:
        """Return the first and behind the last of the lines to show, and what is wanted in each; no line for nothing.

        Where words seem to begin says enough of all the lines; those to show are looked at in full.
        """
        seems, joined = self._seem_in(rows)
        said = self._phrase_in(rows)
        if said >= 0 and any(said <= i < said + LINES for i in seems):
            seems = {i: held for i, held in seems.items() if said <= i < said + LINES}
        start, end = _window(seems, self._beginnings, len(rows))
        found = [self._in_row(rows[i], joined) if i in seems else [] for i in range(start, end)]
        if any(found) or start == end:
            return start, end, found
        every = [self._in_row(row, joined) for row in rows]  # it only seemed so: `form` begins `format`
        held = {i: self._words.all([word for _, _, word in row]) for i, row in enumerate(every) if row}
        start, end = _window(held, self._words, len(rows))
        return start, end, every[start:end]

    def _phrase_in(self, rows: Sequence[str]) -> int:
        """Return the line in which a phrase begins, -1 where none does or nobody asked for one."""
        for phrase in self._phrases:
            for i, row in enumerate(rows):
                below = "".join(rows[i + 1 : i + 2])
                if phrase in parts(row) or (phrase not in parts(below) and phrase in parts(f"{row} {below}")):
                    return i
        return -1

    def _seem_in(self, rows: Sequence[str]) -> tuple[dict[int, int], bool]:
        """Return the beginnings of wanted words that seem to begin a word, or a part of a name, by their line.

        And whether one may stand in pieces that underscores join. Of most lines one look at the whole text tells that
        nothing is there.
        """
        text = "\n".join(rows)
        low = text.lower()
        joined = "_" in low and self._joined(low)
        if not text.isascii():  # accents, and scripts without blanks
            return {i: held for i, row in enumerate(rows) if (held := self._seem_in_row(row, joined))}, joined
        found: dict[int, int] = {}
        for part, bit in self._seeming:
            at, before, line = low.find(part), 0, 0
            while at >= 0:
                if _begins(text, low, part, at):
                    line += low.count("\n", before, at)
                    found[line] = found.get(line, 0) | bit
                    before = low.find("\n", at)  # once in a line is enough
                    at = low.find(part, before) if before >= 0 else -1
                else:
                    at = low.find(part, at + 1)
        if joined:
            for i, row in enumerate(rows):
                if i not in found and "_" in row and (held := self._seem_in_row(row, joined)):
                    found[i] = held
        return found, joined

    def _joined(self, low: str) -> bool:
        """Whether a wanted word stands somewhere only when underscores are left out."""
        whole = low.replace("_", "")
        return any(whole.count(part) > low.count(part) for part, _ in self._seeming)

    def _seem_in_row(self, row: str, joined: bool) -> int:
        if row.isascii():
            low = row.lower()
            found = 0
            for part, bit in self._seeming:
                if part in low and _stands(row, low, part):
                    found |= bit
            if found or not (joined and "_" in row):  # get_user_name answers to getusername
                return found
        return self._beginnings.all([_beginning(word) for _, _, word in self._in_row(row, joined)])

    def _in_row(self, row: str, joined: bool) -> _Marks:
        looked = self._looked
        return [
            (start + begin, start + end, word)
            for start, run in self._runs(row, joined)
            for begin, end, word in looked[run]
        ]

    def _runs(self, row: str, joined: bool) -> list[tuple[int, str]]:
        """Return the runs of letters that may hold what is wanted, and where they start; most of a line does not."""
        if not row.isascii() or (joined and "_" in row):
            return [(match.start(), match[0]) for match in _RUN.finditer(row)]
        low = row.lower()
        found: dict[int, str] = {}
        for part, _ in self._seeming:
            at = low.find(part)
            while at >= 0:
                start, end = _around(row, at)
                found[start] = row[start:end]
                at = low.find(part, end)
        return sorted(found.items())


def _around(row: str, at: int) -> tuple[int, int]:
    """Return where the run of letters begins and ends in which a place lies."""
    match = _RUN.match(row, at)
    end = match.end() if match else at + 1
    while at > 0 and (row[at - 1].isalnum() or row[at - 1] == "_"):
        at -= 1
    return at, end


def _window(held: Mapping[int, int], bits: _Bits, rows: int) -> tuple[int, int]:
    """Return the first and behind the last of the lines that together hold the most, blank ends left out.

    `held` has what is in each of the lines that have something, `rows` is how many lines there are.
    """
    if not held:
        return 0, 0
    best, most = 0, (0, 0)
    order = sorted(held)
    for place, start in enumerate(order):
        words, count = 0, 0
        for i in order[place : place + LINES]:
            if i < start + LINES:
                words |= held[i]
                count += held[i].bit_count()
        here = (bits.worth(words), count)
        if here > most:
            best, most = start, here
    last = max([i for i in order if best <= i < best + LINES])
    return best, min(max(last + 1, best + 3), rows)


def _beginning(word: str) -> str:
    """Return what a stemmed word leaves of the word as it is written: `y` may stand for `ies`."""
    return word.removesuffix("y") or word


def _stands(row: str, low: str, part: str) -> bool:
    """Whether a part begins a word, or a part of a name, somewhere in a line; `low` is the line in lower case."""
    at = low.find(part)
    while at >= 0:
        if _begins(row, low, part, at):
            return True
        at = low.find(part, at + 1)
    return False


def _begins(text: str, low: str, part: str, at: int) -> bool:
    """Whether what stands at a place begins a word, or a part of a name; `low` is the text in lower case."""
    return at == 0 or not low[at - 1].isalpha() or text[at].isupper() or not part[0].isalpha()


def _unspaced(run: str, there: Collection[str]) -> _Marks:
    """Return where words stand in a run of a script without blanks, the longest first where they overlap."""
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
    """Return where words stand in a line as marks in UTF-16 code units."""
    wide = [] if row.isascii() else [i for i, sign in enumerate(row) if ord(sign) > 0xFFFF]
    if not wide:
        return tuple([Mark(start=a, end=b) for a, b, _ in spans])
    return tuple(Mark(start=a + sum(i < a for i in wide), end=b + sum(i < b for i in wide)) for a, b, _ in spans)
