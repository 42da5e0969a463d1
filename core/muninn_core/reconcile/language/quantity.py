"""Figures, units and frequencies in a common form: "0.5 s" and "500 ms", "daily" and "every 24 hours"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_MOST_DIGITS = 100
"""The most characters of a number that is read as an amount. Python's int refuses more than 4,300 digits."""
_WITH_UNIT = re.compile(r"(\d+(?:[.,]\d+)*)([a-zµ%]{1,5})", re.I)
_NAMED = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty"
)
NUMERALS = {name: Fraction(value) for value, name in enumerate(_NAMED.split())}
NUMERALS |= {
    name: Fraction(value)
    for name, value in (
        ("thirty", 30), ("forty", 40), ("fifty", 50), ("sixty", 60), ("seventy", 70), ("eighty", 80), ("ninety", 90),
        ("hundred", 100), ("thousand", 1000), ("dozen", 12), ("single", 1), ("once", 1), ("twice", 2),
    )
}  # fmt: skip
_UNITS: dict[str, tuple[Fraction, str]] = {}
for _names, _factor, _base in (
    ("nanosecond ns", Fraction(1, 10**6), "ms"),
    ("microsecond us µs", Fraction(1, 1000), "ms"),
    ("millisecond ms msec", Fraction(1), "ms"),
    ("second s sec", Fraction(1000), "ms"),
    ("minute min", Fraction(60_000), "ms"),
    ("hour h hr", Fraction(3_600_000), "ms"),
    ("day d", Fraction(86_400_000), "ms"),
    ("week wk", Fraction(604_800_000), "ms"),
    ("month", Fraction(1), "month"),
    ("quarter", Fraction(3), "month"),
    ("year yr", Fraction(12), "month"),
    ("byte b", Fraction(1), "byte"),
    ("kilobyte kb", Fraction(10**3), "byte"),
    ("megabyte mb", Fraction(10**6), "byte"),
    ("gigabyte gb", Fraction(10**9), "byte"),
    ("terabyte tb", Fraction(10**12), "byte"),
    ("kibibyte kib", Fraction(2**10), "byte"),
    ("mebibyte mib", Fraction(2**20), "byte"),
    ("gibibyte gib", Fraction(2**30), "byte"),
    ("hertz hz", Fraction(1), "hz"),
    ("kilohertz khz", Fraction(10**3), "hz"),
    ("megahertz mhz", Fraction(10**6), "hz"),
    ("percent % pct percentage", Fraction(1), "%"),
    ("pixel px", Fraction(1), "px"),
    ("core cpu", Fraction(1), "core"),
    ("millicore", Fraction(1, 1000), "core"),
    ("degree", Fraction(1), "degree"),
    ("metre meter", Fraction(1), "m"),
    ("millimetre millimeter mm", Fraction(1, 1000), "m"),
    ("kilometre kilometer km", Fraction(1000), "m"),
    ("volt v", Fraction(1), "volt"),
    ("millivolt mv", Fraction(1, 1000), "volt"),
    ("baud", Fraction(1), "baud"),
    ("euro eur", Fraction(1), "euro"),
    ("dollar usd", Fraction(1), "dollar"),
):
    for _name in _names.split():
        _UNITS[_name] = (_factor, _base)
        if len(_name) > 2:
            _UNITS[f"{_name}s"] = (_factor, _base)
_ADVERBS = {"hourly": "hour", "daily": "day", "weekly": "week", "monthly": "month", "quarterly": "quarter"}
_ADVERBS |= {"yearly": "year", "annually": "year"}
_PER = frozenset(("a", "an", "per", "each", "every"))
_BEFORE_AMOUNT = frozenset(("for", "within", "after", "about", "around", "than", "least", "§max", "§min"))
"""Words behind which "an hour" is one hour, and not each hour."""
_SHORT = frozenset(["s", "h", "d", "b", "v", "min"])
"""Units that are words of another meaning when no figure is before them."""


_OPENING = frozenset((*NUMERALS, *_ADVERBS, *_PER, "once", "twice", "half", "quarter"))
"""Words that a quantity may begin with, beside figures."""


def split_units(token: str) -> list[str]:
    """Return "30s" as "30" and "s"; other tokens as they are."""
    if not token[:1].isdecimal():
        return [token]
    found = _WITH_UNIT.fullmatch(token)
    is_amount = found and found[2].lower() in _UNITS and token not in ("2D", "3D")
    return list(found.groups()) if found and is_amount else [token]


def is_unit(word: str) -> bool:
    """Whether a word in lower case names a unit."""
    return word in _UNITS


def number_of(token: str) -> Fraction | None:
    """Return the number that a token stands for, None for other tokens."""
    plain = token.lower()
    if plain in NUMERALS:
        return NUMERALS[plain]
    if not token[:1].isdecimal() or len(token) > _MOST_DIGITS or not _NUMBER.fullmatch(token):
        return None
    if re.fullmatch(r"\d{1,3}(?:,\d{3})+", token):
        return Fraction(token.replace(",", ""))
    return Fraction(token) if token.count(".") <= 1 and "," not in token else None


