"""`muninn edit ID`: change a memory's text in the user's editor."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from muninn_cli.command import print_json, run_command
from muninn_cli.exits import OK
from muninn_cli.manual import COMMANDS, EXAMPLES
from muninn_cli.parser import new_parser
from muninn_core import client
from muninn_core.errors import UsageError
from muninn_core.protocol.catalogue import METHODS

if TYPE_CHECKING:
    from collections.abc import Mapping

_FOOTER = """\
<!-- Muninn: change the text above. Saving it unchanged or empty changes nothing.
     An HTML comment like this one at the end is not stored. -->
"""

_EPILOG = """\
The editor is $MUNINN_EDITOR, $VISUAL or $EDITOR, else nano or vi. The git
configuration of the repository does not choose it: it may come from others.
"""


def main(argv: list[str]) -> int:
    """Edit the memory that `argv` names. Returns the exit code."""
    return run_command(_run, argv)


def _run(argv: list[str]) -> int:
    parser = new_parser("edit", COMMANDS["edit"], epilog=_EPILOG, example=EXAMPLES["edit"])
    parser.add_argument("id", metavar="ID", help="the memory's id or an unambiguous prefix of it")
    parser.add_argument("--reason", default="", help="the reason, kept in the memory's history")
    given = parser.parse(argv)
    memory = _call(given.repo, "show", {"id": given.id})["memory"]
    text = edited(memory["text"], editor_command(os.environ))
    if not text:
        raise UsageError("the text is empty; nothing was changed", hint=f"`muninn forget {memory['id']}` archives it.")
    change = {"id": memory["id"], "text": text, "reason": given.reason} if text != memory["text"].strip() else {}
    result = _call(given.repo, "update", change or {"id": memory["id"]})
    if given.json:
        print_json(result)
    else:
        from muninn_cli.show import show

        show(METHODS["update"], result, given)
    return OK


def edited(text: str, command: list[str]) -> str:
    """Return a text after the user edited it with `command`, without surrounding blank space and Muninn's comment.

    Raises UsageError, with the path of the draft, when the editor can't be started or fails.
    """
    number, name = tempfile.mkstemp(prefix="muninn-", suffix=".md")  # readable by this user only
    draft = Path(name)
    with os.fdopen(number, "w", encoding="utf-8") as file:
        file.write(f"{text.rstrip()}\n\n{_FOOTER}")
    try:
        code = subprocess.run([*command, name], check=False).returncode
    except OSError as error:
        draft.unlink()
        hint = "Set EDITOR to a command that waits until the file is closed."
        raise UsageError(f"the editor '{command[0]}' can't be started: {error.strerror}", hint=hint) from None
    if code != 0:
        raise UsageError(f"the editor ended with status {code}; nothing was changed", hint=f"The draft is {name}.")
    written = draft.read_text("utf-8", "replace")
    draft.unlink()
    return written.replace(_FOOTER.rstrip("\n"), "").strip()


def editor_command(environ: Mapping[str, str]) -> list[str]:
    """Return the words of the user's editor command. Raises UsageError where none is set or installed."""
    named = next((environ[name] for name in ("MUNINN_EDITOR", "VISUAL", "EDITOR") if environ.get(name)), "")
    if named:
        return shlex.split(named)
    installed = next((name for name in ("nano", "vi") if shutil.which(name, path=environ.get("PATH"))), None)
    if installed is None:
        raise UsageError("there is no editor", hint="Set EDITOR, or use `muninn update ID --text TEXT`.")
    return [installed]


def _call(repo: str, verb: str, params: dict[str, Any]) -> dict[str, Any]:
    return client.call(repo, os.environ, verb, params, repeatable=METHODS[verb].repeatable, name="muninn")
