"""Masks secrets before a record is written: known formats, assignments to secret names, and the user's patterns."""

from __future__ import annotations

import base64
import binascii
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, cached_property
from typing import Any, NamedTuple, TypeVar

from muninn_core.errors import BadParams
from muninn_core.expression import Expression, compile_expression
from muninn_core.model.value import Value, from_plain, to_plain
from muninn_core.store.secrets.assignments import (
    find_secret_words,
    is_placeholder,
    is_random,
    is_secret,
    mixes_digits,
    secret_values,
)
from muninn_core.store.secrets.key_formats import KEY_FORMATS
from muninn_core.store.secrets.shaped_formats import PGPASS_MARKS, SHAPED_FORMATS, VENDORS

T = TypeVar("T", bound=Value)

_MIN_KEY_LENGTH = 14
"""The characters of the shortest key of a known format with what surrounds it."""

_KEY_BYTES = bytes(
    code if chr(code).isascii() and (chr(code).isalnum() or chr(code) in "_-./+=~:%|$") else 32 for code in range(256)
)
"""Maps the characters that no key has to blanks."""

_DIGITS = b"0123456789"
_WITHOUT_DIGITS = dict.fromkeys(range(48, 58))
_MIN_DIGITS = 2
_JOINERS = dict.fromkeys(map(ord, "-_="))
_ALNUM = {code: " " for code in range(128) if not chr(code).isalnum()}
"""Maps all ASCII characters but letters and digits to blanks."""

_KEY_CHARACTER = re.compile(r"[A-Za-z0-9_+/=.:-]")
_KEY_RUN = re.compile(r"[A-Za-z0-9_+/=.:-]{0,8192}")
_WINDOW = 400
"""Characters around a removed separator that are searched."""

_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff]+"
)
"""Characters without a width. Source: Unicode 15, property Default_Ignorable_Code_Point."""

_CONTINUED = re.compile(r"\\\r?\n[ \t]*")
"""A backslash that continues a line."""

_KEY_BLOCK = re.compile(
    r"-----BEGIN([A-Z0-9 _-]{0,100}PRIVATE KEY(?: BLOCK)?)-----.*?(?:-----END\1-----|\Z)"
    r"|PuTTY-User-Key-File-\d.*?(?:Private-MAC:[^\n]*|\Z)",
    re.DOTALL,
)
_BASIC = (
    ('"auth"', re.compile(r"\"auth\"\s{0,4}:\s{0,4}\"([A-Za-z0-9+/]{8,4096}={0,2})")),
    ("Basic ", re.compile(r"Basic {1,4}([A-Za-z0-9+/]{8,4096}={0,2})")),
)
"""A user and a password in base64: in a Docker configuration, and in the header of RFC 7617."""

_MANIFEST = re.compile(r"kind:[ \t]{0,4}[\"']?Secret\b")
_MANIFEST_DATA = re.compile(
    r"(?m)^[ \t]{1,16}[\w.-]{1,253}:[ \t]{1,8}[\"']?([A-Za-z0-9+/]{8,65536}={0,2})[\"']?[ \t]*$"
)
"""A value in a Kubernetes secret."""

_ENCODED = re.compile(r"[A-Za-z0-9+/_-]{24,8192}={0,2}")
_COOKIE = re.compile(r"(?i)\bcookie['\"]?\s{0,2}[:=]\s{0,2}['\"]?([^\n'\"]{8,8192})")
_COOKIE_VALUE = re.compile(
    r"(?i)(?:^|;\s{0,2})([\w.-]{0,60}(?:sess|sid|auth|token|remember)[\w.-]{0,60})=([^\s;,]{12,4096})"
)
_ASSIGNED = re.compile(r"[=:>,?|]['\"`\s=]{0,5}([\w+/.=-]{14,150})(?![\w+/-])")
_VENDOR = re.compile(
    rf"(?:(?<![A-Za-z])|(?<=[a-z])(?=(?-i:[A-Z])))(?:{VENDORS})[ \t\w.-]{{0,30}}[\s'\"]{{0,3}}[=:>?|]{{0,2}}$",
    re.IGNORECASE,
)
_DERIVED = re.compile(r"hash|sha\d|digest|checksum|integrity|commit|revision|etag|version|fingerprint", re.IGNORECASE)
_PASSES = 16
"""The most times that a text is searched. A secret can hide another one that stands behind it in the same line."""

