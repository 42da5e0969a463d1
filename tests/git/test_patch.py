"""Patches of any author are parsed line by line into the changed lines."""

from __future__ import annotations

import pytest
from repositories import git

from muninn_core.errors import BadParams, NotFoundError
from muninn_core.git import read_diff, read_patch

BEFORE = "".join(f"line {number}\n" for number in range(1, 21))


@pytest.fixture
def changed(plain_repo):
    file = plain_repo / "a.txt"
    file.write_text(BEFORE)
    git(plain_repo, "add", "-A")
    git(plain_repo, "commit", "-q", "-m", "Add")
    lines = BEFORE.splitlines(keepends=True)
    file.write_text("".join([*lines[:4], "new 5\n", "more\n", *lines[5:14], *lines[16:]]))
    return plain_repo


def test_the_lines_of_a_change_are_those_that_it_leaves(changed):
    (touched,) = read_diff(changed, "HEAD")
    assert (touched.path, touched.spans, touched.added) == ("a.txt", ((5, 6), (15, 15)), ("new 5", "more"))


def test_a_patch_with_context_says_the_same_as_one_without(changed):
    for context in ("-U0", "-U3", "-U20"):
        assert read_patch(git(changed, "diff", context)) == read_diff(changed, "HEAD"), context


def test_two_revisions_are_compared_and_the_work_tree_is_not_looked_at(changed):
    (touched,) = read_diff(changed, "HEAD~1", "HEAD")
    assert (touched.path, touched.spans) == ("a.txt", ((1, 20),))


def test_a_renamed_file_has_its_new_name_and_one_that_is_gone_has_none(changed):
    git(changed, "checkout", "-q", "a.txt")
    git(changed, "mv", "a.txt", "b.txt")
    (changed / "b.txt").write_text(BEFORE + "end\n")
    git(changed, "rm", "-q", "README.md")
    assert [(each.path, each.spans) for each in read_diff(changed, "HEAD")] == [("b.txt", ((21, 21),))]


def test_a_line_that_looks_like_a_header_is_a_line(changed):
    git(changed, "checkout", "-q", "a.txt")
    (changed / "a.txt").write_text("++ b/evil.txt\n-- a/evil.txt\n@@ -1 +1 @@\n" + BEFORE)
    (touched,) = read_patch(git(changed, "diff"))
    assert (touched.path, touched.spans) == ("a.txt", ((1, 3),))


def test_names_that_git_quotes_are_read_as_they_are(plain_repo):
    names = ["größe.py", 'quote".py', "tab\t.py", "back\\slash.py", "end "]
    for name in names:
        (plain_repo / name).write_text("1\n")
    git(plain_repo, "add", "-A")
    git(plain_repo, "commit", "-q", "-m", "Odd names")
    for name in names:
        (plain_repo / name).write_text("2\n")
    assert sorted(each.path for each in read_patch(git(plain_repo, "diff"))) == sorted(names)
    assert sorted(each.path for each in read_diff(plain_repo, "HEAD")) == sorted(names)
    assert [each.path for each in read_patch("--- a/x\r\n+++ b/x\r\n@@ -1 +1 @@\r\n-1\r\n+2\r\n")] == ["x"]


def test_an_invalid_patch_changes_nothing():
    assert read_patch("") == ()
    assert read_patch("a question\nin two lines\n@@ -1 +1 @@\n+x\n") == ()
    assert read_patch("--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n") == ()


def test_a_patch_of_another_tool_is_read_too():
    patch = (
        "--- old/a.py\t2026-01-01\n+++ a.py\t2026-01-02\n@@ -1,2 +1,2 @@\n-x\n+y\n z\n\\ No newline at end of file\n"
    )
    (touched,) = read_patch(patch)
    assert (touched.path, touched.spans, touched.added) == ("a.py", ((1, 1),), ("y",))


@pytest.mark.parametrize(("rev", "error"), [("nowhere", NotFoundError), ("--output=x", BadParams)])
def test_an_unknown_commit_is_refused(changed, rev, error):
    with pytest.raises(error):
        read_diff(changed, rev)
    assert not (changed / "x").exists()
