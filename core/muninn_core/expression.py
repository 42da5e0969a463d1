"""Regular expressions that come with a repository. Matching takes linear time, whatever the expression.

The engine is RE2, since `(a+)+$` would hold the daemon for ever in Python's. The only importer of re2.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

MAX_CHARACTERS = 1_000
"""Length of the longest expression."""

_CACHED = 500
"""Compiled expressions that are kept."""

_MEMORY_BYTES = 8 << 20


class Expression:
    """A compiled expression. The syntax is that of RE2: no lookaround and no references to groups."""

    def __init__(self, compiled: Any) -> None:
        self._compiled = compiled

    def is_in(self, text: str) -> bool:
        """Whether any part of a text matches."""
        readable = text if text.isascii() else text.encode("utf-8", "replace").decode()
        return self._compiled.search(readable) is not None

    def spans(self, data: bytes) -> Iterator[tuple[int, int]]:
        """Yield (start, end) of each match in UTF-8, in bytes."""
        for match in self._compiled.finditer(data):
            yield match.span()

    def replace(self, text: str, replacement: str) -> tuple[str, int]:
        """Return the text with each match that is not empty replaced, and their number."""
        pieces: list[str] = []
        at = 0
        # RE2 takes UTF-8, which has no lone surrogates; every stand-in for one is one character, too.
        readable = text if text.isascii() else text.encode("utf-8", "replace").decode()
        for match in self._compiled.finditer(readable):
            start, end = match.span()
            if end > start:
                pieces += [text[at:start], replacement]
                at = end
        return ("".join([*pieces, text[at:]]), len(pieces) // 2) if pieces else (text, 0)


def compile_expression(pattern: str) -> Expression:
    """Return a compiled expression. Raises ValueError, which says why a text is none."""
    return _compiled(pattern)


def compile_search(pattern: str, *, fixed: bool, ignore_case: bool, word: bool) -> Expression:
    """Return an expression whose `spans` lie within single lines of a text. Raises as `compile_expression`.

    `fixed` takes the pattern as plain text; `word` demands the boundary of a word at both ends.
    """
    if not fixed:
        _compiled(pattern)  # the message of an error has the pattern as it was given
    return _compiled(pattern, search=(fixed, ignore_case, word))


@lru_cache(maxsize=_CACHED)
def _compiled(pattern: str, search: tuple[bool, bool, bool] | None = None) -> Expression:
    import re2  # only repositories that define expressions and searches of files load it

    if len(pattern) > MAX_CHARACTERS:
        raise ValueError(f"a regular expression has at most {MAX_CHARACTERS} characters")
    options = re2.Options()
    options.log_errors = False
    options.max_mem = _MEMORY_BYTES
    try:
        if search is None:
            return Expression(re2.compile(pattern, options))
        fixed, ignore_case, word = search
        options.never_nl = True
        options.case_sensitive = not ignore_case
        inner = f"(?:{re2.escape(pattern) if fixed else pattern})"
        whole = rf"(?m)\b{inner}\b" if word else f"(?m){inner}"
        return Expression(re2.compile(whole.encode(), options))
    except (re2.error, UnicodeEncodeError) as error:
        said = error.args[0] if error.args else error
        reason = said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)
        raise ValueError(f"'{pattern}' is not a regular expression of RE2: {reason}") from None
