"""Stores the contexts that were returned, for a while, so that they can be explained and replayed.

Each context is a file named by its id in the part of `.muninn` that git ignores, with mode 0600. The content is opaque
here. Writes are not flushed, because a lost context only loses its explanation.
"""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Iterable
from pathlib import Path

from muninn_core.errors import BadParams, MuninnError, NotFoundError, StorageError
from muninn_core.model.value import encode_json
from muninn_core.store.files.disk import TEMPORARY, remove_all, write_private

log = logging.getLogger("muninn.contexts")

MAX_CONTEXTS = 200
"""The number of contexts stored; the oldest are removed."""

MAX_TOTAL_BYTES = 32_000_000
"""The total size of stored contexts. The last one is stored whatever its size."""

_ID = re.compile(r"c-[0-9a-f]{1,16}")


class ContextStore:
    """The stored contexts of a work tree. Safe for several threads. Failed writes are logged and ignored."""

    def __init__(self, folder: Path, *, writable: bool) -> None:
        self._folder = folder
        self._writable = writable

    def save(self, identity: str, content: bytes) -> None:
        """Store a context and remove old ones. An existing one of the same id is not replaced."""
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
            log.warning("the context %s could not be stored: %s", identity, error)

    def read(self, identity: str) -> tuple[str, bytes]:
        """Return the id and content of a context, by its id or an unambiguous prefix.

        Raises BadParams for a malformed id, NotFoundError when none or several match.
        """
        if not _ID.fullmatch(identity):
            raise BadParams(f"'{identity}' is not a context id", hint="`muninn context` prints it: c- and hex digits.")
        matches = [path for path in self._files() if path.stem.startswith(identity)]
        if len(matches) > 1:
            names = ", ".join(path.stem for path in matches[:5])
            raise NotFoundError(f"'{identity}' matches {len(matches)} contexts", hint=f"The first are {names}.")
        try:
            return matches[0].stem, matches[0].read_bytes()
        except (IndexError, OSError):
            hint = (
                f"`muninn context QUERY` prints the id of its pack. The last {MAX_CONTEXTS} are stored on the"
                " machine that answered."
                if self._writable
                else "A read-only repository stores none."
            )
            raise NotFoundError(f"no context '{identity}' is stored here", hint=hint) from None

    def remove_mentioning(self, ids: Iterable[str], texts: Iterable[str] = ()) -> int:
        """Remove every context that contains one of the memory ids or texts; return their number.

        Texts under 8 characters are ignored. Raises StorageError or ReadOnlyError.
        """
        needles = [word.encode() for word in ids] + [encode_json(text)[1:-1] for text in texts if len(text) >= 8]
        removed = [path for path in self._files(partial=True) if _contains(path, needles)] if needles else []
        remove_all(removed)
        return len(removed)

    def find_all(self, pattern: re.Pattern[bytes]) -> set[str]:
        """Return all matches of a pattern's group in the stored contexts."""
        matches: set[bytes] = set()
        for path in self._files():
            try:
                matches.update(pattern.findall(path.read_bytes()))
            except OSError:
                continue  # removed meanwhile
        return {word.decode("utf-8", "replace") for word in matches}

    def _path(self, identity: str) -> Path:
        return self._folder / f"{identity}.json"

    def _files(self, *, partial: bool = False) -> list[Path]:
        """Return the files of contexts, sorted by name; with `partial`, include temporary files."""
        try:
            names = sorted(os.listdir(self._folder))  # noqa: PTH208 (hot)
        except OSError:
            return []  # nothing is stored yet
        suffixes = (".json", TEMPORARY) if partial else (".json",)
        return [self._folder / name for name in names if name.endswith(suffixes)]

    def _trim(self, newest_path: Path) -> None:
        """Remove the oldest contexts beyond the limits."""
        by_age = []
        with os.scandir(self._folder) as entries:  # hot: runs for each stored context
            for entry in entries:
                if entry.name.endswith(".json"):
                    try:
                        status = entry.stat()
                    except OSError:
                        continue  # removed by another thread
                    by_age.append((entry.name == newest_path.name, status.st_mtime_ns, entry.name, status.st_size))
        size, removed = 0, []
        for number, (newest, _, name, length) in enumerate(sorted(by_age, reverse=True)):
            size += length
            if not newest and (number >= MAX_CONTEXTS or size > MAX_TOTAL_BYTES):
                removed.append(self._folder / name)
        for path in removed:
            path.unlink(missing_ok=True)


def _contains(path: Path, needles: Iterable[bytes]) -> bool:
    """Whether a file contains one of the texts; false for one that was removed. Raises StorageError."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return False
    except OSError as error:  # it may hold a text that is to be redacted
        raise StorageError(f"can't read {path}: {error.strerror}", hint="Delete it, then try again.") from error
    return any(needle in content for needle in needles)
