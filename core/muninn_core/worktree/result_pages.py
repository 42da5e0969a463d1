"""Further pages of answers: ranked candidates that were not shown yet, kept in the daemon's memory for a while.

A page continues the answer that it belongs to, whatever was indexed since, so nothing is repeated or skipped. Pages
hold texts and no snapshot of the index.
"""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from muninn_core.errors import NotFoundError
from muninn_core.model.answer import ReadState
from muninn_core.model.value import encode_json
from muninn_core.protocol.families.search import RecallParams
from muninn_core.retrieval.results.ranking import Candidate
from muninn_core.retrieval.text.snippet import Marker

PAGE_LIFETIME = timedelta(minutes=10)
"""How long a page can be read."""

MAX_PAGES = 64
MAX_CANDIDATES = 6_000
"""How many pages, and candidates on them, are kept. A candidate holds about a kilobyte of text."""


class Rest(NamedTuple):
    """The candidates after the shown hits, in their order, and what is needed to make hits of them."""

    params: RecallParams
    at: str | None
    """The revision that was asked about, by parameter or filter."""
    candidates: Sequence[Candidate]
    pieces: dict[str, tuple[int, float]]
    """Of an answer by files, each path's number of pieces and the sum of their scores."""
    marker: Marker
    saw: ReadState
    ranked: bool
    """Whether a question with words ranked the candidates, so that their scores compare them."""


class ResultPages:
    """The pages of one work tree. Safe to use from several threads."""

    def __init__(self, clock: Callable[[], datetime]) -> None:
        self._clock = clock
        self.settling = threading.Lock()
        """Held while what was kept is made hits: the citations of candidates are counted in place."""
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, tuple[datetime, Rest]] = OrderedDict()
        self._held = 0

    def add(self, rest: Rest, before: str = "") -> str:
        """Store the rest of an answer and return its cursor, "" when there is none. `before` is this page's cursor.

        The same question about the same state gets the same cursors.
        """
        if not rest.candidates:
            return ""
        said = encode_json([rest.params, rest.saw, before])
        cursor = hashlib.blake2b(said, digest_size=10).hexdigest()
        with self._lock:
            before_it = self._kept.pop(cursor, None)
            self._held += len(rest.candidates) - (len(before_it[1].candidates) if before_it else 0)
            self._kept[cursor] = (self._clock() + PAGE_LIFETIME, rest)
            self._drop()
        return cursor

    def next_page(self, cursor: str) -> Rest:
        """Return what a cursor stands for. It can be read again. Raises NotFoundError."""
        with self._lock:
            self._drop()
            found = self._kept.get(cursor)
        if found is None:
            minutes = int(PAGE_LIFETIME.total_seconds() // 60)
            raise NotFoundError(
                f"there is no page '{cursor}' any more",
                hint=f"Ask again without `page`: the newest pages are kept, for {minutes} minutes.",
            )
        return found[1]

    def clear(self) -> None:
        """Drop all pages, because one may hold a redacted text."""
        with self._lock:
            self._kept.clear()
            self._held = 0

    def _drop(self) -> None:
        """Drop expired pages, and the oldest above the limits, but never the last one."""
        now = self._clock()
        while self._kept:
            until, _ = next(iter(self._kept.values()))
            many = len(self._kept) > MAX_PAGES or self._held > MAX_CANDIDATES
            if until > now and not (many and len(self._kept) > 1):
                return
            _, (_, gone) = self._kept.popitem(last=False)
            self._held -= len(gone.candidates)
