"""The error for a path that a client names and the index does not have."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from muninn_core.errors import NotFoundError
from muninn_core.launch.repository_location import nested_advice, nested_root
from muninn_core.near_match import nearest_path


def unknown_file(root: Path, path: str, known: Iterable[str]) -> NotFoundError:
    """Return the error for a path below `root` that is none of the `known` ones: a folder, left out, or missing."""
    found = root / path
    if nested := nested_root(str(root), path):
        return NotFoundError(f"{path} is not indexed: {nested} is a repository of its own", hint=nested_advice(nested))
    if found.is_dir():
        return NotFoundError(f"{path} is a folder", hint=f"`muninn tree {path}` shows its files.")
    if found.exists():
        reason = f"{path} is not read: it is ignored, binary or larger than index.max_file_bytes"
        return NotFoundError(reason, hint="`.gitignore`, `.muninnignore` and index.exclude say what is left out.")
    near = nearest_path(path, known)
    hint = f"Did you mean {near}?" if near else "`muninn files` lists the files."
    return NotFoundError(f"there is no file {path}", hint=hint, data={"nearest": near} if near else {})
