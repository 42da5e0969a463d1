"""Symbols in a text: operators, and quoted text or code without a word. Other modules read words.

`==` is not `===`, and a separator ';' is not ','.
"""

from __future__ import annotations

import re

_QUOTED = re.compile(r"""(?<!\w)(['"`])(?=\S|[ ]\S)(.+?)\1(?!\w)""")
_WORDS = re.compile(r"[\w\s]+|\(\)")
_OPERATOR = re.compile(r"!?[=<>&|^~+@#$%\\]+")


def symbols_agree(one: str, other: str) -> bool:
    """Whether two texts with the same words have the same symbols, or one of them has none."""
    one_symbols, other_symbols = _symbols(one), _symbols(other)
    return not one_symbols or not other_symbols or one_symbols == other_symbols


def _symbols(text: str) -> list[str]:
    """Return the operators of a text, and the symbols within its quotes, in order."""
    quoted = [_WORDS.sub("", match[2]) or match[2].strip() for match in _QUOTED.finditer(text) if _states(match[2])]
    return sorted([*quoted, *_OPERATOR.findall(_QUOTED.sub(" ", text))])


def _states(text: str) -> bool:
    return not text.replace("_", "").replace(" ", "").isalnum()
