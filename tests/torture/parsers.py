"""Every parser of foreign bytes as a function of bytes.

A function returns for any input: an error that the parser documents counts as an answer, every other exception, and a
broken promise, is a crash.
"""

from __future__ import annotations

import asyncio
import atexit
import gzip
import io
import json
import shutil
import tempfile
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import cache, partial
from pathlib import Path
from typing import Any

from muninn_core.capture.sessions.session_facts import SessionReader
from muninn_core.capture.statements.open_items import read_open_items
from muninn_core.capture.statements.transcript import read_transcript
from muninn_core.capture.turns.agent_turns import read_turns
from muninn_core.config.parser import read_config
from muninn_core.errors import BadParams, MuninnError
from muninn_core.gitignore import IgnoreRules, compile_glob
from muninn_core.journal.payload import canonical
from muninn_core.journal.row import line_of, row_of
from muninn_core.protocol import wire
from muninn_core.protocol.catalogue import METHODS, decode_params
from muninn_core.reconcile.citations.judgement import make_cite
from muninn_core.retrieval.query.filters import compile_filters, wrong_value
from muninn_core.retrieval.query.query_language import read_question
from muninn_core.source.chunks.line_index import LineIndex, read_mark
from muninn_core.source.documents.adr import read_adr
from muninn_core.source.documents.frontmatter import body_line, check_frontmatter, list_entries, read_frontmatter
from muninn_core.source.documents.metis import read_metis
from muninn_core.source.documents.references import find_references
from muninn_core.store.bundle import plan_import, read_bundle
from muninn_core.store.files.lines import read_lines
from muninn_core.store.folding.fold import fold
from muninn_core.store.pack.archive import read_archive
from muninn_core.store.pack.manifest import read_manifest
from muninn_core.store.records.record import encode_line, parse_line
from muninn_core.store.secrets.masking import is_surely_clean, mask, mask_value
from muninn_hooks import dialects, payload
from muninn_server.mcp.arguments import coerce
from muninn_server.rpc import decode_hello, read_message

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def records(data: bytes) -> None:
    """Lines of the log: valid ones survive a rewrite, and their order does not matter."""
    found = read_lines(data, "fuzzed.jsonl").records
    for record in found:
        assert parse_line(encode_line(record)).has_same_content(record), "a rewrite changed a record"
    assert fold(found) == fold(found[::-1]), "the order of records matters"


def config(data: bytes) -> None:
    """A configuration file: any text has a configuration, perhaps with problems."""
    read_config(_text(data))


def frontmatter(data: bytes) -> None:
    """Frontmatter of knowledge, decision records and Metis documents."""
    text = _text(data)
    read_frontmatter(text)
    body_line(text)
    list_entries(text)
    check_frontmatter(text)
    read_metis(".metis/tasks/T-1.md", text)
    read_adr("docs/adr/0001-x.md", text)


def query(data: bytes) -> None:
    """A question in the query language, and the filters in it."""
    try:
        question = read_question(_text(data), partial(wrong_value, kinds=("decision", "insight")))
        compile_filters([one for one in question.filters if one.key != "at"], NOW)  # `at` chooses the commit
    except BadParams:
        pass


def frames(data: bytes) -> None:
    """Frames of JSON-RPC and LSP, as client and server read them, and the first message and parameters in them."""
    stream = io.BytesIO(data)
    try:
        while wire.read(stream.readline, stream.read) is not None:
            pass
    except ValueError:
        pass
    for message in asyncio.run(_messages(data)):
        try:
            decode_hello(message)
        except BadParams:
            pass
        verb = str(message.get("method", "")) if isinstance(message, dict) else ""
        method = METHODS.get(verb.removeprefix(wire.PREFIX))
        if method is not None:
            try:
                decode_params(method, message.get("params"))
            except BadParams:
                pass


async def _messages(data: bytes) -> list[Any]:
    reader = asyncio.StreamReader()
    reader.feed_data(data)
    reader.feed_eof()
    found = []
    try:
        while len(found) < 20:
            found.append(await read_message(reader))
    except (EOFError, ValueError):
        pass
    return found


