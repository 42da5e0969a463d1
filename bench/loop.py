"""One client in a loop, in a process of its own: `python -m bench.loop ROOT QUERIES PERIOD`.

It says that it is ready, waits for a line, asks each question once the last is answered, and prints the latencies in
milliseconds. A latency ends when the answer has been decoded. With a PERIOD other than 0, questions begin that many
seconds apart.
"""

from __future__ import annotations

import json
import os
import random
import sys
import time

from muninn_core.client import connect


def main() -> None:
    """Run the loop."""
    root, queries, period = sys.argv[1], json.loads(sys.argv[2]), float(sys.argv[3])
    latencies = []
    with connect(root, os.environ, start=False, name="bench") as muninn:
        muninn.call("recall", {"query": "warm up " + str(os.getpid())})
        print("ready", flush=True)
        sys.stdin.readline()
        first = time.perf_counter() + period * random.Random(queries[0]).random()  # clients are not in step
        for number, query in enumerate(queries):
            time.sleep(max(0.0, first + number * period - time.perf_counter()) if period else 0)
            begun = time.perf_counter()
            muninn.call("recall", {"query": query})
            latencies.append(round((time.perf_counter() - begun) * 1000, 3))
    print(json.dumps(latencies))


if __name__ == "__main__":
    main()
