"""The daemon's log: one file, rotated, without what people remember or ask."""

from __future__ import annotations

import logging
import logging.handlers

MAX_BYTES = 1_000_000
KEPT = 2


def log_to(path: str) -> None:
    """Send all logging of the process to a file that is rotated at a megabyte; two old ones are kept."""
    handler = logging.handlers.RotatingFileHandler(path, maxBytes=MAX_BYTES, backupCount=KEPT, encoding="utf-8")
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(logging.WARNING)
    logging.getLogger("muninn").setLevel(logging.INFO)
