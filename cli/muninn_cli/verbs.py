"""The verbs of the catalogue on the command line: read the arguments, call the daemon, show the result.

It knows which options turn into which parameters, and nothing of what a verb does.
"""

from __future__ import annotations

import os
import re
import sys
from typing import TYPE_CHECKING, Any

from muninn_cli.exits import ERROR, OK
from muninn_cli.main import split
from muninn_cli.outcome import print_json, settle
from muninn_cli.parameters import parameters
from muninn_cli.parser import ALIASES, group_parser, lookup_words, near_words, to_params, verb_parser
from muninn_core import client
from muninn_core.errors import UnknownVerb, UsageError
from muninn_core.launch.place import locate
from muninn_core.model.value import encode_json
from muninn_core.protocol.catalogue import GROUPS, METHODS, decode_params
from muninn_core.protocol.method import Method

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

_PLACE = re.compile(r"(:\d+([-:]\d+)?|#[^#/]+)$")
"""What may follow a path to name lines or a symbol in it."""

NAME = "muninn"
"""What the command calls itself to the daemon."""

_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://|[\w.-]+@[\w.-]+:")
"""What is no path: the core says so."""


def main(argv: list[str]) -> int:
    """Run a verb: `argv` is the verb and its arguments. Returns the exit code."""
    alias = ALIASES.get(" ".join(argv[:2]))
    return settle(_run, [*(alias.words.split() if alias else argv[:2]), *argv[2:]])


def new_key() -> str:
    """Return an idempotency key: a call that is repeated after a broken connection stores once."""
    return os.urandom(16).hex()


def _run(argv: list[str]) -> int:
    if argv[0] in GROUPS:
        word, rest = split(argv[1:])
        if word in ("-h", "--help"):
            group_parser(argv[0]).print_help()
            return OK
        alone = METHODS.get(f"{argv[0]}.list")
        if alone is not None and (not word or word.startswith("-")):  # what there is, where nothing is to be done
            method, rest = alone, argv[1:]
        else:
            method = lookup_words([argv[0], word] if word else [argv[0]])
        given = verb_parser(method).parse(rest)
    else:
        method = _method(argv[0])
        given = verb_parser(method).parse(argv[1:])
    if getattr(given, "queries", None) is not None:
        from muninn_cli.batch import answer_queries

        return answer_queries(given.repo, given.queries, to_params(method, given))
    params = _params(method, given)
    _check_text(params)
    decode_params(method, params)  # a wrong one is told at once, and starts no daemon
    result = _call(method, given, params)
    if getattr(given, "out", None) is not None:
        from muninn_cli.show.bundles import write_bundle

        write_bundle(given.out, result)
    if given.json:
        print_json(result)
    else:
        from muninn_cli.show import show

        show(method, result, given)
    return OK if result.get("ok", True) else ERROR  # a check that has found something says so by its code


def _check_text(params: dict[str, Any]) -> None:
    """Raise UsageError for bytes that are no text: what would be stored or searched is not what was meant."""
    try:
        encode_json(params)
    except UnicodeEncodeError:
        raise UsageError("what was given is not UTF-8", hint="`iconv -f latin1 -t utf-8` converts a text.") from None


def _method(verb: str) -> Method:
    method = METHODS.get(verb)
    if method is None:
        from muninn_cli.manual import COMMANDS

        near = near_words(verb, COMMANDS)
        what = "option" if verb.startswith("-") else "verb"
        hint = f"Did you mean `muninn {near}`?" if near else "`muninn help` shows them all."
        if verb.startswith("-"):
            near, hint = None, "The verb comes first: `muninn VERB [ARGUMENTS] [--repo DIR] [--json]`."
        raise UnknownVerb(f"there is no {what} '{verb}'", hint=hint, data={"nearest": near} if near else {})
    return method


