"""Runs semble for `peers.py` in another Python environment: `semble_peer.py ROOT MODEL`, then JSON lines.

That environment lacks this project, so nothing of it is imported.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile


def main() -> None:
    """Index the folder, report readiness, then answer until the input ends."""
    root, model = sys.argv[1:3]
    with tempfile.TemporaryDirectory() as home:
        os.environ["HOME"] = os.environ["XDG_CACHE_HOME"] = home  # semble stores indexes and statistics there
        os.environ["HF_HUB_OFFLINE"] = "1"
        from semble import SembleIndex

        index = SembleIndex.from_path(root, model_path=model)
        print("[]", flush=True)
        for line in sys.stdin:
            asked = json.loads(line)
            found = index.search(asked["query"], top_k=asked["limit"], alpha=asked["alpha"])
            places = [(one.chunk.file_path, one.chunk.start_line, one.chunk.end_line) for one in found]
            print(json.dumps(places), flush=True)


if __name__ == "__main__":
    main()
