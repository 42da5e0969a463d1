"""The definition in another file that continues a cited one."""

from __future__ import annotations

from muninn_core.model.memory import Cite
from muninn_core.reconcile.citations.definition_kind import (
    MIN_SHARE_OF_NAMESAKE,
    MIN_WORDS_OF_NAMESAKE,
    is_class_of,
    replaces,
)
from muninn_core.reconcile.citations.file_source import FileSource, page_of_other
from muninn_core.source.chunks.line_index import (
    LineIndex,
    count_words,
    informative_words,
    similarity,
    word_similarity,
)
from muninn_core.source.code.extent import Extent, common_parts
from muninn_core.source.files.classify import language_of

MIN_SHARE = 0.5
"""The share of a span's lines that must survive when its symbol is gone; git's default for renames."""

MIN_WORDS = 5
"""Fewer distinct words are in many definitions."""

MIN_WORDS_OF_STRANGER = 0.8
"""The share of the words that a definition of the same last name in any class and any file must have."""

MIN_WORDS_TO_TELL = 10
"""The number of distinct words by which such a definition is recognised."""

MIN_MEMBERS = 3
"""The members that a class must share at least with the cited one to be it under another name."""

MIN_SHARED = 10
"""The lines that a file must share at least with the cited one to continue it."""

_COMMENTS = ("/*", "*", "//", "#", "--", ";", "<?php")
"""What the lines of a comment at the beginning of a file begin with. `<?php` stands before it."""


def most_similar_definition(
    cite: Cite, meant: list[tuple[LineIndex, Extent]], tree: FileSource
) -> tuple[str, Extent] | None:
    """Return the definition that shares most lines with a cite, and its file; None when none shares enough."""
    old = tree.old_page(cite.commit, cite.path) if meant and cite.commit else None
    lines = old.span(cite.start, cite.end) if old else []
    likely = []
    for page, one in meant:
        now = page.span(one.start, one.end)
        share = similarity(lines, now)
        half = share >= MIN_SHARE and (one.name == cite.symbol or not _shares_head_only(lines, now))
        if half or (old is not None and _is_namesake(cite, old, page, one, share, tree)):
            likely.append((not _is_translation(page.path, cite.path), -share, page.path, one))
    for elsewhere, _, path, one in sorted(likely):
        before = tree.former_page(cite.commit, path) if cite.commit else None
        if not new_ones(cite, [one], before):
            continue  # it was there before, in a file that was renamed
        if not elsewhere or not _continues_another(cite, lines, path, one, tree):
            return path, one
    return None


def _shares_head_only(lines: list[str], now: list[str]) -> bool:
    """Whether a definition has only the first of some lines, as all methods do that implement one of an interface."""
    return bool(informative_words(lines[1:])) and not similarity(lines[1:], now[1:])


def new_ones(cite: Cite, named: list[Extent], before: LineIndex | None) -> list[Extent]:
    """Return the definitions of a name without those that their file had before.

    It had one if the name of one before matches the cited one as well.
    """
    symbol = cite.symbol or ""
    known = before.find_named(symbol) if before and named else []
    best = max((common_parts(one.name, symbol) for one in known), default=0)
    return [one for one in named if common_parts(one.name, symbol) > best]


def _continues_another(cite: Cite, lines: list[str], path: str, one: Extent, tree: FileSource) -> bool:
    """Whether a definition continues another one of its name, which is no longer in its file and had more of its lines.

    The other one has all of its lines if it is in another class than the cited one. If it has the cited one's name and
    less than half of its lines, both were in files of the same name, so that the names do not tell them apart, or half
    of the other one's lines are left. One in a related language may be compiled from the cited one.
    """
    page = tree.page(path)
    if page is None or not cite.commit or not lines:
        return False
    now = page.span(one.start, one.end)
    alike = one.name == cite.symbol
    if alike and similarity(lines, now) >= MIN_SHARE:
        return False
    share = similarity(now, lines)
    for other in tree.formerly(cite.commit, cite.path, one.name.rpartition(".")[2]):
        old = tree.old_page(cite.commit, other)
        for rival in old.find_named(one.name) if old else ():
            before = old.span(rival.start, rival.end) if old else []
            had = similarity(now, before)
            if alike:
                half = language_of(other) == language_of(cite.path) and similarity(before, now) >= MIN_SHARE
                continued = half or stem_of(other) == stem_of(cite.path)
            else:
                continued = had == 1
            if had > share and continued and not _still_has(page_of_other(tree, other), rival.name):
                return True
    return False


def _still_has(page: LineIndex | None, name: str) -> bool:
    return page is not None and any(one.name == name for one in page.find_named(name))


