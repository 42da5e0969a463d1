"""Does the code still say what a memory was made from? One cite, judged against one work tree.

It depends on neither git nor a cache: a `FileSource` answers for both. Cheap questions come first; the source may
refuse an expensive one by raising `Unknown`.
"""

from __future__ import annotations

from muninn_core.model.citation import Citation, CiteState, place
from muninn_core.model.memory import Cite
from muninn_core.reconcile.file_source import FileSource, Unknown
from muninn_core.reconcile.moved_lines import likest, moved_lines
from muninn_core.source.extent import Extent, innermost_extent
from muninn_core.source.line_index import LineIndex, Mark, is_informative, make_mark, read_mark, similarity

ENOUGH = 0.5
"""Of a span whose symbol is not found, this share must have survived, else it is gone. Git's own bound for renames."""

ENOUGH_THERE = 0.25
"""The same of a definition of the same name in a file of the same name in another folder."""

TRIVIAL = 3
"""A span of fewer lines that has no symbol stands in many places: only git says which of them is meant."""


def judge(cite: Cite, tree: FileSource) -> Citation:
    """Return the state of a cite. Raises Unknown when the source can't answer; see `unchecked`."""
    return _whole_file(cite, tree) if not (cite.start or cite.symbol) else _span(cite, tree)


def unchecked(cite: Cite, why: Unknown) -> Citation:
    """Return a cite as `unchecked`, at the place that the memory names; the note says why it was not compared."""
    return _at(cite, "unchecked", cite.path, (cite.start, cite.end), note=str(why))


def _whole_file(cite: Cite, tree: FileSource) -> Citation:
    """A file that is cited as a whole is there, has another name, or is gone; what it says is not compared."""
    if tree.exists(cite.path):
        return _at(cite, "fresh", cite.path)
    now = tree.renamed(cite.commit, cite.path) if cite.commit else None
    if now is None and cite.commit:
        old = tree.old_page(cite.commit, cite.path)
        if old is None:
            raise Unknown("the commit that it was cited at does not have it")
        now = likest(old, cite.commit, tree)
    return _at(cite, "moved", now) if now else _at(cite, "gone", cite.path)


def _span(cite: Cite, tree: FileSource) -> Citation:
    page = tree.page(cite.path)
    mark = read_mark(cite.hash)
    if page and mark and cite.start and page.matches(mark, cite.start, cite.end):
        return _at(cite, "fresh", cite.path, (cite.start, cite.end))
    mark = mark or _mark_at_commit(cite, tree)
    found = _in_page(cite, mark, page, tree) if page else None
    if found is None or (found.state == "drifted" and page and _namesake(cite, page)):
        other = _in_other(cite, mark, page, tree)
        found = other if other and (found is None or other.state == "moved") else found
    if found:
        return found
    left = moved_lines(cite, page, tree)
    return _at(cite, "drifted", left[0], left[1:]) if left else _at(cite, "gone", cite.path, (cite.start, cite.end))


def _namesake(cite: Cite, page: LineIndex) -> bool:
    """Whether a file defines a cite's name in other classes only: then the text itself may be in another file."""
    symbol = f".{cite.symbol}"
    return "." in (cite.symbol or "") and not any(
        f".{one.name}".endswith(symbol) for one in page.find_named(cite.symbol or "")
    )


def _mark_at_commit(cite: Cite, tree: FileSource) -> Mark | None:
    """Return the mark of a cite that carries none, from the text that its commit has there."""
    old = tree.old_page(cite.commit, cite.path) if cite.commit and cite.start else None
    return read_mark(make_mark(old.span(cite.start, cite.end))) if old else None


def _in_page(cite: Cite, mark: Mark | None, page: LineIndex, tree: FileSource) -> Citation | None:
    """Look for a cite in one file: the same text, else its symbol, else the lines that are left of it."""
    meant = page.find_named(cite.symbol) if cite.symbol else []
    if mark is None:
        if cite.start and (meant or not cite.symbol):
            raise Unknown("it carries no mark of its text")
        return _at(cite, "fresh" if page.path == cite.path else "moved", page.path) if meant else None
    spot = _same_text(cite, mark, page, meant, tree)
    if spot:
        same = page.path == cite.path and spot[0] == cite.start
        return _at(cite, "fresh" if same else "moved", page.path, spot)
    if meant:
        best = min(meant, key=lambda one: (abs(one.start - cite.start), one.start))
        return _at(cite, "drifted", page.path, (best.start, best.end))
    left = _left(cite, mark, page, tree)
    return _at(cite, "drifted", page.path, left) if left else None


def _same_text(
    cite: Cite, mark: Mark, page: LineIndex, meant: list[Extent], tree: FileSource
) -> tuple[int, int] | None:
    """Return where the marked text stands in a file. A copy does not count while the original's symbol is there."""
    spots = page.find(mark)
    if meant:
        spots = [spot for spot in spots if any(one.start <= spot[0] and spot[1] <= one.end for one in meant)]
    elif spots and (mark.lines < TRIVIAL or len(spots) > 1):
        left = _left(cite, mark, page, tree)
        if left or mark.lines < TRIVIAL:
            spots = [spot for spot in spots if left and spot[0] <= left[1] and left[0] <= spot[1]]
    return min(spots, key=lambda spot: (abs(spot[0] - cite.start), spot), default=None)


