"""The same state gives the same answers: compares clones, and an index that followed with one that was rebuilt.

`run(seed, count)` plays random histories of files, git and memory with real engines, and asks every reading verb of the
catalogue. It raises Different with the first difference and what reproduces it. `MACHINE_PRIVATE` is the list of what
may differ between two clones; docs/determinism.md has the same list.
"""

from __future__ import annotations

import json
import random
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from repositories import copy_plain_repo, git

from muninn_core.engine.engine import Engine
from muninn_core.errors import MuninnError
from muninn_core.index.embedding.embed import Embedder, load_bundled
from muninn_core.model.value import to_plain
from muninn_core.protocol.catalogue import METHODS
from muninn_core.worktree.user_folders import UserFolders

if TYPE_CHECKING:
    from engines import Muninn

MACHINE_PRIVATE: Mapping[str, str] = {
    "access": "how often and when a memory was found on this machine",
    "bundle": "the id of a context pack, which is stored on this machine",
    "given": "how often sessions on this machine were given a memory",
    "generation": "the number of changes of this index",
    "next": "the id of the rest of an answer, which is stored on this machine",
    "refs": "the branches and remotes of this clone",
}
"""Fields of answers that depend on the machine, and what they hold."""

UNCOMPARED = {
    "status": "the state of the process, the index and the caches",
    "metrics": "counts and times of the daemon",
    "repos.list": "the user's list and the daemons of the machine",
    "ready": "the state of the index and the journal",
    "why": "needs the id of a pack of this machine",
    "replay": "needs the id of a pack of this machine",
}
"""Reading verbs that are about the machine itself."""

_MOST_TOLD = 8

_WORDS = [
    *("session", "redis", "cookie", "token", "user", "name", "delete", "cache", "parser", "config", "index", "retry"),
    *("queue", "limit", "schema"),
]


class Different(AssertionError):
    """Two answers to the same question about the same state differ."""


def run(seed: int, count: int, steps: int = 25, log: Callable[[str], None] = lambda _line: None) -> int:
    """Play `count` histories from a seed, and return the number of compared answers. Raises Different."""
    embedder = load_bundled()
    compared = 0
    for number in range(seed, seed + count):
        with tempfile.TemporaryDirectory(prefix="mn-same-", dir="/tmp") as folder:
            try:
                compared += _History(Path(folder), number, embedder).play(steps)
            except Different as error:
                raise Different(f"seed {number}: {error}") from None
        log(f"history {number}: {compared} answers compared")
    return compared


