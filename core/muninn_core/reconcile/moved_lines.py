"""What is left of a definition or file whose name is nowhere any more: its lines, under another name."""

from __future__ import annotations

from collections.abc import Sequence

from muninn_core.model.memory import Cite
from muninn_core.reconcile.file_source import FileSource
from muninn_core.source.line_index import LineIndex, best_stretch, informative_words, similarity

ENOUGH = 0.5
"""This share of its telling lines must stand together."""

FEWEST = 4
"""So many of its lines must be left of a definition whose name is nowhere: fewer meet by chance."""

ASKED = 3
"""By how many of its lines, the longest, a definition is looked for in other files."""


def moved_lines(cite: Cite, own: LineIndex | None, tree: FileSource) -> tuple[str, int, int] | None:
    """Return the file, first and last line where most lines of a definition stand together; None when none has most.

    Only lines count that stood nowhere else in its file, nor in the one where they stand now: others say nothing. `own`
    is the cited file as it is now. Raises Unknown.
    """
    old = tree.old_page(cite.commit, cite.path) if cite.commit and cite.symbol and cite.start else None
    if old is None:
        return None
    lines = old.span(cite.start, cite.end)
    around = {*informative_words(old.span(1, cite.start - 1)), *informative_words(old.span(cite.end + 1, old.length))}
    telling = set(informative_words(lines))
    wanted = telling - around
    enough = max(FEWEST, ENOUGH * len(telling))
    if len(wanted) < enough:
        return None
    pages = [own, *(tree.page(path) for path in tree.elsewhere(cite.commit, cite.path, *_longest(lines, wanted)))]
    best: tuple[int, int, int, str] = (0, 0, 0, "")
    for page in pages:
        before = tree.old_page(cite.commit, page.path) if page and page is not own and cite.commit else None
        left = wanted - set(informative_words(before.lines)) if before else wanted
        if page:
            best = max(best, (*best_stretch(page, left, 2 * len(lines)), page.path), key=lambda one: one[0])
    count, start, end, path = best
    return (path, start, end) if count >= enough else None


def likest(old: LineIndex, commit: str, tree: FileSource) -> str | None:
    """Return the new file that has at least half of the lines of one that a commit had, and half of its own from there.

    Git calls that a rename, when one commit does both. A file that says nothing is like no other. Raises Unknown.
    """
    asked = _longest(old.lines, set(informative_words(old.lines)))
    best: tuple[float, str] | None = None
    for path in tree.elsewhere(commit, old.path, *asked) if asked else ():
        page = tree.page(path)
        if page is None or tree.old_page(commit, path) is not None:
            continue  # what was there already is no other file's new name
        share = min(similarity(old.lines, page.lines), similarity(page.lines, old.lines))
        if share >= ENOUGH and (best is None or (-share, path) < best):
            best = (-share, path)
    return best[1] if best else None


def _longest(lines: Sequence[str], wanted: set[str]) -> list[str]:
    """Return the lines by which others are looked for: the longest of the wanted ones."""
    return sorted(
        {line.strip() for line in lines if " ".join(line.split()) in wanted}, key=lambda one: (len(one), one)
    )[-ASKED:]
