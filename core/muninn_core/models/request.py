"""Checks of a request before it is sent: its route, its price and its text. It loads no HTTP library."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Literal

from muninn_core.config.model_settings import ModelSettings, Route, is_free
from muninn_core.errors import ModelError, NotFoundError
from muninn_core.model.value import replace
from muninn_core.models.prompt import Message, Prompt
from muninn_core.near_match import did_you_mean, shorten
from muninn_core.store.secrets.masking import mask


def route_of(settings: ModelSettings, name: str) -> Route:
    """Return a route of the settings that may be used. Raises ModelError for an unknown one, or one without a price."""
    try:
        return named_route(settings, name)
    except NotFoundError as error:
        raise ModelError(error.message, hint=error.hint) from None


def named_route(settings: ModelSettings, name: str) -> Route:
    """Return the route that a caller names.

    Raises NotFoundError for an unknown one, ModelError for settings with problems or a route without a price.
    """
    route = settings.routes.get(name)
    if route is None and settings.problems:
        reason = "; ".join(settings.problems)
        raise ModelError(f"there is no route '{name}' ({reason})", hint="`muninn models list` shows the routes.")
    if route is None:
        hint = did_you_mean(name, settings.routes, "`muninn models list` shows the routes.")
        raise NotFoundError(f"there is no route '{shorten(name)}'", hint=hint)
    if not is_free(route) and (route.price_in is None or route.price_out is None):
        raise ModelError(
            f"the route '{name}' has no price, so its cost is not known",
            hint="Set price_in and price_out, in USD for a million tokens; 0 says that it costs nothing.",
        )
    return route


def route_for(
    settings: ModelSettings,
    use: Literal["capture", "enrich", "explore", "links", "reconcile"],
    what: str,
    otherwise: str = "; docs/models.md shows how.",
) -> str:
    """Return the name of the route that the user's settings give a use. Raises ModelError without one.

    `what` names the use in the error; `otherwise` ends its hint, which names the setting.
    """
    name: str = getattr(settings.use, use)
    if not name:
        raise ModelError(
            f"no route for {what} is set for this repository",
            hint=f"Set repositories.ROOT.models.{use} in ~/.config/muninn/config.yaml{otherwise}",
        )
    route_of(settings, name)
    return name


def cost(route: Route, tokens_in: int, tokens_out: int) -> float:
    """Return the price of tokens in USD."""
    return ((route.price_in or 0.0) * tokens_in + (route.price_out or 0.0) * tokens_out) / 1_000_000


def masked(prompt: Prompt, patterns: Sequence[str] = ()) -> Prompt:
    """Return a prompt in which secrets are masked: what is sent, and what `--show-prompt` shows."""
    messages: tuple[Message, ...] = tuple(replace(each, text=mask(each.text, patterns)[0]) for each in prompt.messages)
    return replace(prompt, messages=messages)


def prompt_hash(prompt: Prompt) -> str:
    """Return a hash of what is sent, 16 hex digits of SHA-256."""
    parts = (prompt.system, *(f"{message.role}\0{message.text}" for message in prompt.messages))
    return hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()[:16]
