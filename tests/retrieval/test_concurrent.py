"""Searches that run at the same time: in a large index only, and with the result or error that they have alone.

Questions take turns.
"""

from __future__ import annotations

import threading

import pytest
from repositories import PATIENCE

from muninn_core.retrieval.concurrent import LARGE, start, start_encoding, turn


@pytest.mark.parametrize(("size", "elsewhere"), [(LARGE - 1, False), (LARGE, True)])
def test_only_a_search_of_a_large_index_has_a_thread_of_its_own(size, elsewhere):
    assert (start(size, threading.get_ident)() != threading.get_ident()) is elsewhere


def test_both_searches_of_a_large_index_run_at_once():
    meeting = threading.Barrier(3, timeout=PATIENCE)
    first, second = start(LARGE, meeting.wait), start(LARGE, meeting.wait)
    assert sorted([meeting.wait(), first(), second()]) == [0, 1, 2]


@pytest.mark.parametrize("size", [0, LARGE])
def test_an_error_of_a_search_is_raised_to_its_caller(size):
    result = start(size, lambda: {}["missing"])
    with pytest.raises(KeyError, match="missing"):
        result()


def test_two_questions_are_computed_at_once_and_a_third_one_after_them():
    def third():
        with turn(PATIENCE):
            pass

    waiting = threading.Thread(target=third)
    with turn(), turn():
        waiting.start()
        waiting.join(0.05)
        assert waiting.is_alive()
    waiting.join(PATIENCE)
    assert not waiting.is_alive()


def test_questions_that_hang_stop_no_other_one_and_their_turns_stay_taken():
    with turn(), turn():
        for _ in range(3):
            with turn(0.01):
                pass
    test_two_questions_are_computed_at_once_and_a_third_one_after_them()


def test_a_thread_encodes_beside_one_question_and_none_beside_two():
    encoded, done = [], threading.Event()

    def encode(text):
        encoded.append(text)
        done.set()

    with turn():
        with turn():
            start_encoding(encode, "beside two")
        start_encoding(encode, "beside one")
    assert done.wait(PATIENCE)
    assert encoded == ["beside one"]
