"""Reads the object store: trees, file contents, and the changes of a folder."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path

from muninn_core.git.partial import FETCH_HINT, is_partial
from muninn_core.git.run import (
    PATHS_PER_CALL,
    GitError,
    command,
    decode,
    environment,
    format_time,
    git_error,
    readable,
    run,
    run_process,
)
from muninn_core.launch.repository_location import locate
from muninn_core.model.value import Value


class Entry(Value):
    """A file of a commit's tree: its blob's id, its size in bytes and git's mode, such as 100644."""

    path: str
    oid: str
    size: int
    mode: str


def tree_ids(root: Path, commits: Iterable[str], path: str) -> dict[str, str]:
    """Return {commit: id of the object at `path`}; commits without that path are left out. Raises GitError."""
    wanted = list(dict.fromkeys(commits))
    if not wanted:
        return {}
    stdin = "".join(f"{commit}:{path}\n" for commit in wanted)
    done = run_process(str(root), "cat-file", "--batch-check=%(objectname) %(objecttype)", stdin=stdin)
    if done.returncode != 0:
        raise git_error("cat-file", done)
    answers = decode(done.stdout).splitlines()
    return {
        commit: answer.split(" ", 1)[0]
        for commit, answer in zip(wanted, answers, strict=True)
        if not answer.endswith((" missing", " ambiguous"))
    }


def list_tree(root: Path, treeish: str) -> tuple[Entry, ...]:
    """Return the files of a commit or tree, in git's order, without submodules. Raises GitError.

    In a partial clone that lacks a file's content, every size is 0.
    """
    done = run_process(str(root), "ls-tree", "-r", "-z", "-l", "--full-tree", treeish)
    if done.returncode != 0 and is_partial(root):
        done = run_process(str(root), "ls-tree", "-r", "-z", "--full-tree", treeish)
    if done.returncode != 0:
        raise git_error("ls-tree", done)
    found = []
    for line in filter(None, done.stdout.split(b"\0")):
        facts, _, path = line.partition(b"\t")
        mode, kind, oid, *sizes = facts.decode("ascii").split()
        if kind == "blob":
            found.append(Entry(path=decode(path), oid=oid, size=sum(map(int, filter(str.isdigit, sizes))), mode=mode))
    return tuple(found)


def read_blobs(root: Path, oids: Iterable[str], *, skip_missing: bool = False) -> Iterator[tuple[str, bytes]]:
    """Yield (id, content) of objects, in order, from one process.

    Raises GitError for an object that is missing, as in a partial clone; with `skip_missing` it is skipped. Source of
    the format: git-cat-file(1), "BATCH OUTPUT".
    """
    wanted = list(oids)
    while wanted:
        missing = None
        for oid, content in _read_until_missing(root, wanted):
            if content is None:
                missing = oid
                break
            yield oid, content
        if missing is None:
            return
        if not skip_missing:
            hint = FETCH_HINT if is_partial(root) else "A shallow clone lacks objects. `git fetch` fetches them."
            raise GitError(f"the object {missing} is not in this clone", hint=hint)
        wanted = wanted[wanted.index(missing) + 1 :]


def _read_until_missing(root: Path, oids: list[str]) -> Iterator[tuple[str, bytes | None]]:
    """Yield (id, content) from one process; None for a missing object, after which the process may have ended."""
    with subprocess.Popen(
        command(str(root), "cat-file", "--batch"),
        env=environment(str(root)),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for oid in oids:
            try:
                process.stdin.write(oid.encode() + b"\n")
                process.stdin.flush()
            except OSError:
                yield oid, None
                return
            answer = process.stdout.readline().split()
            if len(answer) != 3:
                yield oid, None
                continue
            content = process.stdout.read(int(answer[2]))
            process.stdout.read(1)
            yield oid, content
        process.stdin.close()


def unmerged_blobs(root: Path, folder: str) -> tuple[str, ...]:
    """Return the ids of both sides of the files in a folder that a merge left in conflict. Empty without git.

    A merge without markers (`merge=binary`) leaves one side in the work tree; git's index has both. Raises GitError.
    """
    if not locate(str(root)).git_dir:
        return ()
    done = run_process(str(root), "--literal-pathspecs", "ls-files", "-u", "-z", "--", folder)
    if done.returncode != 0:
        raise git_error("ls-files", done)
    facts = [entry.split(b"\t", 1)[0].decode("ascii").split() for entry in done.stdout.split(b"\0") if entry]
    return tuple(oid for mode, oid, stage in facts if stage != "1" and mode.startswith("100"))


def existing_paths(root: Path, commit: str, paths: Iterable[str]) -> set[str]:
    """Return the subset of `paths` that are files in a commit. Raises GitError.

    Trees suffice, so that a partial clone without the files' contents gives the same result.
    """
    wanted = sorted(set(paths))
    found: set[str] = set()
    for first in range(0, len(wanted), PATHS_PER_CALL):
        batch = wanted[first : first + PATHS_PER_CALL]
        out = run(str(root), "ls-tree", "-z", "--full-tree", commit, "--", *batch)
        rows = (row.partition("\t") for row in out.split("\0") if row)
        found.update(path for facts, _, path in rows if facts.split(" ")[1] == "blob")
    return found.intersection(wanted)


def read_blob(root: Path, commit: str, path: str) -> bytes | None:
    """Return a file's content at a commit; None when the commit or the file does not exist."""
    done = run_process(str(root), "cat-file", "blob", f"{commit}:{path}")
    return done.stdout if done.returncode == 0 else None


class BlobChange(Value):
    """One commit's change of one file: the blob in each parent, and the one after it; "" stands for no file."""

    commit: str
    time: str
    subject: str
    path: str
    before: tuple[str, ...]
    after: str


def blob_changes(root: Path, folder: str) -> tuple[BlobChange, ...]:
    """Return every change of the files in a folder, newest first, from all refs, stashes and reflogs.

    A merge counts when its file differs from all parents. Empty without git and without commits. Raises GitError.
    """
    location = locate(str(root))
    if not location.git_dir:
        return ()
    options = ("--all", "--reflog", "--full-history", "-c", "--root", "--raw", "--no-abbrev", "--no-renames")
    out = run(str(root), "log", *options, "--encoding=UTF-8", "--format=%x01%H%x00%ct%x00%s", "--", folder)
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
                    time=format_time(seconds),
                    subject=readable(subject),
                    path=path,
                    before=tuple(shas[:-1]),
                    after=shas[-1],
                )
            )
    return tuple(found)


def list_ref_blobs(root: Path, folder: str) -> Iterator[tuple[str, set[str]]]:
    """Yield (full name, ids of the blobs in a folder) for each ref, sorted by name. Yields nothing without git.

    Raises GitError.
    """
    if not locate(str(root)).git_dir:
        return
    for name in run(str(root), "for-each-ref", "--format=%(refname)").split("\n")[:-1]:
        out = run(str(root), "ls-tree", "-r", "-z", name, "--", folder, check=False)  # a tag of a file has no tree
        yield name, {entry.partition("\t")[0].split(" ")[-1] for entry in out.split("\0") if entry}
