"""Extracts facts from an agent's transcript: edited files, commits, tests, and commands that failed.

Statements of the conversation are extracted by `transcript`; no sentence is copied here.

Format: Claude Code 2.1, one object per line; `tool_use` blocks of the assistant, `tool_result` blocks of the user, and
`toolUseResult` beside them. `transcript_lines` converts lines of other agents to this form.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from muninn_core.capture.sessions.command_outcome import (
    command_name,
    core_words,
    covers,
    folder_of,
    is_setup,
    is_test_run,
    outcome_of,
    plain_command,
    ran_to_end,
    setting_of,
)
from muninn_core.capture.turns.transcript_lines import Converter
from muninn_core.model.value import Value, decode_json
from muninn_core.source.private_spans import strip_private

ERROR_CHARS = 300
COMMAND_CHARS = 300

_TYPES = frozenset({"user", "assistant", "system", "attachment", "summary", "file-history-snapshot"})
"""The types of lines that identify a transcript."""

_EDITS = {"Edit": "file_path", "Write": "file_path", "MultiEdit": "file_path", "NotebookEdit": "notebook_path"}
_STATUS = re.compile(r"(?i)\bexit(?:ed with)? (?:code|status) (\d+)")
_COMMITTED = re.compile(r"(?m)^\[[^\]\n]*?\b([0-9a-f]{7,40})\] (.+)$")
_ERROR_WORD = re.compile(
    r"(?i)\b(?:error|exception|fail(?:ed|ure|s)?|fatal|panic|undefined|cannot|can't|not found|denied|refused|assert)"
)


_SUMMARY = re.compile(
    r"make(?:\[\d+\])?: \*\*\*|[=!_ ]{3,}|(?:ERROR|FAILED) \S+$|npm (?:ERR!|error) (?:code|errno|A complete log)"
)
"""Lines that a runner prints below the error itself."""

_EXCEPTION = re.compile(r"(?:[\w.]+\.)?[A-Z]\w*(?:Error|Exception|NotFound|Timeout|Interrupt)\b(?:: |$)")
"""An exception as a traceback's last line names it."""


Run = tuple[str, str]
"""What a command and its repetition have in common: the folder, and the command's name."""


class Command(Value):
    """A command that was run. `status` is its exit status if known, `error` the most informative line of its output.

    A command that neither `failed` nor `passed` has an unknown outcome. `folder` is where it ran, "" if unknown.
    """

    text: str
    time: str
    failed: bool
    status: int | None
    error: str
    passed: bool = False
    folder: str = ""

    @property
    def run(self) -> Run:
        """What identifies the command and its repetitions."""
        return self.folder, command_name(self.text)


class Attempt(Value):
    """A command that failed and passed later.

    `files` were changed in between. `cure` is the command that passed, when it ran with another setting than the one
    that failed, else "". `setup` are the commands in between that prepared the machine.
    """

    command: Command
    files: tuple[str, ...]
    cure: str = ""
    setup: tuple[str, ...] = ()


class SessionFacts(Value):
    """The facts of a transcript. Paths are absolute as written; times are RFC 3339, "" when missing.

    `failing` are the commands that failed last; `agent` is the program. `commands` are all that were run.
    """

    session: str
    folders: tuple[str, ...]
    started_at: str
    ended: str
    version: str
    files: tuple[str, ...]
    commits: tuple[str, ...]
    tests: tuple[Command, ...]
    attempts: tuple[Attempt, ...]
    recognised: int
    failing: tuple[Command, ...] = ()
    agent: str = "claude-code"
    commands: tuple[Command, ...] = ()