class _History:
    """A random history of one repository; its seed makes it the same again."""

    def __init__(self, folder: Path, seed: int, embedder: Embedder) -> None:
        self.folder = folder
        self.chance = random.Random(seed)
        self.seed = seed
        from engines import Clock  # pytest rewrites it as a plugin of other modules

        self.clock = Clock()
        self.embedder = embedder
        self.root = copy_plain_repo(folder / "a" / "repo")
        self.compared = 0

    def play(self, steps: int) -> int:
        """Play the steps, and compare in the middle and at the end; return the number of compared answers."""
        with closing(self._engine("a")) as engine:
            muninn = self._muninn(engine, self.root)
            muninn.call("init")
            self._commit("Begin")
            for number in range(steps):
                self._step(muninn, number)
                if number == steps // 2:
                    self._compare_with_rebuilt(muninn)
            muninn.call("seal")
            self._commit("The end")
            muninn.touch(".git/HEAD")
            self._compare_with_rebuilt(muninn)
            self._compare_with_clone(muninn)
        return self.compared

    def _engine(self, name: str) -> Engine:
        counter = iter(range(1, 1_000_000))
        return Engine(
            version="test",
            folders=UserFolders(*(self.folder / name / kind for kind in ("spare", "models", "global"))),
            clock=self.clock,
            chance=lambda size: (next(counter) << 16).to_bytes(size, "big"),
            load=lambda _name, _cache: self.embedder,
        )

    def _muninn(self, engine: Engine, root: Path) -> Muninn:
        from engines import Muninn

        return Muninn(root, engine, self.clock)

    def _compare_with_rebuilt(self, muninn: Muninn) -> None:
        before = self._answers(muninn, muninn.root)
        muninn.call("index", rebuild=True)
        self._same(before, self._answers(muninn, muninn.root), "before and after a rebuild")

    def _compare_with_clone(self, muninn: Muninn) -> None:
        here = self._answers(muninn, muninn.root, clone=True)
        other = self.folder / "b" / "repo"
        other.parent.mkdir()
        git(self.folder, "clone", "-q", str(self.root), str(other))
        with closing(self._engine("b")) as engine:
            there = self._answers(self._muninn(engine, other), other, clone=True)
        self._same(here, there, "in two clones of one commit")

    def _same(self, one: dict[str, Any], other: dict[str, Any], where: str) -> None:
        self.compared += len(one)
        told = [
            f"{question}{difference(answer, other.get(question))}"
            for question, answer in one.items()
            if answer != other.get(question)
        ]
        if told:
            raise Different(f"{len(told)} answers differ {where}:\n" + "\n".join(told[:_MOST_TOLD]))

    # --- questions ---

    def _answers(self, muninn: Muninn, root: Path, *, clone: bool = False) -> dict[str, Any]:
        muninn.call("index", wait=True)
        muninn.call("verify")  # judges all citations; otherwise answers depend on a time limit
        found = {}
        for verb, params in _questions(muninn):
            try:
                answer = to_plain(muninn.call(verb, **params))
            except MuninnError as error:
                answer = {"error": type(error).__name__, "message": error.message}
            text = json.dumps(_public(answer, clone=clone), sort_keys=True, ensure_ascii=False)
            found[f"{verb} {json.dumps(params, sort_keys=True)}"] = json.loads(text.replace(str(root), "ROOT"))
        return found

    # --- steps ---

    def _step(self, muninn: Muninn, number: int) -> None:
        steps = (self._remember, self._remember, self._update, self._forget, self._seal, self._reconcile)
        of_files = (
            self._edit,
            self._edit,
            self._add,
            self._delete,
            self._rename,
            self._branch,
            self._switch,
            self._merge,
        )
        self.chance.choice((*steps, *of_files))(muninn, number)
        self.clock.forward(minutes=self.chance.randint(1, 3_000))
        muninn.touch(".git/HEAD")

    def _text(self) -> str:
        return " ".join(self.chance.choices(_WORDS, k=self.chance.randint(3, 12))).capitalize() + "."

    def _files(self) -> list[Path]:
        return sorted(path for path in self.root.rglob("*.py") if ".muninn" not in path.parts)

    def _remember(self, muninn: Muninn, number: int) -> None:
        path = self.chance.choice(self._files())
        place = path.relative_to(self.root).as_posix()
        more = (
            {"files": [f"{place}:1-2" if self.chance.random() < 0.5 else place]} if self.chance.random() < 0.6 else {}
        )
        kind = self.chance.choice(("decision", "constraint", "insight", "bug_fix"))
        session = self.chance.choice(("s1", "s2"))
        text = f"{self._text()} Case {number}."
        muninn.call("remember", text=text, type=kind, session=session, tags=[self.chance.choice(_WORDS)], **more)

    def _known(self, muninn: Muninn) -> str | None:
        memories = muninn.call("memories", limit=500).memories
        return self.chance.choice(memories).id if memories else None

    def _update(self, muninn: Muninn, number: int) -> None:
        known = self._known(muninn)
        if known:
            muninn.call("update", id=known, text=f"{self._text()} Version {number}.")

    def _forget(self, muninn: Muninn, number: int) -> None:
        known = self._known(muninn)
        if known:
            muninn.call("forget", id=known)

    def _seal(self, muninn: Muninn, number: int) -> None:
        muninn.call("seal")
        self._commit(f"Memory {number}")

    def _reconcile(self, muninn: Muninn, number: int) -> None:
        muninn.call("reconcile")
        self._commit(f"Reconcile {number}")

    def _edit(self, muninn: Muninn, number: int) -> None:
        path = self.chance.choice(self._files())
        lines = path.read_text("utf-8").splitlines()
        lines.insert(self.chance.randint(0, len(lines)), f"# {self._text()}")
        path.write_text("\n".join(lines) + "\n", "utf-8")

    def _add(self, muninn: Muninn, number: int) -> None:
        name = "_".join(self.chance.sample(_WORDS, 2))
        body = "\n\n".join(
            f'def {word}_{number}(value):\n    """{self._text()}"""\n    return value' for word in _WORDS[:3]
        )
        self.root.joinpath("src", f"{name}_{number}.py").write_text(f"{body}\n", "utf-8")

    def _delete(self, muninn: Muninn, number: int) -> None:
        files = self._files()
        if len(files) > 2:
            self.chance.choice(files).unlink()

    def _rename(self, muninn: Muninn, number: int) -> None:
        path = self.chance.choice(self._files())
        path.rename(path.with_name(f"renamed_{number}.py"))

    def _branch(self, muninn: Muninn, number: int) -> None:
        self._commit(f"Before branch {number}")
        git(self.root, "checkout", "-q", "-b", f"branch-{number}")

    def _branches(self) -> list[str]:
        return git(self.root, "for-each-ref", "--format=%(refname:short)", "refs/heads").split()

    def _switch(self, muninn: Muninn, number: int) -> None:
        self._commit(f"Before switching {number}")
        git(self.root, "checkout", "-q", self.chance.choice(self._branches()))

    def _merge(self, muninn: Muninn, number: int) -> None:
        self._commit(f"Before merging {number}")
        try:
            git(self.root, "merge", "-q", "--no-edit", "-X", "ours", self.chance.choice(self._branches()))
        except subprocess.CalledProcessError:  # a file was renamed or deleted on one side
            git(self.root, "merge", "--abort")

    def _commit(self, message: str) -> None:
        git(self.root, "add", "-A")
        git(self.root, "commit", "-q", "--allow-empty", "-m", message)


