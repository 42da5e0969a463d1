"""Prepares repositories for the questions, with memories, documents, skills and an index.

The cache folder holds each prepared repository: clone, memory and index. A recording copies it, so that
two recordings start from the same bytes. Memories are made from the repository's own commits with a fixed seed.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from bench.quality.questions import is_code
from muninn_core.engine.engine import Engine
from muninn_core.git.history import Commit
from muninn_core.git.log import CommitRange, read_log
from muninn_core.index.embedding.embed import BUNDLED, Embedder, load_embedder
from muninn_core.launch.repository_location import locate
from muninn_core.model.value import Value
from muninn_core.protocol.catalogue import decode_params, lookup
from muninn_core.worktree.call_context import CallContext
from muninn_core.worktree.user_folders import UserFolders

START = datetime(2026, 1, 1, tzinfo=UTC)
NOW = datetime(2026, 6, 1, tzinfo=UTC)
"""When the first memories are stored, and when questions are asked."""

MEMORIES = 400
BATCH = 20
"""Memories stored at one time; the clock moves on between batches."""

COMMITS = 900
"""The newest commits that memories are made from and questions are asked about."""

SIDE_BRANCH = "side"
TASKS = ("PROJ-T-0001", "PROJ-T-0002")
SESSIONS = tuple(f"answers-{number}" for number in range(12))

_SEED = 11
_TYPES = ("decision", "attempt", "bug_fix", "constraint", "insight", "pattern", "preference", "configuration")
_RELATIONS = ("extends", "references", "implements")
_SKILLS = (
    ("release", "Bump the version, update the changelog and tag a release."),
    ("parser-tests", "Fix parser errors and add tests for options and arguments."),
    ("headers", "Add support for a header or a cookie of requests and responses."),
    ("docs", "Update documentation, fix typos and links in the README."),
)
_IDENTIFIER = re.compile(r"[A-Za-z_]\w{3,}")
_AUTHOR = ("-c", "user.name=bench", "-c", "user.email=bench@localhost", "-c", "commit.gpgsign=false")
_DATE = {"GIT_AUTHOR_DATE": "2026-02-01T00:00:00Z", "GIT_COMMITTER_DATE": "2026-02-01T00:00:00Z"}


@dataclass(frozen=True)
class Fixture:
    """A prepared repository: its name, its root, and the ids of its memories and commits, the newest commits first."""

    name: str
    root: Path
    memories: tuple[str, ...]
    commits: tuple[Commit, ...]
    files: tuple[str, ...]


class Session:
    """An engine on one repository with a fixed clock and counted ids. Close it after use."""

    def __init__(self, root: Path, folder: Path, now: datetime, salt: int = 0) -> None:
        counter = itertools.count(1 + (salt << 24))
        self.now = now
        self.root = root
        self._location = locate(str(root))
        self._engine = Engine(
            version="bench",
            folders=UserFolders(folder / "spare", folder / "models", folder / "global"),
            clock=lambda: self.now,
            chance=lambda size: next(counter).to_bytes(size, "big"),
            load=lambda _name, _cache: model(),
        )

    def call(self, verb: str, **params: Any) -> Value:
        """Run a verb with plain parameters. Raises MuninnError."""
        return self._engine.call(verb, decode_params(lookup(verb), params), CallContext(location=self._location))

    def close(self) -> None:
        """Stop the engine."""
        self._engine.close()


_MODEL: list[Embedder] = []


def model() -> Embedder:
    """Return the bundled embedding model, loaded once per process."""
    if not _MODEL:
        _MODEL.append(load_embedder(BUNDLED, Path()))
    return _MODEL[0]


@contextmanager
def session(root: Path, folder: Path, now: datetime, salt: int = 0) -> Iterator[Session]:
    """Open an engine on a repository and close it at the end."""
    one = Session(root, folder, now, salt)
    try:
        yield one
    finally:
        one.close()


def prepare(mirror: Path, cache: Path, memories: int = MEMORIES) -> Fixture:
    """Return the prepared repository of a bare git directory. The first call creates it.

    Raises FileNotFoundError when the mirror is missing.
    """
    if not mirror.is_dir():
        raise FileNotFoundError(f"{mirror} is no folder: give the git directory of a repository to --repo")
    name = (mirror.parent if mirror.name in ("repo", ".git") else mirror).name
    folder = cache / f"{name}-{hashlib.sha256(f'{mirror}{memories}'.encode()).hexdigest()[:8]}"
    if not (folder / "fixture.json").exists():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        _make(mirror, folder, memories)
    told = json.loads((folder / "fixture.json").read_text("utf-8"))
    tree = folder / "tree"
    return Fixture(name, tree, tuple(told["memories"]), tuple(_commits(mirror, tree)), tuple(told["files"]))


def copy(fixture: Fixture, target: Path) -> Fixture:
    """Copy a prepared repository with its index into an empty folder."""
    shutil.copytree(fixture.root.parent, target, symlinks=True)
    return Fixture(fixture.name, target / "tree", fixture.memories, fixture.commits, fixture.files)


def _make(mirror: Path, folder: Path, count: int) -> None:
    print(f"preparing {mirror}", file=sys.stderr)
    tree = folder / "tree"
    subprocess.run(["git", "clone", "-q", "--shared", str(mirror), str(tree)], check=True)
    _git(tree, "checkout", "-q", "-B", "main")
    _write_documents(tree)
    commits = _commits(mirror, tree)
    drafts = _drafts(commits, tree, count)
    third = count // 3
    ids: list[str] = []
    with session(tree, folder, START, 1) as one:
        one.call("init")
        ids += _remember(one, drafts[:third], ids)
        one.call("seal")
    _commit(tree, "Remember")
    _git(tree, "checkout", "-q", "-b", SIDE_BRANCH)
    with session(tree, folder, START + timedelta(days=60), 2) as one:
        elsewhere = _remember(one, drafts[third : third + count // 8], ids)
        one.call("seal")
    _commit(tree, "Remember on the side")
    _git(tree, "checkout", "-q", "main")
    with session(tree, folder, START + timedelta(days=70), 3) as one:
        ids += _remember(one, drafts[third + count // 8 :], ids)
        one.call("remember", batch=[_global(number) for number in range(12)])
        _edit(tree)
        one.call("index", wait=True)
        one.call("recall", query="what is searched first")
    files = sorted(_git(tree, "ls-files").splitlines())
    told = {"memories": [*ids, *elsewhere], "files": [path for path in files if is_code(path)]}
    (folder / "fixture.json").write_text(json.dumps(told), "utf-8")


def _remember(one: Session, drafts: list[dict[str, Any]], known: list[str]) -> list[str]:
    """Store drafts in batches and return their ids. Every fourth memory links to an earlier one."""
    chance, found = random.Random(_SEED), []
    for start in range(0, len(drafts), BATCH):
        batch = drafts[start : start + BATCH]
        for number, draft in enumerate(batch):
            if number % 4 == 0 and (known or found):
                target = chance.choice([*known, *found])
                draft["links"] = [{"target": target, "relation": chance.choice(_RELATIONS)}]
        found += one.call("remember", batch=batch).ids  # type: ignore[attr-defined]
        one.now += timedelta(days=3)
    return found


def _commits(mirror: Path, tree: Path) -> list[Commit]:
    tip = _git(mirror, "rev-parse", "HEAD").strip()
    found = read_log(tree, CommitRange(tip=tip, limit=COMMITS))
    return [commit for commit in found if len(commit.parents) == 1 and 1 <= len(commit.files) <= 20]


def _drafts(commits: list[Commit], tree: Path, count: int) -> list[dict[str, Any]]:
    """Return memory drafts made of commit messages, about the files that the commits changed and that still exist."""
    chance = random.Random(_SEED)
    drafts: list[dict[str, Any]] = []
    for number in range(count):
        commit = commits[number * 2 % len(commits)]
        other = chance.choice(commits)
        files = [path for path in commit.files if (tree / path).is_file()][:4]
        names = _IDENTIFIER.findall(commit.subject)
        body = " ".join(commit.body.split())[:300]
        drafts.append(
            {
                "text": f"{commit.subject}. {body or other.subject}. Seen as case {number}.",
                "type": chance.choice(_TYPES),
                "files": [_cited(tree, path, chance) for path in files],
                "entities": names[-2:],
                "tags": [(files[0].split("/")[0] if files else "root").lower(), f"team-{number % 5}"],
                "importance": chance.randint(1, 10),
                "confidence": round(chance.uniform(0.3, 1.0), 2),
                "session": chance.choice(SESSIONS),
                "scope": "session" if number % 17 == 16 else "project",
                "pin": number % 61 == 60,
                "task": TASKS[number % 2] if number % 9 == 0 else "",
                "actor": ("user", "assistant", "tool")[number % 3],
            }
        )
    return drafts


def _cited(tree: Path, path: str, chance: random.Random) -> str:
    """Return a path, every third time with a span of lines that the memory cites."""
    length = (tree / path).read_bytes().count(b"\n")
    if length < 20 or chance.random() > 0.33:
        return path
    start = chance.randint(1, length - 10)
    return f"{path}:{start}-{start + 8}"


def _global(number: int) -> dict[str, Any]:
    topics = (
        "release",
        "parser",
        "option",
        "header",
        "test",
        "build",
        "color",
        "socket",
        "cache",
        "error",
        "log",
        "api",
    )
    return {
        "text": f"In every project the {topics[number]} is changed together with its documentation and its tests.",
        "type": "preference",
        "scope": "global",
        "importance": 3 + number % 5,
        "task": "",
    }


def _write_documents(tree: Path) -> None:
    for number, code in enumerate(TASKS):
        _write(
            tree / ".metis" / "tasks" / f"{code}.md",
            f'---\nid: task-{number}\nlevel: task\ntitle: "Faster parsing {number}"\nshort_code: "{code}"\nparent: \n'
            f'archived: false\n\ntags:\n  - "#task"\n  - "#phase/{("active", "todo")[number]}"\n\ninitiative_id: NULL\n'
            f"---\n\n# Faster parsing {number}\n\nParse options and errors without a second pass.\n",
        )
    code = sorted(path for path in _git(tree, "ls-files").splitlines() if is_code(path))
    for number, path in enumerate(random.Random(_SEED).sample(code, 8)):
        status = ("accepted", "superseded")[number % 4 == 3]
        _write(
            tree / "docs" / "adr" / f"{number + 1:04}-decision.md",
            f"# {number + 1}. How {Path(path).stem} is tested\n\n## Status\n\n{status.title()}\n\n## Decision\n\n"
            f"`{path}` is tested through its public interface.\n",
        )
    for name, purpose in _SKILLS:
        _write(
            tree / ".claude" / "skills" / name / "SKILL.md",
            f"---\nname: {name}\ndescription: {purpose}\n---\n# {name}\n\n{purpose} Step by step.\n",
        )


def _edit(tree: Path) -> None:
    """Change two files and add one, so that the work tree differs from HEAD."""
    code = sorted(path for path in _git(tree, "ls-files").splitlines() if is_code(path))
    for path in random.Random(_SEED + 1).sample(code, 2):
        with (tree / path).open("ab") as file:
            file.write(b"\n")
    _write(tree / "scratch_notes.py", "def scratch_notes():\n    return 'parse options'\n")


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


def _commit(tree: Path, message: str) -> None:
    _git(tree, "add", "-A")
    _git(tree, "commit", "-q", "-m", message)


def _git(root: Path, *arguments: str) -> str:
    return subprocess.run(
        ["git", *_AUTHOR, *arguments],
        cwd=root,
        check=True,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        env={**_environment(), **_DATE},
    ).stdout


def _environment() -> dict[str, str]:
    return {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": "/nonexistent", "LANG": "C.UTF-8"}
