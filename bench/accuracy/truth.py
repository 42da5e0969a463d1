"""The ground truth for citations: what happened to a span of lines between two commits, computed from git alone.

It shares no code with Muninn's judgement or symbols. Three tests run in order; the first that applies decides:

1. Lines: `git blame --reverse -w -M -C` follows each line through all commits. If all lines survive contiguously, the
   span is fresh or moved.
2. Text: if all lines are contiguous in the span's own file, or in a file that did not have them before, the span is
   fresh or moved, too. Blame misses this where a change was reverted later, where the lines left one file in one
   commit and entered another in the next, and where they have less than the 40 letters that `-C` requires. Lines that
   blame finds in another file that had all of them before are a copy.
3. Remains: the span has drifted if most of its significant lines survive in blame, or if half of them, at least three,
   survive together. (A bracket is no significant line: blame follows it with its neighbours.) Half of them, at least
   four, may also be together by their text, in its file under any later name or in a file that received them, if they
   were nowhere else before. It has also drifted if its head (`def setUp`, `pub fn new`) is in its file under any later
   name, in a copy of its file if the file lost it, or in a file that received several of its lines and names its class.
   It has drifted, too, if half of its significant lines, or `_SAME` of its words, are below its head in a file that had
   no such head before and has its class. In its own file, and for half of the lines, any head of its name will do:
   `function load() {` became `exports.load = function() {`. Words survive a formatter that changes quotes. Otherwise it
   is gone. One line is no evidence: a line such as `def process_response(self, request, response):` occurs in many
   files.

The head of a method counts in its file only while the file defines its class or has another line of the span. In Go a
function belongs to its folder and to its receiver: `func (s *Store) load` has drifted if another file of the folder
defines it now. Lines in a file of another kind, as code that a manual quotes, do not survive.
"""

from __future__ import annotations

import math
import re
import subprocess
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from muninn_core.model.memory import Cite

_TELLING = 4
"""A line with fewer letters and digits says nothing of what stood there."""

_HOME = 0.25
"""The share of a span's telling lines, two at least, that make the file they went to its home."""

_FEW = 3
"""A text of fewer telling lines stands in many places by chance."""

_APART = 4
"""The least lines that identify a span without its name."""

_LONG = 400
"""A longer line is data or minified, and no head."""

_SAME = 0.6
"""The share of a span's words that are left where it was rewritten line by line."""

_WORDS = 5
"""Fewer distinct words occur in many places."""

_CODE = r"^(?!\s*(?://|/\*|\*\s|#\s|--))\s*"
"""The beginning of a line that is no comment."""

_KEYWORDS = frozenset(
    {
        "def",
        "fn",
        "func",
        "fun",
        "function",
        "class",
        "struct",
        "enum",
        "interface",
        "trait",
        "type",
        "const",
        "let",
        "var",
        "static",
        "mod",
        "module",
        "macro_rules!",
        "impl",
        "record",
        "union",
        "object",
        "defp",
        "defmacro",
        "defmacrop",
        "defmodule",
        "defprotocol",
    }
)
"""The keywords before a name. Before the name of a method of C or Java is its type, which may change."""

_TYPES = frozenset({"class", "interface", "type", "@interface"})
"""The keywords of types that become one another in Java and TypeScript."""

_OWNING = {*_KEYWORDS, "protocol", "extension", "namespace"} - {"const", "let", "var", "static"}
_OWNERS = rf"(?:{'|'.join(map(re.escape, sorted(_OWNING)))})"
"""The keywords before the name of a class, module or function that has members."""

_EXPORTS = r"(?:(?:module\.)?exports[\w.]*\s*=\s*)?"
"""The beginning of a line of JavaScript that defines a name and exports it."""

_RECEIVER = re.compile(r"func\s*\(\s*(?:\w+\s+)?\*?(\w+)")
"""The beginning of a method of Go, and the type that it belongs to."""

_KINDS = (
    {".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts"},
    {".c", ".h", ".cc", ".cpp", ".cxx", ".hpp", ".hh", ".hxx", ".ipp"},
    {".java", ".kt", ".kts"},
    {".py", ".pyi", ".pyx"},
    {".ex", ".exs"},
)
"""Suffixes of files whose code can move from one to the other."""

