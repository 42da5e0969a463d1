"""The allocator of the C library, and pages of the heap. Each test uses a process: nothing can be reverted."""

import json
import subprocess
import sys
from pathlib import Path

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


JOINED = """
import json, mmap
from muninn_core.index.heap import join_pages

def pages():
    lines = open("/proc/self/smaps_rollup").read().splitlines()[1:]
    sizes = {line.split()[0]: int(line.split()[1]) for line in lines}
    return sizes["Rss:"], sizes["AnonHugePages:"]

private = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
dense, sparse = mmap.mmap(-1, 16 << 20, private), mmap.mmap(-1, 16 << 20, private)
dense.write(bytes(range(256)) * (len(dense) >> 8))
for at in range(0, len(sparse), 2 * mmap.PAGESIZE):
    sparse[at] = 7
before = pages()
join_pages()
after = pages()
same = dense[:] == bytes(range(256)) * (len(dense) >> 8) and sparse[:].count(7) == len(sparse) // (2 * mmap.PAGESIZE)
print(json.dumps([before, after, same]))
"""


@pytest.mark.skipif(not Path("/sys/kernel/mm/transparent_hugepage").is_dir(), reason="this system has no large pages")
@pytest.mark.skipif(not Path("/proc/self/smaps_rollup").is_file(), reason="this system does not tell of large pages")
def test_only_memory_that_is_in_use_throughout_is_joined_into_large_pages():
    ran = subprocess.run([sys.executable, "-c", JOINED], capture_output=True, text=True, check=True, timeout=PATIENCE)
    (resident, large), (resident_after, large_after), same = json.loads(ran.stdout)
    assert same
    if large_after == large:
        pytest.skip("this kernel does not join pages on demand")
    assert large_after - large >= 12_000  # of 16 MB, but for the ends
    assert resident_after - resident < 6_000  # of the other 16 MB every second page was in memory
