"""What Muninn asks of git. The only module that runs it; every call is a read that takes no lock.

The process's GIT_* variables must be gone (a daemon started from a git hook inherits them): entry points see to that.
"""

from __future__ import annotations

import difflib
import os
import re
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from muninn_core.errors import BadParams, MuninnError, NotFoundError
from muninn_core.launch.place import Place, locate
from muninn_core.model.value import Value

_TIMEOUT_SECONDS = 60

_PATHS_A_CALL = 200
"""How many paths one command line takes: systems limit its length."""


class GitError(MuninnError):
    """Git could not answer."""

    kind = "git"


class Head(Value):
    """Where HEAD is. `commit` is None before the first commit, `branch` None when HEAD is detached."""

    commit: str | None = None
    branch: str | None = None


class Commit(Value):
    """One commit with the paths that it changed. `time` is RFC 3339 of the committer, in UTC."""

    sha: str
    parents: tuple[str, ...]
    subject: str
    body: str
    author: str
    time: str
    files: tuple[str, ...]


class Entry(Value):
    """A file of a commit's tree. `oid` names its content, `size` is in bytes; `mode` is git's, such as 100644."""

    path: str
    oid: str
    size: int
    mode: str


class Ref(Value):
    """A branch, remote-tracking branch or tag by its short name, and the commit that it stands for."""

    name: str
    commit: str


class FileChange(Value):
    """A file that two commits have differently. `path` is None when it is new, `now` when it is gone."""

    path: str | None
    now: str | None
    before_oid: str
    after_oid: str


def head(place: Place) -> Head:
    """Read HEAD from its files: no process, some tens of microseconds. Without git both fields are None."""
    if not place.git_dir:
        return Head()
    try:
        text = (Path(place.git_dir) / "HEAD").read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return Head()
    if not text.startswith("ref: "):
        return Head(commit=text or None)
    ref = text[5:]
    if ref == "refs/heads/.invalid":  # the reftable format keeps its refs elsewhere
        commit = _run(place.root, "rev-parse", "--verify", "-q", "HEAD", check=False).strip()
        name = _run(place.root, "symbolic-ref", "-q", "--short", "HEAD", check=False).strip()
        return Head(commit=commit or None, branch=name or None)
    return Head(commit=_resolve(place, ref), branch=ref.removeprefix("refs/heads/"))


class HeadReader:
    """Reads HEAD again only when one of its files has changed: every answer names it. Safe for several threads."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._known: tuple[tuple[str, ...], tuple[object, ...], Head] = ((), (), Head())

    def read(self) -> Head:
        """Return where HEAD is now."""
        paths, stamps, known = self._known
        if paths and stamps == tuple(map(_stamp, paths)):
            return known
        for _ in range(3):  # a commit between the looks would be missed
            paths = self._paths()
            stamps = tuple(map(_stamp, paths))
            known = head(self._place)
            if stamps == tuple(map(_stamp, paths)) and paths == self._paths():
                self._known = (paths, stamps, known)
                break
        return known

    def _paths(self) -> tuple[str, ...]:
        """Return the files that HEAD's commit follows from; none where that is not known, or there is no git."""
        if not self._place.git_dir:
            return ()
        first = f"{self._place.git_dir}/HEAD"
        try:
            with open(first, encoding="utf-8") as file:  # noqa: PTH123 (hot)
                text = file.read().strip()
        except (OSError, UnicodeDecodeError):
            return ()
        if not text.startswith("ref: "):
            return (first,)
        if text.endswith("/.invalid"):
            return ()  # the reftable format
        ref = text[5:]
        common = self._place.identity
        return (first, f"{self._place.git_dir}/{ref}", f"{common}/{ref}", f"{common}/packed-refs")


def _stamp(path: str) -> object:
    """Return what changes when git replaces a file: it always writes a new one and renames it."""
    try:
        status = os.stat(path)  # noqa: PTH116 (hot)
    except OSError:
        return None
    return (status.st_ino, status.st_mtime_ns, status.st_size)


