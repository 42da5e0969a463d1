"""An editor over `muninn lsp`: hovers, code lenses, diagnostics, a pick list, typing, and the daemon's idle load.

Positions are spread over files with and without memories. Latencies are measured in the editor; each has the daemon's
processor time beside it.
"""

from __future__ import annotations

import json
import random
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench.harness.figure import Figure, spread
from bench.harness.processes import processor_seconds
from bench.harness.served import Served
from muninn_core.engine.engine import RELEASE_SECONDS
from muninn_core.protocol import wire

SEED = 5
FILES = 60
KEYS_PER_SECOND = 5
PICKED = 20
"""The hits that a list asks for."""


class Editor:
    """A client of one `muninn lsp` process, with one request at a time."""

    def __init__(self, served: Served) -> None:
        command = [*served.muninn("lsp"), "--repo", str(served.root)]
        self._process = subprocess.Popen(
            command, env=served.environ, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
        )
        self._number = 0
        self.ask("initialize", {"processId": None, "rootUri": served.root.as_uri(), "capabilities": _CAPABILITIES})
        self.tell("initialized", {})

    def __enter__(self) -> Editor:
        return self

    def __exit__(self, *_exc: object) -> None:
        self.ask("shutdown", None)
        self.tell("exit", None)
        self._process.wait(300)

    def tell(self, method: str, params: Any) -> None:
        """Send a notification."""
        assert self._process.stdin is not None
        self._process.stdin.write(wire.frame({"jsonrpc": "2.0", "method": method, "params": params}))

    def ask(self, method: str, params: Any) -> Any:
        """Send a request and return its result. Other messages before it are dropped."""
        self._number += 1
        assert self._process.stdin is not None
        message = {"jsonrpc": "2.0", "id": self._number, "method": method, "params": params}
        self._process.stdin.write(wire.frame(message))
        while True:
            answer = self._read()
            if answer.get("id") == self._number and "method" not in answer:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]

    def _read(self) -> dict[str, Any]:
        out = self._process.stdout
        assert out is not None
        header = b""
        while not header.endswith(b"\r\n\r\n"):
            header += out.read(1)
        left, body = wire.content_length(header), b""
        while len(body) < left:
            body += out.read(left - len(body))
        message: dict[str, Any] = json.loads(body)
        return message


_CAPABILITIES = {
    "textDocument": {"diagnostic": {}, "publishDiagnostics": {"relatedInformation": True}},
    "workspace": {"textDocumentContent": {}},
}


