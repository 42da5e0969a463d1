"""What a writer was promised, in a file that survives kill -9, and the comparison with the log.

A line is written before each call and after each answer. A call that was acknowledged must have left its record; a call
that was sent once may have left at most one, whether it was acknowledged or not.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from muninn_core.launch.repository_location import locate
from muninn_core.store.files.lines import read_lines
from muninn_core.store.records.record import Record
from muninn_core.worktree.local.private_layout import layout_at
from torture.campaign import Outcome


class Ledger:
    """The append-only file of one writer. The system keeps a written line when the writer is killed."""

    def __init__(self, path: Path) -> None:
        self._handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)

    def write(self, event: str, nonce: str, **more: Any) -> None:
        """Note an event of the call that is named by a unique word."""
        os.write(self._handle, json.dumps({"event": event, "nonce": nonce, **more}).encode() + b"\n")


def read_ledgers(paths: Iterable[Path]) -> list[dict[str, Any]]:
    """Return the lines of ledgers; a last line that a kill cut off was never complete and does not count."""
    return [json.loads(line) for path in sorted(paths) for line in path.read_bytes().split(b"\n")[:-1]]


def records_of(root: Path) -> list[Record]:
    """Return every record in the files of a work tree: memory, archive, spools and private files.

    Those of its removed linked work trees are in the git common directory until they are taken over.
    """
    layout = layout_at(locate(str(root)))
    folders = [layout.memory, layout.sessions, layout.archive, layout.spool, layout.private]
    folders += sorted((root / ".git" / "muninn").glob("*/*")) if (root / ".git").is_dir() else []
    paths = [path for folder in folders for path in sorted(folder.glob("*.jsonl"))]
    return [record for path in paths for record in read_lines(path.read_bytes(), path.name).records]


def compare(events: list[dict[str, Any]], records: list[Record], outcome: Outcome) -> None:
    """Count and check: no acknowledged call without its record, no call with two."""
    ids_of: dict[str, set[str]] = {}
    lines = {record.id: record.line.decode("utf-8", "replace") for record in records}
    nonces = {event["nonce"] for event in events}
    for identity, line in lines.items():
        for word in set(_words(line)) & nonces:
            ids_of.setdefault(word, set()).add(identity)
    acknowledged = [event for event in events if event["event"] == "ack"]
    redacted = {event["target"] for event in acknowledged if event["verb"] == "redact"}
    tried = {event["target"] for event in events if event["verb"] == "redact"}
    figures: Counter[str] = outcome.figures
    figures["calls acknowledged"] += len(acknowledged)
    figures["calls without an answer"] += len({event["nonce"] for event in events}) - len(acknowledged)
    for event in acknowledged:
        identity = event.get("id")
        if identity and identity not in lines:
            figures["records lost"] += 1
            outcome.violations.append(f"lost: {event['verb']} {event['nonce']} answered {identity}, no file has it")
        elif event["records"] and not ids_of.get(event["nonce"]) and event.get("about", identity) not in tried:
            figures["records lost"] += 1
            outcome.violations.append(f"lost: {event['verb']} {event['nonce']} was acknowledged, no record has it")
    for nonce, ids in ids_of.items():
        if len(ids) > 1:
            figures["records duplicated"] += 1
            outcome.violations.append(f"duplicated: {nonce} is in the records {', '.join(sorted(ids))}")
    for identity in redacted:
        outcome.expect(identity in lines, f"lost: the redacted memory {identity} has no record")


def _words(line: str) -> list[str]:
    return [word for word in "".join(c if c.isalnum() or c in "-_" else " " for c in line).split() if "n-" in word]