def _is_namesake(cite: Cite, old: LineIndex, page: LineIndex, one: Extent, share: float, tree: FileSource) -> bool:
    """Whether a definition of a cite's name that has only a share of its lines is the cited one.

    It is one with nearly all of its words and few others, if it has many. It is one with most of the words in a class
    of the same name, which may be in another one now or no longer, or in a new file that continues the cited one. One
    with the same qualified name needs less: in a file of the same name a smaller share of the lines, or half of the
    words; in such a new file, in the same class in a new file, in the same package of Go, or in a file of the same name
    in a related language, nothing else.
    """
    lines = old.span(cite.start, cite.end)
    now = page.span(one.start, one.end)
    words = word_similarity(lines, now)
    same_file = stem_of(page.path) == stem_of(cite.path)
    has_all = words >= MIN_WORDS_OF_STRANGER and count_words(lines) >= MIN_WORDS_TO_TELL
    is_like = has_all and word_similarity(now, lines) > MIN_SHARE  # a long one has the words of many
    if is_like and not _has_closer_rival(lines, now, one.name, cite, tree):
        return True
    if words >= MIN_WORDS_OF_NAMESAKE and count_words(lines) >= MIN_WORDS:
        symbol = cite.symbol or ""
        has_owner = same_file or "." in symbol or not lines[0][:1].isspace()  # else its class has no known name
        nested = f".{one.name}".endswith(f".{symbol}") or ("." in one.name and symbol.endswith(f".{one.name}"))
        if (has_owner and nested) or _continues(old, page, cite, tree):
            return True
        if _has_moved_owner(old, page, cite, one, tree):
            return True
    if one.name != cite.symbol and not is_class_of(cite, one):
        return False
    translated = language_of(page.path) != language_of(cite.path)  # to another language, which changes every line
    if same_file and (share >= MIN_SHARE_OF_NAMESAKE or words >= MIN_SHARE or translated):
        return True
    if _in_one_package(page.path, cite.path) or _continues(old, page, cite, tree):
        return True
    return not translated and _has_moved_owner(old, page, cite, one, tree)


def _has_moved_owner(old: LineIndex, page: LineIndex, cite: Cite, one: Extent, tree: FileSource) -> bool:
    """Whether a definition is of a class that is new there and has most members of the cited one's, by their names.

    It is in a new file, or has the name of the cited one's class in a file that did not define it.

    The class was then renamed, got a file of its own, or its file was replaced or merged with another.
    """
    owner, now = (cite.symbol or "").rpartition(".")[0], one.name.rpartition(".")[0]
    if not owner or not now or cite.commit is None:
        return False
    there = tree.old_page(cite.commit, page.path)
    if there is not None and (now != owner or there.find_named(owner)):
        return False
    before = _members(old, owner)
    if len(before & _members(page, now)) < max(MIN_MEMBERS, MIN_SHARE * len(before)):
        return False
    return not _has_closer_rival(old.span(cite.start, cite.end), page.span(one.start, one.end), one.name, cite, tree)


def replaces_class(owner: str, now: str, old: LineIndex, page: LineIndex) -> bool:
    """Whether a file defines another class in place of one that it defined, with three of its members, or with all."""
    if not owner or not now:
        return False
    before = _members(old, owner)
    shared = before & _members(page, now)
    return len(shared) >= min(MIN_MEMBERS, len(before)) and replaces(owner, now, old, page)


def _has_closer_rival(lines: list[str], now: list[str], name: str, cite: Cite, tree: FileSource) -> bool:
    """Whether a definition has more words of another old one of its name, which is gone, too, than of the cited one.

    Several classes then had the same members, as those do that implement one interface.
    """
    share, last = word_similarity(now, lines), name.rpartition(".")[2]
    for other in tree.formerly(cite.commit, cite.path, last) if cite.commit else ():
        old = tree.old_page(cite.commit, other) if cite.commit else None
        for rival in old.find_named(last) if old else ():
            closer = old is not None and word_similarity(now, old.span(rival.start, rival.end)) > share
            if closer and not _still_has(page_of_other(tree, other), rival.name):
                return True
    return False


def _members(page: LineIndex, owner: str) -> set[str]:
    """Return the names of what a class has."""
    return {one.name[len(owner) + 1 :] for one in page.extents if one.name.startswith(f"{owner}.")}


def _in_one_package(one: str, other: str) -> bool:
    """Whether two files of Go are in one folder, so that they can't both define a function."""
    return one.endswith(".go") and one.rpartition("/")[0] == other.rpartition("/")[0]


def stem_of(path: str) -> str:
    """Return the name of a file without its suffix: `load.ts` continues `load.js`."""
    name = path.rpartition("/")[2]
    return name.rpartition(".")[0] or name


def _is_translation(one: str, other: str) -> bool:
    """Whether two paths differ in the suffix alone: `load.ts` in the folder of `load.js`."""
    return one.rpartition(".")[0] == other.rpartition(".")[0]


def _continues(old: LineIndex, page: LineIndex, cite: Cite, tree: FileSource) -> bool:
    """Whether a file is new and shares at least `MIN_SHARED` lines with the cited file, half of the lines of either.

    The comment at the beginning of both, as a rule their licence, does not count.
    Git calls that a rename or a copy when one commit does it.
    """
    if cite.commit is None or tree.old_page(cite.commit, page.path) is not None:
        return False
    before, now = set(informative_words(_without_licence(old))), set(informative_words(_without_licence(page)))
    return len(before & now) >= max(MIN_SHARED, MIN_SHARE * min(len(before), len(now)))


def _without_licence(page: LineIndex) -> list[str]:
    """Return the lines of a file without the comments at its beginning."""
    begin = (at for at, line in enumerate(page.lines) if line.strip() and not line.lstrip().startswith(_COMMENTS))
    return page.lines[next(begin, page.length) :]
