"""Loads a module of a library alone: without its packages' `__init__`, and without what it imports but never uses here.

A module's imports are answered for that module only, so that other threads and later imports find everything as it is.
It knows no library by name. Whoever uses it pins the library and tests what comes of it.
"""

from __future__ import annotations

import builtins
import importlib.util
from importlib.machinery import PathFinder
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence


class _Nameless(type):
    """Classes of this type have every attribute."""

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _Absent


class _Absent(Exception, metaclass=_Nameless):
    """Stands for whatever is imported from a module that is left out: a class, an error, a function, never used."""


class _Left(ModuleType):
    """A module that is left out."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _Absent


def load_alone(name: str, without: Collection[str]) -> ModuleType:
    """Return a module of an installed package, such as "package.part.module", loaded apart from `sys.modules`.

    What it imports from its own package is loaded in the same way; of the packages `without` nothing is loaded, their
    names stand for nothing. Raises ImportError where there is no such module.
    """
    return _Apart(name.partition(".")[0], frozenset(without)).load(name)


class _Apart:
    """The modules of one package that were loaded apart."""

    def __init__(self, package: str, without: frozenset[str]) -> None:
        self._package = package
        self._without = without
        self._modules: dict[str, ModuleType] = {}
        spec = importlib.util.find_spec(package)
        if spec is None or spec.submodule_search_locations is None:
            raise ImportError(f"there is no package {package}", name=package)
        self._folders: Sequence[str] = list(spec.submodule_search_locations)

    def load(self, name: str) -> ModuleType:
        """Return a module of the package; the first time it is run."""
        known = self._modules.get(name)
        if known is not None:
            return known
        _, *folders, _ = name.split(".")
        spec = PathFinder.find_spec(name, ["/".join((folder, *folders)) for folder in self._folders])
        if spec is None or spec.loader is None:
            raise ImportError(f"there is no module {name}", name=name)
        module = importlib.util.module_from_spec(spec)
        module.__dict__["__builtins__"] = {**vars(builtins), "__import__": self._import}
        self._modules[name] = module
        spec.loader.exec_module(module)
        return module

    def _import(
        self,
        name: str,
        scope: Mapping[str, object] | None = None,
        local: Mapping[str, object] | None = None,
        names: Sequence[str] = (),
        level: int = 0,
    ) -> Any:
        """Answer the import statements of the modules that are loaded apart: `from package.module import name`."""
        top = name.partition(".")[0]
        if level == 0 and top in self._without:
            return _Left(name)
        if level == 0 and top == self._package:
            return self.load(name)
        return __import__(name, scope, local, names, level)
