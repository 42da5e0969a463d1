"""The verbs of the catalogue on the command line: parses the arguments, calls the daemon, prints the result.

It maps options to parameters; the engine does the work of a verb.
"""

from __future__ import annotations

import os
import re
import shlex
import sys
from contextlib import nullcontext
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from muninn_cli.arguments.parameters import parameters
from muninn_cli.arguments.parser import (
    example,
    group_parser,
    lookup_words,
    resolve_alias,
    suggest,
    to_params,
    verb_parser,
)
from muninn_cli.command import print_json, run_command
from muninn_cli.exit_codes import ERROR, OK
from muninn_cli.main import split
from muninn_cli.terminal.pager import paged
from muninn_core import client
from muninn_core.errors import BadParams, Cancelled, MuninnError, UnknownVerb, UsageError
from muninn_core.launch.repository_location import locate
from muninn_core.model.value import encode_json
from muninn_core.protocol.catalogue import GROUPS, METHODS, decode_params
from muninn_core.protocol.method import Method

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

_PLACE = re.compile(r"(:\d+([-:]\d+)?|#[^#/]+)$")
"""The suffix of a path that names lines or a symbol."""

STDIN = "standard input"
"""What errors call the file `-`."""

NAME = "muninn"
"""The client name in the daemon's log."""

_QUESTIONS = ("where", "what", "how", "which", "when")
"""Words that begin a question and name no verb."""

_GROUPED_VERB = re.compile(r"(?<![`\w./])[a-z]+\.[a-z]+\b(?![`/])")
"""A word that may be a verb of a group, as hints for programs name it."""

_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://|[\w.-]+@[\w.-]+:")
"""A URL or ssh address, which is not a path."""


def main(argv: list[str]) -> int:
    """Run a verb: `argv` is the verb and its arguments. Returns the exit code."""
    return run_command(_run, resolve_alias(argv))


def new_key() -> str:
    """Return an idempotency key: a call that is repeated after a lost connection stores its memory once."""
    return os.urandom(16).hex()


def _run(argv: list[str]) -> int:
    if argv[0] in GROUPS:
        word, rest = split(argv[1:])
        if word in ("-h", "--help"):
            group_parser(argv[0]).print_help()
            return OK
        alone = METHODS.get(f"{argv[0]}.list")
        if alone is not None and (not word or word.startswith("-")):  # a family without a verb lists what it has
            method, rest = alone, argv[1:]
        else:
            method = lookup_words([argv[0], word] if word else [argv[0]])
        options = verb_parser(method).parse(rest)
    else:
        method = _method(*argv)
        options = verb_parser(method).parse(argv[1:])
    if getattr(options, "html", None) is not None:
        options.form, options.out = "html", options.html
    if getattr(options, "obsidian", None) is not None:
        options.form, options.out = "obsidian", options.obsidian
    if getattr(options, "queries", None) is not None:
        from muninn_cli.verbs.batch import answer_queries

        return answer_queries(options.repo, options.queries, to_params(method, options))
    if getattr(options, "watch", False):
        from muninn_cli.verbs.status_watch import watch_status

        return watch_status(options.repo, lambda result: _print(method, result, options), plain=options.json)
    params = _params(method, options)
    _check_text(params)
    if method.irreversible:
        from muninn_cli.verbs.confirmation import is_confirmed

        if not is_confirmed(method, options, lambda: _answer(method, options, {**params, "dry_run": True})):
            return ERROR
    result = _answer(method, options, params)
    if getattr(options, "out", None) is not None:
        from muninn_cli.show.memory.bundles import write_bundle

        write_bundle(options.out, result)
    with paged() if method.effect == "read" and not options.json else nullcontext():
        _print(method, result, options)
    return OK if result.get("ok", True) else ERROR  # a check with findings exits with 1


def _print(method: Method, result: dict[str, Any], given: argparse.Namespace) -> None:
    if given.json:
        print_json(result)
    else:
        from muninn_cli.show import show

        show(method, result, given)


def _answer(method: Method, given: argparse.Namespace, params: dict[str, Any]) -> dict[str, Any]:
    """Return the result of the call. Raises BadParams with the name that a wrong parameter has on the command line."""
    try:
        decode_params(method, params)  # invalid parameters are reported without starting a daemon
        return _call(method, given, params)
    except MuninnError as error:
        if method.verb == "capsule.import" and getattr(given, "path", "") == "-":
            error.message = error.message.replace(params["path"], STDIN)
        error.hint = _with_commands(error.hint)
        if not isinstance(error, BadParams):
            raise
        flags = {
            f"'{each.name}'": each.name.upper() if each.positional else each.flags[0] for each in parameters(method)
        }
        name = error.message.split(" ", 1)[0].removesuffix(":")
        if name not in flags:
            raise
        hint = f"{error.hint} `muninn help {method.words}` explains the options.".lstrip()
        raise BadParams(flags[name] + error.message.removeprefix(name), hint=hint, data=error.data) from None


