"""Settings of OpenTelemetry. They are only in the user's own settings, `~/.config/muninn/config.yaml`.

    opentelemetry:
      url: http://127.0.0.1:4318

A repository's file can't name a receiver: a clone must not decide where figures about its use are sent.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from muninn_core.config.addresses import address_error
from muninn_core.config.parser import ConfigProblem, load_plain
from muninn_core.model.value import Meta, ValidationError, Value, from_plain

SECTION = "opentelemetry"


class OtelSettings(Value):
    """The receiver of traces and metrics, an address of OTLP over HTTP without the path. Without it nothing is sent."""

    url: str = ""
    metrics_seconds: Annotated[float, Meta(ge=1, le=3600)] = 60.0


def load_otel_settings(path: Path) -> tuple[OtelSettings, str]:
    """Return the section `opentelemetry` of the user's own settings, and why it does not apply, "" where it does."""
    data, problem = load_plain(path)
    given = data.get(SECTION)
    if problem or given is None:
        return OtelSettings(), ""  # a file that can't be read is reported by those who read the rest of it
    try:
        settings = from_plain(given, OtelSettings)
    except ValidationError as error:
        return OtelSettings(), f"{SECTION}: {error}"
    wrong = address_error(settings.url, "http://127.0.0.1:4318 or https://HOST")
    return (OtelSettings(), f"{SECTION}: {wrong}") if wrong else (settings, "")


def otel_problems(path: Path) -> tuple[ConfigProblem, ...]:
    """Return the problem of the section, if it has one."""
    _, wrong = load_otel_settings(path)
    hint = "Nothing is sent until it is corrected."
    return (ConfigProblem(key=SECTION, line=0, message=wrong, hint=hint),) if wrong else ()