def _resolve(place: Place, ref: str) -> str | None:
    for folder in (place.git_dir, place.identity):
        try:
            return (Path(folder) / ref).read_text("utf-8").strip() or None
        except OSError:
            continue
    try:
        packed = (Path(place.identity) / "packed-refs").read_text("utf-8")
    except OSError:
        return None
    for line in packed.splitlines():
        sha, _, name = line.partition(" ")
        if name == ref:
            return sha
    return None


def list_files(root: Path) -> list[str] | None:
    """Return all tracked and all untracked, not ignored paths (POSIX, relative, sorted); None without git.

    A tracked file that was deleted from the work tree is still named.
    """
    return None if not locate(str(root)).git_dir else sorted(_listed(root))


def ignored(root: Path, paths: list[str]) -> set[str]:
    """Return those of the paths that are there but that `list_files` would not name, nor anything in them.

    Beside what is ignored that is what lies behind a symbolic link or in another repository inside this one
    (`git check-ignore` refuses to speak of these). Empty without git.
    """
    if not paths or not locate(str(root)).git_dir:
        return set()
    named: set[str] = set()
    for first in range(0, len(paths), _PATHS_A_CALL):
        for path in _listed(root, *paths[first : first + _PATHS_A_CALL]):
            named.add(path)
            while (path := path.rpartition("/")[0]) and path not in named:
                named.add(path)
    return {path for path in paths if path not in named and os.path.lexists(root / path)}


