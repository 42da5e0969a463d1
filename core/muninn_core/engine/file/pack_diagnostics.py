"""Faults in the files of a pack: an unreadable manifest, and files that differ from it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from muninn_core.errors import MuninnError
from muninn_core.protocol.families.reference import Fault
from muninn_core.regular_file import read_regular
from muninn_core.store.pack.manifest import MANIFEST, MAX_MANIFEST_BYTES, Manifest, matching_content, read_manifest

REINSTALL_HINT = "Install the pack again."
OWN_CHANGES_HINT = "Keep changes of your own in .muninn/knowledge."

_PACKS = ".muninn/packs/"


def is_packed(path: str) -> bool:
    """Whether a file (path relative to the root) belongs to a pack."""
    return path.startswith(_PACKS)


def manifest_faults(path: str, text: str) -> Iterator[Fault]:
    """Yield the fault of a manifest that cannot be read or belongs to another pack, if any."""
    try:
        manifest = read_manifest(text.encode("utf-8", "surrogatepass"))
    except MuninnError as error:
        line, column = _syntax_error(text)
        yield Fault(rule="packs", level="warning", message=error.message, line=line, column=column, hint=REINSTALL_HINT)
        return
    if manifest.name != _pack(path):
        message = f"the manifest is that of '{manifest.name}'"
        yield Fault(rule="packs", level="warning", message=message, line=1, hint=REINSTALL_HINT)


def edited_faults(root: Path, path: str, text: str) -> Iterator[Fault]:
    """Yield a fault for a pack's file that differs from the manifest; nothing when the manifest is unreadable."""
    folder = root / _PACKS / _pack(path)
    try:
        manifest = read_manifest(read_regular(folder / MANIFEST, MAX_MANIFEST_BYTES))
    except (OSError, MuninnError):
        return
    if not _is_unchanged(manifest, path.removeprefix(f"{_PACKS}{_pack(path)}/"), text):
        yield Fault(rule="packs", level="warning", message=edited_message(_pack(path)), line=1, hint=OWN_CHANGES_HINT)


def edited_message(pack: str) -> str:
    """Return the message about a file that differs from its pack's manifest."""
    return f"this differs from the pack {pack}: edited, deleted or added since"


def _is_unchanged(manifest: Manifest, path: str, text: str) -> bool:
    content = text.encode("utf-8", "surrogatepass")
    return any(file.path == path and matching_content(content, file) is not None for file in manifest.files)


def _pack(path: str) -> str:
    return path.removeprefix(_PACKS).partition("/")[0]


def _syntax_error(text: str) -> tuple[int, int]:
    """Return line and column of a JSON syntax error, (1, 1) for none."""
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        return error.lineno, error.colno
    except (ValueError, RecursionError):
        return 1, 1
    return 1, 1
