"""Entry point of `muninn org`: `python -I -m muninn_server.org COMMAND`."""

from __future__ import annotations

import os
import sys


def run() -> int:
    """Set up the environment as the daemon does, and run the command of this process."""
    from muninn_server.__main__ import prepare_environment

    prepare_environment()
    from muninn_core.errors import MuninnError

    try:
        from muninn_server.org.command import main
    except MuninnError as error:  # psycopg is an extra
        print(f"muninn: {error.line}", file=sys.stderr)
        return 1
    return main(sys.argv[1:], os.environ)


if __name__ == "__main__":
    sys.exit(run())
