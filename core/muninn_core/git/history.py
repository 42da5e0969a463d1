"""Commits and the names that point to them: which there are, and how they lie to one another."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from muninn_core.errors import NotFoundError
from muninn_core.git.run import GitError, call, check_rev, error_of, run, text_of
from muninn_core.launch.place import locate
from muninn_core.model.value import Value, field
from muninn_core.near_match import nearest_few


class Commit(Value):
    """One commit with the paths that it changed. `time` is RFC 3339 of the committer, in UTC.

    `added` and `deleted` are those of the files that are new and gone, `lines` how many lines came and went in each:
    none of a binary file. Who reads a long history leaves all three out.
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
    lines: dict[str, int] = field(default_factory=dict)


class Ref(Value):
    """A branch, remote-tracking branch or tag by its short name, and the commit that it stands for."""

    name: str
    commit: str


def commits(root: Path, since: str | None, until: str, limit: int) -> tuple[Commit, ...]:
    """Return the commits reachable from `until` and not from `since`, oldest first, at most the newest `limit`.

    A `since` that no longer exists (a rewritten branch) counts as absent; then only `until` itself is returned.
    """
    if since is not None and call(str(root), "cat-file", "-e", f"{since}^{{commit}}").returncode != 0:
        since = None
    span = [f"{since}..{until}", f"--max-count={limit}"] if since else [until, "--max-count=1"]
    how = ("--topo-order", "--first-parent", "-m", "--root", "--raw", "--numstat", "--no-renames", "-z")
    out = run(str(root), "log", *span, *how, "--encoding=UTF-8", "--format=%x00%H%x00%P%x00%an%x00%ct%x00%s%x00%b")
    # NUL is the one character that no message and no path holds. An empty field stands before each commit.
    fields = out.split("\0")
    found, place = [], 1
    while place + 6 <= len(fields):
        after = fields.index("", place + 6)
        found.append(_commit(fields[place : place + 6], fields[place + 6 : after]))
        place = after + 1
    return tuple(reversed(found))


def _commit(fields: list[str], changes: list[str]) -> Commit:
    sha, parents, author, seconds, subject, body = fields
    when = datetime.fromtimestamp(int(seconds), UTC)
    statuses, lines = _changes(changes)
    return Commit(
        sha=sha,
        parents=tuple(parents.split()),
        subject=subject,
        body=body.strip(),
        author=author,
        time=when.strftime("%Y-%m-%dT%H:%M:%SZ"),
        files=tuple(sorted(statuses)),
        added=frozenset(path for path, status in statuses.items() if status == "A"),
        deleted=frozenset(path for path, status in statuses.items() if status == "D"),
        lines=lines,
    )


def _changes(fields: list[str]) -> tuple[dict[str, str], dict[str, int]]:
    """Return {path: status} and {path: lines that came and went}, from what `--raw --numstat -z` prints."""
    statuses: dict[str, str] = {}
    lines: dict[str, int] = {}
    rest = iter(fields)
    for each in rest:
        facts = each.removeprefix("\n")  # stands between a message and its files
        if facts.startswith(":"):
            statuses[next(rest)] = facts[-1]
        else:
            came, went, path = facts.split("\t", 2)
            if came != "-":
                lines[path] = int(came) + int(went)
    return statuses, lines


def commit_of(root: Path, rev: str) -> str:
    """Return the commit that a revision names (gitrevisions(7)): a branch, a tag, `HEAD~3`, `@{yesterday}`.

    Raises BadParams for what can be no revision, GitError without git, NotFoundError with the nearest names.
    """
    check_rev(rev)
    if not locate(str(root)).git_dir:
        raise GitError(f"{root} is no git repository", hint="Other revisions need git.")
    done = call(str(root), "rev-parse", "--verify", "-q", "--end-of-options", rev + "^{commit}")
    sha = text_of(done.stdout).strip()
    if done.returncode == 0 and sha:
        return sha
    raise NotFoundError(f"there is no commit '{rev}'", hint=_near_revisions(root, rev))


def commit_time(root: Path, commit: str) -> datetime:
    """Return when a commit was made, by its committer. Raises GitError when it is not here."""
    return datetime.fromtimestamp(int(run(str(root), "show", "-s", "--format=%ct", commit, "--").strip()), UTC)