_VENDOR_REACH = 80
"""Characters before a value in which an issuer's name is looked for."""

_LINE_HEAD = 40

_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)


class _Span(NamedTuple):
    """A secret in a text. Of overlapping ones, the least `rank` names the kind."""

    start: int
    end: int
    rank: int
    kind: str


class _Detector(NamedTuple):
    """An expression that is tried on texts with the literal. `random`: a match must look random."""

    kind: str
    literal: str
    expression: str
    random: bool

    @property
    def compiled(self) -> re.Pattern[str]:
        """The expression, compiled with the first text that has the literal."""
        return _compiled(self.expression)


@cache
def _compiled(expression: str) -> re.Pattern[str]:
    return re.compile(expression)


class _Text:
    """A text with what several detectors need of it."""

    def __init__(self, text: str) -> None:
        self.text = text
        runs = text.encode("utf-8", "replace").translate(_KEY_BYTES).split()
        long = [run for run in runs if len(run) >= _MIN_KEY_LENGTH]
        self.runs = b" ".join(long).decode()
        """The runs of characters that are long enough to be keys, joined by blanks."""
        self.numbered = [run.decode() for run in long if len(run) - len(run.translate(None, _DIGITS)) >= _MIN_DIGITS]
        """The runs with at least two digits."""

    @cached_property
    def lower(self) -> str:
        """The text in lower case."""
        return self.text.lower()

    @cached_property
    def heads(self) -> set[str]:
        """The first three characters of each stretch of letters and digits in the runs, or fewer."""
        return {piece[:3] for piece in self.runs.translate(_ALNUM).split()}


def mask(text: str, patterns: Sequence[str] = ()) -> tuple[str, int]:
    """Return the text with each secret replaced by `[masked:<kind>]`, and the number of replacements.

    `patterns` are the user's regular expressions. Raises BadParams for an invalid one.
    """
    count = 0
    for pattern in patterns:
        text, found = _compile(pattern).replace(text, "[masked:custom]")
        count += found
    for _ in range(_PASSES):
        text, found = _masked_once(text)
        count += found
        if not found:
            break
    return text, count


def _masked_once(text: str) -> tuple[str, int]:
    """Mask what is found in a text. What a secret stood in front of may be found in the result only."""
    spans = list(_secrets(text))
    for separator in (_INVISIBLE, _CONTINUED):
        if (not text.isascii() if separator is _INVISIBLE else "\\" in text) and separator.search(text):
            spans += _hidden(text, separator)
    return _replaced(text, spans) if spans else (text, 0)


def mask_draft(draft: T, patterns: Sequence[str] = ()) -> tuple[T, int]:
    """Return a value with the secrets in all its texts masked, at any depth, and their number."""
    # Field names are no evidence here: `key` is the idempotency key.
    masked = {name: mask_value(item, patterns) for name, item in to_plain(draft).items()}
    plain = {name: item for name, (item, _) in masked.items()}
    count = sum(found for _, found in masked.values())
    return (from_plain(plain, type(draft)), count) if count else (draft, 0)


def mask_value(value: Any, patterns: Sequence[str] = (), name: str = "") -> tuple[Any, int]:
    """Mask all texts of plain data, keys of objects included. `name` is the key that holds the value."""
    if isinstance(value, str):
        if name and is_secret(name, value):
            return "[masked:assigned]", 1
        return mask(value, patterns)
    if isinstance(value, dict):
        pairs = [(mask(field, patterns), mask_value(item, patterns, field)) for field, item in value.items()]
        return {name: item for (name, _), (item, _) in pairs}, sum(own + nested for (_, own), (_, nested) in pairs)
    if isinstance(value, list | tuple):
        items = [mask_value(item, patterns, name) for item in value]
        return [item for item, _ in items], sum(count for _, count in items)
    return value, 0


def is_surely_clean(encoded: str) -> bool:
    """Whether plain data holds no secret of a built-in kind, by its JSON alone; False when that is not certain.

    It saves `mask_value` for most data. An escape can hide where a word begins, so text with one is not certain.
    """
    return (
        "\\" not in encoded
        and "bearer" not in encoded.lower()
        and not any(find_secret_words(encoded))
        and not any(literal in encoded for literal in PGPASS_MARKS)  # such a line begins with the secret's host
        and not (not encoded.isascii() and _INVISIBLE.search(encoded))
        and not any(_secrets(encoded))
    )


