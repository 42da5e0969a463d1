"""The Python interface uses the repository's daemon if one runs, and otherwise works in this process."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest
from repositories import daemon_pid, stop_daemon

from muninn_core import client, open_repository
from muninn_core.errors import BadParams, MuninnError, NotFoundError, NotInitialised
from muninn_core.protocol.catalogue import METHODS
from muninn_core.verbs import Verbs

FACT = "Sessions expire after an hour, because the gateway drops them then."


@pytest.fixture
def quiet(plain_repo: Path, environ: dict[str, str]) -> Path:
    """A repository with memory and without a daemon."""
    with open_repository(plain_repo, environ=environ) as repository:
        repository.init()
    assert daemon_pid(plain_repo, environ) is None
    return plain_repo


def test_a_memory_is_stored_found_listed_and_forgotten_without_a_daemon(quiet: Path, environ: dict[str, str]) -> None:
    with open_repository(quiet / "src", environ=environ) as repository:
        stored = repository.remember(FACT, type="decision", files=["src/users.py"])
        assert repository.root == quiet
        assert repository.memories().memories[0].id == stored.ids[0]
        repository.index()
        hits = repository.recall("when do sessions expire", kind="memory").hits
        assert hits[0].id == stored.ids[0]
        assert any(hit.path == "src/users.py" for hit in repository.recall("get_user_name", kind="code").hits)
        assert repository.forget(stored.ids[0], reason="no longer so").memory.archived
    assert daemon_pid(quiet, environ) is None


def test_closing_a_repository_seals_its_memories(quiet: Path, environ: dict[str, str]) -> None:
    with open_repository(quiet, environ=environ) as repository:
        repository.remember(FACT)
    assert len(list((quiet / ".muninn/memory/sessions").glob("*.jsonl"))) == 1


def test_beside_a_daemon_both_see_the_same(repo: Path, environ: dict[str, str]) -> None:
    with open_repository(repo, environ=environ) as repository:
        stored = repository.remember(FACT)
        with client.connect(str(repo), environ, start=False) as muninn:
            found = muninn.call("memories")["memories"]
        assert [each["id"] for each in found] == list(stored.ids)
        assert repository.status().pid == daemon_pid(repo, environ)
        assert repository.recall("sessions expire").hits[0].id == stored.ids[0]


def test_a_daemon_that_was_stopped_is_started_again_by_the_next_call(repo: Path, environ: dict[str, str]) -> None:
    with open_repository(repo, environ=environ) as repository:
        repository.remember(FACT)
        stop_daemon(repo, environ)
        assert [memory.text for memory in repository.memories().memories] == [FACT]


def test_a_daemon_that_comes_later_can_read_and_is_refused_to_write(quiet: Path, environ: dict[str, str]) -> None:
    with open_repository(quiet, environ=environ) as repository:
        repository.remember(FACT)
        try:
            with client.connect(str(quiet), environ) as muninn:
                assert muninn.call("memories")["total"] == 1
                with pytest.raises(MuninnError, match="another process"):
                    muninn.call("remember", {"text": "This would be torn from the log."})
        finally:
            stop_daemon(quiet, environ)


@pytest.mark.parametrize("served", [True, False])
def test_errors_are_the_same_with_and_without_a_daemon(plain_repo: Path, environ: dict[str, str], served: bool) -> None:
    if served:
        with client.connect(str(plain_repo), environ):
            pass
    try:
        with open_repository(plain_repo, environ=environ) as repository:
            with pytest.raises(NotInitialised):
                repository.remember(FACT)
            repository.init()
            with pytest.raises(BadParams, match="limit"):
                repository.recall("sessions", limit=0)
            with pytest.raises(BadParams, match="no parameter 'qeury'"):
                repository.call("recall", qeury="sessions")
            with pytest.raises(NotFoundError):
                repository.forget("nothing-has-this-id")
    finally:
        stop_daemon(plain_repo, environ)


def test_a_call_after_close_is_an_error(quiet: Path, environ: dict[str, str]) -> None:
    repository = open_repository(quiet, environ=environ)
    repository.close()
    repository.close()
    with pytest.raises(MuninnError, match="was closed"):
        repository.memories()


def test_several_threads_may_store_at_once(quiet: Path, environ: dict[str, str]) -> None:
    with open_repository(quiet, environ=environ) as repository:
        work = [
            threading.Thread(target=repository.remember, args=(f"Fact number {number} of this repository.",))
            for number in range(8)
        ]
        for thread in work:
            thread.start()
        for thread in work:
            thread.join()
        assert repository.memories().total == 8


def test_every_verb_but_that_of_the_daemon_is_a_method() -> None:
    ours = {method.function for method in METHODS.values()} - {"shutdown"}
    assert ours == {name for name in dir(Verbs) if not name.startswith("_")} - {"call"}


def test_the_package_loads_nothing_until_a_repository_is_asked_for() -> None:
    code = "import sys, muninn_core; print(sorted(m for m in sys.modules if m.startswith('muninn_core')))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['muninn_core']"
