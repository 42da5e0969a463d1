"""Settings of an organisation's memory. They stand only in the user's own settings, `~/.config/muninn/config.yaml`.

    org:
      url: https://memory.example.com
      token: env:MUNINN_KEY_ORG

A repository's file can't name a server: a clone must not decide where questions are sent.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import urlsplit

from muninn_core.config.model_settings import KEY_VARIABLE, is_loopback
from muninn_core.config.parser import load_plain
from muninn_core.model.value import Meta, ValidationError, Value, from_plain

TOKEN_FORMS = "env:MUNINN_KEY_NAME or file:PATH"


class OrgSettings(Value):
    """The server and the token. Without `url` no organisation is asked.

    `ask` is `always`, or `named` to ask it only where `repos` names `org`. `repositories` restricts the questions.
    """

    url: str = ""
    token: str = ""
    ask: Literal["always", "named"] = "always"
    repositories: tuple[str, ...] = ()
    timeout_seconds: Annotated[float, Meta(gt=0, le=60)] = 2.0


class OrgSettingsRead(Value):
    """The settings, and why they do not apply, "" where they do."""

    settings: OrgSettings = OrgSettings()
    problem: str = ""


def load_org_settings(path: Path) -> OrgSettingsRead:
    """Read the section `org` of the user's own settings. A missing file or section gives no organisation."""
    data, problem = load_plain(path)
    given = data.get("org")
    if problem or given is None:
        return OrgSettingsRead(problem=problem)
    try:
        settings = from_plain(given, OrgSettings)
    except ValidationError as error:
        return OrgSettingsRead(problem=f"org: {error}")
    wrong = _find_error(settings)
    return OrgSettingsRead(problem=f"org: {wrong}") if wrong else OrgSettingsRead(settings=settings)


def _find_error(settings: OrgSettings) -> str:
    parts = urlsplit(settings.url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        return "'url' must be like https://HOST"
    if parts.username or parts.password or parts.query or parts.fragment:
        return "'url' takes no user, password, query or fragment"
    if parts.scheme == "http" and not is_loopback(settings.url):
        return f"'{parts.hostname}' is not this machine, so 'url' must begin with https://"
    form, _, rest = settings.token.partition(":")
    if not rest or form not in ("env", "file") or (form == "env" and not rest.startswith(KEY_VARIABLE)):
        return f"'token' takes {TOKEN_FORMS}; a token itself never stands in this file"
    return ""
