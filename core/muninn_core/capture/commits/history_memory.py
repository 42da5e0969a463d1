"""A memory of a repository's past, which a commit or a session became."""

from muninn_core.model.value import Value
from muninn_core.protocol.families.memory import MemoryDraft


class HistoryMemory(Value):
    """A memory of the past, its time (RFC 3339), and the commit that it is from, "" for none."""

    draft: MemoryDraft
    commit: str
    time: str
