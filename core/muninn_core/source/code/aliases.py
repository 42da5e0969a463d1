"""Resolves imports by `paths` and `baseUrl` of a `tsconfig.json` or `jsconfig.json`.

Source: https://www.typescriptlang.org/tsconfig/#paths. The pattern with the longest prefix wins, its targets are tried
in order, and a configuration inherits what it does not set from the one that it `extends`.
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
_MAX_CONFIGS = 20
"""The most configurations that are read for one, which `extends` them."""

_COMMENTS_AND_COMMAS = re.compile(r'"(?:\\.|[^"\\])*+\\?(?:"|\Z)|//[^\n]*|/\*.*?(?:\*/|\Z)|,(?=\s*[}\]])', re.DOTALL)
"""Strings, which stay, and what JSON lacks: comments and trailing commas."""


class FileLookup(Protocol):
    """Access to the files of a repository."""

    def exists(self, path: str) -> bool:
        """Whether a file exists."""

    def text(self, path: str) -> str:
        """Return a file's text, "" when it does not exist."""


class _Options(NamedTuple):
    """The path options of a configuration, relative to the root of the repository."""

    base: str | None
    paths: Mapping[str, list[str]]
    beside: str
    """The base of `paths` when there is no `baseUrl`."""


def resolve_alias(path: str, module: str, world: FileLookup) -> Iterator[str]:
    """Yield the paths that an import in the file `path` may mean, most without suffix, the likeliest first."""
    folder = posixpath.dirname(path)
    while True:
        for name in _NAMES:
            config = posixpath.join(folder, name)
            if world.exists(config):
                yield from _places(module, _options(config, world, {config}))
        if not folder:
            return
        folder = posixpath.dirname(folder)


def _places(module: str, options: _Options) -> Iterator[str]:
    best = max(
        (pattern for pattern in options.paths if _matches(pattern, module)),
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


def _matches(pattern: str, module: str) -> bool:
    before, star, after = pattern.partition("*")
    if not star:
        return pattern == module
    return len(module) >= len(before) + len(after) and module.startswith(before) and module.endswith(after)


def _inside(base: str, place: str) -> Iterator[str]:
    """Yield a path if it is within the repository."""
    found = posixpath.normpath(posixpath.join(base, place))
    if not found.startswith(("..", "/")):
        yield found


def _options(config: str, world: FileLookup, read: set[str]) -> _Options:
    """Return the options of a configuration. `read` are those that were read for it, each of which is read once."""
    config_data = _read(world.text(config))
    folder = posixpath.dirname(config)
    options = config_data.get("compilerOptions")
    options = options if isinstance(options, dict) else {}
    base, paths = options.get("baseUrl"), options.get("paths")
    found = _Options(
        posixpath.normpath(posixpath.join(folder, base)) if isinstance(base, str) else None,
        _listed(paths) if isinstance(paths, dict) else {},
        folder,
    )
    if found.base is not None and found.paths:
        return found
    for other in _extended_configs(config_data.get("extends"), folder):
        if other not in read and len(read) < _MAX_CONFIGS and world.exists(other):
            read.add(other)
            outer = _options(other, world, read)
            base_found = outer.base if found.base is None else found.base
            found = found._replace(base=base_found) if found.paths else _Options(base_found, outer.paths, outer.beside)
    return found


def _extended_configs(names: object, folder: str) -> Iterator[str]:
    """Yield the relative configurations that one extends, the last one first, because it wins."""
    names_list = names if isinstance(names, list) else [names]
    for name in reversed(names_list):
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
    """Return a configuration's content; {} when it is invalid JSON even without comments."""
    try:
        config_data = json.loads(
            _COMMENTS_AND_COMMAS.sub(lambda found: found.group() if found.group()[0] == '"' else "", text)
        )
    except (ValueError, RecursionError):
        return {}
    return config_data if isinstance(config_data, dict) else {}
