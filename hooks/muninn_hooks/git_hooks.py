"""`muninn install git-hooks` and `muninn uninstall git-hooks`: a pre-commit hook beside whatever hook is there.

Git runs one file for each hook, found by `git rev-parse --git-path hooks`: the repository's own folder or that of
`core.hooksPath`, which husky sets. There are three cases:

- No hook: one is made.
- A shell script, as husky, the pre-commit framework and most people have it: our lines go behind its first line. The
  script keeps its name and place, by which such programs find what they run.
- Anything else (another language, a link, a file that git may not run): it is moved aside and called by ours.

All of that is taken back to the byte. The hook is a no-op where there is no `.muninn` and where `muninn` is not found.
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
from muninn_core.launch.place import locate

if TYPE_CHECKING:
    from collections.abc import Callable

HOOK = "pre-commit"
KEPT = ".muninn-kept"
"""Added to the name of a hook that was moved aside."""

_END = b"# <<< muninn <<<\n"
_BLOCK = re.compile(rb"# >>> muninn[^\n]*\n.*?# <<< muninn <<<\n", re.DOTALL)
_SHELL = re.compile(rb"#![^\n]*\b(?:ba|da|z|k)?sh(?: [^\n]*)?\n")
_SHEBANG = b"#!/bin/sh\n"
_MADE_FILE = "made this file"
_MADE_FOLDER = "made this file and its folder"
_MOVED = "moved another hook aside"


def install(repo: str, command: str, *, dry: bool = False) -> list[str]:
    """Put the hook in place, or bring it up to date; `command` starts Muninn. Returns what to tell.

    With `dry` nothing is written, and what would be is told.

    Raises NotARepository without git, MuninnError for what is in the way, ReadOnlyError when the folder takes no files.
    """
    root, folder = _folder_of(repo)
    hook = folder / HOOK
    if _holds_ours(hook):
        before = hook.read_bytes()
        found = _BLOCK.search(before)
        made = _note_of(found[0]) if found else ""
        after = _BLOCK.sub(lambda _: _block(command, made), before, count=1)
        if before == after:
            return [f"{hook} is as it should be already", *_notes(root, folder)]
        if not dry:
            _writing(hook, lambda: _replace(hook, after))
        return [f"{'would bring' if dry else 'brought'} {hook} up to date", *_notes(root, folder)]
    if not dry:
        _writing(hook, lambda: _put(folder, hook, command))
    return [f"{'would write' if dry else 'wrote'} {hook}", *_notes(root, folder)]


def is_installed(repo: str) -> bool:
    """Whether the hook is in place; a folder without git has none."""
    try:
        return _holds_ours(_folder_of(repo)[1] / HOOK)
    except MuninnError:
        return False


def uninstall(repo: str, *, dry: bool = False) -> list[str]:
    """Take the hook out again; what was there before is there again, to the byte. Raises as `install`."""
    _, folder = _folder_of(repo)
    own = Path(locate(repo).identity) / "hooks"  # where it is when `core.hooksPath` was set later
    ours = [hook for hook in dict.fromkeys((folder / HOOK, own / HOOK)) if _holds_ours(hook)]
    for hook in () if dry else ours:
        _writing(hook, partial(_take_out, hook))
    done = "would remove" if dry else "removed"
    return [f"{done} Muninn from {hook}" for hook in ours] or [f"{folder / HOOK} holds nothing of Muninn"]


def _folder_of(repo: str) -> tuple[Path, Path]:
    place = locate(repo)
    if not place.git_dir:
        raise NotARepository(f"{place.root} is no git repository", hint="Git hooks need one; `git init` makes it.")
    return Path(place.root), Path(os.path.realpath(git.hooks_folder(Path(place.root))))


def _holds_ours(hook: Path) -> bool:
    return hook.is_file() and _BLOCK.search(hook.read_bytes()) is not None


def _put(folder: Path, hook: Path, command: str) -> None:
    if not os.path.lexists(hook):
        made = _MADE_FILE if folder.is_dir() else _MADE_FOLDER
        folder.mkdir(parents=True, exist_ok=True)
        _replace(hook, _SHEBANG + _block(command, made))
        return
    content = b"" if hook.is_symlink() else hook.read_bytes()
    shell = _SHELL.match(content)
    if shell and os.access(hook, os.X_OK):
        _replace(hook, content[: shell.end()] + _block(command, "") + content[shell.end() :])
        return
    kept = hook.with_name(hook.name + KEPT)
    if os.path.lexists(kept):
        raise MuninnError(f"{kept} is in the way", hint="It was moved aside once; look at it, and rename or delete it.")
    hook.rename(kept)
    _replace(hook, _SHEBANG + _block(command, _MOVED))


def _block(command: str, note: str) -> bytes:
    quoted = shlex.quote(command)
    lines = [
        f"# >>> muninn{f': {note}' if note else ''} >>> `muninn uninstall git-hooks` takes these lines out",
        f"if command -v {quoted} >/dev/null 2>&1; then {quoted} hook git-pre-commit </dev/null || :; fi",
    ]
    if note == _MOVED:
        lines.append(f'if [ -x "$0{KEPT}" ]; then exec "$0{KEPT}" "$@"; fi')
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
    kept = hook.with_name(hook.name + KEPT)
    if left != _SHEBANG or not note:
        _replace(hook, left)
    elif note == _MOVED and os.path.lexists(kept):
        kept.replace(hook)
    else:
        hook.unlink()
        if note == _MADE_FOLDER and not any(hook.parent.iterdir()):
            hook.parent.rmdir()


def _replace(hook: Path, content: bytes) -> None:
    """Write a hook in one step, with the mode that it has; a new one may be run by whoever may read it."""
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


def _writing(hook: Path, work: Callable[[], None]) -> None:
    try:
        work()
    except OSError as error:
        raise ReadOnlyError(f"{hook} can't be written: {error.strerror}") from None


def _notes(root: Path, folder: Path) -> list[str]:
    """Say who else is concerned by where the hook lies."""
    inside = folder.is_relative_to(root) and ".git" not in folder.relative_to(root).parts
    if inside and folder.name == "_":
        return [
            "note: husky writes this folder anew when packages are installed; for everybody, and for good, put "
            "'muninn hook git-pre-commit || true' into .husky/pre-commit"
        ]
    if inside:
        return [f"note: {folder.relative_to(root)} is in the work tree; where git tracks it, others get the hook, too"]
    if not folder.is_relative_to(Path(locate(str(root)).identity)):
        return [f"note: other repositories may use {folder}, too; where there is no .muninn the hook does nothing"]
    return []
