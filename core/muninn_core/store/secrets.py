"""Masks secrets before a record is written: known formats, assignments to secret names, and the user's patterns.

Loading the formats takes 0.2 s, so text without any of their markers never loads them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, TypeVar

from muninn_core.errors import BadParams
from muninn_core.expression import Expression, compile_expression
from muninn_core.model.value import Value, from_plain, to_plain
from muninn_core.store.detectors import SecretFormat, secret_formats
from muninn_core.store.secret_assignments import find_secret_words, is_secret, secret_values

T = TypeVar("T", bound=Value)


class _SecretMarkers:
    """Tests whether a text may contain a secret of a known format.

    Each expression begins with literal characters, which the regex engine finds at memory speed. As one alternation
    they would be tried at every character, ten times as slow. Lookbehinds check what precedes the literal.
    """

    _EXACT = tuple(
        map(
            re.compile,
            (
                *(r"://[^\s:]+:[^\s@]+@", r"gh[pousr]_", r"github_pat_", r"gl(?<=\bgl)[a-z]{2,5}-", r"GR1348941"),
                *(r"eyJ", r"-us(?<=[0-9a-z]-us)\d", r":_authToken", r"sk-(?<=\bsk-)", r"k_live_", r"A3T", r"ABIA"),
                *(r"ACCA", r"AKIA", r"ASIA", r"AccountKey=", r"PRIVATE KEY", r"PuTTY-User-Key", r"pypi-Ag"),
                *(r"SG\.(?<=\bSG\.)", r"sq0csp-", r":(?<=\d{8}:)[\w-]{35}", r"AC[a-z0-9]{32}", r"SK[a-z0-9]{32}"),
                r"[MNO][\w-]{23,25}\.[\w-]{6}\.",
            ),
        )
    )
    _LOWER = tuple(map(re.compile, (r"xox[abposr]-\d", r"hooks\.slack", r"aws.{0,20}?(?:key|pw|pass|token)")))

    def is_in(self, text: str) -> bool:
        """Whether any marker is in the text."""
        lower = text.lower()
        return any(mark.search(text) for mark in self._EXACT) or any(mark.search(lower) for mark in self._LOWER)


_MARKERS = _SecretMarkers()
"""Text without any of these contains no secret of a known format."""

_KEY_BLOCK = re.compile(
    r"-----BEGIN ([A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?)-----.*?(?:-----END \1-----|\Z)"
    r"|PuTTY-User-Key-File-\d.*?(?:Private-MAC:[^\n]*|\Z)",
    re.DOTALL,
)
"""A whole private key. The detectors match its first line only."""

_OWN_FORMATS = (
    ("github-token", re.compile(r"github_pat_[A-Za-z0-9_]{36,255}")),
    ("anthropic-token", re.compile(r"sk-ant-[A-Za-z0-9_-]{24,}")),
    ("openai-token", re.compile(r"sk-(?:proj|svcacct)-[A-Za-z0-9_-]{40,}")),
)
"""Formats newer than the detectors. Source: the vendors' documentation of their keys."""

_MIN_GROUP_LENGTH = 16
"""A group this long is the secret itself; a shorter one is a prefix."""


def mask(text: str, patterns: Sequence[str] = ()) -> tuple[str, int]:
    """Return the text with each secret replaced by `[masked:<kind>]`, and the number of replacements.

    `patterns` are the user's regular expressions. Raises BadParams for an invalid one.
    """
    count = 0
    for pattern in patterns:
        text, found = _compile(pattern).replace(text, "[masked:custom]")
        count += found
    if _MARKERS.is_in(text):
        text, found = _KEY_BLOCK.subn("[masked:private-key]", text)
        count += found
        for kind, regex, valid in _all_formats():
            text, found = _replace(text, kind, _spans(text, regex, valid))
            count += found
    if any(find_secret_words(text)):
        text, found = _replace(text, "assigned", secret_values(text))
        count += found
    return text, count


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
        and not _MARKERS.is_in(encoded)
        and "bearer" not in encoded.lower()
        and not any(find_secret_words(encoded))
    )


def _replace(text: str, kind: str, spans: Iterable[tuple[int, int]]) -> tuple[str, int]:
    pieces: list[str] = []
    at = 0
    for start, end in spans:
        if start >= at:
            pieces += [text[at:start], f"[masked:{kind}]"]
            at = end
    return "".join([*pieces, text[at:]]), len(pieces) // 2


def _spans(text: str, regex: re.Pattern[str], valid: Callable[[str], bool] | None) -> Iterator[tuple[int, int]]:
    for match in regex.finditer(text):
        groups = [index for index in range(1, (regex.groups or 0) + 1) if match.group(index)]
        secret = next((index for index in groups if _is_secret(regex, match.group(index))), 0)
        if match.group(secret).startswith("[masked:"):
            continue
        if valid is None or valid(match.group(0)):
            yield match.span(secret)


def _is_secret(regex: re.Pattern[str], group: str) -> bool:
    # In a URL with a password, the group is everything up to the '@', however short.
    return len(group) >= _MIN_GROUP_LENGTH or regex.pattern.startswith("://")


def _all_formats() -> Iterator[SecretFormat]:
    jwt, *others = secret_formats()
    return chain((jwt,), ((kind, regex, None) for kind, regex in _OWN_FORMATS), others)


def _compile(pattern: str) -> Expression:
    try:
        return compile_expression(pattern)
    except ValueError as error:
        raise BadParams(f"a secret pattern is wrong: {error}", hint="Fix it in memory.secrets.") from None
