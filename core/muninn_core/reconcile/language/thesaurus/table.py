"""Looks up synonyms, antonyms, more general words and base forms. The table is read at the first question."""

from __future__ import annotations

from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import NamedTuple

from muninn_core.reconcile.language.lexicon import stem

_FILE = Path(__file__).with_name("words.txt")

_VERBS_OF_SOFTWARE = (
    "backpatch backport batch benchmark bootstrap bundle checkout compile debounce debug decrypt dedupe "
    "deduplicate deserialise deserialize encrypt fork fuzz go instrument lint minify mock monkeypatch "
    "normalise normalize paginate parallelise parallelize prefetch preload rebase redeploy refactor reindex "
    "reload resync retry rollback rollout sanitise sanitize serialise serialize shard shutdown squash stub "
    "subclass throttle transpile typecheck unmarshal vendor"
)
"""Verbs that WordNet lacks."""


class _Table(NamedTuple):
    synonyms: dict[str, frozenset[str]]
    antonyms: dict[str, frozenset[str]]
    general: dict[str, frozenset[str]]
    bases: dict[str, str]
    verbs: frozenset[str]


def are_synonyms(one: str, other: str) -> bool:
    """Whether two stems share one of their two most frequent senses, and neither is a kind of the other."""
    return other in _table().synonyms.get(one, _NONE)


def are_antonyms(one: str, other: str) -> bool:
    """Whether two stems are opposites: "accept" and "refus"."""
    return other in _table().antonyms.get(one, _NONE)


def is_kind_of(one: str, other: str) -> bool:
    """Whether a stem names a kind of another, up to three levels above it: "truck" and "vehicl"."""
    return other in _table().general.get(one, _NONE)


def has_kinds(word: str) -> bool:
    """Whether a stem can be a noun or verb that has a more general word."""
    return word in _table().general


def base_of(word: str) -> str:
    """Return the stem of the verb that a noun is derived from or a form belongs to: "removal" gives "remov"."""
    return _table().bases.get(word, word)


def is_verb(word: str) -> bool:
    """Whether a stem can be a verb."""
    return word in _table().verbs


@cache
def _table() -> _Table:
    pairs: dict[str, dict[str, set[str]]] = {"=": defaultdict(set), "!": defaultdict(set)}
    general: dict[str, set[str]] = defaultdict(set)
    bases: dict[str, str] = {}
    verbs = set(map(stem, _VERBS_OF_SOFTWARE.split()))
    for line in _FILE.read_text("utf-8").splitlines():
        sign, one, *rest = line.split()
        if sign == "v":
            verbs.add(one)
        elif sign == "<":
            general[one].add(rest[0])
        elif sign == ">":
            bases[one] = rest[0]
        else:
            pairs[sign][one].add(rest[0])
            pairs[sign][rest[0]].add(one)
    return _Table(
        synonyms=_frozen(pairs["="]),
        antonyms=_frozen(pairs["!"]),
        general=_frozen(general),
        bases=bases,
        verbs=frozenset(verbs),
    )


def _frozen(sets: dict[str, set[str]]) -> dict[str, frozenset[str]]:
    return {word: frozenset(others) for word, others in sets.items()}


_NONE: frozenset[str] = frozenset()
