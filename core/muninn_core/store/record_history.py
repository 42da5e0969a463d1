"""The life of one memory: the record that made it and the changes made to it, in order.

Knows nothing of other memories; what they do to each other is `relate`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from muninn_core.model.memory import Link, Memory
from muninn_core.model.value import Value, field, fields_of, replace
from muninn_core.store.approval import judge, reopen, reword
from muninn_core.store.fast_parse import memory_of
from muninn_core.store.fields import born, cap_of, lowest, read_fields, read_link
from muninn_core.store.record import Record

Stamp = tuple[str, str]
_WORDING = ("text", "title")
_BLANK: dict[str, Any] = {
    "text": "",
    "title": "[redacted]",
    "tags": (),
    "entities": (),
    "files": (),
    "cites": (),
    "details": {},
}


class RecordHistory(Value):
    """A memory's fields after its changes, and what concerns others.

    `worded` is the stamp of its wording; `superseders` are (stamp, id or None) of supersede records; `linked` tells
    when each link was made; `restored` is the stamp of the last restore.
    """

    fields: dict[str, Any]
    links: dict[tuple[str, str], tuple[Link, Stamp]] = field(default_factory=dict)
    superseders: tuple[tuple[Stamp, str | None], ...] = ()
    restored: Stamp = ("", "")
    worded: Stamp = ("", "")


def live(birth: Record, changes: Iterable[Record]) -> RecordHistory | None:
    """Apply changes, in the order of their stamps, to the memory that a record made; None when it made none."""
    fields = _fields(birth)
    if fields is None:
        return None
    links = {(link.relation, link.target): (link, birth.stamp) for link in fields.pop("links", ())}
    superseders: list[tuple[Stamp, str | None]] = []
    restored: Stamp = ("", "")
    worded = birth.stamp
    for change in sorted(changes, key=lambda record: record.stamp):
        before = (fields["text"], fields.get("title"))
        _apply(fields, links, change)
        if (fields["text"], fields.get("title")) != before:
            worded = change.stamp
            reword(fields, birth, change)
        if change.type == "supersede":
            superseders.append((change.stamp, change.data["by"]))
        elif change.type == "restore":
            restored = change.stamp
            reopen(fields)
        elif change.type in ("approve", "reject"):
            judge(fields, birth, change)
        if change.type != "feedback":
            fields["updated"] = max(fields["updated"], change.ts)
    if (not birth.plain and birth.data.get("redacted") is True) or fields.get("redacted"):
        fields.update(_BLANK, redacted=True)
        links = {key: (Link(relation=link.relation, target=link.target), at) for key, (link, at) in links.items()}
    return RecordHistory(fields=fields, links=links, superseders=tuple(superseders), restored=restored, worded=worded)


def alone(birth: Record, *, sealed: bool) -> Memory | None:
    """Return the memory that a record made when no other speaks of it; None when it made none.

    It must be `plain`. The same as `live` and `relate` give, at a fraction of the cost: nearly all memories are such.
    """
    if birth.plain:
        memory = memory_of(birth.line)
        return memory if sealed else unsealed(memory)
    fields = born(birth)
    return None if fields is None else Memory(**fields, sealed=sealed)


def _fields(birth: Record) -> dict[str, Any] | None:
    """Return the fields of the memory that a record made; None when it made none."""
    if not birth.plain:
        return born(birth)
    fields = fields_of(memory_of(birth.line))
    del fields["sealed"]  # of the file it is in, and no matter of its life
    return fields


def unsealed(memory: Memory) -> Memory:
    """Return a memory as one that only the spool holds."""
    return replace(memory, sealed=False)


def plain(birth: Record) -> bool:
    """Whether what a record made says nothing of others and was not blanked."""
    if birth.plain:
        return True
    data = birth.data
    return "links" not in data and data.get("redacted") is not True


def _apply(fields: dict[str, Any], links: dict[tuple[str, str], tuple[Link, Stamp]], change: Record) -> None:
    data = change.data
    match change.type:
        case "update":
            _update(fields, links, change)
        case "link":
            link = read_link({**data, "target": data["to"], "strength": _strength(data)})
            links[link.relation, link.target] = (link, change.stamp)
        case "unlink":
            links.pop((data["relation"], data["to"]), None)
        case "pin" | "unpin":
            fields["pinned"] = change.type == "pin"
        case "archive":
            fields["archived"] = True
            if isinstance(data.get("reason"), str) and data["reason"]:
                fields["details"] = {**fields["details"], "archived_reason": data["reason"]}
        case "restore":
            fields["archived"] = False
            fields["details"] = {key: value for key, value in fields["details"].items() if key != "archived_reason"}
        case "redact":
            fields["redacted"] = True
        case "feedback":
            _count(fields, data["useful"])


def _update(fields: dict[str, Any], links: dict[tuple[str, str], tuple[Link, Stamp]], change: Record) -> None:
    wanted, rest = read_fields(change.data["set"])
    cap = cap_of(change.data)
    stated = wanted.pop("trust", None)
    for name in ("private", "pending", "scope"):  # where a memory lies and who vouches for it are no matters of wording
        wanted.pop(name, None)
    for link in wanted.pop("links", ()):
        links[link.relation, link.target] = (link, change.stamp)
    if not wanted.get("text", "x"):
        del wanted["text"]  # an empty wording says nothing; forgetting is another verb
    if any(name in wanted for name in _WORDING):
        fields["trust"] = lowest(fields["trust"], cap)
    if stated:
        fields["trust"] = lowest(stated, cap) if cap == "user" else lowest(stated, cap, fields["trust"])
    fields.update(wanted)
    named = rest.pop("details", {})
    details = {**fields["details"], **rest, **(named if isinstance(named, dict) else {})}
    fields["details"] = {key: value for key, value in details.items() if value is not None}


def _strength(data: dict[str, Any]) -> float:
    strength = data.get("strength", 1.0)
    return strength if isinstance(strength, int | float) and not isinstance(strength, bool) else 1.0


def _count(fields: dict[str, Any], useful: bool) -> None:
    known = fields["details"].get("feedback")
    counts = known if isinstance(known, dict) else {}
    name = "useful" if useful else "useless"
    so_far = counts.get(name, 0)
    counts = {**counts, name: so_far + 1 if isinstance(so_far, int) else 1}
    fields["details"] = {**fields["details"], "feedback": counts}
