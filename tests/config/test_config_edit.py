from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muninn_core.config import read_config
from muninn_core.config.description import find_key, sections
from muninn_core.config.edit import set_value, unset_value
from muninn_core.config.template import template_text

KEYS = [key for section in sections() for key in section.keys]


@pytest.mark.parametrize("key", KEYS, ids=lambda key: f"{key.section}.{key.name}")
def test_each_key_of_the_template_can_be_set_and_unset(key):
    text = template_text()
    value = key.example if key.shared is None else key.default
    changed = set_value(text, key, value)
    config, problems = read_config(changed)
    assert problems == ()
    expected = tuple(value) if isinstance(value, list) else value
    assert getattr(getattr(config, key.section), key.name) == expected
    assert [line for line in text.splitlines() if line not in changed.splitlines()]  # its commented line is replaced
    assert read_config(unset_value(changed, key))[0] == read_config("")[0]


def test_setting_a_key_keeps_comments_and_other_keys():
    text = "# mine\nmemory:  # all of it\n  # why\n  half_life_days: 10 # days\n\nranking:\n    recency: 0.5\n"
    changed = set_value(text, find_key("memory", "half_life_days"), 20)
    assert changed == text.replace("half_life_days: 10", "half_life_days: 20")
    assert unset_value(changed, find_key("memory", "half_life_days")) == text.replace(
        "  half_life_days: 10 # days\n", ""
    )
    assert set_value(text, find_key("ranking", "importance"), 1.5).endswith(
        "ranking:\n    importance: 1.5\n    recency: 0.5\n"
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", 'index:\n  exclude: ["*.lock"]\n'),
        ("index:", 'index:\n  exclude: ["*.lock"]\n'),
        ("index:\n  exclude:\n    - a\n    - b\n", 'index:\n  exclude: ["*.lock"]\n'),
        ("index:\n  exclude:\n", 'index:\n  exclude: ["*.lock"]\n'),
        ("a: 1", 'a: 1\nindex:\n  exclude: ["*.lock"]\n'),
    ],
)
def test_a_list_is_set_in_any_form_of_a_file(text, expected):
    assert set_value(text, find_key("index", "exclude"), ("*.lock",)) == expected


@pytest.mark.parametrize(("text", "message"), [("a: [", "not YAML"), ("memory: {half_life_days: 3}\n", "in braces")])
def test_a_file_that_can_not_be_edited_is_refused(text, message):
    with pytest.raises(ValueError, match=message):
        set_value(text, find_key("memory", "half_life_days"), 20)


def test_unsetting_an_absent_key_changes_nothing():
    assert unset_value("memory:\n  kinds: [a]\n", find_key("memory", "half_life_days")) == "memory:\n  kinds: [a]\n"


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(KEYS), st.booleans()), max_size=8))
def test_any_sequence_of_changes_leaves_a_valid_file_with_the_last_values(changes):
    text, expected = template_text(), {}
    for key, present in changes:
        value = key.example if key.shared is None else key.default
        text = set_value(text, key, value) if present else unset_value(text, key)
        expected[key.section, key.name] = value if present else key.default
    config, problems = read_config(text)
    assert problems == ()
    for (section, name), value in expected.items():
        assert getattr(getattr(config, section), name) == (tuple(value) if isinstance(value, (list, tuple)) else value)
