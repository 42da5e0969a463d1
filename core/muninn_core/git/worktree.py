"""The state of HEAD, and what git says about the files of a work tree."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

from muninn_core.git.run import PATHS_PER_CALL, decode, git_error, run, run_process
from muninn_core.launch.repository_location import RepositoryLocation, locate
from muninn_core.model.value import Value

_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_SUBMODULE = b"160000 "
"""The mode of a submodule in git's index."""

_MAX_SYMBOLIC = 5
"""How many symbolic references git follows (SYMREF_MAXDEPTH in refs.h)."""


class Head(Value):
    """`commit` is None before the first commit; `branch` is None when HEAD is detached."""

    commit: str | None = None
    branch: str | None = None


def read_head(location: RepositoryLocation) -> Head:
    """Read HEAD from git's files, without a process, in some tens of microseconds. Both fields are None without git, or
    when HEAD is damaged.

    With the reftable format git is run instead. Raises GitError when that fails.
    """
    if not location.git_dir:
        return Head()
    try:
        text = (Path(location.git_dir) / "HEAD").read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return Head()
    ref = _ref_in(text)
    if ref is None:
        return Head(commit=_commit_in(text))
    if ref == "refs/heads/.invalid":  # the reftable format stores refs elsewhere
        commit = run(location.root, "rev-parse", "--verify", "-q", "HEAD", check=False).strip()
        name = run(location.root, "symbolic-ref", "-q", "--short", "HEAD", check=False).strip()
        return Head(commit=commit or None, branch=name or None)
    branch = _followed(location, ref)[-1]
    return Head(commit=_resolve(location, branch), branch=branch.removeprefix("refs/heads/"))


class HeadReader:
    """Reads HEAD again only when one of its files has changed. Safe for several threads."""

    def __init__(self, location: RepositoryLocation) -> None:
        self._location = location
        self._cached: tuple[tuple[str, ...], tuple[object, ...], Head] = ((), (), Head())

    def read(self) -> Head:
        """Return the current HEAD."""
        paths, stamps, cached = self._cached
        if paths and stamps == tuple(map(_stamp, paths)):
            return cached
        for _ in range(3):  # retry when a commit happens between the two stamps
            paths = self._paths()
            stamps = tuple(map(_stamp, paths))
            cached = read_head(self._location)
            if stamps == tuple(map(_stamp, paths)) and paths == self._paths():
                self._cached = (paths, stamps, cached)
                break
        return cached

    def _paths(self) -> tuple[str, ...]:
        """Return the files that decide HEAD's commit; empty without git or with the reftable format."""
        if not self._location.git_dir:
            return ()
        first = f"{self._location.git_dir}/HEAD"
        try:
            with open(first, encoding="utf-8") as file:  # noqa: PTH123 (hot)
                text = file.read().strip()
        except (OSError, UnicodeDecodeError):
            return ()
        ref = _ref_in(text)
        if ref is None:
            return (first,)
        if ref.endswith("/.invalid"):
            return ()  # the reftable format
        own, common = self._location.git_dir, self._location.identity
        refs = [f"{folder}/{name}" for name in _followed(self._location, ref) for folder in (own, common)]
        return (first, *dict.fromkeys(refs), f"{common}/packed-refs")  # one folder in the main work tree


def index_stamp(location: RepositoryLocation) -> object:
    """Return a value that changes with git's index, `info/exclude` and config: compare two for equality."""
    own, common = location.git_dir, location.identity
    return tuple(map(_stamp, (f"{own}/index", f"{common}/info/exclude", f"{common}/config")))


def _stamp(path: str) -> object:
    """Return a value that changes when git replaces a file, which it does by renaming a new one; None when missing."""
    try:
        status = os.stat(path)  # noqa: PTH116 (hot)
    except OSError:
        return None
    return (status.st_ino, status.st_mtime_ns, status.st_size)


def _followed(location: RepositoryLocation, ref: str) -> list[str]:
    """Return a reference and those that it leads to: `git symbolic-ref refs/heads/master refs/heads/main` makes one."""
    refs = [ref]
    while len(refs) <= _MAX_SYMBOLIC and (target := _ref_in((_loose_text(location, refs[-1]) or "").strip())):
        refs.append(target)
    return refs


def _loose_text(location: RepositoryLocation, ref: str) -> str | None:
    """Return the text of a reference's own file; None without one."""
    for folder in (location.git_dir, location.identity):
        try:
            return (Path(folder) / ref).read_text("utf-8")
        except (OSError, UnicodeDecodeError):
            continue
    return None


def _resolve(location: RepositoryLocation, ref: str) -> str | None:
    loose = _loose_text(location, ref)
    if loose is not None:
        return _commit_in(loose)
    try:
        packed = (Path(location.identity) / "packed-refs").read_text("utf-8", "replace")
    except OSError:
        return None
    for line in packed.split("\n"):
        sha, _, name = line.partition(" ")
        if name == ref:
            return _commit_in(sha)
    return None


