"""Settings of language models. They are only in the user's own settings, `~/.config/muninn/config.yaml`.

    models:
      routes:
        local: {dialect: openai, url: "http://127.0.0.1:11434", model: qwen3, key: none}
      budget: {tokens_day: 200000, usd_day: 1}
      fallbacks: {cloud: [local]}
    repositories:
      /home/me/shop:
        models: {enrich: local, reconcile: local, context: true}

A repository's file can't name a model, an address or a key: a clone must not decide where text goes.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Literal

from muninn_core.config.addresses import address_error, is_loopback
from muninn_core.config.parser import load_plain
from muninn_core.model.value import Meta, ValidationError, Value, from_plain
from muninn_core.near_match import nearest

Dialect = Literal["openai", "anthropic", "claude", "codex"]

COMMANDS: tuple[Dialect, ...] = ("claude", "codex")
"""The dialects that start a program of the user instead of an HTTP request."""

KEY_FORMS = "none, keychain, prompt or env:MUNINN_KEY_NAME"
KEY_VARIABLE = "MUNINN_KEY_"
"""The start of the names of variables with keys. The daemon gets no other credentials from its first client, which may
be an agent with keys of its own."""

Amount = Annotated[float, Meta(ge=0)]
Count = Annotated[int, Meta(ge=0)]


class Route(Value):
    """One model and how to reach it. Prices are in USD for a million tokens; None means that none is stated.

    `url` has scheme and host, and the path before `/v1` if there is one. `aliases` are other names of the model that
    clients of the gateway may use; a name that ends with `*` stands for all names with that beginning.
    """

    dialect: Dialect
    model: str
    url: str = ""
    key: str = "none"
    price_in: Amount | None = None
    price_out: Amount | None = None
    timeout_seconds: Annotated[float, Meta(gt=0, le=3600)] = 60.0
    max_output: Annotated[int, Meta(gt=0, le=100_000)] = 1024
    aliases: tuple[str, ...] = ()


class Budget(Value):
    """The most that may be spent. Without `tokens_day` and `usd_day` no model is asked. A day is a day in UTC."""

    tokens_call: Count | None = None
    tokens_session: Count | None = None
    tokens_day: Count | None = None
    usd_call: Amount | None = None
    usd_session: Amount | None = None
    usd_day: Amount | None = None


class ModelUse(Value):
    """What one repository uses models for: the names of routes, "" for none.

    `context` lets the gateway add memory of the repository to requests. A request waits for it for `context_seconds`.
    """

    enrich: str = ""
    reconcile: str = ""
    explore: str = ""
    links: str = ""
    capture: str = ""
    context: bool = False
    context_seconds: Annotated[float, Meta(gt=0, le=60)] = 0.3

    def routes(self) -> dict[str, str]:
        """Return {use: route} of the uses that have a route."""
        names = ("enrich", "reconcile", "explore", "links", "capture")
        found = {name: getattr(self, name) for name in names}
        return {name: route for name, route in found.items() if route}


class ModelSettings(Value):
    """All settings of models for one repository. `problems` are settings that do not apply."""

    routes: Mapping[str, Route] = MappingProxyType({})
    budget: Budget = Budget()
    fallbacks: Mapping[str, tuple[str, ...]] = MappingProxyType({})
    use: ModelUse = ModelUse()
    problems: tuple[str, ...] = ()


def load_model_settings(path: Path, root: str) -> ModelSettings:
    """Read the settings for the repository at `root`. A missing file gives empty settings, a wrong one `problems`."""
    data, problem = load_plain(path)
    if problem:
        return ModelSettings(problems=(problem,))
    problems: list[str] = []
    given = _mapping(data.get("models"), "models", problems)
    for name in given.keys() - {"routes", "budget", "fallbacks"}:
        near = nearest(str(name), ("routes", "budget", "fallbacks"))
        problems.append(f"there is no key 'models.{name}'" + (f"; did you mean '{near}'?" if near else ""))
    routes = {}
    for name, each in _mapping(given.get("routes"), "models.routes", problems).items():
        route = _decoded(each, Route, f"models.routes.{name}", problems)
        wrong = find_error(route) if route is not None else ""
        if wrong:
            problems.append(f"models.routes.{name}: {wrong}")
        elif route is not None:
            routes[str(name)] = route
    budget = _decoded(given.get("budget") or {}, Budget, "models.budget", problems)
    if budget is None:
        routes = {}  # a budget that can't be read must not become none
    fallbacks = _decoded(given.get("fallbacks") or {}, dict[str, tuple[str, ...]], "models.fallbacks", problems) or {}
    use = _use(data, root, problems)
    for name, where in _named(fallbacks, use):
        if name and name not in routes:
            problems.append(f"{where} names the route '{name}', which is not set")
    return ModelSettings(
        routes=MappingProxyType(routes),
        budget=budget or Budget(),
        fallbacks=MappingProxyType(fallbacks),
        use=use,
        problems=tuple(problems),
    )


def find_error(route: Route) -> str:
    """Return why a route can't be used, "" when it can."""
    if not route.model:
        return "'model' is empty"
    if route.key not in ("none", "keychain", "prompt") and not route.key.removeprefix("env:").startswith(KEY_VARIABLE):
        return f"'key' takes {KEY_FORMS}; a key itself never stands in a file"
    if route.dialect in COMMANDS:
        if route.url or route.key != "none":
            return f"the dialect '{route.dialect}' takes neither 'url' nor 'key': the program has its own account"
        return ""
    return address_error(route.url, "https://HOST or http://127.0.0.1:PORT")


def is_free(route: Route) -> bool:
    """Whether calls cost nothing: a model on this machine for which no price is set."""
    return route.dialect not in COMMANDS and is_loopback(route.url) and not route.price_in and not route.price_out


def _use(data: Mapping[str, Any], root: str, problems: list[str]) -> ModelUse:
    for folder, settings in _mapping(data.get("repositories"), "repositories", problems).items():
        if str(folder).rstrip("/") == root and isinstance(settings, dict):
            where = f"repositories.{folder}.models"
            return _decoded(settings.get("models") or {}, ModelUse, where, problems) or ModelUse()
    return ModelUse()


def _named(fallbacks: Mapping[str, tuple[str, ...]], use: ModelUse) -> list[tuple[str, str]]:
    """Return the routes that other settings name, with the setting."""
    pairs = [(route, f"'{name}'") for name, route in use.routes().items()]
    for name, others in fallbacks.items():
        pairs += [(each, f"'models.fallbacks.{name}'") for each in (name, *others)]
    return pairs


def _mapping(value: Any, where: str, problems: list[str]) -> dict[Any, Any]:
    if value is None or isinstance(value, dict):
        return value or {}
    problems.append(f"'{where}' must be a list of `key: value` lines")
    return {}


def _decoded(value: Any, kind: Any, where: str, problems: list[str]) -> Any:
    try:
        return from_plain(value, kind)
    except ValidationError as error:
        problems.append(f"{where}: {error}")
        return None
