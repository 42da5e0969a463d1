"""Which repository a folder belongs to, found without running git.

Source of the layout: gitrepository-layout(5) (`.git` as a file with `gitdir:`, `commondir`).
"""

from __future__ import annotations

import os

from muninn_core.errors import NotARepository


class Place:
    """A work tree and the identity that all work trees of its repository share.

    `root` is the work tree's top folder. `identity` is the git common directory, or `root` where there is no git.
    `git_dir` is the work tree's own git directory, "" without git. `linked` is true for all but the main work tree.
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
    def local(self) -> str:
        """The folder of the work tree's private files; a linked one's lies where `git worktree remove` leaves it."""
        if self.linked:
            return os.path.join(self.identity, "muninn", os.path.basename(self.git_dir))
        return os.path.join(self.root, ".muninn", "local")


def locate(start: str) -> Place:
    """Find the work tree around a folder; a folder without git is its own root, or an ancestor's with `.muninn`.

    Raises NotARepository when the folder is missing, is not a folder, can't be entered, or is a bare repository.
    """
    if not start:
        raise NotARepository("no folder is named", hint="Give the folder of a repository, or leave --repo out.")
    here = os.path.realpath(start)
    if not os.path.isdir(here):
        what = "is not a folder" if os.path.exists(here) else "does not exist"
        raise NotARepository(f"{here} {what}", hint="Give the folder of a repository with --repo DIR.")
    if not os.access(here, os.R_OK | os.X_OK):
        raise NotARepository(f"{here} can't be read", hint="Check its permissions.")
    nearest_memory = ""
    folder = here
    while True:
        place = _git_place(folder)
        if place is not None:
            return place
        if os.path.basename(folder) != ".git" and _is_git_dir(folder):
            raise _bare(folder)
        if not nearest_memory and os.path.isdir(os.path.join(folder, ".muninn")):
            nearest_memory = folder
        parent = os.path.dirname(folder)
        if parent == folder:
            break
        folder = parent
    root = nearest_memory or here
    return Place(root, root, "")


def _git_place(folder: str) -> Place | None:
    dot_git = os.path.join(folder, ".git")
    if os.path.isdir(dot_git):
        git_dir = os.path.realpath(dot_git)
    elif os.path.isfile(dot_git):
        git_dir = _pointed_at(dot_git, folder)
    else:
        return None
    if not os.path.exists(os.path.join(git_dir, "HEAD")):
        return None
    common = git_dir
    try:
        with open(os.path.join(git_dir, "commondir"), encoding="utf-8") as file:
            common = os.path.realpath(os.path.join(git_dir, file.read().strip()))
    except OSError:  # only linked work trees have the file
        if os.path.isfile(dot_git) and _says_bare(git_dir):
            raise _bare(folder) from None
    return Place(folder, common, git_dir)


def _is_git_dir(folder: str) -> bool:
    """Whether a folder is git's own: a bare repository, or that of a submodule."""
    return os.path.isfile(os.path.join(folder, "HEAD")) and all(
        os.path.isdir(os.path.join(folder, name)) for name in ("objects", "refs")
    )


def _says_bare(git_dir: str) -> bool:
    """Whether git's config says that there is no work tree, as where a `.git` file leads to a bare repository."""
    try:
        with open(os.path.join(git_dir, "config"), encoding="utf-8", errors="replace") as file:
            settings = "".join(file.read().lower().split())
    except OSError:
        return False
    return "bare=true" in settings and "worktree=" not in settings


def _bare(folder: str) -> NotARepository:
    return NotARepository(
        f"{folder} is a bare repository: it has no files to look at",
        hint="Use a work tree of it: `git worktree list` names them, `git worktree add` makes one.",
    )


def _pointed_at(dot_git: str, folder: str) -> str:
    try:
        with open(dot_git, encoding="utf-8") as file:
            text = file.read(4096)
    except (OSError, UnicodeDecodeError):
        return ""
    if not text.startswith("gitdir:"):
        return ""
    return os.path.realpath(os.path.join(folder, text[len("gitdir:") :].strip()))
