"""Text that is safe to print: control characters and escape sequences have no effect.

Memories, file names, branch names and messages come from other people. They may contain escape sequences, which move
the cursor or change the window, and characters that reorder or hide what is shown.
"""

from __future__ import annotations

import json
import re

# Control characters but newline and tab; line and paragraph separators; marks, embeddings, overrides and isolates of
# the bidirectional algorithm (UAX #9); characters without width; interlinear annotation; lone surrogates; tags.
_UNSAFE = (
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    r"\ud800-\udfff\U000e0000-\U000e007f]"
)
# Joiners belong to emoji and to some scripts. Beside ASCII they only hide.
_JOINERS = r"(?<![^\x00-\x7f])[\u200c\u200d]|[\u200c\u200d](?![^\x00-\x7f])"
_UNSAFE_TEXT = re.compile(f"{_UNSAFE}|{_JOINERS}")


def safe(text: str) -> str:
    """Return a text with a replacement character for each character that a terminal obeys or hides."""
    return text if text.isascii() and text.isprintable() else _UNSAFE_TEXT.sub("\N{REPLACEMENT CHARACTER}", text)


def safe_json(text: str) -> str:
    r"""Return JSON with `\u` escapes for the same characters; its value stays the same."""
    return text if text.isascii() else _UNSAFE_TEXT.sub(lambda found: json.dumps(found[0])[1:-1], text)
