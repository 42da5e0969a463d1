"""The best candidates of a query, with the data that ranking needs, for a daemon that ranks them with its own."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from muninn_core.errors import NotFoundError, UsageError
from muninn_core.federation.importers import ImportersParams
from muninn_core.federation.listing import Listing
from muninn_core.federation.remote_candidates import (
    FILES,
    MEMORIES,
    RemoteBranch,
    RemoteCandidates,
    RemoteChunk,
    RemoteFile,
)
from muninn_core.model.value import replace
from muninn_core.org import models
from muninn_core.org.answers.files import symbols
from muninn_core.org.answers.memories import memories
from muninn_core.org.answers.question import Question
from muninn_core.org.answers.search import searched
from muninn_core.org.reading.branches import repository_of
from muninn_core.org.reading.candidate_rows import RowOfFile, commits, rows_of_chunks, rows_of_files
from muninn_core.org.reading.importers import importers
from muninn_core.protocol.families.code import SymbolsParams
from muninn_core.protocol.families.inspection import MemoriesParams
from muninn_core.protocol.families.search import RecallParams
from muninn_core.retrieval.results.ranking import Candidate
from muninn_core.retrieval.search import search
from muninn_core.source.files.qualified import split
from muninn_core.source.identifiers import split_words

_NO_MODEL = ("", 1)


def best_candidates(question: Question, params: RecallParams) -> RemoteCandidates:
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
    return RemoteCandidates(
        embedder=(embedder.name, embedder.dim),
        encoder=_NO_MODEL if encoder is None else (encoder.name, encoder.dim),
        documents=reader.documents,
        lengths=reader.statistics.totals.words,
        frequencies=reader.statistics.by_field(words),
        branches=_branches(question, {each.repository for each in chunks}),
        files=files,
        chunks=chunks,
        memories=tuple(
            replace(each.memory, repository=_repository(question, each.memory.repository))
            for each in found
            if each.memory is not None
        ),
    )


def list_symbols(question: Question, params: SymbolsParams) -> Listing:
    """Return definitions by name with their branches. Raises BadParams."""
    found = symbols(question, params)
    named = tuple(replace(each, repository=_repository(question, each.repository)) for each in found.symbols)
    return Listing(total=found.total, symbols=named, branches=_branches(question, {each.repository for each in named}))


def list_memories(question: Question, params: MemoriesParams) -> Listing:
    """Return memories with their branches. Raises BadParams; there is none of an unknown or ambiguous id."""
    try:
        found = memories(question, params)
    except (NotFoundError, UsageError):
        return Listing(total=0)
    named = tuple(replace(each, repository=_repository(question, each.repository)) for each in found.memories)
    return Listing(total=found.total, memories=named, branches=_branches(question, {each.repository for each in named}))


def list_importers(question: Question, params: ImportersParams) -> Listing:
    """Return places that import or declare packages, with their branches. Raises BadParams."""
    found, note = importers(question.reader.stored, params)
    named = tuple(replace(each, repository=_repository(question, each.repository)) for each in found)
    branches = _branches(question, {each.repository for each in named})
    return Listing(total=len(named), note=note, importers=named, branches=branches)


def _branches(question: Question, repositories: Collection[str]) -> tuple[RemoteBranch, ...]:
    """Return the branches of some repositories, with the commits of their last pushes."""
    pushed = commits(question.reader.rows)
    return tuple(
        RemoteBranch(
            repository=each.repository, ref=each.ref, generation=each.generation, commits=tuple(pushed[each.id])
        )
        for each in question.branches
        if each.repository in repositories
    )


def _rows(question: Question, found: Sequence[Candidate]) -> tuple[tuple[RemoteChunk, ...], tuple[RemoteFile, ...]]:
    """Return the chunks of candidates and their files, as the database has them."""
    reader = question.reader
    numbers = reader.numbers_of([each.chunk for each in found])
    rows = rows_of_chunks(reader.rows, list(numbers.values()))
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
            RemoteChunk(
                repository=repository,
                chunk=placed,
                counts=row.counts,
                vector=row.vector,
                encoding=row.encoding,
                states=row.states,
            )
        )
        if memory is None:
            files[row.file] = repository, placed.path
    return tuple(chunks), tuple(_file(*files[row.id], row) for row in rows_of_files(reader.rows, list(files)))


def _file(repository: str, path: str, row: RowOfFile) -> RemoteFile:
    return RemoteFile(
        repository=repository, path=path, kind=row.kind, language=row.language, generated=row.generated,
        counts=row.counts,
    )  # fmt: skip


def _repository(question: Question, name: str) -> str:
    """Return the name of a repository; the reader of a single one does not name it."""
    return name or question.branches[0].repository
