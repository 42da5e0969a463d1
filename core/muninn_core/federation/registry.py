"""The user's list of repositories: a file in the folder of the user's settings that only the user can read.

Daemons of several repositories change it. A change holds a lock, reads the file and replaces it.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from muninn_core.errors import BadParams, BusyError, NotFoundError, StorageError
from muninn_core.launch.lock import FileLock
from muninn_core.model.value import ValidationError, Value, decoder_of, encode_json
from muninn_core.near_match import nearest, shorten
from muninn_core.regular_file import read_regular
from muninn_core.store.files.disk import make_private_folder, translate_errors, write_atomic

REPOSITORIES = "~/.config/muninn/repositories.json"
"""The list, beside the user's own settings."""

ALL = "all"
"""Means every repository of the list."""

MAX_REPOSITORIES = 1_000
"""The most repositories of a list."""

_MAX_BYTES = 4_000_000
_LOCK_SECONDS = 5.0
_PAUSE_SECONDS = 0.02
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_UNFIT = re.compile(r"[^A-Za-z0-9._-]+")


class ListedRepository(Value):
    """A repository of the list. `path` is the root of its work tree. `rules`: its constraints hold everywhere."""

    name: str
    path: str
    rules: bool = False


class _File(Value):
    version: int = 1
    repositories: tuple[ListedRepository, ...] = ()


_decode = decoder_of(_File)

Change = Callable[[tuple[ListedRepository, ...]], tuple[ListedRepository, ...]]


class Registry:
    """The list of one user. Without a folder (`None`) it is empty, and nothing can be added."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._read: tuple[object, tuple[ListedRepository, ...]] = (None, ())

    def entries(self) -> tuple[ListedRepository, ...]:
        """Return the repositories by name. Raises StorageError when the file can't be read."""
        if self._path is None:
            return ()
        try:
            status = self._path.stat()
        except FileNotFoundError:
            return ()
        except OSError as error:
            raise self._unreadable(str(error.strerror)) from error
        key = (status.st_mtime_ns, status.st_size, status.st_ino)
        if self._read[0] != key:
            self._read = (key, self._load(self._path))
        return self._read[1]

    def named(self, names: Iterable[str]) -> tuple[ListedRepository, ...]:
        """Return the repositories of some names, all of them for `all`. Raises BadParams for an unknown name."""
        known = {entry.name: entry for entry in self.entries()}
        wanted = list(dict.fromkeys(names))
        if ALL in wanted:
            return tuple(known.values())
        for name in wanted:
            if name not in known:
                raise BadParams(f"no repository of your list is named '{shorten(name)}'", hint=_names_hint(name, known))
        return tuple(known[name] for name in wanted)

    def add(self, entry: ListedRepository) -> None:
        """Add a repository, or change whether an added one is of rules.

        Raises BadParams for a name that another folder has, or that is not a name; StorageError, BusyError.
        """
        check_name(entry.name)

        def change(known: tuple[ListedRepository, ...]) -> tuple[ListedRepository, ...]:
            for each in known:
                if each.name == entry.name and each.path != entry.path:
                    raise BadParams(
                        f"the name '{entry.name}' is that of {each.path}",
                        hint="Give another one with `--name`, or take the other out: `muninn repos remove NAME`.",
                    )
            others = tuple(each for each in known if each.path != entry.path)
            if len(others) >= MAX_REPOSITORIES:
                raise BadParams(
                    f"the list has {MAX_REPOSITORIES:,} repositories already",
                    hint="`muninn repos remove NAME` takes one out.",
                )
            return (*others, entry)

        self._change(change)

    def remove(self, name: str) -> ListedRepository:
        """Remove a repository from the list and return it. Raises NotFoundError with the nearest name."""
        removed: list[ListedRepository] = []

        def change(known: tuple[ListedRepository, ...]) -> tuple[ListedRepository, ...]:
            removed.extend(each for each in known if each.name == name)
            if not removed:
                raise NotFoundError(
                    f"no repository of your list is named '{shorten(name)}'",
                    hint=_names_hint(name, {each.name: each for each in known}),
                )
            return tuple(each for each in known if each.name != name)

        self._change(change)
        return removed[0]

    def _change(self, change: Change) -> None:
        if self._path is None:
            raise StorageError(
                "there is no folder for your list of repositories", hint="Set HOME to a folder that you can write to."
            )
        with translate_errors(self._path):
            make_private_folder(self._path.parent)
        lock = FileLock(f"{self._path}.lock")
        until = time.monotonic() + _LOCK_SECONDS
        while not lock.acquire():
            if time.monotonic() > until:
                raise BusyError("another process changes your list of repositories", hint="Try again.")
            time.sleep(_PAUSE_SECONDS)
        try:
            known = self._load(self._path) if self._path.exists() else ()
            changed = sorted(change(known), key=lambda each: each.name)
            write_atomic(self._path, encode_json(_File(repositories=tuple(changed))) + b"\n")
        finally:
            lock.release()

    def _load(self, path: Path) -> tuple[ListedRepository, ...]:
        try:
            found = _decode(read_regular(path, _MAX_BYTES))
        except (OSError, ValidationError, ValueError) as error:
            raise self._unreadable(str(error)) from error
        return found.repositories

    def _unreadable(self, reason: str) -> StorageError:
        return StorageError(
            f"your list of repositories, {self._path}, can't be read: {reason}", hint="Fix the file or delete it."
        )


def check_name(name: str) -> None:
    """Raise BadParams unless a text can be the name of a repository."""
    if not _NAME.fullmatch(name) or name == ALL:
        raise BadParams(
            f"'{shorten(name)}' can't be the name of a repository",
            hint="A name has letters, digits, '.', '_' and '-', at most 64, and is not 'all'.",
        )


def proposed_name(project: str, taken: Iterable[str]) -> str:
    """Return a free name for a repository, made from the name of its folder."""
    base = _UNFIT.sub("-", project).strip("-._")[:50] or "repository"
    known = {*taken, ALL}
    names = (base if number == 1 else f"{base}-{number}" for number in range(1, MAX_REPOSITORIES + 3))
    return next(name for name in names if name not in known)


def _names_hint(name: str, known: Iterable[str]) -> str:
    near = nearest(name, list(known))
    return f"Did you mean '{near}'? " * bool(near) + "`muninn repos list` shows them, `muninn repos add PATH` adds one."
