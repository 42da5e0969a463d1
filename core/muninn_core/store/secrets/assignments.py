"""Secrets without a known format: a value of high entropy assigned to a name such as `token` or `password`.

Entropy alone is weak evidence: hashes, ids and images have it too. So only the value of an assignment counts (`name =
"value"`, `name: value`, `"name": "value"`, `--name value`, `Bearer value`), and values that are plainly something else
(a variable, a path, a placeholder, a version, an id) are skipped.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator
from itertools import chain

_NAME = (
    r"pass(?:word|wd|phrase)|pwd|secret|token|api[_-]?key|access[_-]?key|auth[_-]?key|private[_-]?key|signing[_-]?key"
    r"|encryption[_-]?key|client[_-]?key|master[_-]?key|account[_-]?key|service[_-]?key|credentials?|authorization"
)
_NAME_SUFFIX = r"(?:[_-]?(?:access|key|value|base|string|prod|production|staging|live|test|dev|v?\d+)){0,4}"
_ASSIGNED = re.compile(
    rf"(?<![\w.-])(?P<name>[\w.-]{{0,64}}?(?:{_NAME}|(?<![A-Za-z])key){_NAME_SUFFIX})['\"`]?\]?"
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
_SECRET_WORDS, _SECRET_WORDS_LOWER = re.compile(_PARTS, re.IGNORECASE), re.compile(_PARTS)

_MAX_NAME_LENGTH = 96
"""How far before a secret word a name may begin: 64 characters, and the rest of the name."""

_NAMED = re.compile(rf"(?:{_NAME}|(?<![A-Za-z])key){_NAME_SUFFIX}$", re.IGNORECASE)
_PASSWORD = re.compile(r"pass(?:word|wd|phrase)|pwd", re.IGNORECASE)
_HARMLESS_KEY = re.compile(
    r"public|foreign|primary|partition|cache|sort|lookup|object|storage|row|idempot|dedup|host_key|s3_key|translation"
    r"|i18n|issue|jira|map|dict|hot|short|page|next|cursor|hash|digest|checksum|fingerprint",
    re.IGNORECASE,
)
"""Names with `key` or `token` that mean no secret: those of tables, caches and pages."""

_DERIVED = re.compile(r"hash|digest|checksum|fingerprint", re.IGNORECASE)
_SECRET_NAME = re.compile(r"secret|pass|pwd|account|access", re.IGNORECASE)

_DIGEST = re.compile(
    r"(?:sha\d+[:-])?(?:[0-9a-f]{7,8}|[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{56}|[0-9a-f]{64}|[0-9a-f]{128})"
)
_NAME_OF_KEY = re.compile(r"^[A-Za-z_]\w*(?:Key|Token|Secret|Password)$")
"""The name of a class or variable, such as `Ed25519PrivateKey`."""

_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_ULID = re.compile(r"[0-9a-hjkmnp-tv-z]{26}|[0-9A-HJKMNP-TV-Z]{26}")
_NOT_A_VALUE = re.compile(
    r"[$%#@]|\[masked|os\.|process\.env|env[.:]|self\.|this\.|config\.|settings\.|secrets\.|vault:|arn:|https?:|data:"
    r"|ssh-|[\w-]+://|\.{0,2}/[\w.-]+/|~/|[\w-]+(?:\.[a-z_]\w*){1,}$|v?\d+(?:\.\d+)+|\d+$|x{4,}|\*{3,}|\.{3}"
    r"|.*(?:example|changeme|change-me|placeholder|redacted|dummy|your[_-]|xxxx|\*\*\*|\.\.\.|…)",
    re.IGNORECASE,
)
"""Text in the place of a value: a variable, a reference, an address, a version, a placeholder."""

_PLACEHOLDER = re.compile(
    r"[$%<{(*\[\\]|\.{2,}|x{3,}|(?:your|my|the|some|db|user|api|new|old)?[_-]?"
    r"(?:pass(?:word|wd|phrase)?|pwd|pw|secret|token|credentials?|key|auth)\d{0,2}(?:[^\w]|$)",
    re.IGNORECASE,
)

_RESOURCE = re.compile(r"\b(?:arn:[\w-]{1,20}|AWS:):[\w:/.-]*$", re.IGNORECASE)
"""The beginning of the name of a resource (`arn:aws:secretsmanager:…:secret:NAME`), or of its type (`AWS::…`)."""

_WORDS = re.compile(r"[a-z]+|[A-Z]?[a-z]+|[A-Z]+", re.ASCII)

_COMPOUND = re.compile(r"(?:[A-Z]?[a-z]+|v?\d{1,8})(?:[-_.:](?:[A-Z]?[a-z]+|[a-z]?\d{1,8}))+")
"""Words and numbers joined by punctuation, such as `checkout-flow-v2`."""

_MARK = "[masked:"
_MAX_CHECKED_NAME = 200
"""Longer names are not checked, because the cost of the expressions grows with the square of the length."""

_MIN_ENTROPY = {True: 2.7, False: 3.2}
"""Bits per character, for passwords (True) and other secrets: 16 random hex digits have about 3.3."""

_MIN_LENGTH = {True: 8, False: 16}
_MAX_LENGTH = 512
_MAX_WORD_SHARE = 0.7
"""A value with a larger share of its characters in words of four or more letters is an identifier or a sentence."""


_CHANGE = re.compile(r"\d(?=[A-Za-z])|[A-Za-z](?=\d)")
_MANY_CHANGES = 3
"""Changes between letters and digits from which a password is one, although it has words or two kinds of characters."""

_ALGORITHM = re.compile(
    r"sha[-_]?\d+|md[245]|hmac|pbkdf2|argon2(?:id|[id])?|bcrypt|scrypt|base(?:16|32|58|64|85)|b64|utf[-_]?\d+|mb[34]"
    r"|ed25519|x25519|x509|p(?:12|256|384|521)|rsa\d*|aes\d*|des3|oauth[12]|ipv[46]|http[123]|s3|ec2|k8s|i18n|v\d+",
    re.IGNORECASE,
)
"""Names that have a digit of their own."""


def find_secret_words(text: str) -> Iterator[re.Match[str]]:
    """Find the words that make a name a secret's. Text without any contains no secret assignment."""
    if text.isascii():  # six times as fast; lower() keeps positions in ASCII only
        return _SECRET_WORDS_LOWER.finditer(text.lower())
    return _SECRET_WORDS.finditer(text)


