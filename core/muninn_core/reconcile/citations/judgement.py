"""Judges whether the code in a work tree still is what a memory cites.

A `FileSource` provides files and git's history. Cheap checks come first; the source may refuse an expensive one by
raising `Unknown`.
"""

from __future__ import annotations

import re

from muninn_core.model.citation import Citation, CiteState, place
from muninn_core.model.memory import Cite
from muninn_core.reconcile.citations.file_source import FileSource, Unknown
from muninn_core.reconcile.citations.moved_lines import longest_lines, most_similar_file, moved_lines
from muninn_core.source.chunks.line_index import (
    LineIndex,
    Mark,
    count_words,
    informative_words,
    is_informative,
    make_mark,
    read_mark,
    similarity,
    word_similarity,
)
from muninn_core.source.code.extent import Extent, common_parts, innermost_extent
from muninn_core.source.code.symbols import GENERIC
from muninn_core.source.files.classify import language_of

MIN_SHARE = 0.5
"""The share of a span's lines that must survive when its symbol is gone; git's default for renames."""

MIN_SHARE_OF_NAMESAKE = 0.25
"""The same share for a definition of the same name in a file of the same name in another folder."""

MIN_WORDS_OF_NAMESAKE = 0.6
"""The share of the words that a definition of the same name in any file must have."""

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

_IMPL = re.compile(rf"\s*(?:unsafe\s+)?impl\b\s*(?:{GENERIC})?\s*(?:!?(?:[\w:]+::)?(\w+)(?:<.*>)?\s+for\b)?")
"""The head of an `impl` of Rust, and the trait that it implements."""

_OWNERS = {
    "cpp": re.compile(r"[^(=]*?(\w+)(?:<[^<>]*>)?::~?\w+\s*\("),
    "go": re.compile(r"\s*func\s*\(\s*(?:\w+\s+)?\*?(\w+)"),
    "javascript": re.compile(r"\s*(?:[\w$]+\.)*?([\w$]+)\.prototype\.[\w$]+\s*="),
    "ruby": re.compile(r"\s*def\s+(self)\."),
}
"""What a definition belongs to by its head: a class (C++), a receiver (Go), a prototype (JavaScript), the class itself
(Ruby).
"""

MIN_LINES = 3
"""A span of fewer lines and without a symbol occurs in many places. Only git can tell which one is meant."""


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
        found.state == "drifted" and page and (_has_only_namesakes(cite, page) or _is_part(cite, tree))
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


def _is_part(cite: Cite, tree: FileSource) -> bool:
    """Whether a cite is of some lines in a definition, without its head."""
    old = tree.old_page(cite.commit, cite.path) if cite.commit and cite.start else None
    around = innermost_extent(old.extents, cite.start, cite.end) if old else None
    return around is not None and around.start < cite.start


def _was_once(cite: Cite, mark: Mark, tree: FileSource) -> bool:
    """Whether some lines of a definition were nowhere else in their file, so that equal lines are no copy."""
    old = tree.old_page(cite.commit, cite.path) if cite.commit and _is_part(cite, tree) else None
    return old is not None and len(old.find(mark)) == 1


def _gone_from(cite: Cite, found: Citation) -> Citation:
    """Return a cite of which nothing is left as gone, with the place of the definition or file that it was in."""
    where = f"{cite.symbol} at {found.place}" if cite.symbol else found.path
    return _at(cite, "gone", cite.path, (cite.start, cite.end), note=f"was in {where}")


def _has_only_namesakes(cite: Cite, page: LineIndex) -> bool:
    """Whether a file defines a cite's name in other classes only. The text itself may then be in another file."""
    return "." in (cite.symbol or "") and _are_namesakes(cite, page.find_named(cite.symbol or ""))


def _are_namesakes(cite: Cite, named: list[Extent]) -> bool:
    """Whether definitions of a cite's name are of other classes. `exports`, from `module.exports = f`, is none."""
    symbol = cite.symbol or ""
    return "." in symbol.removeprefix("exports.") and not any(common_parts(one.name, symbol) > 1 for one in named)


