"""Recognition of secrets without a known format, on a labelled list."""

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from labelled_secrets import HARMLESS, SECRETS

from muninn_core.store.secrets import assignments
from muninn_core.store.secrets.masking import mask, mask_value


def test_the_list_is_long_enough_to_say_something():
    assert len(SECRETS) >= 50
    assert len(HARMLESS) >= 100
    assert len({text for text, _ in SECRETS} | set(HARMLESS)) == len(SECRETS) + len(HARMLESS)


def test_precision_and_recall_on_the_labelled_list(record_property):
    found = [text for text, secret in SECRETS if secret not in mask(text)[0]]
    false = [text for text in HARMLESS if mask(text) != (text, 0)]
    precision, recall = len(found) / (len(found) + len(false)), len(found) / len(SECRETS)
    record_property("precision", precision)
    record_property("recall", recall)
    assert (precision >= 0.98, recall >= 0.95) == (True, True), (precision, recall, false)


@pytest.mark.parametrize(("text", "secret"), SECRETS)
def test_only_the_value_is_replaced(text, secret):
    masked, count = mask(text)
    before, after = text.split(secret)
    assert count == 1
    assert re.fullmatch(re.escape(before) + r"\[masked:[a-z-]+\]" + re.escape(after), masked)
    assert mask(masked) == (masked, 0)


def test_the_name_of_a_field_counts_for_its_value():
    secret = SECRETS[0][1]
    assert mask_value({"api_key": secret, "note": secret}) == ({"api_key": "[masked:assigned]", "note": secret}, 1)
    assert mask_value({"tokens": [1], "token": [secret]}) == ({"tokens": [1], "token": ["[masked:assigned]"]}, 1)


@pytest.mark.parametrize("text", ["key" * 70_000, "token-" * 40_000, "secret" + "-key" * 50_000, "--" + "a-" * 100_000])
def test_a_long_text_takes_time_in_proportion_to_its_length(text):
    begun = time.process_time()
    assert mask(text) == (text, 0)
    assert time.process_time() - begun < 10  # the square of the length would take minutes


pieces = st.one_of(
    st.sampled_from(
        ["password", "token", "api_key", "KEY", "secret_access_key", "=", ":=", " is ", " ", "\n", "'", '"']
    ),
    st.sampled_from(
        ["]", "(", ",", "x" * 70, "a.b-c_", "Zx9$k2Lm", "hunter2hunter2", "é", "ſecret", "İ", "v1", "x" * 520]
    ),
)


@settings(max_examples=400, deadline=None)
@given(st.lists(pieces, max_size=14).map("".join))
def test_looking_where_a_telling_word_is_finds_what_looking_everywhere_does(text):
    found = [match.span() for match in assignments._assignments(text)]
    assert found == [match.span() for match in assignments._ASSIGNED.finditer(text)]
