"""Reading and folding a file with any content raises nothing and loses nothing."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from muninn_core.model.memory import KINDS
from muninn_core.model.value import to_plain
from muninn_core.store.files.lines import read_lines
from muninn_core.store.folding.fold import fold
from muninn_core.store.records.change import CHANGES
from muninn_core.store.records.record import ENVELOPE, encode_line

NAMES = [
    *ENVELOPE, "text", "title", "tags", "entities", "questions", "files", "cites", "importance", "confidence",
    "trust", "expires", "pinned", "links", "details", "redacted", "target", "set", "by", "relation", "to", "useful",
    "keep", "sources", "left", "right", "conflict", "reason", "strength", "pattern", "learnings", "files_touched",
    "query", "relevance",
]  # fmt: skip
words = st.sampled_from(
    ["a", "b", "c", "", "left", "right", "both", "supersedes", "user", "2026-01-07T10:00:00Z", "x y"]
)
scalars = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), words)
values = st.recursive(
    scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(NAMES), inner, max_size=3)),
    max_leaves=6,
)
records = st.builds(
    lambda fields, kind, identity: {**fields, "ts": "2026-01-07T10:00:00Z", "type": kind, "id": identity, "v": 1},
    st.dictionaries(st.sampled_from(NAMES), values, max_size=8),
    st.sampled_from([*KINDS, *CHANGES, "of_tomorrow"]),
    words,
)


@settings(max_examples=120, deadline=None)
@given(st.lists(records, max_size=8))
def test_any_objects_can_be_read_folded_and_written_again(objects):
    lines = read_lines("\n".join(map(json.dumps, objects)).encode(), "f")
    assert len(lines.records) + len(lines.malformed) == len(objects)
    state = fold(lines.records)
    again = read_lines(b"".join(map(encode_line, lines.records)), "f")
    assert again.malformed == ()
    assert fold(again.records) == state
    to_plain(dict(state.memories))


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_can_be_read(content):
    lines = read_lines(content, "f")
    assert len(lines.malformed) == len(lines.raw)
    assert len(lines.raw) + len(lines.records) == sum(1 for line in content.split(b"\n") if line.strip())