def _new_ones(cite: Cite, named: list[Extent], before: LineIndex | None) -> list[Extent]:
    """Return the definitions of a name without those that their file had before.

    It had one if the name of one before matches the cited one as well.
    """
    symbol = cite.symbol or ""
    known = before.find_named(symbol) if before and named else []
    best = max((common_parts(one.name, symbol) for one in known), default=0)
    return [one for one in named if common_parts(one.name, symbol) > best]


def _resembles(cite: Cite, one: Extent, page: LineIndex, tree: FileSource) -> bool:
    """Whether a method of another class shares some lines or words with the cited one, as after its class was renamed.

    Without the old text, and for some lines in a definition, every method of that name does.
    """
    old = tree.old_page(cite.commit, cite.path) if cite.commit and cite.start else None
    if old is None or _is_part(cite, tree):
        return True
    lines, now = old.span(cite.start, cite.end), page.span(one.start, one.end)
    return similarity(lines, now) >= MIN_SHARE_OF_NAMESAKE or word_similarity(lines, now) >= MIN_WORDS_OF_NAMESAKE


def _mark_at_commit(cite: Cite, tree: FileSource) -> Mark | None:
    """Return the mark of a cite without one, computed from the text at its commit."""
    old = tree.old_page(cite.commit, cite.path) if cite.commit and cite.start else None
    return read_mark(make_mark(old.span(cite.start, cite.end))) if old else None


