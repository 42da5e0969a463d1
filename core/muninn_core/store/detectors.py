"""The formats of secrets that detect-secrets knows, and its measure of chance. The only importer of that library.

Loading it takes a fifth of a second, so callers look for a mark of a secret first.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Any

Format = tuple[str, re.Pattern[str], Callable[[str], bool] | None]
"""A kind of secret, its expression, and a further test of a whole match."""

_JWT = re.compile(r"eyJ[\w=-]+\.[\w=-]+(?:\.[\w.+/=-]*)?")
"""The detector's own expression leaves the signature standing."""


@cache
def formats() -> tuple[Format, ...]:
    """Return all formats, the surest first."""
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
    return (("jwt", _JWT, is_jwt), *found)


def entropy(text: str) -> float:
    """Return the bits of chance a character (Shannon), by the library's plugin for strings of high entropy."""
    return float(_measure(frozenset(text)).calculate_shannon_entropy(text))


def _measure(characters: frozenset[str]) -> Any:
    from detect_secrets.plugins.high_entropy_strings import Base64HighEntropyString

    plugin = Base64HighEntropyString()
    plugin.charset = "".join(sorted(characters))  # its own lacks the signs that passwords have
    return plugin
