"""Where a work tree's private files are, and how those of a removed work tree are adopted."""

from __future__ import annotations

from pathlib import Path

from muninn_core.launch.place import Place
from muninn_core.store.layout import Layout, layout_of


def layout_at(place: Place) -> Layout:
    """Return the layout of a work tree.

    `git worktree remove` deletes ignored files, so a linked work tree keeps its `local` folder in the repository's
    git directory, where nothing removes it.
    """
    if not place.linked:
        return layout_of(Path(place.root))
    return layout_of(Path(place.root), Path(place.local))


def adopt_orphans(place: Place, layout: Layout) -> list[str]:
    """Move the spools and private memories of removed linked work trees here; return their sessions.

    Only the main work tree does this. Files are moved, never merged: a session's file name is unique.
    """
    if place.linked or not place.git_dir or not _locals(place).is_dir():
        return []
    adopted = []
    for folder in sorted(_locals(place).iterdir()):
        if (Path(place.identity) / "worktrees" / folder.name).exists():
            continue
        for kept in (layout.spool, layout.private):
            for file in sorted((folder / kept.name).glob("*.jsonl")):
                home = kept / file.name
                if not home.exists():
                    kept.mkdir(parents=True, exist_ok=True)
                    file.replace(home)
                    adopted.append(file.stem)
    return adopted


def _locals(place: Place) -> Path:
    return Path(place.identity) / "muninn"
