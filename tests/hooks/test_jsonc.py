"""Edits of JSON with comments change only the edited members."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muninn_hooks.connect.jsonc import JsoncError, cut, parse, put

COMMENTED = """\
// what I like
{
    "model": "opus", // the big one
    /* servers
       of mine */
    "servers": {
        "mine": { "command": "x" }, // keep
    },
    // "theme": "dark"
}
"""

scalars = (
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.floats(allow_nan=False, allow_infinity=False)
)
names = st.text(max_size=4)
tables = st.dictionaries(
    names,
    st.recursive(
        scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3), max_leaves=8
    ),
    max_size=4,
)
blanks = st.sampled_from(["", " ", "\n", "\n  ", "\t", " // so\n", "/* why */", "\n\n    "])


@st.composite
def written(draw: st.DrawFn, data: Any) -> str:
    """Write a value as a person might: blanks and comments anywhere, perhaps a comma after the last."""
    gap = lambda: draw(blanks)  # noqa: E731
    if not isinstance(data, dict | list):
        return json.dumps(data, ensure_ascii=draw(st.booleans()))
    elements = []
    for key in data:
        around = (lambda: "") if key == "ours" else gap
        name = f"{json.dumps(key)}{around()}:{around()}" if isinstance(data, dict) else ""
        elements.append(gap() + name + draw(written(data[key] if isinstance(data, dict) else key)) + gap())
    last = "," + gap() if elements and draw(st.booleans()) else "" if elements else gap()
    first, end = "{}" if isinstance(data, dict) else "[]"
    return first + ",".join(elements) + last + end


@given(st.data(), tables)
def test_any_notation_of_jsonc_is_parsed(data: st.DataObject, table: dict[str, Any]) -> None:
    text = data.draw(blanks) + data.draw(written(table)) + data.draw(blanks)
    assert parse(text).value == table


@given(st.data(), tables, tables)
def test_inserted_values_are_present_and_removed_values_are_gone(
    data: st.DataObject, table: dict[str, Any], value: dict[str, Any]
) -> None:
    members = data.draw(st.permutations(list({**table, "ours": 1, "list": [1]}.items())))
    text = data.draw(written(dict(members)))
    there = put(put(text, ("new", "deep"), value), ("list", -1), value)
    assert parse(there).value == {**table, "ours": 1, "list": [1, value], "new": {"deep": value}}
    gone = cut(cut(cut(there, ("new",)), ("ours",)), ("list", 1))
    assert parse(gone).value == {key: one for key, one in members if key != "ours"}
    assert gone.count("// so") == text.count("// so")
    assert gone.count("/* why */") == text.count("/* why */")


def test_a_member_goes_behind_the_last_one_and_comments_stay_where_they_are() -> None:
    text = put(COMMENTED, ("servers", "ours"), {"command": "y", "args": ["z"]})
    assert text == COMMENTED.replace(
        "// keep\n",
        """// keep
        "ours": {
            "command": "y",
            "args": [
                "z"
            ]
        },
""",
    )
    assert cut(text, ("servers", "ours")) == COMMENTED


def test_the_files_own_indentation_and_line_ends_are_used() -> None:
    assert put('{\r\n\t"a": 1\r\n}\r\n', ("b",), {"c": 2}) == '{\r\n\t"a": 1,\r\n\t"b": {\r\n\t\t"c": 2\r\n\t}\r\n}\r\n'


def test_a_member_that_is_there_gets_another_value_in_its_place() -> None:
    assert put('{"a": 1 /* one */, "b": 2}', ("a",), 7) == '{"a": 7 /* one */, "b": 2}'


@pytest.mark.parametrize(
    ("text", "words", "line", "column"),
    [
        ('{"a": 1 "b": 2}', "a comma or '}' is expected", 1, 9),
        ('{\n  "a": ,\n}', "a value is expected", 2, 8),
        ("{,}", "a name in double quotes is expected", 1, 2),
        ("{'a': 1}", "a name in double quotes is expected", 1, 2),
        ('{"a" 1}', "a colon is expected", 1, 6),
        ('{"a": "x\n"}', "not well formed", 1, 7),
        ('{"a": 1, "a": 2}', "'a' occurs twice", 1, 10),
        ("{} /* and", "a comment has no end", 1, 4),
        ("{} {}", "unexpected text", 1, 4),
        ('{"a": 01}', "a comma or '}' is expected", 1, 8),
        ("[1, 2", "a comma or ']' is expected", 1, 6),
        ("[" * 300, "nested too deeply", 1, 202),
    ],
)
def test_invalid_json_is_reported_with_its_position(text: str, words: str, line: int, column: int) -> None:
    with pytest.raises(JsoncError) as caught:
        parse(text)
    assert words in caught.value.message
    assert (caught.value.line, caught.value.column) == (line, column)
