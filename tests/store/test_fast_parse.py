"""The fast path from a line to its memory gives the same result as the full one."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muninn_core.store.folding.fold import fold
from muninn_core.store.records.fast_parse import memory_from_line, read_line
from muninn_core.store.records.record import MalformedRecord, encode_line, make_record, parse_line

texts = st.sampled_from(["", " ", "x", "One thing. Another.", "a\nb", "é\u2028", "long " * 40])
numbers = st.one_of(st.integers(-2, 12), st.floats(-1, 2), st.just(10**30), st.booleans())
lists = st.one_of(st.lists(texts, max_size=3), texts, st.none())
anything = st.one_of(texts, numbers, st.none(), st.just({"a": [1, {}]}), st.just({}))
cites = st.lists(
    st.fixed_dictionaries({"path": texts}, optional={"start": numbers, "end": st.just(3), "more": st.just(1)}),
    max_size=2,
)
fields = {
    "id": texts,
    "ts": st.sampled_from(["2026-01-07T10:00:00.000Z", "2026-01-07T10:00:00+02:00", "2026-02-30T10:00:00.000Z", "now"]),
    "type": st.sampled_from(["insight", "decision", "pin", "pattern", "later", ""]),
    "text": texts,
}
others = {
    "v": st.sampled_from([1, 2, True, 1.0, None]),
    **dict.fromkeys(
        ("session", "actor", "author", "agent", "task", "branch", "commit", "key", "title", "expires"), anything
    ),
    **dict.fromkeys(("tags", "entities", "questions", "files", "links"), lists),
    "actor": st.sampled_from(["user", "assistant", "tool", "hook", "import", "nobody"]),
    "trust": st.sampled_from(["user", "agent", "outside", "none", None]),
    "cites": cites,
    "importance": numbers,
    "confidence": numbers,
    "details": anything,
    "target": texts,
    "redacted": st.booleans(),
    "pending": st.booleans(),
    "pinned": st.booleans(),
    "pattern": texts,
    "other": anything,
}


def told(read, line):
    try:
        record = read(line)
    except MalformedRecord as error:
        return str(error)
    changes = [{"type": "update", "set": {"tags": ["u"], "more": 2}}, {"type": "archive", "reason": "old"}]
    changed = [
        make_record({"id": f"z{number}", "ts": "2026-02-01T10:00:00Z", "target": record.id, **change})
        for number, change in enumerate(changes)
    ]
    said = [fold(records).memories for records in ([record], [record, *changed])]
    return (record.id, record.ts, record.type, record.session, record.key, record.data, *said)


@settings(max_examples=600, deadline=None)
@given(st.fixed_dictionaries(fields, optional=others), st.sampled_from([b"", b" ", b"\r"]))
def test_any_line_says_the_same_whichever_way_it_is_read(data, blank):
    line = blank + json.dumps(data, ensure_ascii=False).encode() + blank
    assert told(read_line, line) == told(parse_line, line)


@pytest.mark.parametrize(
    "line",
    [
        b'{"id":"a","ts":"2026-01-07T10:00:00.000Z","type":"insight","text":"x","trust":null}',
        b'{"id":"a","id":"b","ts":"2026-01-07T10:00:00.000Z","type":"insight","text":"x","text":"y"}',
        b'{"id":"a","ts":"2026-01-07T10:00:00.000Z","type":"insight","text":"\\ud800"}',
        b'{"id":"a","ts":"2026-01-07T10:00:00.000Z","type":"insight","text":"\xff"}',
        b'{"id":"a","ts":"2026-01-07T10:00:00.000Z","type":"insight","text":"x","details":{"d":'
        + b"[" * 70
        + b"]" * 70
        + b"}}",
        b'{"id":"a","ts":"2026-01-07T10:00:00.000Z","type":"insight","text":"x"} {}',
    ],
)
def test_both_parsers_read_odd_lines_alike(line):
    assert told(read_line, line) == told(parse_line, line)


def test_a_plain_memory_takes_the_short_way_and_keeps_its_bytes():
    line = b'{"id":"a","ts":"2026-01-07T10:00:00.000Z","type":"insight","text":"One. Two.","tags":["t","t"],"more":1}'
    assert not read_line(line).plain
    with pytest.raises(ValueError, match="the line is not plain"):
        memory_from_line(line)
    line = line.replace(b',"more":1', b"")
    record = read_line(line)
    memory = memory_from_line(line)
    assert record.plain
    assert (record.line, memory.title, memory.tags) == (line, "One", ("t",))
    assert record == parse_line(line)
    assert record != parse_line(line.replace(b"Two", b"Three"))


def test_equal_values_of_memories_share_one_object():
    line = (
        b'{"id":"a","ts":"2026-01-07T10:00:00.000Z","type":"insight","session":"s-1","actor":"assistant",'
        b'"agent":"codex","task":"one two","branch":"a branch","commit":"c0ffee","text":"One.",'
        b'"tags":["a tag"],"entities":["an entity"],"files":["a/file.py"],'
        b'"cites":[{"path":"a/file.py","start":1,"end":2,"symbol":"a name","commit":"c0ffee"}]}'
    )
    one, other = memory_from_line(line), memory_from_line(line)
    for name in ("type", "session", "actor", "agent", "task", "branch", "commit"):
        assert getattr(one, name) is getattr(other, name)
    assert (one.tags[0], one.entities[0], one.files[0]) == ("a tag", "an entity", "a/file.py")
    assert one.tags[0] is other.tags[0]
    assert one.entities[0] is other.entities[0]
    assert one.files[0] is other.files[0] is one.cites[0].path
    assert one.cites[0].symbol is other.cites[0].symbol
    assert one.cites[0].commit is one.commit


def test_values_that_memories_share_exist_once():
    given = {"v": 1, "type": "decision", "text": "One thing.", "ts": "2026-01-07T10:00:00.000Z", "actor": "user"}
    given |= {"tags": ["auth"], "files": ["a.py"], "session": "s1"}
    lines = [encode_line(make_record({**given, "id": f"m{number}"})) for number in range(2)]
    identity = str(lines[0], "utf-8")[lines[0].index(b"m0") :][:2]
    first, second = memory_from_line(lines[0], identity), memory_from_line(lines[1])
    assert first.id is identity
    assert second.id == "m1"
    for name in ("tags", "files", "sessions", "details"):
        assert getattr(first, name) is getattr(second, name)
    assert memory_from_line(lines[1], "another").id == "m1"
