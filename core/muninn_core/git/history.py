"""Commits and refs: which exist, and how they relate."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path

from muninn_core.errors import NotFoundError
from muninn_core.git.run import (
    NotAGitRepository,
    check_rev,
    decode,
    format_time,
    git_error,
    is_readable,
    readable,
    run,
    run_process,
    time_of,
)
from muninn_core.launch.repository_location import locate
from muninn_core.model.value import Value
from muninn_core.near_match import nearest_few

_FULL_ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


FORMAT = "--format=%x00%H%x00%P%x00%an%x00%ae%x00%ct%x00%s%x00%B"
"""The fields of a commit for git-log(1) with `-z`. Each begins with NUL, which no message and no path contains."""

FIELDS = 7

LOG_OPTIONS = (
    *("--first-parent", "-m", "--root", "--name-status", "--no-renames", "-z"),
    *("--encoding=UTF-8", FORMAT),
)
"""The options of git-log(1) for `parse_commits`. A merge has the paths that it brought to its first parent."""

_BLANK_LINE = re.compile(r"\n[^\S\n]*\n")


class Commit(Value):
    """A commit and the paths that it changed. `time` is the committer's, RFC 3339 in UTC.

    `added` and `deleted` are subsets of `files`. `email` is the author's. `subject` is in one line; `subject_lines` is
    the first paragraph of a message whose first paragraph has several, else "".
    """

    sha: str
    parents: tuple[str, ...]
    subject: str
    body: str
    author: str
    time: str
    files: tuple[str, ...]
    added: frozenset[str] = frozenset()
    deleted: frozenset[str] = frozenset()
    email: str = ""
    subject_lines: str = ""


class Ref(Value):
    """A branch, remote-tracking branch or tag: its short name and the commit that it points to."""

    name: str
    commit: str


def list_commits(root: Path, since: str | None, until: str, limit: int) -> tuple[Commit, ...]:
    """Return the first-parent commits reachable from `until` but not `since`, oldest first, at most the newest `limit`.

    A `since` that does not exist (a rewritten branch) counts as None: then only `until` is returned.
    """
    if since is not None and run_process(str(root), "cat-file", "-e", f"{since}^{{commit}}").returncode != 0:
        since = None
    span = [f"{since}..{until}", f"--max-count={limit}"] if since else [until, "--max-count=1"]
    return parse_commits(run(str(root), "log", *span, "--topo-order", *LOG_OPTIONS))


def parse_commits(log: str) -> tuple[Commit, ...]:
    """Return the commits that git-log(1) with `LOG_OPTIONS` prints, in the opposite order."""
    # No message and no path contains NUL. An empty field precedes each commit.
    fields = log.split("\0")
    found, position = [], 1
    while position + FIELDS <= len(fields):
        after = fields.index("", position + FIELDS)
        found.append(_commit(fields[position : position + FIELDS], fields[position + FIELDS : after]))
        position = after + 1
    return tuple(reversed(found))


def _commit(fields: list[str], changes: list[str]) -> Commit:
    sha, parents, author, email, seconds, subject, message = fields
    statuses = _statuses(changes)
    return Commit(
        sha=sha,
        parents=tuple(parents.split()),
        subject=readable(subject),
        body=readable(body_of(message)),
        author=readable(author),
        time=format_time(seconds),
        files=tuple(sorted(statuses)),
        added=frozenset(path for path, status in statuses.items() if status == "A"),
        deleted=frozenset(path for path, status in statuses.items() if status == "D"),
        email=readable(email),
        subject_lines=readable(lines_of_subject(message)),
    )


def _statuses(fields: list[str]) -> dict[str, str]:
    """Return {path: status} from the output of `--name-status -z`.

    Paths that are not UTF-8 are left out: no memory can name them.
    """
    pairs = zip(fields[::2], fields[1::2], strict=True)
    # A newline stands between a message and its files.
    return {path: status.removeprefix("\n") for status, path in pairs if is_readable(path)}


def lines_of_subject(message: str) -> str:
    """Return the first paragraph of a commit's message if it has several lines, else ""."""
    paragraph = _BLANK_LINE.split(message.strip(), maxsplit=1)[0]
    return paragraph if "\n" in paragraph else ""


def body_of(message: str) -> str:
    """Return a commit's message without its first paragraph."""
    return "".join(_BLANK_LINE.split(message.strip(), maxsplit=1)[1:]).strip()


def resolve_commit(root: Path, rev: str) -> str:
    """Return the full id of the commit that a revision names (gitrevisions(7)), such as `HEAD~3` or `@{yesterday}`.

    `root` is a work tree or a bare repository. Raises BadParams for text that can be no revision, GitError without a
    repository, NotFoundError with similar names as the hint.
    """
    check_rev(rev)
    done = run_process(str(root), "rev-parse", "--verify", "-q", "--end-of-options", rev + "^{commit}")
    sha = decode(done.stdout).strip()
    if done.returncode == 0 and sha:
        return sha
    inside = run_process(str(root), "rev-parse", "--git-dir")
    if inside.returncode != 0:
        if locate(str(root)).git_dir:  # git says why it refuses, such as a foreign owner
            raise git_error("rev-parse", inside)
        raise NotAGitRepository(
            f"{root} is not a git repository",
            hint="`git init` makes one. Without it there is memory, and no commit or branch.",
        )
    raise NotFoundError(f"there is no commit '{rev}'", hint=_near_revisions(root, rev))


