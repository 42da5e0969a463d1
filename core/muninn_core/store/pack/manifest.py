"""The manifest of a pack: what it is, which files it has and their digests. Reads and writes text, touches no file.

Whatever does not fit is refused here, before anything is unpacked: names that lead elsewhere, versions that can't be
compared, formats of a later time. The format is docs/formats/pack.md.
"""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Any

from muninn_core.errors import BadParams
from muninn_core.model.value import ValidationError, Value, from_plain, to_plain

FORMAT = 1
MANIFEST = "pack.json"
SUFFIX = ".md"

MOST_FILES = 2_000
MOST_BYTES = 50_000_000
FILE_BYTES = 5_000_000
MANIFEST_BYTES = 2_000_000
"""Limits of a pack: its files, their bytes together, the bytes of one, those of the manifest."""

_PATH_BYTES, _DEPTH = 200, 10
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")
_NUMBER, _PART = r"(0|[1-9][0-9]*)", r"(?:0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*)"
_VERSION = re.compile(
    rf"{_NUMBER}\.{_NUMBER}\.{_NUMBER}(?:-({_PART}(?:\.{_PART})*))?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?"
)
"""Source: Semantic Versioning 2.0.0, its grammar."""

_DEVICES = re.compile(r"(?i)(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?")
"""Names that mean a device on Windows, whatever follows the first dot."""

_HINT = "A pack is what `muninn pack export` writes; docs/formats/pack.md describes it."


class PackFile(Value):
    """A file of a pack: path relative to it, size in bytes, sha256 in hex."""

    path: str
    size: int
    sha256: str


class Manifest(Value):
    """A manifest of format 1. `origin` is where its author says that it comes from; `checksum` covers all of it."""

    format: int
    name: str
    version: str
    files: tuple[PackFile, ...]
    checksum: str
    description: str = ""
    licence: str = ""
    origin: str = ""


def make_manifest(
    contents: Mapping[str, bytes], *, name: str, version: str, description: str, licence: str, origin: str
) -> Manifest:
    """Describe contents by path. Raises BadParams for a name, version or path that no pack may have."""
    files = [PackFile(path=path, size=len(contents[path]), sha256=digest(contents[path])) for path in sorted(contents)]
    bare = Manifest(
        format=FORMAT,
        name=name,
        version=version,
        files=tuple(files),
        checksum="",
        description=description,
        licence=licence,
        origin=origin,
    )
    plain = to_plain(bare)
    return read_manifest(_text({**plain, "checksum": checksum_of(plain)}))


def manifest_text(manifest: Manifest) -> bytes:
    """Return a manifest as its file has it; the same manifest is the same bytes."""
    return _text(to_plain(manifest))


def read_manifest(content: bytes) -> Manifest:
    """Read and check a manifest. Raises BadParams, which says what is wrong with it."""
    if len(content) > MANIFEST_BYTES:
        raise _bad(f"{MANIFEST} is larger than {MANIFEST_BYTES:,} bytes")
    try:
        plain = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise _bad(f"{MANIFEST} is no JSON: {error}") from None
    if not isinstance(plain, dict):
        raise _bad(f"{MANIFEST} is no object")
    given = plain.get("format")
    if not isinstance(given, int) or isinstance(given, bool) or given < 1:
        raise _bad(f"{MANIFEST} has no 'format'")
    if given > FORMAT:
        raise BadParams(f"the pack is of format {given}; this program reads {FORMAT}", hint="A later Muninn reads it.")
    known = Manifest.__struct_fields__
    try:
        manifest = from_plain({name: value for name, value in plain.items() if name in known}, Manifest)
    except ValidationError as error:
        raise _bad(f"{MANIFEST}: {error}") from None
    _check(manifest)
    if manifest.checksum != checksum_of(plain):
        raise _bad("the checksum of the manifest is wrong: it was changed, or cut off")
    return manifest


def checksum_of(plain: Mapping[str, Any]) -> str:
    """Return the sha256 of a manifest without its checksum: JSON in ASCII, keys sorted, no blanks."""
    rest = {name: value for name, value in plain.items() if name != "checksum"}
    return digest(json.dumps(rest, sort_keys=True, ensure_ascii=True, separators=(",", ":")).encode())


