"""The user's settings of OpenTelemetry: which receivers are taken, and that no repository names one."""

from __future__ import annotations

from pathlib import Path

import pytest

from muninn_core.config.otel_settings import load_otel_settings, otel_problems
from muninn_core.config.parser import load_config, load_own_settings


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "config.yaml"
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:4318", "http://[::1]:4318", "http://localhost:4318/otlp", "https://example.com"]
)
def test_a_receiver_on_this_machine_or_over_https_is_taken(tmp_path: Path, url: str) -> None:
    settings, problem = load_otel_settings(write(tmp_path, f"opentelemetry: {{url: '{url}'}}"))
    assert (settings.url, settings.metrics_seconds, problem) == (url, 60.0, "")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("{url: 'http://example.com:4318'}", "is not this machine"),
        ("{url: 'http://127.0.0.1.example.com'}", "is not this machine"),
        ("{url: 'https://me:secret@example.com'}", "takes no user"),
        ("{url: 'ftp://127.0.0.1'}", "must be like"),
        ("{url: 'http://127.0.0.1', metrics_seconds: 0}", "metrics_seconds"),
        ("{url: 'http://127.0.0.1', port: 1}", "port"),
        ("[1]", "opentelemetry"),
    ],
)
def test_settings_that_do_not_fit_send_nothing_and_are_named(tmp_path: Path, given: str, said: str) -> None:
    path = write(tmp_path, f"opentelemetry: {given}")
    assert load_otel_settings(path)[0].url == ""
    (problem,) = otel_problems(path)
    assert said in problem.message


def test_a_repository_names_no_receiver(tmp_path: Path) -> None:
    path = write(tmp_path, "opentelemetry: {url: 'http://127.0.0.1:4318'}")
    config, (problem,) = load_config(path)
    assert "'opentelemetry' can't be set by a repository: it says where figures are sent" in problem.message
    assert load_own_settings(path, str(tmp_path), config) == (config, ())
    assert load_otel_settings(tmp_path / "missing.yaml") == load_otel_settings(write(tmp_path, ""))
