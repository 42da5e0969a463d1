"""Turns a draft into the record to be written. Time, id, branch and commit are arguments."""

from __future__ import annotations

from typing import Any

from muninn_core.errors import BadParams
from muninn_core.model.value import replace, to_plain
from muninn_core.protocol.families.memory import MemoryDraft
from muninn_core.store.records.expiry import parse_expiry
from muninn_core.store.records.fields import actor_trust, headline, lowest_trust, question_lines
from muninn_core.store.records.record import VERSION

MAX_TEXT_LENGTH = 10_000_000
"""The maximum number of characters of a memory, which git keeps forever."""

_LISTS = ("tags", "entities", "questions", "files", "cites", "links")


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
    """Return the record of a draft; absent fields are left out. The caller has checked the type.

    `pending` marks a memory that needs approval. Raises BadParams when the text is empty or `expires` is not a time.
    """
    text = draft.text.strip()
    if not text:
        raise BadParams("there is nothing to remember: 'text' is empty", hint="Write it in full sentences.")
    trust = actor_trust(draft.actor)
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
        "trust": lowest_trust(draft.trust, trust),
        "expires": parse_expiry(draft.expires, ts) if draft.expires else None,
        "pinned": draft.pin or None,
        "private": draft.private or draft.scope == "session" or None,
        "scope": "session" if draft.scope == "session" else None,
        "pending": pending or None,
        "details": draft.details or None,
    }
    draft = replace(draft, questions=question_lines(draft.questions))
    for name in _LISTS:
        items = to_plain(getattr(draft, name))
        record[name] = [_without_empty(item) for item in items] or None
    return {name: value for name, value in record.items() if value is not None}


def check_length(text: str) -> None:
    """Raise BadParams for text that is too long for a memory."""
    if len(text) > MAX_TEXT_LENGTH:
        raise BadParams(
            f"a text of {len(text):,} characters is too long: the limit is {MAX_TEXT_LENGTH:,}",
            hint="Remember what matters, and put the rest into a file of .muninn/knowledge.",
        )


def _without_empty(item: Any) -> Any:
    return {key: value for key, value in item.items() if value not in (None, "")} if isinstance(item, dict) else item
