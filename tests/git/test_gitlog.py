"""The output of `git log` is parsed completely, for any bytes in messages and names."""

from __future__ import annotations

import pytest
from repositories import git

from muninn_core.git import GitError, stream
from muninn_core.git import log as gitlog
from muninn_core.git.log import CommitRange


def save(root, message, **files):
    for path, text in files.items():
        (root / path.replace("__", ".")).write_text(text)
    git(root, "add", "-A")
    git(root, "commit", "-q", "--allow-empty", "--allow-empty-message", "-m", message)
    return git(root, "rev-parse", "HEAD").strip()


def test_every_commit_is_read_with_its_message_files_and_deletions(plain_repo):
    save(plain_repo, "Add a\n\nFirst line.\n\nSecond  paragraph\n", a__py="1", b__py="2")
    (plain_repo / "b.py").unlink()
    (plain_repo / "ünï code.py").write_text("x")
    second = save(plain_repo, "")
    git(plain_repo, "checkout", "-q", "-b", "side", "HEAD~1")
    save(plain_repo, "Empty")
    git(plain_repo, "checkout", "-q", "main")
    git(plain_repo, "merge", "-q", "--no-ff", "-m", "Merge side", "side")
    log = list(gitlog.read_log(plain_repo, CommitRange(tip="HEAD")))
    assert gitlog.count_commits(plain_repo, CommitRange(tip="HEAD")) == len(log) == 5
    by_subject = {one.subject: one for one in log}
    merge, empty, bare = by_subject["Merge side"], by_subject["Empty"], by_subject[""]
    assert (len(merge.parents), merge.files) == (2, ())
    assert (empty.files, empty.body) == ((), "")
    assert (bare.sha, bare.files, bare.deleted) == (second, ("b.py", "ünï code.py"), frozenset({"b.py"}))
    added = by_subject["Add a"]
    assert (added.body, added.email) == ("First line.\n\nSecond  paragraph", "test@localhost")
    assert (added.added, added.subject_lines) == (frozenset({"a.py", "b.py"}), "")
    assert log[-1].subject == "Begin"


def test_a_span_is_bounded_by_revisions_times_and_number(plain_repo):
    for day in (1, 2, 3, 4):
        (plain_repo / "day").write_text(str(day))
        git(plain_repo, "add", "-A")
        author = ("-c", "user.name=T", "-c", "user.email=t@localhost")
        environ = {"GIT_COMMITTER_DATE": f"2026-01-0{day}T12:00:00Z"}
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("GIT_COMMITTER_DATE", environ["GIT_COMMITTER_DATE"])
            git(plain_repo, *author, "commit", "-q", "-m", f"Day {day}")

    def days(**span):
        return [one.subject[-1] for one in gitlog.read_log(plain_repo, CommitRange(**{"tip": "HEAD", **span}))]

    assert days(limit=2) == ["4", "3"]
    assert days(base="HEAD~3") == ["4", "3", "2"]
    assert days(tip="HEAD~1", base="HEAD~3") == ["3", "2"]
    # What stands before the days was committed after them: git looks no further once a commit is too old.
    assert days(since="2026-01-03T00:00:00Z") == ["4", "3"]
    assert days(until="2026-01-03T00:00:00Z") == ["2", "1"]


def test_bytes_that_are_not_utf8_are_handled(plain_repo):
    (plain_repo / "x.py").write_text("x")
    git(plain_repo, "add", "-A")
    message = plain_repo / "message"
    message.write_bytes(b"Gr\xfc\xdfe\n\nbody \xff\n")
    git(plain_repo, "-c", "i18n.commitEncoding=UTF-8", "commit", "-q", "-F", str(message))
    first = next(gitlog.read_log(plain_repo, CommitRange(tip="HEAD")))
    first.subject.encode()
    first.body.encode()
    assert first.files == ("x.py",)


def test_a_failure_of_git_is_an_error_and_never_an_empty_log(plain_repo):
    with pytest.raises(GitError, match="nosuch"):
        list(gitlog.read_log(plain_repo, CommitRange(tip="nosuch")))


def test_git_ends_when_its_reader_stops(plain_repo):
    for number in range(30):
        save(plain_repo, f"Commit {number}\n\n" + "long " * 2000)
    pieces = stream(plain_repo, "log", "-p")
    assert next(pieces)
    pieces.close()
    with pytest.raises(StopIteration):
        next(pieces)
