"""The ground truth for citations: what happened to a span of lines between two commits, computed from git alone.

It shares no code with Muninn's judgement or symbols. Three tests run in order; the first that applies decides:

1. Lines: `git blame --reverse -w -M -C` follows each line through all commits. If all lines survive contiguously, the
   span is fresh or moved.
2. Text: if all lines are contiguous in the span's own file, or in a file that did not have them before, the span is
   fresh or moved, too. Blame misses this where a change was reverted later, where the lines left one file in one
   commit and entered another in the next, and where they have less than the 40 letters that `-C` requires.
3. Remains: the span has drifted if half of its lines survive in blame, or if half of its significant lines, at least
   three, survive together. (Blame follows a bracket only with its neighbours, so a lost bracket is no evidence.) It
   has also drifted if its head (`def setUp`, `pub fn new`) has half of its lines below it in one of: its file under any
   later name; a copy of its file, if the file lost it; a file that received several of its lines; a file that did
   not have it before. Otherwise it is gone. One line is no evidence, because a line such as
   `def process_response(self, request, response):` occurs in many files.
"""

from __future__ import annotations

import math
import re
import subprocess
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from muninn_core.model.memory import Cite

_TELLING = 4
"""A line with fewer letters and digits says nothing of what stood there."""

_HOME = 0.25
"""The share of a span's telling lines, two at least, that make the file they went to its home."""

_FEW = 3
"""A text of fewer telling lines stands in many places by chance."""

_Place = tuple[str, int]


class _Line(NamedTuple):
    """A line of a span that is not blank, and its place at the late commit; None if it did not survive."""

    text: str
    place: _Place | None

    @property
    def tells(self) -> bool:
        return sum(map(str.isalnum, self.text)) >= _TELLING


