"""A pack as somebody hands it over: a folder or an archive on this machine, read whole and checked before any use."""

from __future__ import annotations

import re
from pathlib import Path

from muninn_core.errors import BadParams, NotFoundError
from muninn_core.model.value import Value
from muninn_core.store.pack.archive import is_archive, unpack
from muninn_core.store.pack.manifest import (
    FILE_BYTES,
    MANIFEST,
    MANIFEST_BYTES,
    Manifest,
    fits,
    read_manifest,
)

_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://|[\w.-]+@[\w.-]+:")
_HINT = "A pack is a folder with pack.json, or a .tar.gz or .zip of one; docs/formats/pack.md describes it."


class Pack(Value):
    """A pack whose every byte was checked: the manifest, its text as it came, and the contents of the files by path."""

    manifest: Manifest
    text: bytes
    contents: dict[str, bytes]

    @property
    def files(self) -> dict[str, bytes]:
        """All that is written of it."""
        return {MANIFEST: self.text, **self.contents}


def read_pack(root: Path, given: str) -> Pack:
    """Read the pack at a path, a relative one from `root`.

    Raises BadParams for an address or for what is no pack or not what its manifest says, NotFoundError for nothing.
    """
    path = root / given
    if _ADDRESS.match(given):
        raise BadParams(
            f"'{given}' is an address; packs are added from this machine alone",
            hint="Clone or download it first: `git clone URL DIR`, then `muninn pack add DIR`.",
        )
    if path.is_dir():
        return _of_folder(path)
    if not path.is_file():
        raise NotFoundError(f"there is no pack at {path}", hint=_HINT)
    if not is_archive(path):
        raise BadParams(f"{path.name} is no pack: neither a folder nor a .tar.gz or .zip", hint=_HINT)
    found = unpack(path)
    if MANIFEST not in found:
        raise BadParams(f"{path.name} is no pack: there is no {MANIFEST} in it", hint=_HINT)
    text = found.pop(MANIFEST)
    manifest = read_manifest(text)
    unnamed = sorted(found.keys() - {file.path for file in manifest.files})
    if unnamed:
        raise BadParams(f"{path.name} holds a file that its manifest does not name: {unnamed[0][:200]}", hint=_HINT)
    return _checked(manifest, text, found)


def _of_folder(folder: Path) -> Pack:
    """Read what the manifest names; whatever else is in the folder, a clone's `.git` say, is not looked at."""
    text = _content(folder, MANIFEST, MANIFEST_BYTES)
    if text is None:
        raise BadParams(f"{folder} is no pack: there is no {MANIFEST} in it", hint=_HINT)
    manifest = read_manifest(text)
    found = {}
    for file in manifest.files:
        content = _content(folder, file.path, FILE_BYTES + FILE_BYTES // 2)
        if content is not None:
            found[file.path] = content
    return _checked(manifest, text, found)


def _content(folder: Path, name: str, most: int) -> bytes | None:
    """Return a file's content, None when there is none. Raises BadParams for a link, or for more than `most` bytes."""
    path = folder / name
    at = path
    while at != folder:
        if at.is_symlink():
            raise BadParams(f"this is no pack: {at.relative_to(folder).as_posix()} is a link", hint=_HINT)
        at = at.parent
    try:
        if not path.is_file():
            return None
        with path.open("rb") as file:
            content = file.read(most + 1)
    except OSError as error:
        raise NotFoundError(f"{path} can't be read: {error.strerror}", hint="Check its permissions.") from None
    if len(content) > most:
        raise BadParams(f"this is no pack: {name} is larger than {most:,} bytes", hint=_HINT)
    return content


def _checked(manifest: Manifest, text: bytes, found: dict[str, bytes]) -> Pack:
    contents = {}
    for file in manifest.files:
        if file.path not in found:
            raise BadParams(
                f"the pack lacks {file.path}, which its manifest names", hint="It was cut off; get it anew."
            )
        content = fits(found[file.path], file)
        if content is None:
            raise BadParams(
                f"the checksum of {file.path} is wrong: it is not what the manifest says",
                hint="It was changed or damaged since it was exported; get it anew.",
            )
        try:
            content.decode("utf-8")
        except UnicodeDecodeError:
            raise BadParams(f"{file.path} is no UTF-8", hint=_HINT) from None
        contents[file.path] = content
    return Pack(manifest=manifest, text=text.replace(b"\r\n", b"\n"), contents=contents)
