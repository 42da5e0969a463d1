"""The redaction that is being carried out, in a file, so that a daemon that starts after a crash completes it.

The file holds the text that is being redacted. It is deleted when no other file of the work tree holds it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from muninn_core.errors import MuninnError, ReadOnlyError, StorageError
from muninn_core.model.value import Value, decoder_of, encode_json
from muninn_core.store.files.disk import remove, write_atomic

NAME = "redaction.json"

_COMPLETED = "Redact again. If you do not, the next start of the daemon completes the redaction."


class Redaction(Value):
    """The memories to redact, with their texts, the scope of their log, and who requested it."""

    ids: tuple[str, ...]
    texts: tuple[str, ...]
    actor: str
    scope: str


_decode = decoder_of(Redaction)


class PendingRedaction:
    """The file in the local folder of a work tree."""

    def __init__(self, local: Path) -> None:
        self._path = local / NAME

    def read(self) -> Redaction | None:
        """Return the redaction that a crash interrupted. Raises OSError for an unreadable file.

        A file that is no redaction is deleted: it was cut off before anything was redacted.
        """
        try:
            return _decode(self._path.read_bytes())
        except FileNotFoundError:
            return None
        except ValueError:
            self.finish()
            return None

    @contextmanager
    def running(self, redaction: Redaction) -> Iterator[None]:
        """Keep a redaction on disk until the body has ended. After an error of the body the next start completes it.

        Raises StorageError or ReadOnlyError, and what the body raises.
        """
        begun = self._path.exists()  # a redaction before this one failed
        try:
            write_atomic(self._path, encode_json(redaction))
        except MuninnError as error:
            if begun and isinstance(error, StorageError):
                raise StorageError(error.message, hint=_COMPLETED) from error
            if not begun:
                with suppress(MuninnError):
                    self.finish()  # nothing was redacted yet, so the next start has nothing to complete
            raise
        try:
            yield
        except ReadOnlyError:
            self.finish()
            raise
        except StorageError as error:
            raise StorageError(error.message, hint=_COMPLETED) from error
        self.finish()

    def finish(self) -> None:
        """Delete the file. Raises StorageError or ReadOnlyError."""
        remove(self._path)
