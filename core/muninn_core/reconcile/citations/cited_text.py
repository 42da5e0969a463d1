"""Where the cited text, or what is left of it, is in a file."""

from __future__ import annotations

from muninn_core.model.memory import Cite
from muninn_core.reconcile.citations.file_source import FileSource
from muninn_core.reconcile.citations.moved_lines import longest_lines
from muninn_core.reconcile.citations.successors import MIN_SHARE
from muninn_core.source.chunks.line_index import (
    LineIndex,
    Mark,
    informative_words,
    is_informative,
)
from muninn_core.source.code.extent import Extent, innermost_extent

MIN_LINES = 3
"""A span of fewer lines and without a symbol occurs in many places. Only git can tell which one is meant."""


def find_text(cite: Cite, mark: Mark, page: LineIndex, meant: list[Extent], tree: FileSource) -> tuple[int, int] | None:
    """Return where the marked text is in a file. A copy does not count while the symbol of the original exists."""
    spots = page.find(mark) or reformatted(cite, page, tree)
    if meant:
        inside = [spot for spot in spots if any(_is_within(spot, one) or _is_whole_with(spot, one) for one in meant)]
        spots = inside or (spots if len(spots) == 1 and mark.lines >= MIN_LINES and _was_once(cite, mark, tree) else [])
    elif spots and (mark.lines < MIN_LINES or len(spots) > 1):
        left = surviving_lines(cite, mark, page, tree)
        if left or mark.lines < MIN_LINES:
            spots = [spot for spot in spots if left and spot[0] <= left[1] and left[0] <= spot[1]]
    return min(spots, key=lambda spot: (abs(spot[0] - cite.start), spot), default=None)


def _is_within(spot: tuple[int, int], one: Extent) -> bool:
    return one.start <= spot[0] and spot[1] <= one.end


def _is_whole_with(spot: tuple[int, int], one: Extent) -> bool:
    """Whether a text begins with a definition and goes on below it: other indentation gives it another end."""
    return spot[0] == one.start and one.end <= spot[1]


def reformatted(cite: Cite, page: LineIndex, tree: FileSource) -> list[tuple[int, int]]:
    """Return where the cited lines are with other blanks. Their mark then differs: `f (x)`, `f(x)`."""
    old = tree.old_page(cite.commit, cite.path) if cite.commit and cite.start else None
    return page.find_ignoring_blanks(old.span(cite.start, cite.end)) if old else []


def surviving_lines(cite: Cite, mark: Mark, page: LineIndex, tree: FileSource) -> tuple[int, int] | None:
    """Return the range of a span's surviving lines by git's diff from its commit; None for too few."""
    hunks = tree.hunks(cite.commit, cite.path, page.path) if cite.commit and cite.start else None
    if hunks is None:
        return None
    kept: list[int] = []
    replaced: list[int] = []
    at, shift = cite.start, 0
    for hunk in hunks:
        first = hunk.start if hunk.count else hunk.start + 1  # for an insertion git gives the line before it
        last = first + hunk.count - 1
        kept += range(at + shift, min(first - 1, cite.end) + shift + 1)
        at = max(at, last + 1)
        if first <= cite.end and last >= cite.start and hunk.new_count and hunk.count <= 3 * _size(cite):
            replaced += [hunk.new_start, hunk.new_start + hunk.new_count - 1]
        shift += hunk.new_count - hunk.count
    kept += range(at + shift, cite.end + shift + 1)
    stand = [page.lines[line - 1] for line in kept if line <= page.length and page.lines[line - 1].strip()]
    telling = sum(map(is_informative, stand))
    if not cite.symbol:
        left = bool(telling or replaced)  # only the place identifies it, so a single line and edited lines count, too
    elif is_part(cite, tree):
        left = telling > 0
    else:
        old = tree.old_page(cite.commit, cite.path) if cite.commit else None
        every = len(informative_words(old.span(cite.start, cite.end))) if old else telling + mark.lines - len(stand)
        left = 0 < telling >= MIN_SHARE * every
    if not left:
        return None
    found = kept if len(kept) == _size(cite) else kept + replaced
    return (min(found), max(found)) if max(found) <= page.length else None  # otherwise the commit had other lines there


def is_part(cite: Cite, tree: FileSource) -> bool:
    """Whether a cite is of some lines in a definition, without its head."""
    old = tree.old_page(cite.commit, cite.path) if cite.commit and cite.start else None
    around = innermost_extent(old.extents, cite.start, cite.end) if old else None
    return around is not None and around.start < cite.start


def _was_once(cite: Cite, mark: Mark, tree: FileSource) -> bool:
    """Whether cited lines that are no whole definition were once in their file, so that equal lines are no copy."""
    old = tree.old_page(cite.commit, cite.path) if cite.commit and cite.start else None
    if old is None:
        return False
    around = innermost_extent(old.extents, cite.start, cite.end)
    return (around is None or around.start < cite.start) and len(old.find(mark)) == 1


def longest_word(cite: Cite, tree: FileSource) -> str:
    """Return the longest of the cited words between blanks; a file without it does not have the text."""
    old = tree.old_page(cite.commit, cite.path) if cite.commit and cite.start else None
    words = [word for line in old.span(cite.start, cite.end) for word in line.split()] if old else []
    return max(words, key=len, default="")


def longest_cited_lines(cite: Cite, tree: FileSource) -> list[str]:
    """Return the longest of the cited lines as they were, by which other files are searched; [] when unknown."""
    old = tree.old_page(cite.commit, cite.path) if cite.commit and cite.start else None
    return longest_lines(old.span(cite.start, cite.end)) if old else []


def _size(cite: Cite) -> int:
    return cite.end - cite.start + 1