def _replaced(text: str, spans: Iterable[_Span]) -> tuple[str, int]:
    """Replace the spans and count them; overlapping ones are one secret, of the kind with the least rank."""
    joined: list[_Span] = []
    for span in sorted(spans):
        if joined and span.start < joined[-1].end:
            last = joined[-1]
            first = min(last, span, key=lambda one: one.rank)
            joined[-1] = _Span(last.start, max(last.end, span.end), first.rank, first.kind)
        else:
            joined.append(span)
    pieces: list[str] = []
    at = 0
    for span in joined:
        pieces += [text[at : span.start], f"[masked:{span.kind}]"]
        at = span.end
    return "".join([*pieces, text[at:]]), len(joined)


def _hidden(text: str, separator: re.Pattern[str]) -> Iterator[_Span]:
    """Yield the secrets that appear when the matches of `separator` are removed, at their places in the text.

    Only the surroundings of matches inside a run of key characters are searched.
    """
    gaps = [gap.span() for gap in separator.finditer(text)]
    inside = [
        (start, end) for start, end in gaps if _KEY_CHARACTER.match(text, start - 1) and _KEY_CHARACTER.match(text, end)
    ]
    at = 0
    for number, (start, end) in enumerate(inside):
        if start < at:
            continue
        first = max(at, start - _WINDOW)
        last = end
        for following, after in inside[number:]:
            if following > last + _WINDOW:
                break
            last = after
        last = at = _KEY_RUN.match(text, min(len(text), last + _WINDOW)).end()  # type: ignore[union-attr]
        places: list[int] = []
        place = first
        for gap, after in gaps[bisect_left(gaps, (first, first)) :]:
            if gap >= last:
                break
            places += range(place, gap)
            place = after
        places += range(place, last)
        for span in _secrets("".join([text[i] for i in places])):
            yield span._replace(start=places[span.start], end=places[span.end - 1] + 1)


def _secrets(text: str) -> Iterator[_Span]:
    """Yield the secrets of a text; they may overlap."""
    view = _Text(text)
    if "PRIVATE KEY" in text or "PuTTY-User-Key" in text:
        yield from (_Span(*match.span(), -1, "private-key") for match in _KEY_BLOCK.finditer(text))
    yield from _of_known_formats(view)
    for literal, expression in _BASIC:
        if literal in text:
            yield from _of_basic(text, expression)
    if "Secret" in text and "kind:" in text and (manifest := _MANIFEST.search(text)):
        for match in _MANIFEST_DATA.finditer(text, manifest.end()):
            if not _is_masked(text, match.start(1)) and _decodes(match[1]):
                yield _Span(*match.span(1), 8_002, "kubernetes-secret")
    if "ookie" in text:
        yield from _of_cookies(text)
    if view.numbered:
        yield from _of_vendors(view)
        yield from _encoded(view)
    if any(find_secret_words(text)):
        yield from (_Span(*span, 9_000, "assigned") for span in secret_values(text) if not _is_masked(text, span[0]))


def _of_known_formats(view: _Text) -> Iterator[_Span]:
    """Yield the secrets of the formats in the table."""
    text, detectors = view.text, _detectors()
    if view.runs:
        for head in detectors.heads & view.heads:
            for rank, detector in detectors.by_head[head]:
                if detector.literal in view.runs:
                    yield from _matches(text, detector, rank)
        digits = " ".join(view.numbered)
        for rank, detector in detectors.in_runs:
            if detector.literal in digits and detector.compiled.search(digits):
                yield from _matches(text, detector, rank)
    for rank, detector, folded in detectors.around:
        if detector.literal in (view.lower if folded else text):
            yield from _matches(text, detector, rank)


def _matches(text: str, detector: _Detector, rank: int) -> Iterator[_Span]:
    at = 0
    while match := detector.compiled.search(text, at):
        group = 1 if match.re.groups else 0
        secret = match[group]
        if "[masked:" in match[0]:
            at = match.start() + 1  # a secret may begin behind the mark
            continue
        at = max(match.end(), match.start() + 1)
        if mixes_digits(secret) if detector.random else not (group and is_placeholder(secret)):
            yield _Span(*match.span(group), rank, detector.kind)


def _of_basic(text: str, expression: re.Pattern[str]) -> Iterator[_Span]:
    for match in expression.finditer(text):
        decoded = _decoded(match[1])
        if decoded and ":" in decoded.strip(":"):
            yield _Span(*match.span(1), 8_000, "basic-password")


