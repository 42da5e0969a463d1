"""Chooses the backend of a request by its model's name."""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import NamedTuple

from muninn_core.config.model_settings import COMMANDS, ModelSettings, Route
from muninn_core.near_match import nearest

OPENAI = "openai"
ANTHROPIC = "anthropic"


class Backend(NamedTuple):
    """A route by its name. `model` is the model's name in the request that is passed on."""

    name: str
    route: Route
    model: str


class NoBackend(Exception):
    """No route serves the model of a request. The text says which models there are."""


def backends(settings: ModelSettings, model: str, dialect: str) -> list[Backend]:
    """Return the backend for a model and its fallbacks, in their order. Raises NoBackend.

    A model is named by its route, by its own name, or by an alias. Only routes of the endpoint's dialect serve it.
    """
    name = _find(settings, model)
    if name is None:
        near = nearest(model, names(settings))
        wrong = f". A setting does not apply: {settings.problems[0]}" if settings.problems else ""
        raise NoBackend(
            f"no route serves the model '{model[:100]}'"
            + (f"; did you mean '{near}'?" if near else "; `muninn models list` shows the routes")
            + wrong
        )
    chosen = [name, *settings.fallbacks.get(name, ())]
    found = [
        Backend(each, settings.routes[each], _sent(settings.routes[each], each, model, first=each == name))
        for each in chosen
        if each in settings.routes and settings.routes[each].dialect == dialect
    ]
    if not found or found[0].name != name:
        spoken = settings.routes[name].dialect
        raise NoBackend(f"the route '{name}' speaks the dialect '{spoken}', and this endpoint '{dialect}'")
    return found


def names(settings: ModelSettings) -> list[str]:
    """Return the names of models that clients may use: routes, models, and aliases without a star."""
    found = dict.fromkeys(_names(settings))
    return [name for name in found if not name.endswith("*")]


def _names(settings: ModelSettings) -> Iterator[str]:
    for name, route in settings.routes.items():
        if route.dialect not in COMMANDS:
            yield from (name, route.model, *route.aliases)


def _find(settings: ModelSettings, model: str) -> str | None:
    """Return the route of a model: by the names of route and model, an alias, or the longest alias with a star."""
    served = {name: route for name, route in settings.routes.items() if route.dialect not in COMMANDS}
    if model in served:
        return model
    for name, route in served.items():
        if model in (route.model, *route.aliases):
            return name
    starred = [
        (len(alias), name)
        for name, route in served.items()
        for alias in route.aliases
        if alias.endswith("*") and fnmatchcase(model, alias)
    ]
    return max(starred)[1] if starred else None


def _sent(route: Route, name: str, model: str, *, first: bool) -> str:
    """Return the model's name for the backend: its own name instead of the route's; an alias is passed on."""
    return route.model if not first or model == name else model
