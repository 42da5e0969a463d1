"""Start-up times: hooks, the proxies of editors and agents, and a cold daemon.

Runs of hooks alternate with runs of a bare interpreter, so that load slows both alike.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from bench.harness.figure import Figure, spread
from bench.harness.processes import whole
from bench.harness.served import Served
from muninn_core.context.packs.tokens import count_tokens
from muninn_core.protocol import wire


def hook(served: Served, count: int) -> list[Figure]:
    """Alternate each event's hook with `python -I -c pass`, and measure the daemon's part, too."""
    figures = []
    bare = [sys.executable, "-I", "-c", "pass"]
    transcript = served.root.parent / "session.jsonl"
    _write_transcript(transcript, str(served.root))
    for event, (budget, fields) in EVENTS.items():
        command = served.muninn("hook", event)
        usual = {"session_id": "bench-hook", "cwd": str(served.root), "transcript_path": str(transcript)}
        given = json.dumps({**usual, **fields}).encode()
        walls: dict[str, list[float]] = {"hook": [], "bare": []}
        processor: dict[str, list[float]] = {"hook": [], "bare": []}
        for number in range(count + 2):
            for name, words in (("bare", bare), ("hook", command)):
                wall, used = whole(words, served.environ, given)
                if number >= 2:  # the first two warm the file cache
                    walls[name].append(wall)
                    processor[name].append(used)
        ours, its = spread(walls["hook"]), spread(walls["bare"])
        by_processor = statistics.median(processor["hook"]) / statistics.median(processor["bare"])
        note = (
            f"p50 {ours['p50']:.0f}, p95 {ours['p95']:.0f} ms to {its['p50']:.0f}, {its['p95']:.0f} ms; "
            f"{by_processor:.1f} by processor time of the process itself"
        )
        if event in MNEMOSYNE:
            note += f"; mnemosyne's takes {MNEMOSYNE[event]}"
        detail = {"hook": ours, "bare": its, "by_processor": by_processor}
        ratio = statistics.median(walls["hook"]) / statistics.median(walls["bare"])
        figures.append(Figure(f"hook {event} to a bare interpreter", ratio, "times", budget, note, detail))
    return [*figures, _with_journal(served, count), _brief(served)]


def _with_journal(served: Served, count: int) -> Figure:
    """Run the hooks of whole turns with `journal.agents` on and off by turns, and compare their time in all."""
    walls: dict[str, list[float]] = {"true": [], "false": []}
    transcript = served.root.parent / "turns.jsonl"
    for number in range(2 * count + 4):
        setting = ("true", "false", "false", "true")[number % 4]
        served.call("config.set", key="journal.agents", value=setting)
        _add_turn(transcript, str(served.root), number)
        spent = 0.0
        for event in ("session-start", "user-prompt", "post-failure", "stop", "session-end"):
            usual = {"session_id": "bench-turns", "cwd": str(served.root), "transcript_path": str(transcript)}
            given = json.dumps({**usual, **EVENTS[event][1], "last_assistant_message": f"Turn {number} is done."})
            time.sleep(0.6)  # a person and a model take longer between two events
            spent += whole(served.muninn("hook", event, "--agent", "claude-code"), served.environ, given.encode())[0]
        if number >= 4:
            walls[setting].append(spent)
    served.call("config.unset", key="journal.agents")
    on, off = (spread(walls[setting]) for setting in ("true", "false"))
    ratio = statistics.median(walls["true"]) / statistics.median(walls["false"])
    note = f"five hooks of a turn, p50 {on['p50']:.0f} to {off['p50']:.0f} ms"
    return Figure("hooks with the journal to hooks without", ratio, "times", 1.1, note, {"on": on, "off": off})


def _add_turn(path: Path, root: str, number: int) -> None:
    """Append a turn with ten commands to a transcript."""
    turn = [("user", "Go on."), *([("assistant", "")] * 10), ("assistant", f"Turn {number} is done.")]
    with path.open("a", encoding="utf-8") as file:
        for at, (role, said) in enumerate(turn):
            name, about = f"{number}-{at}", {"cwd": root, "promptId": f"p{number}"}
            use = {"type": "tool_use", "id": name, "name": "Bash", "input": {"command": f"make step-{at}"}}
            blocks = [{"type": "text", "text": said}] if said else [use]
            file.write(
                json.dumps({"type": role, "uuid": name, **about, "message": {"role": role, "content": blocks}}) + "\n"
            )
            if not said:
                result = [{"type": "tool_result", "tool_use_id": name, "content": "a line of output\n" * 100}]
                back = {"type": "user", "uuid": f"{name}r", **about, "message": {"role": "user", "content": result}}
                file.write(json.dumps(back) + "\n")


EVENTS: dict[str, tuple[float, dict[str, Any]]] = {
    "session-start": (6, {"hook_event_name": "SessionStart", "source": "startup"}),
    "user-prompt": (4, {"hook_event_name": "UserPromptSubmit", "prompt": "where is a failed payment tried again"}),
    "post-commit": (4, {"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": {"command": "git log"}}),
    "post-failure": (
        4,
        {
            "hook_event_name": "PostToolUseFailure",
            "tool_name": "Bash",
            "tool_input": {"command": "make check"},
            "error": "Exit code 2\nerror: the pier is closed",
        },
    ),
    "pre-compact": (6, {"hook_event_name": "PreCompact", "trigger": "auto"}),
    "stop": (4, {"hook_event_name": "Stop"}),
    "session-end": (6, {"hook_event_name": "SessionEnd", "reason": "other"}),
}
"""What an agent sends with each event, and how many times a bare interpreter's time it may take. Where the daemon asks
git, reads a transcript or writes to the disk, its work is more than the process's."""

