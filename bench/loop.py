"""One client in a closed loop, in a process of its own: `python -m bench.loop ROOT QUERIES SECONDS`.

It says that it is ready, waits for a line, asks each question once the last is answered, and prints the latencies in
milliseconds. A latency ends when the answer has been decoded.
"""

from __future__ import annotations

import json
import os
import sys
import time

from muninn_core.client import connect


def main() -> None:
    """Run the loop."""
    root, queries, seconds = sys.argv[1], json.loads(sys.argv[2]), float(sys.argv[3])
    latencies = []
    with connect(root, os.environ, start=False, name="bench") as muninn:
        muninn.call("recall", {"query": "warm up " + str(os.getpid())})
        print("ready", flush=True)
        sys.stdin.readline()
        deadline = time.perf_counter() + seconds
        while True:
            for query in queries:
                begun = time.perf_counter()
                muninn.call("recall", {"query": query})
                now = time.perf_counter()
                latencies.append(round((now - begun) * 1000, 3))
                if seconds and now > deadline:
                    break
            if time.perf_counter() > deadline:
                break
    print(json.dumps(latencies))


if __name__ == "__main__":
    main()
