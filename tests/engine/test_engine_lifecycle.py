"""The engine over time: failures that heal, work at the same time, an end that is clean, and what answers saw."""

from __future__ import annotations

import gc
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from repositories import PATIENCE, git

from muninn_core.errors import MuninnError, NotFoundError, ReadOnlyError
from muninn_core.index.embedding.embed import BUNDLED
from muninn_core.launch.repository_location import locate
from muninn_core.model.value import encode_json
from muninn_core.source.listing.walk import walk
from muninn_core.worktree.indexing.index_updater import IndexUpdater

pytest_plugins = ["engines"]


def updater_of(muninn):
    return muninn.engine.open(locate(str(muninn.root))).updater


def test_readers_and_a_writer_at_the_same_time_all_get_their_answers(muninn):
    muninn.call("index")

    def write(number):
        (identity,) = muninn.call("remember", text=f"Fact {number} of the crew.", session=f"s{number % 3}").ids
        found = muninn.call("recall", query=f"fact {number} of the crew", kind="memory", limit=50)
        return identity in {hit.id for hit in found.hits}

    with ThreadPoolExecutor(6) as threads:
        written = [threads.submit(write, number) for number in range(24)]
        read = [threads.submit(muninn.call, "context", query="the crew") for _ in range(12)]
        assert all(each.result() for each in written)
        assert all(each.result().tokens <= 4000 for each in read)
    assert muninn.call("memories").total == 24


def test_many_who_open_at_once_open_one(plain_repo, start):
    muninn = start(plain_repo)
    muninn.call("init")
    muninn.engine.close()
    opened = []
    other = start(plain_repo, opened=opened.append)
    with ThreadPoolExecutor(8) as threads:
        found = [each.result() for each in [threads.submit(other.call, "status") for _ in range(16)]]
    assert {status.mode for status in found} == {"read-write"}
    assert len(opened) == 1


def test_changes_between_the_first_scan_and_watching_are_not_missed(muninn, start):
    muninn.engine.close()

    def watch(_location):
        (muninn.root / "early.py").write_text("def hoist_mainsail(): pass\n")  # no event tells of it

    later = start(muninn.root, opened=watch)
    updater = updater_of(later)
    assert updater.wait_files(1, PATIENCE)
    assert "early.py" in updater.wait_open(PATIENCE).snapshot().files()


def test_closing_while_the_model_is_loading_ends(plain_repo, start, bundled):
    loading, go_on = threading.Event(), threading.Event()

    def load(name, cache):
        loading.set()
        assert go_on.wait(2 * PATIENCE)
        return bundled

    muninn = start(plain_repo, load=load)
    with ThreadPoolExecutor(2) as threads:
        threads.submit(muninn.call, "init")
        assert loading.wait(PATIENCE)
        closing = threads.submit(muninn.engine.close)
        go_on.set()
        closing.result(PATIENCE)


def test_after_the_end_nothing_is_opened_again(muninn):
    muninn.engine.close()
    with pytest.raises(MuninnError, match="stopping"):
        muninn.call("recall", query="x")


def test_one_repository_that_can_not_be_sealed_keeps_no_other_from_it(muninn, tmp_path, monkeypatch):
    other = tmp_path / "other"
    other.mkdir()
    muninn.call("init", at=other)
    for root in (muninn.root, other):
        muninn.call("remember", at=root, text="Keep me.")
    workspace = muninn.engine.open(locate(str(muninn.root)))

    def fail(_session):
        raise MuninnError("the disk is full")

    monkeypatch.setattr(workspace.memory.log, "seal", fail)
    with pytest.raises(MuninnError, match="disk is full"):
        muninn.engine.close()
    assert len(list((other / ".muninn/memory/sessions").glob("*.jsonl"))) == 1
    assert (muninn.root / ".muninn/local/spool").exists()


