"""Path globs with the meaning that .gitignore gives them, in linear time: for filters that anybody may send.

A pattern becomes one regular expression whose stars are atomic: what one has taken is never tried again, since the
leftmost place where the fixed text behind it fits is as good as any later one. So `**/**/a*a*a*a*` costs what `a*`
costs. It knows no files.
"""

from __future__ import annotations

import re
from collections.abc import Callable

MOST_CHARACTERS = 1_000
"""Of a pattern; a longer one is a mistake."""

_TOKEN = re.compile(r"\*+|\?|\[[!^]?\]?[^\]/]*\]|\\.|.", re.DOTALL)


def compile_glob(pattern: str) -> Callable[[str], bool]:
    """Return whether a POSIX path relative to the root matches. Raises ValueError, which says why, for no pattern.

    `*` and `?` stay within a segment, `**` takes any number of them, `[a-z]` and `[!a-z]` one character. With a slash
    at the start or in the middle a pattern begins at the root, else it may stand anywhere. What is matched is a file,
    or a folder with everything below it; with a slash at the end a folder only.
    """
    if len(pattern) > MOST_CHARACTERS:
        raise ValueError(f"a pattern has at most {MOST_CHARACTERS} characters")
    segments = [segment for segment in pattern.strip("/").split("/") if segment not in ("", ".")]
    if not segments or ".." in segments:
        raise ValueError("a pattern names paths below the root")
    anchored = "/" in pattern.rstrip("/")
    while segments and segments[-1] == "**":
        segments.pop()  # all below: what is matched takes that in anyhow
    if not segments:
        return lambda _path: True
    below = "/" if pattern.endswith(("/", "/**")) else r"(?:/|\Z)"
    expression = re.compile(_runs(segments if anchored else ["**", *segments]) + below)
    return lambda path: expression.match(path) is not None


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
    """Return the expression of one segment."""
    parts: list[str] = [""]
    for token in _TOKEN.findall(segment):
        if token[0] == "*":
            parts.append("")
        else:
            parts[-1] += _one(token)
    first, *others = parts
    if not others:
        return first
    *inner, last = others
    middle = "".join(f"(?>[^/]*?{part})" for part in inner if part)
    return first + middle + "[^/]*" + (f"{last}(?![^/])" if last else "")


def _one(token: str) -> str:
    """Return the expression of one character: any, of a set, or itself."""
    if token == "?":
        return "[^/]"
    if len(token) > 1 and token[0] == "[":
        inner = token[1:-1]
        turned = inner[0] in "!^"
        body = (inner[1:] if turned else inner).replace("\\", "\\\\").replace("[", "\\[").replace("^", "\\^")
        if body.startswith("]"):
            body = "\\" + body
        for mark in ("&&", "||", "~~"):
            body = body.replace(mark, f"{mark[0]}\\{mark[1]}")
        try:
            re.compile(f"[{body}]")
        except re.error:
            raise ValueError(f"'{token}' is no set of characters") from None
        return f"(?!/)[{'^' if turned else ''}{body}]"
    return re.escape(token[1] if token[0] == "\\" and len(token) == 2 else token)
