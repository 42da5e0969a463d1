"""Where HEAD is, and what git knows of the files of a work tree."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from muninn_core.git.run import PATHS_A_CALL, call, error_of, run, text_of
from muninn_core.launch.place import Place, locate
from muninn_core.model.value import Value


class Head(Value):
    """Where HEAD is. `commit` is None before the first commit, `branch` None when HEAD is detached."""

    commit: str | None = None
    branch: str | None = None


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
        commit = run(place.root, "rev-parse", "--verify", "-q", "HEAD", check=False).strip()
        name = run(place.root, "symbolic-ref", "-q", "--short", "HEAD", check=False).strip()
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


def noted(place: Place) -> object:
    """Return what changes when git writes down something about a work tree's files: in the index, for one.

    The list of what this clone ignores and its configuration count, too; a person edits them.
    """
    own, common = place.git_dir, place.identity
    return tuple(map(_stamp, (f"{own}/index", f"{common}/info/exclude", f"{common}/config")))


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
    for first in range(0, len(paths), PATHS_A_CALL):
        for path in _listed(root, *paths[first : first + PATHS_A_CALL]):
            named.add(path)
            while (path := path.rpartition("/")[0]) and path not in named:
                named.add(path)
    return {path for path in paths if path not in named and os.path.lexists(root / path)}


def _listed(root: Path, *paths: str) -> set[str]:
    done = call(
        str(root),
        *("--literal-pathspecs", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--"),
        *paths,
    )
    if done.returncode != 0:
        raise error_of("ls-files", done)
    return {text_of(name) for name in done.stdout.split(b"\0") if name}


def hooks_folder(root: Path) -> Path:
    """Return the folder in which git looks for hooks, which need not be there; `core.hooksPath` may name another."""
    return root / run(str(root), "rev-parse", "--git-path", "hooks").rstrip("\n")


def untracked(root: Path) -> tuple[str, ...]:
    """Return the files that git neither tracks nor ignores, sorted; none without git."""
    done = call(str(root), "ls-files", "-z", "--others", "--exclude-standard")
    return tuple(sorted(text_of(name) for name in done.stdout.split(b"\0") if name)) if done.returncode == 0 else ()


def naming(root: Path, texts: Sequence[str], suffix: str) -> tuple[str, ...]:
    """Return the files of the work tree that end in `suffix` and hold one of some texts, between words, sorted.

    Untracked files are looked at, too.
    """
    asked = [part for text in texts for part in ("-e", text)]
    done = call(str(root), "grep", "-l", "-z", "-I", "-F", "-w", "--untracked", *asked, "--", f"*{suffix}")
    return tuple(sorted(text_of(name) for name in done.stdout.split(b"\0") if name)) if done.returncode == 0 else ()
