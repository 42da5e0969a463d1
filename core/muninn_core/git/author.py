"""The author: the name in git's configuration, and the author of the commit that first added a line."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from muninn_core.git.run import decode, git_error, run_process, stream
from muninn_core.launch.repository_location import RepositoryLocation
from muninn_core.model.value import Value

MAX_NAME = 100
"""The maximum number of characters of a name or an address."""

_ID = re.compile(rb'^\+\{(?:"v":\d+,)?"id":"([^"\\]+)"')
"""The beginning of an added line that holds a record as Muninn writes it."""


class Author(Value):
    """A name and an e-mail address, both "" when git's configuration has none."""

    name: str = ""
    email: str = ""


class AuthorReader:
    """Reads the author of new commits from git's configuration. Safe for several threads.

    git runs again when one of the files has changed that the configuration was read from, and while it has no name.
    """

    def __init__(self, location: RepositoryLocation) -> None:
        self._location = location
        self._lock = threading.Lock()
        self._known: tuple[dict[str, object], Author] = ({}, Author())

    def read(self) -> Author:
        """Return the author. Raises GitError."""
        with self._lock:
            stamps, author = self._known
            if not author.name or any(_stamp(path) != stamp for path, stamp in stamps.items()):
                stamps, author = self._known = self._read()
            return author

    def _read(self) -> tuple[dict[str, object], Author]:
        root = self._location.root
        done = run_process(root, "config", "-z", "--show-origin", "--list")
        if done.returncode != 0:
            raise git_error("config", done)
        fields = decode(done.stdout).split("\0")
        values: dict[str, str] = {}
        files: dict[str, object] = {}
        for origin, setting in zip(fields[::2], fields[1::2], strict=False):
            if origin.startswith("file:"):
                path = os.path.join(root, origin.removeprefix("file:"))  # noqa: PTH118 (an absolute path stays)
                files.setdefault(path, None)
            key, _, value = setting.partition("\n")
            values[key] = value
        # git-config(1): author.* overrides user.*.
        name, email = (
            _plain(values.get(f"author.{key}") or values.get(f"user.{key}", "")) for key in Author.__struct_fields__
        )
        return {path: _stamp(path) for path in files}, Author(name=name, email=email)


def first_authors(root: Path, folder: str, tip: str, base: str | None = None) -> dict[str, str]:
    """Return {id of a record: name of the author of the oldest commit that added it below `folder`}.

    The commits are those of `tip` that `base` does not have. Lines that a later commit moved keep their first author.
    Raises GitError.
    """
    found: dict[str, str] = {}
    name = ""
    for line in _added_lines(root, folder, tip, base):
        if line.startswith(b"\0"):
            name = _plain(line[1:].decode("utf-8", "replace"))
        elif name and (match := _ID.match(line)):
            found[match[1].decode("utf-8", "replace")] = name  # commits come newest first: the oldest one stays
    return found


def _added_lines(root: Path, folder: str, tip: str, base: str | None) -> Iterator[bytes]:
    options = ("--format=%x00%an", "-p", "-U0", "--topo-order", "--no-color", "--no-renames", "--no-notes", "--text")
    safe = ("--no-ext-diff", "--no-textconv", "--ignore-submodules", "--encoding=UTF-8")
    span = (tip, *([f"^{base}"] if base else []))
    rest = b""
    with closing(stream(root, "log", *options, *safe, *span, "--", folder)) as pieces:
        for piece in pieces:
            *lines, rest = (rest + piece).split(b"\n")
            yield from lines
    yield rest


def _plain(text: str) -> str:
    """Return a name on one line, without characters that can't be shown."""
    line = "".join(letter if letter.isprintable() else " " for letter in text)
    return " ".join(line.split())[:MAX_NAME]


def _stamp(path: str) -> object:
    """Return a value that changes with a file; None when it is missing."""
    try:
        status = os.stat(path)  # noqa: PTH116 (runs with every write)
    except OSError:
        return None
    return (status.st_ino, status.st_mtime_ns, status.st_size)
