"""`muninn status --watch` prints a status at once and after each change, also after a kill -9 of the daemon."""

from __future__ import annotations

import json
import signal
import subprocess
from pathlib import Path

import psutil
from interrupts import interruptible
from repositories import MUNINN, PATIENCE, daemon_pid

from muninn_core import client


def test_a_change_prints_the_status_again(repo: Path, environ: dict[str, str]) -> None:
    command = [MUNINN, "status", "--watch", "--json", "--repo", str(repo)]
    with interruptible():
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environ)
    with process:
        assert process.stdout is not None
        printed = iter(process.stdout.readline, "")
        assert json.loads(next(printed))["log"]["memories"] == 0

        def remembered(number: int) -> None:
            with client.connect(str(repo), environ) as muninn:
                muninn.call("remember", {"text": f"Berth {number} is free."})
            while json.loads(next(printed))["log"]["memories"] < number:
                pass

        remembered(1)
        pid = daemon_pid(repo, environ)
        assert pid is not None
        psutil.Process(pid).kill()
        remembered(2)
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 0