class SessionReader:
    """Reads a transcript line by line."""

    def __init__(self) -> None:
        self._session = self._begun = self._ended = self._version = ""
        self._converter = Converter()
        self._folders: dict[str, None] = {}
        self._edits: list[tuple[int, str]] = []
        self._commits: dict[str, str] = {}
        self._commands: list[tuple[int, Command]] = []
        self._pending: dict[str, tuple[str, str, str]] = {}
        self._editing: dict[str, str] = {}
        self._recognised = 0
        self._line = 0

    def read_line(self, line: bytes) -> bool:
        """Read one line; return False when it is not a JSON object. Irrelevant lines are skipped."""
        if not line.strip():
            return True
        try:
            entry = decode_json(line)
        except (ValueError, RecursionError):
            return False
        if not isinstance(entry, dict):
            return False
        self._line += 1
        for converted in self._converter.entries(entry):
            if converted.get("isSidechain") and self._converter.agent != "claude-code":
                continue
            if _text(converted.get("type")) in _TYPES:
                self._recognised += 1
                self._read_entry(converted)
        return True

    def facts(self) -> SessionFacts:
        """Return the facts of the lines read so far."""
        return SessionFacts(
            session=self._session,
            folders=tuple(self._folders),
            started_at=self._begun,
            ended=self._ended,
            version=self._version,
            files=tuple(dict.fromkeys(path for _, path in self._edits)),
            commits=tuple(f"{sha} {subject}" for sha, subject in self._commits.items()),
            tests=tuple(command for _, command in self._commands if is_test_run(command.text)),
            attempts=self._attempts(),
            recognised=self._recognised,
            failing=self._failing(),
            agent=self._converter.agent,
            commands=tuple(command for _, command in self._commands),
        )

    def _read_entry(self, entry: dict[str, Any]) -> None:
        self._session = self._session or _text(entry.get("sessionId"))
        self._version = _text(entry.get("version")) or self._version
        time = _text(entry.get("timestamp"))
        self._begun, self._ended = self._begun or time, time or self._ended
        if folder := _text(entry.get("cwd")):
            self._folders[folder] = None
        message = entry.get("message")
        content = message.get("content") if isinstance(message, dict) else None
        for block in content if isinstance(content, list) else ():
            if not isinstance(block, dict):
                continue
            if block.get("type") == "tool_use":
                self._read_tool_use(block, time, folder)
            elif block.get("type") == "tool_result":
                self._read_tool_result(block, entry.get("toolUseResult"))

    def _read_tool_use(self, block: dict[str, Any], time: str, folder: str) -> None:
        input_ = block.get("input")
        name = block.get("name")
        if not isinstance(input_, dict) or not isinstance(name, str):
            return
        if name in _EDITS:
            if path := _text(input_.get(_EDITS[name])):
                self._editing[_text(block.get("id"))] = path
        elif name == "Bash" and (command := _text(input_.get("command"))):
            self._pending[_text(block.get("id"))] = (command, time, folder)

    def _read_tool_result(self, block: dict[str, Any], result: Any) -> None:
        number = _text(block.get("tool_use_id"))
        edited, pending = self._editing.pop(number, None), self._pending.pop(number, None)
        if edited and block.get("is_error") is not True:
            self._edits.append((self._line, edited))
        if pending is None:
            return
        command, time, folder = pending
        output, _ = strip_private(_output(block.get("content"), result))
        status = _STATUS.search(output[:200])
        failed = block.get("is_error") is True or bool(status and status[1] != "0")
        if isinstance(result, dict) and result.get("interrupted") is True:
            return  # neither failed nor succeeded
        if not ran_to_end(output, refused=failed and status is None):
            return
        outcome = outcome_of(command, output, failed=failed)
        failed = outcome == "failed"
        if not failed and re.search(r"\bgit\b.*\bcommit\b", command):
            self._commits.update({sha: subject.strip() for sha, subject in _COMMITTED.findall(output)})
        found = Command(
            text=strip_private(command)[0][:COMMAND_CHARS],
            time=time,
            failed=failed,
            status=int(status[1]) if failed and status else None,
            error=error_line(output) if failed else "",
            passed=outcome == "passed",
            folder=folder_of(command, folder),
        )
        if found.text:
            self._commands.append((self._line, found))

    def _failing(self) -> tuple[Command, ...]:
        """Return the commands that failed last and that no later command that passed includes."""
        left: dict[Run, Command] = {}
        for _, command in self._commands:
            if command.failed:
                left.pop(command.run, None)
                left[command.run] = command
            elif command.passed:
                left = {
                    run: each
                    for run, each in left.items()
                    if each.folder != command.folder or not covers(command.text, each.text)
                }
        return tuple(left.values())

    def _attempts(self) -> tuple[Attempt, ...]:
        """Return the commands whose last failure was followed by success, with what came in between, in order."""
        found: dict[Run, Attempt] = {}
        failed: dict[Run, tuple[int, Command]] = {}
        for at, command in self._commands:
            if command.failed:
                failed[command.run] = (at, command)
            elif command.passed:
                known = command.run if command.run in failed else _variant(command.text, failed)
                if known is not None:
                    started_at, failure = failed.pop(known)
                    attempt = self._attempt(failure, command, started_at, at)
                    if failure.error and (attempt.files or attempt.cure or attempt.setup):
                        found[known] = attempt
        return tuple(found.values())

    def _attempt(self, failure: Command, passed: Command, start: int, end: int) -> Attempt:
        """Return how a command that failed at line `start` came to pass at line `end`."""
        between = [command for at, command in self._commands if start < at < end and command.passed]
        return Attempt(
            command=failure,
            files=tuple(dict.fromkeys(path for when, path in self._edits if start < when < end)),
            cure=plain_command(passed.text) if setting_of(passed.text) != setting_of(failure.text) else "",
            setup=tuple(dict.fromkeys(plain_command(each.text) for each in between if is_setup(each.text))),
        )


def _variant(passed: str, failed: Mapping[Run, object]) -> Run | None:
    """Return the last command of `failed` that a command repeats in another setting, such as with a variable."""
    words, setting = core_words(passed), setting_of(passed)
    same = [run for run in failed if core_words(run[1]) == words and setting_of(run[1]) != setting]
    return same[-1] if same else None


def exit_status(output: str) -> int | None:
    """Return the exit status in the output of a failed command, None when there is none."""
    found = _STATUS.search(output[:200])
    return int(found[1]) if found else None


def _output(content: Any, result: Any) -> str:
    """Return a command's output, stderr first."""
    if isinstance(result, str):
        return result
    if isinstance(result, dict) and ("stdout" in result or "stderr" in result):
        return "\n".join(filter(None, (_text(result.get("stderr")), _text(result.get("stdout")))))
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(_text(block.get("text")) for block in content if isinstance(block, dict))
    return ""


def error_line(output: str) -> str:
    """Return the last line of an output that names an exception, else an error, else its last line.

    Lines that only summarise, as `make` and pytest print them, come last.
    """
    lines = [re.sub(r"^E\s+(?=\S)", "", " ".join(line.split())) for line in output.splitlines()]
    lines = [line for line in lines if len(line) > 8 and not re.fullmatch(r"[\W_]+|(?i:error: )?exit code \d+", line)]
    lines = [line for line in lines if not _SUMMARY.match(line)] or lines
    raised = [line for line in lines if _EXCEPTION.match(line)]
    named = [line for line in lines if _ERROR_WORD.search(line)]
    chosen = (raised or named or lines)[-1:] or [""]
    return chosen[0][:ERROR_CHARS]


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