def _ref_in(text: str) -> str | None:
    """Return the reference in the text of a symbolic one; None for a commit, and for damage such as zeros."""
    ref = text.removeprefix("ref: ")
    sound = ref != text and ref.startswith("refs/") and "\0" not in ref and ".." not in ref
    return ref if sound else None


def _commit_in(text: str) -> str | None:
    """Return the id of a commit that is a text; None for any other text."""
    text = text.strip()
    return text if _COMMIT.fullmatch(text) else None


def list_files(root: Path) -> list[str] | None:
    """Return the tracked and the untracked, not ignored paths (POSIX, relative, sorted); None without git.

    A tracked file that is deleted from the work tree is included. Raises GitError.
    """
    return None if not locate(str(root)).git_dir else sorted(_list_paths(root))


def left_out_files(root: Path) -> frozenset[str]:
    """Return the tracked paths that a sparse checkout leaves out of the work tree; empty without one. Raises GitError.

    Source: git-sparse-checkout(1) and git-ls-files(1), `-t`.
    """
    if not locate(str(root)).is_sparse:
        return frozenset()
    done = run_process(str(root), "ls-files", "-z", "-t")
    if done.returncode != 0:
        raise git_error("ls-files", done)
    return frozenset(decode(row[2:]) for row in done.stdout.split(b"\0") if row.startswith(b"S "))


def nested_repositories(root: Path) -> tuple[str, ...]:
    """Return the folders that are repositories of their own, sorted: submodules, and others that are not ignored.

    Linked work trees are none. Empty without git.
    """
    done = run_process(str(root), "ls-files", "-z", "--stage")
    submodules = [row.partition(b"\t")[2] for row in done.stdout.split(b"\0") if row.startswith(_SUBMODULE)]
    others = (path.rstrip("/") for path in untracked_files(root) if path.endswith("/"))
    found = [*map(decode, submodules), *(path for path in others if not locate(str(root / path)).linked)]
    return tuple(sorted(found)) if done.returncode == 0 else ()


def ignored_paths(root: Path, paths: list[str]) -> set[str]:
    """Return the existing ones of `paths` that `list_files` names neither themselves nor as a folder of a named path.

    These are ignored files, files behind symbolic links and files of nested repositories (`git check-ignore` refuses
    the last two). Empty without git. Raises GitError.
    """
    if not paths or not locate(str(root)).git_dir:
        return set()
    named: set[str] = set()
    for first in range(0, len(paths), PATHS_PER_CALL):
        for path in _list_paths(root, *paths[first : first + PATHS_PER_CALL]):
            named.add(path)
            while (path := path.rpartition("/")[0]) and path not in named:
                named.add(path)
    return {path for path in paths if path not in named and os.path.lexists(root / path)}


def _list_paths(root: Path, *paths: str) -> set[str]:
    done = run_process(
        str(root),
        *("--literal-pathspecs", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--"),
        *paths,
    )
    if done.returncode != 0:
        raise git_error("ls-files", done)
    return {decode(name) for name in done.stdout.split(b"\0") if name}


def hooks_folder(root: Path) -> Path:
    """Return the folder that git reads hooks from, which need not exist; `core.hooksPath` can change it."""
    given = run(str(root), "config", "-z", "--type=path", "--get-all", "core.hooksPath").split("\0")[:-2]
    # The last value is the one that all our git processes get.
    return root / given[-1] if given else Path(locate(str(root)).identity) / "hooks"


def configured_root(location: RepositoryLocation) -> str:
    """Return the main work tree that the configuration names, as that of a submodule does; "" for none.

    A relative path begins at git's common directory.
    """
    return run(location.root, "config", "--file", f"{location.identity}/config", "core.worktree", check=False).rstrip(
        "\n"
    )


def untracked_files(root: Path) -> tuple[str, ...]:
    """Return the untracked files that are not ignored, sorted; empty without git."""
    done = run_process(str(root), "ls-files", "-z", "--others", "--exclude-standard")
    return tuple(sorted(decode(name) for name in done.stdout.split(b"\0") if name)) if done.returncode == 0 else ()


def files_containing(
    root: Path, texts: Sequence[str], suffixes: Sequence[str], *, commit: str | None = None
) -> tuple[str, ...]:
    """Return the files with one of some suffixes that contain one of `texts` as whole words, sorted.

    Without a commit (a full id) the work tree is searched, with its untracked files.
    """
    patterns = [part for text in texts for part in ("-e", text)]
    where = [commit] if commit else []
    places = ["--", *(f"*{suffix}" for suffix in suffixes)]
    options = ["-l", "-z", "-I", "-F", "-w", *([] if commit else ["--untracked"])]
    done = run_process(str(root), "grep", *options, *patterns, *where, *places)
    names = [decode(name) for name in done.stdout.split(b"\0") if name] if done.returncode == 0 else []
    return tuple(sorted(name[len(commit) + 1 :] if commit else name for name in names))
