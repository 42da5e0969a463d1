"""Writing the word index of a folder, and opening it.

Texts arrive split into words by `source.identifiers` and are not stored. The manifest is authoritative; it stores the
`stamp` of the commit that belongs to it.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import tantivy

from muninn_core.errors import BusyError, StorageError
from muninn_core.index.integrity import (
    DamagedIndex,
    check_words,
    delete_unreferenced,
    discard,
    is_at_limit,
    is_exhausted,
)
from muninn_core.index.words.reader import Words, word_schema
from muninn_core.resource_exhaustion import raising_limits

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from muninn_core.index.words.reader import Field
    from muninn_core.model.chunk import SourceKind

log = logging.getLogger("muninn.index")

_GONE = "the folder of the word index was deleted"
_HEAP = 50_000_000
"""Bytes of memory after which the writer writes a segment."""


class Lexical:
    """Writes the word index of a folder. Only one process can hold it open. Changes are visible after `commit`."""

    def __init__(self, folder: Path, heap: int = _HEAP) -> None:
        """Open the index in a folder. `heap`: bytes of memory after which a segment is written."""
        self._schema = word_schema()
        self._closed = False
        self._folder = folder
        self._meta = folder / "meta.json"
        try:
            folder.mkdir(mode=0o700, exist_ok=True)
            self._index = tantivy.Index(self._schema, str(folder))
            self._index.config_reader("manual")
        except OSError as error:
            raise StorageError(f"the word index in {folder} can't be opened: {error}") from error
        try:
            self._writer = self._index.writer(heap, 1)
        except ValueError as error:
            if "LockBusy" not in str(error):
                raise
            raise BusyError(
                f"another process writes the word index in {folder}", hint="Only one daemon may serve a repository."
            ) from error
        self.stamp = int(self._writer.commit_opstamp)
        """Tantivy's number of the last commit; it differs for each commit."""

    @property
    def intact(self) -> bool:
        """Whether the folder still exists with the committed index."""
        return self._meta.exists()

    def add(self, number: int, kind: SourceKind, key: str, fields: Mapping[Field, str]) -> None:
        """Add a chunk. `delete` takes its `key`. The texts of the fields are words separated by blanks."""
        document = self._document(number, kind, key)
        for field, text in fields.items():
            document.add_text(field, text)
        self._put(document)

    def add_file(self, number: int, kind: SourceKind, key: str, words: Sequence[str]) -> None:
        """Add a whole file."""
        document = self._document(number, kind, key)
        for part in words:
            document.add_text("whole", part)
        self._put(document)

    def delete(self, key: str) -> None:
        """Delete the chunks and the whole file of a key. Raises StorageError."""
        try:
            self._writer.delete_documents_by_term("key", key)
        except (ValueError, RuntimeError) as error:
            raise _unwritable(error) from error

    def clear(self) -> None:
        """Delete all documents with the next commit. Raises StorageError."""
        try:
            self._writer.delete_all_documents()
        except (ValueError, RuntimeError) as error:
            raise _unwritable(error) from error

    def commit(self) -> None:
        """Write all changes since the last commit to disk and make them visible. Raises StorageError."""
        try:
            self.stamp = int(self._writer.commit())
        except (ValueError, RuntimeError, OSError) as error:
            raise _unwritable(error) from error

    def check(self) -> None:
        """Compare the files with their checksums, and delete those that a killed writer left.

        Call it before the first change. Raises DamagedIndex, StorageError.
        """
        try:
            check_words(self._folder)
            delete_unreferenced(self._folder)
        except OSError as error:
            raise _unwritable(error) from error

    def rollback(self) -> None:
        """Discard all changes since the last commit. Raises StorageError when the folder was deleted."""
        try:
            self._writer.rollback()
        except BaseException as error:
            if not _lost(error):
                raise
            if self.intact:
                raise _unwritable(error) from None
            raise StorageError(_GONE, hint="The next change builds it again.") from None

    def read(self) -> Words:
        """Return the last committed state. Raises DamagedIndex, StorageError."""
        try:
            self._index.reload()
            return Words(self._index.searcher(), self._schema)
        except (ValueError, OSError) as error:
            if is_exhausted(error) or not self.intact:
                raise _unwritable(error) from error
            raise DamagedIndex(f"the word index can't be read: {error}", hint="It is rebuilt; try again.") from error

    def close(self) -> None:
        """Release the folder. States that were read stay readable. A second call does nothing."""
        if not self._closed:
            self._closed = True
            try:
                self._writer.wait_merging_threads()
            except BaseException as error:
                if not _lost(error):  # a lost folder needs no release
                    raise

    def _put(self, document: tantivy.Document) -> None:
        try:
            self._writer.add_document(document)
        except (ValueError, RuntimeError) as error:  # an earlier write of tantivy's thread failed
            raise _unwritable(error) from error

    def _document(self, number: int, kind: SourceKind, key: str) -> tantivy.Document:
        document = tantivy.Document()
        document.add_unsigned("id", number)
        document.add_text("kind", kind)
        document.add_text("key", key)
        return document


def _lost(error: BaseException) -> bool:
    """Whether an error means that the folder, or a file being written to it, is gone.

    Tantivy panics when its lock file is gone. PanicException is a BaseException, which would end the thread.
    """
    return isinstance(error, ValueError) or type(error).__name__ == "PanicException"


def _unwritable(error: BaseException) -> StorageError:
    hint = raising_limits() if is_at_limit(error) else "is the disk full? the cache can be deleted"
    return StorageError(f"the word index can't be written: {error}", hint=hint)


def open_lexical(folder: Path) -> Lexical:
    """Open the word index in a folder. A damaged index, or one of another format, is replaced by an empty one.

    Raises BusyError while another process has it open, StorageError when the folder can't be written.
    """
    try:
        opened = Lexical(folder)
    except ValueError as error:
        if is_exhausted(error):
            raise _unwritable(error) from error
        return renew_lexical(folder)
    try:
        opened.check()
    except DamagedIndex as error:
        log.warning("the word index is rebuilt: %s", error.message)
        opened.close()
        return renew_lexical(folder)
    except BaseException:
        opened.close()
        raise
    return opened


def read_words(folder: Path) -> Words:
    """Return the committed state of a word index that another process may be writing. Nothing is written.

    Raises DamagedIndex when it can't be read, which may also mean that its files were just replaced.
    """
    try:
        return Words(tantivy.Index.open(str(folder)).searcher(), word_schema())
    except (ValueError, OSError) as error:
        raise DamagedIndex(f"the word index can't be read: {error}") from error


def renew_lexical(folder: Path) -> Lexical:
    """Open an empty word index in the place of the one in a folder, which must be closed. Raises StorageError."""
    try:
        discard(folder)
        return Lexical(folder)
    except (OSError, ValueError) as error:
        raise _unwritable(error) from error
