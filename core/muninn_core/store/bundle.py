"""Bundles: the records of some memories as one JSON value that another repository can take in.

What a bundle is and what taking it in means stands in docs/formats/bundle.md. Knows no files and no work tree.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from muninn_core.errors import BadParams
from muninn_core.model.value import Value, decode_json
from muninn_core.source.private import strip_all
from muninn_core.store.change import CHANGES, needs
from muninn_core.store.record import ENVELOPE, VERSION, MalformedRecord, Record, encode_line, make_record
from muninn_core.store.secrets import mask_all

BUNDLE_VERSION = 1
MARK = "imported"
"""The field that says that a record came from a bundle: this repository's own view, which leaves with no bundle."""

_HINT = "A bundle is what `muninn export` writes; docs/formats/bundle.md describes it."


class Intake(Value):
    """What taking a bundle in would do. `known` are here already; `differing` have another content here.

    `withheld` would change memories of this repository by the word of outside text.
    """

    new: tuple[Record, ...] = ()
    replaced: tuple[Record, ...] = ()
    known: tuple[str, ...] = ()
    differing: tuple[str, ...] = ()
    withheld: tuple[str, ...] = ()


def select(records: Mapping[str, Record], ids: frozenset[str]) -> list[Record]:
    """Return the records of some memories by id: those that made them, and those that speak of nothing else."""
    speaks_of = set(ids)
    speaks_of.update(r.id for r in records.values() if r.type == "conflict" and ids.issuperset(needs(r.data)))
    return [records[identity] for identity in sorted(records) if _belongs(records[identity], ids, speaks_of)]


def portable(record: Record) -> dict[str, Any]:
    """Return a record as a bundle has it: in the order of the log's lines, without the mark of an earlier import."""
    data = {"v": VERSION, "session": "", **record.data}
    data.pop(MARK, None)
    plain: dict[str, Any] = decode_json(encode_line(make_record(data)))
    return plain


def cleaned(record: Record, patterns: Sequence[str]) -> tuple[Record, int]:
    """Return a record without private spans and secrets, and how many secrets were masked. The envelope stays."""
    data, count = {}, 0
    for name, value in record.data.items():
        if name in ENVELOPE:
            data[name] = value
            continue
        bare, _ = strip_all(value)
        data[name], found = mask_all(bare, patterns, name)
        count += found
    return (record if data == record.data else make_record(data)), count


def read_bundle(content: bytes) -> tuple[Record, ...]:
    """Read a bundle. Raises BadParams, which names the record that is none; then nothing of it may be used."""
    try:
        bundle = decode_json(content)
    except ValueError as error:
        raise BadParams(f"this is no bundle: {error}", hint=_HINT) from None
    if not isinstance(bundle, dict) or not isinstance(bundle.get("records"), list):
        raise BadParams("this is no bundle: it has no list of records", hint=_HINT)
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


def take_in(
    records: Sequence[Record],
    here: Mapping[str, Record],
    *,
    overwrite: bool,
    trusted: bool,
    waits: Callable[[str], bool] = lambda _type: False,
) -> Intake:
    """Plan what to store of a bundle. What is redacted here is never replaced.

    `waits` says by their type which memories have to be approved here; those that somebody vouches for do not.
    """
    fresh = {record.id for record in records if record.id not in here}
    new, replaced, known, differing, withheld = [], [], [], [], []
    for record in records:
        local = here.get(record.id)
        if local is not None and portable(local) == portable(record):
            known.append(record.id)
        elif not trusted and any(_is_ours(each, here, fresh) for each in _changes(record)):
            withheld.append(record.id)
        elif local is None:
            new.append(_marked(record, trusted, waits))
        elif overwrite and local.data.get("redacted") is not True:
            replaced.append(_marked(record, trusted, waits))
        else:
            differing.append(record.id)
    return Intake(
        new=tuple(new),
        replaced=tuple(replaced),
        known=tuple(known),
        differing=tuple(differing),
        withheld=tuple(withheld),
    )


def _belongs(record: Record, ids: frozenset[str], speaks_of: set[str]) -> bool:
    if record.type in CHANGES:
        return speaks_of.issuperset(needs(record.data))
    return record.data.get("target", record.id) in ids


def _read(data: Any, number: int) -> Record:
    if not isinstance(data, dict) or not isinstance(data.get("id"), str):
        raise BadParams(f"record {number} of the bundle has no id", hint=_HINT)
    try:
        return make_record({"v": VERSION, "session": "", **data})
    except MalformedRecord as error:
        raise BadParams(f"record {number} of the bundle is none: {error}", hint=_HINT) from None


def _marked(record: Record, trusted: bool, waits: Callable[[str], bool]) -> Record:
    mark: dict[str, Any] = {"actor": "import", "trust": "keep" if trusted else "outside"}
    if not trusted and record.type not in CHANGES and waits(record.type):
        mark["pending"] = True
    return make_record({**record.data, MARK: mark})


def _changes(record: Record) -> tuple[str, ...]:
    """The memories and conflicts that a record does something to."""
    data = record.data
    if record.type in CHANGES:
        links = data["set"].get("links") if record.type == "update" else None
        return (*needs(data), *([data["to"]] if data.get("relation") == "supersedes" else ()), *_replaced_by(links))
    return (*([data["target"]] if isinstance(data.get("target"), str) else ()), *_replaced_by(data.get("links")))


def _replaced_by(links: Any) -> list[str]:
    return [
        link["target"]
        for link in (links if isinstance(links, list) else ())
        if isinstance(link, dict) and link.get("relation") == "supersedes" and isinstance(link.get("target"), str)
    ]


def _is_ours(identity: str, here: Mapping[str, Record], fresh: set[str]) -> bool:
    """Whether a record was made here, or was taken in by somebody who vouched for it."""
    if identity in fresh or identity not in here:
        return False
    mark = here[identity].data.get(MARK)
    return not isinstance(mark, dict) or mark.get("trust") == "keep"
