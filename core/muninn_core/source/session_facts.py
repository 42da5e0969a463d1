"""What a whole session of Claude Code or Codex shows, read from its transcript long after: facts, and what failed.

The statements of the conversation are `transcript`'s to find; here stands what can be counted: files that were edited,
commits, tests, and a command that failed until files were changed. Nothing that somebody said is taken from here.

Format: Claude Code 2.1, one object a line; `tool_use` blocks of the assistant, `tool_result` blocks of the user, and
`toolUseResult` beside them. What Codex writes is read in that form (`rollout`).
"""

from __future__ import annotations

import re
from typing import Any

from muninn_core.model.value import Value, decode_json
from muninn_core.source import codex_rollout
from muninn_core.source.private import strip_private

ERROR_CHARS = 300
COMMAND_CHARS = 300

_TYPES = frozenset({"user", "assistant", "system", "attachment", "summary", "file-history-snapshot"})
"""Types of lines by which a transcript is known."""

_EDITS = {"Edit": "file_path", "Write": "file_path", "MultiEdit": "file_path", "NotebookEdit": "notebook_path"}
_STATUS = re.compile(r"(?i)\bexit(?:ed with)? (?:code|status) (\d+)")
_COMMITTED = re.compile(r"(?m)^\[[^\]\n]*?\b([0-9a-f]{7,40})\] (.+)$")
_TESTS = re.compile(
    r"(?:^|[;&|]\s*|\s)(?:[\w./-]*/)?(?:pytest|tox|nox|unittest|jest|vitest|mocha|rspec|phpunit|ctest|playwright test"
    r"|(?:npm|pnpm|yarn|bun)(?: run)? test\S*|(?:cargo|go|dotnet|swift|mix|gradle|gradlew|mvn)\s(?:\S+\s)*?test"
    r"|make (?:test|check)\S*)(?=\s|$|[;&|])"
)
_TRIED = re.compile(
    r"(?i)\b(?:error|exception|fail(?:ed|ure|s)?|fatal|panic|undefined|cannot|can't|not found|denied|refused|assert)"
)


class Command(Value):
    """A command that was run. `status` is its exit status, where it is told; `error` the line that says most."""

    text: str
    time: str
    failed: bool
    status: int | None
    error: str


class Attempt(Value):
    """A command that failed and, once `files` had been changed, did not any more."""

    command: Command
    files: tuple[str, ...]


class Facts(Value):
    """What a transcript shows. Paths are absolute, as they stand there; times are RFC 3339, "" where none stood.

    `failing` are the commands that had failed when they were run for the last time; `agent` is the program.
    """

    session: str
    folders: tuple[str, ...]
    begun: str
    ended: str
    version: str
    files: tuple[str, ...]
    commits: tuple[str, ...]
    tests: tuple[Command, ...]
    attempts: tuple[Attempt, ...]
    recognised: int
    failing: tuple[Command, ...] = ()
    agent: str = "claude-code"