def packs(data: bytes) -> None:
    """Archives of packs as they are and as a compressed tar, and manifests."""
    for name, content in (("p.tar.gz", data), ("p.zip", data), ("t.tar.gz", gzip.compress(data, 1, mtime=0))):
        path = _scratch() / name
        path.write_bytes(content)
        try:
            read_archive(path)
        except MuninnError:
            pass
    try:
        read_manifest(data)
    except MuninnError:
        pass


def bundles(data: bytes) -> None:
    """Bundles, and the plan of their import."""
    try:
        found = read_bundle(data)
    except BadParams:
        return
    plan_import(found, {}, overwrite=True, trusted=False)


def transcripts(data: bytes) -> None:
    """Transcripts of agents."""
    lines = data.splitlines(keepends=True)
    read_transcript(lines)
    read_turns(lines)
    read_open_items(lines)
    reader = SessionReader()
    for line in lines:
        reader.read_line(line)
    reader.facts()


def hooks(data: bytes) -> None:
    """What agents send to hooks, and the answer in the agent's form."""
    try:
        event = payload.decode(data)
    except ValueError:
        return
    for name in dialects.FORMS[event.agent]:
        dialects.answer(event, name, event.prompt or "{text")


def arguments(data: bytes) -> None:
    """Arguments of MCP tools: a verb on the first line, JSON after it."""
    verb, _, rest = _text(data).partition("\n")
    method = METHODS.get(verb)
    try:
        given = wire.loads(rest.encode())
    except ValueError:
        return
    if method is not None and isinstance(given, dict):
        try:
            decode_params(method, coerce(verb, given))
        except BadParams:
            pass


def ignore_patterns(data: bytes) -> None:
    """Ignore files, and a filter of paths: a path on the first line, patterns after it."""
    path, *lines = _text(data).split("\n")
    rules = IgnoreRules(lines)
    rules.decide(path)
    rules.excludes(path)
    for line in lines[:5]:
        try:
            compile_glob(line)(path)
        except ValueError:
            pass


def citations(data: bytes) -> None:
    """References in files of each kind, and marks: a mark on the first line, the cited file after it."""
    text = _text(data)
    for kind in ("knowledge", "context", "instructions", "records", "document"):
        find_references(text, kind)
    mark_text, _, rest = text.partition("\n")
    page = LineIndex("src/fuzzed.py", rest)
    mark = read_mark(mark_text)
    if mark is not None:
        page.find(mark)
    for start in range(1, min(page.length, 5) + 1):
        cite = make_cite("src/fuzzed.py", page, start, page.length, None)
        made = read_mark(cite.hash)
        assert made is None or page.matches(made, start, page.length), "a new mark does not match its own lines"


def secrets(data: bytes) -> None:
    """Text in which secrets are masked: none is left, and text that counts as surely clean has none."""
    text = _text(data)
    masked, _ = mask(text)
    assert mask(masked) == (masked, 0), "a second pass finds more"
    try:
        value = wire.loads(data)
        encoded = canonical(value).decode()
    except (ValueError, MuninnError):
        return
    assert not is_surely_clean(encoded) or mask_value(value)[1] == 0, "a secret counts as surely clean"


def events(data: bytes) -> None:
    """Lines of sealed months: a line that is read is written again as it was."""
    for line in data.splitlines()[:20]:
        try:
            row = row_of(line)
            written = line_of(row, _scratch())
        except (ValueError, MuninnError):
            continue
        assert row_of(written) == row, "a rewrite changed an event"


PARSERS: Mapping[str, Callable[[bytes], None]] = {
    parser.__name__: parser
    for parser in (
        *(records, config, frontmatter, query, frames, packs),
        *(bundles, transcripts, hooks, arguments, ignore_patterns, citations, secrets, events),
    )
}
"""All of them, by name."""

