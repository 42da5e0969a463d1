"""Division of files into jobs for workers, and extraction of a few files without them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from muninn_core.index.extraction.extract import RISKY, Extracted, Job, extract
from muninn_core.index.extraction.workers import WorkerPool
from muninn_core.source.code.grammar import SAFE_BYTES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from muninn_core.index.embedding.embed import Embedder

_JOB_FILES = 64
_JOB_BYTES = 500_000


def jobs_of(root: Path, paths: Sequence[str], most: int, known: Mapping[str, bytes]) -> Iterator[Job]:
    """Divide the files into jobs of about equal size."""
    files: list[tuple[str, bytes | None]] = []
    size = 0
    for path in paths:
        try:
            size += (root / path).stat().st_size
        except OSError:
            pass  # deleted meanwhile: the worker reports it
        files.append((path, known.get(path)))
        if len(files) >= _JOB_FILES or size >= _JOB_BYTES:
            yield Job(str(root), most, tuple(files))
            files, size = [], 0
    if files:
        yield Job(str(root), most, tuple(files))


def extract_here(job: Job, embedder: Embedder) -> list[Extracted]:
    """Extract a few files in this process; a worker gets those whose parser might crash or hang.

    Loading a worker takes as long as extracting the files of a small repository, so both begin together when a
    new file is so large that it is one of these.
    """
    with WorkerPool(1, embedder) as pool:
        if any(known is None and _size(job.root, path) > SAFE_BYTES for path, known in job.files):
            pool.start()
        found = extract(job, embedder)
        risky = {one.path for one in found if one.outcome == RISKY}
        if not risky:
            return found
        left = tuple(file for file in job.files if file[0] in risky)
        others = {one.path: one for part in pool.extract([Job(job.root, job.most, left)]) for one in part}
    return [others.get(one.path, one) for one in found]


def _size(root: str, path: str) -> int:
    """Return the size of a file in bytes, 0 for one that can't be read: extracting it reports that."""
    try:
        return os.stat(f"{root}/{path}").st_size  # noqa: PTH116 (hot)
    except OSError:
        return 0
