"""`muninn install git-hooks` and `muninn uninstall git-hooks`: a pre-commit hook beside existing hooks.

Git runs one file for each hook, found by `git rev-parse --git-path hooks`: the repository's own folder or that of
`core.hooksPath`, which husky sets. There are three cases:

- No hook: one is created.
- A shell script, as written by husky and the pre-commit framework: Muninn's lines go behind its first line. The script
  keeps its name and place, on which such programs depend.
- Anything else (another language, a link, a file that is not executable): it is moved aside, and the new hook calls it.

The pre-commit framework, installed later, moves Muninn's hook to `pre-commit.legacy` and calls it there, where it is
found.

Uninstalling restores the previous state to the byte. The hook does nothing where there is no `.muninn` or no `muninn`.
"""

from __future__ import annotations

import os
import re
import shlex
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from muninn_core import git
from muninn_core.errors import MuninnError, NotARepository, ReadOnlyError
from muninn_core.launch.repository_location import locate

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

HOOK = "pre-commit"
BACKUP_SUFFIX = ".muninn-kept"
"""The suffix of a hook that was moved aside."""

_LEGACY = "pre-commit.legacy"
"""Where `pre-commit install` moves a hook, which its own then calls."""

_FRAMEWORK = b"https://pre-commit.com"
"""In the hooks of the pre-commit framework."""

_END = b"# <<< muninn <<<\n"
_BLOCK = re.compile(rb"# >>> muninn[^\n]*\n.*?# <<< muninn <<<\n", re.DOTALL)
_SHELL = re.compile(rb"#![^\n]*\b(?:ba|da|z|k)?sh(?: [^\n]*)?\n")
_SHEBANG = b"#!/bin/sh\n"
_MADE_FILE = "made this file"
_MADE_FOLDER = "made this file and its folder"
_MOVED = "moved another hook aside"


def install(repo: str, command: str, *, program: str = "", dry: bool = False) -> list[str]:
    """Install or update the hook; `command` starts Muninn. Returns the lines to print.

    `program` is the absolute path to try next, because a graphical client runs git without the PATH of a shell. A hook
    in the work tree does not get it: the path is of this machine. With `dry` nothing is written, and the lines describe
    the planned changes.

    Raises NotARepository without git, MuninnError when a moved hook already exists or git's hooks are switched off,
    ReadOnlyError when a file can't be written.
    """
    root, folder = _folder_of(repo)
    if folder.exists() and not folder.is_dir():
        raise MuninnError(
            f"git runs no hooks here: it looks for them in {folder}, which is not a folder",
            hint="`git config --show-origin core.hooksPath` says which file sets that. Unset it there, then try again.",
        )
    hook = _present(folder) or folder / HOOK
    commands = [command, *([program] if program not in ("", command) and not _is_shared(root, folder) else [])]
    if _holds_ours(hook):
        before = hook.read_bytes()
        found = _BLOCK.search(before)
        made = _note_of(found[0]) if found else ""
        after = _BLOCK.sub(lambda _: _block(commands, made), before, count=1)
        if before == after:
            return [f"{hook} is up to date", *_notes(root, folder)]
        if not dry:
            _write(hook, lambda: _replace(hook, after))
        return [f"{'would bring' if dry else 'brought'} {hook} up to date", *_notes(root, folder)]
    if not dry:
        _write(hook, lambda: _put(folder, hook, commands))
    return [f"{'would write' if dry else 'wrote'} {hook}", *_notes(root, folder)]


def is_installed(repo: str) -> bool:
    """Whether the hook is installed; false for a folder without git."""
    try:
        return _present(_folder_of(repo)[1]) is not None
    except MuninnError:
        return False


def uninstall(repo: str, *, dry: bool = False) -> list[str]:
    """Remove the hook and restore the previous one, byte for byte. Raises as `install`."""
    _, folder = _folder_of(repo)
    own = Path(locate(repo).identity) / "hooks"  # the hook is here when `core.hooksPath` was set later
    names = (place / name for place in dict.fromkeys((folder, own)) for name in (HOOK, _LEGACY))
    installed = [hook for hook in names if _holds_ours(hook)]
    for hook in () if dry else installed:
        _write(hook, partial(_take_out, hook))
    done = "would remove" if dry else "removed"
    return [f"{done} Muninn from {hook}" for hook in installed] or [f"{folder / HOOK} contains nothing of Muninn"]


def _folder_of(repo: str) -> tuple[Path, Path]:
    location = locate(repo)
    if not location.git_dir:
        raise NotARepository(
            f"{location.root} is not a git repository", hint="Git hooks need one; `git init` creates it."
        )
    return Path(location.root), Path(os.path.realpath(git.hooks_folder(Path(location.root))))


