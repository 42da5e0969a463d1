"""The paths below `.muninn`, and the files of a new one (docs/formats/layout.md)."""

from __future__ import annotations

import os
from pathlib import Path

from muninn_core.model.value import Value
from muninn_core.source.documents.knowledge_readme import KNOWLEDGE_README
from muninn_core.store.files.disk import write_atomic

_GITIGNORE = """\
# Rebuilt or private: never in git.
cache/
local/
*.tmp
"""

_GITATTRIBUTES = """\
# Each line is a record, in any order: a merge keeps the lines of both sides.
memory/**/*.jsonl text eol=lf merge=union
"""

DRAFTS = "drafts"
"""The folder in `local` of files in which people write memories."""

KEEP_FILE = ".gitkeep"
"""Keeps `sessions` in git when it is otherwise empty. Without it, git would treat the folder as renamed to where its
files went, and report conflicts about new files of other branches."""


class Layout(Value):
    """The paths of one work tree. `local` and `cache` of a linked one lie in the git common directory."""

    root: Path
    muninn: Path
    memory: Path
    main: Path
    sessions: Path
    archive: Path
    knowledge: Path
    context_files: Path
    packs: Path
    local: Path
    spool: Path
    private: Path
    undo: Path
    contexts: Path
    cache: Path
    config: Path

    def relative(self, path: str | Path) -> str:
        """Return a path relative to the root, with slashes; one outside of the root unchanged."""
        shown, below = str(path), os.path.join(self.root, "")  # noqa: PTH118 - called for thousands of files; pathlib is slower
        return shown.removeprefix(below).replace(os.sep, "/") if shown.startswith(below) else shown


def layout_of(root: Path, local: Path | None = None, cache: Path | None = None) -> Layout:
    """Return the paths of the work tree at `root`. No file is read. `local` and `cache` lie in `.muninn` by default."""
    muninn = Path(root) / ".muninn"
    memory = muninn / "memory"
    local_folder = Path(local) if local is not None else muninn / "local"
    return Layout(
        root=Path(root),
        muninn=muninn,
        memory=memory,
        main=memory / "main.jsonl",
        sessions=memory / "sessions",
        archive=memory / "archive",
        knowledge=muninn / "knowledge",
        context_files=muninn / "context",
        packs=muninn / "packs",
        local=local_folder,
        spool=local_folder / "spool",
        private=local_folder / "private",
        undo=local_folder / "undo",
        contexts=local_folder / "contexts",
        cache=Path(cache) if cache is not None else muninn / "cache",
        config=muninn / "config.yaml",
    )


def own_folders(layout: Layout) -> tuple[Path, ...]:
    """Return the folders that Muninn writes to, outermost first. None of them may be a link."""
    return (
        *(layout.muninn, layout.memory, layout.sessions, layout.archive, layout.packs, layout.local, layout.cache),
        *(layout.spool, layout.private, layout.undo, layout.contexts),
    )


def shared_layout(folder: Path) -> Layout:
    """Return the paths of the user's global memory, which has only a log with spools; touches no file."""
    root = Path(folder)
    return Layout(
        root=root,
        muninn=root,
        memory=root / "memory",
        main=root / "memory" / "main.jsonl",
        sessions=root / "memory" / "sessions",
        archive=root / "memory" / "archive",
        knowledge=root / "knowledge",
        context_files=root / "context",
        packs=root / "packs",
        local=root,
        spool=root / "spool",
        private=root / "private",
        undo=root / "undo",
        contexts=root / "contexts",
        cache=root / "cache",
        config=root / "config.yaml",
    )


def initialise(layout: Layout, config_text: str) -> tuple[str, ...]:
    """Write the files of a new `.muninn` that do not exist yet and return them, relative to the root.

    Raises StorageError or ReadOnlyError.
    """
    contents = {
        layout.config: config_text,
        layout.muninn / ".gitignore": _GITIGNORE,
        layout.muninn / ".gitattributes": _GITATTRIBUTES,
        layout.knowledge / "README.md": KNOWLEDGE_README,
    }
    return _write_missing(layout, contents)


def prepare_memory(layout: Layout) -> tuple[str, ...]:
    """Write the two empty files of a new memory that do not exist yet and return them, relative to the root.

    `main.jsonl` exists from the first commit on: otherwise one branch could change it while another lacks it.
    Raises StorageError or ReadOnlyError.
    """
    return _write_missing(layout, {layout.main: "", layout.sessions / KEEP_FILE: ""})


def _write_missing(layout: Layout, contents: dict[Path, str]) -> tuple[str, ...]:
    missing = [path for path in contents if not path.exists()]
    for path in missing:
        write_atomic(path, contents[path].encode(), tracked=True)
    return tuple(layout.relative(path) for path in missing)
