"""Builds the thesaurus of reconcile from the database files of WordNet 3.0.

    python scripts/thesaurus/build.py FOLDER

FOLDER holds `index.*`, `data.*` and `*.exc` (format: wordnet.princeton.edu, wndb(5WN)). The result is
`core/muninn_core/reconcile/language/thesaurus/words.txt`: one relation per line, the same bytes at each run.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from muninn_core.reconcile.language.lexicon import stem

OUT = Path(__file__).resolve().parents[2] / "core/muninn_core/reconcile/language/thesaurus/words.txt"
PARTS = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}
SENSES = 2
"""A synonym must be among this many most frequent senses of both words."""

LEVELS = 3
"""How many levels of kinds above a noun or verb are kept."""

_SHARED = 4
"""Letters that a noun and the verb it is derived from have in common at their start."""


class Synset(NamedTuple):
    """A sense: its words, and pointers as (symbol, target, number of the own word, number of the target's word)."""

    words: tuple[str, ...]
    pointers: tuple[tuple[str, str, int, int], ...]


def main(folder: Path) -> int:
    synsets = {key: synset for part in PARTS for key, synset in _synsets(folder, part)}
    senses = {(part, word): keys for part in PARTS for word, keys in _senses(folder, part)}
    lines: set[str] = set()
    lines |= {f"= {one} {other}" for one, other in _synonyms(synsets, senses)}
    lines |= {f"! {one} {other}" for one, other in _antonyms(synsets, senses)}
    lines |= {f"< {one} {other}" for one, other in _kinds(synsets, senses)}
    lines |= {f"> {one} {other}" for one, other in _forms(folder, synsets)}
    lines |= {
        f"v {stem(word)}" for key, each in synsets.items() if key[0] == "v" for word in each.words if _is_plain(word)
    }
    OUT.write_text("".join(f"{line}\n" for line in sorted(lines)), "utf-8")
    print(f"wrote {OUT.name}: {len(lines)} relations, {OUT.stat().st_size} bytes")
    return 0


def _synsets(folder: Path, part: str) -> Iterator[tuple[str, Synset]]:
    for line in (folder / f"data.{PARTS[part]}").read_text("utf-8").splitlines():
        if line.startswith("  "):
            continue  # the licence
        fields = line.partition(" | ")[0].split()
        count = int(fields[3], 16)
        words = tuple(fields[4 + 2 * place].partition("(")[0].lower() for place in range(count))
        at = 4 + 2 * count
        pointers = []
        for place in range(int(fields[at])):
            symbol, target, kind, numbers = fields[at + 1 + 4 * place : at + 5 + 4 * place]
            kind = "a" if kind == "s" else kind
            pointers.append((symbol, f"{kind}{target}", int(numbers[:2], 16), int(numbers[2:], 16)))
        yield f"{part}{fields[0]}", Synset(words, tuple(pointers))


def _senses(folder: Path, part: str) -> Iterator[tuple[str, list[str]]]:
    """Yield each word of one part of speech with its synsets, the most frequent first.

    Words that WordNet's tagged texts do not contain are left out: their order of senses is arbitrary.
    """
    for line in (folder / f"index.{PARTS[part]}").read_text("utf-8").splitlines():
        if not line.startswith("  "):
            fields = line.split()
            count = int(fields[2])
            if int(fields[-count - 1]):
                yield fields[0], [f"{part}{offset}" for offset in fields[-count:]]


Senses = dict[tuple[str, str], list[str]]


def _frequent(key: str, word: str, senses: Senses, most: int = SENSES) -> bool:
    return key in senses.get((key[0], word), [])[:most]


def _synonyms(synsets: dict[str, Synset], senses: Senses) -> set[tuple[str, str]]:
    found = set()
    kinds = _kinds(synsets, senses)
    for key, synset in synsets.items():
        words = [word for word in synset.words if _is_plain(word) and _frequent(key, word, senses)]
        for one in words:
            for other in words:
                pair = (stem(one), stem(other))
                if pair[0] < pair[1] and pair not in kinds and pair[::-1] not in kinds:
                    found.add(pair)
    return found


def _antonyms(synsets: dict[str, Synset], senses: Senses) -> set[tuple[str, str]]:
    found = set()
    for key, synset in synsets.items():
        for symbol, target, own, theirs in synset.pointers:
            if symbol == "!" and own and theirs:
                one, other = synset.words[own - 1], synsets[target].words[theirs - 1]
                if _is_plain(one) and _is_plain(other) and _frequent(key, one, senses):
                    pair = sorted((stem(one), stem(other)))
                    found |= {(pair[0], pair[1])} if pair[0] != pair[1] else set()
    return found


def _kinds(synsets: dict[str, Synset], senses: Senses) -> set[tuple[str, str]]:
    """Return pairs of a word and a more general one, for the most frequent sense of nouns."""
    found = set()
    for (part, word), keys in senses.items():
        if part not in "nv" or not _is_plain(word):
            continue
        level = keys[:1]
        for _ in range(LEVELS if part == "n" else 1):
            level = [target for key in level for symbol, target, _, _ in synsets[key].pointers if symbol == "@"]
            for key in level:
                for general in synsets[key].words:
                    if _is_plain(general) and _frequent(key, general, senses, 1) and stem(general) != stem(word):
                        found.add((stem(word), stem(general)))
    return found


def _forms(folder: Path, synsets: dict[str, Synset]) -> set[tuple[str, str]]:
    """Return pairs of a form and its base: irregular forms, and nouns derived from verbs ("removal", "remove")."""
    found: dict[str, set[str]] = defaultdict(set)
    for part in ("noun", "verb"):
        for line in (folder / f"{part}.exc").read_text("utf-8").splitlines():
            form, base, *_ = line.split()
            if _is_plain(form) and _is_plain(base):
                found[stem(form)].add(stem(base))
    for key, synset in synsets.items():
        for symbol, target, own, theirs in synset.pointers:
            if symbol == "+" and key[0] == "n" and target[0] == "v" and own and theirs:
                noun, verb = synset.words[own - 1], synsets[target].words[theirs - 1]
                if _is_plain(noun) and len(verb) <= len(noun) and _is_plain(verb) and _is_act(noun, verb):
                    found[stem(noun)].add(stem(verb))
    return {(form, min(bases, key=len)) for form, bases in found.items() for _ in "1" if form not in bases}


def _is_act(noun: str, verb: str) -> bool:
    """Whether a noun names the act or its result, and not who does it ("remover")."""
    shared = min(_SHARED, len(verb) - 1)
    doer = noun.endswith(("er", "or", "ee", "ist", "ant", "ent", "able", "ability")) and not noun.endswith("ment")
    return noun[:shared] == verb[:shared] and not doer


def _is_plain(word: str) -> bool:
    return word.isascii() and word.isalpha() and len(word) > 2


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
