"""Searches that run at the same time: in a large index only, and with the result or error that they have alone."""

from __future__ import annotations

import threading

import pytest
from repositories import PATIENCE

from muninn_core.retrieval.concurrent import LARGE, start


@pytest.mark.parametrize(("size", "elsewhere"), [(LARGE - 1, False), (LARGE, True)])
def test_only_a_search_of_a_large_index_has_a_thread_of_its_own(size, elsewhere):
    assert (start(size, threading.get_ident)() != threading.get_ident()) is elsewhere


def test_both_searches_of_a_large_index_run_at_once():
    meeting = threading.Barrier(3, timeout=PATIENCE)
    first, second = start(LARGE, meeting.wait), start(LARGE, meeting.wait)
    assert sorted([meeting.wait(), first(), second()]) == [0, 1, 2]


@pytest.mark.parametrize("size", [0, LARGE])
def test_what_a_search_raises_is_raised_where_its_result_is_asked_for(size):
    result = start(size, lambda: {}["missing"])
    with pytest.raises(KeyError, match="missing"):
        result()
