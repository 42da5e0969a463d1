"""Packs as archives, .tar.gz and .zip. Writing is reproducible; reading treats the content as untrusted.

Nothing is extracted to disk: the reader returns contents by path, within limits. Links, devices, sparse and encrypted
members are refused.
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
from muninn_core.regular_file import FileTooLarge, read_regular
from muninn_core.store.pack.manifest import MANIFEST, MAX_FILE_BYTES, MAX_FILES, MAX_MANIFEST_BYTES, MAX_TOTAL_BYTES

TAR, ZIP = (".tar.gz", ".tgz"), (".zip",)

MAX_ARCHIVE_BYTES = 25_000_000
"""The maximum size of an archive file in bytes."""

_TAR_BYTES = MAX_TOTAL_BYTES + MAX_MANIFEST_BYTES + 4_096 * MAX_FILES
"""The contents, and per file a header with its extension and the padding of the last block."""

_ARCHIVE_ERRORS = (
    tarfile.TarError,
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    OSError,
    ValueError,
    OverflowError,
    RuntimeError,
)
"""What `tarfile` and `zipfile` raise for damaged or unsupported archives."""

_HINT = "An archive holds regular files alone, below one folder or none; docs/formats/pack.md describes it."


def is_archive(path: Path) -> bool:
    """Whether a file name is that of an archive."""
    return path.name.lower().endswith((*TAR, *ZIP))


def write_archive(name: str, folder: str, contents: Mapping[str, bytes]) -> bytes:
    """Return an archive of contents by path, all below one folder. The suffix of `name` decides the format."""
    ordered = {f"{folder}/{path}": contents[path] for path in sorted(contents)}
    return _zip(ordered) if name.lower().endswith(ZIP) else _tar(ordered)


def read_archive(path: Path) -> dict[str, bytes]:
    """Return the contents of an archive by path, without a common top folder.

    Raises BadParams for an archive that is broken, too large or has refused members.
    """
    try:
        members = _zip_members(path) if path.name.lower().endswith(ZIP) else _tar_members(path)
        found = _collect(members)
    except BadParams:
        raise
    except FileTooLarge:
        raise _error(f"{path.name} is larger than {MAX_ARCHIVE_BYTES:,} bytes") from None
    except _ARCHIVE_ERRORS as error:
        raise _error(f"{path.name} can't be read: {error or type(error).__name__}") from None
    return _strip_top_folder(found)


def _collect(members: Iterator[tuple[str, bytes]]) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    total = 0
    for name, content in members:
        plain = name.removeprefix("./")
        if plain.startswith("/") or "\\" in plain or ".." in plain.split("/"):
            raise _error(f"'{name[:200]}' is outside the pack")
        if plain in found:
            raise _error(f"'{plain[:200]}' is there twice")
        total += len(content)
        if len(found) > MAX_FILES or total > MAX_TOTAL_BYTES + MAX_MANIFEST_BYTES:
            raise _error(f"it holds more than {MAX_FILES:,} files or {MAX_TOTAL_BYTES:,} bytes")
        found[plain] = content
    return found


def _strip_top_folder(found: dict[str, bytes]) -> dict[str, bytes]:
    tops = {name.partition("/")[0] for name in found}
    if MANIFEST in found or len(tops) != 1:
        return found
    (top,) = tops
    return {name[len(top) + 1 :]: content for name, content in found.items()}


def _tar_members(path: Path) -> Iterator[tuple[str, bytes]]:
    # Decompress with a bound first: the library trusts the lengths in the headers.
    with gzip.open(io.BytesIO(read_regular(path, MAX_ARCHIVE_BYTES))) as packed:
        plain = packed.read(_TAR_BYTES + 1)
    if len(plain) > _TAR_BYTES:
        raise _error(f"{path.name} unpacks to more than {MAX_TOTAL_BYTES:,} bytes")
    with tarfile.open(fileobj=io.BytesIO(plain), mode="r:") as tar:
        for member in tar:
            if member.type == tarfile.DIRTYPE:
                continue
            if member.type not in (tarfile.REGTYPE, tarfile.AREGTYPE) or member.issparse():
                raise _error(f"'{member.name[:200]}' is a link or not a regular file")
            _check_size(member.name, member.size)
            file = tar.extractfile(member)
            yield member.name, file.read(member.size) if file is not None else b""


def _zip_members(path: Path) -> Iterator[tuple[str, bytes]]:
    with zipfile.ZipFile(io.BytesIO(read_regular(path, MAX_ARCHIVE_BYTES))) as archive:
        for member in archive.infolist():
            kind = stat.S_IFMT(member.external_attr >> 16)
            if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
                raise _error(f"'{member.filename[:200]}' is a link or not a regular file")
            if member.is_dir():
                continue
            if member.flag_bits & 1 or member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise _error(f"'{member.filename[:200]}' is encrypted or uses an unsupported compression")
            _check_size(member.filename, member.file_size)
            with archive.open(member) as file:
                content = file.read(member.file_size + 1)
            _check_size(member.filename, len(content))
            yield member.filename, content


def _check_size(name: str, size: int) -> None:
    if size > MAX_FILE_BYTES:
        raise _error(f"'{name[:200]}' is larger than {MAX_FILE_BYTES:,} bytes")


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
            member.create_system = 3  # Unix on every system, so that the bytes are equal
            member.external_attr = (stat.S_IFREG | 0o644) << 16
            archive.writestr(member, content, compress_type=zipfile.ZIP_DEFLATED, compresslevel=9)
    return packed.getvalue()


def _error(message: str) -> BadParams:
    return BadParams(f"this is not a pack: {message}", hint=_HINT)
