"""Names invisible characters, which can hide instructions from a reviewer but not from a model."""

from __future__ import annotations

import re

_HIDDEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\U000e0000-\U000e0fff]+|[\u200c\u200d\ufe00-\ufe0f]{2,}"
)
"""Control and default-ignorable characters (Unicode 16, DerivedCoreProperties.txt).

A single joiner or variation selector is part of an emoji or of a script's spelling; a run of them is not.
"""


def name_hidden(text: str) -> str:
    """Return a text with each run of characters that are not seen replaced by a note of their number."""
    if text.isascii() and text.isprintable():
        return text
    return _HIDDEN.sub(lambda run: f"[{len(run[0])} hidden character{'s' if len(run[0]) > 1 else ''}]", text)
