"""What the object store holds: trees, the content of files, and what commits did to a folder."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path

from muninn_core.git.run import GitError, call, error_of, run, text_of, time_of
from muninn_core.launch.place import locate
from muninn_core.model.value import Value


class Entry(Value):
    """A file of a commit's tree. `oid` names its content, `size` is in bytes; `mode` is git's, such as 100644."""

    path: str
    oid: str
    size: int
    mode: str


def tree_ids(root: Path, commits: Iterable[str], path: str) -> dict[str, str]:
    """Return {commit: id} of what each commit has at a path; commits that have nothing there are left out."""
    wanted = list(dict.fromkeys(commits))
    if not wanted:
        return {}
    asked = "".join(f"{commit}:{path}\n" for commit in wanted)
    done = call(str(root), "cat-file", "--batch-check=%(objectname) %(objecttype)", stdin=asked)
    if done.returncode != 0:
        raise error_of("cat-file", done)
    answers = text_of(done.stdout).splitlines()
    return {
        commit: answer.split(" ", 1)[0]
        for commit, answer in zip(wanted, answers, strict=True)
        if not answer.endswith((" missing", " ambiguous"))
    }


def list_tree(root: Path, treeish: str) -> tuple[Entry, ...]:
    """Return the files of a commit or tree, in git's order. Submodules are no files and left out."""
    done = call(str(root), "ls-tree", "-r", "-z", "-l", "--full-tree", treeish)
    if done.returncode != 0:
        raise error_of("ls-tree", done)
    found = []
    for line in filter(None, done.stdout.split(b"\0")):
        facts, _, path = line.partition(b"\t")
        mode, kind, oid, size = facts.decode("ascii").split()
        if kind == "blob":
            found.append(Entry(path=text_of(path), oid=oid, size=int(size) if size.isdigit() else 0, mode=mode))
    return tuple(found)


def read_blobs(root: Path, oids: Iterable[str], *, lacking: bool = False) -> Iterator[tuple[str, bytes]]:
    """Yield (id, content) of objects, in order, from one process.

    Raises GitError for one that is not here; with `lacking` it is passed over, as a partial clone may not have it.
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
            if len(answer) != 3 and lacking:
                continue
            if len(answer) != 3:
                hint = "A partial or shallow clone does not have every object: `git fetch` brings them."
                raise GitError(f"the object {oid} is not in this clone", hint=hint)
            content = process.stdout.read(int(answer[2]))
            process.stdout.read(1)
            yield oid, content
        process.stdin.close()


def holds(root: Path, commit: str, paths: Iterable[str]) -> set[str]:
    """Return those of the paths that a commit has."""
    wanted = sorted(path for path in set(paths) if "\n" not in path)
    asked = "".join(f"{commit}:{path}\n" for path in wanted)
    answers = text_of(call(str(root), "cat-file", "--batch-check=%(objecttype)", stdin=asked).stdout).splitlines()
    return {path for path, answer in zip(wanted, answers, strict=False) if answer == "blob"}


def blob(root: Path, commit: str, path: str) -> bytes | None:
    """Return a file as a commit has it; None when the commit or the file is not there."""
    done = call(str(root), "cat-file", "blob", f"{commit}:{path}")
    return done.stdout if done.returncode == 0 else None


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
    out = run(str(root), "log", *how, "--encoding=UTF-8", "--format=%x01%H%x00%ct%x00%s", "--", folder, check=False)
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
                    time=time_of(seconds),
                    subject=subject,
                    path=path,
                    before=tuple(shas[:-1]),
                    after=shas[-1],
                )
            )
    return tuple(found)


def tips(root: Path, folder: str) -> Iterator[tuple[str, set[str]]]:
    """Yield (name of a branch, tag, remote branch or stash; blobs in a folder of its tree), by name."""
    if not locate(str(root)).git_dir:
        return
    for name in run(str(root), "for-each-ref", "--format=%(refname)", check=False).split():
        out = run(str(root), "ls-tree", "-r", "-z", name, "--", folder, check=False)
        yield name, {entry.partition("\t")[0].split(" ")[-1] for entry in out.split("\0") if entry}