_STATEMENT = r"(?:return|new|throw|else|await|yield|if|for|while|switch|case|assert|delete)\b"

_IMPL = re.compile(r"\s*(?:unsafe\s+)?impl\b.*?(\w+)(?:<[^{]*>)?\s+for\s+[^{<]*?([\w$]+)\s*(?:<.*)?\{?\s*$")
"""The head of an `impl` of Rust: its trait and the last part of its type."""

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
        whole = self._whole(cite, lines)
        if whole is not None:
            return _state(cite, whole)
        head, owner = _head(lines[0].text, cite.symbol or ""), self._owner(cite)
        own, homes = self._names(cite, head), self._homes(cite, lines)
        left = {line.place[0] for line in lines if line.place and line.tells}
        kept = any(
            self._has(self._late, path, head) and (owner is None or path in left or self._has(self._late, path, owner))
            for path in own
        )
        text = self._same_text(cite, lines, own[:1] if kept else [*own, *homes, *self._newcomers(cite)])
        if text is not None:
            return _state(cite, text)
        if kept or any(self._has(self._late, path, head) for path in homes) or self._half_left(cite, lines, head):
            return "drifted"
        name = _any_head(lines[0].text, cite.symbol or "")
        return "drifted" if any(self._alike_below(lines, path, name, words=True) for path in own) else "gone"

    def of_lines(self, cite: Cite) -> str:
        """Return the true state of some lines inside of a definition of `early`: fresh, moved, drifted or gone."""
        lines = self._survivors(cite)
        places = [line.place for line in lines if line.place is not None]
        whole = self._whole(cite, lines)
        if whole is not None:
            return _state(cite, whole)
        longest = max((line.text for line in lines), key=len, default="")
        went = [path for path, _ in places if path != cite.path]
        named = [self._renames.get(cite.path, cite.path), cite.path, *self._copies.get(cite.path, ())]
        text = self._same_text(cite, lines, list(dict.fromkeys([*named, *went, *self._holders(cite, longest)])))
        if text is not None:
            return _state(cite, text)
        return "drifted" if any(line.place and line.tells for line in lines) else "gone"

    def _whole(self, cite: Cite, lines: list[_Line]) -> _Place | None:
        """Return the place of a span whose lines survived side by side; None for others and for a copy."""
        places = [line.place for line in lines if line.place is not None]
        if not lines or len(places) < len(lines) or not self._side_by_side(places):
            return None
        return None if self._was_in(cite, places[0][0], [line.text for line in lines]) else places[0]

    def _was_in(self, cite: Cite, path: str, wanted: list[str]) -> bool:
        """Whether a file had some lines at the early commit, under any name and other than as the cited file."""
        return any(_find(self._text(self._early, before), wanted) for before in self._origins(path, cite))

    def _origins(self, path: str, cite: Cite) -> list[str]:
        """Return the names that a file of the late commit had at the early one, without the cited file."""
        before = [path, *(first for first, last in self._renames.items() if last == path)]
        return [one for one in before if one != cite.path]

    def _names(self, cite: Cite, head: re.Pattern[str]) -> list[str]:
        """Return the names of the file at the late commit, and those of its copies if it lost the head.

        A function of Go that is in no other file of the folder may go to any of them.
        """
        names = list(dict.fromkeys([self._renames.get(cite.path, cite.path), cite.path]))
        if not any(self._has(self._late, path, head) for path in names):
            copies = [self._renames.get(path, path) for path in self._copies.get(cite.path, ())]
            kind = _kind(cite.path)
            names += [path for path in copies if Path(path).suffix in kind and not self._had(cite, path, head)]
            if cite.path.endswith(".go"):
                beside = [path for path in self._newcomers(cite) if Path(path).parent == Path(cite.path).parent]
                names += [path for path in beside if not self._had(cite, path, head)]
        return list(dict.fromkeys(names))

    def _had(self, cite: Cite, path: str, head: re.Pattern[str]) -> bool:
        """Whether a file of the late commit had a head at the early one, under any name."""
        return any(self._has(self._early, before, head) for before in self._origins(path, cite))

    def _homes(self, cite: Cite, lines: list[_Line]) -> list[str]:
        """Return the files that received several lines of the span and name its class, if it is in one."""
        telling = [line for line in lines if line.tells]
        went = Counter(line.place[0] for line in telling if line.place)
        some = max(2, _HOME * len(telling))
        owner = re.compile(rf"\b{re.escape((cite.symbol or '').rpartition('.')[0].rpartition('.')[2])}\b")
        return [path for path, count in went.items() if count >= some and self._has(self._late, path, owner)]

    def _same_text(self, cite: Cite, lines: list[_Line], paths: list[str]) -> _Place | None:
        """Return the place where all lines of a span are contiguous, the nearest to the cited one; None without one."""
        wanted = [line.text for line in lines]
        if sum(line.tells for line in lines) < _FEW:
            return None
        for path in paths:
            spots = _find(self._text(self._late, path), wanted)
            if spots and not self._was_in(cite, path, wanted):
                return path, min(spots, key=lambda spot: (abs(spot - cite.start), spot))
        return None

    def _half_left(self, cite: Cite, lines: list[_Line], head: re.Pattern[str]) -> bool:
        lines = [line if self._is_left(cite, line) else _Line(line.text, None) for line in lines]
        telling = [line for line in lines if line.tells]
        if 2 * sum(line.place is not None for line in telling) > len(telling):
            return True
        if _half_together(lines):
            return True
        begins, owner = _any_head(lines[0].text, cite.symbol or ""), self._owner(cite)
        for path in self._newcomers(cite):
            there = owner is not None and self._has(self._late, path, owner)
            words = there or Path(path).stem == Path(cite.path).stem
            for one in (head, begins):
                if not self._had(cite, path, one) and self._alike_below(lines, path, one, words=words):
                    return True
        return self._text_together(cite, lines)

    def _text_together(self, cite: Cite, lines: list[_Line]) -> bool:
        """Whether half of the significant lines, at least `_APART`, are within twice the span's length in a file.

        Lines do not count that were elsewhere in the cited file, or in the other file, before.
        """
        text = self._text(self._early, cite.path)
        around = {line.strip() for line in (*text[: cite.start - 1], *text[cite.end :])}
        telling = {line.text for line in lines if line.tells}
        wanted, enough = telling - around, max(_APART, math.ceil(len(telling) / 2))
        if len(wanted) < enough:
            return False
        longest = max(sorted(wanted), key=len)
        for path in dict.fromkeys([self._renames.get(cite.path, cite.path), cite.path, *self._holders(cite, longest)]):
            before = {line.strip() for one in self._origins(path, cite) for line in self._text(self._early, one)}
            now = [line.strip() for line in self._text(self._late, path)]
            rows = [at for at, line in enumerate(now) if line in wanted - before]
            if any(len({now[row] for row in rows if at <= row < at + 2 * len(lines)}) >= enough for at in rows):
                return True
        return False

    def _alike_below(self, lines: list[_Line], path: str, head: re.Pattern[str], *, words: bool) -> bool:
        """Whether a file has a head and half of the significant lines below it.

        With `words`, most of the words are enough. What is below ends with the head's block, and not within twice the
        span's length.
        """
        written = self._text(self._late, path)
        text = [line.strip() for line in written]
        telling = [line.text for line in lines if line.tells]
        wanted = _words(line.text for line in lines) if words else set()
        for at in (at for at, line in enumerate(text) if len(line) < _LONG and head.search(line)):
            below = text[at : max(at + 2 * len(lines), _block_end(written, at))]
            if telling and 2 * sum(line in below for line in telling) >= len(telling):
                return True
            if len(wanted) >= _WORDS and len(wanted & _words(below)) >= _SAME * len(wanted):
                return True
        return False

    def _is_left(self, cite: Cite, line: _Line) -> bool:
        """Whether a line survived in its own file, or in one that did not have it before."""
        return line.place is not None and (
            line.place[0] in (cite.path, self._renames.get(cite.path))
            or not self._was_in(cite, line.place[0], [line.text])
        )

    def _newcomers(self, cite: Cite) -> list[str]:
        """Return the other files of the late commit that contain a span's name and were changed or added."""
        return self._holders(cite, (cite.symbol or "").rpartition(".")[2], "-w")

    def _holders(self, cite: Cite, text: str, *how: str) -> list[str]:
        """Return the other files of the late commit, of the same kind, that contain a text and changed."""
        kinds = [f"*{suffix}" for suffix in sorted(_kind(cite.path))]
        asked = ("grep", "-l", "-z", "-I", "-F", *how, "-e", text, self._late, "--", *kinds)
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

    def _owner(self, cite: Cite) -> re.Pattern[str] | None:
        return _owner(cite, self._text(self._early, cite.path)[cite.start - 1])

    def _has(self, commit: str, path: str, head: re.Pattern[str]) -> bool:
        return any(head.search(line) for line in self._text(commit, path) if len(line) < _LONG)

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
        kind = _kind(cite.path)
        commit, number, path = "", 0, ""
        for line in self._git("blame", *how, f"{self._early}..{self._late}", "--", cite.path).split("\n"):
            if line.startswith("\t"):
                if line.strip():
                    survived = commit == self._late and Path(path).suffix in kind
                    found.append(_Line(line.strip(), (path, number) if survived else None))
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


