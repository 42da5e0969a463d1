"""Opening the index in a cache folder, with repair after a crash."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from muninn_core.errors import BusyError, StorageError
from muninn_core.index.heap import trim
from muninn_core.index.index import Index
from muninn_core.index.integrity import SEAL, STATE, WORDS, Seal, clear, is_exhausted, prepare
from muninn_core.index.manifest.manifest import open_manifest
from muninn_core.index.words.writer import open_lexical
from muninn_core.index.writer import Writer

if TYPE_CHECKING:
    from pathlib import Path

    from muninn_core.index.embedding.embed import Embedder, Encoder

log = logging.getLogger("muninn.index")


def open_index(cache: Path, embedder: Embedder, encoder: Encoder | None = None) -> Index:
    """Open the index in a cache folder and repair it after a crash. An unusable index is replaced by an empty one.

    With an `encoder`, memories get encodings.
    Raises BusyError while another process has it open, StorageError when the folder can't be written.
    """
    try:
        return _opened(cache, embedder, encoder)
    except BaseException as error:  # tantivy's panics are no Exception
        if isinstance(error, (BusyError, KeyboardInterrupt, SystemExit)) or is_exhausted(error):
            raise
        log.warning("the index is rebuilt: %s", error)
    try:
        clear(cache)
    except OSError as error:
        raise _unwritable(cache, error) from error
    return _opened(cache, embedder, encoder)


def _unwritable(cache: Path, error: OSError) -> StorageError:
    return StorageError(
        f"the cache in {cache} can't be written: {error.strerror}",
        hint="Check its permissions and the limit on open files.",
    )


def _opened(cache: Path, embedder: Embedder, encoder: Encoder | None) -> Index:
    seal = Seal(cache)
    state = cache / STATE
    try:
        prepare(cache)
        complete = seal.check() if state.exists() or (cache / SEAL).exists() else True
        lexical = open_lexical(cache / WORDS)
    except OSError as error:
        raise _unwritable(cache, error) from error
    try:
        seal.begin()
        manifest = open_manifest(state, check=not complete)
    except BaseException:
        lexical.close()
        raise
    writer = Writer(state, (embedder.dim, encoder.dim if encoder is not None else 1), manifest, lexical)
    try:
        writer.recover(embedder.name, encoder.name if encoder is not None else "")
    except BaseException:
        writer.close()
        raise
    trim()  # building the vectors took twice their memory
    return Index(cache, embedder, encoder, writer, seal)