def _of_cookies(text: str) -> Iterator[_Span]:
    for header in _COOKIE.finditer(text):
        for match in _COOKIE_VALUE.finditer(header[1]):
            if is_random(match[2]):
                start, end = match.span(2)
                yield _Span(header.start(1) + start, header.start(1) + end, 8_001, "session-cookie")


def _of_vendors(view: _Text) -> Iterator[_Span]:
    """Yield random values that are assigned to a name with an issuer's name."""
    text = view.text
    for match in _ASSIGNED.finditer(text):
        value = match[1]
        if len(value) - len(value.translate(_WITHOUT_DIGITS)) < _MIN_DIGITS:
            continue
        before = text[max(0, match.start() - _VENDOR_REACH) : match.start()]
        named = _VENDOR.search(before)
        if named and _is_key(value) and not _DERIVED.search(before, max(0, named.start() - _LINE_HEAD)):
            yield _Span(*match.span(1), 8_500, "assigned")


def _encoded(view: _Text) -> Iterator[_Span]:
    """Yield the base64 texts that hold a secret of a known format."""
    for run in set(view.numbered):
        for match in _ENCODED.finditer(run):
            decoded = _decoded(match[0])
            if decoded and any(_of_known_formats(_Text(decoded))):
                for place in re.finditer(re.escape(match[0]), view.text):
                    yield _Span(*place.span(), 8_800, "encoded")


def _is_key(value: str) -> bool:
    """Whether a value beside an issuer's name is its key: a UUID, or letters and digits that form no words."""
    if _UUID.fullmatch(value) or is_random(value):
        return True
    return value.translate(_JOINERS).isalnum() and mixes_digits(value)


def _decodes(value: str) -> bool:
    """Whether a value is base64, with its padding."""
    try:
        return len(value) % 4 == 0 and bool(base64.b64decode(value, validate=True))
    except binascii.Error:
        return False


def _decoded(value: str) -> str:
    """Return the printable ASCII text that a value encodes in base64, "" when it encodes something else."""
    bare = value.rstrip("=").replace("-", "+").replace("_", "/")
    if len(bare) % 4 == 1:
        return ""
    try:
        found = base64.b64decode(bare + "=" * (-len(bare) % 4))
    except binascii.Error:
        return ""
    text = found.decode("ascii", "replace")
    return text if text.isascii() and text.replace("\n", "").replace("\r", "").replace("\t", "").isprintable() else ""


def _is_masked(text: str, start: int) -> bool:
    return text.startswith("[masked:", start)


class _Detectors(NamedTuple):
    """The detectors of the table with their ranks.

    `by_head` has those with a prefix, by the first characters of its letters and digits; `in_runs` those that match
    inside one run of characters, `around` those with other text around the secret, and whether the case is ignored.
    """

    heads: frozenset[str]
    by_head: dict[str, list[tuple[int, _Detector]]]
    in_runs: list[tuple[int, _Detector]]
    around: list[tuple[int, _Detector, bool]]


@cache
def _detectors() -> _Detectors:
    by_head: dict[str, list[tuple[int, _Detector]]] = {}
    in_runs: list[tuple[int, _Detector]] = []
    around: list[tuple[int, _Detector, bool]] = []
    rank = 0
    for each in KEY_FORMATS:
        for prefix, expression in each.expressions():
            rank += 1
            detector = _Detector(each.kind, prefix, expression, each.random)
            head = prefix.translate(_ALNUM).split()[0]
            if " " in prefix or "\t" in prefix:
                around.append((rank, detector, False))
            elif len(head) < 3 and prefix.endswith(head):
                in_runs.append((rank, detector))
            else:
                by_head.setdefault(head[:3], []).append((rank, detector))
    for shape in SHAPED_FORMATS:
        for literal in shape.literals:
            rank += 1
            detector = _Detector(shape.kind, literal, shape.expression, shape.random)
            if shape.has_group or shape.folded:
                around.append((rank, detector, shape.folded))
            else:
                in_runs.append((rank, detector))
    return _Detectors(frozenset(by_head), by_head, in_runs, around)


def _compile(pattern: str) -> Expression:
    try:
        return compile_expression(pattern)
    except ValueError as error:
        raise BadParams(f"a secret pattern is wrong: {error}", hint="Fix it in memory.secrets.") from None
