"""Faults in a file of records: malformed lines, invalid fields, duplicate ids, missing files and stale citations.

The format is docs/formats/log.md. An unknown field is not a fault: later versions may define it.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from muninn_core import git
from muninn_core.engine.file.markdown_diagnostics import order, replacing
from muninn_core.model.citation import Citation
from muninn_core.model.memory import KINDS, Memory
from muninn_core.model.value import replace
from muninn_core.near_match import NAMES, OPEN, nearest
from muninn_core.protocol.families.reference import Fault, Fix
from muninn_core.store.files.lines import Lines, read_lines
from muninn_core.store.records.change import CHANGES, required_ids
from muninn_core.store.records.fields import FIELDS, read_fields
from muninn_core.store.records.record import ENVELOPE, LATER, MalformedRecord, Record, parse_line, remedy
from muninn_core.store.secrets.masking import mask

MAX_LINES = 2_000
"""Beyond this line only malformed records are reported, to bound the time."""

MAX_FAULTS = 500
"""The most faults of a file."""

MISSING_HINT = "If it was moved, `muninn verify --fix` updates the memory; else update or forget the memory."
_ENVELOPE = frozenset(ENVELOPE)
_NESTING = (list, dict)
_FIELDS = (*ENVELOPE, *FIELDS, "details", "imported", "backfill", "redacted")


class Missing(NamedTuple):
    """A missing file, and the message about the memory that names it."""

    path: str
    message: str


class Presence:
    """Tests which files exist, each once. Create one per answer. Files that a sparse checkout leaves out exist."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._known: dict[str, bool] = {}

    def __call__(self, path: str) -> bool:
        """Return whether a path relative to the root exists. Raises GitError."""
        if path not in self._known:
            self._known[path] = os.path.lexists(self._root / path) or path in self._left_out
        return self._known[path]

    @cached_property
    def _left_out(self) -> frozenset[str]:
        return git.left_out_files(self._root)


def record_faults(
    text: str,
    knows: Callable[[str], bool],
    kinds: Sequence[str],
    citations: Callable[[str], Iterable[Citation]],
    missing: Callable[[str], Iterable[Missing]],
) -> list[Fault]:
    """Return the faults of a file of records, in order, without secrets.

    `knows` returns whether an id is that of a record or memory. `kinds` are the configured memory types. `citations`
    returns the judged citations of a memory, `missing` its missing files.
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
            torn = number == len(lines) and line.lstrip().startswith("{")
            found.append(malformed_fault(str(error), number, torn=torn))
            continue
        first = seen.setdefault(record.id, (number, record))
        if first[0] != number and not first[1].has_same_content(record):
            found.append(_at(line, "id", number, "malformed", "error", duplicate_message(record.id, first[0])))
        if number <= MAX_LINES:
            found += _fields(line, number, record, (*KINDS, *kinds))
            missing_here = tuple(missing(record.id))
            found += _missing(line, number, missing_here)
            found += _cites(line, number, record, citations, {entry.path for entry in missing_here})
    for number, record in list(seen.values())[:MAX_LINES]:
        found += _targets(lines[number - 1], number, record, knows, seen)
    return sorted(found, key=order)[:MAX_FAULTS]


def malformed_fault(reason: str, number: int, *, torn: bool) -> Fault:
    """Return the fault of a malformed line. `torn` says that it is the last line and unterminated."""
    torn = torn and not reason.startswith(LATER)
    message = f"torn: the line ends before its record does ({reason})" if torn else reason
    hint = f"{remedy(reason)}; until then it is skipped."
    return Fault(rule="malformed", level="error", message=message, line=number, hint=hint)


def duplicate_message(identity: str, line: int) -> str:
    """Return the message about a record that repeats the id of an earlier line."""
    return f"the id {identity} is that of line {line}, which has other content"


def missing_files(memory: Memory, exists: Callable[[str], bool]) -> Iterator[Missing]:
    """Yield the missing files that an active memory cites or names. That of a commit names them as they were."""
    if memory.active:
        cited = {cite.path for cite in memory.cites} if memory.cites else ()
        for path in dict.fromkeys((*cited, *(memory.files if memory.trust != "commit" else ()))):
            if not exists(path):
                message = f"a memory {'cites' if path in cited else 'names'} {path}, which does not exist"
                yield Missing(path, message)


def secrets_of_records(content: bytes, lines: Lines, patterns: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield (line, number of secrets in it). Lines are searched only when the whole file has a secret.

    Only values that an author wrote are searched, without the names of record fields.
    """
    whole = [text for record in lines.records for text in _texts(record.data)]
    whole += [raw.decode("utf-8", "replace") for raw in lines.raw]
    if not mask("\n".join(whole), patterns)[1]:
        return
    for number, line in enumerate(content.split(b"\n"), start=1):
        if line.strip():
            parsed = read_lines(line, "")
            texts = [text for record in parsed.records for text in _texts(record.data)]
            texts += [raw.decode("utf-8", "replace") for raw in parsed.raw]
            if count := mask("\n".join(texts), patterns)[1]:
                yield number, count


