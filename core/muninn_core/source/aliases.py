"""Says where `paths` and `baseUrl` of a `tsconfig.json` or `jsconfig.json` lead an import.

As TypeScript resolves them (https://www.typescriptlang.org/tsconfig/#paths): of several patterns the one with the
longest beginning counts, its places are tried in their order, and a configuration takes from the one that it `extends`
what it does not say itself. It knows which files there are only as far as the caller does.
"""

from __future__ import annotations

import json
import posixpath
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_NAMES = ("tsconfig.json", "jsconfig.json", "tsconfig.base.json")
_DEEPEST = 5
"""Configurations that extend one another."""

_ASIDE = re.compile(r'"(?:\\.|[^"\\])*"|//[^\n]*|/\*.*?\*/|,(?=\s*[}\]])', re.DOTALL)
"""Texts, which stay, and what JSON knows nothing of: comments, and commas before the end."""


class World(Protocol):
    """The files that there are."""

    def exists(self, path: str) -> bool:
        """Whether there is such a file."""

    def text(self, path: str) -> str:
        """Return what a file says, "" where there is none."""


class _Options(NamedTuple):
    """What a configuration says of places; they are relative to the root of the repository."""

    base: str | None
    paths: Mapping[str, list[str]]
    beside: str
    """Where the places of `paths` begin when there is no base."""


def aliased(path: str, module: str, world: World) -> Iterator[str]:
    """Yield the places, mostly without endings, that an import in the file `path` may mean, the likeliest first."""
    folder = posixpath.dirname(path)
    while True:
        for name in _NAMES:
            config = posixpath.join(folder, name)
            if world.exists(config):
                yield from _places(module, _options(config, world, _DEEPEST))
        if not folder:
            return
        folder = posixpath.dirname(folder)


def _places(module: str, options: _Options) -> Iterator[str]:
    best = max(
        (pattern for pattern in options.paths if _fits(pattern, module)),
        key=lambda pattern: ("*" not in pattern, len(pattern.partition("*")[0]), pattern),
        default=None,
    )
    if best is not None:
        before, star, after = best.partition("*")
        part = module[len(before) : len(module) - len(after)] if star else ""
        base = options.beside if options.base is None else options.base
        for place in options.paths[best]:
            yield from _inside(base, place.replace("*", part))
    if options.base is not None:
        yield from _inside(options.base, module)


def _fits(pattern: str, module: str) -> bool:
    before, star, after = pattern.partition("*")
    if not star:
        return pattern == module
    return len(module) >= len(before) + len(after) and module.startswith(before) and module.endswith(after)


def _inside(base: str, place: str) -> Iterator[str]:
    """Yield a place below the root of the repository."""
    found = posixpath.normpath(posixpath.join(base, place))
    if not found.startswith(("..", "/")):
        yield found


def _options(config: str, world: World, deepest: int) -> _Options:
    said = _read(world.text(config))
    folder = posixpath.dirname(config)
    options = said.get("compilerOptions")
    options = options if isinstance(options, dict) else {}
    base, paths = options.get("baseUrl"), options.get("paths")
    found = _Options(
        posixpath.normpath(posixpath.join(folder, base)) if isinstance(base, str) else None,
        _listed(paths) if isinstance(paths, dict) else {},
        folder,
    )
    if found.base is not None and found.paths:
        return found
    for other in _extended(said.get("extends"), folder):
        if deepest and world.exists(other):
            outer = _options(other, world, deepest - 1)
            base_found = outer.base if found.base is None else found.base
            found = found._replace(base=base_found) if found.paths else _Options(base_found, outer.paths, outer.beside)
    return found


def _extended(names: object, folder: str) -> Iterator[str]:
    """Yield the configurations that one extends, the last one first: it wins. Packages are not ours."""
    every = names if isinstance(names, list) else [names]
    for name in reversed(every):
        if isinstance(name, str) and name.startswith("."):
            path = posixpath.normpath(posixpath.join(folder, name))
            yield path if path.endswith(".json") else f"{path}.json"


def _listed(paths: dict[str, Any]) -> dict[str, list[str]]:
    return {
        pattern: [place for place in places if isinstance(place, str)]
        for pattern, places in paths.items()
        if isinstance(places, list)
    }


@lru_cache(maxsize=64)
def _read(text: str) -> dict[str, Any]:
    """Return what a configuration says; nothing of one that is no JSON even without its comments."""
    try:
        said = json.loads(_ASIDE.sub(lambda found: found.group() if found.group()[0] == '"' else "", text))
    except (ValueError, RecursionError):
        return {}
    return said if isinstance(said, dict) else {}
