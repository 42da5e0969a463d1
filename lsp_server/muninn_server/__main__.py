"""Entry point of the daemon process: `python -I -m muninn_server --root DIR [--fd N]`.

It is started by clients, never by hand; it cleans the environment before anything reads it.
"""

from __future__ import annotations

import gc
import os
import sys

SWITCH_SECONDS = 0.0005
"""How long a thread computes before another may. A request gives the interpreter up whenever it asks an index or the
disk, and with Python's 5 ms it would wait as long as whole requests take to get it back."""

COLLECT_AFTER = (50_000, 20, 20)
"""When Python looks for cycles: a question makes thousands of values and no cycle. With the default of 700, looking
through them took about a twentieth of its time."""

ARENAS = 2
"""Of the C library's heap. With one a thread, 20 MB that were freed lay between what is used; the libraries that leave
the interpreter's lock to others allocate too little for threads to wait for each other here."""


def main() -> int:
    """Run the daemon until it is told to stop or nobody needs it. Returns the exit status."""
    prepare_environment()
    sys.setswitchinterval(SWITCH_SECONDS)
    gc.set_threshold(*COLLECT_AFTER)
    import argparse

    from muninn_core.index.heap import share_arenas

    share_arenas(ARENAS)
    parser = argparse.ArgumentParser(prog="muninn_server", description="The daemon of one repository.")
    parser.add_argument("--root", required=True, help="a work tree of the repository")
    parser.add_argument("--fd", type=int, default=-1, help="serve this one connected socket, then leave")
    arguments = parser.parse_args()
    from muninn_core.errors import MuninnError
    from muninn_server.daemon import run

    try:
        return run(arguments.root, arguments.fd, os.environ)
    except MuninnError as error:
        print(f"muninn: {error.line}", file=sys.stderr)
        return 1


def prepare_environment() -> None:
    """Set what libraries read when they are loaded, and drop what a git hook leaves in the environment."""
    # One thread each: on small machines the numeric libraries' own pools cost more than they give.
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(name, "1")
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        del os.environ[name]


if __name__ == "__main__":
    sys.exit(main())
