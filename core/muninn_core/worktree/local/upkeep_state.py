"""The time of the last upkeep plan, and the number of its pending steps. Kept in `.muninn/local`."""

from __future__ import annotations

import logging
from pathlib import Path

from muninn_core.errors import MuninnError
from muninn_core.model.value import Value, decode_json, encode_json, from_plain, to_plain
from muninn_core.store.files.disk import write_private

log = logging.getLogger("muninn.upkeep")


class Planned(Value):
    """The time of the last plan, "" for never, and the number of steps that it left to a person."""

    at: str = ""
    steps: int = 0


class UpkeepState:
    """A small JSON file. Losing it makes the daemon plan again."""

    def __init__(self, path: Path, *, writable: bool) -> None:
        self._path = path
        self._writable = writable
        self.planned = Planned()
        try:
            self.planned = from_plain(decode_json(path.read_bytes()), Planned)
        except (OSError, ValueError):
            pass  # not there yet, or not ours

    def put(self, at: str, steps: int) -> None:
        """Note a plan. A failed write costs a second plan and raises nothing."""
        self.planned = Planned(at=at, steps=steps)
        if not self._writable:
            return
        try:
            write_private(self._path, encode_json(to_plain(self.planned)))
        except MuninnError as error:
            log.warning("the plan of upkeep could not be noted: %s", error.message)
