import json
from datetime import UTC, datetime, timedelta

import pytest

from muninn_core.store.records.fast_parse import read_line
from muninn_core.store.records.ids import UlidGenerator, derived_id
from muninn_core.store.records.record import MalformedRecord, encode_line, make_record, parse_line, preferred_version
from muninn_core.store.records.timestamps import next_millisecond, normalise

LINE = b'{"ts": "2026-01-07T10:00:00Z", "type": "insight", "text": "x"}'


def test_a_line_without_id_gets_one_from_its_bytes_that_stays_when_it_is_rewritten():
    record = parse_line(LINE)
    assert len(record.id) == 26
    assert parse_line(LINE + b"\r\n").id == record.id
    assert parse_line(encode_line(record)) == record
    assert parse_line(LINE.replace(b'"x"', b'"y"')).id != record.id


def test_unknown_fields_survive_a_rewrite():
    data = {"zeta": [1.5, None, {"b": 1, "a": 123456789012345678901234567890}], "id": "i", "ts": "2026-01-07T10:00:00Z"}
    line = encode_line(parse_line(json.dumps({**data, "type": "of_tomorrow"}).encode()))
    assert json.loads(line) == {**data, "type": "of_tomorrow"}
    assert line.startswith(b'{"id":"i","ts":"2026-01-07T10:00:00Z","type":"of_tomorrow","zeta":[1.5,null,{"a":')
    assert encode_line(parse_line(line)) == line


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"<<<<<<< HEAD", "a merge marker"),
        (b"broken", "^not JSON: invalid character"),
        (b"[1]", "not a JSON object"),
        (b'{"type": "insight"}', "'ts' is missing"),
        (b'{"ts": "2026-01-07T10:00:00Z"}', "'type' is missing"),
        (b'{"ts": "yesterday", "type": "insight"}', "'ts' is not an RFC 3339 time"),
        (b'{"ts": "2026-01-07T10:00:00Z", "type": "insight", "id": 7}', "'id' is not text"),
        (b'{"v": 2, "ts": "2026-01-07T10:00:00Z", "type": "insight"}', "later version"),
        (b'{"ts": "2026-01-07T10:00:00Z", "type": "archive"}', "'archive' lacks 'target'"),
        (b'{"ts": "2026-01-07T10:00:00Z", "type": "merge", "keep": "a", "sources": [1]}', "not a list of ids"),
        (b'{"ts": "2026-01-07T10:00:00Z", "type": "resolve", "conflict": "a", "keep": "all"}', "not one of left"),
        (b'{"ts": "\xff"}', "not JSON"),
        (b'{"a":' * 70 + b"1" + b"}" * 70, "nested too deeply"),
        (b"[" * 100_000, "not JSON|nested"),
        (
            b'{"ts": "2026-01-07T10:00:00Z", "type": "insight", "text": "' + b"a" * 1_000_000 + b'"}',
            "limit is 1,000,000",
        ),
        (
            b'{"ts": "2026-01-07T10:00:00Z", "type": "insight", "text": "a", "files": [' + b'"a",' * 1000 + b'"b"]}',
            "'files' has 1,001 items; the limit is 1,000",
        ),
        (
            b'{"ts": "2026-01-07T10:00:00Z", "type": "update", "target": "a", "set": {"tags": ['
            + b'"a",' * 1000
            + b'"b"]}}',
            "'tags' has 1,001 items; the limit is 1,000",
        ),
    ],
)
def test_a_malformed_line_says_what_is_wrong(line, reason):
    with pytest.raises(MalformedRecord, match=reason):
        parse_line(line)
    with pytest.raises(MalformedRecord, match=reason):
        read_line(line)


def test_text_that_is_no_unicode_is_refused_before_it_is_written():
    with pytest.raises(MalformedRecord, match="can't be written"):
        make_record({"id": "a", "ts": "2026-01-07T10:00:00Z", "type": "insight", "text": "\ud800"})


def test_the_redacted_of_two_lines_with_one_id_wins_in_any_order():
    def line(**fields):
        return make_record({"id": "a", "ts": "2026-01-07T10:00:00Z", "type": "insight", **fields})

    full, blank = line(text="secret", ts="2027-01-01T00:00:00Z"), line(redacted=True)
    assert preferred_version(full, blank) == preferred_version(blank, full) == blank


def test_times_are_compared_as_times():
    assert normalise("2026-01-07T11:00:00+01:00") == normalise("2026-01-07T10:00:00Z") == "2026-01-07T10:00:00.000Z"
    assert normalise("2026-01-07T10:00:00Z") < normalise("2026-01-07T10:00:00.1Z")
    assert next_millisecond("2026-01-07T10:00:00.999Z") == "2026-01-07T10:00:01.000Z"
    assert next_millisecond("9999-12-31T23:59:59.999Z") == "9999-12-31T23:59:59.999Z"


def test_ids_grow_even_when_the_clock_steps_back():
    moments = iter([datetime(2026, 1, 1, tzinfo=UTC) - timedelta(seconds=step) for step in range(50)])
    ids = UlidGenerator(lambda: next(moments), lambda count: b"\x00" * count)
    made = [ids() for _ in range(50)]
    assert made == sorted(set(made))
    assert all(len(identity) == 26 for identity in made)


def test_an_id_begins_with_its_time_as_the_specification_says():
    # 1469918176385 ms is the example of the ULID specification: 01ARYZ6S41.
    assert derived_id("2016-07-30T22:36:16.385Z", b"x").startswith("01aryz6s41")