def _kind(path: str) -> set[str]:
    """Return the suffixes of the files that the code of a file can move to."""
    suffix = Path(path).suffix
    return next((kind for kind in _KINDS if suffix in kind), {suffix})


def _owner(cite: Cite, first: str) -> re.Pattern[str] | None:
    """Return a pattern for a line that defines what a span belongs to; for any line if its head begins the line.

    That is the class, module or function around it, or the owner of a prototype. That of an indented span may be
    unknown: None.
    """
    prototype = re.match(r"\s*(?:[\w$]+\.)*([\w$]+)\.prototype\.", first)
    around = prototype[1] if prototype else (cite.symbol or "").rpartition(".")[0].rpartition(".")[2]
    if not around:
        return None if first[:1].isspace() else re.compile("")
    name = rf"{re.escape(around)}(?!\w)"
    kinds = rf"(?:.*[^\w.])?{_OWNERS}(?:<[^>]*>)?\s(?:.*\W)?{name}"
    return re.compile(
        rf"{_CODE}(?:{kinds}|(?:.*[^\w.])?(?:const|let|var)\s+{name}|(?:[\w$]+\.)+{name}\s*=|{name}\.prototype\b)"
    )


def _method(name: str, *, typed: bool) -> re.Pattern[str]:
    """Return a pattern for the head of a method without a keyword: `load(key) {`; with `typed` after its type."""
    before = rf"(?:[\w@$.<>\[\],?:&*~]+\s+){'+' if typed else '*'}"
    end = r"[{(,)]" if typed else r"[{(,]"
    return re.compile(rf"{_CODE}(?!{_STATEMENT}){before}[#*&]?{re.escape(name)}\s*(?:<.*>)?\(.*{end}\s*$")