def _search_file(cite: Cite, mark: Mark | None, page: LineIndex, tree: FileSource) -> Citation | None:
    """Search one file for a cite: the same text, else its symbol, else its surviving lines."""
    named = page.find_named(cite.symbol) if cite.symbol else []
    meant = _same_kind(cite, page, named, tree)
    if mark is None:
        if cite.start and (meant or not cite.symbol):
            raise Unknown("the citation has no mark of its text")
        return _at(cite, "fresh" if page.path == cite.path else "moved", page.path) if meant else None
    spot = _find_text(cite, mark, page, meant, tree)
    if spot:
        same = page.path == cite.path and spot[0] == cite.start
        return _at(cite, "fresh" if same else "moved", page.path, spot)
    if meant and _are_namesakes(cite, named):
        meant = [one for one in meant if _resembles(cite, one, page, tree)]
    if meant:
        best = min(meant, key=lambda one: (abs(one.start - cite.start), one.start))
        return _at(cite, "drifted", page.path, (best.start, best.end))
    left = _surviving_lines(cite, mark, page, tree)
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
    `LIMIT = 3` may be in a class now. Calls have it, too.
    """
    old = tree.old_page(cite.commit, cite.path) if page and cite.symbol and cite.commit and cite.start else None
    if page is None or old is None or _is_part(cite, tree):
        return None
    head = "".join(old.span(cite.start, cite.start)).strip()
    found = re.match(rf"((\S.*?[\s.])?{re.escape((cite.symbol or '').rpartition('.')[2])})\s*([=:(<{{])", head)
    if found is None or not (found[2] or found[3] == "="):
        return None
    same = re.compile(rf"\s*{re.escape(found[1])}\s*{re.escape(found[3])}(?!=)")
    refused = {one.start for one in page.find_named(cite.symbol or "")}
    begin = (number for number, line in enumerate(page.lines, 1) if found[1] in line and same.match(line))
    at = next((number for number in begin if number not in refused), None)
    return (page.path, at, at) if at else None


def _same_kind(cite: Cite, page: LineIndex, named: list[Extent], tree: FileSource) -> list[Extent]:
    """Return the definitions of a name without those that are something else by their heads.

    A class has the name of its constructor, and is one only with parameters after its name, as in Kotlin.

    In Rust `enum Mode`, `impl Mode` and `impl Display for Mode` are three definitions of one name. `func (s *Store)
    load` and `func (c *Cache) load` are two in Go, and so are `Store.prototype.load` and `Cache.prototype.load` in
    JavaScript, `def load` and `def self.load` in Ruby.
    """
    named = [one for one in named if not _is_class_of(cite, one) or _has_parameters(page, one)]
    language = _language(page.path)
    if not named or not cite.commit or not cite.start or (language != "rust" and language not in _OWNERS):
        return named
    old = tree.old_page(cite.commit, cite.path)
    if old is None:
        return named
    if language != "rust" and (name := (cite.symbol or "").rpartition(".")[2]) in "".join(
        old.span(cite.start, cite.start)
    ):
        around: Extent | None = Extent(name, cite.start, cite.end)
    else:
        around = innermost_extent(old.extents, cite.start, cite.end)
    if around is None:
        return named
    if language == "rust":
        kind = _implemented(old, around)
        return [one for one in named if _implemented(page, one) == kind]
    owner = _owner(old, around, language)
    return [one for one in named if _may_belong(page, one, owner, language)]


def _is_class_of(cite: Cite, one: Extent) -> bool:
    """Whether a cite is of a constructor, `Store.Store`, and a definition is the class of that name."""
    parts = (cite.symbol or "").split(".")
    return len(parts) > 1 and parts[-1] == parts[-2] and common_parts(one.name, cite.symbol or "") == 1


def _has_parameters(page: LineIndex, one: Extent) -> bool:
    """Whether the head of a class has parameters, which make it a constructor: `class Store(val key: Int)`."""
    name = re.escape(one.name.rpartition(".")[2])
    head = "".join(page.span(one.start, one.end)).partition("{")[0]
    return re.search(rf"\b{name}\s*(?:<[^(]*>)?[\w\s]*\(", head) is not None


def _language(path: str) -> str:
    language = language_of(path)
    return "javascript" if language == "typescript" else language


def _owner(page: LineIndex, one: Extent, language: str) -> str | None:
    """Return what a definition belongs to by its head; None for one that names nothing."""
    found = _OWNERS[language].match("".join(page.span(one.start, one.start)))
    return found[1] if found else None


def _may_belong(page: LineIndex, one: Extent, asked: str | None, language: str) -> bool:
    """Whether a definition may be the one with the asked owner.

    A prototype's member may become a method of a class, and that of a class in C++ may go out of it. A function of Go
    may become a method, and a method a function with a parameter of the receiver's type.
    """
    owner = _owner(page, one, language)
    if owner == asked:
        return True
    if language == "go":
        head = "".join(page.span(one.start, one.start))
        return asked is None or (owner is None and re.search(rf"\(.*[\s*.]{re.escape(asked)}\s*[,)]", head) is not None)
    return language in ("javascript", "cpp") and (owner is None or asked is None)


def _implemented(page: LineIndex, one: Extent) -> str | None:
    """Return the trait of an `impl` of Rust, without path and parameters; "" without a trait, None for no `impl`."""
    found = _IMPL.match("".join(page.span(one.start, one.start)))
    return (found[1] or "") if found else None


def _find_text(
    cite: Cite, mark: Mark, page: LineIndex, meant: list[Extent], tree: FileSource
) -> tuple[int, int] | None:
    """Return where the marked text is in a file. A copy does not count while the symbol of the original exists."""
    spots = page.find(mark) or _reformatted(cite, page, tree)
    if meant:
        inside = [spot for spot in spots if any(one.start <= spot[0] and spot[1] <= one.end for one in meant)]
        spots = inside or (spots if len(spots) == 1 and mark.lines >= MIN_LINES and _was_once(cite, mark, tree) else [])
    elif spots and (mark.lines < MIN_LINES or len(spots) > 1):
        left = _surviving_lines(cite, mark, page, tree)
        if left or mark.lines < MIN_LINES:
            spots = [spot for spot in spots if left and spot[0] <= left[1] and left[0] <= spot[1]]
    return min(spots, key=lambda spot: (abs(spot[0] - cite.start), spot), default=None)


def _reformatted(cite: Cite, page: LineIndex, tree: FileSource) -> list[tuple[int, int]]:
    """Return where the cited lines are with other blanks. Their mark then differs: `f (x)`, `f(x)`."""
    old = tree.old_page(cite.commit, cite.path) if cite.commit and cite.start else None
    return page.find_but_blanks(old.span(cite.start, cite.end)) if old else []


def _surviving_lines(cite: Cite, mark: Mark, page: LineIndex, tree: FileSource) -> tuple[int, int] | None:
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
    elif _is_part(cite, tree):
        left = telling > 0
    else:
        old = tree.old_page(cite.commit, cite.path) if cite.commit else None
        every = len(informative_words(old.span(cite.start, cite.end))) if old else telling + mark.lines - len(stand)
        left = 0 < telling >= MIN_SHARE * every
    if not left:
        return None
    found = kept if len(kept) == _size(cite) else kept + replaced
    return (min(found), max(found)) if max(found) <= page.length else None  # otherwise the commit had other lines there


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
    whole = bool(cite.symbol) and not _is_part(cite, tree)
    if cite.symbol and whole:
        texts = [cite.symbol.rpartition(".")[2]]
    else:
        texts = _longest_lines(cite, tree) if own is not None or cite.symbol else []
    if own is not None and not texts:
        return None
    word = _longest_word(cite, tree)
    for path in tree.elsewhere(cite.commit, cite.path, *texts):
        page = tree.page(path)
        spots = page.find(mark) if page and word in page.text and (whole or mark.lines >= MIN_LINES) else []
        here = _same_kind(cite, page, page.find_named(cite.symbol), tree) if page and cite.symbol else []
        before = tree.old_page(cite.commit, path) if cite.commit and (spots or here) else None
        if spots and before is None and cite.commit:
            before = tree.former_page(cite.commit, path)
        if spots and not (before and before.find(mark)):  # text that was there before is a copy
            return _at(cite, "moved", path, spots[0])
        if page:
            meant += [(page, one) for one in _new_ones(cite, here, before)]
    return _most_similar_definition(cite, meant, tree)


def _longest_word(cite: Cite, tree: FileSource) -> str:
    """Return the longest of the cited words between blanks; a file without it does not have the text."""
    old = tree.old_page(cite.commit, cite.path) if cite.commit and cite.start else None
    words = [word for line in old.span(cite.start, cite.end) for word in line.split()] if old else []
    return max(words, key=len, default="")


def _longest_lines(cite: Cite, tree: FileSource) -> list[str]:
    """Return the longest of the cited lines as they were, by which other files are searched; [] when unknown."""
    old = tree.old_page(cite.commit, cite.path) if cite.commit and cite.start else None
    return longest_lines(old.span(cite.start, cite.end)) if old else []


def _most_similar_definition(cite: Cite, meant: list[tuple[LineIndex, Extent]], tree: FileSource) -> Citation | None:
    """Return the definition that shares most lines with a cite; None when none shares enough."""
    old = tree.old_page(cite.commit, cite.path) if meant and cite.commit else None
    lines = old.span(cite.start, cite.end) if old else []
    likely = []
    for page, one in meant:
        share = similarity(lines, page.span(one.start, one.end))
        if share >= MIN_SHARE or (old is not None and _is_namesake(cite, old, page, one, share, tree)):
            likely.append((not _is_translation(page.path, cite.path), -share, page.path, one))
    for elsewhere, _, path, one in sorted(likely):
        before = tree.former_page(cite.commit, path) if cite.commit else None
        if not _new_ones(cite, [one], before):
            continue  # it was there before, in a file that was renamed
        if not elsewhere or not _continues_another(cite, lines, path, one, tree):
            return _at(cite, "drifted", path, (one.start, one.end))
    return None


def _continues_another(cite: Cite, lines: list[str], path: str, one: Extent, tree: FileSource) -> bool:
    """Whether a definition continues another one of its name, which is no longer in its file and had more of its lines.

    The other one has all of its lines if it is in another class than the cited one. If it has the cited one's name and
    less than half of its lines, both were in files of the same name, so that the names do not tell them apart.
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
        old = tree.old_page(cite.commit, other) if not alike or stem_of(other) == stem_of(cite.path) else None
        if old is None:
            continue
        for rival in old.find_named(one.name):
            had = similarity(now, old.span(rival.start, rival.end))
            if had > share and (alike or had == 1) and not _still_has(tree.page(other), rival.name):
                return True
    return False