class Truth:
    """The true states, at a late commit, of spans of an early one. `root` is a clone that has both commits."""

    def __init__(self, root: Path, early: str, late: str) -> None:
        self._root = root
        self._early = early
        self._late = late
        self._texts: dict[tuple[str, str], list[str]] = {}
        self._renames: dict[str, str] = {}
        self._copies: dict[str, list[str]] = {}
        self._follow()
        self._changed = self._changed_files()

    def of(self, cite: Cite) -> str:
        """Return the true state of a span of `early`: fresh, moved, drifted or gone."""
        lines = self._survivors(cite)
        places = [line.place for line in lines if line.place is not None]
        if len(places) == len(lines) and self._side_by_side(places):
            return _state(cite, places[0])
        head = _head(lines[0].text, cite.symbol or "")
        homes = self._homes(cite, lines, head)
        here = any(self._has(self._late, path, head) for path in homes)
        text = self._same_text(cite, lines, homes[:1] if here else [*homes, *self._newcomers(cite)])
        if text is not None:
            return _state(cite, text)
        if here or self._half_left(cite, lines, head):
            return "drifted"
        return "gone"

    def of_lines(self, cite: Cite) -> str:
        """Return the true state of some lines inside of a definition of `early`: fresh, moved, drifted or gone."""
        lines = self._survivors(cite)
        places = [line.place for line in lines if line.place is not None]
        if lines and len(places) == len(lines) and self._side_by_side(places):
            return _state(cite, places[0])
        longest = max((line.text for line in lines), key=len, default="")
        went = [path for path, _ in places if path != cite.path]
        named = [self._renames.get(cite.path, cite.path), cite.path, *self._copies.get(cite.path, ())]
        text = self._same_text(cite, lines, list(dict.fromkeys([*named, *went, *self._holders(cite, longest)])))
        if text is not None:
            return _state(cite, text)
        return "drifted" if any(line.place and line.tells for line in lines) else "gone"

    def _homes(self, cite: Cite, lines: list[_Line], head: re.Pattern[str]) -> list[str]:
        """Return the file's names at the late commit, and the files that received several lines of the span."""
        telling = [line for line in lines if line.tells]
        went = Counter(line.place[0] for line in telling if line.place)
        some = max(2, _HOME * len(telling))
        named = [self._renames.get(cite.path, cite.path), cite.path]
        if not any(self._has(self._late, path, head) for path in named):
            named += [self._renames.get(path, path) for path in self._copies.get(cite.path, ())]
        return list(dict.fromkeys([*named, *(path for path, count in went.items() if count >= some)]))

    def _same_text(self, cite: Cite, lines: list[_Line], paths: list[str]) -> _Place | None:
        """Return the place where all lines of a span are contiguous, the nearest to the cited one; None without one."""
        wanted = [line.text for line in lines]
        if sum(line.tells for line in lines) < _FEW:
            return None
        for path in paths:
            spots = _find(self._text(self._late, path), wanted)
            if spots and not (path != cite.path and _find(self._text(self._early, path), wanted)):
                return path, min(spots, key=lambda spot: (abs(spot - cite.start), spot))
        return None

    def _half_left(self, cite: Cite, lines: list[_Line], head: re.Pattern[str]) -> bool:
        if 2 * sum(line.place is not None for line in lines) >= len(lines) or _half_together(lines):
            return True
        new = (path for path in self._newcomers(cite) if not self._has(self._early, path, head))
        return any(self._half_below(lines, path, head) for path in new)

    def _half_below(self, lines: list[_Line], path: str, head: re.Pattern[str]) -> bool:
        """Whether a file has a span's head and, within twice the span's length below, half of the significant lines."""
        text = [line.strip() for line in self._text(self._late, path)]
        telling = [line.text for line in lines if line.tells]
        for at in (at for at, line in enumerate(text) if head.search(line)):
            below = set(text[at : at + 2 * len(lines)])
            if telling and 2 * sum(line in below for line in telling) >= len(telling):
                return True
        return False

    def _newcomers(self, cite: Cite) -> list[str]:
        """Return the other files of the late commit that contain a span's name and were changed or added."""
        return self._holders(cite, (cite.symbol or "").rpartition(".")[2], "-w")

    def _holders(self, cite: Cite, text: str, *how: str) -> list[str]:
        """Return the other files of the late commit, of the same suffix, that contain a text and changed."""
        asked = ("grep", "-l", "-z", "-I", "-F", *how, "-e", text, self._late, "--", f"*{Path(cite.path).suffix}")
        paths = [found.partition(":")[2] for found in self._git(*asked, check=False).split("\0") if found]
        return [path for path in paths if path != cite.path and path in self._changed]

    def _side_by_side(self, places: list[_Place]) -> bool:
        """Whether the places are in one file, in order, with only blank lines between them."""
        if len({path for path, _ in places}) != 1:
            return False
        text = self._text(self._late, places[0][0])
        numbers = [number for _, number in places]
        between = [n for n in range(numbers[0], numbers[-1] + 1) if n > len(text) or text[n - 1].strip()]
        return numbers == between

    def _has(self, commit: str, path: str, head: re.Pattern[str]) -> bool:
        return any(head.search(line) for line in self._text(commit, path))

    def _text(self, commit: str, path: str) -> list[str]:
        """Return the lines of a file in a commit; an empty list if the commit lacks the file."""
        if (commit, path) not in self._texts:
            self._texts[commit, path] = self._git("show", f"{commit}:{path}", check=False).split("\n")
        return self._texts[commit, path]

    def _survivors(self, cite: Cite) -> list[_Line]:
        """Follow the lines of a span to the late commit."""
        span = f"{cite.start},{cite.end}"
        how = ("--reverse", "--first-parent", "--line-porcelain", "-w", "-M", "-C", "-L", span)
        found: list[_Line] = []
        commit, number, path = "", 0, ""
        for line in self._git("blame", *how, f"{self._early}..{self._late}", "--", cite.path).split("\n"):
            if line.startswith("\t"):
                if line.strip():
                    found.append(_Line(line.strip(), (path, number) if commit == self._late else None))
            elif re.match(r"^[0-9a-f]{40} ", line):
                commit, number = line[:40], int(line.split()[1])
            elif line.startswith("filename "):
                path = line.removeprefix("filename ")
        return found

    def _follow(self) -> None:
        """Collect the names of files at `late` from the renames of each commit, and the copies of files."""
        form = ("--first-parent", "-m", "-B", "-M", "-C", "--diff-filter=RC", "--name-status", "--format=", "-z")
        told = self._git("log", *form, "--reverse", f"{self._early}..{self._late}")
        fields = [field.strip("\n") for field in told.split("\0") if field.strip()]
        for status, old, new in zip(*[iter(fields)] * 3, strict=False):
            origins = [first for first, last in self._renames.items() if last == old] or [old]
            for origin in origins:
                if status[0] == "R":
                    self._renames[origin] = new
                else:
                    self._copies.setdefault(origin, []).append(new)

    def _changed_files(self) -> frozenset[str]:
        names = self._git("diff", "--name-only", "--no-renames", "-z", self._early, self._late)
        return frozenset(names.split("\0"))

    def _git(self, *arguments: str, check: bool = True) -> str:
        done = subprocess.run(
            ["git", "-C", str(self._root), *arguments], check=check, capture_output=True, stdin=subprocess.DEVNULL
        )
        return done.stdout.decode("utf-8", "replace")


