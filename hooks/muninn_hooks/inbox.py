"""Keeps a request that the daemon did not answer in time: one file per request in the work tree's private folder.

The daemon reads it with the next event, or when it starts. The file has mode 0600, which no file from a git checkout
has, so only the user can have written it. Format: `{"v": 1, "verb": …, "params": {…}}`.
"""

from __future__ import annotations

import json
import os
import time

from muninn_core.launch.repository_location import locate
from muninn_hooks.local_folder import make_folder, write_private

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MAX_FILES = 100
"""The limit of kept requests, for a repository whose daemon never starts."""


def put(root: str, verb: str, params: dict[str, Any]) -> None:
    """Write a request, whole or not at all. Raises OSError and NotARepository."""
    folder = os.path.join(locate(root).local, "inbox")
    make_folder(folder)
    if len(os.listdir(folder)) >= MAX_FILES:
        raise OSError("too many queued requests")
    path = os.path.join(folder, f"{time.time_ns():020}-{os.getpid()}.json")
    write_private(path, json.dumps({"v": 1, "verb": verb, "params": params}).encode())
