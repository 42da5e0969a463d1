"""Summaries of sessions tell what git confirms. `python -m bench summaries` has more stories."""

from __future__ import annotations

import pytest
from bench.accuracy.summaries import STORIES, prepare, told

pytest_plugins = ["engines"]


@pytest.mark.parametrize(
    "name",
    [
        "an edit that was taken back",
        "a new file that was removed",
        "an ignored file",
        "sed",
        "an amended commit",
        "a commit that was reset",
        "a commit in another repository",
        "a commit on another branch",
        "one folder fails, the other passes",
        "a command fails and a longer one passes",
    ],
)
def test_a_summary_tells_what_is_true_at_the_end(muninn, name):
    prepare(muninn.root)
    found = told(muninn.root, muninn.call, name, STORIES[name])
    assert not found.false
    assert found.told == found.there
