"""The origin of a file that comes from a pack: the pack's name and version.

Such text is marked as untrusted wherever it is shown. Versions are read from the manifests, at a commit from that
commit's manifests.
"""

from __future__ import annotations

import threading
from pathlib import Path

from muninn_core import git
from muninn_core.errors import BadParams, MuninnError
from muninn_core.regular_file import read_regular
from muninn_core.store.files.layout import Layout
from muninn_core.store.pack.manifest import MANIFEST, MAX_MANIFEST_BYTES, read_manifest

PACKS = ".muninn/packs/"
_CACHE_SIZE = 1_000


class Origins:
    """The origins of a work tree's files. Safe to use from several threads."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._lock = threading.Lock()
        self._known: dict[tuple[object, ...], str] = {}

    def origin_of(self, path: str, commit: str | None = None) -> str:
        """Return "pack NAME VERSION" for a file of a pack, else ""; as of `commit` if one is given."""
        if not path.startswith(PACKS):
            return ""
        name, slash, _ = path[len(PACKS) :].partition("/")
        if not slash:
            return ""
        version = self._version(name, commit)
        return f"pack {name} {version}".rstrip()

    def _version(self, name: str, commit: str | None) -> str:
        file = self._layout.packs / name / MANIFEST
        try:
            status = file.stat() if commit is None else None
        except OSError:
            return ""  # a pack without its manifest: `pack list` says so
        key = (name, commit) if status is None else (name, status.st_size, status.st_mtime_ns, status.st_ino)
        with self._lock:
            if key not in self._known:
                if len(self._known) >= _CACHE_SIZE:
                    self._known.clear()
                self._known[key] = _version_in(_content(self._layout.root, file, commit))
            return self._known[key]


def _content(root: Path, file: Path, commit: str | None) -> bytes:
    try:
        if commit is None:
            return read_regular(file, MAX_MANIFEST_BYTES)
        return git.read_blob(root, commit, file.relative_to(root).as_posix()) or b""
    except (OSError, MuninnError):
        return b""


def _version_in(content: bytes) -> str:
    try:
        return read_manifest(content).version
    except BadParams:
        return ""
