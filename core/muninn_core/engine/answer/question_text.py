"""Prepares the text of a question for search: template text, the title, named files and the number of words."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from muninn_core.retrieval import weights as w
from muninn_core.retrieval.query.long_questions import read_long_question
from muninn_core.retrieval.query.mentioned_files import mentioned_files
from muninn_core.retrieval.text.informative_terms import limit_terms

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from muninn_core.index.embedding.embed import Embedder
    from muninn_core.retrieval.reader import Reader


class QuestionText(NamedTuple):
    """What is searched for a question.

    `text` has its most informative words, `title` the first line of a long one, else "". `named` are the files that it
    names. `distinct` is the number of its distinct words, 0 when they were not counted.
    """

    text: str
    title: str
    named: tuple[str, ...]
    distinct: int


def read_question_text(text: str, reader: Reader) -> QuestionText:
    """Return what is searched for a question."""
    long = read_long_question(text)
    named = mentioned_files(text, long.addressed if long else (), reader)
    kept, distinct = limit_terms(long.text if long else text, reader.frequency)
    return QuestionText(kept, long.title if long else "", named, distinct)


def question_vector(embedder: Embedder, text: str, title: str) -> NDArray[np.float32] | None:
    """Return the vector of a question; that of a title is added `TITLE_MEANING` times. None when it is zero."""
    vector = embedder.embed_query(text)
    if title:
        vector = vector + w.TITLE_MEANING * embedder.embed_query(title)
        length = float(np.linalg.norm(vector))
        vector = (vector / length).astype(np.float32) if length else vector
    return vector if vector.any() else None
