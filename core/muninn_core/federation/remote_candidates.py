"""The candidates that an organisation's server returns for a query, with the data that ranking needs.

The daemon ranks them together with the chunks of its own repository, so that scores mean the same in both. The values
travel as JSON; bytes are base64 there. A daemon ignores fields of a later version of the server.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from muninn_core.model.chunk import Chunk, SourceKind
from muninn_core.model.memory import Memory
from muninn_core.model.value import Value

FILES = 80
"""Chunks of files that a server returns for one query."""

MEMORIES = 40
"""Memories that a server returns for one query."""


class RemoteBranch(Value, forbid_unknown_fields=False):
    """A branch that candidates are from. `commits` are those of its last pushes, newest first."""

    repository: str
    ref: str
    generation: int
    commits: tuple[str, ...]


class RemoteFile(Value, forbid_unknown_fields=False):
    """A file of candidate chunks. `counts` are the term counts of the whole file."""

    repository: str
    path: str
    kind: SourceKind
    language: str
    generated: bool
    counts: bytes


class RemoteChunk(Value, forbid_unknown_fields=False):
    """A chunk with its term counts, 8-bit vectors and tokens' states, as the index has them. None: it has none.

    `path` of a file's chunk is the path in its repository, that of a memory's chunk is the memory's id.
    """

    repository: str
    chunk: Chunk
    counts: bytes
    vector: bytes | None = None
    encoding: bytes | None = None
    states: bytes | None = None


class RemoteCandidates(Value, forbid_unknown_fields=False):
    """The candidates, and the word statistics of all branches that were asked.

    `embedder` and `encoder` are (name, dimension) of the models of the vectors. `frequencies` has, for each word of the
    question, in how many documents it is, by field. `lengths` are the numbers of words by field.
    """

    embedder: tuple[str, int]
    encoder: tuple[str, int]
    documents: int
    lengths: tuple[int, ...]
    frequencies: Mapping[str, tuple[int, ...]] = MappingProxyType({})
    branches: tuple[RemoteBranch, ...] = ()
    files: tuple[RemoteFile, ...] = ()
    chunks: tuple[RemoteChunk, ...] = ()
    memories: tuple[Memory, ...] = ()
