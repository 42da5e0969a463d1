"""Capture with the agent's own model: what a scripted model adds that always judges correctly, as an upper bound.

Each labelled conversation is a session whose agent is asked as with `memory.ask_agent`. The model remembers the
sentence of the label for each listed statement that has one. Or it remembers all labelled statements of the
conversation so far, and later ones when their turn ends. Capture itself follows at the end of the session.
"""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from bench.capture.conversations import Keep, Session
from bench.capture.scoring import transcript_of
from muninn_core import open_repository

Call = Callable[..., Any]
"""Runs a verb of a repository."""


class Asked(NamedTuple):
    """The memories (type, text) of each session, how many agents were asked, and the characters of the requests."""

    memories: list[list[tuple[str, str]]]
    requests: int
    characters: int


def asked(sessions: Sequence[Session], *, listed_only: bool) -> Asked:
    """Play the sessions with a scripted model that judges rightly; with `listed_only` it decides on the list alone."""
    requests = characters = 0
    memories = []
    with _repository() as (call, folder):
        for number, session in enumerate(sessions):
            texts = _play(call, folder / f"{number}.jsonl", session, f"session-{number}", listed_only)
            requests += bool(texts)
            characters += len(texts)
            memories.append(_memories(call, f"session-{number}"))
    return Asked(memories, requests, characters)


def _play(call: Call, path: Path, session: Session, name: str, listed_only: bool) -> str:
    """Play a session and return the request to its agent, "" for none."""
    lines = transcript_of(session)
    given = {"session": name, "transcript": str(path), "agent": "claude-code"}
    request, answered = "", 0
    for number, message in enumerate(session.messages, 1):
        if message.speaker == "user" and number < len(session.messages):
            continue  # the turn goes on
        path.write_bytes(b"".join(lines[:number]))
        if ask := call("capture", source="turn", may_ask=True, **given).ask:
            request = ask
            _answer(call, name, ask, [keep for keeps in session.keeps[:number] for keep in keeps], listed_only)
        elif request and not listed_only:
            _answer(call, name, "", [keep for keeps in session.keeps[answered:number] for keep in keeps], listed_only)
        answered = number
    call("capture", source="session", **given)
    return request


def _answer(call: Call, name: str, ask: str, keeps: Sequence[Keep], listed_only: bool) -> None:
    """Remember as the model does. Statements of the user that are kept as they stand are not repeated."""
    lines = [line.removeprefix("- ") for line in ask.splitlines() if line.startswith("- ")]
    for keep in keeps:
        about = [line for line in lines if keep.quote in line or keep.is_in(line.partition("): ")[2])]
        stands = any("kept as it stands" in line.partition(": ")[0] for line in about)
        if not keep.open and not stands and (about or not listed_only):
            call("remember", text=keep.standalone, type=keep.type, session=name, actor="assistant")


def _memories(call: Call, name: str) -> list[tuple[str, str]]:
    found = [memory for memory in call("memories", session=name).memories if memory.type != "session_summary"]
    return [("open" if "open" in memory.tags else memory.type, memory.text) for memory in found]


@contextmanager
def _repository() -> Iterator[tuple[Call, Path]]:
    with tempfile.TemporaryDirectory(prefix="mnb-", dir="/tmp") as name:
        root = Path(name) / "repository"
        subprocess.run(["git", "init", "-q", str(root)], check=True)
        with open_repository(root, environ={"MUNINN_RUNTIME_DIR": name, "XDG_DATA_HOME": name}) as repository:
            repository.init()
            repository.call("config.set", key="memory.ask_agent", value="true")
            yield repository.call, Path(name)
