"""Watches a folder in a separate process. A test stops that process to overflow the system's event queue.

Prints "ready" when it watches, then each reported path on its own line.
"""

from __future__ import annotations

import sys

from muninn_core.launch.repository_location import locate
from muninn_server.watch import Watcher


def main() -> None:
    """Watch until the input ends."""
    watcher = Watcher(locate(sys.argv[1]), lambda paths: print("\n".join(sorted(paths)), flush=True))
    watcher.start()
    print("ready", flush=True)
    sys.stdin.read()
    watcher.stop()


if __name__ == "__main__":
    main()