def _present(folder: Path) -> Path | None:
    """Return the file of a folder that runs Muninn: the hook, or the one that the pre-commit framework calls."""
    hook, legacy = folder / HOOK, folder / _LEGACY
    if _holds_ours(hook):
        return hook
    called = _holds_ours(legacy) and hook.is_file() and _FRAMEWORK in hook.read_bytes()
    return legacy if called else None


def _holds_ours(hook: Path) -> bool:
    return hook.is_file() and _BLOCK.search(hook.read_bytes()) is not None


def _put(folder: Path, hook: Path, commands: Sequence[str]) -> None:
    if not os.path.lexists(hook):
        made = _MADE_FILE if folder.is_dir() else _MADE_FOLDER
        folder.mkdir(parents=True, exist_ok=True)
        _replace(hook, _SHEBANG + _block(commands, made))
        return
    content = b"" if hook.is_symlink() else hook.read_bytes()
    shell = _SHELL.match(content)
    if shell and os.access(hook, os.X_OK):
        _replace(hook, content[: shell.end()] + _block(commands, "") + content[shell.end() :])
        return
    kept = hook.with_name(hook.name + BACKUP_SUFFIX)
    if os.path.lexists(kept):
        raise MuninnError(
            f"{kept} already exists", hint="It is an older hook that was moved aside. Rename or delete it."
        )
    hook.rename(kept)
    _replace(hook, _SHEBANG + _block(commands, _MOVED))


def _block(commands: Sequence[str], note: str) -> bytes:
    """Return the lines of the hook, which run the first command that exists."""
    lines = [f"# >>> muninn{f': {note}' if note else ''} >>> `muninn uninstall git-hooks` takes these lines out"]
    for word, quoted in zip(("if", *["elif"] * len(commands)), map(shlex.quote, commands), strict=False):
        lines.append(f"{word} command -v {quoted} >/dev/null 2>&1; then {quoted} hook git-pre-commit </dev/null || :")
    lines.append("fi")
    if note == _MOVED:
        kept = f'"$(dirname "$0")/{HOOK}{BACKUP_SUFFIX}"'  # not "$0": the framework may have moved this hook
        lines.append(f'if [ -x {kept} ]; then exec {kept} "$@"; fi')
    return "".join(f"{line}\n" for line in lines).encode() + _END


def _note_of(block: bytes) -> str:
    first = block.split(b"\n", 1)[0].decode("utf-8", "replace")
    found = re.match(r"# >>> muninn: (.*?) >>>", first)
    return found[1] if found else ""


def _take_out(hook: Path) -> None:
    content = hook.read_bytes()
    found = _BLOCK.search(content)
    note = _note_of(found[0]) if found else ""
    left = _BLOCK.sub(b"", content, count=1)
    kept = hook.with_name(HOOK + BACKUP_SUFFIX)
    if left != _SHEBANG or not note:
        _replace(hook, left)
    elif note == _MOVED and os.path.lexists(kept):
        kept.replace(hook)
    else:
        hook.unlink()
        if note == _MADE_FOLDER and not any(hook.parent.iterdir()):
            hook.parent.rmdir()


def _replace(hook: Path, content: bytes) -> None:
    """Write a hook atomically with its present mode; a new one gets mode 0755."""
    if hook.is_file() and hook.read_bytes() == content:
        return
    mode = hook.stat().st_mode & 0o777 if hook.exists() else 0o755
    fresh = hook.with_name(f"{hook.name}.{os.getpid()}.new")
    try:
        fresh.write_bytes(content)
        fresh.chmod(mode)
        fresh.replace(hook)
    finally:
        fresh.unlink(missing_ok=True)


def _write(hook: Path, work: Callable[[], None]) -> None:
    try:
        work()
    except OSError as error:
        raise ReadOnlyError(f"{hook} can't be written: {error.strerror}") from None


def _is_shared(root: Path, folder: Path) -> bool:
    """Whether a folder of hooks is in the work tree, so that git may carry it to others."""
    return folder.is_relative_to(root) and ".git" not in folder.relative_to(root).parts


def _notes(root: Path, folder: Path) -> list[str]:
    """Return a note when the location of the hook affects other people or repositories."""
    inside = _is_shared(root, folder)
    if inside and folder.name == "_":
        return [
            "note: husky rewrites this folder when packages are installed; for a permanent hook put "
            "'muninn hook git-pre-commit || true' into .husky/pre-commit"
        ]
    if inside:
        return [f"note: {folder.relative_to(root)} is in the work tree; if git tracks it, others get the hook, too"]
    if not folder.is_relative_to(Path(locate(str(root)).identity)):
        return [f"note: other repositories may use {folder}, too; where there is no .muninn the hook does nothing"]
    return []