class Reader:
    """Takes a transcript's lines one by one, then tells its facts."""

    def __init__(self) -> None:
        self._session = self._begun = self._ended = self._version = ""
        self._agent = "claude-code"
        self._folders: dict[str, None] = {}
        self._edits: list[tuple[int, str]] = []
        self._commits: dict[str, str] = {}
        self._commands: list[tuple[int, Command]] = []
        self._pending: dict[str, tuple[str, str]] = {}
        self._editing: dict[str, str] = {}
        self._recognised = 0
        self._at = 0

    def take(self, line: bytes) -> bool:
        """Read one line; False for one that is no JSON object. What is not of interest is passed over."""
        if not line.strip():
            return True
        try:
            entry = decode_json(line)
        except (ValueError, RecursionError):
            return False
        if not isinstance(entry, dict):
            return False
        self._at += 1
        of_codex = entry.get("type") in codex_rollout.TYPES
        self._agent = "codex" if of_codex else self._agent
        for each in codex_rollout.transcript_entries(entry) if of_codex else (entry,):
            if each.get("type") in _TYPES:
                self._recognised += 1
                self._note(each)
        return True

    def facts(self) -> Facts:
        """Return what the lines so far show."""
        return Facts(
            session=self._session,
            folders=tuple(self._folders),
            begun=self._begun,
            ended=self._ended,
            version=self._version,
            files=tuple(dict.fromkeys(path for _, path in self._edits)),
            commits=tuple(f"{sha} {subject}" for sha, subject in self._commits.items()),
            tests=tuple(command for _, command in self._commands if _TESTS.search(command.text)),
            attempts=self._attempts(),
            recognised=self._recognised,
            failing=self._failing(),
            agent=self._agent,
        )

    def _note(self, entry: dict[str, Any]) -> None:
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
                self._used(block, time)
            elif block.get("type") == "tool_result":
                self._answered(block, entry.get("toolUseResult"))

    def _used(self, block: dict[str, Any], time: str) -> None:
        given = block.get("input")
        name = block.get("name")
        if not isinstance(given, dict) or not isinstance(name, str):
            return
        if name in _EDITS:
            if path := _text(given.get(_EDITS[name])):
                self._editing[_text(block.get("id"))] = path
        elif name == "Bash" and (command := _text(given.get("command"))):
            self._pending[_text(block.get("id"))] = (command, time)

    def _answered(self, block: dict[str, Any], result: Any) -> None:
        number = _text(block.get("tool_use_id"))
        edited, asked = self._editing.pop(number, None), self._pending.pop(number, None)
        if edited and block.get("is_error") is not True:
            self._edits.append((self._at, edited))
        if asked is None:
            return
        command, time = asked
        output, _ = strip_private(_output(block.get("content"), result))
        status = _STATUS.search(output[:200])
        failed = block.get("is_error") is True or bool(status and status[1] != "0")
        if isinstance(result, dict) and result.get("interrupted") is True:
            return  # neither failed nor done
        if not failed and re.search(r"\bgit\b.*\bcommit\b", command):
            self._commits.update({sha: subject.strip() for sha, subject in _COMMITTED.findall(output)})
        found = Command(
            text=strip_private(command)[0][:COMMAND_CHARS],
            time=time,
            failed=failed,
            status=int(status[1]) if failed and status else None,
            error=telling(output) if failed else "",
        )
        if found.text:
            self._commands.append((self._at, found))

    def _failing(self) -> tuple[Command, ...]:
        last = {" ".join(command.text.split()): command for _, command in self._commands}
        return tuple(command for command in last.values() if command.failed)

    def _attempts(self) -> tuple[Attempt, ...]:
        """Return the commands whose last failure was followed by edits and then by success, in order."""
        found: dict[str, Attempt] = {}
        failed: dict[str, tuple[int, Command]] = {}
        for at, command in self._commands:
            name = " ".join(command.text.split())
            if command.failed:
                failed[name] = (at, command)
            elif name in failed:
                begun, failure = failed.pop(name)
                files = tuple(dict.fromkeys(path for when, path in self._edits if begun < when < at))
                if files and failure.error:
                    found[name] = Attempt(command=failure, files=files)
        return tuple(found.values())


def status_of(output: str) -> int | None:
    """Return the exit status that the output of a failed command tells, if it does."""
    found = _STATUS.search(output[:200])
    return int(found[1]) if found else None


def _output(content: Any, result: Any) -> str:
    """Return what a command printed, errors first."""
    if isinstance(result, str):
        return result
    if isinstance(result, dict) and ("stdout" in result or "stderr" in result):
        return "\n".join(filter(None, (_text(result.get("stderr")), _text(result.get("stdout")))))
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(_text(block.get("text")) for block in content if isinstance(block, dict))
    return ""


def telling(output: str) -> str:
    """Return the line of an output that says most of why a command failed: the last one that names an error."""
    lines = [" ".join(line.split()) for line in output.splitlines()]
    lines = [line for line in lines if len(line) > 8 and not re.fullmatch(r"[\W_]+|(?i:error: )?exit code \d+", line)]
    named = [line for line in lines if _TRIED.search(line)]
    chosen = (named or lines)[-1:] or [""]
    return chosen[0][:ERROR_CHARS]


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
