from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]

SUITES = {
    "test_plain.py": "def test_one(worker): pass\ndef test_two(worker): pass\n",
    "test_daemon.py": "import pytest\n@pytest.mark.daemon\ndef test_one(worker): pass\ndef test_two(worker): pass\n",
    "test_first_client.py": "import pytest\n@pytest.mark.client\ndef test_one(worker): pass\n",
    "test_second_client.py": "import pytest\n@pytest.mark.client\ndef test_one(worker): pass\n",
    "test_slow.py": "import pytest\ndef test_one(worker): pass\n@pytest.mark.slow\ndef test_two(worker): pass\n",
}

CONFTEST = """
import os
import pathlib

import pytest

@pytest.fixture
def worker(request):
    name = os.environ.get("PYTEST_XDIST_WORKER", "none")
    with open("ran", "a") as file:
        file.write(f"{name} {request.path.stem} {request.function.__name__}\\n")
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Suites of each kind, whose tests write down where they ran."""
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers =\n  client: x\n  daemon: x\n  slow: x\n")
    (tmp_path / "conftest.py").write_text(CONFTEST)
    for name, text in SUITES.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def run(folder: Path, *options: str) -> list[tuple[str, str, str]]:
    """Run the suites and return the worker, module and function of each test in the order of the run."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    plugins = ["-p", "xdist", "-p", "order", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *plugins, *options],
        cwd=folder,
        env={**inherited, "PYTHONPATH": str(TESTS), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    rows = [row.split() for row in (folder / "ran").read_text().splitlines()]
    return [(worker, module, function) for worker, module, function in rows]


def test_modules_with_long_tests_come_first_and_keep_the_order_of_their_tests(folder: Path) -> None:
    assert [(module, function) for _, module, function in run(folder)] == [
        ("test_slow", "test_one"),
        ("test_slow", "test_two"),
        ("test_first_client", "test_one"),
        ("test_second_client", "test_one"),
        ("test_daemon", "test_one"),
        ("test_daemon", "test_two"),
        ("test_plain", "test_one"),
        ("test_plain", "test_two"),
    ]


def test_a_module_stays_on_one_worker(folder: Path) -> None:
    ran = run(folder, "-n", "2", "--dist", "loadfile", "--no-loadscope-reorder")
    assert len(ran) == 8
    assert all(len({worker for worker, module, _ in ran if module == each}) == 1 for _, each, _ in ran)
    assert {worker for worker, *_ in ran} == {"gw0", "gw1"}
