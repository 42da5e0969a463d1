"""The index after a kill -9 at every point of a change: either whole or made whole, never in between."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from states import answers, content, sync, write

from muninn_core.index.manifest.memory_text import MemoryText

CHILD = """
import os, signal, sys
from pathlib import Path
sys.path.insert(0, {tests!r})
from fakes import FakeEmbedder
from muninn_core.index import writer
from muninn_core.index.words import writer as words_writer
from muninn_core.index.manifest import manifest
from muninn_core.index.opening import open_index

def die(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)

root, cache, point = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
index = open_index(cache, FakeEmbedder())
if point == "rows written, nothing committed":
    manifest.Manifest.next_generation = die
elif point == "manifest committed, no word written":
    words_writer.Lexical.delete = die
elif point == "words written, not committed":
    words_writer.Lexical.commit = die
elif point == "words committed, journal full":
    manifest.Manifest.end_change = die
elif point == "all committed, nothing published":
    writer.Writer._publish = die
print("ready", flush=True)
index.apply(root, ["a.py", "new.py"], ["gone.py"])
"""

POINTS = [
    "rows written, nothing committed",
    "manifest committed, no word written",
    "words written, not committed",
    "words committed, journal full",
    "all committed, nothing published",
]


@pytest.mark.parametrize("point", POINTS)
def test_a_kill_in_the_middle_of_a_change_is_healed_by_opening(opened, root, tmp_path, embedder, point):
    write(root, {"a.py": "session = 1\n", "gone.py": "ledger = 1\n", "stays.py": "cursor = 1\n"})
    index = opened()
    sync(index, root)
    index.put_memories([MemoryText("m1", "a session memory")])
    index.close()
    write(root, {"a.py": "socket = 22\n", "new.py": "widget = 1\n"})
    (root / "gone.py").unlink()
    code = CHILD.format(tests=str(Path(__file__).parent))
    child = subprocess.run(
        [sys.executable, "-c", code, str(root), str(tmp_path / "cache"), point], capture_output=True, check=False
    )
    assert child.stdout == b"ready\n", child.stderr.decode()
    assert child.returncode == -signal.SIGKILL
    healed = opened()
    queries = ["session", "ledger", "cursor", "socket", "widget"]
    # Words, vectors and rows agree with one another even before the tree is looked at again.
    assert _paths_by_words(healed, queries) == set(healed.snapshot().files())
    sync(healed, root)
    healed.compact()
    fresh = opened("fresh")
    sync(fresh, root)
    fresh.put_memories([MemoryText("m1", "a session memory")])
    assert content(healed) == content(fresh)
    assert answers(healed, embedder, queries) == answers(fresh, embedder, queries)


def test_workers_leave_when_their_parent_is_killed(tmp_path):
    code = (
        "import sys, os\n"
        "from muninn_core.index.extraction.workers import WorkerPool\n"
        "from muninn_core.index.extraction.extract import Job\n"
        "crew = WorkerPool(1, None)\n"
        "list(crew.extract([Job(sys.argv[1], 1000, (('a.py', None),))]))\n"
        "print(crew._workers[0].pid, flush=True)\n"
        "sys.stdin.read()\n"
    )
    (tmp_path / "a.py").write_text("x = 1\n")
    with subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as parent:
        worker = int(parent.stdout.readline())
        descriptor = os.pidfd_open(worker)
        parent.kill()
    import select

    assert select.select([descriptor], [], [], 20)[0], "the worker is still there"
    os.close(descriptor)


def _paths_by_words(index, queries):
    snapshot = index.snapshot()
    hits = [hit for query in queries for hit in snapshot.lexical([query], 50)]
    rows = snapshot.chunks([number for number, _ in hits])
    assert len(rows) == len({number for number, _ in hits})
    assert snapshot.counts()["unembedded"] == 0
    return {row.path for row in rows.values() if row.kind != "memory"}
