"""The measured tree (Django's source or a tiny tree), and questions and memories made of its words.

A fixed seed gives every run the same questions and memories.
"""

from __future__ import annotations

import random
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from bench.harness.archive import unpack

PACKAGE = "django"
VERSION = "5.2"
SEED = 20

_DEFINITION = re.compile(r"^(?:    )?(?:async )?(?:class|def) ([A-Za-z][A-Za-z0-9_]{3,})", re.M)
_SENTENCE = re.compile(r'"""\s*([A-Z][^"\n]{25,110}[a-z])\.')
_WORD = re.compile(r"[A-Za-z][A-Za-z_']+")


def django(cache: Path) -> Path:
    """Return the folder of Django's unpacked sdist. The first call downloads it with pip."""
    folder = cache / f"{PACKAGE}-{VERSION}"
    if folder.is_dir():
        return folder
    cache.mkdir(parents=True, exist_ok=True)
    wanted = [f"{PACKAGE}=={VERSION}", "--no-deps", "--no-binary", ":all:", "--dest", str(cache)]
    subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", *wanted], check=True)
    archive = next(path for path in cache.glob("*.tar.gz") if path.name.lower().startswith(f"{PACKAGE}-{VERSION}"))
    unpacking = cache / "unpacking"
    shutil.rmtree(unpacking, ignore_errors=True)
    unpack(archive, unpacking)
    next(unpacking.iterdir()).rename(folder)
    unpacking.rmdir()
    return folder


def tiny(folder: Path) -> Path:
    """Write a small tree with the structure of the large one, and return its folder."""
    for number in range(60):
        package = folder / f"package{number % 5}"
        package.mkdir(parents=True, exist_ok=True)
        noun = ("session", "migration", "template", "queryset", "signal", "field")[number % 6]
        (package / f"{noun}_{number}.py").write_text(
            f'"""Handling of a {noun} and of the storage that stands behind it."""\n\n\n'
            f'class {noun.title()}Store{number}:\n    """Keep every {noun} of a project until it is asked for."""\n\n'
            f"    def load_{noun}_{number}(self, key):\n"
            f'        """Return the {noun} of a key from the storage that holds it."""\n'
            f"        return self.items[key]\n",
            "utf-8",
        )
    (folder / "README.md").write_text("# Tiny\n\nStores of sessions and of migrations.\n", "utf-8")
    return folder


def lay_out(source: Path, target: Path) -> Path:
    """Copy a tree and make it a git repository with one commit."""
    shutil.copytree(source, target, symlinks=True)
    author = ["-c", "user.name=bench", "-c", "user.email=bench@localhost", "-c", "commit.gpgsign=false"]
    for command in (
        ["init", "-q", "-b", "main"],
        ["add", "-A"],
        ["commit", "-q", "-m", "The package as it was released"],
    ):
        subprocess.run(["git", *author, *command], cwd=target, check=True, stdin=subprocess.DEVNULL)
    return target


class Corpus:
    """The words of a tree: symbols with the files that define them, and first sentences of docstrings."""

    def __init__(self, source: Path) -> None:
        self.symbols: list[tuple[str, str]] = []
        self.sentences: list[tuple[str, str]] = []
        for path in sorted(source.rglob("*.py")):
            text = path.read_text("utf-8", "replace")
            name = path.relative_to(source).as_posix()
            self.symbols += [(symbol, name) for symbol in _DEFINITION.findall(text)]
            if not name.startswith("tests/"):
                self.sentences += [(sentence, name) for sentence in _SENTENCE.findall(text)]

    def queries(self, count: int, salt: int = 0) -> list[str]:
        """Return distinct questions: a third name a symbol, a third quote a docstring, a third mix both."""
        chance = random.Random(SEED + salt)
        asked: dict[str, None] = {}
        for attempt in range(50 * count):
            if len(asked) >= count:
                break
            symbol, _ = chance.choice(self.symbols)
            sentence, _ = chance.choice(self.sentences)
            words = _WORD.findall(sentence)
            start = chance.randrange(max(1, len(words) - 6))
            phrase = " ".join(words[start : start + chance.randint(4, 8)]).lower()
            asked[(f"where is {symbol} defined", f"how does it {phrase}", f"{symbol} {phrase}")[attempt % 3]] = None
        return list(asked)[:count]

    def memories(self, count: int) -> list[dict[str, Any]]:
        """Return drafts like those of sessions: decisions, failed attempts and causes of bugs, each with files."""
        chance = random.Random(SEED)
        return [self._memory(chance) for _ in range(count)]

    def _memory(self, chance: random.Random) -> dict[str, Any]:
        symbol, path = chance.choice(self.symbols)
        other, _ = chance.choice(self.symbols)
        first, _ = chance.choice(self.sentences)
        second, _ = chance.choice(self.sentences)
        kind, text = chance.choice(
            (
                ("decision", f"{symbol} stays in {path} and does not call {other}, because {_lower(first)}."),
                ("decision", f"We keep {symbol} synchronous: {_lower(first)}, and {_lower(second)}."),
                ("attempt", f"Replacing {symbol} by {other} failed: {_lower(first)}, and its tests in {path} broke."),
                (
                    "bug_fix",
                    f"Fixed {symbol}: it did not {_lower(first)}. The cause was {other}, which {_lower(second)}.",
                ),
                ("constraint", f"{symbol} must not import {other}: {_lower(second)}."),
                ("insight", f"{symbol} in {path} is slow when {other} is called first; {_lower(first)}."),
                ("pattern", f"To {_lower(first)}, use {symbol} together with {other}. {second}."),
            )
        )
        return {
            "text": text,
            "type": kind,
            "files": [path],
            "entities": [symbol, other],
            "tags": [path.split("/")[-2] if "/" in path else "root"],
            "importance": chance.randint(2, 9),
            "confidence": round(chance.uniform(0.5, 1.0), 2),
            "session": f"bench-{chance.randrange(200)}",
        }


def _lower(sentence: str) -> str:
    return sentence[0].lower() + sentence[1:]
