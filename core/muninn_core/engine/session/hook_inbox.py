"""The inbox: events that agents' hooks left because no daemon answered in time. The next event stores and deletes them.

Only regular files that no other user can read count, so a repository cannot carry a message. A file has the format of
`muninn_hooks.inbox`: `{"v": 1, "verb": "capture", "params": {…}}`.
"""

from __future__ import annotations

import logging
import os
import stat
from pathlib import Path
from typing import NamedTuple

from muninn_core.model.value import ValidationError, decode_json, from_plain
from muninn_core.protocol.families.session import CaptureParams

log = logging.getLogger("muninn.inbox")

MAX_BYTES = 1 << 20
"""The largest message that is read."""


class InboxEntry(NamedTuple):
    """A message and its file; `params` is None for a malformed message."""

    path: Path
    params: CaptureParams | None


def inbox_entries(local: Path) -> list[InboxEntry]:
    """Return the messages in `local`/inbox, oldest first. Files that another user can read are ignored."""
    folder = local / "inbox"
    try:
        names = sorted(path.name for path in folder.iterdir() if path.suffix == ".json")
    except OSError:
        return []
    return [InboxEntry(folder / name, _read(folder / name)) for name in names if _is_private(folder / name)]


def _is_private(path: Path) -> bool:
    try:
        status = path.lstat()
    except OSError:
        return False
    private = os.name == "nt" or (status.st_uid == os.getuid() and not status.st_mode & 0o077)
    return stat.S_ISREG(status.st_mode) and private and status.st_size <= MAX_BYTES


def _read(path: Path) -> CaptureParams | None:
    try:
        data = decode_json(path.read_bytes())
        if data["v"] == 1 and data["verb"] == "capture":
            return from_plain(data["params"], CaptureParams)
    except (OSError, ValueError, TypeError, KeyError, ValidationError) as error:
        log.warning("%s is not a message of a hook: %s", path, error)
    return None
