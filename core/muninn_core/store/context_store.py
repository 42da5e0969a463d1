"""Contexts that were answered, kept on this machine for a while: so that they can be explained, and given once more.

A file a context, named by its id, in the part of `.muninn` that git ignores, readable by its owner alone. What is in a
file is the affair of who keeps it. Losing one costs its explanation; so nothing is flushed, and the oldest go first.
"""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Iterable
from pathlib import Path

from muninn_core.errors import BadParams, MuninnError, NotFoundError
from muninn_core.model.value import encode_json
from muninn_core.store.disk import TEMPORARY, remove_all, write_private

log = logging.getLogger("muninn.contexts")

KEPT = 200
"""How many contexts are kept."""

KEPT_BYTES = 32_000_000
"""How large they may be together. The last one is kept whatever its size."""

_ID = re.compile(r"c-[0-9a-f]{1,16}")


class ContextStore:
    """The kept contexts of a work tree. Safe to use from several threads; one that can't be written is not kept."""

    def __init__(self, folder: Path, *, writable: bool) -> None:
        self._folder = folder
        self._writable = writable

    def keep(self, identity: str, content: bytes) -> None:
        """Keep a context, unless one of its id is there: the first one is what was answered first. Removes old ones."""
        path = self._path(identity)
        if not self._writable:
            return
        try:
            if path.exists():
                os.utime(path)
            else:
                write_private(path, content)
                self._trim(path)
        except (MuninnError, OSError) as error:
            log.warning("the context %s could not be kept: %s", identity, error)

    def read(self, identity: str) -> tuple[str, bytes]:
        """Return the id and the content of a context, by its id or an unambiguous prefix of it.

        Raises BadParams for what is no id, NotFoundError when there is none, or more than one.
        """
        if not _ID.fullmatch(identity):
            raise BadParams(f"'{identity}' is no context's id", hint="`muninn context` tells it: c- and 16 hex digits.")
        found = [path for path in self._files() if path.stem.startswith(identity)]
        if len(found) > 1:
            names = ", ".join(path.stem for path in found[:5])
            raise NotFoundError(f"'{identity}' means {len(found)} contexts", hint=f"They begin with {names}.")
        try:
            return found[0].stem, found[0].read_bytes()
        except (IndexError, OSError):
            hint = (
                f"The last {KEPT} are kept on the machine that answered, until one of their memories is redacted."
                if self._writable
                else "A repository that can't be written keeps none."
            )
            raise NotFoundError(f"no context '{identity}' is kept here", hint=hint) from None

    def scrub(self, ids: Iterable[str], texts: Iterable[str] = ()) -> int:
        """Remove every context that names one of some memories, or holds one of some texts; return how many.

        Raises StorageError or ReadOnlyError.
        """
        needles = [word.encode() for word in ids] + [encode_json(text)[1:-1] for text in texts if len(text) >= 8]
        gone = [path for path in self._files(partial=True) if _holds(path, needles)] if needles else []
        remove_all(gone)
        return len(gone)

    def found(self, pattern: re.Pattern[bytes]) -> set[str]:
        """Return what a pattern's group finds in the kept contexts, without taking them apart."""
        found: set[bytes] = set()
        for path in self._files():
            try:
                found.update(pattern.findall(path.read_bytes()))
            except OSError:
                continue  # it went meanwhile
        return {word.decode("utf-8", "replace") for word in found}

    def _path(self, identity: str) -> Path:
        return self._folder / f"{identity}.json"

    def _files(self, *, partial: bool = False) -> list[Path]:
        """Return the files of contexts, by name; with `partial` also those that a crash left half written."""
        try:
            names = sorted(os.listdir(self._folder))  # noqa: PTH208 (hot)
        except OSError:
            return []  # nothing was kept yet
        ends = (".json", TEMPORARY) if partial else (".json",)
        return [self._folder / name for name in names if name.endswith(ends)]

    def _trim(self, last: Path) -> None:
        """Remove the oldest beyond what is kept."""
        aged = []
        with os.scandir(self._folder) as entries:  # each context that is kept looks at all of them
            for entry in entries:
                if entry.name.endswith(".json"):
                    try:
                        status = entry.stat()
                    except OSError:
                        continue  # another thread was here
                    aged.append((entry.name == last.name, status.st_mtime_ns, entry.name, status.st_size))
        size, gone = 0, []
        for number, (newest, _, name, length) in enumerate(sorted(aged, reverse=True)):
            size += length
            if not newest and (number >= KEPT or size > KEPT_BYTES):
                gone.append(self._folder / name)
        for path in gone:
            path.unlink(missing_ok=True)


def _holds(path: Path, needles: Iterable[bytes]) -> bool:
    try:
        content = path.read_bytes()
    except OSError:
        return False  # it went meanwhile
    return any(needle in content for needle in needles)
