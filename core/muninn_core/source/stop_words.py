"""English stop words: frequent words that carry little meaning."""

from __future__ import annotations

_WORDS = """
a an and are as at be but by can could did do does for from had has have how i if in into is it its me my of on or our
should so that the their them then there these they this to us was we were what when where which who why will with
would you your
"""

STOP_WORDS = frozenset(_WORDS.split())
