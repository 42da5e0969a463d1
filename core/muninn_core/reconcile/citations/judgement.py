"""Judges whether the code in a work tree still is what a memory cites.

A `FileSource` provides files and git's history. Cheap checks come first; the source may refuse an expensive one by
raising `Unknown`.
"""

from __future__ import annotations

import re

from muninn_core.model.citation import Citation, CiteState, place
from muninn_core.model.memory import Cite
from muninn_core.reconcile.citations.cited_text import (
    MIN_LINES,
    find_text,
    is_part,
    longest_cited_lines,
    longest_word,
    reformatted,
    surviving_lines,
)
from muninn_core.reconcile.citations.definition_kind import resembles, same_kind
from muninn_core.reconcile.citations.file_source import FileSource, Unknown, page_of_other
from muninn_core.reconcile.citations.moved_lines import most_similar_file, moved_lines
from muninn_core.reconcile.citations.successors import (
    MIN_SHARE,
    most_similar_definition,
    new_ones,
    replaces_class,
)
from muninn_core.source.chunks.line_index import (
    LineIndex,
    Mark,
    informative_words,
    make_mark,
    read_mark,
    similarity,
)
from muninn_core.source.code.extent import Extent, common_parts, innermost_extent
from muninn_core.source.files.classify import language_of


def judge(cite: Cite, tree: FileSource) -> Citation:
    """Return a cite with its state and current place. Raises Unknown when the source can't answer; see
    `unchecked`.
    """
    return _whole_file(cite, tree) if not (cite.start or cite.symbol) else _span(cite, tree)


def unchecked(cite: Cite, why: Unknown) -> Citation:
    """Return a cite as `unchecked` at its stored place, with the reason as note."""
    return _at(cite, "unchecked", cite.path, (cite.start, cite.end), note=str(why))


def _whole_file(cite: Cite, tree: FileSource) -> Citation:
    """Judge a cite of a whole file: fresh, moved or gone. Its content is not compared."""
    if tree.exists(cite.path):
        return _at(cite, "fresh", cite.path)
    now = tree.renamed(cite.commit, cite.path) if cite.commit else None
    if now is None and cite.commit:
        old = tree.old_page(cite.commit, cite.path)
        if old is None:
            raise Unknown("the commit of the citation does not have the file")
        now = most_similar_file(old, cite.commit, tree)
    return _at(cite, "moved", now) if now else _at(cite, "gone", cite.path)


def _span(cite: Cite, tree: FileSource) -> Citation:
    page = tree.page(cite.path)
    mark = read_mark(cite.hash)
    if page and mark and cite.start and page.matches(mark, cite.start, cite.end) and _begins(cite, page, tree):
        return _at(cite, "fresh", cite.path, (cite.start, cite.end))
    mark = mark or _mark_at_commit(cite, tree)
    found = _search_file(cite, mark, page, tree) if page else None
    if found is None or (
        found.state == "drifted"
        and page
        and (_has_only_namesakes(cite, page) or is_part(cite, tree) or _was_beside(cite, found, page, tree))
    ):
        other = _search_other_files(cite, mark, page, tree)
        found = other if other and (found is None or other.state == "moved") else found
    if found:
        return found if found.state != "drifted" or _survives(cite, found, tree) else _gone_from(cite, found)
    if page and (former := _search_replaced(cite, mark, page, tree)):
        return former
    left = moved_lines(cite, page, tree) or _head_line(cite, page or _renamed_page(cite, tree), tree)
    return _at(cite, "drifted", left[0], left[1:]) if left else _at(cite, "gone", cite.path, (cite.start, cite.end))


def _begins(cite: Cite, page: LineIndex, tree: FileSource) -> bool:
    """Whether the first cited line still is the first: a blank one in its place means that the lines below moved."""
    if "".join(page.span(cite.start, cite.start)).strip():
        return True
    old = tree.old_page(cite.commit, cite.path) if cite.commit else None
    return old is None or not "".join(old.span(cite.start, cite.start)).strip()


def _survives(cite: Cite, found: Citation, tree: FileSource) -> bool:
    """Whether anything of a cite is left in the place that was found for it: its definition's head, or a line.

    The definition around some cited lines may still exist when none of them does. Without the old text it counts.
    """
    old = tree.old_page(cite.commit, cite.path) if cite.commit and cite.start else None
    around = innermost_extent(old.extents, cite.start, cite.end) if old else None
    if old is None or (around is not None and around.start >= cite.start):
        return True
    cited = set(informative_words(old.span(cite.start, cite.end)))
    page = tree.page(found.path)
    if not cited or page is None or not cited.isdisjoint(informative_words(page.span(found.start, found.end))):
        return True
    others = {*informative_words(old.span(1, cite.start - 1)), *informative_words(old.span(cite.end + 1, old.length))}
    return not (cited - others).isdisjoint(informative_words(page.lines))


