"""An idle engine releases memory, and creates it again without a change of answers."""

from __future__ import annotations

from muninn_core.launch.repository_location import locate
from muninn_core.worktree.indexing.index_updater import IndexUpdater

pytest_plugins = ["engines"]


def updater_of(muninn):
    return muninn.engine.open(locate(str(muninn.root))).updater


def test_an_idle_engine_releases_memory_once(muninn, monkeypatch):
    muninn.call("remember", text="The cache is kept for a week.")
    muninn.call("index", wait=True)  # encoding is work, too
    before = muninn.texts("cache kept")
    assert not muninn.engine.should_release_memory
    monkeypatch.setattr("muninn_core.engine.engine.RELEASE_SECONDS", 0.0)
    assert muninn.engine.should_release_memory
    muninn.engine.release_memory()
    assert not muninn.engine.should_release_memory
    assert muninn.texts("cache kept") == before
    assert muninn.engine.should_release_memory


def test_many_memories_are_freed_at_rest_and_created_again_without_a_change_for_the_index(muninn, monkeypatch):
    monkeypatch.setattr("muninn_core.store.log.MANY_CREATED", 1)
    muninn.call("remember", batch=[{"text": f"The cache is kept for {n} weeks.", "session": "s"} for n in range(5)])
    muninn.call("seal")
    store = muninn.engine.open(locate(str(muninn.root))).memory
    assert store.log.save_cache(0)
    muninn.call("index", wait=True)
    before, generation = muninn.texts("cache kept"), updater_of(muninn).index.snapshot().generation
    known = dict(store.all().items())
    muninn.engine.release_memory()
    assert dict(store.all().items()) == known
    assert not any(store.all()[each] is memory for each, memory in known.items())
    assert muninn.texts("cache kept") == before
    store.read_again()  # any memory may have changed, and none has
    muninn.call("index", wait=True)
    assert updater_of(muninn).index.snapshot().generation == generation


def test_the_engine_is_at_work_during_a_verb_for_a_moment_after_it_and_while_files_wait(muninn, monkeypatch):
    muninn.call("index", wait=True)
    assert muninn.engine.at_work
    monkeypatch.setattr("muninn_core.engine.engine.QUIET_SECONDS", 0.0)
    assert not muninn.engine.at_work
    seen = []
    run = IndexUpdater.wait_files

    def watched(updater, ticket, seconds):
        seen.append(muninn.engine.at_work)
        return run(updater, ticket, seconds)

    monkeypatch.setattr(IndexUpdater, "wait_files", watched)
    muninn.call("index", wait=True)
    assert set(seen) == {True}
    monkeypatch.setattr(IndexUpdater, "lag", 1)
    assert muninn.engine.at_work


def test_memory_is_given_back_after_what_takes_long_not_in_its_midst(muninn, monkeypatch):
    monkeypatch.setattr("muninn_core.engine.engine.RELEASE_SECONDS", 0.0)
    seen = []
    run = IndexUpdater.wait_files

    def watched(updater, ticket, seconds):
        seen.append((muninn.engine.should_release_memory, muninn.engine.has_released_memory))
        return run(updater, ticket, seconds)

    monkeypatch.setattr(IndexUpdater, "wait_files", watched)
    muninn.engine.release_memory()
    muninn.call("index", wait=True)
    assert set(seen) == {(False, False)}  # asked more than once on a busy machine
    assert muninn.engine.should_release_memory
    muninn.engine.release_memory()
    assert muninn.engine.has_released_memory
    (muninn.root / "later.py").write_text("LATER = 1\n")
    updater = muninn.engine.open(locate(str(muninn.root))).updater
    assert run(updater, updater.update_files(["later.py"]), 20)
    assert muninn.engine.should_release_memory  # nobody asked, and it is work that leaves something to give back
