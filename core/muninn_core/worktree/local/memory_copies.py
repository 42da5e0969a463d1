"""What the private folders hold of memories outside of their records, and what a redaction must remove there."""

from __future__ import annotations

import re
from collections.abc import Sequence

from muninn_core.errors import StorageError
from muninn_core.reconcile.planning import comparison_cache
from muninn_core.store.context_store import ContextStore
from muninn_core.store.files.layout import Layout
from muninn_core.store.files.redact import remove_drafts

_MEMORY_IN_CONTEXT = re.compile(rb'"kind":"memory","id":"([^"]+)"')
"""The start of a memory item in the JSON of a stored context."""


class MemoryCopies:
    """Stored contexts and drafts, which hold texts of memories, and the cache of comparisons, which holds hashes."""

    def __init__(self, layout: Layout, contexts: ContextStore) -> None:
        self._layout = layout
        self._contexts = contexts

    def remove(self, ids: Sequence[str], texts: Sequence[str] = ()) -> None:
        """Delete what is derived from redacted memories or has one of the texts.

        Raises StorageError or ReadOnlyError.
        """
        comparison_cache.delete(self._layout.cache / comparison_cache.NAME)
        self._contexts.remove_mentioning(ids, texts)
        try:
            remove_drafts(self._layout, ids, texts)
        except OSError as error:
            raise StorageError(f"can't read a draft: {error}", hint="Delete it, then redact again.") from error

    def in_contexts(self) -> list[str]:
        """Return the ids of the memories in stored contexts."""
        return sorted(self._contexts.find_all(_MEMORY_IN_CONTEXT))
