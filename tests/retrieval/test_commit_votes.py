"""Earlier commits with similar titles vote for the files that they changed."""

from __future__ import annotations

import math

import pytest

from muninn_core.index.file_list import FileList
from muninn_core.retrieval.query.query_terms import significant_words
from muninn_core.retrieval.signals.commit_votes import MAX_FILES, CommitTitle, CommitVotes


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
    voted = found.lookup(significant_words(question), lambda: listed(*files))
    return {path: vote.value for path, vote in voted.items()}


def listed(*paths: str) -> FileList:
    return FileList((path, "code", "python") for path in sorted(paths))


def test_the_files_of_commits_with_similar_titles_get_votes():
    found = history(("parse quoted cookies", "jar.py"), ("close idle sockets", "pool.py"), ("release 2", "version.py"))
    assert votes(found, "cookies with quoted values") == {"jar.py": 1.0}
    assert (
        found.lookup(significant_words("cookies"), lambda: listed("jar.py"))["jar.py"].note
        == "00000000 parse quoted cookies"
    )


def test_the_votes_of_a_commit_are_shared_by_its_files():
    found = history(("quote cookies", "jar.py"), ("quote headers", "head.py base.py"), ("release", "version.py"))
    voted = votes(found, "quote")
    assert voted["head.py"] == voted["base.py"] == pytest.approx(1 / math.sqrt(2))


def test_several_commits_add_up():
    found = history(("quote cookies", "jar.py"), ("quote names", "jar.py"), ("quote paths", "path.py"), ("a", "b.py"))
    assert votes(found, "quote") == {"jar.py": 1.0, "path.py": pytest.approx(0.5)}


def test_a_nearly_equal_title_outvotes_several_that_share_one_word():
    distant = [(f"quote {name}", "jar.py") for name in ("names", "paths", "dates", "times")]
    found = history(*distant, ("quote headers of requests", "head.py"), ("release", "version.py"))
    assert votes(found, "quote headers of a request")["head.py"] == 1.0


def test_a_file_that_is_gone_gets_no_vote_and_scales_no_other():
    found = history(("quote cookies and jars", "jar.py"), ("quote", "old.py"), ("release", "version.py"))
    assert votes(found, "quote", missing="old.py") == {"jar.py": 1.0}


@pytest.mark.parametrize(
    ("now", "there"),
    [
        ("src/web/jar.py", True),
        ("jar.py", False),
        ("src/app/jar.py", False),
        ("src/web/jar.py lib/web/jar.py", False),
        ("old/web/jar.py lib/web/jar.py", True),
    ],
    ids=["moved", "name alone", "another folder", "ambiguous", "longest end"],
)
def test_a_file_that_moved_with_its_folder_keeps_its_votes(now: str, there: bool):
    found = history(("quote cookies", "top/old/web/jar.py"), ("release", "version.py"))
    voted = found.lookup(significant_words("quote"), lambda: listed(*now.split()))
    assert list(voted) == ([now.split()[0]] if there else [])


def test_a_sweep_over_many_files_does_not_vote():
    sweep = " ".join(f"f{number}.py" for number in range(MAX_FILES + 1))
    assert votes(history(("quote cookies", sweep), ("release", "version.py")), "quote cookies") == {}


def test_the_newer_of_equal_commits_is_named():
    found = history(("quote cookies", "jar.py"), ("quote cookies", "jar.py"), ("release", "version.py"))
    assert found.lookup(significant_words("quote"), lambda: listed("jar.py"))["jar.py"].commit.sha == "00000001"


def test_further_commits_give_the_votes_of_a_whole_history():
    first, second = ("quote cookies", "jar.py"), ("quote headers", "head.py")
    apart = history(second, ("release", "version.py"), before=history(first))
    whole = history(first, second, ("release", "version.py"))
    assert votes(apart, "quote headers") == votes(whole, "quote headers")


@pytest.mark.parametrize("question", ["", "nothing like it"])
def test_without_a_similar_title_there_is_no_vote(question):
    assert votes(history(("quote cookies", "jar.py")), question) == {}
    assert votes(CommitVotes(), "quote") == {}
