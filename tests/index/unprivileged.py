"""Walks and reads a folder as an unprivileged user who does not own it; prints the result as JSON."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from muninn_core.config import IndexConfig
from muninn_core.index.extraction.extract import Job, extract
from muninn_core.source.listing.walk import walk

NOBODY = 65_534


def main() -> None:
    """Drop privileges after all modules have been loaded, then walk the folder."""
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
