"""Masking secrets before a record is written: known formats, values given to telling names, the user's patterns.

The formats take a fifth of a second to load: a text that holds none of their marks never loads them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import chain
from typing import Any, TypeVar

from muninn_core.errors import BadParams
from muninn_core.model.value import Value, from_plain, to_plain
from muninn_core.store.detectors import Format, formats
from muninn_core.store.secret_assignments import is_secret, is_secret_name, secret_values

T = TypeVar("T", bound=Value)


class _Marks:
    """Tells whether a text may hold a secret of a known format.

    Each expression begins with plain characters, which the engine finds as fast as memory is read; together as one
    they would be tried at every character, ten times as slow. What stands before the plain part is looked back at.
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

    def search(self, text: str) -> bool:
        """Whether any of the marks is there."""
        lower = text.lower()
        return any(mark.search(text) for mark in self._EXACT) or any(mark.search(lower) for mark in self._LOWER)


_MARKS = _Marks()
"""A text without any of these holds no secret of a format that is known here."""

_KEY_BLOCK = re.compile(
    r"-----BEGIN ([A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?)-----.*?(?:-----END \1-----|\Z)"
    r"|PuTTY-User-Key-File-\d.*?(?:Private-MAC:[^\n]*|\Z)",
    re.DOTALL,
)
"""The detectors find the first line of a private key; what must go is the key."""

_OWN = (
    ("github-token", re.compile(r"github_pat_[A-Za-z0-9_]{36,255}")),
    ("anthropic-token", re.compile(r"sk-ant-[A-Za-z0-9_-]{24,}")),
    ("openai-token", re.compile(r"sk-(?:proj|svcacct)-[A-Za-z0-9_-]{40,}")),
)
"""Formats that are younger than the detectors. Sources: the vendors' pages on the formats of their keys."""

_SHORTEST_GROUP = 16
"""A group this long is the secret itself; a shorter one is only its prefix."""


def mask(text: str, patterns: Sequence[str] = ()) -> tuple[str, int]:
    """Return the text with each secret replaced by `[masked:<kind>]`, and how many were replaced.

    `patterns` are regular expressions of the user. Raises BadParams for one that is none.
    """
    count = 0
    for pattern in patterns:
        text, found = _compiled(pattern).subn("[masked:custom]", text)
        count += found
    if _MARKS.search(text):
        text, found = _KEY_BLOCK.subn("[masked:private-key]", text)
        count += found
        for kind, regex, valid in _all_formats():
            text, found = _replace(text, kind, _spans(text, regex, valid))
            count += found
    if any(is_secret_name(text)):
        text, found = _replace(text, "assigned", secret_values(text))
        count += found
    return text, count


def mask_draft(draft: T, patterns: Sequence[str] = ()) -> tuple[T, int]:
    """Return a value with every text in it masked, however deep, and how many secrets were masked."""
    # A value's own fields say nothing by their names: `key` is that of idempotency.
    masked = {name: mask_all(item, patterns) for name, item in to_plain(draft).items()}
    plain = {name: item for name, (item, _) in masked.items()}
    count = sum(found for _, found in masked.values())
    return (from_plain(plain, type(draft)), count) if count else (draft, 0)


def mask_all(value: Any, patterns: Sequence[str] = (), name: str = "") -> tuple[Any, int]:
    """Mask every text in plain data, names of fields too. `name` is that of the field which holds the value."""
    if isinstance(value, str):
        if name and is_secret(name, value):
            return "[masked:assigned]", 1
        return mask(value, patterns)
    if isinstance(value, dict):
        pairs = [(mask(field, patterns), mask_all(item, patterns, field)) for field, item in value.items()]
        return {name: item for (name, _), (item, _) in pairs}, sum(one + other for (_, one), (_, other) in pairs)
    if isinstance(value, list | tuple):
        items = [mask_all(item, patterns, name) for item in value]
        return [item for item, _ in items], sum(count for _, count in items)
    return value, 0


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
    # In a URL with a password everything up to the '@' is the group, however short.
    return len(group) >= _SHORTEST_GROUP or regex.pattern.startswith("://")


def _all_formats() -> Iterator[Format]:
    jwt, *others = formats()
    return chain((jwt,), ((kind, regex, None) for kind, regex in _OWN), others)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    try:
        return re.compile(pattern)
    except re.error as error:
        raise BadParams(
            f"the secret pattern '{pattern}' is no regular expression: {error}", hint="Mend memory.secrets."
        ) from None
