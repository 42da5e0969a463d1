"""Backfill and bridges as people see them."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from muninn_shell import Shell
from repositories import git
from transcripts import Transcript


def save(shell: Shell, message: str, name: str) -> str:
    (shell.repo / name).write_text(f"# {message}\n", "utf-8")
    git(shell.repo, "add", name)
    git(shell.repo, "commit", "-q", "-m", message)
    return git(shell.repo, "rev-parse", "HEAD").strip()


def test_people_see_what_a_backfill_would_remember_before_it_does(new_shell: Callable[[], Shell]) -> None:
    shell = new_shell()
    sha = save(shell, "Migrate the log to whale songs\n\nInk ran out.", "src/whales.py")
    save(shell, "Bump version to 2.0", "src/version.py")
    begun = shell.run("init").stdout
    assert re.search(r"`muninn backfill git` lists what it would remember: 1 of the newest \d+ commits\.\n", begun)
    nothing = shell.run("journal", "context").stdout
    assert nothing == "The journal has no decision, fact or turn of this project.\n"
    planned = shell.run("backfill", "git").stdout
    assert f"decision        7  Migrate the log to whale songs  {sha[:10]} · src/whales.py\n" in planned
    assert re.search(r"Would remember 1 memory from \d+ commits; left out:\n", planned)
    assert "  1 routine\n" in planned
    newest = shell.run("backfill", "git", "--limit", "2").stdout
    assert newest.endswith("Nothing was stored. The same command with `--apply` stores them.\n")
    assert planned.endswith("Nothing was stored. `muninn backfill git --apply` stores them.\n")
    assert shell.json("memories")["total"] == 0
    done = shell.run("backfill", "git", "--apply").stdout
    assert "Remembered 1 memory" in done
    assert "muninn seal" in done
    again = shell.json("backfill", "git", "--apply")
    assert (again["ids"], [found["known"] for found in again["found"]]) == ([], [True])
    listed = shell.run("memories", "--tag", "backfill").stdout
    assert "backfill from git" in listed


def test_transcripts_are_named_from_the_current_folder(new_shell: Callable[[], Shell], tmp_path: Path) -> None:
    shell = new_shell()
    shell.run("init")
    said = Transcript(shell.repo).said("user", "Never paint the lighthouse green.").raw(b"broken\n")
    said.save(tmp_path / "t" / "5e55-1.jsonl")
    done = shell.run("backfill", "transcripts", "t", "--repo", str(shell.repo), "--apply", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "Never paint the lighthouse green" in done.stdout
    assert f"1 line skipped as unreadable:\n  {tmp_path}/t/5e55-1.jsonl:2\n" in done.stdout
    missing = shell.run("backfill", "transcripts", "nowhere", "--repo", str(shell.repo), cwd=tmp_path)
    assert missing.returncode != 0
    assert "can't be read" in missing.stderr


def test_status_and_recall_say_what_is_read_of_other_tools(new_shell: Callable[[], Shell]) -> None:
    shell = new_shell()
    (shell.repo / "AGENTS.md").write_text("# Rules\n\nThe periscope is never left up. See `src/harbour.py`.\n", "utf-8")
    shell.run("init")
    shell.json("index")
    assert "bridges CLAUDE.md and AGENTS.md (1)" in shell.run("status").stdout
    found = shell.run("recall", "periscope is never left up", "--limit", "1").stdout
    assert "markdown AGENTS.md:1-3\n       Rules\n       AGENTS.md\n" in found
    about = shell.run("memories", "--file", "src/harbour.py").stdout
    assert "AGENTS.md  AGENTS.md:1-3  Rules\n" in about