def _missing(line: str, number: int, files: Iterable[Missing]) -> Iterator[Fault]:
    for path, message in files:
        fault = _value(line, number, "", path, message, "")
        yield replace(fault, rule="dangling", level="warning", hint=MISSING_HINT)


def _fields(line: str, number: int, record: Record, kinds: Sequence[str]) -> Iterator[Fault]:
    data = record.data
    changed = data.get("set") if record.type == "update" else data
    if record.type in CHANGES and record.type != "update":
        return
    if record.type not in CHANGES and record.type not in kinds:
        near = nearest(record.type, [*kinds, *CHANGES], OPEN)
        if near:
            message = f"there is no kind of memory '{record.type}': did you mean '{near}'?"
            yield _value(line, number, "type", record.type, message, near)
    if not isinstance(changed, dict):
        return
    fields, _ = read_fields(changed)
    for name in changed:
        if name in FIELDS and name not in fields:
            message = f"`{name}` is not of its type: it is stored as a detail and has no effect"
            yield _at(line, name, number, "malformed", "information", message)
        near = None if name in _FIELDS else nearest(name, _FIELDS, OPEN)
        if near and near not in changed:
            message = f"`{name}` is not a field of a memory and is stored as a detail: did you mean `{near}`?"
            fault = _at(line, name, number, "malformed", "information", message)
            fix = replacing(f"Change to `{near}`", fault.column, fault.end, json.dumps(near))
            yield replace(fault, fixes=(fix,) if fault.end else ())


def _cites(
    line: str,
    number: int,
    record: Record,
    citations: Callable[[str], Iterable[Citation]],
    missing: Collection[str],
) -> Iterator[Fault]:
    for cite in citations(record.id):
        if cite.state in ("moved", "drifted") or (cite.state == "gone" and cite.path not in missing):
            message = {
                "moved": f"the code that {cite.was or cite.path} cites has moved to {cite.place}",
                "drifted": f"the code at {cite.place} has changed since it was cited",
                "gone": f"the code that {cite.place} cites is gone",
            }[cite.state]
            fault = _at(line, "cites", number, "dangling", "information", message)
            follow = Fix(
                title="Update the citation to the new place", verb="verify", params={"id": record.id, "fix": True}
            )
            yield replace(fault, fixes=(follow,) if cite.state == "moved" else ())


def _targets(
    line: str, number: int, record: Record, knows: Callable[[str], bool], seen: Mapping[str, Any]
) -> Iterator[Fault]:
    links = record.data.get("links")
    linked = [link.get("target") for link in links if isinstance(link, dict)] if isinstance(links, list) else []
    wanted = [] if record.type == "resolve" else required_ids(record.data)
    for target in dict.fromkeys([*wanted, *linked]):
        if isinstance(target, str) and target not in seen and not knows(target):
            similar = [identity for identity in seen if identity.startswith(target[:6])] if len(target) > 5 else []
            near = nearest(target, similar, NAMES)
            message = f"there is no record '{target}' here" + (f": did you mean '{near}'?" if near else "")
            fault = _value(line, number, "", target, message, near or "")
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


def _texts(data: Mapping[str, Any]) -> list[str]:
    """Return the texts of a record outside its envelope; texts of inner objects with their keys."""
    found: list[str] = []
    waiting: list[Any] = []
    for name, value in data.items():  # decoded JSON has exact types; this loop is hot
        if name not in _ENVELOPE:
            if type(value) is str:
                found.append(value)
            elif type(value) in _NESTING:
                waiting.append(value)
    while waiting:
        value = waiting.pop()
        if type(value) is list:
            for item in value:
                if type(item) is str:
                    found.append(item)
                elif type(item) in _NESTING:
                    waiting.append(item)
        else:
            for name, inner in value.items():
                if type(inner) is str:
                    found.append(f"{name}: {inner}")
                elif type(inner) in _NESTING:
                    waiting.append(inner)
    return found
