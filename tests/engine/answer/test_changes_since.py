"""Changes since a commit: the git commands that run, and the texts that are searched without git."""

from __future__ import annotations

import pytest
from repositories import git as run

from muninn_core import git
from muninn_core.worktree.citations import changes_since
from muninn_core.worktree.citations.word_search import WordSearch


@pytest.fixture
def tree(plain_repo):
    """Files that hold words in every way that matters."""
    texts = {
        "a.py": "def steps(): pass\n",
        "b.py": "up_steps = 1\nsteps2 = 2\n",
        "c.py": "steps",
        "d.py": "x = ésteps\n",
        "e.txt": "steps\n",
        "f.py": "steps\0",
        "g.py": "",
        "h.py": "xsteps steps\n",
        "cfg": "steps\n",
        "setup.cfg": "steps\n",
    }
    for name, text in texts.items():
        (plain_repo / name).write_text(text, "utf-8")
    return plain_repo


@pytest.mark.parametrize(
    "words", [["steps"], ["def steps(): pass"], ["nowhere"], ["nowhere", "up_steps"], ["(): pass"]]
)
def test_cached_texts_contain_what_git_matches_between_words(tree, words):
    held = WordSearch(tree, 1_000)
    for suffix in (".py", "cfg", ".cfg"):
        paths = [path.name for path in tree.iterdir() if path.name.endswith(suffix)]
        assert held.load(paths, (suffix,))
        assert held.files_with(words, (suffix,)) & set(paths) == {
            path for path in git.files_containing(tree, words, (suffix,)) if path in paths
        }


def test_files_that_come_later_are_searched_too_and_what_is_gone_holds_nothing(tree):
    held = WordSearch(tree, 1_000)
    assert held.load(["a.py", "gone.py"], (".py",))
    assert held.load(["a.py", "c.py"], (".py",))
    assert held.files_with(["steps"], (".py",)) == {"a.py", "c.py"}


def test_more_text_than_may_be_held_is_refused_and_git_asked_instead(tree, monkeypatch):
    assert not WordSearch(tree, 10).load(["a.py"], (".py",))
    head = run(tree, "rev-parse", "HEAD").strip()
    asked = changes_since.ChangesSince(tree, lambda: 1)
    found = asked.files_with(head, (".py",), ("steps",))
    monkeypatch.setattr(changes_since, "MAX_CACHED_BYTES", 10)
    assert (
        changes_since.ChangesSince(tree, lambda: 1).files_with(head, (".py",), ("steps",))
        == found
        == ["a.py", "c.py", "d.py", "h.py"]
    )


def test_files_are_searched_again_when_the_token_changes(tree):
    token = [1]
    asked = changes_since.ChangesSince(tree, lambda: token[0])
    assert asked.files_with("HEAD", (".py",), ("steps",)) == ["a.py", "c.py", "d.py", "h.py"]
    (tree / "b.py").write_text("steps\n")
    assert asked.files_with("HEAD", (".py",), ("steps",)) == ["a.py", "c.py", "d.py", "h.py"]
    token[0] = 2
    assert asked.files_with("HEAD", (".py",), ("steps",)) == ["a.py", "b.py", "c.py", "d.py", "h.py"]


def test_a_daemon_that_comes_to_rest_takes_no_result_from_a_question(plain_repo):
    asked = changes_since.ChangesSince(plain_repo, lambda: 1)

    class Looked(str):
        """A key whose second look-up comes after the release of memory."""

        looked = 0

        def __hash__(self):
            self.looked += 1
            if self.looked == 2:
                asked.release_memory()
            return super().__hash__()

    asked.cached("texts", lambda: "held")
    assert asked.cached(Looked("texts"), lambda: "read again") == "held"
