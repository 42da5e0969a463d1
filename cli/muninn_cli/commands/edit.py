"""`muninn edit ID`: change a memory's text and questions in the user's editor."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from muninn_cli.arguments.parser import new_parser
from muninn_cli.command import print_json, run_command
from muninn_cli.exit_codes import OK
from muninn_cli.help.manual import COMMANDS, EXAMPLES
from muninn_core import client
from muninn_core.errors import MuninnError, UsageError
from muninn_core.protocol.catalogue import METHODS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_FOOTER = """\
<!-- Muninn: change the text above. Saving it unchanged or empty changes nothing.
     Below are the questions that it answers, each on a line that begins with "- ".
     Ask in other words than the text: a symptom, a task, general terms.
"""
_END = "-->"

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
    options = parser.parse(argv)
    memory = _call(options.repo, "show", {"id": options.id})["memory"]
    draft = edited(memory["text"], memory["questions"], editor_command(os.environ))
    if not draft.text:
        draft.file.unlink()
        raise UsageError("the text is empty; nothing was changed", hint=f"`muninn forget {memory['id']}` archives it.")
    change: dict[str, Any] = {"text": draft.text} if draft.text != _with_newlines(memory["text"]).strip() else {}
    if draft.questions not in (None, memory["questions"]):
        change["questions"] = draft.questions or [""]  # an empty question removes them
    change |= {"reason": options.reason} if change else {}
    try:
        result = _call(options.repo, "update", {"id": memory["id"], **change})
    except MuninnError as error:
        error.hint = f"{error.hint} The draft is {draft.file}.".lstrip()
        raise
    draft.file.unlink()
    if options.json:
        print_json(result)
    else:
        from muninn_cli.show import show

        show(METHODS["update"], result, options)
    return OK


class Draft(NamedTuple):
    """What the user saved, and its file. `questions` is None where the comment that has them is no longer there."""

    file: Path
    text: str
    questions: list[str] | None


def edited(text: str, questions: Sequence[str], command: list[str]) -> Draft:
    """Return a text and its questions after the user edited them with `command`. The caller deletes the file.

    Raises UsageError, with the path of the draft, when the editor can't be started or fails, or the draft is unclear.
    """
    number, name = tempfile.mkstemp(prefix="muninn-", suffix=".md")  # readable by this user only
    draft = Path(name)
    with os.fdopen(number, "w", encoding="utf-8") as file:
        file.write(_draft(text, questions))
    try:
        code = subprocess.run([*command, name], check=False).returncode
    except OSError as error:
        draft.unlink()
        hint = "Set EDITOR to a command that waits until the file is closed."
        raise UsageError(f"the editor '{command[0]}' can't be started: {error.strerror}", hint=hint) from None
    if code != 0:
        raise UsageError(f"the editor ended with status {code}; nothing was changed", hint=f"The draft is {name}.")
    try:
        return Draft(draft, *_read(_with_newlines(draft.read_bytes().decode("utf-8-sig"))))
    except UnicodeDecodeError:
        hint = f"Save it as UTF-8. The draft is {name}."
        raise UsageError("the draft is not UTF-8; nothing was changed", hint=hint) from None
    except UsageError as error:
        error.hint = f"{error.hint} The draft is {name}."
        raise


def _with_newlines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _draft(text: str, questions: Sequence[str]) -> str:
    rows = "".join(f"- {each}\n" for each in questions)
    return f"{text.rstrip()}\n\n{_FOOTER}{rows}{_END}\n"


def _read(written: str) -> tuple[str, list[str] | None]:
    """Return the text and the questions of a draft. The comment is found by its first line; its end may be lost.

    An indented line continues the question before it. Raises UsageError where a line of the comment is none of its own
    and no question, or where only a part of the comment is left.
    """
    lines = written.split("\n")
    first, *others = _FOOTER.rstrip("\n").split("\n")
    at = max((number for number, each in enumerate(lines) if each.rstrip() == first), default=None)
    if at is None:
        if any(each.rstrip() in others for each in lines):
            raise UsageError(
                "the first line of Muninn's comment is gone; nothing was changed",
                hint="Leave the comment as it is, or delete all of it.",
            )
        return written.strip(), None
    end = next((number for number in range(at, len(lines)) if lines[number].strip() == _END), len(lines))
    questions: list[str] = []
    for line in (each.rstrip() for each in lines[at + 1 : end] if each.strip() and each.rstrip() not in others):
        if line.lstrip().startswith("-"):
            questions.append(line.lstrip()[1:].strip())
        elif questions and line[0].isspace():
            questions[-1] = f"{questions[-1]} {line.strip()}".strip()
        else:
            raise UsageError(
                f"'{line.strip()}' is not read as a question; nothing was changed",
                hint=f'A question begins with "- ". Text is above the comment or below "{_END}".',
            )
    text = "\n".join([*lines[:at], *lines[end + 1 :]]).strip()
    return text, list(dict.fromkeys(filter(None, questions)))


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
    repeatable = METHODS[verb].repeatable
    return client.call(repo, os.environ, verb, params, repeatable=repeatable, name="muninn", needs_memory=True)
