"""The engine on a tiny real repository without a daemon, with a manual clock and seeded ids."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import fields
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from repositories import git

from muninn_core.engine.engine import Engine
from muninn_core.engine.file import file_notes, lint
from muninn_core.engine.memory.drafting import contradicted_memories
from muninn_core.engine.session import briefs, reminder_search, reminders
from muninn_core.index.embedding.embed import Embedder, load_bundled
from muninn_core.launch.repository_location import locate
from muninn_core.protocol.catalogue import decode_params, lookup
from muninn_core.worktree.call_context import CallContext
from muninn_core.worktree.citations import citations
from muninn_core.worktree.citations.overlays import Overlays
from muninn_core.worktree.history import evolution
from muninn_core.worktree.user_folders import UserFolders

PATIENCE = 60.0


class Clock:
    """A clock that tests advance."""

    def __init__(self) -> None:
        self.now = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def forward(self, **span: float) -> None:
        """Let time pass."""
        self.now += timedelta(**span)


class Muninn:
    """An engine with one work tree in mind; `call` takes parameters as a client sends them."""

    def __init__(self, root: Path, engine: Engine, clock: Clock) -> None:
        self.root = root
        self.location = locate(str(root))
        self.engine = engine
        self.clock = clock

    def ask(self, verb: str, **params: Any) -> Any:
        """Call a verb on the work tree, whose parameters may be named `at`."""
        return self.engine.call(verb, decode_params(lookup(verb), params), CallContext(location=self.location))

    def call(
        self,
        verb: str,
        at: Path | None = None,
        actor: str | None = None,
        buffers: Overlays | None = None,
        **params: Any,
    ) -> Any:
        """Call a verb on the work tree, or on another one; as an editor when it has buffers."""
        method = lookup(verb)
        call = CallContext(location=locate(str(at or self.root)), client="test", actor=actor, buffers=buffers)
        return self.engine.call(verb, decode_params(method, params), call)

    def texts(self, query: str, **params: Any) -> list[str]:
        """Return the texts of what recall finds."""
        return [hit.text for hit in self.call("recall", query=query, **params).hits]

    def paths(self, query: str, **params: Any) -> list[str]:
        """Return the paths of the code and knowledge that recall finds, once everything on disk is searchable."""
        self.call("index")
        return [hit.path for hit in self.call("recall", query=query, **params).hits if hit.kind != "memory"]

    def commit(self, message: str) -> str:
        """Seal all spools and commit everything; return the commit."""
        self.call("seal")
        git(self.root, "add", "-A")
        git(self.root, "commit", "-q", "--allow-empty", "-m", message)
        self.call("memories")
        return git(self.root, "rev-parse", "HEAD").strip()

    def touch(self, *files: str) -> None:
        """Tell the engine that files changed, as the watcher does, and wait until it has looked at them."""
        location = locate(str(self.root))
        self.engine.files_changed(location, {str(self.root / file) for file in files})
        updater = self.engine.open(location).updater
        assert updater.wait_files(updater.update_files(), PATIENCE)


@pytest.fixture(scope="session")
def bundled() -> Embedder:
    """The bundled model, loaded once for all tests."""
    return load_bundled()


@pytest.fixture
def start(tmp_path: Path, bundled: Embedder) -> Iterator[Callable[..., Muninn]]:
    """A function that opens an engine on a work tree. The engines are closed after the test."""
    with opening(tmp_path, bundled) as begin:
        yield begin


@pytest.fixture(scope="module")
def start_shared(tmp_path_factory: pytest.TempPathFactory, bundled: Embedder) -> Iterator[Callable[..., Muninn]]:
    """The same for engines that the tests of a module share. These tests change neither files, memory nor the clock."""
    with opening(tmp_path_factory.mktemp("shared"), bundled) as begin:
        yield begin


@contextmanager
def opening(folder: Path, embedder: Embedder) -> Iterator[Callable[..., Muninn]]:
    """Give a function that opens an engine on a work tree, and close the engines at the end.

    Meanwhile answers take the time that they need, so that they do not depend on the machine's load.
    """
    made: list[Engine] = []

    def begin(root: Path, *, clock: Clock | None = None, **options: Any) -> Muninn:
        counter = iter(range(1, 1_000_000))
        clock = clock or Clock()
        outside = {each.name: options.pop(each.name) for each in fields(UserFolders) if each.name in options}
        settings: dict[str, Any] = {"load": lambda name, _cache: embedder, **options}
        engine = Engine(
            version="test",
            folders=UserFolders(folder / "spare", folder / "models", **outside),
            clock=clock,
            chance=lambda size: (next(counter) << 16).to_bytes(size, "big"),
            **settings,
        )
        made.append(engine)
        return Muninn(root, engine, clock)

    with pytest.MonkeyPatch.context() as limits:
        for place, name in (
            (citations, "ANSWER_SECONDS"),
            (briefs, "CITATION_SECONDS"),
            (file_notes, "CITATION_SECONDS"),
            (lint, "CITES_SECONDS"),
            (reminders, "CITATION_SECONDS"),
            (reminder_search, "READY_SECONDS"),
            (reminder_search, "FRESH_SECONDS"),
            (reminder_search, "TURN_SECONDS"),
            (contradicted_memories, "OPEN_SECONDS"),
            (evolution, "WAIT_SECONDS"),
        ):
            limits.setattr(place, name, PATIENCE)
        try:
            yield begin
        finally:
            for engine in made:
                engine.close()


@pytest.fixture
def muninn(plain_repo: Path, start: Callable[..., Muninn]) -> Muninn:
    """An engine on an initialised repository."""
    one = start(plain_repo)
    one.call("init")
    return one


@pytest.fixture
def other(tmp_path: Path, start: Callable[..., Muninn], muninn: Muninn) -> Muninn:
    """A second repository without the first one's memory."""
    root = tmp_path / "other"
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    (root / "main.go").write_text("package main\n")
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "Begin")
    clock = type(muninn.clock)()
    clock.forward(days=30)  # chance is counted from the same number, so that time alone tells the ids apart
    one = start(root, clock=clock)
    one.call("init")
    return one
