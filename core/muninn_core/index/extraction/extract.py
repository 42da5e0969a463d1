"""Turns a file into what the index stores of it: chunks, their words, their vectors.

Worker processes run it, and the daemon itself for small changes. It writes nothing.
"""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from muninn_core.source.chunks.chunk import ChunkedFile, chunk_with_syntax
from muninn_core.source.code.definition import Syntax
from muninn_core.source.code.syntax import is_safe_in_process
from muninn_core.source.files.classify import classify
from muninn_core.source.files.exported import read_for_index
from muninn_core.source.files.generated import is_marked_generated
from muninn_core.source.files.text import Text
from muninn_core.source.identifiers import split_words

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager

    from muninn_core.index.embedding.embed import Embedder
    from muninn_core.index.words.reader import Field
    from muninn_core.model.chunk import Chunk, SourceKind

SAME = "same"
"""The outcome of a file whose content is indexed already."""

CHANGED = "changed"
"""The outcome of a file that was read and cut."""

RISKY = "risky"
"""The outcome of a file that a careful job does not parse: the parser might crash or hang."""

Care = Literal["none", "careful", "utmost"]
"""How a job treats code that might crash or hang its parser: "none" parses it, "careful" leaves it out with the outcome
`RISKY`, "utmost" parses no code at all."""


class Job(NamedTuple):
    """Files to extract: (path, indexed digest or None) below a root. Files of more than `most` bytes are not read."""

    root: str
    most: int
    files: tuple[tuple[str, bytes | None], ...]
    care: Care = "none"


class Piece(NamedTuple):
    """A chunk and the words of its text."""

    chunk: Chunk
    body: str


class WordsJob(NamedTuple):
    """Files below a root whose words are to be read. Files of more than `most` bytes are not read."""

    root: str
    most: int
    paths: tuple[str, ...]


class FileWords(NamedTuple):
    """A file and its words, separated by blanks."""

    path: str
    kind: SourceKind
    words: str


@dataclass(slots=True)
class Extracted:
    """The result for one file. `outcome` is CHANGED (with pieces), SAME, RISKY, or the reason that it can't be read."""

    path: str
    outcome: str
    size: int = 0
    mtime_ns: int = 0
    digest: bytes = b""
    kind: SourceKind = "code"
    language: str = "text"
    generated: bool = False
    pieces: list[Piece] = field(default_factory=list)
    syntax: Syntax = field(default_factory=Syntax)
    vectors: Any = None
    """int8 [len(pieces), dim] from `quantise`, or None when the vectors are made later."""


def extract(
    job: Job, embedder: Embedder | None, guard: Callable[[], AbstractContextManager[object]] = nullcontext
) -> list[Extracted]:
    """Read and cut the files of a job in order; with an embedder, embed all of their chunks in one batch.

    Each file is processed inside `guard()`, which may limit its time.
    """
    found = []
    for path, known in job.files:
        with guard():
            found.append(_extract_file(job, path, known))
    if embedder is not None:
        _embed(found, embedder)
    return found


def read_words(job: WordsJob) -> list[FileWords]:
    """Return the words of files; files that can't be read are left out."""
    root = Path(job.root)
    texts = ((path, read_for_index(root, path, job.most)) for path in job.paths)
    return [
        FileWords(path, classify(path)[0], split_words(read.text)) for path, read in texts if isinstance(read, Text)
    ]


def embedding_text(piece: Chunk, extra: str = "") -> str:
    """Return the text that is embedded for a chunk: path (of a file), title and text.

    A chunk that continues a long definition has the head of the definition before its text.
    """
    place = "" if piece.kind == "memory" else piece.path
    head = piece.signature if piece.title and not piece.symbol else ""
    return "\n".join(part for part in (place, piece.title, head, piece.text, extra) if part)


def word_fields(piece: Chunk, body: str, extra: str = "") -> dict[Field, str]:
    """Return the fields of a chunk in the word index. `body` holds the words of its text, `extra` is more text."""
    found: dict[Field, str] = {"body": f"{body} {split_words(extra)}" if extra else body}
    if piece.symbol:
        found["symbol"] = split_words(piece.symbol)
    if piece.title and piece.kind != "code":  # of code, the definition around it, which is indexed itself
        found["title"] = split_words(piece.title)
    if piece.kind != "memory":
        found["path"] = split_words(piece.path)
    return found


def file_words(path: str, bodies: Sequence[str]) -> list[str]:
    """Return the words of a whole file: of its path and of all its chunks."""
    return [split_words(path), *bodies]


def _extract_file(job: Job, path: str, known: bytes | None) -> Extracted:
    read = read_for_index(Path(job.root), path, job.most)
    if not isinstance(read, Text):
        return Extracted(path, read)
    outcome = SAME if read.digest == known else CHANGED
    kind, language = classify(path)
    if outcome == CHANGED and job.care == "careful" and not is_safe_in_process(path, language, read.text):
        return Extracted(path, RISKY)
    made = (
        chunk_with_syntax(path, read.text, by_grammar=job.care != "utmost")
        if outcome == CHANGED
        else ChunkedFile([], Syntax())
    )
    pieces = [Piece(c, split_words(c.text)) for c in made.chunks]
    by_program = kind == "code" and outcome == CHANGED and is_marked_generated(read.text)
    return Extracted(
        path, outcome, read.size, read.mtime_ns, read.digest, kind, language, by_program, pieces, made.syntax
    )


def _embed(found: list[Extracted], embedder: Embedder) -> None:
    from muninn_core.index.vectors.quantise import quantise  # imports numpy, which reading files does not need

    vectors = quantise(embedder.embed([embedding_text(piece.chunk) for one in found for piece in one.pieces]))
    at = 0
    for one in found:
        one.vectors = vectors[at : at + len(one.pieces)]
        at += len(one.pieces)
