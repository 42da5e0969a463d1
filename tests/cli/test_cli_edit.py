from __future__ import annotations

import stat
import sys
from pathlib import Path
from typing import Any

import pytest
from muninn_shell import Shell

from muninn_cli.commands.edit import edited, editor_command
from muninn_core.errors import UsageError


def script(folder: Path, name: str, body: str) -> str:
    """Write a Python program that gets the draft's path, and return the command that runs it."""
    path = folder / name
    path.write_text(f"import pathlib, sys\ndraft = pathlib.Path(sys.argv[1])\n{body}\n", "utf-8")
    return f"{sys.executable} {path}"


def test_a_memory_is_changed_in_the_editor(shell: Shell, tmp_path: Path) -> None:
    identity = shell.json("remember", "Sessions live in Redis.")["ids"][0]
    editor = script(tmp_path, "edit.py", "draft.write_text(draft.read_text('utf-8').replace('Redis', 'Postgres'))")
    shell.environ["MUNINN_EDITOR"] = editor
    done = shell.run("edit", identity, "--reason", "moved")
    assert done.returncode == 0, done.stderr
    assert f"Updated {identity}" in done.stdout
    assert shell.json("show", identity)["memory"]["text"] == "Sessions live in Postgres."
    newest = shell.json("log", "--limit", "1")["entries"][0]
    assert (newest["memory"], newest["event"]["summary"]) == (identity, "changed text, title: moved")


def test_questions_are_shown_changed_and_removed_in_the_editor(shell: Shell, tmp_path: Path) -> None:
    asked = ["Can Ctrl-C break a transfer?", "Is it safe\nto stop? -->"]
    shown = ["Can Ctrl-C break a transfer?", "Is it safe to stop? -->"]
    options = [word for each in asked for word in ("--question", each)]
    identity = shell.json("remember", "SIGINT is handled between two chunks.", *options)["ids"][0]

    def edit(body: str) -> dict[str, Any]:
        shell.environ["MUNINN_EDITOR"] = script(tmp_path, "edit.py", f"text = draft.read_text('utf-8')\n{body}")
        done = shell.run("edit", identity)
        assert done.returncode == 0, done.stderr
        return dict(shell.json("show", identity)["memory"])

    assert edit("assert '- Is it safe to stop? -->' in text")["questions"] == shown, "saved unchanged"
    assert edit("draft.write_text('SIGINT waits.')")["questions"] == shown, "without the comment"
    changed = edit("draft.write_text(text.replace('- Can', '- - May').replace('\\n-->\\n', '\\n-->\\nIt ends.'))")
    assert changed["questions"] == ["- May Ctrl-C break a transfer?", "Is it safe to stop? -->"]
    assert changed["text"] == "SIGINT waits.\n\nIt ends."
    wrapped = edit("draft.write_text(text.replace('Ctrl-C break', 'Ctrl-C\\n  break'))")
    assert wrapped["questions"] == changed["questions"]
    emptied = edit("draft.write_text('\\n'.join(each for each in text.split('\\n') if each[:2] != '- '))")
    assert (emptied["questions"], emptied["text"]) == ([], changed["text"])


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ("replace('-->', '- ' + 'x' * 501)", "at most 500 characters"),
        ("replace('-->', 'When do they end?\\n-->')", "'When do they end?' is not read as a question"),
        ("replace('<!-- Muninn: change', 'Change')", "the first line of Muninn's comment is gone"),
        ("replace('Tokens', 'Tök'), 'latin-1'", "the draft is not UTF-8"),
    ],
)
def test_a_draft_that_is_refused_is_kept(shell: Shell, tmp_path: Path, change: str, problem: str) -> None:
    identity = shell.json("remember", "Tokens expire.", "--question", "How long?")["ids"][0]
    body = f"draft.write_text(draft.read_text('utf-8').{change})"
    shell.environ.update(MUNINN_EDITOR=script(tmp_path, "edit.py", body), TMPDIR=str(tmp_path))
    done = shell.run("edit", identity)
    assert done.returncode == 2
    assert problem in done.stderr
    (draft,) = tmp_path.glob("muninn-*.md")
    assert f"The draft is {draft}." in done.stderr
    memory = shell.json("show", identity)["memory"]
    assert (memory["text"], memory["questions"]) == ("Tokens expire.", ["How long?"])


def test_line_ends_and_a_byte_order_mark_of_an_editor_change_nothing(shell: Shell, tmp_path: Path) -> None:
    identity = shell.json("remember", "Tokens expire.\r\nAfter an hour.", "--question", "How long?")["ids"][0]
    body = "text = draft.read_text('utf-8'); draft.write_text(text, 'utf-8-sig', newline='\\r\\n')"
    shell.environ["MUNINN_EDITOR"] = script(tmp_path, "edit.py", body)
    done = shell.run("edit", identity)
    assert "Nothing to change." in done.stdout, done.stderr


def test_an_unchanged_or_empty_draft_changes_nothing(shell: Shell, tmp_path: Path) -> None:
    identity = shell.json("remember", "Tokens expire after an hour.")["ids"][0]
    shell.environ["MUNINN_EDITOR"] = script(tmp_path, "keep.py", "")
    assert "Nothing to change." in shell.run("edit", identity).stdout
    shell.environ["MUNINN_EDITOR"] = script(tmp_path, "empty.py", "draft.write_text('')")
    done = shell.run("edit", identity)
    assert done.returncode == 2
    assert f"`muninn forget {identity}`" in done.stderr
    assert shell.json("show", identity)["memory"]["text"] == "Tokens expire after an hour."


def test_the_draft_of_a_failing_editor_is_kept_and_private(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    command = script(tmp_path, "fail.py", "draft.write_text('new words'); sys.exit(3)").split()
    with pytest.raises(UsageError, match="status 3") as caught:
        edited("old words", [], command)
    (draft,) = tmp_path.glob("muninn-*.md")
    assert draft.read_text("utf-8") == "new words"
    assert stat.S_IMODE(draft.stat().st_mode) == 0o600
    assert str(draft) in caught.value.hint


def test_a_missing_editor_is_named_and_leaves_no_draft(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with pytest.raises(UsageError, match="no-such-editor"):
        edited("words", [], ["no-such-editor"])
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("environ", "words"),
    [
        ({"EDITOR": "vim"}, ["vim"]),
        ({"EDITOR": "vim", "VISUAL": "code --wait"}, ["code", "--wait"]),
        ({"EDITOR": "vim", "MUNINN_EDITOR": "'my editor' -w"}, ["my editor", "-w"]),
    ],
)
def test_the_editor_is_the_one_of_the_environment(environ: dict[str, str], words: list[str]) -> None:
    assert editor_command(environ) == words


def test_without_an_editor_the_error_names_another_way(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        editor_command({"PATH": str(tmp_path)})
    assert "muninn update" in caught.value.hint
