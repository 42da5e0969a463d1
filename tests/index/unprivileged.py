"""Walks and reads a folder as a user who is not its owner when a superuser runs it; prints what came of it as JSON."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from muninn_core.config import IndexConfig
from muninn_core.index.extract import Job, extract
from muninn_core.source.walk import walk

NOBODY = 65_534


def main() -> None:
    """Drop what a superuser may, after all modules have been loaded, and look."""
    root = Path(sys.argv[1])
    files = (("a.py", None), ("secret", None), ("closed/b.py", None))
    extract(Job(str(root), 1000, files[:1]), None)
    if os.geteuid() == 0:
        os.seteuid(NOBODY)
    skipped = walk(root, IndexConfig()).skipped
    outcomes = {one.path: one.outcome for one in extract(Job(str(root), 1000, files), None)}
    print(json.dumps({"skipped": skipped, "outcomes": outcomes}))


if __name__ == "__main__":
    main()
