"""Secrets of no known format: a value of much chance that is given to a name such as `token` or `password`.

Chance alone says little, for hashes, ids and images have as much of it: so only the value of an assignment counts
(`name = "value"`, `name: value`, `"name": "value"`, `--name value`, `Bearer value`), and what is no value of its own
(a variable, a path, a placeholder, a version, an id) does not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain

from muninn_core.store.detectors import entropy

_NAME = (
    r"pass(?:word|wd|phrase)|pwd|secret|token|api[_-]?key|access[_-]?key|auth[_-]?key|private[_-]?key|signing[_-]?key"
    r"|encryption[_-]?key|client[_-]?key|master[_-]?key|account[_-]?key|service[_-]?key|credentials?|authorization"
)
_AFTER = r"(?:[_-]?(?:access|key|value|base|string|prod|production|staging|live|test|dev|v?\d+)){0,4}"
_ASSIGNED = re.compile(
    rf"(?<![\w.-])(?P<name>[\w.-]{{0,64}}?(?:{_NAME}|(?<![A-Za-z])key){_AFTER})['\"`]?\]?"
    r"(?:\s*(?::=|=>|==|=|:)\s*|\s+(?:is|was)\s+|(?<=[\w])\s+(?=['\"`]))"
    r"(?:(?:bearer|basic|token)\s+)?"
    r"(?P<quote>['\"`]?)(?P<value>[^\s'\"`,;<>(){}\[\]]{8,512})",
    re.IGNORECASE,
)
_BEARER = re.compile(r"(?P<name>bearer)\s+(?P<quote>)(?P<value>[\w.~+/=-]{20,512})", re.IGNORECASE)
_OPTION = re.compile(
    rf"(?<![\w-])(?P<name>--[\w-]{{0,40}}(?:{_NAME}))[\s=]+(?P<quote>['\"]?)(?P<value>[^\s'\"`,;<>(){{}}\[\]]{{8,512}})",
    re.IGNORECASE,
)
_PARTS = r"pass(?:word|wd|phrase)|pwd|secret|token|key|credential|authorization|bearer"
_TELLING, _TELLING_LOWER = re.compile(_PARTS, re.IGNORECASE), re.compile(_PARTS)

_BEFORE = 96
"""A name begins at most so many characters before what `is_secret_name` finds: it has 64 beside its telling part."""

_NAMED = re.compile(rf"(?:{_NAME}|(?<![A-Za-z])key){_AFTER}$", re.IGNORECASE)
_PASSWORD = re.compile(r"pass(?:word|wd|phrase)|pwd", re.IGNORECASE)
_HARMLESS_KEY = re.compile(
    r"public|foreign|primary|partition|cache|sort|lookup|object|storage|row|idempot|dedup|host_key|s3_key|translation"
    r"|i18n|issue|jira|map|dict|hot|short|page|next|cursor|hash|digest|checksum|fingerprint",
    re.IGNORECASE,
)
"""Names with `key` or `token` that mean no secret: of tables, caches, pages."""

_DERIVED = re.compile(r"hash|digest|checksum|fingerprint", re.IGNORECASE)
_SURE = re.compile(r"secret|pass|pwd|account|access", re.IGNORECASE)

_DIGEST = re.compile(
    r"(?:sha\d+[:-])?(?:[0-9a-f]{7,8}|[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{56}|[0-9a-f]{64}|[0-9a-f]{128})"
)
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_ULID = re.compile(r"[0-9a-hjkmnp-tv-z]{26}|[0-9A-HJKMNP-TV-Z]{26}")
_NO_VALUE = re.compile(
    r"[$%#@]|\[masked|os\.|process\.env|env[.:]|self\.|this\.|config\.|settings\.|secrets\.|vault:|arn:|https?:|data:"
    r"|ssh-|[\w-]+://|\.{0,2}/[\w.-]+/|~/|[\w-]+(?:\.[a-z_]\w*){1,}$|v?\d+(?:\.\d+)+|\d+$|x{4,}|\*{3,}|\.{3}"
    r"|.*(?:example|changeme|change-me|placeholder|redacted|dummy|your[_-]|xxxx|\*\*\*|\.\.\.|…)",
    re.IGNORECASE,
)
"""What stands in the place of a value and is none: a variable, a reference, an address, a version, a placeholder."""

_WORDS = re.compile(r"[a-z]+|[A-Z]?[a-z]+|[A-Z]+", re.ASCII)

_COMPOUND = re.compile(r"(?:[A-Z]?[a-z]+|v?\d{1,8})(?:[-_.:](?:[A-Z]?[a-z]+|[a-z]?\d{1,8}))+")
"""Words and numbers with signs between them: `checkout-flow-v2`."""

_LONGEST_NAME = 200
"""The expressions look at so much only: their time must not grow with the square of a text's length."""

