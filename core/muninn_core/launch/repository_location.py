"""Finds the work tree around a folder without running git.

Source of the layout: gitrepository-layout(5) (`.git` as a file with `gitdir:`, `commondir`).
"""

from __future__ import annotations

import os
import stat

from muninn_core.errors import NotARepository, NotInitialised


class RepositoryLocation:
    """A work tree, and the identity that it shares with the other work trees of its repository.

    `root` is the top folder. `identity` is git's common directory, or `root` without git. `git_dir` is the work tree's
    own git directory, "" without git.
    """

    __slots__ = ("git_dir", "identity", "root")

    def __init__(self, root: str, identity: str, git_dir: str) -> None:
        self.root = root
        self.identity = identity
        self.git_dir = git_dir

    @property
    def linked(self) -> bool:
        """Whether this is a linked work tree (`git worktree add`)."""
        return bool(self.git_dir) and self.git_dir != self.identity

    @property
    def main(self) -> str:
        """The main checkout of a linked work tree, where it has one; else `root`."""
        above, name = os.path.split(self.identity)
        return above if self.linked and name == ".git" else self.root

    @property
    def project(self) -> str:
        """The name of the repository's folder, the same in all its work trees.

        A git directory with a hidden name, as `.git` or `.bare`, is named by its folder.
        """
        above, name = os.path.split(self.identity)
        return os.path.basename(above) if name.startswith(".") and self.git_dir else name.removesuffix(".git")

    @property
    def local(self) -> str:
        """The folder of the work tree's private files. That of a linked one survives `git worktree remove`."""
        if self.linked:
            return os.path.join(self.identity, "muninn", os.path.basename(self.git_dir))
        return os.path.join(self.root, ".muninn", "local")

    @property
    def journal(self) -> str:
        """The folder of the repository's journal. All work trees share it, and it survives a removed one."""
        if self.git_dir:
            return os.path.join(self.identity, "muninn-journal")
        return os.path.join(self.local, "journal")

    @property
    def cache(self) -> str:
        """The folder of the work tree's index. That of a linked work tree is outside it.

        `git worktree remove` fails when a file appears in the work tree meanwhile.
        """
        if self.linked:
            return os.path.join(self.local, "cache")
        return os.path.join(self.root, ".muninn", "cache")

    def repository_fingerprint(self) -> tuple[tuple[int, int], ...] | None:
        """Return what tells the repository from later ones of the same path; None when it is gone.

        For a linked work tree, which git may remove, that is the common directory alone.
        """
        if not self.linked:
            return self.fingerprint()
        try:
            return (_identity(os.stat(self.identity)),)
        except OSError:
            return None

    def fingerprint(self) -> tuple[tuple[int, int], ...] | None:
        """Return what tells the work tree and its git directory from later ones of the same names, in microseconds.

        None when the work tree or its git directory is missing, or a folder without git lies in a repository now.
        """
        try:
            if not self.git_dir:
                return None if locate(self.root).git_dir else (_identity(os.stat(self.root)),)
            os.stat(os.path.join(self.git_dir, "HEAD"))
            dot_git = os.lstat(os.path.join(self.root, ".git"))
            seen = [_identity(os.stat(path)) for path in (self.root, self.git_dir, self.identity)]
        except (OSError, NotARepository):
            return None
        # A `.git` file may be written anew for another git directory; a folder of that name changes all the time.
        written = (dot_git.st_mtime_ns, dot_git.st_size) if stat.S_ISREG(dot_git.st_mode) else (0, 0)
        return (*seen, _identity(dot_git), written)

    @property
    def has_memory(self) -> bool:
        """Whether the work tree has a folder `.muninn`."""
        return os.path.isdir(os.path.join(self.root, ".muninn"))

    @property
    def is_sparse(self) -> bool:
        """Whether the work tree has, or once had, a sparse checkout, which leaves tracked files out."""
        return bool(self.git_dir) and os.path.exists(os.path.join(self.git_dir, "info", "sparse-checkout"))

    def not_initialised(self) -> NotInitialised:
        """Return the error for a work tree without `.muninn`, with how it gets one.

        A second `.muninn` beside that of the main checkout would split its memory.
        """
        hint = "`muninn init` creates it and changes nothing else."
        if self.is_sparse:
            hint = (
                "If the sparse checkout leaves it out, `git sparse-checkout add .muninn` brings it. "
                "In a repository without memory `muninn init` creates it."
            )
        if self.main != self.root and os.path.isdir(os.path.join(self.main, ".muninn")):
            hint = f"{self.main} has one: commit it there, and merge that commit into this branch."
        return NotInitialised(f"there is no .muninn in {self.root}", hint=hint)

    def is_current(self) -> bool:
        """Whether the folder still is the work tree that was located."""
        try:
            found = locate(self.root)
        except NotARepository:
            return False
        return (found.root, found.identity, found.git_dir) == (self.root, self.identity, self.git_dir)


def _identity(status: os.stat_result) -> tuple[int, int]:
    return (status.st_dev, status.st_ino)


