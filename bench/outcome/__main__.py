"""Runs the benchmark: `python -m bench outcome`."""

from __future__ import annotations

import sys

from bench.outcome.main import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
