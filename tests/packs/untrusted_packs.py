"""Packs as strangers may make them: manifests, folders and archives, right and wrong."""

from __future__ import annotations

import hashlib
import io
import json
import stat
import tarfile
import zipfile
from pathlib import Path
from typing import Any

ERRORS = b"---\ntype: convention\ntags: [errors]\n---\n\n# Errors\n\nAn error says what is wrong.\n"
FILES = {"style/errors.md": ERRORS, "glossary.md": b"# Glossary\n\nA berth is a place for a ship.\n"}


def manifest(contents: dict[str, bytes] = FILES, /, **changes: Any) -> dict[str, Any]:
    """A manifest as the format document says; `changes` come before its checksum is taken."""
    plain = {
        "format": 1,
        "name": "house-style",
        "version": "1.0.0",
        "files": [
            {"path": path, "size": len(contents[path]), "sha256": hashlib.sha256(contents[path]).hexdigest()}
            for path in sorted(contents)
        ],
        **changes,
    }
    text = json.dumps(plain, sort_keys=True, separators=(",", ":"))
    return {"checksum": hashlib.sha256(text.encode()).hexdigest(), **plain}


def folder(path: Path, files: dict[str, bytes] = FILES, plain: dict[str, Any] | None = None) -> Path:
    """Write a pack as a folder."""
    for name, content in {**files, "pack.json": json.dumps(plain or manifest(files)).encode()}.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_bytes(content)
    return path


def tar(
    path: Path, files: dict[str, bytes] = FILES, *more: tarfile.TarInfo, plain: dict[str, Any] | None = None
) -> Path:
    """Write a pack as .tar.gz, with members that no pack has."""
    with tarfile.open(path, "w:gz") as archive:
        for name, content in {"pack.json": json.dumps(plain or manifest(files)).encode(), **files}.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
        for member in more:
            archive.addfile(member, io.BytesIO(b"x" * member.size))
    return path


def member(name: str, kind: bytes = tarfile.REGTYPE, target: str = "", size: int = 0) -> tarfile.TarInfo:
    """A member of a tar archive."""
    made = tarfile.TarInfo(name)
    made.type, made.linkname, made.size = kind, target, size
    return made


def zipped(path: Path, files: dict[str, bytes] = FILES, links: dict[str, str] | None = None) -> Path:
    """Write a pack as .zip, with symbolic links."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in {"pack.json": json.dumps(manifest(files)).encode(), **files}.items():
            archive.writestr(name, content)
        for name, target in (links or {}).items():
            made = zipfile.ZipInfo(name)
            made.create_system, made.external_attr = 3, (stat.S_IFLNK | 0o777) << 16
            archive.writestr(made, target)
    return path
