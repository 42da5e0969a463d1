"""Text marked as private is removed completely."""

import pytest

from muninn_core.source.private_spans import strip_private, strip_private_values


@pytest.mark.parametrize(
    ("text", "left", "spans"),
    [
        ("plain < text & private talk", "plain < text & private talk", 0),
        ("a <private>b</private> c", "a c", 1),
        ("a<private>b</private>c", "ac", 1),
        ("<private>all of it</private>", "", 1),
        ("a <PRIVATE reason='x'>b</Private > c", "a c", 1),
        ("a <private>b <private>deep</private> still</private> c", "a c", 1),
        ("a <private>b</private> c <private>d</private> e", "a c e", 2),
        ("open <private>to the end\nand on", "open", 1),
        ("a <private>b <private>c</private> never closed", "a", 1),
        ("text </private> more", "text </private> more", 0),
        ("line one\n<private>\nhidden\n</private>\nline two", "line one\n\nline two", 1),
        ("the <privateer> sails", "the <privateer> sails", 0),
    ],
)
def test_private_spans_go_and_the_rest_stays(text, left, spans):
    assert strip_private(text) == (left, spans)


def test_spans_go_from_every_text_of_plain_data():
    data = {"tags": ["a", "<private>b</private>"], "n": 1, "why": {"<private>x</private>": "y", "z": "q<private>r"}}
    assert strip_private_values(data) == ({"tags": ["a"], "n": 1, "why": {"z": "q"}}, 3)


def test_fields_that_were_nothing_but_private_go():
    assert strip_private_values({"text": "kept", "title": "<private>no</private>", "empty": ""}) == (
        {"text": "kept", "empty": ""},
        1,
    )
