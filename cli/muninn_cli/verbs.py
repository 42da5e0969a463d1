"""The verbs of the catalogue on the command line: read the arguments, call the daemon, show the result.

It knows which options turn into which parameters, and nothing of what a verb does.
"""

from __future__ import annotations

import os
import re
import sys
from typing import TYPE_CHECKING, Any

from muninn_cli.exits import ERROR, OK
from muninn_cli.outcome import print_json, settle
from muninn_cli.parameters import parameters
from muninn_cli.parser import near_words, to_params, verb_parser
from muninn_core import client
from muninn_core.errors import UnknownVerb, UsageError
from muninn_core.launch.place import locate
from muninn_core.protocol.methods import METHODS, Method, decode_params

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

_PLACE = re.compile(r"(:\d+(-\d+)?|#[^#/]+)$")
"""What may follow a path to name lines or a symbol in it."""

_LONG = {"index": "Indexing", "backfill": "Looking back"}
"""The verbs that take long enough for a progress bar, and what it is called."""

NAME = "muninn"
"""What the command calls itself to the daemon."""


def main(argv: list[str]) -> int:
    """Run a verb: `argv` is the verb and its arguments. Returns the exit code."""
    return settle(_run, argv)


def new_key() -> str:
    """Return an idempotency key: a call that is repeated after a broken connection stores once."""
    return os.urandom(16).hex()


def _run(argv: list[str]) -> int:
    method = _method(argv[0])
    given = verb_parser(method).parse(argv[1:])
    if getattr(given, "queries", None) is not None:
        from muninn_cli.batch import answer_queries

        return answer_queries(given.repo, given.queries, to_params(method, given))
    params = _params(method, given)
    decode_params(method, params)  # a wrong one is told at once, and starts no daemon
    result = _call(method, given, params)
    if getattr(given, "out", None) is not None:
        from muninn_cli.show.bundles import write_bundle

        write_bundle(given.out, result)
    if given.json:
        print_json(result)
    else:
        from muninn_cli.show import show

        show(method.verb, result, given)
    return OK if result.get("ok", True) else ERROR  # a check that has found something says so by its code


def _method(verb: str) -> Method:
    method = METHODS.get(verb)
    if method is None:
        from muninn_cli.manual import COMMANDS

        near = near_words(verb, COMMANDS)
        what = "option" if verb.startswith("-") else "verb"
        hint = f"Did you mean `muninn {near}`?" if near else "`muninn help` shows them all."
        raise UnknownVerb(f"there is no {what} '{verb}'", hint=hint, data={"nearest": near} if near else {})
    return method


def _params(method: Method, given: argparse.Namespace) -> dict[str, Any]:
    """Return the call's parameters: what was given, and what the command line adds to it."""
    params = to_params(method, given)
    for parameter in parameters(method):
        if parameter.positional and parameter.required and parameter.name not in params:
            name = parameter.name.upper()
            raise UsageError(f"`muninn {method.verb}` needs {name}", hint=f"See `muninn {method.verb} --help`.")
    if given.repo == ".":
        _take_paths_from_here(params)
    if method.verb == "import":
        params["path"] = os.path.abspath(params["path"])  # the daemon's current folder is not ours
    if "paths" in params:
        params["paths"] = [os.path.abspath(path) for path in params["paths"]]
    if method.verb == "remember":
        _complete_draft(params)
    return params


def _take_paths_from_here(params: dict[str, Any]) -> None:
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

    if "files" in params:
        params["files"] = [rooted(path) for path in params["files"]]
    if "file" in params:
        params["file"] = rooted(params["file"])
    for cite in params.get("cites", ()):
        cite["path"] = rooted(cite["path"])


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
    if method.verb in _LONG and not given.json and sys.stderr.isatty():
        from muninn_cli.progress import bar

        with bar(_LONG[method.verb]) as report, client.connect(given.repo, os.environ, name=NAME) as daemon:
            return daemon.call(method.verb, dict(params), progress=report)
    if method.alone:
        with client.connect(given.repo, os.environ, name=NAME, private=True) as daemon:
            return daemon.call(method.verb, dict(params))
    return client.call(given.repo, os.environ, method.verb, dict(params), name=NAME)