def commit_time(root: Path, commit: str) -> datetime:
    """Return a commit's committer time, in UTC. Raises GitError when the commit does not exist.

    `git show` would read the contents that a merge changes, which a partial clone may lack.
    """
    return time_of(run(str(root), "log", "-1", "-s", "--format=%ct", commit, "--").strip())


def _near_revisions(root: Path, rev: str) -> str:
    if run_process(str(root), "rev-parse", "--verify", "-q", "HEAD").returncode != 0 and not list_refs(root):
        return "This repository has no commit yet."
    names = {
        name: ref.name for ref in list_refs(root) for name in (ref.name.lower(), ref.name.rpartition("/")[2].lower())
    }
    near = dict.fromkeys(names[name] for name in nearest_few(rev, names, 5))
    if near:
        return "Did you mean " + " or ".join(f"'{name}'" for name in list(near)[:3]) + "?"
    if is_shallow(root):
        return "This clone is shallow and lacks older commits. `git fetch --unshallow` fetches them."
    own = run(str(root), "symbolic-ref", "-q", "--short", "HEAD", check=False).strip()
    named = f"The current branch is '{readable(own)}'; " if own else ""
    return f"{named}`git branch --all` and `git tag` list the names."


def is_shallow(root: Path) -> bool:
    """Whether this is a shallow clone."""
    return run(str(root), "rev-parse", "--is-shallow-repository", check=False).strip() == "true"


def list_refs(root: Path, *kinds: str) -> tuple[Ref, ...]:
    """Return the refs below `kinds` (default: heads, remotes and tags), sorted by full name.

    An annotated tag is resolved to its commit. Symbolic refs such as `origin/HEAD` are left out.
    """
    kinds = kinds or ("refs/heads", "refs/remotes", "refs/tags")
    options = "--format=%(refname:short)%00%(symref)%00%(objectname)%00%(*objectname)"
    found = []
    for line in run(str(root), "for-each-ref", "--sort=refname", options, *kinds).split("\n")[:-1]:
        name, symbolic, own, peeled = line.split("\0")
        if not symbolic:
            found.append(Ref(name=readable(name), commit=peeled or own))
    return tuple(found)


def known_commits(root: Path, commits: Iterable[str]) -> set[str]:
    """Return those of some full commit ids that the repository has; none without git."""
    wanted = [commit for commit in dict.fromkeys(commits) if _FULL_ID.fullmatch(commit)]
    if not wanted:
        return set()
    done = run_process(
        str(root), "cat-file", "--batch-check=%(objecttype)", stdin="".join(f"{one}\n" for one in wanted)
    )
    answers = decode(done.stdout).splitlines() if done.returncode == 0 else []
    return {commit for commit, answer in zip(wanted, answers, strict=False) if answer == "commit"}


def merge_base(root: Path, one: str, other: str) -> str | None:
    """Return the best common ancestor of two commits; None when there is none."""
    return run(str(root), "merge-base", one, other, check=False).strip().split("\n")[0] or None


def newest_ids(root: Path, until: str, limit: int) -> tuple[str, ...]:
    """Return the ids of at most `limit` first-parent commits reachable from `until`, newest first. Raises GitError."""
    return tuple(run(str(root), "rev-list", "--first-parent", f"--max-count={limit}", until, "--").split())


def find_unreachable(root: Path, commits: Iterable[str], tips: Iterable[str]) -> set[str]:
    """Return the commits that are in no tip's history, including those that the repository does not have.

    In a shallow clone a missing commit counts as reachable, because its history is unknown.
    """
    wanted = list(dict.fromkeys(commit for commit in commits if commit.isalnum()))
    if not wanted:
        return set()
    stdin = "".join(f"{commit}\n" for commit in wanted)
    done = run_process(str(root), "cat-file", "--batch-check=%(objectname)", stdin=stdin)
    answers = zip(wanted, decode(done.stdout).splitlines(), strict=False)
    full = {commit: answer for commit, answer in answers if not answer.endswith((" missing", " ambiguous"))}
    missing = set() if is_shallow(root) else {commit for commit in wanted if commit not in full}
    if not full:
        return missing
    given = "".join(f"{sha}\n" for sha in full.values()) + "".join(f"^{tip}\n" for tip in tips)
    listed = run_process(str(root), "rev-list", "--ignore-missing", "--stdin", stdin=given)
    if listed.returncode != 0:
        raise git_error("rev-list", listed)
    outside = set(decode(listed.stdout).split())
    return missing | {commit for commit, sha in full.items() if sha in outside}


def find_reverted(root: Path, tip: str, since: str) -> set[str]:
    """Return the commits that the history of `tip` reverts, as recorded by the line that `git revert` writes.

    Only commits after `since` (RFC 3339) are read. A revert that was itself reverted does not count.
    """
    options = ("--grep=^This reverts commit ", f"--since={since}", "--topo-order", "--format=%H%x00%B%x00")
    fields = run(str(root), "log", *options, "--encoding=UTF-8", tip, "--").split("\0")
    found: set[str] = set()
    for sha, message in zip(fields[::2], fields[1::2], strict=False):  # newest first
        if sha.strip() not in found:
            marked = (line for line in message.splitlines() if line.startswith("This reverts commit "))
            found.update(line.split()[3].rstrip(".,") for line in marked)
    return found


def is_ancestor(root: Path, one: str, other: str) -> bool:
    """Whether commit `one` is in the history of `other`."""
    return run_process(str(root), "merge-base", "--is-ancestor", one, other).returncode == 0
