"""Reads a pack from a folder or an archive on this machine, completely, and checks it before any use."""

from __future__ import annotations

import os
import re
from pathlib import Path

from muninn_core.errors import BadParams, NotFoundError
from muninn_core.model.value import Value
from muninn_core.regular_file import FileTooLarge, read_regular
from muninn_core.store.pack.archive import is_archive, read_archive
from muninn_core.store.pack.manifest import (
    MANIFEST,
    MAX_FILE_BYTES,
    MAX_MANIFEST_BYTES,
    Manifest,
    matching_content,
    read_manifest,
)

_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://|[\w.-]+@[\w.-]+:")
_HINT = "A pack is a folder with pack.json, or a .tar.gz or .zip of one; docs/formats/pack.md describes it."


class Pack(Value):
    """A checked pack: the manifest, its text, and the contents of the files by path."""

    manifest: Manifest
    text: bytes
    contents: dict[str, bytes]

    @property
    def files(self) -> dict[str, bytes]:
        """All files of the pack by path, the manifest included."""
        return {MANIFEST: self.text, **self.contents}


def read_pack(root: Path, location: str) -> Pack:
    """Read the pack at a path, which may be relative to `root`.

    Raises BadParams for a URL and for an invalid pack, NotFoundError when nothing is there.
    """
    path = root / location
    if _ADDRESS.match(location):
        raise BadParams(
            f"'{location}' is a URL; packs are added from this machine only",
            hint="Clone or download it first: `git clone URL DIR`, then `muninn pack add DIR`.",
        )
    if os.path.isdir(path):  # noqa: PTH112 (pathlib raises for a name that is too long)
        return _read_folder(path)
    if not os.path.isfile(path):  # noqa: PTH113
        raise NotFoundError(f"there is no pack at {path}", hint=_HINT)
    if not is_archive(path):
        raise BadParams(f"{path.name} is not a pack: neither a folder nor a .tar.gz or .zip", hint=_HINT)
    found = read_archive(path)
    if MANIFEST not in found:
        raise BadParams(f"{path.name} is not a pack: it has no {MANIFEST}", hint=_HINT)
    text = found.pop(MANIFEST)
    manifest = read_manifest(text)
    unnamed = sorted(found.keys() - {file.path for file in manifest.files})
    if unnamed:
        raise BadParams(f"{path.name} holds a file that its manifest does not name: {unnamed[0][:200]}", hint=_HINT)
    return _check(manifest, text, found)


def _read_folder(folder: Path) -> Pack:
    """Read the files that the manifest names; others, such as a clone's `.git`, are ignored."""
    text = _read_file(folder, MANIFEST, MAX_MANIFEST_BYTES)
    if text is None:
        raise BadParams(f"{folder} is not a pack: it has no {MANIFEST}", hint=_HINT)
    manifest = read_manifest(text)
    found = {}
    for file in manifest.files:
        content = _read_file(folder, file.path, MAX_FILE_BYTES + MAX_FILE_BYTES // 2)
        if content is not None:
            found[file.path] = content
    return _check(manifest, text, found)


def _read_file(folder: Path, name: str, limit: int) -> bytes | None:
    """Return a file's content, None when it is missing. Raises BadParams for a link and for more than `limit` bytes."""
    path = folder / name
    at = path
    while at != folder:
        if at.is_symlink():
            raise BadParams(f"this is not a pack: {at.relative_to(folder).as_posix()} is a link", hint=_HINT)
        at = at.parent
    try:
        if not path.is_file():
            return None
        return read_regular(path, limit)
    except FileTooLarge:
        raise BadParams(f"this is not a pack: {name} is larger than {limit:,} bytes", hint=_HINT) from None
    except OSError as error:
        raise NotFoundError(f"{path} can't be read: {error.strerror}", hint="Check its permissions.") from None


def _check(manifest: Manifest, text: bytes, found: dict[str, bytes]) -> Pack:
    contents = {}
    for file in manifest.files:
        if file.path not in found:
            raise BadParams(
                f"the pack lacks {file.path}, which its manifest names", hint="It is incomplete; download it again."
            )
        content = matching_content(found[file.path], file)
        if content is None:
            raise BadParams(
                f"the checksum of {file.path} is wrong",
                hint="It was changed or damaged after the export; download it again.",
            )
        try:
            content.decode("utf-8")
        except UnicodeDecodeError:
            raise BadParams(f"{file.path} is not UTF-8", hint=_HINT) from None
        contents[file.path] = content
    return Pack(manifest=manifest, text=text.replace(b"\r\n", b"\n"), contents=contents)