def _gone_from(cite: Cite, found: Citation) -> Citation:
    """Return a cite of which nothing is left as gone, with the place of the definition or file that it was in."""
    where = f"{cite.symbol} at {found.place}" if cite.symbol else found.path
    return _at(cite, "gone", cite.path, (cite.start, cite.end), note=f"was in {where}")


def _has_only_namesakes(cite: Cite, page: LineIndex) -> bool:
    """Whether a file defines a cite's name in other classes only. The text itself may then be in another file."""
    return "." in (cite.symbol or "") and _are_namesakes(cite, page.find_named(cite.symbol or ""))


def _was_beside(cite: Cite, found: Citation, page: LineIndex, tree: FileSource) -> bool:
    """Whether a definition was in the file before, beside the cited one: an overload, by its first line."""
    old = tree.old_page(cite.commit, cite.path) if cite.commit and cite.start and cite.symbol else None
    if old is None:
        return False
    now = _head(page, found.start)
    others = [one for one in old.find_named(cite.symbol or "") if one.start != cite.start]
    return now != _head(old, cite.start) and any(now == _head(old, one.start) for one in others)


def _head(page: LineIndex, line: int) -> list[str]:
    """Return the words of a line."""
    return "".join(page.span(line, line)).split()


def _are_namesakes(cite: Cite, named: list[Extent]) -> bool:
    """Whether definitions of a cite's name are of other classes. `exports`, from `module.exports = f`, is none."""
    symbol = cite.symbol or ""
    return "." in symbol.removeprefix("exports.") and not any(common_parts(one.name, symbol) > 1 for one in named)


def _resembles(cite: Cite, one: Extent, page: LineIndex, tree: FileSource) -> bool:
    """Whether a method of another class shares some lines or words with the cited one, as after its class was renamed.

    Without the old text, for some lines in a definition, and in a renamed file that defines the other class in place of
    the cited one's, every method of that name does. One that the old file had as well, and that has half of its lines
    from there, does not, unless it has more of the cited ones. One in no known class does if the file has the cited
    one's.
    """
    old = tree.old_page(cite.commit, cite.path) if cite.commit and cite.start else None
    if old is None or is_part(cite, tree):
        return True
    owner, now = (cite.symbol or "").rpartition(".")[0], one.name.rpartition(".")[0]
    lines, there = old.span(cite.start, cite.end), page.span(one.start, one.end)
    before = [old.span(other.start, other.end) for other in old.find_named(one.name) if other.name == one.name]
    if any(similarity(there, was) >= max(MIN_SHARE, similarity(there, lines)) for was in before):
        return False
    if page.path != cite.path and replaces_class(owner, now, old, page):
        return True
    if owner and not now and "".join(page.span(one.start, one.start))[:1].isspace() and page.find_named(owner):
        return True  # its class is not known, as below a text without indentation, and may be the cited one's
    return resembles(lines, there)


def _mark_at_commit(cite: Cite, tree: FileSource) -> Mark | None:
    """Return the mark of a cite without one, computed from the text at its commit."""
    old = tree.old_page(cite.commit, cite.path) if cite.commit and cite.start else None
    return read_mark(make_mark(old.span(cite.start, cite.end))) if old else None


def _search_file(cite: Cite, mark: Mark | None, page: LineIndex, tree: FileSource) -> Citation | None:
    """Search one file for a cite: the same text, else its symbol, else its surviving lines."""
    named = page.find_named(cite.symbol) if cite.symbol else []
    meant = same_kind(cite, page, named, tree)
    if mark is None:
        if cite.start and (meant or not cite.symbol):
            raise Unknown("the citation has no mark of its text")
        return _at(cite, "fresh" if page.path == cite.path else "moved", page.path) if meant else None
    spot = find_text(cite, mark, page, meant, tree)
    if spot:
        same = page.path == cite.path and spot[0] == cite.start
        return _at(cite, "fresh" if same else "moved", page.path, spot)
    if meant and _are_namesakes(cite, named):
        meant = [one for one in meant if _resembles(cite, one, page, tree)]
    if meant:
        best = min(meant, key=lambda one: (abs(one.start - cite.start), one.start))
        return _at(cite, "drifted", page.path, (best.start, best.end))
    left = surviving_lines(cite, mark, page, tree)
    return _at(cite, "drifted", page.path, left) if left else None


def _search_replaced(cite: Cite, mark: Mark | None, own: LineIndex, tree: FileSource) -> Citation | None:
    """Search the file that the cited one was renamed to before another file got its path; None for none.

    The other file has less than half of its lines.
    """
    old = tree.old_page(cite.commit, cite.path) if cite.commit else None
    before = set(old.lines) if old else set()
    if cite.commit is None or len(before.intersection(own.lines)) >= MIN_SHARE * len(before):
        return None
    target = tree.replaced(cite.commit, cite.path)
    page = tree.page(target) if target else None
    return _search_file(cite, mark, page, tree) if page else None


