"""`muninn install CLIENT` and `muninn uninstall CLIENT`: connects agents, editors and git, and disconnects them.

`connect.clients` has the table of clients; `muninn_hooks.git_hooks` installs `git-hooks`. There are three scopes.
`--local` (the default) is for you in this repository. `--project` is for everyone in it: the command that is written
is `muninn`, without a path of this machine. `--global` is for all repositories; hooks do nothing in one without a
`.muninn`.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
from typing import TYPE_CHECKING, NoReturn

from muninn_core.errors import ReadOnlyError, UsageError
from muninn_core.near_match import nearest
from muninn_hooks import edit
from muninn_hooks.connect.client_paths import EVERYWHERE, FOLDERS, HERE, SHARED, path_of
from muninn_hooks.connect.clients import CLIENTS, snippet
from muninn_hooks.connect.fragments import Block, Whole, fill

if TYPE_CHECKING:
    from collections.abc import Mapping

    from muninn_hooks.connect.clients import Client
    from muninn_hooks.connect.formats import Content
    from muninn_hooks.connect.fragments import Piece

GIT_HOOKS = "git-hooks"
NAMES = (*CLIENTS, GIT_HOOKS)
"""All clients that can be installed."""


def main(argv: list[str]) -> int:
    """Run `install …` or `uninstall …` (`argv` includes the word) and print the result. Raises MuninnError."""
    options = _parser().parse_args(argv)
    lines = _run(options, os.environ)
    sys.stdout.write(f"{json.dumps({'lines': lines})}\n" if options.json else "".join(f"{line}\n" for line in lines))
    return 0


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """Raise UsageError instead of printing and exiting."""
        raise UsageError(message, hint=f"See `{self.prog} --help`.")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="muninn")
    words = parser.add_subparsers(dest="word", required=True)
    known = f"one of {', '.join(NAMES)}"
    for word, what in (
        ("install", "Connect an agent, an editor or git with Muninn."),
        ("uninstall", "Remove what `install` wrote, and restore the earlier bytes."),
    ):
        one = words.add_parser(
            word,
            help=what,
            description=what,
            epilog=f"example:\n  muninn {word} claude-code",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        one.add_argument("client", nargs="?", default="", help=known)
        one.add_argument("--repo", metavar="DIR", default=".", help="a folder of the repository")
        one.add_argument("--json", action="store_true", help="print the lines as JSON")
        scope = one.add_mutually_exclusive_group()
        for name, flags, text in (
            (HERE, ("--local",), "for you in this repository (the default)"),
            (SHARED, ("--project",), "for everybody in this repository"),
            (EVERYWHERE, ("--global", "--user"), "for you in every repository"),
        ):
            scope.add_argument(*flags, dest="scope", action="store_const", const=name, help=text)
        one.add_argument(
            "--plugin", action="store_true", help="for Claude Code: install its plugin instead of editing its settings"
        )
        one.add_argument("--dry-run", action="store_true", help="show what would change, and change nothing")
        if word == "install":
            one.add_argument("--print", action="store_true", help="print what a client needs, and change nothing")
            one.add_argument("--list", action="store_true", help="show every client and where it is installed")
        one.set_defaults(scope=HERE, print=False, list=False)
    return parser


def _run(options: argparse.Namespace, environ: Mapping[str, str]) -> list[str]:
    if options.list:
        from muninn_hooks.connect.overview import overview

        return overview(options.repo, environ)
    name = options.client
    if name not in NAMES:
        near = nearest(name, NAMES) if name else None
        hint = f"Did you mean '{near}'?" if near else f"There are {', '.join(NAMES)}."
        raise UsageError(f"there is no client '{name}'" if name else "which client?", hint=hint)
    if name == GIT_HOOKS:
        return _run_git_hooks(options, environ)
    if options.plugin:
        return _run_plugin(options, environ)
    client = CLIENTS[name]()
    command, note = resolve_command(options.scope, environ)
    if options.print:
        return _printed(client, command)
    if not client.files:
        printed = f"`muninn install {name} --print` shows what"
        raise UsageError(
            f"Muninn does not write into the configuration of {client.title}",
            hint=f"{printed} to add to {client.target}."
            if options.word == "install"
            else f"{printed} {client.target} has of it; remove that by hand.",
        )
    edits = plan(client, options.word, command, options.scope, options.repo, environ)
    if options.dry_run:
        shown = [line for one in edits for line in one.diff().splitlines()]
        return shown or ["nothing would change"]
    apply(edits)
    edit.remove_folders(edits, FOLDERS)
    if options.word == "uninstall":
        return [_report(one, "removed Muninn from", "contains nothing of Muninn") for one in edits]
    lines = [_report(one, "wrote", "is up to date") for one in edits]
    changed = any(one.changes for one in edits)
    ignored = [one.path for file, one in zip(client.files, edits, strict=True) if file.plain and not _is_plain(one)]
    lines += [
        f"note: {client.title} ignores {path} until its comments and trailing commas are gone" for path in ignored
    ]
    return lines + note + ([f"note: {client.then}"] if client.then and changed else [])


def plan(client: Client, word: str, command: str, scope: str, repo: str, environ: Mapping[str, str]) -> list[edit.Edit]:
    """Return the edits of a client's files. All are planned before the first is applied."""
    edits = []
    for file in client.files:
        path = path_of(file, client, scope, repo, environ)
        content = with_command(file.content, command)
        how = edit.plan_removal if word == "uninstall" else edit.plan_addition
        edits.append(how(path, content.add, content.remove))
    return edits