_LINE = {"v": 1, "id": "01a", "ts": "2026-01-01T00:00:00.000Z", "type": "insight", "text": "Sessions live in Redis."}
_CHANGE = {"v": 1, "id": "01b", "ts": "2026-01-02T00:00:00Z", "type": "update", "target": "01a", "set": {"text": "No."}}
_TURN = {"type": "user", "uuid": "u", "sessionId": "s", "timestamp": "2026-01-01T00:00:00Z"}
_TODO = {"type": "tool_use", "name": "TodoWrite", "input": {"todos": [{"content": "Write", "status": "pending"}]}}
_TOOL = {"session_id": "s", "hook_event_name": "PostToolUse", "cwd": "/", "tool_input": {"command": "git commit"}}
_EVENT = {
    "position": 1,
    "event_id": "e",
    "project_id": "",
    "session_id": "s",
    "turn_id": "",
    "stream_id": "project",
    "stream_seq": 1,
    "event_type": "x",
    "event_version": 1,
    "occurred_at": "2026-01-01T00:00:00.000Z",
    "actor": "user",
    "source": "cli",
    "idempotency_key": None,
    "trace_id": None,
    "recorded_at": 1,
    "payload_hash": "00" * 32,
    "hash": "11" * 32,
    "redacted": False,
    "payload": {"a": [1, 2.5, "é"]},
}
_FRONT = (
    b"---\ntitle: Sessions\ntags: [a, b]\nconfidence: 0.5\nsupersedes:\n  - x\n---\n# T\n\n## Decision\n\nUse it.\n"
)


def _json(*values: Any) -> bytes:
    return b"\n".join(json.dumps(value).encode() for value in values)


def seeds(parser: str) -> list[bytes]:
    """Return well-formed inputs of a parser, from which fuzzing starts."""
    return {
        "records": [
            _json(_LINE, _CHANGE),
            _json({**_LINE, "type": "link", "target": "01a", "relation": "extends", "to": "b"}),
        ],
        "config": [b"review: {pending: [assistant]}\nindex:\n  exclude: ['*.x']\ndaemon: {idle_seconds: 3}\n"],
        "frontmatter": [_FRONT, b"---\nid: T-1\nstatus: open\nrelated: {a: [1, 2021-01-01]}\n---\n"],
        "query": [b'type:decision -path:tests/** "exact phrase" since:30d importance:>5', b"tags:x branch:a,b at:v1"],
        "frames": [
            wire.request(1, wire.HELLO, {"version": "1"}),
            wire.request(2, "muninn/recall", {"query": "x", "limit": 2}),
        ],
        "packs": [
            _json({"name": "p", "version": "1.0.0", "files": [{"path": "a.md", "sha256": "0" * 64, "bytes": 1}]})
        ],
        "bundles": [_json({"version": 1, "exported": "", "records": [{**_LINE, "session": ""}, _CHANGE]})],
        "transcripts": [
            _json({**_TURN, "message": {"role": "user", "content": "We decided to use Redis because of size."}}),
            _json({"type": "assistant", "message": {"role": "assistant", "content": [_TODO]}}),
        ],
        "hooks": [
            _json({**_TOOL, "prompt": "x"}),
            _json({"conversation_id": "c", "workspace_roots": ["/"], "prompt": "p"}),
        ],
        "arguments": [b'remember\n{"text": "x", "tags": "[1]", "importance": "5", "links": [{"relation": "extends"}]}'],
        "ignore_patterns": [b"src/a.py\n*.py\n!/src/\n**/b[!a-z]?\\*\n[[:alpha:]]*/"],
        "citations": [
            b"1-00000000-0000000000000000\ndef f():\n    pass\n",
            b"See [[x]], @src/a.py:1-3 and [t](a.md#b) ?{q}.\n",
        ],
        "secrets": [
            b'{"text": "curl -u me:Zr4tQ8wLp https://x", "token": "9fK2xQ7zLm4RvT8wJp3YcH6n"}',
            b"https://me:Zr4tQ8wLp@host/ Authorization: Bearer 9fK2xQ7zLm4RvT8wJp3YcH6n\nCookie: sid=9fK2xQ7zLm4RvT8w",
            b'{"auth": "dXNlcjpacjR0UTh3THA=", "note": "machine h login me password Zr4tQ8wLp"}',
        ],
        "events": [_json(_EVENT, {**_EVENT, "payload": None, "redacted": True})],
    }[parser]


@cache
def _scratch() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="mn-scratch-", dir="/tmp"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape" if data[:1] == b"\xff" else "replace")