def test_a_model_that_can_not_be_had_is_a_problem_and_asked_for_once(muninn, start, bundled):
    muninn.engine.close()
    (muninn.root / ".muninn" / "config.yaml").write_text("index:\n  model: other/model\n")
    asked = []

    def load(name, cache):
        asked.append(name)
        if name != BUNDLED:
            raise NotFoundError(f"the model {name} is not here", hint="Fetch it.")
        return bundled

    later = start(muninn.root, load=load)
    assert later.paths("get user name")
    for _ in range(3):
        later.call("recall", query="get user name")
    status = later.call("status")
    assert [(problem.kind, problem.hint) for problem in status.problems] == [("model", "Fetch it.")]
    assert status.index.model == BUNDLED
    assert asked.count("other/model") == 1


class Tiny:
    """A model with vectors of another length."""

    name = "tiny/model"
    dim = 8

    def embed(self, texts):
        """Return the same vector for every text."""
        return np.full((len(texts), self.dim), self.dim**-0.5, np.float32)

    def release_memory(self):
        """Hold nothing."""

    def embed_query(self, text):
        """Return that vector."""
        return self.embed([text])[0]


def test_another_model_in_the_configuration_is_used_at_once(muninn, start, bundled):
    muninn.engine.close()
    later = start(muninn.root, load=lambda name, cache: Tiny() if name == Tiny.name else bundled)
    later.call("remember", text="Users have one name.")
    assert later.paths("get user name")
    for model in (Tiny.name, BUNDLED):
        (muninn.root / ".muninn" / "config.yaml").write_text(f"index:\n  model: {model}\n")
        later.touch(".muninn/config.yaml")
        assert later.call("recall", query="get user name", kind="code").hits[0].path == "src/users.py"
        assert later.texts("names of users", kind="memory") == ["Users have one name."]
        assert later.call("status").index.model == model


def test_every_answer_says_what_it_saw(muninn):
    muninn.call("index")
    stored = muninn.call("remember", text="Users have one name.")
    sha = git(muninn.root, "rev-parse", "HEAD").strip()
    for saw in (stored.saw, muninn.call("recall", query="x").saw, muninn.call("context", query="x").saw):
        assert (saw.commit, saw.branch, saw.log) == (sha, "main", 1)
    before = muninn.call("recall", query="x").saw.index.generation
    (muninn.root / "new.py").write_text("x = 1\n")
    muninn.touch("new.py")
    after = muninn.call("recall", query="x").saw.index
    assert after.generation > before
    assert after.lag == 0


@pytest.mark.parametrize("idle", [False, True])
def test_a_restart_opens_the_index_as_it_is(muninn, start, caplog, idle):
    muninn.call("remember", text="Sessions are signed cookies.")
    muninn.call("index", wait=True)
    reader = updater_of(muninn).index.snapshot()  # as a question that is being answered
    if idle:
        muninn.engine.release_memory()  # which stores the checksums before the end
    muninn.engine.close()
    del reader  # the last reader deletes the write-ahead log
    gc.collect()
    later = start(muninn.root, clock=muninn.clock)
    assert later.texts("signed cookies", kind="memory") == ["Sessions are signed cookies."]
    assert "rebuilt" not in caplog.text


def test_the_same_question_gets_the_same_bytes_also_after_a_restart(muninn, start):
    for number in range(12):
        muninn.call("remember", text=f"Users of kind {number} have names.", importance=1 + number % 10)
    muninn.call("index")
    questions = [("recall", {"query": "user names", "limit": 20}), ("context", {"query": "user names"})]

    def answers(asked):
        found, pack = (asked.call(verb, **params) for verb, params in questions)
        return encode_json(found.hits), pack.text, encode_json(pack.items)

    first = answers(muninn)
    assert answers(muninn) == first
    muninn.engine.close()
    later = start(muninn.root, clock=muninn.clock)
    later.call("index")
    assert answers(later) == first


def test_a_pack_begins_with_pins_and_the_task(muninn):
    (muninn.root / ".metis" / "tasks").mkdir(parents=True)
    (muninn.root / ".metis" / "tasks" / "PROJ-T-0042.md").write_text("# Rename users\n\nUsers get a nickname.\n")
    muninn.call("remember", text="Never delete users.", pin=True)
    muninn.call("remember", text="A nickname is unique.", task="PROJ-T-0042")
    muninn.call("remember", text="Something about user names.")
    muninn.call("index")
    pack = muninn.call("context", query="user names", task="PROJ-T-0042", budget=2000)
    tiers = [item.tier for item in pack.items]
    assert tiers[:3] == ["pin", "task", "task"]
    assert {item.path for item in pack.items if item.tier == "task"} >= {".metis/tasks/PROJ-T-0042.md"}
    assert pack.tokens <= 2000
    details = pack.text[pack.text.index("## Pinned") :]
    assert details.index("Never delete users.") < details.index("nickname is unique")


