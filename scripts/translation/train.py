"""Estimates the translations of words of facts to words of questions, by IBM Model 1.

`core/muninn_core/retrieval/signals/translation.py` reads the result and describes the model. The data are groups of
facts with questions about them, written for this purpose: `facts-*.jsonl` beside this file, and those of the text
encoder. Run this with the project's interpreter after a change of the data or of the words of a text.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "core"))

from muninn_core.retrieval.signals.translation import FILE, ONE, content_words  # noqa: E402

DATA = [*sorted(Path(__file__).parent.glob("facts-*.jsonl")), ROOT / "scripts" / "encoder" / "pairs.jsonl"]

ITERATIONS = 5
FEWEST = 5
"""The least number of questions and facts, counted together, that have a word of the model."""

SHRINKAGE = 10.0
"""How many further words are counted for each source: those of a rare source are less certain."""

LEAST = 0.003
"""The least probability that is kept."""


def main() -> int:
    pairs = [(content_words(question), content_words(fact)) for question, fact in _pairs()]
    counts = Counter(word for question, fact in pairs for word in {*question, *fact})
    words = sorted(word for word, count in counts.items() if count >= FEWEST)
    numbers = {word: number for number, word in enumerate(words)}
    shares, sources, targets, values = estimate(
        [([numbers[w] for w in q if w in numbers], [numbers[w] for w in f if w in numbers]) for q, f in pairs],
        len(words),
    )
    order = np.lexsort((sources, targets))
    np.savez_compressed(
        FILE,
        words=np.frombuffer(" ".join(words).encode(), np.uint8),
        shares=shares.astype(np.float32),
        starts=np.searchsorted(targets[order], np.arange(len(words) + 1)).astype(np.uint32),
        sources=sources[order].astype(np.uint16),
        probabilities=np.minimum(np.rint(values[order] * ONE), ONE - 1).astype(np.uint16),
    )
    size = FILE.stat().st_size
    print(f"wrote {FILE.relative_to(ROOT)}: {len(pairs)} pairs, {len(words)} words, {len(values)} values, {size} bytes")
    return 0


def estimate(
    pairs: list[tuple[list[int], list[int]]], size: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return the share of each word among those of questions, and sources, targets and values of the probabilities.

    `pairs` has the numbers of the words of a question and of its fact, below `size`. Words that no word of the fact
    explains come from an empty source, which is not returned.
    """
    empty = size
    flat = [
        (source, target, occurrence)
        for occurrence, (target, fact) in enumerate((word, fact) for question, fact in pairs for word in question)
        for source in (*fact, empty)
    ]
    source, target, occurrence = np.array(flat, np.int64).T
    keys, index = np.unique(source * size + target, return_inverse=True)
    sources, targets = keys // size, keys % size
    values = 1.0 / np.bincount(sources)[sources]
    for _ in range(ITERATIONS):
        likely = values[index]
        likely /= np.bincount(occurrence, likely)[occurrence]
        expected = np.bincount(index, likely)
        values = expected / (np.bincount(sources, expected) + SHRINKAGE)[sources]
    asked = np.bincount([word for question, _ in pairs for word in question], minlength=size)
    kept = (values >= LEAST) & (sources != empty)
    # A word that no question has gets the share of one that a single question has.
    return np.maximum(asked, 1) / asked.sum(), sources[kept], targets[kept], values[kept]


def _pairs() -> Iterator[tuple[str, str]]:
    for path in DATA:
        for line in path.read_text("utf-8").splitlines():
            for fact in json.loads(line)["facts"]:
                for question in fact["questions"]:
                    yield question, fact["text"]


if __name__ == "__main__":
    sys.exit(main())