def _near_revisions(root: Path, rev: str) -> str:
    if call(str(root), "rev-parse", "--verify", "-q", "HEAD").returncode != 0 and not refs(root):
        return "This repository has no commit yet."
    names = {name: ref.name for ref in refs(root) for name in (ref.name.lower(), ref.name.rpartition("/")[2].lower())}
    near = dict.fromkeys(names[name] for name in nearest_few(rev, names, 5))
    if near:
        return "Did you mean " + " or ".join(f"'{name}'" for name in list(near)[:3]) + "?"
    if is_shallow(root):
        return "This clone is shallow, so older commits are not here: `git fetch --unshallow` brings them."
    return "`git branch --all` and `git tag` show the names that there are."


def is_shallow(root: Path) -> bool:
    """Whether the clone lacks older commits."""
    return run(str(root), "rev-parse", "--is-shallow-repository", check=False).strip() == "true"


def refs(root: Path, *kinds: str) -> tuple[Ref, ...]:
    """Return the refs below `refs/heads`, `refs/remotes` and `refs/tags`, or those of `kinds`, sorted by full name.

    A tag stands for its commit; a symbolic ref (`origin/HEAD`) is another name only and left out.
    """
    kinds = kinds or ("refs/heads", "refs/remotes", "refs/tags")
    how = "--format=%(refname:short)%00%(symref)%00%(objectname)%00%(*objectname)"
    found = []
    for line in run(str(root), "for-each-ref", "--sort=refname", how, *kinds).splitlines():
        name, symbolic, own, peeled = line.split("\0")
        if not symbolic:
            found.append(Ref(name=name, commit=peeled or own))
    return tuple(found)


def merge_base(root: Path, one: str, other: str) -> str | None:
    """Return the best common ancestor of two commits; None when none is here."""
    return run(str(root), "merge-base", one, other, check=False).strip().split("\n")[0] or None


def unreachable(root: Path, commits: Iterable[str], tips: Iterable[str]) -> set[str]:
    """Return those of the commits that no tip leads to; ones that the repository does not have at all included.

    In a shallow clone a commit that is not here counts as reachable: nobody can know.
    """
    wanted = list(dict.fromkeys(commit for commit in commits if commit.isalnum()))
    if not wanted:
        return set()
    asked = "".join(f"{commit}\n" for commit in wanted)
    done = call(str(root), "cat-file", "--batch-check=%(objectname)", stdin=asked)
    answers = zip(wanted, text_of(done.stdout).splitlines(), strict=False)
    full = {commit: answer for commit, answer in answers if not answer.endswith((" missing", " ambiguous"))}
    missing = set() if is_shallow(root) else {commit for commit in wanted if commit not in full}
    if not full:
        return missing
    given = "".join(f"{sha}\n" for sha in full.values()) + "".join(f"^{tip}\n" for tip in tips)
    listed = call(str(root), "rev-list", "--ignore-missing", "--stdin", stdin=given)
    if listed.returncode != 0:
        raise error_of("rev-list", listed)
    outside = set(text_of(listed.stdout).split())
    return missing | {commit for commit, sha in full.items() if sha in outside}


def reverted(root: Path, tip: str, since: str) -> set[str]:
    """Return the commits that the history of `tip` takes back, by the line that `git revert` writes.

    Only commits made after `since` (RFC 3339) are looked at. A revert that was itself reverted does not count.
    """
    how = ("--grep=^This reverts commit ", f"--since={since}", "--topo-order", "--format=%H%x00%B%x00")
    fields = run(str(root), "log", *how, "--encoding=UTF-8", tip, "--").split("\0")
    found: set[str] = set()
    for sha, message in zip(fields[::2], fields[1::2], strict=False):  # the newest first
        if sha.strip() not in found:
            marked = (line for line in message.splitlines() if line.startswith("This reverts commit "))
            found.update(line.split()[3].rstrip(".,") for line in marked)
    return found


def is_ancestor(root: Path, one: str, other: str) -> bool:
    """Whether a commit is in another one's history."""
    return call(str(root), "merge-base", "--is-ancestor", one, other).returncode == 0
