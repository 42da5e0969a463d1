"""From what an author states to the record that is written. Knows no clock and no git: both are handed in."""

from __future__ import annotations

from typing import Any

from muninn_core.errors import BadParams
from muninn_core.model.value import to_plain
from muninn_core.protocol.memory import MemoryDraft
from muninn_core.store.expiry import until
from muninn_core.store.fields import headline, lowest, trust_of
from muninn_core.store.record import VERSION

MOST_TEXT = 10_000_000
"""How many characters a memory may have: it is held in memory, searched, and carried by git for good."""

_LISTS = ("tags", "entities", "files", "cites", "links")


def memory_record(
    draft: MemoryDraft,
    *,
    id: str,  # noqa: A002 (the field's name)
    ts: str,
    session: str,
    branch: str | None,
    commit: str | None,
    pending: bool = False,
) -> dict[str, Any]:
    """Return the record of a draft whose type the caller has checked; what is absent is left out.

    `pending`: it waits for an approval.

    Raises BadParams when there is nothing to remember, or `expires` is no time.
    """
    text = draft.text.strip()
    if not text:
        raise BadParams("there is nothing to remember: 'text' is empty", hint="Say it in whole sentences.")
    trust = trust_of(draft.actor)
    record: dict[str, Any] = {
        "v": VERSION,
        "id": id,
        "ts": ts,
        "type": draft.type,
        "session": session,
        "actor": draft.actor,
        "agent": draft.agent,
        "task": draft.task,
        "branch": branch,
        "commit": commit,
        "key": draft.key,
        "text": text,
        "title": draft.title.strip() or headline(text),
        "importance": draft.importance,
        "confidence": draft.confidence,
        "trust": lowest(draft.trust, trust),
        "expires": until(draft.expires, ts) if draft.expires else None,
        "pinned": draft.pin or None,
        "private": draft.private or draft.scope == "session" or None,
        "scope": "session" if draft.scope == "session" else None,
        "pending": pending or None,
        "details": draft.details or None,
    }
    for name in _LISTS:
        items = to_plain(getattr(draft, name))
        record[name] = [_slim(item) for item in items] or None
    return {name: value for name, value in record.items() if value is not None}


def check_length(text: str) -> None:
    """Raise BadParams for a text that is too long for a memory."""
    if len(text) > MOST_TEXT:
        raise BadParams(
            f"a text of {len(text):,} characters is no memory: it may have {MOST_TEXT:,}",
            hint="Remember what matters of it; a file of .muninn/knowledge can hold the rest.",
        )


def _slim(item: Any) -> Any:
    return {key: value for key, value in item.items() if value not in (None, "")} if isinstance(item, dict) else item
