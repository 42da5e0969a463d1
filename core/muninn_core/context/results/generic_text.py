"""Results as text for a model: by the function registered for the result's type, otherwise field by field.

Field by field, empty fields and fields for programs are left out. Fields keep the order of their declaration. The
payload of an event is shown whole, as JSON. Events of a list have two lines each: a list in full would be mostly ids.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import singledispatch
from typing import Any

from muninn_core.model.counting import number_of
from muninn_core.model.value import Value, to_plain

MAX_CHARS = 40_000
"""The maximum number of characters of a text. A note states how many were cut."""

_FOR_PROGRAMS = frozenset({"saw", "why", "snippet", "marks", "hash", "payload_hash", "stored", "tokens"})


@singledispatch
def result_text(result: Value) -> str:
    """Return a result as indented lines of `name: value`, with lists of plain values on one line.

    `result_text.register` adds a specific text for a type of result.
    """
    given = to_plain(result)
    whole = given.get("text")
    if isinstance(whole, str) and whole.strip():  # pages and packs are text already
        return _cut(whole.strip("\n"))
    return _cut("\n".join(_lines(given, "")) or "No results.")


def _lines(value: Any, indent: str) -> Iterator[str]:
    if isinstance(value, dict):
        for name, each in value.items():
            empty = each in (None, "", (), [], {}, False) and not (name == "success" and each is False)
            if name in _FOR_PROGRAMS or empty:
                continue
            if name == "payload":
                yield f"{indent}{name}: {json.dumps(each, ensure_ascii=False)}"
            elif isinstance(each, dict) or (
                isinstance(each, (list, tuple)) and any(isinstance(one, dict) for one in each)
            ):
                yield f"{indent}{name}:"
                yield from _lines(each, indent + "  ")
            else:
                yield f"{indent}{name}: {_scalar(each, indent)}"
        return
    for each in value:
        lines = list(_item(each)) if isinstance(each, dict) else [_scalar(each, indent)]
        first, *rest = lines or ["-"]  # all fields of an object may be left out
        yield f"{indent}- {first}"
        yield from (f"{indent}  {line}" for line in rest)


def _item(value: dict[str, Any]) -> Iterator[str]:
    """Yield the lines of an object of a list. An event, or what has one, has its facts on the first line."""
    event = value if "event_id" in value and "payload" in value else value.get("event")
    if not isinstance(event, dict) or "event_id" not in event:
        yield from _lines(value, "")
        return
    span = "/".join(each for each in (event["session_id"], event["turn_id"]) if each)
    head = f"#{event['position']} {event['occurred_at']} {event['event_type']} by {event['actor']}"
    yield f"{head}{f' in {span}' if span else ''}, event_id: {event['event_id']}"
    rest = {} if value is event else {name: each for name, each in value.items() if name not in ("event", "score")}
    facts = ", ".join(f"{name}: {each}" for name, each in rest.items() if each and name not in _FOR_PROGRAMS)
    if facts:
        yield facts
    if event["payload"] is not None:
        yield json.dumps(event["payload"], ensure_ascii=False)


def _scalar(value: Any, indent: str) -> str:
    if isinstance(value, (list, tuple)):
        return ", ".join(str(each) for each in value)
    text = str(value)
    return text if "\n" not in text else "\n" + "\n".join(f"{indent}  {line}" for line in text.splitlines())


def _cut(text: str) -> str:
    if len(text) <= MAX_CHARS:
        return text
    kept = text[:MAX_CHARS].rpartition("\n")[0]
    return f"{kept}\n({number_of(len(text) - len(kept), 'more character')}; narrow the question.)"
