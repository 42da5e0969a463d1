"""Unusual trees: each is indexed within bounds, and unreadable files are counted."""

from __future__ import annotations

import json
import os
import resource
import socket
import stat
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import pytest
from states import answers, content, sync, write

from muninn_core.config import IndexConfig
from muninn_core.index.embedding.embed import load_bundled
from muninn_core.index.extraction.extract import Job, extract
from muninn_core.source.files import text
from muninn_core.source.files.line_runs import MAX_CHUNK
from muninn_core.source.files.text import read_text
from muninn_core.source.listing.walk import walk

MANY = 50_000
LONG_LINE = 50_000_000


def most_resident():
    """Return the most memory in MB that this process, and any that it waited for, ever had."""
    return max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)) / 1000


@pytest.mark.slow
def test_fifty_thousand_files_are_indexed_and_the_second_look_opens_none(opened, root, tmp_path, monkeypatch):
    for folder in range(MANY // 500):
        (root / f"d{folder}").mkdir()
        for number in range(500):
            (root / f"d{folder}" / f"f{number}.py").write_text(f"sail = {folder * 500 + number}\n")
    index = opened(using=load_bundled())
    before = most_resident()
    changes = sync(index, root)
    assert (changes.indexed, changes.unread) == (MANY, {})
    assert index.snapshot().counts() == {
        "files": MANY, "chunks": MANY, "code": MANY, "knowledge": 0, "memory": 0, "unembedded": 0
    }  # fmt: skip
    tied = index.snapshot().lexical(["sail"], 10)
    assert len(tied) == 40  # ties at the limit, up to four times as many
    places = [index.snapshot().chunks([number])[number].path for number, _ in tied]
    assert places == sorted(path.relative_to(root).as_posix() for path in root.rglob("*.py"))[:40]
    assert most_resident() - before < 250  # about 90 and 1.3 for each thousand files
    monkeypatch.setattr("muninn_core.index.extraction.jobs.extract", None)
    changes = sync(index, root)
    assert (changes.indexed, changes.same, changes.removed) == (0, 0, 0)


def test_a_line_of_fifty_megabytes_is_passed_over_unread(root, monkeypatch):
    with (root / "line.js").open("w") as file:
        file.truncate(LONG_LINE)
    monkeypatch.setattr("os.read", None)
    assert read_text(root, "line.js", IndexConfig().max_file_bytes) == "too large"
    assert walk(root, IndexConfig()).skipped == {"too large": 1}


@pytest.mark.slow
def test_a_line_of_fifty_megabytes_that_is_wanted_is_cut_into_small_pieces(root):
    (root / "line.js").write_text("var a=1;" * (LONG_LINE // 8))
    (one,) = extract(Job(str(root), 2 * LONG_LINE, (("line.js", None),)), None)
    assert max(len(piece.chunk.text) for piece in one.pieces) <= MAX_CHUNK
    assert {(piece.chunk.start, piece.chunk.end) for piece in one.pieces} == {(1, 1)}
    assert sum(len(piece.chunk.text) for piece in one.pieces) == LONG_LINE


@pytest.mark.parametrize(
    "given",
    [
        "a" * 990_000,
        "(" * 990_000,
        "{[" * 400_000,
        "function f(){return f(function(){return f" * 20_000,
        "\\n" * 400_000,
        "\n" * 990_000,
        "é" * 400_000,
        "import a, " * 90_000,
        "x = [\n" + "  0x1f, 0x2e, 0x3d,\n" * 40_000 + "]\n",
        "key: &a *a\n" * 80_000,
        "# " * 400_000,
        "> " * 400_000,
        "```\n" * 200_000,
    ],
    ids=lambda text: repr(text[:8]),
)
@pytest.mark.parametrize("name", ["a.js", "a.py", "a.md", "a.c", "a.yaml", "a.unknown"])
def test_generated_files_are_cut_into_a_bounded_number_of_chunks(root, name, given):
    (root / name).write_text(given, "utf-8")
    (one,) = extract(Job(str(root), 1_000_000, ((name, None),)), None)
    assert len(one.pieces) <= len(given) / 250 + 2
    assert sum(len(piece.chunk.text) for piece in one.pieces) <= 2 * len(given)


def test_pipes_sockets_devices_and_loops_are_counted_and_never_opened(root, tmp_path):
    write(root, {"a.py": "x = 1\n"})
    os.mkfifo(root / "pipe.py")
    (root / "loop").symlink_to(root)
    (root / "self.py").symlink_to("self.py")
    (root / "gone.py").symlink_to(tmp_path / "nothing")
    others = 1
    with socket.socket(socket.AF_UNIX) as listening:
        here = os.open(root, os.O_RDONLY)  # the path may be longer than a socket's name can be
        listening.bind(f"/proc/self/fd/{here}/socket.py")
        os.close(here)
        others += 1
        try:
            os.mknod(root / "device.py", stat.S_IFCHR | 0o600, os.makedev(1, 5))  # endless zeros
            others += 1
        except PermissionError:
            pass
        found = walk(root, IndexConfig())
    assert [file.path for file in found.files] == ["a.py"]
    assert found.skipped == {"link": 3, "not a file": others}
    assert {read_text(root, name, 100) for name in ("self.py", "loop", "gone.py")} == {"unreadable"}
    assert read_text(root, "pipe.py", 100) == "not a file"


def test_folders_deeper_than_a_path_can_be_end_the_walk_there(root):
    write(root, {"a.py": "x = 1\n"})
    here = os.open(root, os.O_RDONLY)
    for _ in range(60):
        os.mkdir("d" * 100, dir_fd=here)
        inner = os.open("d" * 100, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = inner
        os.close(os.open("b.py", os.O_CREAT, dir_fd=here))
    os.close(here)
    found = walk(root, IndexConfig())
    depths = [file.path.count("/") for file in found.files if file.path.endswith("b.py")]
    assert depths[0] == 1
    assert 30 < len(depths) < 45


def test_unreadable_files_are_counted():
    with tempfile.TemporaryDirectory(prefix="muninn-odd-", dir="/tmp") as name:  # a folder that another user may enter
        folder = Path(name)
        folder.chmod(0o755)
        write(folder, {"a.py": "x = 1\n", "secret": "y = 1\n", "closed/b.py": "z = 1\n"})
        (folder / "secret").chmod(0)
        (folder / "closed").chmod(0)
        script = Path(__file__).parent / "unprivileged.py"
        done = subprocess.run([sys.executable, str(script), name], capture_output=True, text=True, check=True)
        (folder / "closed").chmod(0o700)
    assert json.loads(done.stdout) == {
        "skipped": {"unreadable": 1},
        "outcomes": {"a.py": "changed", "secret": "unreadable", "closed/b.py": "unreadable"},
    }


def test_a_file_that_is_written_to_while_it_is_read_is_read_again_at_the_next_look(opened, root, monkeypatch):
    write(root, {"a.py": "sail = 1\n"})
    read = text._read_all

    def interrupted(descriptor, size, most):
        data = read(descriptor, size, most)
        (root / "a.py").write_text("mast = 2\n")  # as long as before
        os.utime(root / "a.py", ns=(5, 5))
        return data

    index = opened()
    with monkeypatch.context() as patch:
        patch.setattr(text, "_read_all", interrupted)
        sync(index, root)
    assert sync(index, root).indexed == 1
    assert index.snapshot().lexical(["sail"], 5) == []
    assert len(index.snapshot().lexical(["mast"], 5)) == 1


def test_files_that_change_all_the_time_end_up_as_they_are(opened, root, embedder):
    index = opened()
    stop = threading.Event()

    def scribble():
        step = 0
        while not stop.is_set():
            step += 1
            name = f"{step % 5}.py"
            (root / name).write_text(f"sail = {step}\n" * (step % 700))
            if step % 3 == 0:
                (root / name).unlink()
            if step % 7 == 0:
                (root / f"new{step % 5}").write_text("mast = 1\n")
                os.replace(root / f"new{step % 5}", root / name)

    scribbler = threading.Thread(target=scribble)
    scribbler.start()
    try:
        for _ in range(25):
            sync(index, root)
    finally:
        stop.set()
        scribbler.join()
    sync(index, root)
    fresh = opened("fresh")
    sync(fresh, root)
    index.compact()
    assert content(index) == content(fresh)
    assert answers(index, embedder, ["sail", "mast"]) == answers(fresh, embedder, ["sail", "mast"])