def _state(cite: Cite, place: _Place) -> str:
    return "fresh" if place == (cite.path, cite.start) else "moved"


def _half_together(lines: list[_Line]) -> bool:
    """Whether half of the significant lines, and at least three, are in one file within twice the span's length."""
    telling = [line for line in lines if line.tells]
    enough = max(_FEW, math.ceil(len(telling) / 2))
    places = sorted(line.place for line in telling if line.place is not None)
    stretches = zip(places, places[enough - 1 :], strict=False)
    return any(first[0] == last[0] and last[1] - first[1] < 2 * len(lines) for first, last in stretches)


def _find(text: list[str], wanted: list[str]) -> list[int]:
    """Return the 1-based line numbers where `wanted` starts as a contiguous run, ignoring blank lines."""
    rows = [(number, "".join(line.split())) for number, line in enumerate(text, 1) if line.strip()]
    asked = ["".join(line.split()) for line in wanted]
    words = [row for _, row in rows]
    starts = (at for at, row in enumerate(words) if row == asked[0])
    return [rows[at][0] for at in starts if words[at : at + len(asked)] == asked]


def _head(first: str, symbol: str) -> re.Pattern[str]:
    """Return a pattern for the head of a span: its name after the same keyword, or before the same bracket.

    A receiver may separate keyword and name: `func (s *Store) load`, `def self.load`.
    """
    name = symbol.rpartition(".")[2]
    before, _, after = first.partition(name)
    words = re.sub(r"\([^)]*\)|<[^>]*>", " ", before)
    keyword = re.search(r"([A-Za-z_]\w*!?)(?:\s+[\w:]+(\.)|\s*)$", words)
    if keyword:
        owner = r"(?:::|\.)" if keyword[2] else "::"
        between = rf"\s+(?:\([^)\n]*\)\s*)?(?:[\w:]+{owner})?"
        return re.compile(
            rf"^\s*(?:[^\s=;]+\s+)*?\(?{re.escape(keyword[1])}(?:<[^>]*>)?{between}{re.escape(name)}(?!\w)"
        )
    owner = r"(?:[\w$]+\.)+" if words.rstrip().endswith(".") else ""
    if re.match(r"\s*(?::[^=]+)?=", after):
        return re.compile(rf"^\s*{owner}{re.escape(name)}\s*(?::[^=]+)?=(?!=)")
    tail = r".*[{(\[,:]\s*$" if first.rstrip().endswith(("{", "(", "[", ",", ":")) else ""
    return re.compile(rf"^\s*{owner}{re.escape(name)}\s*{re.escape(after.strip()[:1])}{tail}")