def digest(content: bytes) -> str:
    """Return the sha256 of a content in hex."""
    return hashlib.sha256(content).hexdigest()


def fits(content: bytes, file: PackFile) -> bytes | None:
    """Return a content as the manifest means it, None for another one. Line ends that git made CRLF are put back."""
    for candidate in (content, content.replace(b"\r\n", b"\n")):
        if len(candidate) == file.size and digest(candidate) == file.sha256:
            return candidate
    return None


def check_name(name: str) -> None:
    """Raise BadParams for a name that no pack can have."""
    if not _NAME.fullmatch(name) or _DEVICES.fullmatch(name):
        raise BadParams(
            f"'{name}' is no name of a pack", hint="Up to 64 of a-z, 0-9 and '-', a letter or figure at the start."
        )


def precedence(version: str) -> tuple[Any, ...]:
    """Return what versions are ordered by (Semantic Versioning 2.0.0, item 11). Raises BadParams for no version."""
    found = _VERSION.fullmatch(version) if len(version) <= 64 else None
    if found is None:
        raise BadParams(f"'{version}' is no version", hint="Write it as 1.2.3 or 1.2.3-rc.1 (https://semver.org).")
    major, minor, patch, early = found.groups()
    parts = tuple((0, int(part), "") if part.isdigit() else (1, 0, part) for part in (early or "").split(".") if part)
    return (int(major), int(minor), int(patch), not early, parts)


def path_flaw(path: str) -> str:
    """Say why a path may not be in a pack, "" when it may: it must mean the same below any folder on any system."""
    parts = path.split("/")
    if len(path.encode("utf-8", "surrogatepass")) > _PATH_BYTES or len(parts) > _DEPTH:
        return "is too long"
    if any(part in ("", ".", "..") for part in parts):
        return "leads elsewhere"
    if not path.isprintable() or not unicodedata.is_normalized("NFC", path) or set(path) & set('\\:*?"<>|'):
        return "has characters that not every system takes"
    if any(part.startswith(".") for part in parts):
        return "is hidden"
    if any(part.endswith((".", " ")) or part.startswith(" ") or _DEVICES.fullmatch(part) for part in parts):
        return "has a name that not every system takes"
    return "" if path.lower().endswith(SUFFIX) else f"is no markdown ({SUFFIX})"


def _check(manifest: Manifest) -> None:
    check_name(manifest.name)
    precedence(manifest.version)
    for name in ("description", "licence", "origin"):
        said = getattr(manifest, name)
        if len(said) > 500 or not said.isprintable():
            raise _bad(f"'{name}' is longer than 500 characters or no plain line")
    if not manifest.files or len(manifest.files) > MOST_FILES:
        raise _bad(f"a pack has 1 to {MOST_FILES:,} files, this one {len(manifest.files):,}")
    for file in manifest.files:
        flaw = path_flaw(file.path)
        if flaw:
            raise _bad(f"the path '{file.path[:_PATH_BYTES]}' {flaw}")
        if not 0 <= file.size <= FILE_BYTES:
            raise _bad(f"{file.path} is larger than {FILE_BYTES:,} bytes")
    if sum(file.size for file in manifest.files) > MOST_BYTES:
        raise _bad(f"the files are larger than {MOST_BYTES:,} bytes together")
    clash = _clash(file.path for file in manifest.files)
    if clash:
        raise _bad(f"'{clash}' is there twice, or as a file and a folder, where case does not count")


def _clash(paths: Iterable[str]) -> str:
    """Return a path that another one would overwrite on some system, "" for none."""
    files: set[str] = set()
    folders: set[str] = set()
    for path in paths:
        folded = path.casefold()
        above = {"/".join(folded.split("/")[:depth]) for depth in range(1, folded.count("/") + 1)}
        if folded in files or folded in folders or above & files:
            return path
        files.add(folded)
        folders |= above
    return ""


def _text(plain: Mapping[str, Any]) -> bytes:
    first = {name: plain[name] for name in ("format", "name", "version", "description", "licence", "origin")}
    return (json.dumps({**first, **plain}, ensure_ascii=False, indent=2) + "\n").encode()


def _bad(message: str) -> BadParams:
    return BadParams(f"this is no pack: {message}", hint=_HINT)
