"""The arms of the measurement: the product as it is, and without one of its rules at a time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from muninn_core.index.embedding import encoder
from muninn_core.retrieval import weights
from muninn_core.retrieval.rankers import memory_ranking

RULES: dict[str, tuple[str, Any]] = {
    "without neighbours in the session": ("NEARBY", 0.0),
    "without replies to questions": ("ANSWERS", 0.0),
    "without the session as a whole": ("SESSION_MATCH", 0.0),
    "without times": ("TIME", 0.0),
    "without the penalty of questions": ("QUESTION", 0.0),
    "without less weight for words that cover little": ("FULL_COVERAGE", 0.0),
    "without versions of a fact": ("VERSIONS", 0),
}
"""An arm, and the weight that switches its rule off."""

WHOLE = "Muninn"
PARTS: dict[str, tuple[Any, str, Any]] = {
    WHOLE: (weights, "NEARBY", weights.NEARBY),
    "without the text encoder": (encoder, "_FOLDER", Path("/nonexistent")),
    "without late interaction": (memory_ranking, "token_states_of_memories", lambda _reader, _ids: {}),
}
"""An arm, and the module, name and value that switch a part off; nothing for the whole."""

ARMS = (*PARTS, *RULES)


@contextmanager
def arm(name: str) -> Iterator[None]:
    """Run a block as one of `ARMS`, in this process."""
    module, attribute, value = PARTS[name] if name in PARTS else (weights, *RULES[name])
    before = getattr(module, attribute)
    setattr(module, attribute, value)
    encoder.load_encoder.cache_clear()
    try:
        yield
    finally:
        setattr(module, attribute, before)
        encoder.load_encoder.cache_clear()