def _params(method: Method, given: argparse.Namespace) -> dict[str, Any]:
    """Return the call's parameters: what was given, and what the command line adds to it."""
    params = to_params(method, given)
    for parameter in parameters(method):
        if parameter.positional and parameter.required and parameter.name not in params:
            name = parameter.name.upper()
            raise UsageError(f"`muninn {method.words}` needs {name}", hint=f"See `muninn {method.words} --help`.")
    if given.repo == ".":
        _take_paths_from_here(method, params)
    for name in method.absolute_paths:
        if name in params:
            params[name] = _absolute(params[name])
    if method.verb == "context" and params.get("diff") == "-":
        params["diff"] = _patch()
    if method.verb == "remember":
        _complete_draft(params)
    if method.names_speaker:
        spoken = speaker(os.environ)
        params = {**spoken, **params}
        if "batch" in params:
            params["batch"] = [{**spoken, **draft} for draft in params["batch"]]
    return params


def speaker(environ: Mapping[str, str]) -> dict[str, str]:
    """Return who types, where that shows: nothing for a person, an agent where its shell says so.

    Claude Code sets CLAUDECODE in the shells that it opens. This keeps honest agents apart from their users; it is no
    lock, since whoever has a shell can change its environment.
    """
    return {"actor": "assistant", "agent": "claude-code"} if environ.get("CLAUDECODE") else {}


def _absolute(given: str | list[str]) -> str | list[str]:
    """Return one or several paths as absolute ones: the daemon's current folder is another. Addresses stay."""
    if isinstance(given, str):
        return given if _ADDRESS.match(given) else os.path.abspath(given)
    return [os.path.abspath(path) for path in given]


def _take_paths_from_here(method: Method, params: dict[str, Any]) -> None:
    """Make paths that were given relative to the current folder relative to the root, as verbs take them.

    A path that is not here but below the root is meant from there: that is how answers print it.
    """
    root = locate(".").root
    here = os.path.realpath(".")
    if here == root:
        return

    def rooted(path: str) -> str:
        file = _PLACE.sub("", path)
        if os.path.isabs(path) or (not os.path.lexists(file) and os.path.lexists(os.path.join(root, file))):
            return path
        return os.path.relpath(os.path.join(here, path), root).replace(os.sep, "/")

    for name in method.rooted_paths:
        value = params.get(name)
        if isinstance(value, list):
            params[name] = [
                {**each, "path": rooted(each["path"])} if isinstance(each, dict) else rooted(each) for each in value
            ]
        elif value is not None and (name != "like" or _PLACE.search(value)):  # `like` also takes a memory's id
            params[name] = rooted(value)


def _patch() -> str:
    """Return the patch on stdin; one line alone, or none, would pass for a revision."""
    text = sys.stdin.buffer.read().decode("utf-8", "replace")
    if not text.strip():
        raise UsageError("there is no patch on stdin", hint="`git diff | muninn context --diff -`; nothing differs?")
    return text.rstrip("\n") + "\n"


def _complete_draft(params: dict[str, Any]) -> None:
    if params.get("text") == "-":
        params["text"] = sys.stdin.read().strip()
    if "batch" in params:
        from muninn_cli.batch import read_drafts

        params["batch"] = read_drafts(params["batch"])
    elif not params.get("text", "").strip():
        raise UsageError("there is nothing to remember", hint="Give a text, '-' for stdin, or --batch FILE.jsonl.")
    params.setdefault("key", new_key())


def _call(method: Method, given: argparse.Namespace, params: Mapping[str, Any]) -> dict[str, Any]:
    if method.progress and not given.json and sys.stderr.isatty():
        from muninn_cli.progress import bar

        with bar(method.progress) as report, client.connect(given.repo, os.environ, name=NAME) as daemon:
            return daemon.call(method.verb, dict(params), progress=report)
    if method.alone:
        with client.connect(given.repo, os.environ, name=NAME, private=True) as daemon:
            return daemon.call(method.verb, dict(params))
    return client.call(given.repo, os.environ, method.verb, dict(params), repeatable=method.repeatable, name=NAME)