def _still_has(page: LineIndex | None, name: str) -> bool:
    return page is not None and any(one.name == name for one in page.find_named(name))


def _is_namesake(cite: Cite, old: LineIndex, page: LineIndex, one: Extent, share: float, tree: FileSource) -> bool:
    """Whether a definition of a cite's name that has only a share of its lines is the cited one.

    It is one with nearly all of its words and few others, if it has many. It is one with most of the words in a class
    of the same name, which may be in another one now or no longer, or in a new file that continues the cited one. One
    with the same qualified name needs less: in a file of the same name a smaller share of the lines, or half of the
    words; in such a new file, in the same package of Go, or in a file of the same name in a related language, nothing
    else.
    """
    lines = old.span(cite.start, cite.end)
    now = page.span(one.start, one.end)
    words = word_similarity(lines, now)
    same_file = stem_of(page.path) == stem_of(cite.path)
    has_all = words >= MIN_WORDS_OF_STRANGER and count_words(lines) >= MIN_WORDS_TO_TELL
    if has_all and word_similarity(now, lines) >= MIN_SHARE:  # a long one has the words of many
        return True
    if words >= MIN_WORDS_OF_NAMESAKE and count_words(lines) >= MIN_WORDS:
        symbol = cite.symbol or ""
        has_owner = same_file or "." in symbol or not lines[0][:1].isspace()  # else its class has no known name
        nested = f".{one.name}".endswith(f".{symbol}") or ("." in one.name and symbol.endswith(f".{one.name}"))
        if (has_owner and nested) or _continues(old, page, cite, tree):
            return True
        if _has_renamed_owner(old, page, cite, one, tree):
            return True
    if one.name != cite.symbol and not _is_class_of(cite, one):
        return False
    translated = language_of(page.path) != language_of(cite.path)  # to another language, which changes every line
    if same_file and (share >= MIN_SHARE_OF_NAMESAKE or words >= MIN_SHARE or translated):
        return True
    return _in_one_package(page.path, cite.path) or _continues(old, page, cite, tree)