def apply(edits: list[edit.Edit]) -> None:
    """Apply all of the edits or none. Raises ReadOnlyError when a file can't be written."""
    for at, one in enumerate(edits):
        try:
            one.apply()
        except ReadOnlyError:
            for earlier in reversed(edits[:at]):
                earlier.undo()
            raise


def with_command(content: Content, command: str) -> Content:
    """Return the content with the placeholder replaced by the command."""

    def filled(piece: Piece) -> Piece:
        if isinstance(piece, Whole):
            return Whole(text=piece.text.replace('"{muninn}"', json.dumps(command)))
        return piece if isinstance(piece, Block) else type(piece)(path=piece.path, value=fill(piece.value, command))

    return type(content)(toml=content.toml, pieces=tuple(filled(piece) for piece in content.pieces))


def _printed(client: Client, command: str) -> list[str]:
    """Return the content of each file of a client, below the file's name; for a snippet its text."""
    if client.snippet:
        return snippet(client.snippet).splitlines()
    lines: list[str] = []
    for file in client.files:
        name = (file.shared or file.here).removeprefix("{root}/").removeprefix("{main}/")
        lines += [*([""] if lines else []), f"{name}:", "", *with_command(file.content, command).add("").splitlines()]
    return lines


def _run_plugin(options: argparse.Namespace, environ: Mapping[str, str]) -> list[str]:
    """Install or remove Claude Code's plugin. Raises UsageError beside hooks in its settings, which would run twice."""
    if options.client != "claude-code":
        raise UsageError(f"there is no plugin of {options.client}", hint="Leave --plugin out.")
    from muninn_hooks import plugin

    if options.print or options.dry_run:
        return plugin.manual_commands(options.word)
    scope = "user" if options.scope == EVERYWHERE else options.scope
    if options.word == "uninstall":
        return plugin.uninstall(scope, options.repo, environ)
    for place in (HERE, SHARED, EVERYWHERE):
        for one in plan(CLIENTS["claude-code"](), "uninstall", "muninn", place, options.repo, environ):
            if one.changes:
                raise UsageError(
                    f"{one.path} has Muninn already",
                    hint="Run `muninn uninstall claude-code` in the scope of that installation.",
                )
    return plugin.install(scope, options.repo, environ)


def _run_git_hooks(options: argparse.Namespace, environ: Mapping[str, str]) -> list[str]:
    if options.scope == EVERYWHERE:
        raise UsageError("git's hooks belong to a repository", hint="Leave --global out.")
    from muninn_hooks import git_hooks

    if options.print:
        raise UsageError("git hooks can't be printed", hint="`--dry-run` shows what would be written.")
    if options.word == "uninstall":
        return git_hooks.uninstall(options.repo, dry=options.dry_run)
    command, note = resolve_command(options.scope, environ)
    program = "" if options.scope == SHARED else _installed_program(environ)
    return git_hooks.install(options.repo, command, program=program, dry=options.dry_run) + note


def resolve_command(scope: str, environ: Mapping[str, str]) -> tuple[str, list[str]]:
    """Return the command that starts Muninn, and notes to print.

    The bare name `muninn` is used only when it is on the PATH outside the active virtual environment, because an agent
    may be started without it.
    """
    own = _own_program()
    if _installed_program(environ):
        return "muninn", []
    if scope == SHARED:
        hidden = shutil.which("muninn", path=environ.get("PATH", ""))
        where = f"only in the virtual environment {sys.prefix}" if hidden else "not on your PATH"
        return "muninn", [f"note: 'muninn' is {where}; everyone who uses these settings needs it on the PATH"]
    if os.path.exists(own):
        return own, []
    return shutil.which("muninn", path=environ.get("PATH", "")) or os.path.abspath(sys.argv[0]), []


def _own_program() -> str:
    return os.path.join(os.path.dirname(sys.executable), "muninn.exe" if os.name == "nt" else "muninn")


def _installed_program(environ: Mapping[str, str]) -> str:
    """Return the absolute path of the `muninn` on the PATH outside the active virtual environment, "" for none."""
    folders = environ.get("PATH", "").split(os.pathsep)
    if sys.prefix != sys.base_prefix:
        folders = [folder for folder in folders if os.path.abspath(folder) != os.path.dirname(_own_program())]
    found = shutil.which("muninn", path=os.pathsep.join(folders))
    return os.path.abspath(found) if found else ""


def _is_plain(one: edit.Edit) -> bool:
    """Whether a file is JSON without comments and trailing commas."""
    try:
        json.loads(one.after or b"{}")
    except ValueError:
        return False
    return True


def _report(one: edit.Edit, done: str, nothing: str) -> str:
    return f"{done} {one.path}" if one.changes else f"{one.path} {nothing}"
