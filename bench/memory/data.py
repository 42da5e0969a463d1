"""Reads sets of memories and questions: projects with prompts, and conversations.

A file of projects has one project per line, in JSON: `memories` (`id`, `type`, `text`, `files`, `superseded_by`, and
the `questions` that it is stored with), `questions` (`text`, `right`) and `prompts` (`text`, `right`, `also_ok`,
`kind`). A conversation is a JSON file in the format of LoCoMo and REALTALK: `session_N` is a list of turns (`speaker`,
`dia_id`, and `text` or `clean_text`), `qa` has questions with the turns that are their evidence.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, NamedTuple


class Draft(NamedTuple):
    """A memory to store: its key in the data, the session that stores it, and the fields that `remember` takes."""

    key: str
    session: str
    fields: dict[str, Any]


class Question(NamedTuple):
    """A question, the keys of the memories that answer it, those that may be brought as well, and a prompt's kind."""

    text: str
    right: tuple[str, ...]
    allowed: tuple[str, ...] = ()
    kind: str = ""


class Case(NamedTuple):
    """The memories of one repository and what is asked about them.

    `older` is {key of a memory: key of the older version of its fact}. `prompts` are messages to an agent, of which
    those without a `right` memory should bring none.
    """

    name: str
    drafts: list[Draft]
    questions: list[Question]
    prompts: list[Question]
    older: dict[str, str]


def projects(path: Path, most: int = 20) -> list[Case]:
    """Return the projects of a file, with at most so many questions of each memory."""
    return [_project(json.loads(line), most) for line in path.read_text("utf-8").splitlines()]


def conversations(folder: Path, names: list[str]) -> list[Case]:
    """Return the conversations of a folder, those whose file name begins with one of `names`, or all."""
    files = sorted(folder.glob("*.json"))
    chosen = [file for file in files if not names or any(re.match(rf"{name}(\D|$)", file.stem) for name in names)]
    return [_conversation(file.stem, json.loads(file.read_text("utf-8"))) for file in chosen]


def _project(found: dict[str, Any], most: int) -> Case:
    older = {each["superseded_by"]: each["id"] for each in found["memories"] if each.get("superseded_by")}
    drafts = [
        Draft(
            each["id"],
            "",
            {name: each[name] for name in ("text", "type", "files") if each.get(name)}
            | ({"questions": each["questions"][:most]} if most and each.get("questions") else {}),
        )
        for each in found["memories"]
    ]
    asked = [
        [
            Question(each["text"], _keys(each["right"]), _keys(each.get("also_ok", [])), each.get("kind", ""))
            for each in found.get(name, [])
        ]
        for name in ("questions", "prompts")
    ]
    return Case(found["id"], drafts, asked[0], asked[1], older)


def _keys(found: str | list[str]) -> tuple[str, ...]:
    return (found,) if isinstance(found, str) else tuple(found)


def _conversation(name: str, found: dict[str, Any]) -> Case:
    sessions = sorted((key for key in found if re.fullmatch(r"session_\d+", key)), key=lambda key: int(key[8:]))
    drafts = [
        Draft(turn["dia_id"], session, {"text": f"{turn['speaker']}: {text}"})
        for session in sessions
        for turn in found[session]
        if (text := (turn.get("clean_text") or turn.get("text") or "").strip())
    ]
    known = {draft.key for draft in drafts}
    questions = []
    for each in found["qa"]:
        turns = re.findall(r"D\d+:\d+", " ".join(each["evidence"]))
        if evidence := tuple(dict.fromkeys(turn for turn in turns if turn in known)):
            questions.append(Question(str(each["question"]), evidence))
    return Case(name, drafts, questions, [], {})
