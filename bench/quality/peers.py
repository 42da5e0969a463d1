"""Other search tools over the same copies: ripgrep, SQLite's FTS5, plain BM25, semble.

Each has its default settings. `available` returns why a tool can't run on this machine.
"""

from __future__ import annotations

import importlib.util
import json
import math
import re
import shutil
import sqlite3
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path

from bench.quality.questions import Place, is_code

LIMIT = 100
LINES = 40
"""Lines of a chunk for the arms that have no chunks of their own."""

_WORD = re.compile(r"\w+")
_K1, _B = 1.2, 0.75


class Ripgrep:
    """Files ranked by the number of distinct question words they contain, then by the number of matches."""

    name = "ripgrep, distinct words"

    @staticmethod
    def available() -> str:
        """Return why it can't run, or nothing."""
        return "" if shutil.which("rg") else "rg is not installed"

    def __init__(self, root: Path) -> None:
        self._root = root

    def ask(self, text: str) -> list[Place]:
        """Return files, best first."""
        distinct: Counter[str] = Counter()
        often: Counter[str] = Counter()
        for word in dict.fromkeys(word.lower() for word in _WORD.findall(text) if len(word) > 2):
            command = ["rg", "--no-config", "-i", "-F", "-c", "-w", "--", word, "."]
            done = subprocess.run(command, cwd=self._root, capture_output=True, text=True)
            for line in done.stdout.splitlines():
                path, _, count = line.removeprefix("./").rpartition(":")
                distinct[path] += 1
                often[path] += int(count)
        return [Place(path) for path in sorted(distinct, key=lambda path: (-distinct[path], -often[path], path))][
            :LIMIT
        ]


class PlainBM25:
    """BM25 over runs of lines, with `\\w+` as words: the baseline."""

    name = "BM25 over chunks"

    @staticmethod
    def available() -> str:
        """Return why it can't run, or nothing."""
        return ""

    def __init__(self, root: Path) -> None:
        self._places: list[Place] = []
        self._lengths: list[int] = []
        self._postings: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for place, text in _pieces(root):
            words = Counter(word.lower() for word in _WORD.findall(text))
            for word, count in words.items():
                self._postings[word].append((len(self._places), count))
            self._places.append(place)
            self._lengths.append(sum(words.values()))

    def ask(self, text: str) -> list[Place]:
        """Return chunks, best first."""
        total, mean = len(self._places), sum(self._lengths) / max(1, len(self._lengths))
        scores: dict[int, float] = defaultdict(float)
        for word in dict.fromkeys(word.lower() for word in _WORD.findall(text)):
            hits = self._postings.get(word, ())
            rarity = math.log(1 + (total - len(hits) + 0.5) / (len(hits) + 0.5))
            for number, count in hits:
                norm = _K1 * (1 - _B + _B * self._lengths[number] / mean)
                scores[number] += rarity * count * (_K1 + 1) / (count + norm)
        return [self._places[number] for number in sorted(scores, key=lambda number: (-scores[number], number))][:LIMIT]


class FTS5:
    """SQLite's full-text index over the same runs of lines, ranked by its bm25()."""

    name = "SQLite FTS5"

    @staticmethod
    def available() -> str:
        """Return why it can't run, or nothing."""
        return ""

    def __init__(self, root: Path) -> None:
        self._base = sqlite3.connect(":memory:")
        self._base.execute(
            "CREATE VIRTUAL TABLE chunks USING fts5(text, path UNINDEXED, first UNINDEXED, last UNINDEXED)"
        )
        rows = ((text, place.path, place.start, place.end) for place, text in _pieces(root))
        self._base.executemany("INSERT INTO chunks VALUES(?, ?, ?, ?)", rows)

    def ask(self, text: str) -> list[Place]:
        """Return chunks, best first."""
        words = " OR ".join(f'"{word}"' for word in dict.fromkeys(_WORD.findall(text)))
        asked = "SELECT path, first, last FROM chunks WHERE chunks MATCH ? ORDER BY bm25(chunks), rowid LIMIT ?"
        return [Place(*row) for row in self._base.execute(asked, (words, LIMIT))]


class Semble:
    """semble in a separate process, without a model (words and re-ranking) or with Muninn's: its package has none.

    `PYTHON` is the interpreter in which it is installed.
    """

    name = "semble, words"
    alpha: float | None = 0.0
    PYTHON = sys.executable

    @classmethod
    def available(cls) -> str:
        """Return why it can't run, or nothing."""
        if sys.executable == cls.PYTHON:
            return "" if importlib.util.find_spec("semble") else "semble is not installed; --semble names its Python"
        return "" if Path(cls.PYTHON).exists() else f"{cls.PYTHON} is not there"

    def __init__(self, root: Path) -> None:
        script = Path(__file__).with_name("semble_peer.py")
        model = Path(importlib.util.find_spec("muninn_core").origin or "").parent / "index" / "model"  # type: ignore[union-attr]
        self._process = subprocess.Popen(
            [self.PYTHON, str(script), str(root), str(model)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self._call()

    def ask(self, text: str) -> list[Place]:
        """Return chunks, best first."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"query": text, "limit": LIMIT, "alpha": self.alpha}) + "\n")
        self._process.stdin.flush()
        return [Place(*found) for found in self._call()]

    def close(self) -> None:
        """End the process."""
        self._process.communicate()

    def _call(self) -> list[list[object]]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError("semble ended without an answer")
        found: list[list[object]] = json.loads(line)
        return found


class SembleWithTable(Semble):
    """semble with Muninn's table of token vectors as its model."""

    name = "semble, our table"
    alpha = None


PEERS = (Ripgrep, PlainBM25, FTS5, Semble, SembleWithTable)


def _pieces(root: Path) -> list[tuple[Place, str]]:
    """Return the runs of lines of every code file, sorted by path."""
    found = []
    for file in sorted(root.rglob("*")):
        path = file.relative_to(root).as_posix()
        if not file.is_file() or not is_code(path) or file.stat().st_size > 1_000_000:
            continue
        lines = file.read_text("utf-8", "replace").splitlines()
        for first in range(0, len(lines), LINES):
            part = lines[first : first + LINES]
            found.append((Place(path, first + 1, first + len(part)), "\n".join(part)))
    return found