def _left(cite: Cite, mark: Mark, page: LineIndex, tree: FileSource) -> tuple[int, int] | None:
    """Return where the lines are that are left of a span, by git's diff from the cited commit; None for too few."""
    hunks = tree.hunks(cite.commit, cite.path, page.path) if cite.commit and cite.start else None
    if hunks is None:
        return None
    kept: list[int] = []
    replaced: list[int] = []
    at, shift = cite.start, 0
    for hunk in hunks:
        first = hunk.start if hunk.count else hunk.start + 1  # of a mere insertion git names the line before it
        last = first + hunk.count - 1
        kept += range(at + shift, min(first - 1, cite.end) + shift + 1)
        at = max(at, last + 1)
        if first <= cite.end and last >= cite.start and hunk.new_count and hunk.count <= 3 * _size(cite):
            replaced += [hunk.new_start, hunk.new_start + hunk.new_count - 1]
        shift += hunk.new_count - hunk.count
    kept += range(at + shift, cite.end + shift + 1)
    stand = [page.lines[line - 1] for line in kept if line <= page.length and page.lines[line - 1].strip()]
    telling = sum(map(is_informative, stand))
    if telling < ENOUGH * (telling + mark.lines - len(stand)) and not (replaced and not cite.symbol):
        return None  # what has no symbol is known by its place alone: there its edited lines count, too
    found = kept if len(kept) == _size(cite) else kept + replaced
    return (min(found), max(found)) if max(found) <= page.length else None  # else the commit had other lines there


def _in_other(cite: Cite, mark: Mark | None, own: LineIndex | None, tree: FileSource) -> Citation | None:
    """Look in the file that the cited one has become, then in those that may have taken its text over."""
    if own is None and cite.commit:
        target = tree.renamed(cite.commit, cite.path)
        page = tree.page(target) if target else None
        found = _in_page(cite, mark, page, tree) if page else None
        if found:
            return found
    if mark is None or (own is not None and not cite.symbol):
        return None
    meant: list[tuple[LineIndex, Extent]] = []
    word = (cite.symbol or "").rpartition(".")[2]
    for path in tree.elsewhere(cite.commit, cite.path, *([word] if word else [])):
        page = tree.page(path)
        spots = page.find(mark) if page and (cite.symbol or mark.lines >= TRIVIAL) else []
        here = page.find_named(cite.symbol) if page and cite.symbol else []
        before = tree.old_page(cite.commit, path) if cite.commit and (spots or here) else None
        if spots and not (before and before.find(mark)):  # what was there already is a copy, and no move
            return _at(cite, "moved", path, spots[0])
        if page and not (before and before.find_named(cite.symbol or "")):
            meant += [(page, one) for one in here]
    return _likeliest(cite, meant, tree)


def _likeliest(cite: Cite, meant: list[tuple[LineIndex, Extent]], tree: FileSource) -> Citation | None:
    """Return the definition that has most of a cite's lines, None when none has enough of them.

    In a file of the same name fewer do, when the definition has all of the cited one's name: a namesake in another
    class is another one.
    """
    old = tree.old_page(cite.commit, cite.path) if meant and cite.commit else None
    lines = old.span(cite.start, cite.end) if old else []
    name = "/" + cite.path.rpartition("/")[2]
    likely = []
    for page, one in meant:
        share = similarity(lines, page.span(one.start, one.end))
        same = one.name == cite.symbol and f"/{page.path}".endswith(name)
        if share >= (ENOUGH_THERE if same else ENOUGH):
            likely.append((-share, page.path, one))
    if not likely:
        return None
    _, path, one = min(likely)
    return _at(cite, "drifted", path, (one.start, one.end))


def _size(cite: Cite) -> int:
    return cite.end - cite.start + 1


def _at(cite: Cite, state: CiteState, path: str, lines: tuple[int, int] = (0, 0), *, note: str = "") -> Citation:
    was = place(cite.path, cite.start, cite.end)
    now = place(path, *lines)
    return Citation(
        path=path,
        start=lines[0],
        end=lines[1],
        symbol=cite.symbol or "",
        state=state,
        was="" if was == now or state == "fresh" else was,
        note=note,
    )


def citing(path: str, page: LineIndex | None, start: int, end: int, commit: str | None) -> Cite:
    """Return a cite of some lines as they are, with the definition around them and the mark of their text."""
    if page is None:
        return Cite(path=path, start=start, end=end, commit=commit)
    around = innermost_extent(page.extents, start, end)
    mark = make_mark(page.span(start, end))
    return Cite(path=path, start=start, end=end, symbol=around.name if around else None, hash=mark, commit=commit)
