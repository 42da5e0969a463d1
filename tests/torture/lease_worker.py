"""A client that claims leases and holds them, and kills itself with kill -9 at random moments.

`python -m torture.lease_worker ROOT LEDGER SEED` starts it. It forks a child that registers an agent and claims tasks,
kills the child, and forks the next one. While the child holds a lease it also holds a lock of the operating system on
a file of the task, which a second holder can't get. The file has the last holder's fencing token, and the time before
which its lease can't end.
"""

from __future__ import annotations

import fcntl
import os
import random
import select
import signal
import sys
import time
from pathlib import Path

from muninn_core import client
from muninn_core.errors import MuninnError
from torture.ledger import Ledger
from torture.writer import goes_on

TASKS = 6
LIFE_SECONDS = 1
"""How long an agent lives after its last call: after a kill of the daemon its leases last so long."""

HOLD_SECONDS = 0.03
KILL_SECONDS = 0.4
"""The most seconds until a child is killed: mostly since it has registered, else since its start."""

FROM_START = 0.2
"""The chance that a child is killed without a wait until it has registered."""

READY_SECONDS = 60.0


class Holder:
    """One agent on one connection."""

    def __init__(self, root: Path, ledger: Ledger, name: str, chance: random.Random) -> None:
        self._locks = root / ".git"
        self._ledger = ledger
        self._name = name
        self._chance = chance
        self._muninn = client.connect(str(root), os.environ)
        self._muninn.call("agent.register", {"name": name, "seconds": LIFE_SECONDS, "bound": True})

    def step(self) -> None:
        """Claim one or two tasks, hold them, and release them or leave that to the end of the agent."""
        tasks = self._chance.sample(range(TASKS), self._chance.choice((1, 1, 2)))
        begun = time.monotonic()
        wanted = {"tasks": [str(task) for task in tasks], "wait": self._chance.choice((0.0, 0.5))}
        try:
            leases = self._muninn.call("lease.claim", wanted)["leases"]
        except MuninnError as error:
            if error.kind in ("busy", "refused"):
                return
            raise
        if time.monotonic() < begun + LIFE_SECONDS / 2:  # else the machine was so slow that the leases may have ended
            handles = [self._hold(lease, begun + LIFE_SECONDS) for lease in leases]
            time.sleep(self._chance.uniform(0, HOLD_SECONDS))
            for handle in handles:
                os.close(handle)
        self._muninn.call("lease.release")

    def _hold(self, lease: dict[str, object], until: float) -> int:
        """Lock the file of a task and compare the tokens; closing the handle ends the lock.

        A holder whose process was suspended may be found inside after its lease has ended. Its token is then outdated,
        which is what tokens are for; before that time nobody else may have the lease.
        """
        resource, token = str(lease["resource"]), int(str(lease["token"]))
        handle = os.open(self._locks / resource.replace(":", "-"), os.O_RDWR | os.O_CREAT)
        now = time.monotonic()
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            last, end = _written(handle)
            self._ledger.write("double" if now < end else "outlived", f"{resource} {token} while {last} holds")
            return handle
        last, _ = _written(handle)
        if token <= last:
            self._ledger.write("backward", f"{resource} {token} after {last}")
        os.pwrite(handle, b"%020d %020.6f" % (token, until), 0)
        self._ledger.write("held", f"{resource} {token}")
        return handle


def _written(handle: int) -> tuple[int, float]:
    """Return the token of the last holder, and until when its lease lasts at least."""
    token, _, end = os.pread(handle, 41, 0).partition(b" ")
    return int(token or b"0"), float(end or b"0")


def hold(root: Path, ledger: Ledger, name: str, ready: int) -> None:
    """Claim and hold until the process is killed or its parent ends; register again after a failure.

    A byte is written to the pipe `ready` after each registration.
    """
    chance, number, parent = random.Random(name), 0, os.getppid()
    while os.getppid() == parent:
        number += 1
        try:
            holder = Holder(root, ledger, f"{name}-{number}", chance)
            os.write(ready, b".")
            while os.getppid() == parent:
                holder.step()
        except (MuninnError, OSError) as error:
            ledger.write("error", name, verb="lease", error=f"{type(error).__name__}: {error}")
            time.sleep(0.05)


def main() -> None:
    """Fork and kill until standard input ends."""
    root, seed = Path(sys.argv[1]), sys.argv[3]
    os.set_blocking(0, False)
    book, chance, number = Ledger(Path(sys.argv[2])), random.Random(seed), 0
    while goes_on():
        number += 1
        registered, ready = os.pipe()
        child = os.fork()
        if not child:
            try:
                hold(root, book, f"{seed}-{number}", ready)
            finally:
                os._exit(0)
        os.close(ready)
        if chance.random() >= FROM_START:  # else the kill hits the start
            select.select([sys.stdin, registered], [], [], READY_SECONDS)
        select.select([sys.stdin], [], [], chance.uniform(0.02, KILL_SECONDS))
        os.close(registered)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        book.write("killed", f"{seed}-{number}")


if __name__ == "__main__":
    main()