def test_a_second_process_can_read_but_not_store(muninn, start):
    muninn.call("remember", text="Users have one name.")
    muninn.call("seal")
    other = start(muninn.root)
    with pytest.raises(ReadOnlyError, match="another process") as error:
        other.call("remember", text="Me, too.")
    assert "Stop it" in error.value.hint
    assert other.call("memories").total == 1
    assert other.texts("names of users", kind="memory") == ["Users have one name."]
    status = other.call("status")
    assert status.mode == "read-only"
    assert any("has this repository open" in problem.message for problem in status.problems)


def test_a_repository_that_takes_no_writes_can_be_read(muninn, start):
    muninn.call("remember", text="Users have one name.")
    muninn.engine.close()
    root = str(muninn.root)
    bound = subprocess.run(["mount", "--bind", root, root], capture_output=True, check=False)
    if bound.returncode != 0:
        pytest.skip("mounting needs a privilege that this user lacks")
    try:
        subprocess.run(["mount", "-o", "remount,bind,ro", root], check=True)
        reader = start(muninn.root)
        assert "src/users.py" in reader.paths("get user name")
        assert reader.texts("names of users", kind="memory") == ["Users have one name."]
        with pytest.raises(ReadOnlyError) as error:
            reader.call("remember", text="Me, too.")
        assert error.value.hint
        status = reader.call("status")
        assert (status.mode, status.index.state) == ("read-only", "ready")
        assert reader.call("brief").ids
        reader.engine.close()
    finally:
        subprocess.run(["umount", root], check=True)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_status_reports_the_process_and_the_counts(muninn):
    muninn.call("index")
    muninn.call("remember", batch=[{"text": "One."}, {"text": "Two."}])
    status = muninn.call("status")
    assert (status.mode, status.version, status.root) == ("read-write", "test", str(muninn.root))
    assert (status.log.records, status.log.memories, status.log.unsealed) == (2, 2, 2)
    assert (status.index.state, status.index.files, status.index.lag) == ("ready", 2, 0)
    assert status.index.chunks == status.index.vectors > 1
    assert 10_000_000 < status.rss_bytes < 4_000_000_000
    assert muninn.engine.idle_seconds(locate(str(muninn.root))) == 900


def test_the_first_question_of_all_waits_for_the_files(plain_repo, start, monkeypatch):
    waited_for = threading.Event()
    wait = IndexUpdater.wait_first

    def slow_walk(*given):
        waited_for.wait(PATIENCE)
        return walk(*given)

    def waiting(updater, *given):
        waited_for.set()
        return wait(updater, *given)

    monkeypatch.setattr("muninn_core.worktree.indexing.file_scan.walk", slow_walk)
    monkeypatch.setattr(IndexUpdater, "wait_first", waiting)
    muninn = start(plain_repo)
    muninn.call("init")
    found = muninn.call("recall", query="delete user", kind="code").hits
    waited_for.set()
    assert [hit.path for hit in found] == ["src/users.py"]


@pytest.mark.parametrize(
    "content", [b"[" * 5_000, b"\0" * 100, b'{"sessions": {"s-1": {"head": 7, "read:talk": "x"}}}']
)
def test_damaged_private_files_are_made_anew(plain_repo, start, content):
    first = start(plain_repo)
    first.call("init")
    first.engine.close()
    local = plain_repo / ".muninn" / "local"
    for name in ("notes.json", "accesses.json", "given.json", "upkeep.json", "redaction.json"):
        (local / name).write_bytes(content)
    muninn = start(plain_repo)
    muninn.call("remember", text="Sessions are signed cookies.", session="s-1")
    muninn.call("brief", session="s-1", source="startup")
    muninn.call("capture", session="s-1", source="commit")
    assert muninn.call("status").problems == ()
