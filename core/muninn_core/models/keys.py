"""Keys of models. A key is held in memory or in the system's keychain, and never in a file, a log or an answer."""

from __future__ import annotations

from collections.abc import Mapping

from muninn_core.config.model_settings import Route
from muninn_core.errors import ModelError
from muninn_core.models import keychain


class Keys:
    """The keys of a process. `environ` is the environment that it was started with."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = environ
        self._given: dict[str, str] = {}

    def __repr__(self) -> str:
        return f"Keys({', '.join(self._given)})"

    def give(self, name: str, key: str) -> None:
        """Hold the key of a route until the process ends."""
        self._given[name] = key

    def of(self, name: str, route: Route) -> str:
        """Return the key of a route, "" for one that needs none. Raises ModelError without one."""
        found = self._find(name, route)
        if found is None:
            raise ModelError(f"the route '{name}' has no key", hint=_hint(name, route))
        return found

    def has(self, name: str, route: Route) -> bool:
        """Whether the key of a route is known. A keychain that can't be read has none."""
        try:
            return self._find(name, route) is not None
        except ModelError:
            return False

    def _find(self, name: str, route: Route) -> str | None:
        if route.key == "none":
            return ""
        if name in self._given:
            return self._given[name]
        if route.key.startswith("env:"):
            return self._environ.get(route.key.removeprefix("env:")) or None
        return keychain.read(name) if route.key == "keychain" else None


def _hint(name: str, route: Route) -> str:
    give = f"`muninn models key {name}` asks for it and holds it until the daemon exits."
    if route.key.startswith("env:"):
        return f"Set {route.key.removeprefix('env:')} and restart the daemon, or: {give}"
    return f"`muninn models key {name} --keychain` stores it." if route.key == "keychain" else give
