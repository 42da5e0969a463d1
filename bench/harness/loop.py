"""One closed-loop client in a separate process: `python -m bench.harness.loop ROOT QUERIES PERIOD`.

It reports readiness, waits for a line, sends each question after the previous answer, and prints the latencies in
milliseconds. A latency includes decoding the answer. With a PERIOD other than 0, questions start that many seconds
apart.
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
        first = time.perf_counter() + period * random.Random(queries[0]).random()  # desynchronises the clients
        for number, query in enumerate(queries):
            time.sleep(max(0.0, first + number * period - time.perf_counter()) if period else 0)
            begun = time.perf_counter()
            muninn.call("recall", {"query": query})
            latencies.append(round((time.perf_counter() - begun) * 1000, 3))
    print(json.dumps(latencies))


if __name__ == "__main__":
    main()