def _with_commands(hint: str) -> str:
    """Return a hint with the commands for the verbs that it names: "agent.take" becomes "`muninn agent take`"."""

    def command(match: re.Match[str]) -> str:
        method = METHODS.get(match[0])
        return f"`muninn {method.words}`" if method is not None else match[0]

    return _GROUPED_VERB.sub(command, hint)


def _check_text(params: dict[str, Any]) -> None:
    """Raise UsageError for arguments that are not valid UTF-8."""
    try:
        encode_json(params)
    except UnicodeEncodeError:
        raise UsageError(
            "the text or a name is not UTF-8", hint="`iconv -f latin1 -t utf-8` converts a text."
        ) from None


def _method(verb: str, *rest: str) -> Method:
    method = METHODS.get(verb)
    if method is None:
        from muninn_cli.help.manual import COMMANDS

        near = suggest(verb, COMMANDS)
        what = "option" if verb.startswith("-") else "verb"
        hint = f"Did you mean `muninn {near}`?" if near else "`muninn help` lists all verbs."
        if near == "recall" and rest and not rest[0].startswith("-"):  # a question without its verb
            words = list(takewhile(lambda each: not each.startswith("-"), rest))
            words = [verb, *words] if verb in _QUESTIONS else words
            hint = f"Did you mean `muninn recall {shlex.quote(' '.join(words))}`?"
        elif near and not METHODS.get(near, METHODS["recall"]).suggested:
            hint += f" {METHODS[near].summary}"
        if verb.startswith("-"):
            near, hint = "", "The verb comes first: `muninn VERB [ARGUMENTS] [--repo DIR] [--json]`."
        raise UnknownVerb(f"there is no {what} '{verb}'", hint=hint, data={"nearest": near} if near else {})
    return method


def _params(method: Method, given: argparse.Namespace) -> dict[str, Any]:
    """Return the parameters of the call: the given options and what the command line adds."""
    params = to_params(method, given)
    if method.verb == "recall" and not params:
        raise BadParams("`muninn recall` needs QUERY", hint=f"For example: `{example(method)}`.")
    for parameter in parameters(method):
        if parameter.positional and parameter.required and parameter.name not in params:
            name = parameter.name.upper()
            allowed = f"It is one of {', '.join(parameter.choices)}. " if parameter.choices else ""
            raise UsageError(
                f"`muninn {method.words}` needs {name}", hint=f"{allowed}For example: `{example(method)}`."
            )
    if method.verb in ("about", "read"):
        _split_place(method, params)
    if given.repo == ".":
        _root_paths(method, params)
    if method.verb == "capsule.import" and params.get("path") == "-":
        params["path"] = _spooled_input()
    for name in method.absolute_paths:
        if name in params:
            params[name] = _absolute(params[name])
    if method.verb == "context" and params.get("diff") == "-":
        params["diff"] = _patch()
    if method.verb == "remember":
        _complete_draft(params)
    if method.verb == "models.key" and not params.get("value"):
        params["value"] = _secret(f"Key of {params['route']}: ")
    if method.names_speaker:
        known = method.params.__struct_fields__
        caller_fields = {name: value for name, value in caller(os.environ).items() if name in known}
        params = {**caller_fields, **params}
        if "batch" in params:
            params["batch"] = [{**caller_fields, **draft} for draft in params["batch"]]
    return params


def _split_place(method: Method, params: dict[str, Any]) -> None:
    """Take `FILE:LINE` or `FILE:START-END`, as results print places, as the file and its lines."""
    name, line, last = ("file", "line", "") if method.verb == "about" else ("path", "start", "end")
    match = re.fullmatch(r"(.+):([1-9]\d*)(?:-(\d+))?", params[name])
    if match is None or line in params or os.path.lexists(params[name]):
        return
    params |= {name: match[1], line: int(match[2])}
    if last and match[3]:
        params.setdefault(last, int(match[3]))


def _secret(prompt: str) -> str:
    """Return a line that a person types unseen, or a program writes to standard input."""
    if sys.stdin.isatty():
        from getpass import getpass

        return getpass(prompt)
    return sys.stdin.readline().rstrip("\r\n")


