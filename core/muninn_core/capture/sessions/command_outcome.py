"""Whether a shell command passed, as far as its exit status and its output show.

The status of a pipeline is that of its last command, so `pytest | tail` says nothing about the tests. Of a test run the
output then decides; of other commands the outcome stays unknown.
"""

from __future__ import annotations

import posixpath
import re
from typing import Literal

Outcome = Literal["passed", "failed", "unknown"]

_QUOTED = re.compile(r"'[^']*'|(?<!\\)\"(?:\\.|[^\"\\])*\"")
_SHELL = re.compile(r"^(?:/\S*/)?(?:ba|z|da)?sh -l?c (['\"])(.*)\1\s*$", re.DOTALL)
_LINKS = re.compile(r"&&|\|\||[;\n|]|(?<![>&])&(?![>&])")
_HIDING = re.compile(r"\|\||[;\n|]|(?<![>&])&(?![>&])")
_WRAPPER = re.compile(
    r"^\s*(?:\w+=\S*\s+|(?:time|nice|sudo|env|nohup|command|exec|npx|xvfb-run)\s+|nice -n \S+\s+"
    r"|timeout (?:-\S+ )*\S+\s+"
    r"|(?:uv|poetry|pipenv|pdm|rye|hatch) run\s+(?:--?\S+\s+)*|bundle exec\s+"
    r"|docker(?:[ -]compose)? \S.*?\s(?=\S*(?:pytest|tox|jest|rspec))"
    r"|(?>[^\s(]*python\S*) (?:-\w+ )*-m\s+|\()+"
)
_TEST = re.compile(
    r"^(?>[\w.~/$-]*/)?(?:(?:py\.?test|tox|nox|unittest|jest|vitest|mocha|rspec|phpunit|ctest"
    r"|playwright test)(?=\s|$|\))"
    r"|(?:npm|pnpm|yarn|bun)(?: run)?(?: -\S+)* test\S*|(?:cargo|go|dotnet|swift|mix|gradlew?"
    r"|mvnw?)\s(?:-\S+\s)*(?:nextest run|test)\b"
    r"|(?:\./)?(?:gradlew?|mvnw?)\s(?:\S+\s)*test\b|make (?:-\S+ )*(?:test|check)\S*"
    r"|(?>\S*python\S*) (?:\S*/)?(?:manage\.py test|run_?tests?\S*\.py))"
)
_NO_RUN = re.compile(
    r"\s(?:--(?:version|help|collect-only|co|list\w*|markers|fixtures|setup-plan|no-run)|-h|-V)(?=\s|$)"
)
_FAILED = re.compile(
    r"\b[1-9]\d* (?:failed|failures?|errors?|failing|broken)\b|\bFAILED\b|^[^\S\n]*FAIL\b|--- FAIL"
    r"|Traceback \(most recent"
    r"|\b(?:ImportError|ModuleNotFoundError|SyntaxError|NameError|AssertionError)\b|^[^\S\n]*E  +\S"
    r"|^error(?:\[E\d+\])?:|npm ERR!"
    r"|\bno tests ran\b|no tests found|No tests found|panicked at|BUILD FAILED|BUILD FAILURE|make(?:\[\d+\])?: \*\*\*"
    r"|command not found|No such file or directory|Segmentation fault|could not compile|failed to (?:load|start"
    r"|run)|^fatal:|^ERROR\b"
    r"|Errors? during collection|usage: |Killed$|Terminated$|Timeout"
    r"|\b(?:Failures|Errors|Failed): +[1-9]|\b[1-9]\d* tests? failed\b|^# FAIL: +[1-9]|: FAIL code \d",
    re.MULTILINE,
)
_PASSED = re.compile(
    r"\b[1-9]\d* (?:passed|passing)\b|test result: ok|^OK(?: \(.*\))?\s*$|\b[1-9]\d* (?:tests?"
    r"|examples?), 0 (?:failures|failed)"
    r"|Tests run: [1-9]\d*, Failures: 0, Errors: 0|^[^\S\n]*\w+: OK \("
    r"|^ok\s+\S+|Tests:\s+[1-9]\d* passed|BUILD SUCCESS|100% tests passed|Passed!  - Failed: +0|^PASS$",
    re.MULTILINE,
)
_NEVER_RAN = re.compile(
    r"(?i)doesn['\u2019]t want to (?:proceed|take)|tool use was rejected|permission to use \w+ has been denied"
    r"|requires? approval|was (?:blocked|denied|cancelled) by|hook (?:blocked|denied)|request interrupted by user"
)
_BACKGROUND = re.compile(
    r"(?i)^(?:command )?(?:running|was started|moved) (?:in|to)(?: the)? background|running in background with id"
)
_TAIL = re.compile(
    r"(?:\s+\d?>&?\s*\S+|\s*\|\s*(?:tail|head|grep|tee|cat|less|sed|awk|sort|wc)\b[^|;&]*|\s*;\s*echo\b[^;|&]*"
    r"|\s*\|\|\s*true)+\s*$"
)
TAIL_CHARS = 300
"""The end of a command in which redirections and filters of its output are looked for."""

_NEUTRAL = re.compile(
    r"(?:cd|set) \S+(?: \S+)?\s*(?:&&|;)|\b(?:time|nice -n \S+|nice|nohup|command|exec)\s|\btimeout (?:-\S+ )*\S+\s"
)
"""The parts before a program that do not change whether it passes."""

