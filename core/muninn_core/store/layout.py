"""Where everything lies under `.muninn`, and the writing of a new folder (docs/formats/layout.md)."""

from __future__ import annotations

import os
from pathlib import Path

from muninn_core.model.value import Value
from muninn_core.store.disk import write_whole

_GITIGNORE = """\
# Rebuilt or private: never in git.
cache/
local/
*.tmp
"""

_GITATTRIBUTES = """\
# Records are lines that stand alone, in any order: a merge keeps those of both sides.
memory/**/*.jsonl text eol=lf merge=union
"""

KEEP = ".gitkeep"
"""In `sessions`, so that git never sees that folder end: it would take it as renamed to where its files went, and have
conflicts about the new ones of other branches."""

KNOWLEDGE_README = """\
# Knowledge

Markdown files in this folder are what the project's people have written down: conventions, decisions, a glossary.
Muninn finds them by words and by meaning.

A file may begin with frontmatter:

    ---
    type: convention          # convention, decision, glossary, guide or a word of your own
    domain: error-handling    # what it is about
    confidence: high          # high, medium or low
    source: team-decision     # where it comes from
    ---
"""


class Layout(Value):
    """The paths of one work tree. `local` may lie elsewhere: a linked worktree's lies with the main one."""

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
        """Return a path as people see it: relative to the root with slashes, or whole when it lies outside."""
        shown, below = str(path), os.path.join(self.root, "")  # noqa: PTH118 - of thousands of files pathlib is felt
        return shown.removeprefix(below).replace(os.sep, "/") if shown.startswith(below) else shown


def layout_of(root: Path, local: Path | None = None) -> Layout:
    """Return the paths of the work tree at `root`; touches no file."""
    muninn = Path(root) / ".muninn"
    memory = muninn / "memory"
    own = Path(local) if local is not None else muninn / "local"
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
        local=own,
        spool=own / "spool",
        private=own / "private",
        undo=own / "undo",
        contexts=own / "contexts",
        cache=muninn / "cache",
        config=muninn / "config.yaml",
    )


def shared_layout(folder: Path) -> Layout:
    """Return the paths of the user's global memory, which is a log with spools and nothing else; touches no file."""
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
    """Write what a new `.muninn` needs and return the files made, relative to the root; never overwrites one.

    Raises StorageError or ReadOnlyError.
    """
    wanted = {
        layout.config: config_text,
        layout.muninn / ".gitignore": _GITIGNORE,
        layout.muninn / ".gitattributes": _GITATTRIBUTES,
        layout.knowledge / "README.md": KNOWLEDGE_README,
    }
    return _write_missing(layout, wanted)


def prepare_memory(layout: Layout) -> tuple[str, ...]:
    """Write the two empty files that memory begins with and return those made; never overwrites one.

    `main.jsonl` is there from the first commit on, so that no branch changes it while another one lacks it.
    Raises StorageError or ReadOnlyError.
    """
    return _write_missing(layout, {layout.main: "", layout.sessions / KEEP: ""})


def _write_missing(layout: Layout, wanted: dict[Path, str]) -> tuple[str, ...]:
    missing = [path for path in wanted if not path.exists()]
    for path in missing:
        write_whole(path, wanted[path].encode())
    return tuple(layout.relative(path) for path in missing)