_LEAST_BITS = {True: 2.7, False: 3.2}
"""Bits of chance a character, for passwords and for other secrets. Random text of 16 characters of hex has 3.3 or so,
of letters and digits 3.8."""

_LEAST_LENGTH = {True: 8, False: 16}
_LONGEST_VALUE = 512
_MOST_WORDS = 0.7
"""With a larger share of its characters in words of four letters or more it is an identifier or a sentence."""


def is_secret_name(text: str) -> Iterator[re.Match[str]]:
    """Find the parts that tell a name of a secret. A text without any gives no value to a telling name."""
    if text.isascii():  # a sixth of the time; elsewhere a small letter may be longer than its large one
        return _TELLING_LOWER.finditer(text.lower())
    return _TELLING.finditer(text)


def secret_values(text: str) -> Iterator[tuple[int, int]]:
    """Return the places (start, end) of values that are secrets because of the name before them, in order."""
    places: dict[int, int] = {}
    # Each begins with what is quickly looked for as it is.
    bearers = _BEARER.finditer(text) if "bearer" in text.lower() else ()
    options = _OPTION.finditer(text) if "--" in text else ()
    for match in chain(_names(text), bearers, options):
        value = match["value"].rstrip(".:!?") if not match["quote"] else match["value"]
        if is_secret(match["name"], value):
            start = match.start("value")
            places[start] = max(places.get(start, 0), start + len(value))
    yield from sorted(places.items())


def _names(text: str) -> Iterator[re.Match[str]]:
    """Yield what `_ASSIGNED` finds. That is tried where a telling word is, at the start of the name around it: at every
    other place of the text it costs much and finds nothing."""
    end = -1
    for told in is_secret_name(text):
        start = told.start()
        least = max(end, start - _BEFORE, 0)
        while start > least and (text[start - 1].isalnum() or text[start - 1] in "_.-"):
            start -= 1
        if start >= end and (match := _ASSIGNED.match(text, start)):
            end = match.end()
            yield match


def is_secret(name: str, value: str) -> bool:
    """Whether a value that is given to a name is a secret."""
    if len(name) > _LONGEST_NAME:
        return False
    last = name.rpartition(".")[2]
    bearer = name.lower() == "bearer"
    harmless = _DERIVED if _SURE.search(last) else _HARMLESS_KEY
    if not (bearer or _NAMED.search(last)) or harmless.search(last):
        return False
    password = _PASSWORD.search(last) is not None
    if not _LEAST_LENGTH[password] <= len(value) <= _LONGEST_VALUE or _is_other(value, named=last):
        return False
    if not _mixed(value, password):
        return False
    return entropy(value) >= _LEAST_BITS[password]


def _is_other(value: str, named: str) -> bool:
    """Whether a value is plainly something else than a secret."""
    if _NO_VALUE.match(value) or any(form.fullmatch(value) for form in (_UUID, _ULID, _COMPOUND)):
        return True
    plain = re.fullmatch(r"[\w.-]*?key", named, re.IGNORECASE) and not re.search(_NAME, named, re.IGNORECASE)
    return bool(plain and (_DIGEST.fullmatch(value) or "/" in value or ":" in value))


def _mixed(value: str, password: bool) -> bool:
    """Whether a value mixes kinds of characters as chance does, and is not made of words."""
    kinds = sum(bool(re.search(kind, value)) for kind in ("[a-z]", "[A-Z]", r"\d", r"[^\w.-]"))
    digits = sum(character.isdigit() for character in value)
    worded = sum(len(word) for word in _WORDS.findall(value) if len(word) >= 4 and _speakable(word))
    if worded > _MOST_WORDS * len(value):
        return False
    return kinds >= (3 if password and len(value) < 12 else 2) and (digits > 0 or kinds >= 3)


def _speakable(word: str) -> bool:
    """Whether letters look like a word: neither without vowels nor with four consonants in a row."""
    return bool(re.search("[aeiouy]", word, re.IGNORECASE)) and not re.search(
        "[bcdfghjklmnpqrstvwxz]{5}", word, re.IGNORECASE
    )
