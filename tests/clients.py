"""Clients that a test needs and the machine may not have: skip with the reason, or fail where all must run."""

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
