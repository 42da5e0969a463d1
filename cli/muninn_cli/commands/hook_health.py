"""The health of the hooks, from their log: whether they run, fail, or have stopped running.

The log alone cannot show that no hook runs any more, so it is compared with the newest transcript and commits.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from muninn_core.launch.repository_location import RepositoryLocation
from muninn_core.launch.runtime import home_directory
from muninn_core.model.counting import number_of

MAX_FAILURES = 3
"""How many of the newest failures are shown."""

LATE_SECONDS = 900.0
"""How much newer than the last hook a transcript may be: a long answer calls no hook."""

MANY_COMMITS = 30
"""The number of commits without a hook that is reported."""


class HookHealth(NamedTuple):
    """The result of the check. `hint` is "" if `ok`."""

    ok: bool
    message: str
    hint: str = ""


class Run(NamedTuple):
    """One line of the log. `error` is "" after a success; an unreadable line counts as a failure."""

    ts: str
    event: str
    error: str


def check_hooks(location: RepositoryLocation, connected: bool, environ: Mapping[str, str]) -> HookHealth:
    """Check the hooks of a work tree; `connected` if hooks are installed. Raises OSError if the log is unreadable."""
    path = Path(location.local, "hooks.log")
    runs = _runs(path)
    failing = _failing(runs)
    if failing:
        newest = "; ".join(f"{run.ts} {run.event}: {run.error}".strip() for run in failing[-MAX_FAILURES:])
        hint = f"{path} has all of them. A later success of the same event clears a failure."
        return HookHealth(
            False, f"{number_of(len(failing), 'failure')} since the last success, the newest: {newest}", hint
        )
    last = max((run.ts for run in runs), default="")
    stopped = _stopped(location, last, environ) if connected or runs else ""
    if stopped:
        hint = "Run `claude --debug` and look for the hooks; `muninn install claude-code` brings them up to date."
        return HookHealth(False, stopped, hint)
    if not runs:
        return HookHealth(True, "none has run yet" if connected else "no hook has failed")
    past = sum(1 for run in runs if run.error)
    settled = f", {number_of(past, 'failure')} before" if past else ""
    return HookHealth(True, f"{number_of(len(runs), 'run')}, the last at {last}{settled}")


def _runs(path: Path) -> list[Run]:
    try:
        rows = path.read_text("utf-8", "replace").splitlines()
    except FileNotFoundError:
        return []
    return [_run(row) for row in rows if row.strip()]


def _run(row: str) -> Run:
    try:
        entry = json.loads(row)
        return Run(str(entry["ts"]), str(entry["event"]), str(entry.get("error", "")))
    except (ValueError, TypeError, KeyError, AttributeError):
        return Run("", "", row)


def _failing(runs: list[Run]) -> list[Run]:
    """Return the failures without a later success of the same event."""
    good = {run.event: at for at, run in enumerate(runs) if not run.error}
    return [run for at, run in enumerate(runs) if run.error and at > good.get(run.event, -1)]


def _stopped(location: RepositoryLocation, last: str, environ: Mapping[str, str]) -> str:
    """Return the evidence that hooks have stopped running, "" if there is none."""
    session = _newest_session(location, environ)
    since = _moment(last)
    if session is not None and (since is None or session - since > LATE_SECONDS):
        when = datetime.fromtimestamp(session, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        return f"Claude Code worked here at {when}, and no hook has run {f'since {last}' if last else 'ever'}"
    if since is None or not location.git_dir:
        return ""
    command = ["git", "rev-list", "--count", f"--since={last}", f"--max-count={MANY_COMMITS}", "HEAD"]
    done = subprocess.run(command, cwd=location.root, capture_output=True, text=True, check=False)
    commits = int(done.stdout) if done.returncode == 0 and done.stdout.strip().isdigit() else 0
    return f"{MANY_COMMITS} commits or more, and no hook has run since {last}" if commits >= MANY_COMMITS else ""


def _newest_session(location: RepositoryLocation, environ: Mapping[str, str]) -> float | None:
    """Return when Claude Code last wrote a transcript of this work tree. Its folder is named after the path."""
    home = environ.get("CLAUDE_CONFIG_DIR") or Path(home_directory(environ), ".claude")
    folder = Path(home, "projects", re.sub(r"[^A-Za-z0-9]", "-", location.root))
    try:
        return max((each.stat().st_mtime for each in folder.glob("*.jsonl")), default=None)
    except OSError:
        return None


def _moment(ts: str) -> float | None:
    try:
        return datetime.fromisoformat(ts).timestamp()
    except ValueError:
        return None
