"""An engine whose user has settings of language models, and scripted models that it asks."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from backends import Backend
from engines import Muninn

KEY = "sk-test-0123456789abcdefghijklmnop"
BUDGET = {"tokens_day": 100_000, "usd_day": 1.0}


class Told(Muninn):
    """An engine whose user has settings of models."""

    home: Path

    def configure(self, routes: dict[str, Any], budget: dict[str, Any] | None = None, **use: Any) -> None:
        """Write the user's settings."""
        file = self.home / ".config/muninn/config.yaml"
        file.parent.mkdir(parents=True, exist_ok=True)
        models = {"routes": routes, "budget": BUDGET if budget is None else budget}
        file.write_text(yaml.safe_dump({"models": models, "repositories": {str(self.root): {"models": use}}}))

    def route(self, backend: Backend, dialect: str = "openai", **more: Any) -> None:
        """Configure one route, `m`, to a scripted server."""
        budget = more.pop("budget", None)
        self.configure({"m": {"dialect": dialect, "url": backend.url, "model": "scripted", **more}}, budget)

    def quick(self) -> list[float]:
        """Replace the waiting between attempts; return the seconds that were waited."""
        waited: list[float] = []
        self.engine.models.client._wait = waited.append
        self.engine.models.client._chance = lambda: 0.5
        return waited

    def ledger(self) -> list[dict[str, Any]]:
        """Return the lines of the ledger."""
        lines = [line for file in (self.home / "ledger").glob("*.jsonl") for line in file.read_text().splitlines()]
        return [json.loads(line) for line in lines]


@pytest.fixture
def told(plain_repo: Path, tmp_path: Path, start: Callable[..., Muninn]) -> Told:
    environ = {"MUNINN_KEY_M": KEY, "OPENAI_API_KEY": "sk-of-the-host", "PATH": "/usr/bin:/bin"}
    home = tmp_path / "home"
    one = start(plain_repo, home=home, model_ledger=home / "ledger", environ=environ)
    one.__class__ = Told
    one.home = home  # type: ignore[attr-defined]
    one.call("init")
    one.quick()  # type: ignore[attr-defined]
    return one  # type: ignore[return-value]