def _half_together(lines: list[_Line]) -> bool:
    """Whether half of the significant lines, and at least three, are in one file within twice the span's length."""
    telling = [line for line in lines if line.tells]
    enough = max(_FEW, math.ceil(len(telling) / 2))
    places = sorted(line.place for line in telling if line.place is not None)
    stretches = zip(places, places[enough - 1 :], strict=False)
    return any(first[0] == last[0] and last[1] - first[1] < 2 * len(lines) for first, last in stretches)


def _block_end(text: list[str], at: int) -> int:
    """Return the index after the lines of a block, by their indentation; closing brackets belong to it."""
    width = len(text[at]) - len(text[at].lstrip())
    for end in range(at + 1, len(text)):
        line = text[end].lstrip()
        if line and len(text[end]) - len(line) <= width and line[0] not in ")]}":
            return end
    return len(text)


def _find(text: list[str], wanted: list[str]) -> list[int]:
    """Return the 1-based line numbers where `wanted` starts as a contiguous run, ignoring blank lines."""
    rows = [(number, "".join(line.split())) for number, line in enumerate(text, 1) if line.strip()]
    asked = ["".join(line.split()) for line in wanted]
    words = [row for _, row in rows]
    starts = (at for at, row in enumerate(words) if row == asked[0])
    return [rows[at][0] for at in starts if words[at : at + len(asked)] == asked]


def _words(lines: Iterable[str]) -> set[str]:
    return {word for line in lines for word in re.findall(r"[^\W\d]\w{2,}", line)}


