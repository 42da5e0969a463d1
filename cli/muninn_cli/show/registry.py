"""The functions that print results for people, by verb. Each registers itself where it is defined."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

    Renderer = Callable[[Console, dict[str, Any], argparse.Namespace], None]

RENDERERS: dict[str, Renderer] = {}
"""By verb. A renderer takes the console, the result as plain data, and the arguments of the command line."""


def renders(*verbs: str) -> Callable[[Renderer], Renderer]:
    """Register the decorated function as the renderer of some verbs."""

    def register(renderer: Renderer) -> Renderer:
        RENDERERS.update(dict.fromkeys(verbs, renderer))
        return renderer

    return register