_SETUP = re.compile(
    r"(?:\S*/)?(?:(?:uv )?pip3? install|uv (?:sync|add)|(?:poetry|pdm|pipenv|bundle|composer|npm|pnpm|yarn|bun|gem|brew"
    r"|apt|apt-get|conda|mamba|dnf|apk|go|cargo) (?:-\S+ )*(?:install|add|i|ci|get|sync)\b|docker[ -]compose .*\bup\b"
    r"|docker (?:run|start)\b|(?:source|\.) \S*activate|git submodule update|git lfs pull|systemctl (?:re)?start"
    r"|service \S+ (?:re)?start|make (?:install|setup|deps|bootstrap|dev)\b)"
)
_HEAD = re.compile(r"^(?:cd \S+\s*(?:&&|;)\s*|set -o pipefail\s*(?:&&|;)\s*|export \S+\s*(?:&&|;)\s*)+")


def plain_command(command: str) -> str:
    """Return a command on one line, without the shell that runs it: `bash -lc 'make test'` is `make test`."""
    wrapped = _SHELL.match(command.strip())
    return " ".join((wrapped[2] if wrapped else command).split())


def command_name(command: str) -> str:
    """Return what identifies a command when it is run again: without `cd`, redirections, and filters of its output."""
    name = _HEAD.sub("", plain_command(command))
    return _without_tail(name) or name


def _without_tail(command: str) -> str:
    """Return a command without redirections, and filters of its output, at its end."""
    at = max(0, len(command) - TAIL_CHARS)
    return (command[:at] + _TAIL.sub("", command[at:])).strip()


def core_words(command: str) -> frozenset[str]:
    """Return the words that say what a command does: its program's name and its arguments without flags."""
    program, *words = _split_setting(command)[1].split() or [""]
    return frozenset([program.rsplit("/", 1)[-1], *(word for word in words if not word.startswith("-"))]) - {""}


def setting_of(command: str) -> str:
    """Return what a command's program runs with: variables, a wrapper such as `uv run`, and the program's folder.

    `cd`, `time`, `nice` and the like are left out.
    """
    before, core = _split_setting(command)
    folder = core.split(" ", 1)[0].rpartition("/")[0]
    return " ".join([*before.split(), *([f"{folder}/"] if folder else [])])


def _split_setting(command: str) -> tuple[str, str]:
    """Split a command into what comes before its program, and the rest without filters of its output."""
    plain = plain_command(command)
    head = _HEAD.match(plain)
    rest = plain[head.end() :] if head else plain
    wrapper = _WRAPPER.match(rest)
    before = (head[0] if head else "") + (wrapper[0] if wrapper else "")
    core = rest[wrapper.end() :] if wrapper else rest
    return _NEUTRAL.sub(" ", before).strip(), _without_tail(core) or core.strip() or plain


def is_setup(command: str) -> bool:
    """Whether a command prepares the machine: it installs packages, starts services or activates an environment."""
    return any(_SETUP.match(_WRAPPER.sub("", part.strip())) for part in _LINKS.split(_bare(command)))


def is_test_run(command: str) -> bool:
    """Whether a command runs tests. `pip install pytest` and `pytest --version` do not."""
    return _test_part(command) is not None


def _test_part(command: str) -> int | None:
    """Return the end of the part of a command that runs tests, in the command without quoted words, or None."""
    bare = _bare(command)
    start = 0
    for link in [*_LINKS.finditer(bare), None]:
        part = bare[start : link.start() if link else len(bare)].strip()
        ran = _WRAPPER.sub("", part)
        if _TEST.match(ran) and not _NO_RUN.search(f" {ran}"):
            return link.start() if link else len(bare)
        start = link.end() if link else start
    return None


def _bare(command: str) -> str:
    wrapped = _SHELL.match(command.strip())
    return _QUOTED.sub("''", wrapped[2] if wrapped else command.strip())


def ran_to_end(output: str, *, refused: bool) -> bool:
    """Whether a command ran to its end. `refused`: its result is marked as an error."""
    return not (refused and _NEVER_RAN.search(output[:500])) and not _BACKGROUND.search(output[:200])


def outcome_of(command: str, output: str, *, failed: bool) -> Outcome:
    """Return the outcome of a command. `failed`: its exit status was not 0."""
    if failed:
        return "failed"
    end = _test_part(command)
    bare = _bare(command)
    hidden = _HIDING.search(bare, end) if end is not None else re.search(r"\||(?<![>&])&(?![>&])", bare)
    if hidden is None or (hidden[0] == "|" and "pipefail" in bare):
        return "passed"
    if end is None:
        return "unknown"
    if _FAILED.search(output):
        return "failed"
    return "passed" if _PASSED.search(output) else "unknown"


def covers(passed: str, failed: str) -> bool:
    """Whether a later run that passed includes an earlier one that failed: all its words but flags are among them.

    `pytest -q` covers `pytest tests/a.py`; `pytest -k x` does not cover `pytest`.
    One of several commands joined by `&&` is enough.
    """
    words = core_words(failed)
    parts = [core_words(part) for part in plain_command(passed).split("&&")]
    return any(part and part <= words for part in parts)


def folder_of(command: str, folder: str) -> str:
    """Return the folder that a command runs in: `folder`, or where its leading `cd` leads from there."""
    head = _HEAD.match(plain_command(command))
    for target in re.findall(r"\bcd (\S+)", head[0] if head else ""):
        folder = posixpath.normpath(posixpath.join(folder, target.strip("\"'")))
    return folder
