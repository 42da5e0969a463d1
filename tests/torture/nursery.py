"""Daemons and clients by fork, from a process that has loaded everything: they start in milliseconds, not in a second.

A forked process runs the same `main` as one that the interpreter starts, and dies of the same kill -9. One daemon in
fifty is still started as a client does it, so that kills meet the interpreter's start as well.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import random
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NoReturn

from muninn_core.git import batch, run
from muninn_core.launch import start
from muninn_core.launch.repository_location import RepositoryLocation
from muninn_core.launch.runtime import Address
from muninn_server.client_connections import PROTOCOLS
from torture.campaign import PATIENCE, Site, site
from torture.engine import warm

REAL = 0.02
"""How many of the daemons are started by the interpreter."""

DAEMON = "muninn_server.__main__"
CLIENTS = ("torture.writer", "torture.event_writer", "torture.lease_worker")
_ADDRESS = "TORTURE_NURSERY"


class Child:
    """A forked process: what callers use of `subprocess.Popen`."""

    def __init__(self, address: str, pid: int) -> None:
        self._address = address
        self.pid = pid
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """Return the exit status, negative for a signal; None while the process runs."""
        if self.returncode is None:
            self.returncode = _ask(self._address, {"do": "poll", "pid": self.pid})
        return self.returncode

    def wait(self, timeout: float) -> int:
        """Wait for the end. Raises subprocess.TimeoutExpired."""
        end = time.monotonic() + timeout
        while (status := self.poll()) is None:
            if time.monotonic() > end:
                raise subprocess.TimeoutExpired(str(self.pid), timeout)
            time.sleep(0.005)
        return status

    def kill(self) -> None:
        """Send kill -9, and wait until the process is gone."""
        if self.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)
            self.wait(start.START_SECONDS)


class Nursery:
    """The process that forks. It ends with the one that made it."""

    def __init__(self, place: Site) -> None:
        self.address = str(place.folder / "socket")
        self._daemons = place.folder / "daemons"
        self._daemons.mkdir()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "torture.nursery", self.address, str(self._daemons)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**place.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "OPENBLAS_NUM_THREADS": "1"},
        )
        assert self._process.stdout
        assert self._process.stdout.readline() == b"ready\n"

    def environ(self, environ: Mapping[str, str]) -> dict[str, str]:
        """Return an environment whose clients start daemons here."""
        return {**environ, _ADDRESS: self.address}

    def client(self, program: str, arguments: list[str], environ: Mapping[str, str], stdin: Path) -> Child:
        """Fork a client. Its standard input is a named pipe."""
        asked = {"program": program, "arguments": arguments, "environ": dict(environ), "stdin": str(stdin)}
        return Child(self.address, _ask(self.address, {"do": "fork", **asked, "output": os.devnull}))

    def daemons(self, root: Path) -> list[int]:
        """Return the forked daemons of a repository, also those that are still starting."""
        return [int(path.name) for path in self._daemons.iterdir() if _content(path) == str(root)]

    def close(self) -> None:
        """End it."""
        self._process.communicate()


def _content(path: Path) -> str:
    try:
        return path.read_text()
    except FileNotFoundError:
        return ""


def _ask(address: str, question: dict[str, Any]) -> Any:
    with socket.socket(socket.AF_UNIX) as sock:
        sock.connect(address)
        sock.sendall(json.dumps(question).encode() + b"\n")
        with sock.makefile("rb") as stream:
            return json.loads(stream.readline())


_spawn = start.spawn


def _spawn_daemon(location: RepositoryLocation, address: Address, environ: Mapping[str, str]) -> Any:
    """Start a daemon: in the place of `start.spawn`, in a forked client and in the driver of a part."""
    nursery = environ.get(_ADDRESS)
    if nursery is None or random.random() < REAL:
        return _spawn(location, address, environ)
    question = {
        "do": "fork",
        "program": DAEMON,
        "arguments": ["--root", location.root],
        "environ": start.daemon_environment(environ),
        "stdin": os.devnull,
        "output": address.log,
    }
    return Child(nursery, _ask(nursery, question))


@contextlib.contextmanager
def nursery() -> Iterator[Nursery]:
    """Give a nursery. Meanwhile this process starts daemons with it, if their environment is one of `environ`."""
    with site("nursery") as place:
        made = Nursery(place)
        start.spawn = _spawn_daemon
        try:
            yield made
        finally:
            start.spawn = _spawn
            made.close()


# --- the process that forks ---


def _preload() -> None:
    """Load what a daemon and its clients load while they run, and let them wait for git as long as for each other."""
    run._TIMEOUT_SECONDS = batch._TIMEOUT_SECONDS = PATIENCE
    for name in (DAEMON, *CLIENTS, *PROTOCOLS.values()):
        importlib.import_module(name)
    warm()


class _Forker:
    """Answers questions: fork a process, and how one ended."""

    def __init__(self, address: str, daemons: Path) -> None:
        self._daemons = daemons
        self._ended: dict[int, int] = {}
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.bind(address)
        self._socket.listen(256)

    def serve(self) -> None:
        """Answer until the standard input ends."""
        woken, wakes = os.pipe()
        os.set_blocking(wakes, False)
        os.set_blocking(woken, False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(wakes, warn_on_full_buffer=False)
        while True:
            ready, _, _ = select.select([self._socket, woken, 0], [], [])
            self._reap()
            if 0 in ready:
                return
            if woken in ready:
                os.read(woken, 4096)
            if self._socket in ready:
                self._answer()

    def _reap(self) -> None:
        with contextlib.suppress(ChildProcessError):
            while (ended := os.waitpid(-1, os.WNOHANG))[0]:
                self._ended[ended[0]] = os.waitstatus_to_exitcode(ended[1])
                (self._daemons / str(ended[0])).unlink(missing_ok=True)

    def _answer(self) -> None:
        sock, _ = self._socket.accept()
        with sock, sock.makefile("rwb") as stream, contextlib.suppress(OSError, ValueError):  # it may have been killed
            question = json.loads(stream.readline())
            answer = self._fork(question) if question["do"] == "fork" else self._ended.get(question["pid"])
            stream.write(json.dumps(answer).encode() + b"\n")

    def _fork(self, question: dict[str, Any]) -> int:
        pid = os.fork()
        if pid == 0:
            self._become(question)
        self._ended.pop(pid, None)
        if question["program"] == DAEMON:
            (self._daemons / str(pid)).write_text(question["arguments"][-1])
        return pid

    def _become(self, question: dict[str, Any]) -> NoReturn:
        """Be the process that is asked for."""
        code = 1
        try:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            os.setsid()
            stdin = os.open(question["stdin"], os.O_RDONLY | os.O_NONBLOCK)
            output = os.open(question["output"], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            os.dup2(stdin, 0)
            os.dup2(output, 1)
            os.dup2(output, 2)
            os.closerange(3, 64)
            os.chdir("/")
            os.environ.clear()
            os.environ.update(question["environ"])
            random.seed()
            if question["program"] != DAEMON:
                start.spawn = _spawn_daemon
            sys.argv = [question["program"], *question["arguments"]]
            code = sys.modules[question["program"]].main() or 0
        except BaseException:
            import traceback

            traceback.print_exc()
        finally:
            os._exit(code)


def main() -> None:
    """Load everything, then fork: `python -m torture.nursery ADDRESS DAEMONS`."""
    import torture.nursery as this  # the module that clients import, not __main__

    _preload()
    forker = this._Forker(sys.argv[1], Path(sys.argv[2]))
    print("ready", flush=True)
    forker.serve()


if __name__ == "__main__":
    main()
