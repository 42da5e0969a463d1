"""Real clients that the machine may lack: a test skips with the reason, or fails if all must run."""

from __future__ import annotations

import os
from typing import NoReturn

import pytest


def missing(name: str, why: str) -> NoReturn:
    """End the test because a real client can't be had here. With CI=true that is a failure."""
    message = f"{name}: {why}"
    if os.environ.get("CI", "").lower() == "true":
        pytest.fail(message, pytrace=False)
    pytest.skip(message)
