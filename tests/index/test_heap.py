"""Settings of the C library's allocator. Each test uses a new process, because settings cannot be reverted."""

import subprocess
import sys

import pytest
from repositories import PATIENCE

COUNTED = """
import ctypes, sys, threading
from muninn_core.index.heap import share_arenas, trim

share_arenas(int(sys.argv[1]))
gate = threading.Barrier(9)
def allocate():
    kept = [bytearray(10_000) for _ in range(100)]
    gate.wait()
    gate.wait()
threads = [threading.Thread(target=allocate) for _ in range(8)]
[thread.start() for thread in threads]
gate.wait()
ctypes.CDLL(None).malloc_stats()
gate.wait()
[thread.join() for thread in threads]
trim()
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only glibc has arenas")
@pytest.mark.parametrize("most", [1, 2])
def test_threads_allocate_from_no_more_arenas_than_they_may(most):
    ran = subprocess.run(
        [sys.executable, "-c", COUNTED, str(most)], capture_output=True, text=True, check=True, timeout=PATIENCE
    )
    told = ran.stderr.count("Arena ")
    if not told:
        pytest.skip("this C library tells nothing of arenas")
    assert told == most