def _renamed_page(cite: Cite, tree: FileSource) -> LineIndex | None:
    """Return the file that the cited one was renamed to; None for none."""
    target = tree.renamed(cite.commit, cite.path) if cite.commit else None
    return tree.page(target) if target else None


def _head_line(cite: Cite, page: LineIndex | None, tree: FileSource) -> tuple[str, int, int] | None:
    """Return file and line that begin as the cited definition did, up to its name: `exports.load = load`.

    The line is not a definition: all definitions of that name are other ones. The name alone counts before `=`:
    `LIMIT = 3` may be in a class now. Calls have it, too. See `_key_line` for the methods of objects.
    """
    old = tree.old_page(cite.commit, cite.path) if page and cite.symbol and cite.commit and cite.start else None
    if page is None or old is None or is_part(cite, tree):
        return None
    head = "".join(old.span(cite.start, cite.start)).strip()
    name = (cite.symbol or "").rpartition(".")[2]
    if language_of(cite.path) in ("javascript", "typescript") and re.match(rf"{re.escape(name)}\s*\(", head):
        return _key_line(name, page, old)
    found = re.match(rf"((\S.*?[\s.])?{re.escape(name)})\s*([=:(<{{])", head)
    if found is None or not (found[2] or found[3] == "="):
        return None
    same = re.compile(rf"\s*{re.escape(found[1])}\s*{re.escape(found[3])}(?!=)")
    refused = {one.start for one in page.find_named(cite.symbol or "")}
    begin = (number for number, line in enumerate(page.lines, 1) if found[1] in line and same.match(line))
    at = next((number for number in begin if number not in refused), None)
    return (page.path, at, at) if at else None


def _key_line(name: str, page: LineIndex, old: LineIndex) -> tuple[str, int, int] | None:
    """Return file and line where a method of an object in JavaScript has become an object: `visit() {`, `visit: {`.

    It must be the only one of that name, and the old file may not have had it beside the method.
    """
    key = re.compile(rf"\s*{re.escape(name)}\s*:\s*\{{")
    found = [number for number, line in enumerate(page.lines, 1) if name in line and key.match(line)]
    if len(found) != 1 or any(name in line and key.match(line) for line in old.lines):
        return None
    return page.path, found[0], found[0]


def _search_other_files(cite: Cite, mark: Mark | None, own: LineIndex | None, tree: FileSource) -> Citation | None:
    """Search the file that the cited one was renamed to, then files that may have received its text."""
    if own is None and cite.commit:
        page = _renamed_page(cite, tree)
        found = _search_file(cite, mark, page, tree) if page else None
        if found:
            return found
    if mark is None:
        return None
    meant: list[tuple[LineIndex, Extent]] = []
    whole = bool(cite.symbol) and not is_part(cite, tree)
    if cite.symbol and whole:
        texts = [cite.symbol.rpartition(".")[2]]
    else:
        texts = longest_cited_lines(cite, tree) if own is not None or cite.symbol else []
    if own is not None and not texts:
        return None
    word = longest_word(cite, tree)
    for path in tree.elsewhere(cite.commit, cite.path, *texts):
        page = page_of_other(tree, path)
        here = same_kind(cite, page, page.find_named(cite.symbol), tree) if page and cite.symbol else []
        likely = page if page and word in page.text and (whole or mark.lines >= MIN_LINES) else None
        spots = likely.find(mark) or (reformatted(cite, likely, tree) if here else []) if likely else []
        before = tree.old_page(cite.commit, path) if cite.commit and (spots or here) else None
        if spots and before is None and cite.commit:
            before = tree.former_page(cite.commit, path)
        if spots and not (before and (before.find(mark) or reformatted(cite, before, tree))):  # else it is a copy
            return _at(cite, "moved", path, spots[0])
        if page:
            meant += [(page, one) for one in new_ones(cite, here, before)]
    successor = most_similar_definition(cite, meant, tree)
    if successor is None:
        return None
    path, one = successor
    return _at(cite, "drifted", path, (one.start, one.end))


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


def make_cite(path: str, page: LineIndex | None, start: int, end: int, commit: str | None) -> Cite:
    """Return a cite of some lines with the enclosing definition and the mark of their text."""
    if page is None:
        return Cite(path=path, start=start, end=end, commit=commit)
    around = innermost_extent(page.extents, start, end)
    mark = make_mark(page.span(start, end))
    return Cite(path=path, start=start, end=end, symbol=around.name if around else None, hash=mark, commit=commit)