def secret_values(text: str) -> Iterator[tuple[int, int]]:
    """Yield the spans (start, end) of values that are secrets by the name before them, in order."""
    places: dict[int, int] = {}
    # Both expressions begin with a literal, so one substring test rules them out.
    bearers = _BEARER.finditer(text) if "bearer" in text.lower() else ()
    options = _OPTION.finditer(text) if "--" in text else ()
    for match in chain(_assignments(text), bearers, options):
        value = match["value"].rstrip(".:!?") if not match["quote"] else match["value"]
        if is_secret(match["name"], value):
            start = match.start("value")
            places[start] = max(places.get(start, 0), start + len(value))
    yield from sorted(places.items())


def _assignments(text: str) -> Iterator[re.Match[str]]:
    """Yield the matches of `_ASSIGNED`, tried only at names that contain a secret word.

    Searching the whole text with the expression gives the same matches but is far slower.
    """
    end = -1
    for word in find_secret_words(text):
        start = word.start()
        earliest = max(end, start - _MAX_NAME_LENGTH, 0)
        while start > earliest and (text[start - 1].isalnum() or text[start - 1] in "_.-"):
            start -= 1
        if text[max(0, start - len(_MARK)) : start] == _MARK:
            continue  # the kind of a masked secret is no name of another one
        if text[:start].endswith(":") and _RESOURCE.search(text, max(0, start - _MAX_NAME_LENGTH), start):
            continue
        if start >= end and (match := _ASSIGNED.match(text, start)):
            end = match.end()
            yield match


def is_secret(name: str, value: str) -> bool:
    """Whether a value assigned to a name is a secret."""
    if len(name) > _MAX_CHECKED_NAME:
        return False
    last = name.rpartition(".")[2]
    bearer = name.lower() == "bearer"
    harmless = _DERIVED if _SECRET_NAME.search(last) else _HARMLESS_KEY
    if not (bearer or _NAMED.search(last)) or harmless.search(last):
        return False
    password = _PASSWORD.search(last) is not None
    if not _MIN_LENGTH[password] <= len(value) <= _MAX_LENGTH or _is_harmless(value, name=last):
        return False
    if not _looks_random(value, password):
        return False
    return entropy(value) >= _MIN_ENTROPY[password]


def entropy(text: str) -> float:
    """Return the Shannon entropy of a text in bits per character."""
    return -sum(count / len(text) * math.log2(count / len(text)) for count in Counter(text).values())


def is_random(value: str) -> bool:
    """Whether a value without a name is made of random letters and digits."""
    return _looks_random(value, False) and entropy(value) >= _MIN_ENTROPY[True] and not _COMPOUND.fullmatch(value)


def mixes_digits(value: str) -> bool:
    """Whether a value mixes letters and digits without much repetition, and is not words joined by punctuation."""
    digits = sum(character.isdigit() for character in value)
    return 0 < digits < len(value) and entropy(value) >= _MIN_ENTROPY[True] and not _COMPOUND.fullmatch(value)


def is_placeholder(value: str) -> bool:
    """Whether a value stands for a password that the reader is to fill in."""
    return bool(_PLACEHOLDER.match(value))


def _is_harmless(value: str, name: str) -> bool:
    """Whether a value is plainly something other than a secret."""
    if _NOT_A_VALUE.match(value) or any(form.fullmatch(value) for form in (_UUID, _ULID, _COMPOUND)):
        return True
    if _NAME_OF_KEY.search(value):
        return True
    plain = re.fullmatch(r"[\w.-]*?key", name, re.IGNORECASE) and not re.search(_NAME, name, re.IGNORECASE)
    return bool(plain and (_DIGEST.fullmatch(value.lower()) or "/" in value or ":" in value))


def _looks_random(value: str, password: bool) -> bool:
    """Whether a value mixes kinds of characters as random text does, and is not made of words."""
    kinds = sum(bool(re.search(kind, value)) for kind in ("[a-z]", "[A-Z]", r"\d", r"[^\w.-]"))
    digits = sum(character.isdigit() for character in value)
    rest = _ALGORITHM.sub("-", value)
    if password and len(_CHANGE.findall(rest)) >= _MANY_CHANGES:
        return True
    words = sum(len(word) for word in _WORDS.findall(rest) if len(word) >= 4 and _is_pronounceable(word))
    if words + sum(map(len, _ALGORITHM.findall(value))) > _MAX_WORD_SHARE * len(value):
        return False
    return kinds >= (3 if password and len(value) < 12 else 2) and (digits > 0 or kinds >= 3)


def _is_pronounceable(word: str) -> bool:
    """Whether letters form a word: they have a vowel, and no five consonants in a row."""
    return bool(re.search("[aeiouy]", word, re.IGNORECASE)) and not re.search(
        "[bcdfghjklmnpqrstvwxz]{5}", word, re.IGNORECASE
    )
