"""Patterns of gitignore(5): lists of them, as ignore files have, and single ones, as filters of paths.

Matching takes linear time whatever the pattern, because ignore files come with a repository and filters with a request:
`a*a*a*a*b` must not hold the daemon. A pattern becomes a regular expression whose stars are atomic. What a star has
taken is never tried again, since the leftmost fit of the text behind it is as good as any later one.

Paths are POSIX paths relative to the root; that of a folder ends with a slash. Upper and lower case differ. Two
deviations from git: `[z-a]` and a `[` without `]` make the whole pattern invalid, where git matches nothing with them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from typing import NamedTuple

EXPORT_LIST = ".muninn-export.json"
"""The list of the files of an export, in their folder. They are copies of memories, so they are not indexed."""

MAX_CHARACTERS = 1_000
"""Length of the longest pattern of a filter."""

_TOKEN = re.compile(r"\*+|\?|\[[!^]?\]?(?:\[:[a-z]+:\]|\\.|[^\]\\])*\]|\\.|.", re.DOTALL)
_IN_SET = re.compile(r"\[:(?P<name>[a-z]+):\]|\\(?P<escaped>.)|(?P<range>-)|(?P<plain>.)", re.DOTALL)
_CLASSES = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "blank": r" \t",
    "cntrl": r"\x00-\x1f\x7f",
    "digit": "0-9",
    "graph": "!-~",
    "lower": "a-z",
    "print": " -~",
    "punct": r"!-/:-@\[-`{-~",
    "space": r" \t\n\r\f\v",
    "upper": "A-Z",
    "xdigit": "0-9A-Fa-f",
}


def compile_glob(pattern: str) -> Callable[[str], bool]:
    """Return a function that tells whether a file's path passes a filter. Raises ValueError, which says why not.

    A filter is a gitignore pattern: `*` and `?` stay within a segment, `**` takes any number of segments, `[a-z]` and
    `[!a-z]` one character, and a backslash makes the next character plain. With a slash at the start or in the middle
    it begins at the root, else it may begin in any folder. It matches a file, or a folder with everything below it;
    with a slash at the end only a folder. Unlike in an ignore file, `!`, `#` and blanks are plain characters, `.`
    segments and double slashes are dropped, and `..` is an error.
    """
    if len(pattern) > MAX_CHARACTERS:
        raise ValueError(f"a pattern has at most {MAX_CHARACTERS} characters")
    segments = [segment for segment in pattern.split("/") if segment not in ("", ".")]
    if not segments or ".." in segments:
        raise ValueError("a pattern names paths below the root")
    start, end = "/" if "/" in pattern.rstrip("/") else "", "/" if pattern.endswith("/") else ""
    parsed = _parse(start + "/".join(segments) + end)
    expression = re.compile(parsed.expression + parsed.tail(around=True), re.DOTALL)
    matches = expression.match
    return lambda path: matches(path) is not None


class IgnoreRules:
    """The patterns of an ignore file, or of several as if they were one. Invalid ones never match, as in git."""

    def __init__(self, lines: Iterable[str]) -> None:
        read = [found for line in lines if (found := _read_line(line)) is not None]
        self._runs = [(out, _Run([each for _, each in run])) for out, run in groupby(read, key=lambda found: found[0])]
        self._folders: dict[str, int] = {"": -1}

    def __bool__(self) -> bool:
        return bool(self._runs)

    def decide(self, path: str) -> bool | None:
        """Return what the last pattern that names a path says: True to ignore it, False to keep it; None for none.

        A pattern that names a folder around the path does not count: git asks for each folder by itself.
        """
        last = self._last(path)
        return None if last < 0 else self._runs[last][0]

    def excludes(self, path: str) -> bool:
        """Whether a file is ignored, where a pattern that names the file can bring it back from an ignored folder.

        The last pattern that names the file decides; without one, the last that names a folder around it. In git
        nothing below an ignored folder comes back.
        """
        last = self._last(path)
        if last < 0:
            last = self._last_around(path.rpartition("/")[0])
        return last >= 0 and self._runs[last][0]

    def _last(self, path: str) -> int:
        """Return the number of the last run with a pattern that names a path; -1 for none."""
        name = path[path.rfind("/", 0, -1) + 1 :]
        for number in range(len(self._runs) - 1, -1, -1):
            if self._runs[number][1].names(path, name):
                return number
        return -1

    def _last_around(self, folder: str) -> int:
        """Return the number of the last run that names a folder or one around it. Each folder is asked for once."""
        known = self._folders.get(folder)
        if known is None:
            above = self._last_around(folder.rpartition("/")[0])
            known = self._folders[folder] = max(above, self._last(folder + "/"))
        return known


class _Parsed(NamedTuple):
    """A pattern: the expression of its segments, and what may follow them."""

    expression: str
    name: str
    """The expression of its only segment, when it may stand in any folder; else ""."""

    folders: bool
    """With a slash at the end: only folders."""

    inside: bool
    """With `/**` at the end: only what is below."""

    def tail(self, *, around: bool) -> str:
        """Return the expression behind the segments: of the path itself, with `around` of anything below it, too."""
        slash = "/" if self.expression else ""
        if self.inside and self.folders:
            return slash + ("[^/]+/" if around else r"(?:[^/]+/)+\Z")
        if self.inside:
            return slash + "."
        if self.folders:
            return "/" if around else r"/\Z"
        return r"(?:/|\Z)" if around else r"/?\Z"


class _Run:
    """Neighbouring patterns with the same effect: together they are at most three expressions."""

    def __init__(self, patterns: Sequence[_Parsed]) -> None:
        self._files = _alternatives(each.name + r"/?\Z" for each in patterns if each.name and not each.folders)
        self._folders = _alternatives(each.name + r"/\Z" for each in patterns if each.name and each.folders)
        self._paths = _alternatives(each.expression + each.tail(around=False) for each in patterns if not each.name)

    def names(self, path: str, name: str) -> bool:
        """Whether a pattern matches a path, whose last segment is `name`."""
        return (
            (self._files is not None and self._files.match(name) is not None)
            or (self._folders is not None and path.endswith("/") and self._folders.match(name) is not None)
            or (self._paths is not None and self._paths.match(path) is not None)
        )


def _alternatives(expressions: Iterable[str]) -> re.Pattern[str] | None:
    joined = "|".join(expressions)
    return re.compile(joined, re.DOTALL) if joined else None


def _read_line(line: str) -> tuple[bool, _Parsed] | None:
    """Return whether a line of an ignore file ignores, and its pattern; None for a comment or an invalid pattern."""
    pattern = _without_blanks(line.removesuffix("\r"))
    if not pattern or pattern.startswith("#"):
        return None
    out = not pattern.startswith("!")
    try:
        return out, _parse(pattern if out else pattern[1:])
    except ValueError:
        return None


def _without_blanks(line: str) -> str:
    """Return a line without the blanks at its end; one behind a backslash stays."""
    bare = line.rstrip(" ")
    escapes = len(bare) - len(bare.rstrip("\\"))
    return line[: len(bare) + 1] if escapes % 2 else bare


def _parse(pattern: str) -> _Parsed:
    """Return a pattern. Raises ValueError for one that git never matches."""
    folders = pattern.endswith("/")
    body = pattern.removesuffix("/")
    anchored = "/" in body
    segments = ["**" if re.fullmatch(r"\*\*+", each) else each for each in body.removeprefix("/").split("/")]
    if "" in segments:
        raise ValueError("a pattern names something between its slashes")
    inside = segments[-1] == "**"
    while segments and segments[-1] == "**":
        segments.pop()
    free = not anchored and bool(segments)
    name = _segment(segments[0]) if free else ""
    return _Parsed(_runs(["**", *segments] if free else segments), name, folders, inside)


def _runs(segments: list[str]) -> str:
    """Return the expression of segments: runs of fixed ones, atomic behind a `**`, since the leftmost fit will do."""
    found, run, free = "", [], False
    for segment in [*segments, None]:
        if segment != "**" and segment is not None:
            run.append(_segment(segment))
            continue
        if run:
            fixed = "/".join(run)
            last = segment is None
            # The last run may be followed by more of the path, so every place of it counts: it is not atomic.
            found += (f"(?:[^/]+/)*?{fixed}" if last else f"(?>(?:[^/]+/)*?{fixed}/)") if free else fixed
            found += "" if last or free else "/"
        run, free = [], segment == "**"
    return found


def _segment(segment: str) -> str:
    """Return the expression of one segment, which matches no empty one."""
    parts: list[str] = [""]
    for found in _TOKEN.finditer(segment):
        token = found[0]
        if token[0] == "*":
            parts.append("")
        else:
            parts[-1] += _character(token)
    first, *others = parts
    if not others:
        return first
    *inner, last = others
    middle = "".join(f"(?>[^/]*?{part})" for part in inner if part)
    if not first + middle + last:
        return "[^/]+"
    return first + middle + "[^/]*" + (f"{last}(?![^/])" if last else "")


def _character(token: str) -> str:
    """Return the expression of one character: any, one of a set, or itself."""
    if token == "?":
        return "[^/]"
    if token == "[":
        raise ValueError("'[' begins a set of characters that no ']' ends; write '\\[' for the character itself")
    if token == "\\":
        raise ValueError("a pattern can't end with a single backslash; write '\\\\' for the character itself")
    if len(token) > 1 and token[0] == "[":
        return _set(token)
    return re.escape(token[1] if token[0] == "\\" else token)


def _set(token: str) -> str:
    """Return the expression of a set of characters like `[a-z]`, `[!a-z]`, `[]x]` or `[[:alpha:]_]`."""
    turned = token[1] in "!^"
    inner, body = token[2 if turned else 1 : -1], ""
    begins = opened = False  # whether a range may begin at the last character, and whether one waits for its end
    for found in _IN_SET.finditer(inner):
        if found["name"] is not None:
            if found["name"] not in _CLASSES:
                raise ValueError(f"'{token}' names a class that does not exist: there are {', '.join(_CLASSES)}")
            body, begins = body + _CLASSES[found["name"]], False
        elif found["range"] and begins and found.end() < len(inner):
            body, begins, opened = body + "-", False, True
        else:
            body += re.escape(found["escaped"] or found[0])
            begins, opened = not opened, False
    try:
        re.compile(f"[{body}]")
    except re.error:
        raise ValueError(f"'{token}' is not a set of characters") from None
    return f"(?!/)[{'^' if turned else ''}{body}]"
