"""The packages that a repository publishes and those that it depends on, from the manifests of their ecosystems.

Sources: the pyproject.toml specification and PEP 503 (normalised names), package.json of npm, the go.mod reference,
the manifest format of Cargo.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

_REQUIREMENT = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_GO_MODULE = re.compile(r"^module\s+(\S+)", re.MULTILINE)
_GO_REQUIRED = re.compile(r"^(?:require\s+|\s+)([\w-]+(?:\.[\w-]*)+/\S+)\s+v\d", re.MULTILINE)
_NPM_SECTIONS = ("dependencies", "devDependencies", "peerDependencies", "optionalDependencies")
_CARGO_SECTIONS = ("dependencies", "dev-dependencies", "build-dependencies")

LANGUAGES: Mapping[str, frozenset[str]] = {
    "python": frozenset({"python"}),
    "npm": frozenset({"javascript", "typescript", "tsx", "jsx", "vue", "svelte"}),
    "go": frozenset({"go"}),
    "cargo": frozenset({"rust"}),
}
"""The languages whose imports name packages of an ecosystem."""


class Package(NamedTuple):
    """A package by its ecosystem and its name, as the ecosystem compares names."""

    ecosystem: str
    name: str

    @property
    def module(self) -> str:
        """The name by which code imports the package, unless its manifest says otherwise."""
        return self.name.replace("-", "_") if self.ecosystem in ("python", "cargo") else self.name


def published(file_name: str, text: str) -> Package | None:
    """Return the package that a manifest defines; None for other files, and for a manifest without a name."""
    try:
        if file_name == "pyproject.toml":
            return _python(tomllib.loads(text))
        if file_name == "Cargo.toml":
            name = _table(tomllib.loads(text), "package").get("name")
            return Package("cargo", name) if isinstance(name, str) else None
        if file_name == "package.json":
            name = _object(json.loads(text)).get("name")
            return Package("npm", name) if isinstance(name, str) and name else None
    except (ValueError, RecursionError):
        return None
    if file_name == "go.mod" and (found := _GO_MODULE.search(text)):
        return Package("go", found[1].strip('"'))
    return None


def declared(file_name: str, text: str) -> set[Package]:
    """Return the packages that a manifest declares as dependencies; none for other files."""
    try:
        if file_name == "pyproject.toml":
            return {Package("python", _normalised(each)) for each in _python_requirements(tomllib.loads(text))}
        if file_name == "Cargo.toml":
            plain = tomllib.loads(text)
            return {Package("cargo", name) for section in _CARGO_SECTIONS for name in _table(plain, section)}
        if file_name == "package.json":
            plain = _object(json.loads(text))
            return {Package("npm", name) for section in _NPM_SECTIONS for name in _table(plain, section)}
    except (ValueError, RecursionError):
        return set()
    if file_name == "go.mod":
        return {Package("go", name) for name in _GO_REQUIRED.findall(text)}
    return set()


MANIFESTS = ("pyproject.toml", "package.json", "go.mod", "Cargo.toml")
"""The names of the files that `published` and `declared` read."""


def _python(plain: dict[str, Any]) -> Package | None:
    poetry = _table(_table(plain, "tool"), "poetry")
    name = _table(plain, "project").get("name") or poetry.get("name")
    return Package("python", _normalised(name)) if isinstance(name, str) else None


def _python_requirements(plain: dict[str, Any]) -> Iterator[str]:
    """Yield the names of the required packages, also those of extras, of groups (PEP 735) and of Poetry."""
    project = _table(plain, "project")
    lists = [project.get("dependencies"), *_table(project, "optional-dependencies").values()]
    lists += _table(plain, "dependency-groups").values()
    for each in lists:
        for requirement in each if isinstance(each, list) else ():
            found = _REQUIREMENT.match(requirement) if isinstance(requirement, str) else None
            if found:
                yield found[0]
    yield from _table(_table(_table(plain, "tool"), "poetry"), "dependencies")


def _normalised(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _table(plain: Any, key: str) -> dict[str, Any]:
    return _object(plain.get(key)) if isinstance(plain, dict) else {}


def _object(plain: Any) -> dict[str, Any]:
    return plain if isinstance(plain, dict) else {}