def _any_head(first: str, symbol: str) -> re.Pattern[str]:
    """Return a pattern for a line that begins any kind of definition of a name: `name(x) {`, `x.name = `, `class name`.

    An `impl` of Rust has no other kind: `impl Debug for Store` is not `struct Store`. An attribute is no definition:
    `this.name = value`.
    """
    if re.match(r"\s*(?:unsafe\s+)?impl\b", first):
        return re.compile("(?!)")
    name = re.escape(symbol.rpartition(".")[2])
    return re.compile(
        rf"{_CODE}{_EXPORTS}(?!\s*(?:this|self)\.\w+\s*=(?!.*(?:\bfunction\b|=>)))(?:pub\([^)]*\)\s*)?"
        rf"(?:[^=;(]*[\s.:*&>#])?{name}(?!\w)(?:.*[{{(\[,:=>]\s*$|\s*(?::[^=]+)?=(?![=>]))"
    )


def _head(first: str, symbol: str) -> re.Pattern[str]:
    """Return a pattern for the head of a span: its name after the same keyword, or as a method of any type.

    A receiver may separate keyword and name: `func (s *Store) load`, `def self.load`. An `impl Trait for Type` of Rust
    is another definition than that of another trait. A member of a prototype and a method of a class are the same in
    JavaScript if its owner is the same, and so are a class, an interface and a type of one name.
    """
    name = symbol.rpartition(".")[2]
    impl = _IMPL.match(first)
    if impl:
        return re.compile(rf"{_CODE}(?:unsafe\s+)?impl\b.*\b{impl[1]}\b.*\sfor\s.*{re.escape(impl[2])}(?!\w)")
    receiver = _RECEIVER.match(first)
    if receiver:
        return re.compile(rf"^func\s*\(\s*(?:\w+\s+)?\*?{receiver[1]}\b[^)]*\)\s*{re.escape(name)}(?!\w)")
    before, _, after = first.partition(name)
    words = re.sub(r"\([^)]*\)|<[^>]*>", " ", before)
    keyword = re.search(r"([A-Za-z_]\w*!?)(?:\s+[\w:.]+(\.)|\s*)$", words)
    bare = not (keyword and keyword[1] in _KEYWORDS)
    if bare and re.match(r"\s*(?:<[^>]*>)?\s*\(", after) and first.rstrip().endswith(("{", "(", ",", ")")):
        return _method(name, typed=first.rstrip().endswith(")"))
    prototype = re.search(r"([\w$]+)\.prototype\.$", words.rstrip())
    owner = (
        rf"(?:(?:[\w$]+\.)*{re.escape(prototype[1])}\.prototype\.|(?!(?:this|self)\.|.*\.prototype\.)(?:[\w$]+\.)+)"
        if prototype
        else ""
    )
    if prototype and re.match(r"\s*=\s*(?:async\s*)?function", after):
        return re.compile(rf"{_method(name, typed=False).pattern}|{_CODE}{owner}{re.escape(name)}\s*=(?!=)")
    if keyword and keyword[1] in _TYPES:
        kinds = "|".join(sorted(_TYPES))
        return re.compile(rf"{_CODE}(?:[^\s=;(]+\s+)*(?:{kinds})\s+{re.escape(name)}(?!\w)")
    if keyword:
        owner = r"(?:::|\.)" if keyword[2] else "::"
        between = rf"\s+(?:\([^)\n]*\)\s*)?(?:[\w:.]+{owner})?"
        return re.compile(
            rf"{_CODE}{_EXPORTS}(?:[^\s=;]+\s+)*?\(?{re.escape(keyword[1])}(?:<[^>]*>)?{between}{re.escape(name)}(?!\w)"
        )
    owner = r"(?:[\w$]+\.)+" if words.rstrip().endswith(".") else ""
    if re.match(r"\s*(?::[^=]+)?=", after):
        return re.compile(rf"{_CODE}{owner}{re.escape(name)}\s*(?::[^=]+)?=(?!=)")
    tail = r".*[{(\[,:]\s*$" if first.rstrip().endswith(("{", "(", "[", ",", ":")) else ""
    return re.compile(rf"{_CODE}{owner}{re.escape(name)}\s*{re.escape(after.strip()[:1])}{tail}")
