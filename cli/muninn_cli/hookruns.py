"""What the log of the hooks says of capture: whether hooks run, whether they fail, and whether they have stopped.

A log of runs alone can't say that nobody ran; so it is held against what agents and git have left behind since. It
reads, and starts nothing but git.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from muninn_cli.show.facts import count
from muninn_core.launch.place import Place

SHOWN = 3
"""How many of the newest failures are shown."""

LATE_SECONDS = 900.0
"""How much younger than the last hook an agent's transcript may be: somebody may be reading a long answer."""

MANY_COMMITS = 30
"""Commits without a hook between them, from which on it is worth a question."""


class Verdict(NamedTuple):
    """What there is to say; `hint` is "" where all is well."""

    fine: bool
    message: str
    hint: str = ""


class Run(NamedTuple):
    """A line of the log; `error` is "" for a run that went well. A line that can't be read is a failure of its own."""

    ts: str
    event: str
    error: str


def judge(place: Place, connected: bool, environ: Mapping[str, str]) -> Verdict:
    """Judge the capture of a work tree; `connected` says that hooks are installed. Raises OSError for the log."""
    path = Path(place.root, ".muninn", "local", "hooks.log")
    runs = _runs(path)
    failing = _failing(runs)
    if failing:
        told = "; ".join(f"{run.ts} {run.event}: {run.error}".strip() for run in failing[-SHOWN:])
        hint = f"All are in {path}; a later success settles a failure."
        return Verdict(False, f"{count(len(failing), 'failure')} since the last success, the newest: {told}", hint)
    last = max((run.ts for run in runs), default="")
    stopped = _stopped(place, last, environ) if connected or runs else ""
    if stopped:
        hint = "Run `claude --debug` and look for the hooks; `muninn install claude-code` brings them up to date."
        return Verdict(False, stopped, hint)
    if not runs:
        return Verdict(True, "none has run yet" if connected else "no hook has failed")
    past = sum(1 for run in runs if run.error)
    settled = f", {count(past, 'failure')} before" if past else ""
    return Verdict(True, f"{count(len(runs), 'run')}, the last at {last}{settled}")


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
    """Return the failures that no later success of the same event has settled."""
    good = {run.event: at for at, run in enumerate(runs) if not run.error}
    return [run for at, run in enumerate(runs) if run.error and at > good.get(run.event, -1)]


def _stopped(place: Place, last: str, environ: Mapping[str, str]) -> str:
    """Return what shows that hooks no longer run, "" where nothing does."""
    session = _newest_session(place, environ)
    since = _moment(last)
    if session is not None and (since is None or session - since > LATE_SECONDS):
        when = datetime.fromtimestamp(session, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        return f"Claude Code was at work here at {when}, and no hook has run {f'since {last}' if last else 'ever'}"
    if since is None or not place.git_dir:
        return ""
    command = ["git", "rev-list", "--count", f"--since={last}", f"--max-count={MANY_COMMITS}", "HEAD"]
    done = subprocess.run(command, cwd=place.root, capture_output=True, text=True, check=False)
    commits = int(done.stdout) if done.returncode == 0 and done.stdout.strip().isdigit() else 0
    return f"{MANY_COMMITS} commits or more, and no hook has run since {last}" if commits >= MANY_COMMITS else ""


def _newest_session(place: Place, environ: Mapping[str, str]) -> float | None:
    """Return when Claude Code last wrote to a transcript of this work tree; its folder is named after the path."""
    home = environ.get("CLAUDE_CONFIG_DIR") or str(Path.home() / ".claude")
    folder = Path(home, "projects", re.sub(r"[^A-Za-z0-9]", "-", place.root))
    try:
        return max((each.stat().st_mtime for each in folder.glob("*.jsonl")), default=None)
    except OSError:
        return None


def _moment(ts: str) -> float | None:
    try:
        return datetime.fromisoformat(ts).timestamp()
    except ValueError:
        return None
