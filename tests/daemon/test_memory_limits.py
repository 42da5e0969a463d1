"""A daemon with little memory, or without threads, says so; what it refuses is not stored later."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from repositories import MUNINN, run_to_end, stop_daemon

from muninn_core import client
from muninn_core.errors import InternalError, StorageError
from muninn_server.session import Pools, Session, error_of

if TYPE_CHECKING:
    from engines import Muninn

pytest_plugins = ["engines"]

LIMITED = """
import os, resource, sys
resource.setrlimit(resource.RLIMIT_AS, (int(sys.argv[1]) << 20, int(sys.argv[1]) << 20))
os.execv(sys.argv[2], sys.argv[2:])
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux keeps to RLIMIT_AS")
@pytest.mark.parametrize("megabytes", [250, 600])
def test_a_daemon_with_little_memory_answers_or_reports_the_lack_and_loses_nothing(
    repo: Path, environ: dict[str, str], megabytes: int
) -> None:
    with client.connect(str(repo), environ) as muninn:
        acknowledged = list(muninn.call("remember", {"text": "Sessions live in Redis."})["ids"])
    stop_daemon(repo, environ)
    for command in (["remember", "Mail vans are yellow."], ["recall", "where do sessions live"]):
        done = run_to_end([sys.executable, "-c", LIMITED, str(megabytes), MUNINN, *command], repo, environ)
        assert "internal error" not in done.stderr
        assert "Traceback" not in done.stderr
        lacking = done.stderr.startswith("error: the index can't be updated") and "raise its limits" in done.stderr
        assert not done.returncode or lacking or done.stderr.startswith("error: the daemon ")
        acknowledged += ["Mail vans are yellow."] if not done.returncode and command[0] == "remember" else []
    stop_daemon(repo, environ)
    with client.connect(str(repo), environ) as muninn:
        assert muninn.call("memories")["total"] == len(acknowledged)


def test_a_call_that_gets_no_thread_is_refused_and_does_not_run_later(
    muninn: Muninn, monkeypatch: pytest.MonkeyPatch
) -> None:
    start = threading.Thread.start

    def refuse(thread: threading.Thread) -> None:
        if thread.name.startswith("write"):
            raise RuntimeError("can't start new thread")
        start(thread)

    pools = Pools()
    session = Session(muninn.engine, pools, muninn.location, client="test", stop=lambda: None)

    def remember(text: str) -> None:
        asyncio.run(session.call("remember", {"text": text}, lambda result: result))

    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", refuse)
        with pytest.raises(RuntimeError) as caught:
            remember("Refused.")
        refused = error_of(caught.value, "remember")
        assert isinstance(refused, StorageError)
        assert "ulimit" in refused.hint
    remember("Stored.")
    pools.close()
    assert [memory.text for memory in muninn.call("memories").memories] == ["Stored."]


def test_a_native_module_that_finds_no_memory_is_a_lack_of_memory() -> None:
    found = error_of(ImportError("onnx.so: failed to map segment from shared object"), "recall")
    assert isinstance(found, StorageError)
    assert "ulimit" in found.hint
    assert isinstance(error_of(ImportError("No module named 'onnx'"), "recall"), InternalError)


def test_a_daemon_that_a_signal_ends_while_it_starts_names_the_signal(
    repo: Path, environ: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stop_daemon(repo, environ)
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\nkill -SEGV $$\n")
    python.chmod(0o755)
    monkeypatch.setattr("muninn_core.launch.start.sys.executable", os.fspath(python))
    with pytest.raises(client.DaemonError, match="signal 11 ended it"):
        client.connect(str(repo), environ)
