"""What is wrong in the files of a pack: a manifest that can't be read, and files that are not as it says."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from muninn_core.errors import MuninnError
from muninn_core.protocol.reference import Fault
from muninn_core.store.pack.manifest import MANIFEST, MAX_MANIFEST_BYTES, Manifest, matching_content, read_manifest

ANEW = "Take the pack in anew."
ELSEWHERE = "Keep changes of your own in .muninn/knowledge."

_PACKS = ".muninn/packs/"


def is_packed(path: str) -> bool:
    """Whether a file (relative to the root) belongs to a pack: its links and words are the affair of its author."""
    return path.startswith(_PACKS)


def manifest_faults(path: str, text: str) -> Iterator[Fault]:
    """Yield why a manifest can't be read; there is at most one reason."""
    try:
        manifest = read_manifest(text.encode("utf-8", "surrogatepass"))
    except MuninnError as error:
        line, column = _broken(text)
        yield Fault(rule="packs", level="warning", message=error.message, line=line, column=column, hint=ANEW)
        return
    if manifest.name != _pack(path):
        said = f"its manifest is that of '{manifest.name}'"
        yield Fault(rule="packs", level="warning", message=said, line=1, hint=ANEW)


def edited_faults(root: Path, path: str, text: str) -> Iterator[Fault]:
    """Yield that a file of a pack is not what the pack says; nothing where its manifest can't be read."""
    folder = root / _PACKS / _pack(path)
    try:
        with (folder / MANIFEST).open("rb") as file:
            manifest = read_manifest(file.read(MAX_MANIFEST_BYTES + 1))
    except (OSError, MuninnError):
        return
    if not _is_as(manifest, path.removeprefix(f"{_PACKS}{_pack(path)}/"), text):
        yield Fault(rule="packs", level="warning", message=edited(_pack(path)), line=1, hint=ELSEWHERE)


def edited(pack: str) -> str:
    """Return what is said of a file that is not as its pack has it."""
    return f"this is not what the pack {pack} says: edited, deleted or added since"


def _is_as(manifest: Manifest, path: str, text: str) -> bool:
    content = text.encode("utf-8", "surrogatepass")
    return any(file.path == path and matching_content(content, file) is not None for file in manifest.files)


def _pack(path: str) -> str:
    return path.removeprefix(_PACKS).partition("/")[0]


def _broken(text: str) -> tuple[int, int]:
    """Return line and column of what is no JSON, (1, 1) where all of it is."""
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        return error.lineno, error.colno
    except (ValueError, RecursionError):
        return 1, 1
    return 1, 1
