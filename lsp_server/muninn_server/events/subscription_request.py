"""The parameters of a subscription: topics, filters of events, and the first position."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple
from urllib.parse import parse_qsl

from muninn_core.errors import BadParams
from muninn_core.journal.projectors import HEADER_FIELDS
from muninn_core.journal.search import passes
from muninn_core.model.event import Event
from muninn_core.near_match import did_you_mean

TOPICS = ("journal", "memory", "index")
"""The kinds of messages: events of the journal, changed memories, and changes of the index."""

HEARTBEAT_SECONDS = 15
MAX_HEARTBEAT_SECONDS = 300
MAX_CONDITIONS = 100

_PLAIN = ("topic", "after", "heartbeat", *HEADER_FIELDS)


Fields = tuple[tuple[str, tuple[Any, ...]], ...]
Selection = tuple[bool, Fields]


class SubscriptionRequest(NamedTuple):
    """What a stream carries. `after` is the position to begin after, None for the end of the journal.

    An event must have one of the values that each field of `fields` lists. `heartbeat` is in seconds.
    """

    topics: frozenset[str] = frozenset(TOPICS)
    fields: Fields = ()
    after: int | None = None
    heartbeat: int = HEARTBEAT_SECONDS

    @property
    def selection(self) -> Selection:
        """The filter as a hashable value: equal for subscribers that get the same events."""
        return "journal" in self.topics, self.fields

    def takes(self, event: Event) -> bool:
        """Whether an event of the journal passes."""
        return "journal" in self.topics and all(
            any(passes(event, [(name, value)]) for value in values) for name, values in self.fields
        )


def parse_query(query: bytes) -> SubscriptionRequest:
    """Parse the query of a URL. Raises BadParams, with the nearest name for an unknown one.

    A repeated field means any of its values. `scope.agent` is short for `payload.scope.agent`. The value of a payload's
    field is JSON, or else a text.
    """
    try:
        pairs = parse_qsl(query.decode("ascii"), keep_blank_values=True, max_num_fields=MAX_CONDITIONS, errors="strict")
    except ValueError as error:
        raise BadParams(f"the address has a query that can't be read: {error}", hint="Write NAME=VALUE&…") from None
    return _request(pairs)


def parse_params(params: Mapping[str, Any]) -> SubscriptionRequest:
    """Return what parameters ask for, with the names of `parse_query`; a value is one, or a list. Raises BadParams."""
    pairs = [
        (name, each if isinstance(each, str) else json.dumps(each))
        for name, value in params.items()
        for each in (value if isinstance(value, list) else [value])
    ]
    if len(pairs) > MAX_CONDITIONS:
        raise BadParams(f"more than {MAX_CONDITIONS} conditions", hint="Leave some out.")
    return _request(pairs)


def _request(pairs: Iterable[tuple[str, str]]) -> SubscriptionRequest:
    given: dict[str, list[str]] = {}
    for name, value in pairs:
        name = f"payload.{name}" if name.startswith("scope.") else name
        if name not in _PLAIN and not name.startswith("payload."):
            hint = did_you_mean(name, _PLAIN, f"There are {', '.join(_PLAIN)}, scope.NAME and payload.NAME.")
            raise BadParams(f"events have no field '{name[:100]}'", hint=hint)
        given.setdefault(name, []).append(value)
    topics = given.pop("topic", list(TOPICS))
    for topic in topics:
        if topic not in TOPICS:
            raise BadParams(f"there is no topic '{topic[:100]}'", hint=f"The topics are {', '.join(TOPICS)}.")
    after, heartbeat = given.pop("after", None), given.pop("heartbeat", None)
    return SubscriptionRequest(
        topics=frozenset(topics),
        after=_number("after", after, 0, 2**53) if after else None,
        heartbeat=_number("heartbeat", heartbeat, 1, MAX_HEARTBEAT_SECONDS) if heartbeat else HEARTBEAT_SECONDS,
        fields=tuple((name, tuple(_values(name, values))) for name, values in given.items()),
    )


def _number(name: str, values: list[str], least: int, most: int) -> int:
    value = values[-1]
    if not (value.isascii() and value.isdecimal() and len(value) < 17 and least <= int(value) <= most):
        raise BadParams(f"'{name}' is a whole number from {least} to {most}, not '{value[:40]}'")
    return int(value)


def _values(name: str, values: list[str]) -> list[Any]:
    """Return the values of a field. A payload's field also takes the text, so that "1" finds 1 and "1"."""
    if not name.startswith("payload."):
        return list(values)
    found: list[Any] = []
    for value in values:
        found.append(value)
        try:
            parsed = json.loads(value)
        except (ValueError, RecursionError):
            continue
        if not isinstance(parsed, dict | list | str):
            found.append(parsed)
    return found
