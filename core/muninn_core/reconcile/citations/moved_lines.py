"""Finds the lines of a definition or file that has moved and changed its name."""

from __future__ import annotations

from collections.abc import Sequence

from muninn_core.model.memory import Cite
from muninn_core.reconcile.citations.file_source import FileSource, page_of_other
from muninn_core.source.chunks.line_index import LineIndex, densest_range, informative_words, similarity

MIN_SHARE = 0.5
"""The share of the distinctive lines that must be found together."""

MIN_LINES = 4
"""The minimum number of lines of a renamed definition. Fewer lines may match by chance."""

QUERY_LINES = 3
"""The number of lines, the longest, by which other files are searched."""

MAX_QUERY_LINES = 12
"""The same for a definition with many lines, of which half may have changed."""


def moved_lines(cite: Cite, own: LineIndex | None, tree: FileSource) -> tuple[str, int, int] | None:
    """Return file, first and last line where half of the lines of a definition are together; None for none.

    Half of its distinctive lines must be among them, those that were nowhere else in the old file and in the new one.
    `own` is the cited file as it is now. Raises Unknown.
    """
    old = tree.old_page(cite.commit, cite.path) if cite.commit and cite.symbol and cite.start else None
    if old is None:
        return None
    lines = old.span(cite.start, cite.end)
    around = {*informative_words(old.span(1, cite.start - 1)), *informative_words(old.span(cite.end + 1, old.length))}
    telling = set(informative_words(lines))
    wanted = telling - around
    enough = max(MIN_LINES, MIN_SHARE * len(wanted))
    if len(wanted) < enough:
        return None
    asked = _longest(lines, wanted, max(QUERY_LINES, min(len(wanted) // 2 + 1, MAX_QUERY_LINES)))  # one of them is left
    pages = [own, *(page_of_other(tree, path) for path in tree.elsewhere(cite.commit, cite.path, *asked))]
    best: tuple[int, int, int, str] = (0, 0, 0, "")
    for page in pages:
        before = tree.old_page(cite.commit, page.path) if page and page is not own and cite.commit else None
        left = wanted - set(informative_words(before.lines)) if before else wanted
        if page:
            best = max(best, (*densest_range(page, left, 2 * len(lines)), page.path), key=lambda one: one[0])
    count, start, end, path = best
    page = next((page for page in pages if page and page.path == path), None)
    if count < enough or page is None:
        return None
    room = max(0, len(lines) - (end - start + 1))  # the other lines may be before and after the distinctive ones
    near = informative_words(page.span(max(1, start - room), end + room))
    if len(telling.intersection(near)) < MIN_SHARE * len(telling):
        return None
    former = tree.former_page(cite.commit, path) if cite.commit and (own is None or path != own.path) else None
    if former is None or former.path == cite.path:
        return path, start, end
    if len(wanted - set(informative_words(former.lines))) < enough:
        return None  # they were there before, in another file that was renamed
    return path, start, end


def most_similar_file(old: LineIndex, commit: str, tree: FileSource) -> str | None:
    """Return the new file that shares at least half of its lines, both ways, with a file at a commit; None for none.

    Git calls that a rename when one commit does both. A file without distinctive lines matches none. Raises Unknown.
    """
    asked = longest_lines(old.lines)
    best: tuple[float, str] | None = None
    for path in tree.elsewhere(commit, old.path, *asked) if asked else ():
        page = page_of_other(tree, path)
        if page is None or tree.old_page(commit, path) is not None:
            continue  # a file that existed before is not a rename
        share = min(similarity(old.lines, page.lines), similarity(page.lines, old.lines))
        if share >= MIN_SHARE and (best is None or (-share, path) < best):
            best = (-share, path)
    return best[1] if best else None


def longest_lines(lines: Sequence[str]) -> list[str]:
    """Return the longest informative lines, by which other files are searched."""
    return _longest(lines, set(informative_words(lines)), QUERY_LINES)


def _longest(lines: Sequence[str], wanted: set[str], count: int) -> list[str]:
    """Return the longest of the wanted lines, to search other files with."""
    return sorted(
        {line.strip() for line in lines if " ".join(line.split()) in wanted}, key=lambda one: (len(one), one)
    )[-count:]
