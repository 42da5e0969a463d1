"""Recognises the memory of another tool by its content, and makes records of it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from muninn_core.capture.foreign import basic_memory, beads_memory, claude_mem, mcp_memory
from muninn_core.capture.foreign.basic_memory import Note
from muninn_core.capture.foreign.foreign_memory import ForeignMemories, ForeignMemory, malformed
from muninn_core.config import IndexConfig
from muninn_core.errors import BadParams, NotFoundError
from muninn_core.model.value import decode_json, replace
from muninn_core.regular_file import FileTooLarge, read_regular
from muninn_core.source.files.path_containment import is_utf8
from muninn_core.source.listing.walk import recheck
from muninn_core.store.records.draft import memory_record
from muninn_core.store.records.ids import derived_id
from muninn_core.store.records.record import MalformedRecord, Record, make_record
from muninn_core.store.records.timestamps import normalise, timestamp

MAX_NOTES = 20_000
"""The most notes of a folder that are imported."""

MAX_NOTE_BYTES = 1_000_000
"""A larger note is refused: a memory is at most a megabyte."""

HINT = (
    "It reads bundles of `muninn export`, the file of the MCP memory server, folders of basic-memory, and exports of"
    " claude-mem and beads; docs/portability.md describes them."
)
_WORDS = (b'"entityType"', b'"relationType"', b'"_type"', b'"issue_type"', b"beads-jsonl")
_SQLITE = b"SQLite format 3\0"


def read_file(root: Path, path: Path, content: bytes, settings: IndexConfig) -> ForeignMemories | None:
    """Return the memory of another tool in a file; None when no tool's format is recognised.

    Raises BadParams, also for a note that is a document of the repository at `root`, which has the `settings`.
    """
    if content.startswith(_SQLITE):
        raise BadParams(
            f"{path} is a database of SQLite, and other tools change its tables",
            hint="Export it: claude-mem has scripts/export-memories.ts. Of basic-memory, name the folder of notes.",
        )
    if path.suffix.lower() == ".md":
        found = _of_notes([path], path.parent)
        if found is not None:
            _check_not_indexed(root, [path], settings)
        return found
    if b'"observations"' in content and claude_mem.is_export(value := _value(content)):
        return claude_mem.read_export(path.name, value)
    if any(word in content for word in _WORDS):  # a bundle, whose lines need not be decoded for this, has none of them
        for line in content.split(b"\n"):
            value = _value(line)
            if mcp_memory.is_graph_line(value):
                return mcp_memory.read_graph(path.name, content)
            if beads_memory.is_export_line(value):
                return beads_memory.read_export(path.name, content)
    return None


def read_folder(root: Path, folder: Path, settings: IndexConfig) -> ForeignMemories:
    """Return the memory in a folder of notes. Raises as `read_file`, and BadParams for a folder without notes."""
    paths = list(_markdown(folder))
    found = _of_notes(paths, folder)
    if found is None:
        raise BadParams(
            f"the folder {folder} has no notes of basic-memory: none of its {len(paths):,} Markdown files has an"
            " observation, a relation or a permalink",
            hint=HINT,
        )
    _check_not_indexed(root, paths, settings)
    return found


def _check_not_indexed(root: Path, paths: list[Path], settings: IndexConfig) -> None:
    """Raise BadParams when one of some notes is indexed in place already."""
    here = root.resolve()
    real = [path.resolve() for path in paths]
    inside = [path.relative_to(here).as_posix() for path in real if path.is_relative_to(here)]
    if inside and (indexed := recheck(root, inside, settings).files):
        raise BadParams(
            f"the note {indexed[0].path} is a document of this repository, which `recall` finds already",
            hint="Nothing was stored: answers would have it twice. To import it, exclude its folder in .muninnignore.",
        )


def records_of(path: Path, found: ForeignMemories, root: Path) -> tuple[Record, ...]:
    """Return the records of another tool's memories, one per key. Raises BadParams.

    A memory without a time gets that of the file. Files that `root` does not have are left out.
    """
    changed = timestamp(datetime.fromtimestamp(path.stat().st_mtime, UTC))
    records: dict[str, Record] = {}
    for memory in found.memories:
        if memory.draft.key not in records:
            records[memory.draft.key or ""] = _record(memory, found.slug, changed, root)
    return tuple(records.values())


def _record(memory: ForeignMemory, slug: str, changed: str, root: Path) -> Record:
    draft = memory.draft
    if draft.files:
        draft = replace(draft, files=tuple(file for each in draft.files if (file := _existing(root, each))))
    try:
        ts = normalise(memory.time) if memory.time else changed
        record: dict[str, Any] = memory_record(
            draft,
            id=derived_id(ts, (draft.key or "").encode()),
            ts=ts,
            session=f"import-{slug}",
            branch=None,
            commit=None,
        )
        return make_record({**record, "imported_from": {"tool": slug, "place": memory.place}})
    except (ValueError, MalformedRecord) as error:
        raise malformed(memory.place, str(error)) from None


def _existing(root: Path, file: str) -> str:
    """Return a file relative to the root; "" for one that does not exist there."""
    path = os.path.normpath(os.path.join(root, file)) if "\0" not in file else ""  # noqa: PTH118
    if not path.startswith(f"{root}{os.sep}") or not os.path.isfile(path):  # noqa: PTH113
        return ""
    return Path(path).relative_to(root).as_posix()


def _value(text: bytes) -> Any:
    """Return the value of a JSON text; None for other texts."""
    try:
        return decode_json(text.removeprefix(b"\xef\xbb\xbf"))
    except ValueError:
        return None


def _markdown(folder: Path) -> Iterator[Path]:
    """Yield the Markdown files below a folder by path, without links and hidden ones.

    Raises BadParams or NotFoundError.
    """
    folders, found = [folder], []
    while folders:
        inner = folders.pop()
        try:
            entries = sorted(os.scandir(inner), key=lambda entry: entry.name)
        except OSError as error:
            raise NotFoundError(f"the folder {inner} can't be read: {error.strerror}", hint=HINT) from None
        for entry in entries:
            if entry.name.startswith(".") or entry.name == "node_modules":
                continue
            if entry.is_dir(follow_symlinks=False):
                folders.append(Path(entry.path))
            elif entry.name.lower().endswith(".md") and entry.is_file(follow_symlinks=False):
                found.append(Path(entry.path))
        if len(found) > MAX_NOTES:
            raise BadParams(
                f"the folder {folder} has more than {MAX_NOTES:,} notes", hint="Import its folders one by one."
            )
    yield from sorted(found)


def _of_notes(paths: list[Path], folder: Path) -> ForeignMemories | None:
    notes = [_note(path, folder) for path in paths]
    return basic_memory.read_notes(notes) if any(basic_memory.is_note(note.text) for note in notes) else None


def _note(path: Path, folder: Path) -> Note:
    name = path.relative_to(folder).as_posix()
    if not is_utf8(name):
        raise malformed(repr(name), "the name is not UTF-8")
    try:
        content = read_regular(path, MAX_NOTE_BYTES, follow=False)
        text = content.decode("utf-8-sig")
        time = timestamp(datetime.fromtimestamp(path.stat().st_mtime, UTC))
    except UnicodeDecodeError as error:
        raise malformed(f"{name}:{content.count(10, 0, error.start) + 1}", "the text is not UTF-8") from None
    except FileTooLarge as error:
        raise malformed(name, str(error.strerror)) from None
    except OSError as error:
        raise NotFoundError(f"{path} can't be read: {error.strerror}", hint="Nothing was stored.") from None
    return Note(name, text.replace("\r\n", "\n"), time)