def _listed(root: Path, *paths: str) -> set[str]:
    done = _git(
        str(root),
        *("--literal-pathspecs", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--"),
        *paths,
    )
    if done.returncode != 0:
        raise _error("ls-files", done)
    return {_text(name) for name in done.stdout.split(b"\0") if name}


def hooks_folder(root: Path) -> Path:
    """Return the folder in which git looks for hooks, which need not be there; `core.hooksPath` may name another."""
    return root / _run(str(root), "rev-parse", "--git-path", "hooks").rstrip("\n")


def commits(root: Path, since: str | None, until: str, limit: int) -> tuple[Commit, ...]:
    """Return the commits reachable from `until` and not from `since`, oldest first, at most the newest `limit`.

    A `since` that no longer exists (a rewritten branch) counts as absent; then only `until` itself is returned.
    """
    if since is not None and _git(str(root), "cat-file", "-e", f"{since}^{{commit}}").returncode != 0:
        since = None
    span = [f"{since}..{until}", f"--max-count={limit}"] if since else [until, "--max-count=1"]
    how = ("--topo-order", "--first-parent", "-m", "--root", "--name-only", "--no-renames", "-z")
    out = _run(str(root), "log", *span, *how, "--encoding=UTF-8", "--format=%x00%H%x00%P%x00%an%x00%ct%x00%s%x00%b")
    # NUL is the one character that no message and no path holds. An empty field stands before each commit.
    fields = out.split("\0")
    found, place = [], 1
    while place + 6 <= len(fields):
        after = fields.index("", place + 6)
        found.append(_commit(fields[place : place + 6], fields[place + 6 : after]))
        place = after + 1
    return tuple(reversed(found))


def _commit(fields: list[str], files: list[str]) -> Commit:
    sha, parents, author, seconds, subject, body = fields
    when = datetime.fromtimestamp(int(seconds), UTC)
    if files:
        files[0] = files[0].removeprefix("\n")  # stands between a message and its files
    return Commit(
        sha=sha,
        parents=tuple(parents.split()),
        subject=subject,
        body=body.strip(),
        author=author,
        time=when.strftime("%Y-%m-%dT%H:%M:%SZ"),
        files=tuple(sorted(files)),
    )


def commit_of(root: Path, rev: str) -> str:
    """Return the commit that a revision names (gitrevisions(7)): a branch, a tag, `HEAD~3`, `@{yesterday}`.

    Raises BadParams for what can be no revision, GitError without git, NotFoundError with the nearest names.
    """
    _check_rev(rev)
    if not locate(str(root)).git_dir:
        raise GitError(f"{root} is no git repository", hint="Other revisions need git.")
    done = _git(str(root), "rev-parse", "--verify", "-q", "--end-of-options", rev + "^{commit}")
    sha = _text(done.stdout).strip()
    if done.returncode == 0 and sha:
        return sha
    raise NotFoundError(f"there is no commit '{rev}'", hint=_near_revisions(root, rev))


def commit_time(root: Path, commit: str) -> datetime:
    """Return when a commit was made, by its committer. Raises GitError when it is not here."""
    return datetime.fromtimestamp(int(_run(str(root), "show", "-s", "--format=%ct", commit, "--").strip()), UTC)


def _check_rev(rev: str) -> None:
    if not rev.strip() or rev.startswith("-") or any(mark in rev for mark in ("..", "\0", "\n")):
        raise BadParams(f"'{rev}' is no revision", hint="Name a commit, a branch or a tag.")


def _near_revisions(root: Path, rev: str) -> str:
    if _git(str(root), "rev-parse", "--verify", "-q", "HEAD").returncode != 0 and not refs(root):
        return "This repository has no commit yet."
    names = {name: ref.name for ref in refs(root) for name in (ref.name.lower(), ref.name.rpartition("/")[2].lower())}
    near = dict.fromkeys(names[name] for name in difflib.get_close_matches(rev.lower(), names, n=5, cutoff=0.5))
    if near:
        return "Did you mean " + " or ".join(f"'{name}'" for name in list(near)[:3]) + "?"
    if is_shallow(root):
        return "This clone is shallow, so older commits are not here: `git fetch --unshallow` brings them."
    return "`git branch --all` and `git tag` show the names that there are."


def is_shallow(root: Path) -> bool:
    """Whether the clone lacks older commits."""
    return _run(str(root), "rev-parse", "--is-shallow-repository", check=False).strip() == "true"


def refs(root: Path, *kinds: str) -> tuple[Ref, ...]:
    """Return the refs below `refs/heads`, `refs/remotes` and `refs/tags`, or those of `kinds`, sorted by full name.

    A tag stands for its commit; a symbolic ref (`origin/HEAD`) is another name only and left out.
    """
    kinds = kinds or ("refs/heads", "refs/remotes", "refs/tags")
    how = "--format=%(refname:short)%00%(symref)%00%(objectname)%00%(*objectname)"
    found = []
    for line in _run(str(root), "for-each-ref", "--sort=refname", how, *kinds).splitlines():
        name, symbolic, own, peeled = line.split("\0")
        if not symbolic:
            found.append(Ref(name=name, commit=peeled or own))
    return tuple(found)


def tree_ids(root: Path, commits: Iterable[str], path: str) -> dict[str, str]:
    """Return {commit: id} of what each commit has at a path; commits that have nothing there are left out."""
    wanted = list(dict.fromkeys(commits))
    if not wanted:
        return {}
    asked = "".join(f"{commit}:{path}\n" for commit in wanted)
    done = _git(str(root), "cat-file", "--batch-check=%(objectname) %(objecttype)", stdin=asked)
    if done.returncode != 0:
        raise _error("cat-file", done)
    answers = _text(done.stdout).splitlines()
    return {
        commit: answer.split(" ", 1)[0]
        for commit, answer in zip(wanted, answers, strict=True)
        if not answer.endswith((" missing", " ambiguous"))
    }


def list_tree(root: Path, treeish: str) -> tuple[Entry, ...]:
    """Return the files of a commit or tree, in git's order. Submodules are no files and left out."""
    done = _git(str(root), "ls-tree", "-r", "-z", "-l", "--full-tree", treeish)
    if done.returncode != 0:
        raise _error("ls-tree", done)
    found = []
    for line in filter(None, done.stdout.split(b"\0")):
        facts, _, path = line.partition(b"\t")
        mode, kind, oid, size = facts.decode("ascii").split()
        if kind == "blob":
            found.append(Entry(path=_text(path), oid=oid, size=int(size) if size.isdigit() else 0, mode=mode))
    return tuple(found)


def read_blobs(root: Path, oids: Iterable[str]) -> Iterator[tuple[str, bytes]]:
    """Yield (id, content) of objects, in order, from one process. Raises GitError for one that is not here.

    The format is that of git-cat-file(1), "BATCH OUTPUT".
    """
    wanted = list(oids)
    if not wanted:
        return
    command = ["git", "--no-optional-locks", "-C", str(root), "cat-file", "--batch"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for oid in wanted:
            process.stdin.write(oid.encode() + b"\n")
            process.stdin.flush()
            answer = process.stdout.readline().split()
            if len(answer) != 3:
                hint = "A partial or shallow clone does not have every object: `git fetch` brings them."
                raise GitError(f"the object {oid} is not in this clone", hint=hint)
            content = process.stdout.read(int(answer[2]))
            process.stdout.read(1)
            yield oid, content
        process.stdin.close()


def merge_base(root: Path, one: str, other: str) -> str | None:
    """Return the best common ancestor of two commits; None when none is here."""
    return _run(str(root), "merge-base", one, other, check=False).strip().split("\n")[0] or None


def unreachable(root: Path, commits: Iterable[str], tips: Iterable[str]) -> set[str]:
    """Return those of the commits that no tip leads to; ones that the repository does not have at all included.

    In a shallow clone a commit that is not here counts as reachable: nobody can know.
    """
    wanted = list(dict.fromkeys(commit for commit in commits if commit.isalnum()))
    if not wanted:
        return set()
    asked = "".join(f"{commit}\n" for commit in wanted)
    done = _git(str(root), "cat-file", "--batch-check=%(objectname)", stdin=asked)
    answers = zip(wanted, _text(done.stdout).splitlines(), strict=False)
    full = {commit: answer for commit, answer in answers if not answer.endswith((" missing", " ambiguous"))}
    missing = set() if is_shallow(root) else {commit for commit in wanted if commit not in full}
    if not full:
        return missing
    given = "".join(f"{sha}\n" for sha in full.values()) + "".join(f"^{tip}\n" for tip in tips)
    listed = _git(str(root), "rev-list", "--ignore-missing", "--stdin", stdin=given)
    if listed.returncode != 0:
        raise _error("rev-list", listed)
    outside = set(_text(listed.stdout).split())
    return missing | {commit for commit, sha in full.items() if sha in outside}


def reverted(root: Path, tip: str, since: str) -> set[str]:
    """Return the commits that the history of `tip` takes back, by the line that `git revert` writes.

    Only commits made after `since` (RFC 3339) are looked at. A revert that was itself reverted does not count.
    """
    how = ("--grep=^This reverts commit ", f"--since={since}", "--topo-order", "--format=%H%x00%B%x00")
    fields = _run(str(root), "log", *how, "--encoding=UTF-8", tip, "--").split("\0")
    found: set[str] = set()
    for sha, message in zip(fields[::2], fields[1::2], strict=False):  # the newest first
        if sha.strip() not in found:
            marked = (line for line in message.splitlines() if line.startswith("This reverts commit "))
            found.update(line.split()[3].rstrip(".,") for line in marked)
    return found


def changed_files(root: Path, before: str, after: str) -> tuple[FileChange, ...]:
    """Return the files that two commits have differently, renames found, in the order of their paths."""
    out = _run(str(root), "diff", "--raw", "-z", "-M", "--no-abbrev", "--no-ext-diff", before, after, "--")
    fields = iter(out.split("\0"))
    found = []
    for facts in fields:
        if not facts:
            break
        _, _, before_oid, after_oid, status = facts.split(" ")
        first = next(fields)
        second = next(fields) if status[0] in "RC" else first
        found.append(
            FileChange(
                path=None if status[0] in "AC" else first,
                now=None if status[0] == "D" else second,
                before_oid=before_oid,
                after_oid=after_oid,
            )
        )
    return tuple(found)


def changed_spans(root: Path, before_oid: str, after_oid: str) -> tuple[tuple[int, int], ...]:
    """Return the lines (1-based, inclusive) of one content that another one lacks or has differently.

    Lines that were only added between two others change neither. The format is that of `diff -U0`.
    """
    out = _git(str(root), "diff", "-U0", "--no-color", "--no-ext-diff", "--no-textconv", before_oid, after_oid).stdout
    found = []
    for line in out.split(b"\n"):
        if line.startswith(b"@@ -"):
            start, _, count = line.split(b" ", 2)[1][1:].decode("ascii").partition(",")
            length = int(count) if count else 1
            if length:
                found.append((int(start), int(start) + length - 1))
    return tuple(found)


class Changes(Value):
    """What differs between a commit and the work tree: files that have another name now, and new or changed ones."""

    renamed: dict[str, str]
    changed: frozenset[str]


class Hunk(Value):
    """Lines that were replaced: `count` old ones from `start` by `now_count` from `now_start` (1-based)."""

    start: int
    count: int
    now_start: int
    now_count: int


_HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@", re.M)

_MOST_RENAMES = 8
"""How many names a file is followed through."""

_PLAIN_DIFF = ("diff", "--no-color", "--no-ext-diff", "--no-textconv", "-M")


def changes(root: Path, commit: str) -> Changes | None:
    """Compare a commit with the work tree, by the names of files; None when the commit is not there.

    A file is renamed when git finds at least half of it under another name (git-diff, `-M`).
    """
    done = _git(str(root), *_PLAIN_DIFF, "--name-status", "-z", "--ignore-submodules", f"{commit}^{{commit}}", "--")
    if done.returncode != 0:
        return None
    fields = iter(_text(done.stdout).split("\0"))
    renamed, changed = {}, set()
    for status in fields:
        if not status:
            break
        path = next(fields)
        if status[0] in "RC":
            now = next(fields)
            changed.add(now)
            if status[0] == "R":
                renamed[path] = now
        elif status[0] != "D":
            changed.add(path)
    return Changes(renamed=renamed, changed=frozenset(changed))


def followed(root: Path, commit: str, path: str) -> str | None:
    """Return the name that a commit's file has at HEAD, by the renames of the commits since; None when it has none.

    Unlike `changes`, which compares both ends, it also finds a file that has little in common with what it once was.
    """
    since = commit
    for _ in range(_MOST_RENAMES):
        sha = _last_removal(root, since, path)
        if not sha:
            return None
        how = ("-r", "-z", "-M", "--diff-filter=R", "--name-status", "--no-commit-id", f"{sha}^1", sha)
        fields = _run(str(root), "diff-tree", *how, check=False).split("\0")
        names = dict(zip(fields[1::3], fields[2::3], strict=False))
        if path not in names:
            return None
        since, path = sha, names[path]
        if _git(str(root), "cat-file", "-e", f"HEAD:{path}").returncode == 0:
            return path
    return None


def _last_removal(root: Path, since: str, path: str) -> str:
    """Return the newest commit that took a name away.

    Git's usual walk leaves out branches that never had the name, and may end up on one of them: then the first parents
    are walked.
    """
    how = ("--no-renames", "--diff-filter=D", "--format=%H", f"{since}..HEAD", "--", path)
    usual = _run(str(root), "log", "-1", *how, check=False).strip()
    return usual or _run(str(root), "log", "-1", "--first-parent", *how, check=False).strip()


def removals(root: Path, paths: Iterable[str], *, after: str | None, since: str | None) -> dict[str, str]:
    """Return {path: the newest commit that took its name away}, of those that some commit took away.

    Commits that `after` has are not looked at, nor those older than `since` (RFC 3339).
    """
    wanted = sorted(set(paths))
    span = [f"{after}..HEAD" if after else "HEAD", *([f"--since={since}"] if since else [])]
    how = ("--no-renames", "--diff-filter=D", "--name-only", "-z", "--format=%x01%H")
    found: dict[str, str] = {}
    for first in range(0, len(wanted), _PATHS_A_CALL):
        some = wanted[first : first + _PATHS_A_CALL]
        out = _text(_git(str(root), "--literal-pathspecs", "log", *span, *how, "--", *some).stdout)
        for entry in out.split("\x01")[1:]:
            sha, *names = (field.strip("\n") for field in entry.split("\0"))
            for name in filter(None, names):
                found.setdefault(name, sha)
    return found


def renames(root: Path, commits: Iterable[str]) -> dict[tuple[str, str], str]:
    """Return {(commit, old name): new name} of the files that each commit renamed; of a merge none."""
    asked = "".join(f"{commit}\n" for commit in dict.fromkeys(commits))
    if not asked:
        return {}
    how = ("--stdin", "-r", "-z", "-M", "--diff-filter=R", "--name-status")
    fields = iter(_text(_git(str(root), "diff-tree", *how, stdin=asked).stdout).split("\0"))
    found: dict[tuple[str, str], str] = {}
    commit = ""
    for field in fields:
        if field.startswith("R"):
            old = next(fields)
            found[commit, old] = next(fields)
        elif field:
            commit = field
    return found


def holds(root: Path, commit: str, paths: Iterable[str]) -> set[str]:
    """Return those of the paths that a commit has."""
    wanted = sorted(path for path in set(paths) if "\n" not in path)
    asked = "".join(f"{commit}:{path}\n" for path in wanted)
    answers = _text(_git(str(root), "cat-file", "--batch-check=%(objecttype)", stdin=asked).stdout).splitlines()
    return {path for path, answer in zip(wanted, answers, strict=False) if answer == "blob"}


def is_ancestor(root: Path, one: str, other: str) -> bool:
    """Whether a commit is in another one's history."""
    return _git(str(root), "merge-base", "--is-ancestor", one, other).returncode == 0


def hunks(root: Path, commit: str, path: str, now: str) -> tuple[Hunk, ...] | None:
    """Return what was replaced in a file since a commit, in order, blanks aside; `now` is its name in the work tree.

    None when the commit does not have it.
    """
    done = _git(str(root), *_PLAIN_DIFF, "-w", "-U0", f"{commit}:{path}", "--", now)
    if done.returncode != 0:
        return None
    return tuple(
        Hunk(start=int(old), count=int(size or 1), now_start=int(new), now_count=int(new_size or 1))
        for old, size, new, new_size in _HUNK.findall(done.stdout.decode("utf-8", "replace"))
    )


def blob(root: Path, commit: str, path: str) -> bytes | None:
    """Return a file as a commit has it; None when the commit or the file is not there."""
    done = _git(str(root), "cat-file", "blob", f"{commit}:{path}")
    return done.stdout if done.returncode == 0 else None


def untracked(root: Path) -> tuple[str, ...]:
    """Return the files that git neither tracks nor ignores, sorted; none without git."""
    done = _git(str(root), "ls-files", "-z", "--others", "--exclude-standard")
    return tuple(sorted(_text(name) for name in done.stdout.split(b"\0") if name)) if done.returncode == 0 else ()


def naming(root: Path, texts: Sequence[str], suffix: str) -> tuple[str, ...]:
    """Return the files of the work tree that end in `suffix` and hold one of some texts, between words, sorted.

    Untracked files are looked at, too.
    """
    asked = [part for text in texts for part in ("-e", text)]
    done = _git(str(root), "grep", "-l", "-z", "-I", "-F", "-w", "--untracked", *asked, "--", f"*{suffix}")
    return tuple(sorted(_text(name) for name in done.stdout.split(b"\0") if name)) if done.returncode == 0 else ()


def _run(root: str, *arguments: str, check: bool = True) -> str:
    done = _git(root, *arguments)
    if check and done.returncode != 0:
        raise _error(arguments[0], done)
    return _text(done.stdout)


def _git(root: str, *arguments: str, stdin: str | None = None) -> subprocess.CompletedProcess[bytes]:
    command = ["git", "--no-optional-locks", "-c", "core.quotePath=false", "-c", "log.showSignature=false", "-C", root]
    given = None if stdin is None else stdin.encode("utf-8", "surrogateescape")
    extra: dict[str, Any] = {"stdin": subprocess.DEVNULL} if given is None else {"input": given}
    try:
        return subprocess.run(
            [*command, *arguments],
            capture_output=True,
            timeout=_TIMEOUT_SECONDS,
            check=False,
            **extra,
        )
    except FileNotFoundError:
        raise GitError("git is not installed or not on the PATH", hint="Install git and try again.") from None
    except subprocess.TimeoutExpired:
        raise GitError(f"git {arguments[0]} took more than {_TIMEOUT_SECONDS} s") from None


def _error(what: str, done: subprocess.CompletedProcess[bytes]) -> GitError:
    words = done.stderr.decode("utf-8", "replace").strip().splitlines()
    return GitError(f"git {what} failed: {words[-1] if words else f'exit status {done.returncode}'}")


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


class BlobChange(Value):
    """What one commit did to one file: the blobs before it, one a parent, and the one after it; "" for no file."""

    commit: str
    time: str
    subject: str
    path: str
    before: tuple[str, ...]
    after: str


def blob_changes(root: Path, folder: str) -> tuple[BlobChange, ...]:
    """Return every change of the files in a folder, newest first: of all branches, tags, remotes, stashes and reflogs.

    A merge counts where its file is that of none of its parents. Empty without git and without a commit.
    """
    place = locate(str(root))
    if not place.git_dir:
        return ()
    how = ("--all", "--reflog", "--full-history", "-c", "--root", "--raw", "--no-abbrev", "--no-renames")
    out = _run(str(root), "log", *how, "--encoding=UTF-8", "--format=%x01%H%x00%ct%x00%s", "--", folder, check=False)
    found: list[BlobChange] = []
    sha, seconds, subject = "", "0", ""
    for line in out.split("\n"):
        if line.startswith("\x01"):
            sha, seconds, subject = line[1:].split("\0", 2)
        elif line.startswith(":"):
            parents = len(line) - len(line.lstrip(":"))
            fields, _, path = line[parents:].partition("\t")
            shas = ["" if not name.strip("0") else name for name in fields.split(" ")[parents + 1 : 2 * parents + 2]]
            found.append(
                BlobChange(
                    commit=sha,
                    time=_time(seconds),
                    subject=subject,
                    path=path,
                    before=tuple(shas[:-1]),
                    after=shas[-1],
                )
            )
    return tuple(found)


def blobs(root: Path, shas: list[str]) -> Iterator[tuple[str, bytes]]:
    """Yield (sha, content) of the blobs that are here; a partial clone may lack some."""
    if not shas:
        return
    out = _git(str(root), "cat-file", "--batch", stdin="\n".join(shas) + "\n").stdout
    at = 0
    while at < len(out):
        end = out.index(b"\n", at)
        head = out[at:end].split(b" ")
        at = end + 1
        if len(head) == 3:
            size = int(head[2])
            yield head[0].decode("ascii"), out[at : at + size]
            at += size + 1


def tips(root: Path, folder: str) -> Iterator[tuple[str, set[str]]]:
    """Yield (name of a branch, tag, remote branch or stash; blobs in a folder of its tree), by name."""
    if not locate(str(root)).git_dir:
        return
    for name in _run(str(root), "for-each-ref", "--format=%(refname)", check=False).split():
        out = _run(str(root), "ls-tree", "-r", "-z", name, "--", folder, check=False)
        yield name, {entry.partition("\t")[0].split(" ")[-1] for entry in out.split("\0") if entry}


def _time(seconds: str) -> str:
    from datetime import UTC, datetime

    return datetime.fromtimestamp(int(seconds), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
