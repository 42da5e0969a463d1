"""Queries or memories from a file of JSON lines, sent over one connection."""

from __future__ import annotations

import os
import sys
import time
from contextlib import nullcontext
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from muninn_cli.command import print_json
from muninn_cli.exit_codes import OK, exit_code
from muninn_cli.terminal.safe_text import safe
from muninn_core import client
from muninn_core.errors import BadParams, DaemonError, MuninnError, UsageError
from muninn_core.model.counting import number_of
from muninn_core.model.value import ValidationError, decode_json, from_plain
from muninn_core.near_match import nearest
from muninn_core.protocol.families.memory import MemoryDraft

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager

MAX_NAME = 60
"""How many characters of a file's name an error shows: it may be the content by mistake."""

MAX_PROBLEMS = 20
"""How many invalid lines an error names. The rest are counted."""


def answer_queries(repo: str, name: str, shared: dict[str, Any]) -> int:
    """Answer each `{"id", "query"}` line of a file ("-" for stdin) with a line: the result of recall, `id` and `ms`.

    `shared` are parameters of all calls; `ms` is the latency of the call in milliseconds. A failed query has `error`
    in place of the result, and the last failure decides the exit code. An invalid line has the id null.
    """
    if "query" in shared:
        raise UsageError("give a QUERY or --queries, not both")
    code = OK
    with _opened(name) as lines, client.connect(repo, os.environ, name="muninn", needs_memory=True) as daemon:
        for where, line in _filled(lines, name):
            start = time.perf_counter()
            identity: Any = None
            try:
                query = _query(line)
                identity = query["id"]
                result = daemon.call("recall", {**shared, "query": query["query"]})
            except DaemonError:
                raise
            except MuninnError as error:
                print_json({"id": identity, "error": error.to_plain(), "ms": _since(start)})
                sys.stderr.write(safe(f"{where}: {error.message}") + "\n")
                code = exit_code(error)
                continue
            print_json({"id": identity, **result, "ms": _since(start)})
    return code


def read_drafts(name: str) -> list[dict[str, Any]]:
    """Read one MemoryDraft per line and give each an idempotency key. Raises BadParams with the invalid lines."""
    drafts: list[dict[str, Any]] = []
    problems: list[str] = []
    with _opened(name) as lines:
        for where, line in _filled(lines, name):
            try:
                draft = _decoded(line)
                if not isinstance(draft, dict):
                    raise ValidationError("a line is one object; `jq -c '.[]'` writes those of an array")
                value = from_plain(draft, MemoryDraft)
                if not value.text.strip():
                    raise ValidationError("`text` is empty")
            except ValueError as error:
                problems.append(f"{where}: {error}{_suggestion(line)}")
                continue
            drafts.append({"key": os.urandom(16).hex(), **draft})
    if problems:
        raise _refused(problems)
    if not drafts:
        raise BadParams(f"{_shown(name)} has no memories", hint='Each line is an object like {"text": "…"}.')
    return drafts


def _refused(problems: list[str]) -> BadParams:
    more = len(problems) - MAX_PROBLEMS
    rows = problems[:MAX_PROBLEMS] + ([f"and {more} more"] if more > 0 else [])
    lines = number_of(len(problems), "line is", "lines are")
    return BadParams(
        f"{lines} not a memory:\n" + "\n".join(f"  {row}" for row in rows),
        hint="Nothing was stored. `muninn help remember` lists the fields.",
        data={"lines": problems},
    )


def _suggestion(line: str) -> str:
    """Return a suggestion for a misspelt field of a line, "" if there is none."""
    try:
        draft = _decoded(line)
    except ValueError:
        return ""
    known = MemoryDraft.__struct_fields__
    unknown = [key for key in draft if key not in known] if isinstance(draft, dict) else []
    near = nearest(unknown[0], known) if unknown else None
    return f" (did you mean `{near}`?)" if near else ""


def _filled(lines: IO[str], name: str) -> Iterator[tuple[str, str]]:
    """Yield the non-blank lines, each with its file and line number."""
    for number, line in enumerate(lines, 1):
        if line.strip():
            yield f"{_shown(name)}:{number}", line


def _query(line: str) -> dict[str, Any]:
    """Read a line with a query. Raises UsageError."""
    try:
        query = _decoded(line)
    except ValueError as error:
        raise UsageError(str(error)) from None
    if not isinstance(query, dict) or "id" not in query or not isinstance(query.get("query"), str):
        raise UsageError("a line is an object with `id` and `query`")
    return query


def _decoded(line: str) -> Any:
    """Read a line of JSON. Raises ValueError with the reason."""
    try:
        return decode_json(line.removeprefix("\ufeff"))  # a byte order mark
    except UnicodeEncodeError:
        raise ValueError("the line is not UTF-8") from None


def _opened(name: str) -> AbstractContextManager[IO[str]]:
    if name == "-":
        return nullcontext(sys.stdin)
    try:
        return Path(name).open(encoding="utf-8", errors="surrogateescape")
    except OSError as error:
        shown = name if len(name) <= MAX_NAME else f"{name[:MAX_NAME]}…"
        hint = "Give the name of a file with one JSON object per line, or - for the standard input."
        raise UsageError(f"{shown} can't be read: {error.strerror}", hint=hint) from None


def _shown(name: str) -> str:
    return "stdin" if name == "-" else name


def _since(start: float) -> float:
    return round((time.perf_counter() - start) * 1000, 3)
