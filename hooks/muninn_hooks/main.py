"""`muninn hook EVENT`: one event of an agent's session, from the JSON on stdin to the text on stdout.

An agent must never wait for Muninn nor stumble over it. So everything happens on a thread that the main thread waits
for no longer than the event's budget, every failure becomes one line of `.muninn/local/hooks.log`, and the exit status
is 0. The module is loaded on every event and must stay cheap: no argparse, msgspec or pathlib, no event but by name.
"""

from __future__ import annotations

import _thread
import os
import sys

from muninn_core.errors import MuninnError
from muninn_core.launch.place import locate
from muninn_hooks import dialects, journal, payload

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType

EVENTS: dict[str, str] = {
    "session-start": "session_start",
    "post-commit": "post_commit",
    "pre-compact": "pre_compact",
    "session-end": "session_end",
}
"""The module of each event. It has BUDGET_SECONDS, `request(payload)`, and `render(result)`: a text or nothing."""

GIT = "git-pre-commit"
"""The one event that is git's and no agent's: nothing comes on stdin."""


class _Run:
    """What the working thread leaves behind: the text to print or the failure, and whose log it belongs to."""

    def __init__(self, event: str) -> None:
        self.event = event
        self.root = ""
        self.text = ""
        self.failure = ""


def main(argv: list[str]) -> int:
    """Handle the event that `argv[0]` names. Returns 0 whatever happens, but 2 for an event that does not exist."""
    if argv == [GIT]:
        from muninn_hooks import pre_commit

        return pre_commit.run()
    if len(argv) != 1 or argv[0] not in EVENTS:
        sys.stderr.write(f"usage: muninn hook {'|'.join((*EVENTS, GIT))}   (an event's JSON comes on stdin)\n")
        return 2
    module = _load(EVENTS[argv[0]])
    run = _Run(argv[0])
    done = _thread.allocate_lock()
    done.acquire()
    _thread.start_new_thread(_work, (run, module, done))
    if not done.acquire(timeout=module.BUDGET_SECONDS):
        _fail(run, f"no answer within {module.BUDGET_SECONDS:g} s")
        return 0
    if run.failure:
        _fail(run, run.failure)
    else:
        _print(run)
    return 0


def _work(run: _Run, module: ModuleType, done: _thread.LockType) -> None:
    try:
        run.text = _answer(run, module)
    except MuninnError as error:
        run.failure = f"{error.message} {error.hint}".strip()
    except BaseException as error:  # fail open: whatever it is, the agent goes on
        run.failure = f"{type(error).__name__}: {error}"
    finally:
        done.release()


def _answer(run: _Run, module: ModuleType) -> str:
    """Return what the event prints, "" for nothing: in a folder without Muninn's memory there is nothing to say."""
    raw = payload.read_stdin()
    try:
        given = payload.decode(raw)
    except ValueError as error:
        run.root = _root((os.environ.get("CLAUDE_PROJECT_DIR", ""),))
        raise ValueError(f"the event's JSON can't be read: {error}") from None
    run.root = _root((given.cwd, os.environ.get("CLAUDE_PROJECT_DIR", "")))
    if not run.root:
        return ""
    from muninn_core.client import call

    verb, params = module.request(given)
    said: str | None = module.render(call(run.root, os.environ, verb, params, name=f"hook {run.event}"))
    return dialects.answer(given, run.event, said)


def _root(folders: tuple[str, ...]) -> str:
    """Return the work tree around the first of the folders that is there; "" when it has no `.muninn`."""
    start = next((folder for folder in folders if folder and os.path.isdir(folder)), "") or os.getcwd()
    try:
        root = locate(start).root
    except MuninnError:
        return ""
    return root if os.path.isdir(os.path.join(root, ".muninn")) else ""


def _print(run: _Run) -> None:
    if not run.text:
        return
    data = run.text.encode("utf-8", "replace")
    try:
        while data:
            data = data[os.write(1, data) :]
    except OSError as error:
        _fail(run, f"nobody took the output: {error.strerror}")


def _fail(run: _Run, failure: str) -> None:
    if run.root:
        journal.append(run.root, run.event, failure)


def _load(name: str) -> ModuleType:
    full = f"muninn_hooks.{name}"
    __import__(full)
    return sys.modules[full]