MNEMOSYNE = {
    "session-start": "50 to 100 ms",
    "post-commit": "no time of the agent's: it runs beside",
    "pre-compact": "< 50 ms",
}
"""What the hooks of mnemosyne 2.1.1 cost a session, "Performance Impact" in its ARCHITECTURE.md."""

_LINES = 1_000


def _write_transcript(path: Path, root: str) -> None:
    """Write the transcript of a long session: a thousand lines, most of them of tools."""
    with path.open("w", encoding="utf-8") as file:
        for number in range(_LINES // 2):
            text = "We decided to keep the index in one file because it is read whole." if number == 7 else "Going on."
            use = {"type": "tool_use", "id": f"t{number}", "name": "Bash", "input": {"command": f"echo {number}"}}
            result = {"type": "tool_result", "tool_use_id": f"t{number}", "content": "x" * 2_000}
            for role, content in (("assistant", [{"type": "text", "text": text}, use]), ("user", [result])):
                entry = {"type": role, "cwd": root, "message": {"role": role, "content": content}}
                file.write(json.dumps(entry) + "\n")


def _brief(served: Served) -> Figure:
    """Return the tokens of a session's brief."""
    with served.connect() as muninn:
        text = muninn.call("brief", {"session": "bench-brief", "max_chars": 4000})["text"]
    note = f"{len(text)} characters; tokens as packs count them"
    return Figure("brief of a session", count_tokens(text), "tokens", 1_500, note, {"characters": len(text)})


def proxies(served: Served, count: int) -> list[Figure]:
    """Start `muninn lsp` and `muninn mcp` and wait for the first answer."""
    initialize = {"processId": None, "rootUri": served.root.as_uri(), "capabilities": {}}
    handshake = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": handshake["clientInfo"],
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    asked = {
        "muninn lsp to initialize answered": ("lsp", wire.request(1, "initialize", initialize)),
        "muninn mcp to initialize answered": ("mcp", _line("initialize", handshake)),
        "muninn mcp to server/discover answered": ("mcp", _line("server/discover", {"_meta": meta})),
    }
    figures = []
    for name, (protocol, message) in asked.items():
        latencies = [_first_answer(served, protocol, message) for _ in range(count + 1)][1:]
        detail = spread(latencies)
        figures.append(Figure(f"{name}, p50", detail["p50"], "ms", 300, f"p95 {detail['p95']:.0f} ms", detail))
    return figures


def cold(served: Served, count: int) -> list[Figure]:
    """Stop the daemon, then time a client that starts it, up to the first status and the first recall."""
    status, recall = [], []
    for number in range(count):
        served.stop()
        begun = time.perf_counter()
        with served.connect() as muninn:
            muninn.call("status")
            status.append((time.perf_counter() - begun) * 1000)
            muninn.call("recall", {"query": f"where is the first question answered {number}"})
            recall.append((time.perf_counter() - begun) * 1000)
    return [
        Figure("cold daemon to first status, p50", statistics.median(status), "ms", None, "", spread(status)),
        Figure(
            "cold daemon to first recall, p50", statistics.median(recall), "ms", None, "index on disk", spread(recall)
        ),
    ]


def _line(method: str, params: dict[str, Any]) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode() + b"\n"


def _first_answer(served: Served, protocol: str, message: bytes) -> float:
    command = served.muninn(protocol, "--repo", str(served.root))
    begun = time.perf_counter()
    proxy = subprocess.Popen(command, env=served.environ, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert proxy.stdin is not None
    assert proxy.stdout is not None
    proxy.stdin.write(message)
    proxy.stdin.flush()
    answer = proxy.stdout.readline() if protocol == "mcp" else wire.read(proxy.stdout.readline, proxy.stdout.read)
    elapsed = (time.perf_counter() - begun) * 1000
    if not answer or (b'"result"' not in answer if isinstance(answer, bytes) else "result" not in answer):
        raise RuntimeError(f"`muninn {protocol}` answered {answer!r}")
    proxy.stdin.close()
    proxy.stdout.close()
    proxy.wait(10)
    return elapsed
