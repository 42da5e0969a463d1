"""`muninn install claude-code` and `muninn uninstall claude-code`: the hooks and the MCP server, and nothing else.
`git-hooks` in the place of the agent is the hook of git (`muninn_hooks.git_hooks`).

Three places, as Claude Code has them. `--local` (the default) asks nothing of other people: the hooks go into
`.claude/settings.local.json`. `--project` shares them in `.claude/settings.json`; since others will run the same line,
it names `muninn` and no path of this machine. Both register the server in the repository's `.mcp.json`. `--user`
serves every repository from the home folder; where there is no `.muninn`, the hooks say nothing.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from functools import partial

from muninn_core.errors import MuninnError, UsageError
from muninn_core.launch.place import locate
from muninn_hooks import edit, settings

GIT_HOOKS = "git-hooks"

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


def main(argv: list[str]) -> int:
    """Run `install …` or `uninstall …` (the word is part of `argv`). Returns 0; 1 for an error, told on stderr."""
    options = _parser().parse_args(argv)
    try:
        for line in _run(options, os.environ):
            sys.stdout.write(line + "\n")
    except MuninnError as error:
        sys.stderr.write(f"muninn: {error.message}\n" + (f"  {error.hint}\n" if error.hint else ""))
        return 1
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="muninn")
    words = parser.add_subparsers(dest="word", required=True)
    for word, what in (("install", "Connect an agent with Muninn."), ("uninstall", "Take that back, to the byte.")):
        one = words.add_parser(word, help=what, description=what)
        one.add_argument("agent", choices=["claude-code", GIT_HOOKS], help="the agent, or git")
        one.add_argument("--repo", metavar="DIR", default=".", help="a folder of the repository")
        scope = one.add_mutually_exclusive_group()
        for name, text in (
            ("local", "for you in this repository (the default)"),
            ("project", "for everybody in this repository"),
            ("user", "for you in every repository"),
        ):
            scope.add_argument(f"--{name}", dest="scope", action="store_const", const=name, help=text)
        one.set_defaults(scope="local")
    return parser


def _run(options: argparse.Namespace, environ: Mapping[str, str]) -> list[str]:
    """Plan all edits, then apply them: an error in the second file leaves the first alone."""
    if options.agent == GIT_HOOKS:
        return _run_git_hooks(options, environ)
    hooks_file, server_file = places(options.scope, options.repo, environ)
    if options.word == "uninstall":
        plans = [
            edit.plan_removal(hooks_file, settings.without_hooks),
            edit.plan_removal(server_file, settings.without_server),
        ]
        return _apply(plans, "removed Muninn from", "holds nothing of Muninn")
    command, note = resolve_command(options.scope, environ)
    plans = [
        edit.plan_addition(hooks_file, partial(settings.with_hooks, command=command), settings.without_hooks),
        edit.plan_addition(server_file, partial(settings.with_server, command=command), settings.without_server),
    ]
    return _apply(plans, "wrote", "is as it should be already") + note


def _run_git_hooks(options: argparse.Namespace, environ: Mapping[str, str]) -> list[str]:
    if options.scope == "user":
        raise UsageError("git's hooks belong to a repository", hint="Leave --user out.")
    from muninn_hooks import git_hooks

    if options.word == "uninstall":
        return git_hooks.uninstall(options.repo)
    command, note = resolve_command(options.scope, environ)
    return git_hooks.install(options.repo, command) + note


def places(scope: str, repo: str, environ: Mapping[str, str]) -> tuple[str, str]:
    """Return the settings file for the hooks and the file for the MCP server. Raises NotARepository for --repo."""
    if scope == "user":
        home = environ.get("HOME") or os.path.expanduser("~")
        folder = environ.get("CLAUDE_CONFIG_DIR")
        base = folder or os.path.join(home, ".claude")
        return os.path.join(base, "settings.json"), os.path.join(folder or home, ".claude.json")
    root = locate(repo).root
    name = "settings.json" if scope == "project" else "settings.local.json"
    return os.path.join(root, ".claude", name), os.path.join(root, ".mcp.json")


def resolve_command(scope: str, environ: Mapping[str, str]) -> tuple[str, list[str]]:
    """Return the command that starts Muninn, and what to tell about it.

    The bare name is used only when it will still be found tomorrow: a virtual environment that is active now does not
    count, and Claude Code may be started without it.
    """
    own = os.path.join(os.path.dirname(sys.executable), "muninn.exe" if os.name == "nt" else "muninn")
    folders = environ.get("PATH", "").split(os.pathsep)
    if sys.prefix != sys.base_prefix:
        folders = [folder for folder in folders if os.path.abspath(folder) != os.path.dirname(own)]
    found = shutil.which("muninn", path=os.pathsep.join(folders))
    if found:
        return "muninn", []
    if scope == "project":
        return "muninn", ["note: 'muninn' is not on your PATH; whoever uses these settings needs it there"]
    if os.path.exists(own):
        return own, []
    return shutil.which("muninn", path=environ.get("PATH", "")) or os.path.abspath(sys.argv[0]), []


def _apply(plans: list[edit.Edit], done: str, nothing: str) -> list[str]:
    lines = []
    for plan in plans:
        plan.apply()
        lines.append(f"{done} {plan.path}" if plan.changes else f"{plan.path} {nothing}")
    return lines
