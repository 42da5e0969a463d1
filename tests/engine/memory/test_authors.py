"""Who wrote a memory: the name in git's configuration, and for older records the author of the commit."""

from __future__ import annotations

import json

import pytest
from repositories import git

pytest_plugins = ["engines"]

FACT = "Users are stored in a dictionary."


def remember(muninn, **params):
    return muninn.call("remember", text=FACT, type="decision", **params).memory


def line_of(muninn):
    (segment,) = (muninn.root / ".muninn/memory/sessions").glob("*.jsonl")
    return json.loads(segment.read_text().splitlines()[0])


@pytest.mark.parametrize(("setting", "author"), [("name", "Test"), ("email", "Test <test@localhost>"), ("none", "")])
def test_a_memory_has_the_author_that_git_names_in_the_configured_form(muninn, setting, author):
    git(muninn.root, "config", "user.email", "test@localhost")
    (muninn.root / ".muninn/config.yaml").write_text(f"memory:\n  author: {setting}\n")
    muninn.touch(".muninn/config.yaml")
    assert remember(muninn).author == author
    muninn.call("seal")
    assert line_of(muninn).get("author", "") == author


def test_the_author_follows_the_configuration_of_git(muninn):
    assert remember(muninn).author == "Test"
    git(muninn.root, "config", "author.name", "Ada\tL.\x1b[31m")
    assert muninn.call("remember", text="Another fact about the users.").memory.author == "Ada L. [31m"


def test_changes_name_their_author_too(muninn):
    memory = remember(muninn)
    git(muninn.root, "config", "user.name", "Bo")
    muninn.call("forget", id=memory.id)
    assert [event.author for event in muninn.call("history", id=memory.id).events] == ["Test", "Bo"]


def test_an_agent_writes_for_a_person(muninn):
    memory = remember(muninn, actor="assistant", agent="claude-code")
    shown = muninn.call("document", uri=f"muninn:/memory/{memory.id}.md").text
    assert "decision · in force · claude-code for Test, just now" in shown


def test_hover_page_and_brief_say_who_and_when(muninn):
    memory = remember(muninn, files=["src/users.py"], importance=9)
    muninn.clock.forward(days=3)
    assert "Test, 3 days ago" in muninn.call("about", file="src/users.py", line=0).text
    assert "Test, 3 days ago" in muninn.call("document", uri=f"muninn:/memory/{memory.id}.md").text
    assert f" (decision, Test, 3 days ago; src/users.py) `{memory.id[-8:]}`\n" in muninn.call("brief").text
    (hit,) = muninn.call("recall", query="where are users stored", kind="memory").hits
    assert (hit.author, hit.ts) == ("Test", memory.ts)


def test_memories_can_be_asked_for_by_the_name_of_their_author(muninn):
    remember(muninn)
    git(muninn.root, "config", "user.name", "Bo")
    muninn.call("remember", text="Users are never deleted.", type="decision")
    assert muninn.texts("users author:bo") == ["Users are never deleted."]


def test_an_older_record_has_the_author_of_the_commit_that_added_it(muninn):
    """The record moves into main.jsonl in a commit of another author, and still has its first one."""
    (muninn.root / ".muninn/config.yaml").write_text("memory:\n  author: none\n")
    muninn.touch(".muninn/config.yaml")
    memory = remember(muninn, files=["src/users.py"])
    muninn.call("seal")
    git(muninn.root, "add", ".muninn")
    git(muninn.root, "commit", "-q", "-m", "One", "--author", "Ada <ada@example.org>")
    assert muninn.call("show", id=memory.id).memory.author == "Ada"
    muninn.call("reconcile")
    second = muninn.call("remember", text="Users are never deleted.").memory
    muninn.call("seal")
    git(muninn.root, "add", ".muninn")
    git(muninn.root, "commit", "-q", "-m", "Two", "--author", "Bo <bo@example.org>")
    assert muninn.call("show", id=memory.id).memory.author == "Ada"
    assert muninn.call("history", id=second.id).memory.author == "Bo"
    assert "Ada, just now" in muninn.call("about", file="src/users.py", line=0).text
    assert [each.author for each in muninn.call("memories").memories] == ["Bo", "Ada"]
    assert [each.author for each in muninn.call("overview").recent] == ["Bo", "Ada"]
    assert [each.author for each in muninn.call("recall", query="users never deleted").remembered][:1] == ["Bo"]
    assert "Bo, just now" in muninn.call("brief").text


def test_a_shallow_clone_names_no_author_because_its_oldest_commit_adds_everything(muninn, start, tmp_path):
    (muninn.root / ".muninn/config.yaml").write_text("memory:\n  author: none\n")
    muninn.touch(".muninn/config.yaml")
    memory = remember(muninn)
    muninn.call("seal")
    git(muninn.root, "add", ".muninn")
    git(muninn.root, "commit", "-q", "-m", "One", "--author", "Ada <ada@example.org>")
    git(muninn.root, "commit", "-q", "--allow-empty", "-m", "Two", "--author", "Bo <bo@example.org>")
    git(muninn.root, "clone", "-q", "--depth", "1", muninn.root.as_uri(), str(tmp_path / "shallow"))
    assert start(tmp_path / "shallow").call("show", id=memory.id).memory.author == ""


def test_outside_of_git_the_author_is_the_one_of_the_machine(start, tmp_path, monkeypatch):
    (tmp_path / ".gitconfig").write_text("[user]\n\tname = Ada\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("GIT_CONFIG_GLOBAL", raising=False)
    (tmp_path / "plain").mkdir()
    muninn = start(tmp_path / "plain")
    muninn.call("init")
    assert remember(muninn).author == "Ada"
