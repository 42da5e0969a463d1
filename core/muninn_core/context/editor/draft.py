"""Drafts of memories: a file with frontmatter and text that a person completes.

    ---
    type: decision
    title: ""
    files: ["src/users.py:6-8"]
    questions: ["Why does one user see another's name?"]
    supersedes: 01k…
    ---

Pure functions of text; they use no disk and no editor.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any

from muninn_core.errors import BadParams
from muninn_core.model.citation import Citation
from muninn_core.model.memory import Memory
from muninn_core.near_match import did_you_mean
from muninn_core.source.documents.frontmatter import read_frontmatter, syntax_errors

DETAILS = {"decision": ("rationale", "alternatives"), "attempt": ("command", "exit_status")}
"""The fields that only one kind of memory has and that a draft offers."""

_FIELDS = (
    *("type", "title", "tags", "files", "entities", "questions", "importance", "confidence", "pin"),
    *("expires", "task", "private", "scope"),
)
_LISTS = ("tags", "files", "entities", "questions")
_NOTE = re.compile(r"<!--.*?-->", re.S)

_QUESTIONS_HINT = 'that it answers, in other words: ["a symptom?", "a task?"]'
"""The hint behind the questions of a draft."""

_ASKS = {
    "decision": "What was decided, in whole sentences; the reason in `rationale`.",
    "attempt": "What was tried, and why it failed.",
    "constraint": "What must hold, or must not be done.",
}


_PLAIN = Memory(id="", type="", text="", ts="")
"""A memory with the default of each field."""


def places_of(memory: Memory, citations: Iterable[Citation]) -> list[str]:
    """Return what a memory is about, as `remember` takes it: its cited lines where they are now, and its other files.

    `citations` are the checked ones of its cites.
    """
    cited = {each.place: each.path for each in citations if each.start and each.state != "gone"}
    return [*cited, *(file for file in memory.files if file not in cited.values())]


def draft_text(type_: str, places: Sequence[str], replaced: Memory | None) -> str:
    """Return the initial text of a draft about some places; `replaced` is the memory that it supersedes.

    Values are written as JSON, which is valid YAML.
    """
    was = replaced or _PLAIN
    lines = ["---", f"type: {json.dumps(type_)}", 'title: ""', _line("files", places), _line("tags", was.tags)]
    lines += [f"{_line('questions', was.questions)}  # {_QUESTIONS_HINT}"]
    lines += [_line(name, was.details.get(name) or "") for name in DETAILS.get(type_, ())]
    lines += [_line("entities", was.entities)] if was.entities else []
    lines += [_line("importance", was.importance)] if was.importance != _PLAIN.importance else []
    lines += [_line("pin", was.pinned)] if was.pinned else []
    lines += [_line("private", was.private)] if was.private else []
    lines += [_line("scope", was.scope)] if was.scope != _PLAIN.scope else []
    lines += [_line("supersedes", was.id)] if was.id else []
    ask = _ASKS.get(type_, "The fact to remember, in whole sentences.")
    note = f"<!-- {ask} Write it below and save; without text nothing is remembered. -->"
    text = [was.text.replace("-->", "-- >")] if was.text else []
    return "\n".join([*lines, "---", note, "", *text]) + "\n"


def _line(name: str, value: object) -> str:
    return f"{name}: {json.dumps(value, ensure_ascii=False)}"


def parse_draft(text: str) -> dict[str, Any] | None:
    """Return the parameters of `remember` for a draft; None for a draft without text.

    Raises BadParams for malformed frontmatter and for an unknown key.
    """
    problems = syntax_errors(text)
    if problems:
        raise BadParams(f"line {problems[0].line}: {problems[0].message}", hint="Correct it and save again.")
    fields, begin = read_frontmatter(text)
    body = _NOTE.sub("", "\n".join(text.replace("\r\n", "\n").split("\n")[begin:])).strip()
    if not body:
        return None
    given: dict[str, Any] = {"text": body, "actor": "user", "trust": "user"}
    details: dict[str, Any] = {}
    for name, value in fields.items():
        if name == "supersedes":
            given["links"] = [{"relation": "supersedes", "target": str(value)}] if value else []
        elif name in DETAILS.get(str(fields.get("type")), ()):
            details.update({name: value} if value not in ("", None) else {})
        elif name in _FIELDS:
            alone = name in _LISTS and isinstance(value, str)
            given.update({name: [value] if alone else value} if value not in ("", None) else {})
        else:
            known = (*_FIELDS, "supersedes", *DETAILS.get(str(fields.get("type")), ()))
            hint = did_you_mean(name, known, f"A draft has {', '.join(known)}.")
            raise BadParams(f"a draft has no '{name}'", hint=hint)
    return {**given, **({"details": details} if details else {})}
