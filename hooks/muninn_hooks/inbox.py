"""What nobody took in time, left for the daemon: one small file a message in the private part of the work tree.

The daemon takes it up with the next event, or when it starts. Only its user can have written it: the file has mode
0600, which nothing that comes out of a repository has. Format: `{"v": 1, "verb": …, "params": {…}}`.
"""

from __future__ import annotations

import json
import os
import time

from muninn_core.launch.place import locate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MOST = 100
"""Files that may wait. Where no daemon ever comes, nothing fills the disk."""


def put(root: str, verb: str, params: dict[str, Any]) -> None:
    """Leave a call for later, whole or not at all. Raises OSError, and NotARepository."""
    folder = os.path.join(locate(root).local, "inbox")
    os.makedirs(folder, exist_ok=True)
    if len(os.listdir(folder)) >= MOST:
        raise OSError("too many messages wait already")
    path = os.path.join(folder, f"{time.time_ns():020}-{os.getpid()}.json")
    fd = os.open(f"{path}.new", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        os.write(fd, json.dumps({"v": 1, "verb": verb, "params": params}).encode("utf-8", "replace"))
    finally:
        os.close(fd)
    os.replace(f"{path}.new", path)