def _has_renamed_owner(old: LineIndex, page: LineIndex, cite: Cite, one: Extent, tree: FileSource) -> bool:
    """Whether a definition is of a class in a new file that has most members of the cited one's class, by their names.

    The class was then renamed, or its file was replaced.
    """
    owner, now = (cite.symbol or "").rpartition(".")[0], one.name.rpartition(".")[0]
    if not owner or not now or cite.commit is None or tree.old_page(cite.commit, page.path) is not None:
        return False
    before = _members(old, owner)
    return len(before & _members(page, now)) >= max(MIN_MEMBERS, MIN_SHARE * len(before))


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

    Git calls that a rename or a copy when one commit does it.
    """
    if cite.commit is None or tree.old_page(cite.commit, page.path) is not None:
        return False
    before, now = set(informative_words(old.lines)), set(informative_words(page.lines))
    return len(before & now) >= max(MIN_SHARED, MIN_SHARE * min(len(before), len(now)))


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


def make_cite(path: str, page: LineIndex | None, start: int, end: int, commit: str | None) -> Cite:
    """Return a cite of some lines with the enclosing definition and the mark of their text."""
    if page is None:
        return Cite(path=path, start=start, end=end, commit=commit)
    around = innermost_extent(page.extents, start, end)
    mark = make_mark(page.span(start, end))
    return Cite(path=path, start=start, end=end, symbol=around.name if around else None, hash=mark, commit=commit)
