"""Code that ends or holds its parser: one file of it costs no daemon, and no other file its definitions."""

from __future__ import annotations

import resource
from pathlib import Path

import pytest
from states import write

from muninn_core.index.extraction.extract import CHANGED, Job
from muninn_core.index.extraction.worker import FILE_SECONDS
from muninn_core.index.extraction.workers import WorkerPool
from muninn_core.index.index import BULK
from muninn_core.source.code.grammar import is_safe_to_parse

ROOT = Path(__file__).parent.parent.parent

BREAKS = "\n".join(" " * depth + "a:" for depth in range(400))
"""YAML whose parser writes beyond its memory, and dies of it."""

ENDLESS = "\n".join(["a<b,a<b,a<b,a<b,a<b,a<b,a<b,a<b,a<b,a<b,a<b,a<b,a<b,"] * 7_000)
"""Not C: its parser thinks for minutes about it, and can't be asked to stop."""


@pytest.mark.parametrize(
    ("name", "text"), [("broken.yaml", BREAKS), pytest.param("endless.c", ENDLESS, marks=pytest.mark.slow)]
)
def test_a_file_that_ends_its_worker_is_cut_by_lines_and_the_others_are_read(opened, root, name, text):
    write(root, {name: text, "before.py": "def one(): pass\n", "zebra.py": "def two(): pass\n"})
    index = opened()
    begun = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    changes = index.apply(root, ["before.py", name, "zebra.py"], [])
    assert (changes.indexed, changes.unread) == (3, {})
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - begun < 3 * FILE_SECONDS
    snapshot = index.snapshot()
    assert "".join(chunk.text for chunk in snapshot.chunks_of(name).values()) == text
    assert [one.name for path in ("before.py", "zebra.py") for one in snapshot.code.outline(path)] == ["one", "two"]


def test_among_many_files_it_costs_no_other_its_definitions(opened, root):
    many = {f"f{number}.py": f"def f{number}(): pass\n" for number in range(BULK)}
    write(root, {**many, "broken.yaml": BREAKS})
    index = opened()
    changes = index.apply(root, [*many, "broken.yaml"], [])
    assert (changes.indexed, changes.unread) == (BULK + 1, {})
    assert {*index.snapshot().code.names()} >= {f"f{number}" for number in range(BULK)}


def test_without_workers_ordinary_code_is_read_here_and_other_code_by_lines(root, embedder, monkeypatch):
    write(root, {"a.py": "def one(): pass\n", "broken.yaml": BREAKS})
    monkeypatch.setattr("sys.executable", "/bin/false")
    with WorkerPool(1, embedder) as crew:
        jobs = [Job(str(root), 1_000_000, ((name, None),)) for name in ("a.py", "broken.yaml")] * 40
        found = [one for part in crew.extract(jobs) for one in part]
    assert {one.outcome for one in found} == {CHANGED}
    assert [one.name for one in found[-2].syntax.definitions] == ["one"]
    assert found[-1].pieces


def test_the_code_of_this_project_and_short_texts_are_read_here():
    own = [path for folder in ("core", "cli", "tests/index") for path in (ROOT / folder).rglob("*.py")]
    small = [path for path in own if path.stat().st_size < 24_000]
    assert len(small) > 100
    assert [path.name for path in small if not is_safe_to_parse(path.read_bytes())] == []
    assert is_safe_to_parse(b"")
    assert is_safe_to_parse(b"x = 1\n")


@pytest.mark.parametrize("text", [BREAKS, ENDLESS, "- " * 400 + "a", "f(" * 90 + ")" * 90, "cat " + "<<A " * 50])
def test_hostile_files_are_not_parsed_in_this_process(text):
    assert not is_safe_to_parse(text.encode())
