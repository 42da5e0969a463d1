"""The skills that a work tree can use. A file is read again only when it changed.

Most folders are outside the work tree and not watched: each call compares sizes and times.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from muninn_core.index.embedding.embed import Embedder
from muninn_core.regular_file import read_regular
from muninn_core.retrieval.rankers.skills import about
from muninn_core.source.documents.skill import MAX_FILE_BYTES, Skill, SkillFile, find_skills, read_skill

Vectors = NDArray[np.float32]


class SkillCache:
    """Reads skills. `paths` returns the configured folders; `home` is the user's home."""

    def __init__(self, root: Path, home: Path | None, paths: Callable[[], tuple[str, ...]]) -> None:
        self._root = root
        self._home = home
        self._paths = paths
        self._looking = threading.Lock()
        self._read: dict[SkillFile, Skill] = {}
        self._vectors: tuple[str, dict[str, Vectors]] = ("", {})

    def skills(self) -> list[Skill]:
        """Return all skills in the order of their folders, including those that another one of the same name
        hides.
        """
        with self._looking:
            files = find_skills(self._root, self._home, self._paths())
            self._read = {file: self._read.get(file) or self._skill(file) for file in files}
            return list(self._read.values())

    def similarities(self, skills: list[Skill], embedder: Embedder, vector: Vectors | None) -> list[float]:
        """Return the cosine of each skill's description to a vector; 0 where the model has no vector for it."""
        if vector is None:
            return [0.0] * len(skills)
        with self._looking:
            name, known = self._vectors
            texts = [about(skill) for skill in skills]
            known = known if name == embedder.name else {}
            missing = sorted({text for text in texts if text not in known})
            if missing:
                known = {**known, **dict(zip(missing, embedder.embed(missing), strict=True))}
            self._vectors = (embedder.name, {text: known[text] for text in texts})
            return [max(float(known[text] @ vector), 0.0) for text in texts]

    def _skill(self, file: SkillFile) -> Skill:
        path = file.path
        if file.local:
            path = Path(path).relative_to(self._root).as_posix()
        if file.size > MAX_FILE_BYTES:
            problem = f"it has {file.size} bytes; {MAX_FILE_BYTES} are read"
            return Skill(name=_folder(path), description="", path=path, local=file.local, text="", problems=(problem,))
        try:
            text = read_regular(file.path, MAX_FILE_BYTES).decode("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            what = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
            problem = f"it can't be read: {what}"
            return Skill(name=_folder(path), description="", path=path, local=file.local, text="", problems=(problem,))
        return read_skill(path, text, local=file.local)


def _folder(path: str) -> str:
    return Path(path).parent.name
