"""Several small repositories in one user's folder. Each is opened by an engine of its own, as by its daemon."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from engines import Muninn, opening

from muninn_core.index.embedding.embed import Embedder

FILES = {
    "app": {"src/settings.py": 'def parse_settings(path):\n    """Read the settings of the server."""\n'},
    "billing": {"src/billing/session.py": 'def open_session(user):\n    """Keep the session of a user in Redis."""\n'},
    "shop": {"src/cart.py": 'def close_cart(user):\n    """Empty the cart at the end of the session."""\n'},
}


class User:
    """A user with repositories in `~/src`. `open` opens one, `sleep` closes all but their caches."""

    files = FILES

    def __init__(self, home: Path, begin: Callable[..., Muninn]) -> None:
        self.home = home
        self._begin = begin
        self._opened = 0

    def make(self, name: str, files: dict[str, str]) -> Path:
        """Write a repository with git and return its root."""
        root = self.home / "src" / name
        for path, text in files.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text)
        subprocess.run(["git", "init", "-q", "-b", "main", str(root)], check=True)
        return root

    def open(self, root: Path, **options: Any) -> Muninn:
        """Open a repository, initialised and indexed."""
        one = self._begin(root, home=self.home, **options)
        self._opened += 1
        one.clock.forward(seconds=self._opened)  # ids are made of time and chance, and chance is the same in all
        one.call("init")
        one.call("index")
        return one

    def settle(self, one: Muninn) -> None:
        """Wait until the index of a repository has all memories: a question does."""
        one.call("recall", query="anything")

    def sleep(self, *ones: Muninn) -> None:
        """Close the engines of some repositories, with all memories indexed."""
        for one in ones:
            self.settle(one)
            one.engine.close()


@pytest.fixture
def user(tmp_path: Path, bundled: Embedder) -> Iterator[User]:
    """A user without repositories."""
    with opening(tmp_path / "private", bundled) as begin:
        yield User(tmp_path, begin)


@pytest.fixture
def three(user: User) -> tuple[Muninn, Muninn, Muninn]:
    """Three repositories in the list of a user. The first is open, the others sleep."""
    app, billing, shop = (user.open(user.make(name, files)) for name, files in FILES.items())
    billing.call("remember", text="Sessions live in Redis since cookies overflowed at 4 KB.", type="decision")
    shop.call("remember", text="A cart is emptied by a worker, never by a request.", type="constraint")
    user.sleep(billing, shop)
    app.call("repos.scan", path=str(user.home / "src"), add=True)
    return app, billing, shop
