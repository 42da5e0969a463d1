"""Masking secrets before a record is written: known formats, and the patterns that the user adds.

The only importer of detect-secrets, which takes a fifth of a second to load: a text that holds none of the marks
that those formats have never loads it. There are no entropy detectors among them, for hashes and ids are no secrets.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any, TypeVar

from muninn_core.errors import BadParams
from muninn_core.model.value import Value, from_plain, to_plain

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

_JWT = re.compile(r"eyJ[\w=-]+\.[\w=-]+(?:\.[\w.+/=-]*)?")
"""The detector's own expression leaves the signature standing."""

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
    if not _MARKS.search(text):
        return text, count
    text, found = _KEY_BLOCK.subn("[masked:private-key]", text)
    count += found
    for kind, regex, valid in _detectors():
        text, found = _replace(text, kind, regex, valid)
        count += found
    return text, count


def mask_draft(draft: T, patterns: Sequence[str] = ()) -> tuple[T, int]:
    """Return a value with every text in it masked, however deep, and how many secrets were masked."""
    plain, count = _mask_all(to_plain(draft), patterns)
    return (from_plain(plain, type(draft)), count) if count else (draft, 0)


def _mask_all(value: Any, patterns: Sequence[str]) -> tuple[Any, int]:
    if isinstance(value, str):
        return mask(value, patterns)
    if isinstance(value, dict):
        pairs = [(mask(name, patterns), _mask_all(item, patterns)) for name, item in value.items()]
        return {name: item for (name, _), (item, _) in pairs}, sum(one + other for (_, one), (_, other) in pairs)
    if isinstance(value, list | tuple):
        items = [_mask_all(item, patterns) for item in value]
        return [item for item, _ in items], sum(count for _, count in items)
    return value, 0


def _replace(text: str, kind: str, regex: re.Pattern[str], valid: Callable[[str], bool] | None) -> tuple[str, int]:
    pieces: list[str] = []
    at = 0
    for start, end in _spans(text, regex, valid):
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


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    try:
        return re.compile(pattern)
    except re.error as error:
        raise BadParams(
            f"the secret pattern '{pattern}' is no regular expression: {error}", hint="Mend memory.secrets."
        ) from None


@cache
def _detectors() -> tuple[tuple[str, re.Pattern[str], Callable[[str], bool] | None], ...]:
    from detect_secrets.plugins import (
        aws,
        azure_storage_key,
        basic_auth,
        discord,
        github_token,
        gitlab_token,
        jwt,
        mailchimp,
        npm,
        openai,
        pypi_token,
        sendgrid,
        slack,
        square_oauth,
        stripe,
        telegram_token,
        twilio,
    )

    plugins: tuple[tuple[str, Any], ...] = (
        ("aws-key", aws.AWSKeyDetector),
        ("azure-key", azure_storage_key.AzureStorageKeyDetector),
        ("github-token", github_token.GitHubTokenDetector),
        ("gitlab-token", gitlab_token.GitLabTokenDetector),
        ("mailchimp-key", mailchimp.MailchimpDetector),
        ("npm-token", npm.NpmDetector),
        ("openai-token", openai.OpenAIDetector),
        ("pypi-token", pypi_token.PypiTokenDetector),
        ("sendgrid-key", sendgrid.SendGridDetector),
        ("slack-token", slack.SlackDetector),
        ("square-secret", square_oauth.SquareOAuthDetector),
        ("stripe-key", stripe.StripeDetector),
        ("telegram-token", telegram_token.TelegramBotTokenDetector),
        ("twilio-key", twilio.TwilioKeyDetector),
        ("discord-token", discord.DiscordBotTokenDetector),
        ("password", basic_auth.BasicAuthDetector),
    )

    def is_jwt(token: str) -> bool:
        return bool(jwt.JwtTokenDetector.is_formally_valid(".".join(token.split(".")[:2])))

    found = [(kind, regex, None) for kind, plugin in plugins for regex in plugin.denylist]
    return (("jwt", _JWT, is_jwt), *((kind, regex, None) for kind, regex in _OWN), *found)
