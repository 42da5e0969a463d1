"""Offers: the best candidates of a question with what ranking needs, for a daemon that ranks them with its own."""

from __future__ import annotations

from collections.abc import Sequence

from muninn_core.federation.offer import FILES, MEMORIES, Offer, OfferedBranch, OfferedChunk, OfferedFile
from muninn_core.model.value import replace
from muninn_core.org import models
from muninn_core.org.answers import Question, searched
from muninn_core.org.reader import RowOfFile, repository_of
from muninn_core.protocol.search import RecallParams
from muninn_core.retrieval.ranking import Candidate
from muninn_core.retrieval.search import search
from muninn_core.source.identifiers import split_words
from muninn_core.source.qualified import split

_NO_MODEL = ("", 1)


def offer(question: Question, params: RecallParams) -> Offer:
    """Return the best candidates of a question. Raises BadParams."""
    reader = question.reader
    request = searched(question, params)
    found: list[Candidate] = []
    if params.kind != "memory":
        kind = params.kind
        ranking = search(reader, request._replace(kind=kind, limit=FILES))
        found += [each for each in ranking if each.memory is None][:FILES]
    if params.kind in (None, "memory"):
        found += search(reader, request._replace(kind="memory", limit=MEMORIES))[:MEMORIES]
    chunks, files = _rows(question, found)
    words = dict.fromkeys((*split_words(request.text).split(), *split_words(params.query).split()))
    embedder, encoder = models.embedder(), models.encoder()
    offered, commits = {each.repository for each in chunks}, reader.commits()
    return Offer(
        embedder=(embedder.name, embedder.dim),
        encoder=_NO_MODEL if encoder is None else (encoder.name, encoder.dim),
        documents=reader.documents,
        lengths=reader.statistics.totals.words,
        frequencies=reader.statistics.by_field(words),
        branches=tuple(
            OfferedBranch(
                repository=each.repository, ref=each.ref, generation=each.generation, commits=tuple(commits[each.id])
            )
            for each in question.branches
            if each.repository in offered
        ),
        files=files,
        chunks=chunks,
        memories=tuple(
            replace(each.memory, repository=_repository(question, each.memory.repository))
            for each in found
            if each.memory is not None
        ),
    )


def _rows(question: Question, found: Sequence[Candidate]) -> tuple[tuple[OfferedChunk, ...], tuple[OfferedFile, ...]]:
    """Return the chunks of candidates and their files, as the database has them."""
    reader = question.reader
    numbers = reader.numbers_of([each.chunk for each in found])
    rows = reader.rows_of_chunks(list(numbers.values()))
    by_chunk = {id(each.chunk): each for each in found}
    chunks, files = [], {}
    for chunk_id, number in numbers.items():
        candidate, row = by_chunk[chunk_id], rows.get(number)
        if row is None:
            continue
        chunk, memory = candidate.chunk, candidate.memory
        name = memory.repository if memory is not None else repository_of(chunk.path)
        repository = _repository(question, name)
        placed = replace(chunk, path=chunk.path if memory is not None else split(chunk.path)[1] or chunk.path)
        chunks.append(
            OfferedChunk(
                repository=repository, chunk=placed, counts=row.counts, vector=row.vector, encoding=row.encoding
            )
        )
        if memory is None:
            files[row.file] = repository, placed.path
    return tuple(chunks), tuple(_file(*files[row.id], row) for row in reader.rows_of_files(list(files)))


def _file(repository: str, path: str, row: RowOfFile) -> OfferedFile:
    return OfferedFile(
        repository=repository, path=path, kind=row.kind, language=row.language, generated=row.generated,
        counts=row.counts,
    )  # fmt: skip


def _repository(question: Question, name: str) -> str:
    """Return the name of a repository; the reader of a single one does not name it."""
    return name or question.branches[0].repository
