"""What is wrong in a file of records: lines that are none, fields that do not fit, ids twice, citations that moved.

The format is docs/formats/log.md. A field that nobody knows is no fault: it may be of a kind, or of a later version.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from muninn_core.engine.file.faults import order, replacing
from muninn_core.model.citation import Citation
from muninn_core.model.memory import KINDS
from muninn_core.model.value import replace
from muninn_core.protocol.results import Fault, Fix
from muninn_core.store.change import CHANGES, needs
from muninn_core.store.fields import FIELDS, read_fields
from muninn_core.store.record import ENVELOPE, MalformedRecord, Record, parse_line

MOST_LINES = 2_000
"""Lines beyond which only those are told that are no records: a person edits one, not all of them."""

MOST_FAULTS = 500

_NEAR = 0.8
_FIELDS = (*ENVELOPE, *FIELDS, "details", "imported", "backfill", "redacted")


def record_faults(
    text: str,
    knows: Callable[[str], bool],
    kinds: Sequence[str],
    citations: Callable[[str], Iterable[Citation]],
) -> list[Fault]:
    """Return the faults of a file of records, in order.

    `knows` tells whether there is a record or memory of an id, `kinds` are those of the config; `citations` says how
    those of a memory stand.
    """
    found: list[Fault] = []
    seen: dict[str, tuple[int, Record]] = {}
    lines = text.split("\n")
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            record = parse_line(line.encode("utf-8", "surrogatepass"))
        except MalformedRecord as error:
            found.append(_malformed(str(error), number, torn=number == len(lines) and line.lstrip().startswith("{")))
            continue
        first = seen.setdefault(record.id, (number, record))
        if first[0] != number and not first[1].says_as(record):
            said = f"the id {record.id} is that of line {first[0]}, which says something else"
            found.append(_at(line, "id", number, "malformed", "error", said))
        if number <= MOST_LINES:
            found += _fields(line, number, record, (*KINDS, *kinds))
            found += _cites(line, number, record, citations)
    for number, record in list(seen.values())[:MOST_LINES]:
        found += _targets(lines[number - 1], number, record, knows, seen)
    return sorted(found, key=order)[:MOST_FAULTS]


def _malformed(reason: str, number: int, *, torn: bool) -> Fault:
    said = f"torn: the line ends before its record does ({reason})" if torn else reason
    hint = "Mend or delete the line; until then it is skipped."
    return Fault(rule="malformed", level="error", message=said, line=number, hint=hint)


def _fields(line: str, number: int, record: Record, kinds: Sequence[str]) -> Iterator[Fault]:
    data = record.data
    changed = data.get("set") if record.type == "update" else data
    if record.type in CHANGES and record.type != "update":
        return
    if record.type not in CHANGES and record.type not in kinds:
        near = difflib.get_close_matches(record.type, [*kinds, *CHANGES], n=1, cutoff=_NEAR)
        if near:
            said = f"there is no kind of memory '{record.type}': did you mean '{near[0]}'?"
            yield _value(line, number, "type", record.type, said, near[0])
    if not isinstance(changed, dict):
        return
    fields, _ = read_fields(changed)
    for name in changed:
        if name in FIELDS and name not in fields:
            said = f"`{name}` is not of its type: it is kept as a detail, and has no effect"
            yield _at(line, name, number, "malformed", "information", said)
        near = [] if name in _FIELDS else difflib.get_close_matches(name, _FIELDS, n=1, cutoff=_NEAR)
        if near and near[0] not in changed:
            said = f"`{name}` is no field of a memory, and kept as a detail: did you mean `{near[0]}`?"
            fault = _at(line, name, number, "malformed", "information", said)
            fix = replacing(f"Change to `{near[0]}`", fault.column, fault.end, json.dumps(near[0]))
            yield replace(fault, fixes=(fix,) if fault.end else ())


def _cites(line: str, number: int, record: Record, citations: Callable[[str], Iterable[Citation]]) -> Iterator[Fault]:
    for cite in citations(record.id):
        if cite.state in ("moved", "drifted", "gone"):
            said = {
                "moved": f"the code that {cite.was or cite.path} cites has moved to {cite.place}",
                "drifted": f"the code at {cite.place} has changed since it was cited",
                "gone": f"the code that {cite.place} cites is not there any more",
            }[cite.state]
            fault = _at(line, "cites", number, "dangling", "information", said)
            follow = Fix(
                title="Let the memory cite the new place", verb="verify", params={"id": record.id, "fix": True}
            )
            yield replace(fault, fixes=(follow,) if cite.state == "moved" else ())


def _targets(
    line: str, number: int, record: Record, knows: Callable[[str], bool], seen: Mapping[str, Any]
) -> Iterator[Fault]:
    links = record.data.get("links")
    linked = [link.get("target") for link in links if isinstance(link, dict)] if isinstance(links, list) else []
    wanted = [] if record.type == "resolve" else needs(record.data)
    for target in dict.fromkeys([*wanted, *linked]):
        if isinstance(target, str) and target not in seen and not knows(target):
            begun = [each for each in seen if each.startswith(target[:6])] if len(target) > 5 else []
            near = difflib.get_close_matches(target, begun, n=1)
            said = f"there is no record '{target}' here" + (f": did you mean '{near[0]}'?" if near else "")
            fault = _value(line, number, "", target, said, near[0] if near else "")
            yield replace(fault, rule="dangling")


def _at(line: str, key: str, number: int, rule: str, level: str, message: str) -> Fault:
    match = re.search(rf'"{re.escape(key)}"(?=\s*:)', line)
    start, end = match.span() if match else (-1, -1)
    return Fault(rule=rule, level=level, message=message, line=number, column=max(start + 1, 1), end=end + 1)


def _value(line: str, number: int, key: str, value: str, message: str, near: str) -> Fault:
    written = json.dumps(value, ensure_ascii=False)
    before = rf'(?:"{re.escape(key)}"\s*:\s*)' if key else ""
    match = re.search(rf"{before}(?P<value>{re.escape(written)})", line)
    start, end = match.span("value") if match else (-1, -1)
    new = json.dumps(near, ensure_ascii=False)
    fixes = (replacing(f"Change to {new}", start + 1, end + 1, new),) if near and match else ()
    return Fault(
        rule="malformed",
        level="information",
        message=message,
        line=number,
        column=max(start + 1, 1),
        end=end + 1,
        fixes=fixes,
    )
