"""How long a hook may take."""

from __future__ import annotations

import os

SECONDS = "MUNINN_HOOK_SECONDS"
"""The environment variable that overrides the budget of hooks, in seconds, for slow machines."""


def budget(own: float) -> float:
    """Return the budget of an event in seconds: its own, or that of the environment."""
    try:
        given = float(os.environ.get(SECONDS, ""))
    except ValueError:
        given = 0.0
    return given if 0 < given <= 600 else own