def read_quantity(words: Sequence[str], at: int) -> tuple[str, int] | None:
    """Return the quantity that begins at a word, in its common form, and the place behind it; None for none.

    The form is a figure and a unit ("30000 ms"), a figure alone ("3"), a period ("every 1000 ms") or a denominator
    ("per 1000 ms").
    """
    word = words[at]
    if not (word in _OPENING or word[:1].isdigit()):
        return None
    return _frequency(words, at) or _amount(words, at)


def unit_of(quantity: str) -> str:
    """Return the kind of a quantity, equal for all units of one dimension: "time", "byte", "" for a mere figure."""
    first, _, rest = quantity.partition(" ")
    if first in ("every", "per"):
        return "every" if first == "every" else f"per {unit_of(rest)}"
    return "time" if rest in ("ms", "month") else rest


def _word(words: Sequence[str], at: int) -> str:
    return words[at] if at < len(words) else ""


def _amount(words: Sequence[str], at: int) -> tuple[str, int] | None:
    value: Fraction | None
    word = words[at]
    if word == "half" and _word(words, at + 1) in ("a", "an") and _word(words, at + 2) in _UNITS:
        value, end = Fraction(1, 2), at + 2
    elif word == "half" and _word(words, at + 1) in _UNITS:
        value, end = Fraction(1, 2), at + 1
    elif word == "quarter" and _word(words, at + 1) == "of" and _word(words, at + 3) in _UNITS:
        value, end = Fraction(1, 4), at + 3
    elif word == "quarter" and _word(words, at + 1) in ("hour", "second"):
        value, end = Fraction(1, 4), at + 1
    elif word in ("once", "twice", "single"):
        return None
    else:
        value, end = number_of(word), at + 1
        following = number_of(_word(words, end)) if value is not None and value < 100 else None
        if following in (100, 1000) and value is not None:
            value, end = value * following, end + 1
    if value is None:
        return (word, at + 1) if word[0].isdigit() else None
    unit = _UNITS.get(_word(words, end))
    if unit is None and "." in word:
        return word, end  # a version: 2.10 is not 2.1
    if unit is None:
        if _word(words, end) == "times" and _word(words, end + 1) in _PER and _word(words, end + 2) in ("second", "s"):
            return f"{value} hz", end + 3
        return f"{value}", end
    if unit[1] == "core" and _word(words, end).rstrip("s") == "cpu":
        return f"{value}", end
    if unit[1] == "byte":
        value = _decimal(value, unit[0])
    return f"{value * unit[0]} {unit[1]}", end + 1


def _decimal(value: Fraction, factor: Fraction) -> Fraction:
    """Return an amount of kB, MB or GB that counts in steps of 1024 in steps of 1000: 2048 MB are 2 GB."""
    step = 1
    while factor >= 1000 and factor % 1000 == 0 and value and value % 1024 == 0:
        value, step = value / 1024, step * 1000
    return value * step


def _frequency(words: Sequence[str], at: int) -> tuple[str, int] | None:
    word = words[at]
    if word in _ADVERBS:
        return _period(Fraction(1), _ADVERBS[word]), at + 1
    times = {"once": Fraction(1), "twice": Fraction(2)}.get(word)
    if times is None and _word(words, at + 1) == "times":
        times = number_of(word)
    behind = at + (1 if word in ("once", "twice") else 2)
    if times and _word(words, behind) in _PER and _word(words, behind + 1) in _UNITS:
        unit = _word(words, behind + 1)
        if _UNITS[unit][0] < 60_000 and _UNITS[unit][1] == "ms":
            return f"{times * 1000 / _UNITS[unit][0]} hz", behind + 2
        return _period(1 / times, unit), behind + 2
    if word in ("every", "each") and _word(words, at + 1) in _UNITS and _word(words, at + 1) not in _SHORT:
        return _period(Fraction(1), _word(words, at + 1)), at + 2
    if word in ("every", "each"):
        amount = _amount(words, at + 1) if at + 1 < len(words) else None
        if amount and " " in amount[0] and amount[0].partition(" ")[2] in ("ms", "month"):
            return f"every {amount[0]}", amount[1]
    if _word(words, at + 2) == "of":
        return None  # "a quarter of the builds"
    if word in ("a", "an", "per") and at and _word(words, at + 1) in _UNITS and _word(words, at + 1) not in _SHORT:
        factor, base = _UNITS[_word(words, at + 1)]
        if word != "per" and words[at - 1] in _BEFORE_AMOUNT:
            return f"{factor} {base}", at + 2
        return (f"per {factor} {base}", at + 2) if base in ("ms", "month") else None
    return None


def _period(count: Fraction, unit: str) -> str:
    factor, base = _UNITS[unit]
    return f"every {count * factor} {base}"
