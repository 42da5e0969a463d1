"""From a file to what the index stores of it: chunks, their words, their vectors.

The one recipe for it, run by worker processes and, for small changes, by the daemon itself. It writes nothing.
"""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from muninn_core.source.chunk import Cut, cut
from muninn_core.source.classify import classify
from muninn_core.source.definition import Syntax
from muninn_core.source.generated import is_marked_generated
from muninn_core.source.identifiers import words
from muninn_core.source.syntax import is_harmless
from muninn_core.source.text import Text, read_text

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager

    from muninn_core.index.embed import Embedder
    from muninn_core.index.lexical import Field
    from muninn_core.model.chunk import Chunk, SourceKind

SAME = "same"
"""The outcome of a file whose content is what the index has."""

CHANGED = "changed"
"""The outcome of a file that was read and cut."""

WILD = "wild"
"""The outcome of a file that a careful job leaves to others: its parser might break, or come to no end."""

Care = Literal["none", "careful", "utmost"]
"""What a job does with code that might end its process: reads it all the same, leaves it alone (`WILD`), or asks no
grammar about any code."""


class Job(NamedTuple):
    """Files to extract: (path, digest of what the index has or None) below a root; `most` limits their bytes."""

    root: str
    most: int
    files: tuple[tuple[str, bytes | None], ...]
    care: Care = "none"


class Piece(NamedTuple):
    """A chunk and the words of its text."""

    chunk: Chunk
    body: str


class Glance(NamedTuple):
    """Files of which only the words are wanted, below a root; `most` limits their bytes."""

    root: str
    most: int
    paths: tuple[str, ...]


class Glanced(NamedTuple):
    """A file and its words, separated by blanks."""

    path: str
    kind: SourceKind
    words: str


@dataclass(slots=True)
class Extracted:
    """What became of a file: CHANGED with pieces, SAME, WILD, or why it can't be read."""

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
    """int8 [len(pieces), dim], as `quantise` makes them, or None where vectors are made later."""


def extract(
    job: Job, embedder: Embedder | None, guard: Callable[[], AbstractContextManager[object]] = nullcontext
) -> list[Extracted]:
    """Read, cut and split the files of a job in their order; with an embedder, embed all of their chunks at once.

    Each file is read within a `guard`, which may limit what it takes.
    """
    found = []
    for path, known in job.files:
        with guard():
            found.append(_extract_file(job, path, known))
    if embedder is not None:
        _embed(found, embedder)
    return found


def glance(job: Glance) -> list[Glanced]:
    """Read the words of some files; those that can't be read are left out."""
    root = Path(job.root)
    texts = ((path, read_text(root, path, job.most)) for path in job.paths)
    return [Glanced(path, classify(path)[0], words(read.text)) for path, read in texts if isinstance(read, Text)]


def embedding_text(piece: Chunk, extra: str = "") -> str:
    """Return what is embedded of a chunk: where it is, what it is called, and its text. A memory's id means nothing.

    A piece of a long definition that begins in the middle of it gets its head again.
    """
    place = "" if piece.kind == "memory" else piece.path
    head = piece.signature if piece.title and not piece.symbol else ""
    return "\n".join(part for part in (place, piece.title, head, piece.text, extra) if part)


def word_fields(piece: Chunk, body: str, extra: str = "") -> dict[Field, str]:
    """Return the texts of a chunk's fields in the word index. `body`: its text's words; `extra`: more text."""
    found: dict[Field, str] = {"body": f"{body} {words(extra)}" if extra else body}
    if piece.symbol:
        found["symbol"] = words(piece.symbol)
    if piece.title and piece.kind != "code":  # of code that is what surrounds it: said where it is defined
        found["title"] = words(piece.title)
    if piece.kind != "memory":
        found["path"] = words(piece.path)
    return found


def file_words(path: str, bodies: Sequence[str]) -> list[str]:
    """Return the words of a whole file: those of its path and of all its chunks."""
    return [words(path), *bodies]


def _extract_file(job: Job, path: str, known: bytes | None) -> Extracted:
    read = read_text(Path(job.root), path, job.most)
    if not isinstance(read, Text):
        return Extracted(path, read)
    outcome = SAME if read.digest == known else CHANGED
    kind, language = classify(path)
    if outcome == CHANGED and job.care == "careful" and not is_harmless(path, language, read.text):
        return Extracted(path, WILD)
    made = cut(path, read.text, by_grammar=job.care != "utmost") if outcome == CHANGED else Cut([], Syntax())
    pieces = [Piece(c, words(c.text)) for c in made.chunks]
    by_program = kind == "code" and outcome == CHANGED and is_marked_generated(read.text)
    return Extracted(
        path, outcome, read.size, read.mtime_ns, read.digest, kind, language, by_program, pieces, made.syntax
    )


def _embed(found: list[Extracted], embedder: Embedder) -> None:
    from muninn_core.index.quantise import quantise  # numpy, which a process that only reads files does not need

    vectors = quantise(embedder.embed([embedding_text(piece.chunk) for one in found for piece in one.pieces]))
    at = 0
    for one in found:
        one.vectors = vectors[at : at + len(one.pieces)]
        at += len(one.pieces)
