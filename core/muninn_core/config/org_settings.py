"""Settings of an organisation's memory. They are only in the user's own settings, `~/.config/muninn/config.yaml`.

    org:
      url: https://memory.example.com
      token: env:MUNINN_KEY_ORG

A repository's file can't name a server: a clone must not decide where questions are sent.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from muninn_core.config.addresses import address_error
from muninn_core.config.model_settings import KEY_VARIABLE
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
    wrong = address_error(settings.url, "https://HOST")
    if wrong:
        return wrong
    form, _, rest = settings.token.partition(":")
    if not rest or form not in ("env", "file") or (form == "env" and not rest.startswith(KEY_VARIABLE)):
        return f"'token' takes {TOKEN_FORMS}; a token itself never stands in this file"
    return ""
