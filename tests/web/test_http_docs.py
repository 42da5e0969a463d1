"""The examples of docs/http.md, run in a shell against the real API."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from http_api import Api
from repositories import MUNINN, PATIENCE

PAGE = (Path(__file__).resolve().parent.parent.parent / "docs" / "http.md").read_text()
EXAMPLES = re.findall(r"^```console\n\$ ((?:[^\n]*\\\n)*[^\n]*)\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)


def test_the_page_has_an_example_of_each_path() -> None:
    commands = " ".join(command for command, _ in EXAMPLES)
    paths = re.findall(r"^\| `(/[a-z./]+)` \|", PAGE, re.MULTILINE)
    assert paths
    assert [path for path in paths if f"7654{path}" not in commands] == []


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_the_examples_of_the_page_print_what_it_shows(api: Api) -> None:
    api.emit("begin")
    environ = {**api.environ, "PATH": f"{Path(MUNINN).parent}{os.pathsep}{api.environ['PATH']}"}
    for command, shown in EXAMPLES:
        script = command.replace("127.0.0.1:7654", f"127.0.0.1:{api.port}")
        done = subprocess.run(
            ["bash", "-c", script],
            cwd=api.repo,
            env=environ,
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE,
        )
        wanted = ".*?".join(map(re.escape, shown.strip().split("…")))
        assert re.match(wanted, done.stdout, re.DOTALL), f"{script}\n{done.stdout}{done.stderr}"
