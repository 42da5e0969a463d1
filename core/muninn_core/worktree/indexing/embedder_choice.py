"""The embedder of each index of a work tree: the configured one, or the bundled one where that can't be loaded."""

from __future__ import annotations

from collections.abc import Callable
from weakref import WeakKeyDictionary

from muninn_core.config import BUNDLED_MODEL
from muninn_core.errors import MuninnError
from muninn_core.index.embedding.embed import Embedder
from muninn_core.index.index import Index


class EmbedderChoice:
    """Chooses an embedder for the next index, and keeps the one that an index was made with.

    `load` returns the embedder of a model's name. `configured` returns the name in the settings. `report` receives the
    kind, the message and the hint of a problem.
    """

    def __init__(
        self, load: Callable[[str], Embedder], configured: Callable[[], str], report: Callable[[str, str, str], None]
    ) -> None:
        self._load = load
        self._configured = configured
        self._report = report
        self._next: Embedder | None = None
        self._made_with: WeakKeyDictionary[Index, Embedder] = WeakKeyDictionary()

    def of(self, index: Index | None) -> Embedder:
        """Return the embedder of an index, or the one for the next index.

        It is the configured one. If that can't be loaded, a problem is reported and the bundled one is used.
        """
        known = self._made_with.get(index, self._next) if index is not None else self._next
        if known is None:
            try:
                known = self._load(self._configured())
            except MuninnError as error:
                self._report("model", error.message, error.hint)
                known = self._load(BUNDLED_MODEL)
            self._next = known
        return known

    def keep(self, index: Index, embedder: Embedder) -> None:
        """Note which embedder an index was made with."""
        self._made_with[index] = embedder

    def choose_again(self) -> None:
        """Load the configured embedder for the next index, since the settings name another model."""
        self._next = None
