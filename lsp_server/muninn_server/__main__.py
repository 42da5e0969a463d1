"""Entry point of the daemon process: `python -I -m muninn_server --root DIR [--fd N]`.

Clients start it. It sets up the environment before other modules read it.
"""

from __future__ import annotations

import gc
import os
import sys

SWITCH_SECONDS = 0.0005
"""The interpreter's switch interval. A request releases the interpreter at each access to an index or the disk. With
Python's default of 5 ms, waiting to get it back takes as long as a whole request."""

COLLECT_AFTER = (50_000, 20, 20)
"""The garbage collector's thresholds. A query creates thousands of values and no cycle. With the default of 700,
collection took about 5 % of its time."""

ARENAS = 2
"""Arenas of the C library's heap. With one per thread, 20 MB of freed memory were lost to fragmentation. Libraries that
release the interpreter's lock allocate too little for threads to contend here."""


def main() -> int:
    """Run the daemon until it is stopped or idle. Returns the exit status."""
    prepare_environment()
    umask = os.umask(0o077)  # the index's libraries create files without naming a mode
    sys.setswitchinterval(SWITCH_SECONDS)
    gc.set_threshold(*COLLECT_AFTER)
    import argparse
    import traceback

    from muninn_core.index.heap import share_arenas

    share_arenas(ARENAS)
    parser = argparse.ArgumentParser(prog="muninn_server", description="The daemon of one repository.")
    parser.add_argument("--root", required=True, help="a work tree of the repository")
    parser.add_argument("--fd", type=int, default=-1, help="serve this one connected socket, then leave")
    arguments = parser.parse_args()
    from muninn_core.errors import MuninnError
    from muninn_core.store.files.disk import set_tracked_umask
    from muninn_server.daemon import run
    from muninn_server.file_descriptors import raise_limit

    raise_limit()

    set_tracked_umask(umask)

    try:
        return run(arguments.root, arguments.fd, os.environ)
    except MuninnError as error:
        reason = error.line
    except OSError as error:  # for example too many open files
        traceback.print_exc()
        reason = str(error)
    # The last line, which clients show. Objects that an error left half made report themselves before.
    print(f"muninn: {reason}", file=sys.stderr)
    return 1


def prepare_environment() -> None:
    """Set the variables that libraries read when they load, and drop those that a git hook sets."""
    # One thread each: on small machines the numeric libraries' own pools cost more than they give.
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(name, "1")
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        del os.environ[name]


if __name__ == "__main__":
    sys.exit(main())
