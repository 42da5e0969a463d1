"""Kept contexts are few, private, and the first of an id stays."""

from __future__ import annotations

import os

import pytest

from muninn_core.errors import NotFoundError, StorageError
from muninn_core.store import context_store
from muninn_core.store.context_store import ContextStore


@pytest.fixture
def kept(tmp_path):
    return ContextStore(tmp_path / "contexts", writable=True)


def age(tmp_path, identity, seconds):
    os.utime(tmp_path / "contexts" / f"{identity}.json", (seconds, seconds))


def test_the_first_of_an_id_is_what_is_kept(kept):
    kept.save("c-1", b"first")
    kept.save("c-1", b"second")
    assert kept.read("c-1") == ("c-1", b"first")


def test_a_prefix_is_enough_unless_it_means_two(kept):
    kept.save("c-12", b"one")
    kept.save("c-13", b"two")
    assert kept.read("c-12") == ("c-12", b"one")
    with pytest.raises(NotFoundError, match="matches 2 contexts"):
        kept.read("c-1")


def test_the_ones_that_were_not_used_for_the_longest_go_first(kept, tmp_path, monkeypatch):
    monkeypatch.setattr(context_store, "MAX_CONTEXTS", 3)
    for number in (1, 2, 3):
        kept.save(f"c-{number}", b"x")
        age(tmp_path, f"c-{number}", number)
    kept.save("c-1", b"x")  # used again
    kept.save("c-4", b"x")
    assert {path.stem for path in (tmp_path / "contexts").iterdir()} == {"c-1", "c-3", "c-4"}


def test_together_they_stay_below_their_size_and_the_last_one_is_kept(kept, tmp_path, monkeypatch):
    monkeypatch.setattr(context_store, "MAX_TOTAL_BYTES", 100)
    kept.save("c-1", b"x" * 60)
    age(tmp_path, "c-1", 1)
    kept.save("c-2", b"x" * 60)
    assert [path.stem for path in (tmp_path / "contexts").iterdir()] == ["c-2"]
    kept.save("c-3", b"x" * 600)
    assert [path.stem for path in (tmp_path / "contexts").iterdir()] == ["c-3"]


def test_scrubbing_takes_whole_files_and_half_written_ones_too(kept, tmp_path):
    kept.save("c-1", b'{"id":"m1"}')
    kept.save("c-2", '{"text":"größe \\"a\\" und b"}'.encode())
    kept.save("c-3", b'{"id":"m3"}')
    (tmp_path / "contexts" / "c-4.json.1-1.tmp").write_bytes(b'{"id":"m1"')
    assert kept.remove_mentioning(["m1"], ['größe "a" und b', "short"]) == 3
    assert [path.name for path in (tmp_path / "contexts").iterdir()] == ["c-3.json"]


def test_a_context_that_can_not_be_read_is_an_error_since_it_may_hold_the_text(kept, tmp_path):
    kept.save("c-1", b'{"id":"m1"}')
    (tmp_path / "contexts" / "c-2.json").mkdir()
    with pytest.raises(StorageError, match=r"c-2\.json") as refused:
        kept.remove_mentioning(["m1"])
    assert "Delete it" in refused.value.hint


def test_a_folder_that_takes_no_writes_costs_the_explanation_and_nothing_else(tmp_path):
    (tmp_path / "contexts").write_text("a file in the place of the folder")
    ContextStore(tmp_path / "contexts", writable=True).save("c-1", b"x")
    with pytest.raises(NotFoundError):
        ContextStore(tmp_path / "contexts", writable=True).read("c-1")
