"""The daemon's log: one rotated file. It holds no memories and no queries; secrets in messages are masked."""

from __future__ import annotations

import logging
import logging.handlers

from muninn_core.store.secrets.masking import mask

MAX_BYTES = 1_000_000
BACKUP_COUNT = 2


class _Masking(logging.Formatter):
    """Formats a record with its traceback, and masks the secrets in the whole text."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line or lines of a record."""
        return mask(super().format(record))[0]


def log_to(path: str) -> None:
    """Send all logging of the process to a file. It is rotated at MAX_BYTES, and KEPT old files are kept."""
    handler = logging.handlers.RotatingFileHandler(path, maxBytes=MAX_BYTES, backupCount=BACKUP_COUNT, encoding="utf-8")
    handler.setFormatter(_Masking("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    root = logging.getLogger()
    before, root.handlers = root.handlers, [handler]
    for old in before:
        old.close()
    root.setLevel(logging.WARNING)
    logging.getLogger("muninn").setLevel(logging.INFO)
