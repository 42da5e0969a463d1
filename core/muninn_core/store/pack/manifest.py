"""The manifest of a pack: its name, version, files and their digests. It reads and writes text only.

Invalid manifests are refused before anything is unpacked: unsafe paths, malformed versions, newer formats. The format
is docs/formats/pack.md.
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

MAX_FILES = 2_000
MAX_TOTAL_BYTES = 50_000_000
MAX_FILE_BYTES = 5_000_000
MAX_MANIFEST_BYTES = 2_000_000
"""The limits of a pack: number of files, their total bytes, bytes per file, bytes of the manifest."""

_PATH_BYTES, _DEPTH = 200, 10
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")
_NUMBER, _PART = r"(0|[1-9][0-9]*)", r"(?:0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*)"
_VERSION = re.compile(
    rf"{_NUMBER}\.{_NUMBER}\.{_NUMBER}(?:-({_PART}(?:\.{_PART})*))?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?"
)
"""Source: the grammar of Semantic Versioning 2.0.0."""

_DEVICES = re.compile(r"(?i)(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?")
"""Names of devices on Windows, with any extension."""

_HINT = "A pack is what `muninn pack export` writes; docs/formats/pack.md describes it."


class PackFile(Value):
    """A file of a pack: relative path, size in bytes, sha256 in hex."""

    path: str
    size: int
    sha256: str


class Manifest(Value):
    """A manifest of format 1. `origin` is stated by the author; `checksum` covers all other fields."""

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
    """Return the manifest of contents by path. Raises BadParams for an invalid name, version or path."""
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
    return read_manifest(_encode({**plain, "checksum": checksum(plain)}))


def manifest_text(manifest: Manifest) -> bytes:
    """Return the file content of a manifest; equal manifests give equal bytes."""
    return _encode(to_plain(manifest))


def read_manifest(content: bytes) -> Manifest:
    """Parse and check a manifest. Raises BadParams with the first problem."""
    if len(content) > MAX_MANIFEST_BYTES:
        raise _error(f"{MANIFEST} is larger than {MAX_MANIFEST_BYTES:,} bytes")
    try:
        plain = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise _error(f"{MANIFEST} is not JSON: {error}") from None
    if not isinstance(plain, dict):
        raise _error(f"{MANIFEST} is not an object")
    version_number = plain.get("format")
    if not isinstance(version_number, int) or isinstance(version_number, bool) or version_number < 1:
        raise _error(f"{MANIFEST} has no 'format'")
    if version_number > FORMAT:
        raise BadParams(
            f"the pack is of format {version_number}; this program reads {FORMAT}", hint="Upgrade Muninn to read it."
        )
    known = Manifest.__struct_fields__
    try:
        manifest = from_plain({name: value for name, value in plain.items() if name in known}, Manifest)
    except ValidationError as error:
        raise _error(f"{MANIFEST}: {error}") from None
    _check(manifest)
    if manifest.checksum != checksum(plain):
        raise _error("the checksum of the manifest is wrong: it was changed or is incomplete")
    return manifest


def checksum(plain: Mapping[str, Any]) -> str:
    """Return the sha256 of a manifest without its checksum: ASCII JSON, sorted keys, no blanks."""
    rest = {name: value for name, value in plain.items() if name != "checksum"}
    return digest(json.dumps(rest, sort_keys=True, ensure_ascii=True, separators=(",", ":")).encode())


def digest(content: bytes) -> str:
    """Return the sha256 of a content in hex."""
    return hashlib.sha256(content).hexdigest()


def matching_content(content: bytes, file: PackFile) -> bytes | None:
    """Return the content with the manifest's digest, after restoring LF line ends if needed; None when it differs."""
    for candidate in (content, content.replace(b"\r\n", b"\n")):
        if len(candidate) == file.size and digest(candidate) == file.sha256:
            return candidate
    return None


def check_name(name: str) -> None:
    """Raise BadParams for an invalid pack name."""
    if not _NAME.fullmatch(name) or _DEVICES.fullmatch(name):
        raise BadParams(
            f"'{name}' is not a valid pack name", hint="Use up to 64 of a-z, 0-9 and '-', not beginning with '-'."
        )


def version_key(version: str) -> tuple[Any, ...]:
    """Return the sort key of a version (Semantic Versioning 2.0.0, item 11). Raises BadParams for an invalid one."""
    found = _VERSION.fullmatch(version) if len(version) <= 64 else None
    if found is None:
        raise BadParams(f"'{version}' is not a version", hint="Write it as 1.2.3 or 1.2.3-rc.1 (https://semver.org).")
    major, minor, patch, early = found.groups()
    parts = tuple((0, int(part), "") if part.isdigit() else (1, 0, part) for part in (early or "").split(".") if part)
    return (int(major), int(minor), int(patch), not early, parts)


def path_error(path: str) -> str:
    """Return why a path is not portable, "" when it is valid."""
    parts = path.split("/")
    if len(path.encode("utf-8", "surrogatepass")) > _PATH_BYTES or len(parts) > _DEPTH:
        return "is too long"
    if any(part in ("", ".", "..") for part in parts):
        return "is outside the pack"
    if not path.isprintable() or not unicodedata.is_normalized("NFC", path) or set(path) & set('\\:*?"<>|'):
        return "has characters that some systems do not allow"
    if any(part.startswith(".") for part in parts):
        return "is hidden"
    if any(part.endswith((".", " ")) or part.startswith(" ") or _DEVICES.fullmatch(part) for part in parts):
        return "has a name that some systems do not allow"
    return "" if path.lower().endswith(SUFFIX) else f"is not markdown ({SUFFIX})"


def _check(manifest: Manifest) -> None:
    check_name(manifest.name)
    version_key(manifest.version)
    for name in ("description", "licence", "origin"):
        text = getattr(manifest, name)
        if len(text) > 500 or not text.isprintable():
            raise _error(f"'{name}' is longer than 500 characters or not a single line")
    if not manifest.files or len(manifest.files) > MAX_FILES:
        raise _error(f"a pack has 1 to {MAX_FILES:,} files, this one {len(manifest.files):,}")
    for file in manifest.files:
        flaw = path_error(file.path)
        if flaw:
            raise _error(f"the path '{file.path[:_PATH_BYTES]}' {flaw}")
        if not 0 <= file.size <= MAX_FILE_BYTES:
            raise _error(f"{file.path} is larger than {MAX_FILE_BYTES:,} bytes")
    if sum(file.size for file in manifest.files) > MAX_TOTAL_BYTES:
        raise _error(f"the files are larger than {MAX_TOTAL_BYTES:,} bytes together")
    clash = _find_clash(file.path for file in manifest.files)
    if clash:
        raise _error(f"'{clash}' is there twice, or as a file and a folder, on systems that ignore case")


def _find_clash(paths: Iterable[str]) -> str:
    """Return a path that would overwrite another one on some system, "" for none."""
    files: set[str] = set()
    folders: set[str] = set()
    for path in paths:
        folded = path.casefold()
        parents = {"/".join(folded.split("/")[:depth]) for depth in range(1, folded.count("/") + 1)}
        if folded in files or folded in folders or parents & files:
            return path
        files.add(folded)
        folders |= parents
    return ""


def _encode(plain: Mapping[str, Any]) -> bytes:
    first = {name: plain[name] for name in ("format", "name", "version", "description", "licence", "origin")}
    return (json.dumps({**first, **plain}, ensure_ascii=False, indent=2) + "\n").encode()


def _error(message: str) -> BadParams:
    return BadParams(f"this is no pack: {message}", hint=_HINT)
