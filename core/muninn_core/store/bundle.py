"""Bundles: the records of some memories as one JSON value for another repository.

docs/formats/bundle.md describes the format and the import. This module reads no files.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from muninn_core.errors import BadParams
from muninn_core.model.value import Value, decode_json
from muninn_core.source.private_spans import strip_private_values
from muninn_core.store.records.change import CHANGES, required_ids
from muninn_core.store.records.record import ENVELOPE, VERSION, MalformedRecord, Record, encode_line, make_record
from muninn_core.store.secrets.masking import mask_value

BUNDLE_VERSION = 1
MARK = "imported"
"""The field that marks an imported record. It is local to this repository and never exported."""

_HINT = (
    "A bundle is what `muninn export` writes. Of other tools, `import` reads the file of the MCP memory server, folders"
    " of basic-memory, and exports of claude-mem and beads."
)


class ImportPlan(Value):
    """What importing a bundle would do.

    `known` records are here already, `differing` ones have other content here. `withheld` ones come from an untrusted
    bundle and would change memories of this repository.
    """

    new: tuple[Record, ...] = ()
    replaced: tuple[Record, ...] = ()
    known: tuple[str, ...] = ()
    differing: tuple[str, ...] = ()
    withheld: tuple[str, ...] = ()


def select_records(records: Mapping[str, Record], ids: frozenset[str]) -> list[Record]:
    """Return the records that create or change only the given memories, sorted by id."""
    selected = set(ids)
    selected.update(r.id for r in records.values() if r.type == "conflict" and ids.issuperset(required_ids(r.data)))
    return [records[identity] for identity in sorted(records) if _belongs(records[identity], ids, selected)]


def bundle_form(record: Record) -> dict[str, Any]:
    """Return a record as a bundle has it: fields in the log's order, without the mark of an earlier import."""
    data = {"v": VERSION, "session": "", **record.data}
    data.pop(MARK, None)
    plain: dict[str, Any] = decode_json(encode_line(make_record(data)))
    return plain


def mask_record(record: Record, patterns: Sequence[str]) -> tuple[Record, int]:
    """Return a record without private spans and secrets, and the number of masked secrets.

    The envelope is unchanged.
    """
    data, count = {}, 0
    for name, value in record.data.items():
        if name in ENVELOPE:
            data[name] = value
            continue
        public, _ = strip_private_values(value)
        data[name], found = mask_value(public, patterns, name)
        count += found
    return (record if data == record.data else make_record(data)), count


def read_bundle(content: bytes) -> tuple[Record, ...]:
    """Return the records of a bundle. Raises BadParams that names the first invalid record."""
    try:
        bundle = decode_json(content)
    except ValueError as error:
        raise BadParams(f"this is not a bundle: {_line(content, error)}{error}", hint=_HINT) from None
    if not isinstance(bundle, dict) or not isinstance(bundle.get("records"), list):
        raise BadParams("this is not a bundle: it has no list of records", hint=_HINT)
    if bundle.get("version") != BUNDLE_VERSION:
        raise BadParams(
            f"this bundle is of version {bundle.get('version')}; this program reads {BUNDLE_VERSION}", hint=_HINT
        )
    found: dict[str, Record] = {}
    for number, data in enumerate(bundle["records"], 1):
        record = _read(data, number)
        if found.setdefault(record.id, record).data != record.data:
            raise BadParams(f"the bundle has two different records '{record.id}'", hint="Export it again.")
    return tuple(found.values())


def _line(content: bytes, error: ValueError) -> str:
    """Return the line of an error in JSON, as `line 7: `; "" when the error names no byte."""
    at = re.search(r"byte (\d+)", str(error))
    return f"line {content.count(10, 0, int(at[1])) + 1}: " if at else ""


def plan_import(
    records: Sequence[Record],
    existing: Mapping[str, Record],
    *,
    overwrite: bool,
    trusted: bool,
    needs_approval: Callable[[str], bool] = lambda _type: False,
) -> ImportPlan:
    """Plan the import of a bundle. A record that is redacted here is never replaced.

    `needs_approval` tells by type which memories must be approved here; those of a `trusted` bundle need none.
    """
    added = {record.id for record in records if record.id not in existing}
    new, replaced, known, differing, withheld = [], [], [], [], []
    for record in records:
        local = existing.get(record.id)
        if local is not None and bundle_form(local) == bundle_form(record):
            known.append(record.id)
        elif not trusted and _reaches_out(record, existing, added):
            withheld.append(record.id)
        elif local is None:
            new.append(_mark_imported(record, trusted, needs_approval))
        elif overwrite and local.data.get("redacted") is not True:
            replaced.append(_mark_imported(record, trusted, needs_approval))
        else:
            differing.append(record.id)
    return ImportPlan(
        new=tuple(new),
        replaced=tuple(replaced),
        known=tuple(known),
        differing=tuple(differing),
        withheld=tuple(withheld),
    )


def _belongs(record: Record, ids: frozenset[str], selected: set[str]) -> bool:
    if record.type in CHANGES:
        return selected.issuperset(required_ids(record.data))
    return record.data.get("target", record.id) in ids


def _read(data: Any, number: int) -> Record:
    if not isinstance(data, dict) or not isinstance(data.get("id"), str):
        raise BadParams(f"record {number} of the bundle has no id", hint=_HINT)
    try:
        return make_record({"v": VERSION, "session": "", **data})
    except MalformedRecord as error:
        raise BadParams(f"record {number} of the bundle is invalid: {error}", hint=_HINT) from None


def _mark_imported(record: Record, trusted: bool, needs_approval: Callable[[str], bool]) -> Record:
    import_mark: dict[str, Any] = {"actor": "import", "trust": "keep" if trusted else "outside"}
    if not trusted and record.type not in CHANGES and needs_approval(record.type):
        import_mark["pending"] = True
    return make_record({**record.data, MARK: import_mark})


def _changed_ids(record: Record) -> tuple[str, ...]:
    """Return the ids of the memories and conflicts that a record changes."""
    data = record.data
    if record.type in CHANGES:
        links = data["set"].get("links") if record.type == "update" else None
        return (
            *required_ids(data),
            *([data["to"]] if data.get("relation") == "supersedes" else ()),
            *_superseded_by_links(links),
        )
    return (
        *([data["target"]] if isinstance(data.get("target"), str) else ()),
        *_superseded_by_links(data.get("links")),
    )


def _superseded_by_links(links: Any) -> list[str]:
    return [
        link["target"]
        for link in (links if isinstance(links, list) else ())
        if isinstance(link, dict) and link.get("relation") == "supersedes" and isinstance(link.get("target"), str)
    ]


def _reaches_out(record: Record, existing: Mapping[str, Record], added: set[str]) -> bool:
    """Whether a record changes a memory that was made here, or one of which neither is known: it may be on a branch."""
    if any(_is_trusted_here(each, existing, added) for each in _changed_ids(record)):
        return True
    return record.type in CHANGES and any(each not in existing and each not in added for each in _changed_ids(record))


def _is_trusted_here(identity: str, existing: Mapping[str, Record], added: set[str]) -> bool:
    """Whether a record was created here, or imported from a trusted bundle."""
    if identity in added or identity not in existing:
        return False
    import_mark = existing[identity].data.get(MARK)
    return not isinstance(import_mark, dict) or import_mark.get("trust") == "keep"
