"""Earlier commits with similar titles vote for the files that they changed."""

from __future__ import annotations

import math

import pytest

from muninn_core.retrieval.commit_votes import MOST_FILES, CommitTitle, CommitVotes
from muninn_core.retrieval.query_terms import significant_words


def history(*commits: tuple[str, str], before: CommitVotes | None = None) -> CommitVotes:
    """Return the votes of commits, oldest first, given as titles and paths with blanks between."""
    start = len(before.commits) if before is not None else 0
    titles = (
        CommitTitle(f"{start + number:08}", f"2026-01-01T00:00:{start + number:02}Z", title, tuple(files.split()))
        for number, (title, files) in enumerate(commits)
    )
    return CommitVotes(titles, before)


def votes(found: CommitVotes, question: str, missing: str = "") -> dict[str, float]:
    files = {path for one in found.commits for path in one.files}.difference(missing.split())
    voted = found.lookup(significant_words(question), lambda: files)
    return {path: vote.value for path, vote in voted.items()}


def test_the_files_of_commits_with_similar_titles_get_votes():
    found = history(("parse quoted cookies", "jar.py"), ("close idle sockets", "pool.py"), ("release 2", "version.py"))
    assert votes(found, "cookies with quoted values") == {"jar.py": 1.0}
    assert (
        found.lookup(significant_words("cookies"), lambda: {"jar.py"})["jar.py"].note == "00000000 parse quoted cookies"
    )


def test_the_votes_of_a_commit_are_shared_by_its_files():
    found = history(("quote cookies", "jar.py"), ("quote headers", "head.py base.py"), ("release", "version.py"))
    voted = votes(found, "quote")
    assert voted["head.py"] == voted["base.py"] == pytest.approx(1 / math.sqrt(2))


def test_several_commits_add_up():
    found = history(("quote cookies", "jar.py"), ("quote names", "jar.py"), ("quote paths", "path.py"), ("a", "b.py"))
    assert votes(found, "quote") == {"jar.py": 1.0, "path.py": pytest.approx(0.5)}


def test_a_file_that_is_gone_gets_no_vote_and_scales_no_other():
    found = history(("quote cookies and jars", "jar.py"), ("quote", "old.py"), ("release", "version.py"))
    assert votes(found, "quote", missing="old.py") == {"jar.py": 1.0}


def test_a_sweep_over_many_files_does_not_vote():
    sweep = " ".join(f"f{number}.py" for number in range(MOST_FILES + 1))
    assert votes(history(("quote cookies", sweep), ("release", "version.py")), "quote cookies") == {}


def test_of_equal_commits_the_newer_is_named():
    found = history(("quote cookies", "jar.py"), ("quote cookies", "jar.py"), ("release", "version.py"))
    assert found.lookup(significant_words("quote"), lambda: {"jar.py"})["jar.py"].commit.sha == "00000001"


def test_further_commits_give_the_votes_of_a_whole_history():
    first, second = ("quote cookies", "jar.py"), ("quote headers", "head.py")
    apart = history(second, ("release", "version.py"), before=history(first))
    whole = history(first, second, ("release", "version.py"))
    assert votes(apart, "quote headers") == votes(whole, "quote headers")


@pytest.mark.parametrize("question", ["", "nothing like it"])
def test_without_a_similar_title_there_is_no_vote(question):
    assert votes(history(("quote cookies", "jar.py")), question) == {}
    assert votes(CommitVotes(), "quote") == {}