def _questions(muninn: Muninn) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each reading verb with parameters that make it answer from all of its sources."""
    for word in _WORDS:
        yield "recall", {"query": f"where is the {word} kept"}
    for params in (
        {"query": "session cookie in redis", "kind": "memory"},
        {"query": "user name", "kind": "code", "limit": 40},
        {"query": "sessions", "kind": "knowledge"},
        {"query": "type:decision"},
        {"query": "retry queue limit", "by_file": True},
        {"query": "chache pasrer"},
        {"query": "cache schema", "profile": "mnemosyne"},
        {"query": "token", "branches": True},
    ):
        yield "recall", params
    memories = [memory.id for memory in muninn.call("memories", limit=500, archived=True).memories]
    paths = sorted(path.relative_to(muninn.root).as_posix() for path in muninn.root.rglob("*.py"))
    for known in memories[:4]:
        yield from ((verb, {"id": known}) for verb in ("show", "history", "links", "purge"))
        yield "recall", {"like": known}
    for path in paths[:4]:
        yield from (
            ("outline", {"path": path}),
            ("read", {"path": path}),
            ("annotate", {"file": path}),
            ("about", {"file": path}),
        )
        yield from (("graph", {"start": path}), ("lint", {"path": path}), ("references", {"path": path}))
        yield from (("backlinks", {"target": path}), ("document", {"uri": f"muninn:/notes/{path}.md"}))
    given: dict[str, dict[str, Any]] = {
        "context": {"query": "move the sessions to redis", "budget": 3_000},
        "symbols": {"query": "user"},
        "grep": {"pattern": "user|token", "context": 1},
        "tree": {"depth": 5},
        "skills.match": {"task": "write tests for a parser"},
        "remind": {"prompt": "move the sessions and the token cache to redis"},
        "diff": {"range": "HEAD~1..HEAD"},
        "names": {"text": "user"},
        "render": {"path": "review"},
        "relink": {"moves": [paths[0], "src/moved.py"]} if paths else {"moves": []},
        "memories": {"limit": 500, "archived": True},
        "overview": {"days": 36_500},
    }
    asked = {
        "recall",
        "show",
        "history",
        "links",
        "purge",
        "outline",
        "read",
        "annotate",
        "about",
        "graph",
        "lint",
        "references",
    }
    asked |= {"backlinks", "document", *UNCOMPARED}
    for method in METHODS.values():
        if method.effect == "read" and method.verb not in asked:
            yield method.verb, {"wait": 0.0} if method.waits else given.get(method.verb, {})


def _public(value: Any, *, clone: bool) -> Any:
    """Return plain data without the fields that depend on the machine."""
    if isinstance(value, dict):
        return {name: _public(each, clone=clone) for name, each in value.items() if name not in MACHINE_PRIVATE}
    if isinstance(value, list | tuple):
        return [_public(each, clone=clone) for each in value]
    return value


def difference(one: Any, other: Any, path: str = "") -> str:
    """Return the place of the first difference and both values."""
    if isinstance(one, dict) and isinstance(other, dict):
        for name in sorted({*one, *other}):
            if one.get(name) != other.get(name):
                return difference(one.get(name), other.get(name), f"{path}.{name}")
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for number, (mine, theirs) in enumerate(zip(one, other, strict=True)):
            if mine != theirs:
                return difference(mine, theirs, f"{path}[{number}]")
    return f"{path}: {json.dumps(one, ensure_ascii=False)[:600]} / {json.dumps(other, ensure_ascii=False)[:600]}"