def editor(served: Served, count: int, seconds: float, questions: list[str]) -> list[Figure]:
    """Measure `count` hovers, lenses, diagnostic pulls and keystrokes with the requests after each, the questions of a
    pick list, and the daemon's processor time in `seconds` of typing and in `seconds` of rest.

    Answers about an unchanged file are cached briefly; a keystroke invalidates them.
    """
    chance = random.Random(SEED)
    files = _files(served, chance)
    with Editor(served) as editing:
        texts = {path: (served.root / path).read_text("utf-8", "replace") for path in files}
        for path, text in texts.items():
            item = {"uri": _uri(served, path), "languageId": "python", "version": 1, "text": text}
            editing.tell("textDocument/didOpen", {"textDocument": item})
            _of(editing, served, "codeLens", path)  # looked at once
        places = [(path, *_place(texts[path], chance)) for path in chance.choices(files, k=count)]
        paths = [path for path, *_ in places]
        versions = dict.fromkeys(files, 1)
        parts: list[tuple[str, float | None, list[Callable[[], None]]]] = [
            ("hover", 30, [lambda place=place: _hover(editing, served, *place) for place in places]),
            ("code lenses", 50, [lambda p=p: _of(editing, served, "codeLens", p) for p in paths]),
            ("doubts, pulled", None, [lambda p=p: _of(editing, served, "diagnostic", p) for p in paths]),
            ("a key and the lenses after it", 50, [lambda p=p: _key(editing, served, p, versions) for p in paths]),
            (
                "a key and the doubts after it",
                None,
                [lambda p=p: _key(editing, served, p, versions, "diagnostic") for p in paths],
            ),
            (
                "a memory stored and the lenses after it",
                None,
                [lambda p=p, n=n: _stored(editing, served, p, n) for n, p in enumerate(paths[: count // 5])],
            ),
            ("recall in a pick list", None, [lambda q=q: _picked(editing, q) for q in questions]),
        ]
        figures = [_measured(served, name, budget, work) for name, budget, work in parts]
        for file, which in ((files[len(files) // 3], "a usual file"), (files[0], "the file with the most memories")):
            figures.append(_typing(editing, served, file, which, versions, seconds / 2))
        figures.append(_at_rest(served, seconds))
    return figures


def _typing(editing: Editor, served: Served, path: str, which: str, versions: dict[str, int], seconds: float) -> Figure:
    """Measure the daemon's processor time during uninterrupted typing in a file.

    Every kind of request follows every keystroke; real editors delay some until a pause.
    """
    assert served.pid is not None
    keys = max(1, round(seconds * KEYS_PER_SECOND))
    before, begun = processor_seconds([served.pid]), time.perf_counter()
    for key in range(keys):
        time.sleep(max(0.0, begun + key / KEYS_PER_SECOND - time.perf_counter()))
        _key(editing, served, path, versions)
        _of(editing, served, "diagnostic", path)
        _of(editing, served, "documentLink", path)
        spot = {"line": 0, "character": 0}
        where = {"textDocument": {"uri": _uri(served, path)}, "range": {"start": spot, "end": spot}}
        editing.ask("textDocument/codeAction", {**where, "context": {"diagnostics": []}})
    used, took = processor_seconds([served.pid]) - before, time.perf_counter() - begun
    count, size = served.call("memories", file=path, limit=1)["total"], (served.root / path).stat().st_size
    note = f"{KEYS_PER_SECOND} keys a second, {1000 * used / keys:.1f} ms each; {count} memories, {size // 1000} kB"
    return Figure(f"editor: typing in {which}, share of a processor", 100 * used / took, "%", None, note)


def _at_rest(served: Served, seconds: float) -> Figure:
    """Measure the daemon's processor time while the editor has all files open and sends no request."""
    assert served.pid is not None
    time.sleep(RELEASE_SECONDS + 2)  # deferred work is done by then
    before = processor_seconds([served.pid])
    time.sleep(seconds)
    used = processor_seconds([served.pid]) - before
    note = f"{1000 * used:.0f} ms of processor time in {seconds:g} s"
    return Figure("editor: at rest, share of a processor", 100 * used / seconds, "%", 0.5, note)


def _files(served: Served, chance: random.Random) -> list[str]:
    """Return files: two of three are the ones with the most memories, the others random."""
    listed = served.call("memories", limit=10_000)["memories"]
    counts: dict[str, int] = {}
    for memory in listed:
        for path in {*memory["files"], *(cite["path"] for cite in memory["cites"])}:
            counts[path] = counts.get(path, 0) + 1
    there = [path for path in sorted(counts, key=lambda path: (-counts[path], path)) if (served.root / path).is_file()]
    others = sorted(path.relative_to(served.root).as_posix() for path in served.root.rglob("*.py"))
    chosen = there[: 2 * FILES // 3]
    return chosen + chance.sample(others, min(len(others), FILES - len(chosen)))


def _place(text: str, chance: random.Random) -> tuple[int, int]:
    lines = text.split("\n")
    line = chance.randrange(len(lines))
    return line, len(lines[line]) // 2


def _uri(served: Served, path: str) -> str:
    return Path(served.root, path).as_uri()


def _hover(editing: Editor, served: Served, path: str, line: int, character: int) -> None:
    position = {"line": line, "character": character}
    editing.ask("textDocument/hover", {"textDocument": {"uri": _uri(served, path)}, "position": position})


def _of(editing: Editor, served: Served, what: str, path: str) -> None:
    editing.ask(f"textDocument/{what}", {"textDocument": {"uri": _uri(served, path)}})


def _key(editing: Editor, served: Served, path: str, versions: dict[str, int], what: str = "codeLens") -> None:
    versions[path] += 1
    start = {"line": 0, "character": 0}
    change = {"range": {"start": start, "end": start}, "text": "#"}
    document = {"uri": _uri(served, path), "version": versions[path]}
    editing.tell("textDocument/didChange", {"textDocument": document, "contentChanges": [change]})
    _of(editing, served, what, path)


def _picked(editing: Editor, query: str) -> None:
    """Send the queries of a pick list that updates while a query is typed."""
    argument = {"query": query, "limit": PICKED}
    editing.ask("workspace/executeCommand", {"command": "muninn.recall", "arguments": [argument]})


def _stored(editing: Editor, served: Served, path: str, number: int) -> None:
    """Store a memory of another file and request the lenses of this one. Only the editor's answer is timed."""
    argument = {"text": f"The bench passed here for the {number}. time.", "type": "insight", "files": ["bench.txt"]}
    editing.ask("workspace/executeCommand", {"command": "muninn.remember", "arguments": [argument]})
    _of(editing, served, "codeLens", path)


def _measured(served: Served, name: str, budget: float | None, work: list[Callable[[], None]]) -> Figure:
    assert served.pid is not None
    before = processor_seconds([served.pid])
    latencies = []
    for each in work:
        begun = time.perf_counter()
        each()
        latencies.append((time.perf_counter() - begun) * 1000)
    used = (processor_seconds([served.pid]) - before) * 1000 / len(work)
    detail = {**spread(latencies), "daemon_processor_ms": used}
    note = f"p50 {detail['p50']:.1f} ms; {used:.1f} ms of the daemon's processor time each"
    return Figure(f"editor: {name}, p95", detail["p95"], "ms", budget, note, detail)
