"""`muninn hook EVENT --agent NAME`: handles one event of an agent's session, from JSON on stdin to text on stdout.

A hook must not delay or break the agent. A thread does the work, the main thread waits for it no longer than the
event's budget, and the exit status is 0. `.muninn/local/hooks.log` gets one line per event. A request that must not be
lost is written to a file for the daemon when no answer comes in time (`inbox`). Every event loads this module, so it
imports little: no argparse, msgspec or pathlib, and the modules of events by name.
"""

from __future__ import annotations

import _thread
import os
import sys
import time

from muninn_core.errors import MuninnError
from muninn_core.launch.repository_location import locate
from muninn_hooks import dialects, hook_log, payload
from muninn_hooks.budget import budget

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

EVENTS: dict[str, str] = {
    "session-start": "session_start",
    "user-prompt": "user_prompt",
    "post-commit": "post_commit",
    "post-failure": "post_failure",
    "pre-compact": "pre_compact",
    "stop": "stop",
    "session-end": "session_end",
    "record": "record",
}
"""The module of each event. It has BUDGET_SECONDS, DEFERRABLE, `request(payload)` and `render(result)`.

A deferrable request goes to the inbox when no daemon answers in time. `render` returns the text to print, or "".
"""

QUEUED = frozenset({"record"})
"""The events whose request always goes to the inbox: the agent waits for no daemon."""

GIT = "git-pre-commit"
"""The one event from git. It has no stdin."""

SWITCH = "MUNINN_HOOKS"
"""The environment variable that disables the hooks with the value `off`. Muninn sets it when it starts an agent's
program itself: a hook would record Muninn's own questions."""


class _Run:
    """The state of one event, filled by the working thread: the text to print or the failure, and the work tree.

    `agent` is "" when the command names none. `request` is the verb and its parameters, once they are known.
    """

    def __init__(self, event: str, agent: str, module: ModuleType) -> None:
        self.event = event
        self.agent = agent
        self.module = module
        self.root = ""
        self.text = ""
        self.failure = ""
        self.request: tuple[str, dict[str, Any]] | None = None


def main(argv: list[str]) -> int:
    """Handle one event. Returns 0 even when it fails, and 1 for an unknown event or agent.

    The exit status is never 2, because agents then block the prompt or the tool. Settings of a newer version may name
    unknown events.
    """
    if argv == [GIT]:
        from muninn_hooks import pre_commit

        return pre_commit.run()
    agent = argv[2] if len(argv) == 3 and argv[1] == "--agent" else ""
    if not argv or argv[0] not in EVENTS or (len(argv) > 1 and agent not in payload.AGENTS):
        sys.stderr.write(
            "usage: muninn hook EVENT [--agent AGENT]\n\n"
            "Handle an event of an agent's session. Its JSON comes on stdin.\n\n"
            f"EVENT is one of\n  {', '.join(list(EVENTS)[:5])},\n  {', '.join((*list(EVENTS)[5:], GIT))}\n"
            f"AGENT is one of\n  {', '.join(payload.AGENTS)}\n\n"
            "example:\n  muninn hook session-start --agent claude-code < event.json\n"
        )
        return 0 if argv in (["-h"], ["--help"]) else 1
    if os.environ.get(SWITCH) == "off":
        return 0
    begun = time.monotonic()
    run = _Run(argv[0], agent, _load(EVENTS[argv[0]]))
    done = _thread.allocate_lock()
    done.acquire()
    _thread.start_new_thread(_work, (run, done))
    seconds = budget(run.module.BUDGET_SECONDS)
    late = not done.acquire(timeout=seconds)
    if late:
        run.failure = f"no answer within {seconds:g} s"
    waited = time.monotonic() - begun
    if not run.failure:
        _print(run)
    elif run.module.DEFERRABLE and run.request is not None and run.event not in QUEUED:
        _keep_for_later(run)
    if run.root:
        hook_log.append(run.root, run.event, run.failure, waited)
    if late:
        # The interpreter would wait for the thread: it has imported `threading`, which takes it for the main thread.
        os._exit(0)
    return 0


def _work(run: _Run, done: _thread.LockType) -> None:
    try:
        run.text = _answer(run)
    except MuninnError as error:
        run.failure = error.line
    except BaseException as error:  # fail open: the agent continues after any error
        run.failure = f"{type(error).__name__}: {error}"
    finally:
        done.release()


def _answer(run: _Run) -> str:
    """Return the text that the event prints, "" for none. A folder without `.muninn` has none."""
    raw = payload.read_stdin()
    try:
        given = payload.decode(raw, run.agent)
    except ValueError as error:
        run.root = _root((os.environ.get("CLAUDE_PROJECT_DIR", ""),))
        raise ValueError(f"the event's JSON can't be read: {error}") from None
    root = _root((given.cwd, os.environ.get("CLAUDE_PROJECT_DIR", "")))
    if not root:
        return ""
    run.root = root
    run.request = run.module.request(given)
    if run.request is None:
        run.root = ""  # nothing to do, and nothing to log
        return ""
    if run.event in QUEUED:
        from muninn_hooks import inbox

        inbox.put(root, *run.request)
        return ""
    from muninn_core.client import call

    verb, params = run.request
    # Every verb that an event calls is repeatable; a test compares them with the catalogue.
    text: str = run.module.render(call(root, os.environ, verb, params, repeatable=True, name=f"hook {run.event}"))
    return dialects.answer(given, run.event, text)


def _root(folders: tuple[str, ...]) -> str:
    """Return the work tree of the first existing folder, "" if it has no `.muninn`."""
    start = next((folder for folder in folders if folder and os.path.isdir(folder)), "") or os.getcwd()
    try:
        root = locate(start).root
    except MuninnError:
        return ""
    return root if os.path.isdir(os.path.join(root, ".muninn")) else ""


def _print(run: _Run) -> None:
    data = run.text.encode("utf-8", "replace")
    try:
        while data:
            data = data[os.write(1, data) :]
    except OSError as error:
        run.failure = f"can't write to stdout: {error.strerror}"


def _keep_for_later(run: _Run) -> None:
    """Write the request to the inbox, where the daemon finds it."""
    from muninn_hooks import inbox

    assert run.request is not None
    try:
        inbox.put(run.root, *run.request)
    except (OSError, MuninnError) as error:
        run.failure += f"; it could not be queued either: {error}"


def _load(name: str) -> ModuleType:
    full = f"muninn_hooks.{name}"
    __import__(full)
    return sys.modules[full]
