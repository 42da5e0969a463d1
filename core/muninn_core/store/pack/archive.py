"""Packs as archives: .tar.gz and .zip, written so that the same pack is the same bytes, read as data of a stranger.

Nothing is ever extracted by name: a reader returns contents by path, within limits, and whoever unpacks them decides
where. Links, devices, sparse and encrypted members are refused, whether a manifest names them or not.
"""

from __future__ import annotations

import gzip
import io
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path

from muninn_core.errors import BadParams
from muninn_core.store.pack.manifest import FILE_BYTES, MANIFEST, MANIFEST_BYTES, MOST_BYTES, MOST_FILES

TAR, ZIP = (".tar.gz", ".tgz"), (".zip",)

PACKED_BYTES = 25_000_000
"""The most bytes of an archive's file."""

_TAR_BYTES = MOST_BYTES + MANIFEST_BYTES + 4_096 * MOST_FILES
"""Contents, and for each file a header with its extension and what fills the last block."""

_BROKEN = (tarfile.TarError, zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, OverflowError, RuntimeError)
"""What the two libraries raise for archives that are none, or damaged, or of a kind that they do not know."""

_HINT = "An archive holds regular files alone, below one folder or none; docs/formats/pack.md describes it."


def is_archive(path: Path) -> bool:
    """Whether a name is that of an archive."""
    return path.name.lower().endswith((*TAR, *ZIP))


def pack_up(name: str, folder: str, contents: Mapping[str, bytes]) -> bytes:
    """Return an archive of contents by path, all below one folder; the kind is that of the file's name."""
    ordered = {f"{folder}/{path}": contents[path] for path in sorted(contents)}
    return _zip(ordered) if name.lower().endswith(ZIP) else _tar(ordered)


def unpack(path: Path) -> dict[str, bytes]:
    """Return the contents of an archive's files by path, without the one folder that they may all be in.

    Raises BadParams for an archive that is broken, too large, or holds what it may not.
    """
    try:
        if path.stat().st_size > PACKED_BYTES:
            raise _refused(f"{path.name} is larger than {PACKED_BYTES:,} bytes")
        members = _zip_members(path) if path.name.lower().endswith(ZIP) else _tar_members(path)
        found = _gathered(members)
    except BadParams:
        raise
    except _BROKEN as error:
        raise _refused(f"{path.name} can't be read: {error or type(error).__name__}") from None
    return _bare(found)


def _gathered(members: Iterator[tuple[str, bytes]]) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    total = 0
    for name, content in members:
        plain = name.removeprefix("./")
        if plain.startswith("/") or "\\" in plain or ".." in plain.split("/"):
            raise _refused(f"'{name[:200]}' leads elsewhere")
        if plain in found:
            raise _refused(f"'{plain[:200]}' is there twice")
        total += len(content)
        if len(found) > MOST_FILES or total > MOST_BYTES + MANIFEST_BYTES:
            raise _refused(f"it holds more than {MOST_FILES:,} files or {MOST_BYTES:,} bytes")
        found[plain] = content
    return found


def _bare(found: dict[str, bytes]) -> dict[str, bytes]:
    tops = {name.partition("/")[0] for name in found}
    if MANIFEST in found or len(tops) != 1:
        return found
    (top,) = tops
    return {name[len(top) + 1 :]: content for name, content in found.items()}


def _tar_members(path: Path) -> Iterator[tuple[str, bytes]]:
    # All at once and bounded: headers have lengths of their own, which the library would believe.
    with gzip.open(path) as packed:
        plain = packed.read(_TAR_BYTES + 1)
    if len(plain) > _TAR_BYTES:
        raise _refused(f"{path.name} unpacks to more than {MOST_BYTES:,} bytes")
    with tarfile.open(fileobj=io.BytesIO(plain), mode="r:") as tar:
        for member in tar:
            if member.type == tarfile.DIRTYPE:
                continue
            if member.type not in (tarfile.REGTYPE, tarfile.AREGTYPE) or member.issparse():
                raise _refused(f"'{member.name[:200]}' is a link or no regular file")
            _check_size(member.name, member.size)
            file = tar.extractfile(member)
            yield member.name, file.read(member.size) if file is not None else b""


def _zip_members(path: Path) -> Iterator[tuple[str, bytes]]:
    with zipfile.ZipFile(path) as archive:
        for member in archive.infolist():
            kind = stat.S_IFMT(member.external_attr >> 16)
            if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
                raise _refused(f"'{member.filename[:200]}' is a link or no regular file")
            if member.is_dir():
                continue
            if member.flag_bits & 1 or member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise _refused(f"'{member.filename[:200]}' is encrypted, or packed in a way that is not read here")
            _check_size(member.filename, member.file_size)
            with archive.open(member) as file:
                content = file.read(member.file_size + 1)
            _check_size(member.filename, len(content))
            yield member.filename, content


def _check_size(name: str, size: int) -> None:
    if size > FILE_BYTES:
        raise _refused(f"'{name[:200]}' is larger than {FILE_BYTES:,} bytes")


def _tar(contents: Mapping[str, bytes]) -> bytes:
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for name, content in contents.items():
            member = tarfile.TarInfo(name)  # owner, group and time are 0, the mode is 0644
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    packed = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", compresslevel=9, fileobj=packed, mtime=0) as file:
        file.write(plain.getvalue())
    return packed.getvalue()


def _zip(contents: Mapping[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, content in contents.items():
            member = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
            member.create_system = 3  # Unix, wherever it is made: the field is part of the bytes
            member.external_attr = (stat.S_IFREG | 0o644) << 16
            archive.writestr(member, content, compress_type=zipfile.ZIP_DEFLATED, compresslevel=9)
    return packed.getvalue()


def _refused(message: str) -> BadParams:
    return BadParams(f"this is no pack: {message}", hint=_HINT)