def _spooled_input() -> str:
    """Copy standard input to a private file, which is deleted at the exit; a bundle may be longer than a request."""
    import atexit
    import shutil
    import tempfile

    handle, path = tempfile.mkstemp(prefix="standard-input-", suffix=".json")
    atexit.register(os.unlink, path)
    with os.fdopen(handle, "wb") as file:
        shutil.copyfileobj(sys.stdin.buffer, file)
        if not file.tell():
            raise UsageError(f"there is no bundle on {STDIN}", hint="Pipe one in: `… | muninn capsule import -`.")
    return path


def caller(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the fields that identify an agent as the caller, none for a person.

    Claude Code sets CLAUDECODE in its shells. This tells agents from their users but is no access control: a shell can
    change its environment.
    """
    return {"actor": "assistant", "agent": "claude-code"} if environ.get("CLAUDECODE") else {}


def _absolute(given: str | list[str]) -> str | list[str]:
    """Return absolute paths, because the daemon has another current folder. URLs are unchanged."""
    if isinstance(given, str):
        return given if _ADDRESS.match(given) else os.path.abspath(given)
    return [os.path.abspath(path) for path in given]


def _root_paths(method: Method, params: dict[str, Any]) -> None:
    """Convert paths relative to the current folder to paths relative to the root, which verbs take.

    A path that does not exist here but does below the root is unchanged: results print paths that way.
    """
    root = locate(".").root
    current = os.path.realpath(".")
    if current == root:
        return

    def rooted(path: str) -> str:
        file = _PLACE.sub("", path)
        if os.path.isabs(path) or (not os.path.lexists(file) and os.path.lexists(os.path.join(root, file))):
            return path
        return os.path.relpath(os.path.join(current, path), root).replace(os.sep, "/")

    for name in method.rooted_paths:
        value = params.get(name)
        if isinstance(value, list):
            params[name] = [
                {**each, "path": rooted(each["path"])} if isinstance(each, dict) else rooted(each) for each in value
            ]
        elif value is not None and (name != "like" or _PLACE.search(value)):  # `like` also takes a memory's id
            params[name] = rooted(value)


def _patch() -> str:
    """Return the patch on stdin. It ends with a newline, which tells it from a revision."""
    text = sys.stdin.buffer.read().decode("utf-8", "replace")
    if not text.strip():
        raise UsageError("there is no patch on stdin", hint="Pipe one in: `git diff | muninn context --diff -`.")
    return text.rstrip("\n") + "\n"


def _piped_text() -> str:
    """Return the text on stdin, without a byte order mark and with line feeds alone at the ends of lines."""
    return sys.stdin.read().removeprefix("\ufeff").replace("\r\n", "\n").strip()


def _complete_draft(params: dict[str, Any]) -> None:
    if params.get("text") == "-":
        params["text"] = _piped_text()
    if "batch" in params:
        from muninn_cli.verbs.batch import read_drafts

        params["batch"] = read_drafts(params["batch"])
    elif not params.get("text", "").strip():
        raise UsageError("there is nothing to remember", hint="Give a text, '-' for stdin, or --batch FILE.jsonl.")
    params.setdefault("key", new_key())


def _call(method: Method, given: argparse.Namespace, params: Mapping[str, Any]) -> dict[str, Any]:
    try:
        return _called(method, given, params)
    except KeyboardInterrupt:
        if method.verb == "index":  # the daemon watches the files whether or not a client waits
            raise Cancelled("interrupted", hint="Indexing continues; `muninn status` shows how far it is.") from None
        raise


def _called(method: Method, given: argparse.Namespace, params: Mapping[str, Any]) -> dict[str, Any]:
    needs_memory = not method.without_memory
    if method.progress and not given.json and sys.stderr.isatty():
        from muninn_cli.terminal.progress import bar

        with (
            bar(method.progress) as report,
            client.connect(given.repo, os.environ, name=NAME, needs_memory=needs_memory) as daemon,
        ):
            return daemon.call(method.verb, dict(params), progress=report)
    if method.alone:
        with client.connect(given.repo, os.environ, name=NAME, private=True, needs_memory=needs_memory) as daemon:
            return daemon.call(method.verb, dict(params))
    return client.call(
        given.repo,
        os.environ,
        method.verb,
        dict(params),
        repeatable=method.repeatable,
        name=NAME,
        needs_memory=needs_memory,
    )
