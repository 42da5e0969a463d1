"""The secret formats and the entropy measure of detect-secrets. The only module that imports that library.

Importing the library takes 0.2 s, so callers check for a marker first.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Any

SecretFormat = tuple[str, re.Pattern[str], Callable[[str], bool] | None]
"""The kind of secret, its expression, and an optional test of the whole match."""

_JWT = re.compile(r"eyJ[\w=-]+\.[\w=-]+(?:\.[\w.+/=-]*)?")
"""The library's expression leaves the signature out."""


@cache
def secret_formats() -> tuple[SecretFormat, ...]:
    """Return all formats, the most specific first."""
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
    """Return the Shannon entropy of a text in bits per character, as computed by detect-secrets."""
    return float(_entropy_plugin(frozenset(text)).calculate_shannon_entropy(text))


def _entropy_plugin(characters: frozenset[str]) -> Any:
    from detect_secrets.plugins.high_entropy_strings import Base64HighEntropyString

    plugin = Base64HighEntropyString()
    plugin.charset = "".join(sorted(characters))  # its own lacks the signs that passwords have
    return plugin
