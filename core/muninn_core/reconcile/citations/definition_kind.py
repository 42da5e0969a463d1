"""Which definitions of a name may be the cited one, by what their heads say: class, receiver, trait."""

from __future__ import annotations

import re
from collections.abc import Sequence

from muninn_core.model.memory import Cite
from muninn_core.reconcile.citations.file_source import FileSource
from muninn_core.source.chunks.line_index import LineIndex, similarity, word_similarity
from muninn_core.source.code.extent import Extent, common_parts, innermost_extent
from muninn_core.source.code.symbols import GENERIC
from muninn_core.source.files.classify import language_of

_IMPL = re.compile(rf"\s*(?:unsafe\s+)?impl\b\s*(?:{GENERIC})?\s*(?:!?(?:[\w:]+::)?(\w+)(?:<.*>)?\s+for\b)?")
"""The head of an `impl` of Rust, and the trait that it implements."""

MIN_SHARE_OF_NAMESAKE = 0.25
"""The share of the lines that a definition of the same name in a renamed class or a file of the same name must have."""

MIN_WORDS_OF_NAMESAKE = 0.6
"""The share of the words that a definition of the same name in any file must have."""

_OWNERS = {
    "cpp": re.compile(r"[^(=]*?(\w+)(?:<[^<>]*>)?::~?\w+\s*\("),
    "go": re.compile(r"\s*func\s*\(\s*(?:\w+\s+)?\*?(\w+)"),
    "javascript": re.compile(r"\s*(?:[\w$]+\.)*?([\w$]+)\.prototype\.[\w$]+\s*="),
    "ruby": re.compile(r"\s*def\s+(self)\."),
}
"""What a definition belongs to by its head: a class (C++), a receiver (Go), a prototype (JavaScript), the class itself
(Ruby).
"""


def same_kind(cite: Cite, page: LineIndex, named: list[Extent], tree: FileSource) -> list[Extent]:
    """Return the definitions of a name without those that are something else by their heads.

    A class has the name of its constructor, and is one only with parameters after its name, as in Kotlin.

    In Rust `enum Mode`, `impl Mode` and `impl Display for Mode` are three definitions of one name. `func (s *Store)
    load` and `func (c *Cache) load` are two in Go, and so are `Store.prototype.load` and `Cache.prototype.load` in
    JavaScript, `def load` and `def self.load` in Ruby.
    """
    named = [one for one in named if not is_class_of(cite, one) or _has_parameters(page, one)]
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
    return [
        one
        for one in named
        if _may_belong(page, one, owner, language)
        or (
            replaces(owner, _owner(page, one, language), old, page)
            and resembles(old.span(cite.start, cite.end), page.span(one.start, one.end))
        )
    ]


def resembles(lines: Sequence[str], now: Sequence[str]) -> bool:
    """Whether a definition of the same name shares enough lines or words with the cited one to be it elsewhere."""
    return similarity(lines, now) >= MIN_SHARE_OF_NAMESAKE or word_similarity(lines, now) >= MIN_WORDS_OF_NAMESAKE


def replaces(asked: str | None, owner: str | None, old: LineIndex, page: LineIndex) -> bool:
    """Whether a file that defined one type defines another one instead, as after the type was renamed."""
    if asked is None or owner is None or not old.find_named(asked) or old.find_named(owner):
        return False
    return bool(page.find_named(owner)) and not page.find_named(asked)


def is_class_of(cite: Cite, one: Extent) -> bool:
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