def nested_root(root: str, path: str) -> str:
    """Return the folder of the repository inside `root` that a relative path belongs to, such as a submodule.

    "" for a path of the repository at `root` itself.
    """
    parts = [part for part in path.split("/") if part not in ("", ".")]
    if ".." in parts or "\0" in path:
        return ""
    for count in range(1, len(parts) + 1):
        folder = "/".join(parts[:count])
        if os.path.lexists(os.path.join(root, folder, ".git")):
            return folder
    return ""


def nested_advice(folder: str) -> str:
    """Return what to do about a repository inside another one, whose files that one does not index."""
    return (
        f"`muninn --repo {folder} init` starts its memory, `muninn repos add {folder}` lists it,"
        f" and `--repos {os.path.basename(folder)}` asks it too."
    )


def locate(start: str) -> RepositoryLocation:
    """Return the work tree around a folder. Without git the root is the nearest folder with `.muninn`, else `start`.

    Raises NotARepository when the folder is missing, is not a folder, can't be entered, or is a bare repository.
    """
    if not start:
        raise NotARepository("the folder's name is empty", hint="Give the folder of a repository, or leave --repo out.")
    if "\0" in start:
        raise NotARepository(f"{start!r} is no path: it has a NUL", hint="Give the folder of a repository.")
    try:
        here = os.path.realpath(start)
    except FileNotFoundError:  # of a relative path
        hint = "Change to another folder, or give one with --repo DIR."
        raise NotARepository("the working folder does not exist any more", hint=hint) from None
    if not os.path.isdir(here):
        what = "is not a folder" if os.path.exists(here) else "does not exist"
        raise NotARepository(f"{here} {what}", hint="Give the folder of a repository with --repo DIR.")
    if not os.access(here, os.R_OK | os.X_OK):
        raise NotARepository(f"{here} can't be read", hint="Check its permissions.")
    nearest_memory = ""
    folder = here
    while True:
        location = _git_location(folder)
        if location is not None:
            return location
        if os.path.basename(folder) != ".git" and _is_git_dir(folder):
            raise _bare_error(folder)
        if not nearest_memory and os.path.isdir(os.path.join(folder, ".muninn")):
            nearest_memory = folder
        parent = os.path.dirname(folder)
        if parent == folder:
            break
        folder = parent
    root = nearest_memory or here
    return RepositoryLocation(root, root, "")


def _git_location(folder: str) -> RepositoryLocation | None:
    dot_git = os.path.join(folder, ".git")
    if os.path.isdir(dot_git):
        git_dir = os.path.realpath(dot_git)
    elif os.path.isfile(dot_git):
        git_dir = _read_gitdir(dot_git, folder)
    else:
        return None
    if not os.path.exists(os.path.join(git_dir, "HEAD")):
        return None
    common = git_dir
    try:
        with open(os.path.join(git_dir, "commondir"), encoding="utf-8") as file:
            common = os.path.realpath(os.path.join(git_dir, file.read(4096).strip()))
        _check_linked(folder, git_dir, common)
    except (UnicodeDecodeError, ValueError):
        return None
    except OSError:  # only linked work trees have `commondir`
        if os.path.isfile(dot_git) and _is_configured_bare(git_dir):
            raise _bare_error(folder) from None
    return RepositoryLocation(folder, common, git_dir)


def _check_linked(folder: str, git_dir: str, common: str) -> None:
    """Raise NotARepository unless a repository agrees that a folder is one of its work trees.

    An unpacked folder could name any repository as its own, and would share memory with it. A work tree that was moved
    by hand is accepted: the repository still names the old folder, where nothing is.
    """
    recorded = ""
    if os.path.dirname(git_dir) == os.path.join(common, "worktrees"):
        try:
            with open(os.path.join(git_dir, "gitdir"), encoding="utf-8") as file:
                recorded = os.path.join(git_dir, file.read(4096).strip())
        except (OSError, UnicodeDecodeError):
            pass
        if recorded and (not os.path.exists(recorded) or os.path.samefile(recorded, os.path.join(folder, ".git"))):
            return
    raise NotARepository(
        f"{folder} says that it is a work tree of {common}, which does not list it",
        hint="`git worktree list` shows its work trees; after moving one, run `git worktree repair` in it.",
    )


def _is_git_dir(folder: str) -> bool:
    """Whether a folder has the layout of a git directory: a bare repository or a submodule's."""
    return os.path.isfile(os.path.join(folder, "HEAD")) and all(
        os.path.isdir(os.path.join(folder, name)) for name in ("objects", "refs")
    )


def _is_configured_bare(git_dir: str) -> bool:
    """Whether git's config declares a bare repository, for a `.git` file that points to one."""
    try:
        with open(os.path.join(git_dir, "config"), encoding="utf-8", errors="replace") as file:
            settings = "".join(file.read().lower().split())
    except OSError:
        return False
    return "bare=true" in settings and "worktree=" not in settings


def _bare_error(folder: str) -> NotARepository:
    return NotARepository(
        f"{folder} is a bare repository and has no files",
        hint="Use one of its work trees: `git worktree list` shows them, `git worktree add` creates one.",
    )


def _read_gitdir(dot_git: str, folder: str) -> str:
    try:
        with open(dot_git, encoding="utf-8") as file:
            text = file.read(4096)
    except (OSError, UnicodeDecodeError):
        return ""
    if not text.startswith("gitdir:"):
        return ""
    return os.path.realpath(os.path.join(folder, text[len("gitdir:") :].strip()))
