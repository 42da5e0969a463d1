"""Finds decisions whose subject is touched. A context includes them though the question does not name them.

A decision in force names files and symbols. It is touched when the work tree changes one of those files, when one is in
the working set, or when the best code hits are in one or define a symbol.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from muninn_core.model.answer import Hit
from muninn_core.model.chunk import Chunk
from muninn_core.model.value import replace
from muninn_core.retrieval.reader import Reader
from muninn_core.retrieval.results.hits import hit_of
from muninn_core.retrieval.results.signal import reasons_of, signal
from muninn_core.retrieval.weights import SUBJECT
from muninn_core.source.documents.document import Document
from muninn_core.worktree.knowledge.documents import SteeringDocuments

MAX_DECISIONS = 3
"""The most touched decisions of a context; more would displace search hits."""

TOP = 6
"""How many of the best code hits count."""


class TouchedDecision(NamedTuple):
    """A decision and the reason why it is touched."""

    document: Document
    reason: str


def touched(
    library: SteeringDocuments, changed: Sequence[str], files: Sequence[str], code: Sequence[Hit]
) -> list[TouchedDecision]:
    """Return the decisions in force whose subject is touched, those of changed files first, at most `MAX_DECISIONS`.

    `changed` are the files that differ from HEAD, `files` the working set.
    """
    decisions = [document for document in library if document.in_force]
    if not decisions:
        return []
    grounds = (
        ("the work tree changes", changed),
        ("is in use", files),
        ("answers the question", [hit.path for hit in code[:TOP]]),
    )
    found = []
    for decision in decisions:
        reasons = [(rank, _named(decision, paths), verb) for rank, (verb, paths) in enumerate(grounds)]
        reasons.append((len(grounds), _symbol(decision, code[:TOP]), "answers the question"))
        reason = next(((rank, f"names {what}, which {verb}") for rank, what, verb in reasons if what), None)
        if reason is not None:
            found.append((reason[0], decision.path, TouchedDecision(decision, reason[1])))
    return [one for _, _, one in sorted(found, key=lambda entry: entry[:2])[:MAX_DECISIONS]]


def hits_of(found: Iterable[TouchedDecision], reader: Reader) -> list[Hit]:
    """Return a hit for the decision section of each document, with the reason."""
    hits = []
    for document, reason in found:
        chunks = sorted(reader.chunks_of(document.path).values(), key=lambda chunk: chunk.start)
        if chunks:
            why = reasons_of([signal("subject", 1.0, SUBJECT, reason)])
            hits.append(replace(hit_of(_decision_section(chunks), None, why), status=document.status_text))
    return hits


def _decision_section(chunks: Sequence[Chunk]) -> Chunk:
    """Return the section that states the decision, or the first one."""
    return next((chunk for chunk in chunks if "decision" in chunk.title.rpartition(" > ")[2].casefold()), chunks[0])


def _named(document: Document, paths: Iterable[str]) -> str:
    """Return the first path that a document names, by the whole path, the file name, or a folder; "" for none."""
    for path in paths:
        name = path.rpartition("/")[2]
        for file in document.files:
            if file in (path, name) or ("/" in file and path.startswith(f"{file}/")):
                return path
    return ""


def _symbol(document: Document, code: Iterable[Hit]) -> str:
    defined = {name.rpartition(".")[2] for hit in code for name in hit.symbol.split()}
    return next((symbol for symbol in document.symbols if symbol in defined), "")
