"""MCP: time to the first tool result, latency with concurrent agents, and the tokens of the tool descriptions."""

from __future__ import annotations

import asyncio
import json
import statistics
import subprocess
import time
from typing import Any

from bench.harness.figure import Figure, percentile, spread
from bench.harness.processes import processor_seconds, resident, tree
from bench.harness.served import Served
from muninn_core.config import TOOL_SETS
from muninn_core.context.packs.tokens import count_tokens
from muninn_server.mcp.tools import tools_of

CLIENTS = 32
PROXY_MB = 25
LINE_LIMIT = 1 << 26
"""Bytes: the longest answer that is read."""

_CLIENT = {"name": "bench", "version": "1"}
_META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": _CLIENT,
    "io.modelcontextprotocol/clientCapabilities": {},
}
_HANDSHAKE = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": _CLIENT}


def agents(served: Served, queries: list[str], starts: int, cold: int, calls: int) -> list[Figure]:
    """Measure MCP. `starts` and `cold` count connections, warm and cold; `calls` counts the calls of each agent."""
    return [*_first_results(served, queries, starts, cold), *asyncio.run(_crowd(served, queries, calls)), *_tokens()]


def _first_results(served: Served, queries: list[str], starts: int, cold: int) -> list[Figure]:
    figures = []
    with served.connect() as muninn:
        muninn.call("status")
    for era in ("2025-11-25", "2026-07-28"):
        took = [_first_result(served, era, queries[number % len(queries)]) for number in range(starts + 1)][1:]
        detail = spread(took)
        name = f"muninn mcp to its first tool result ({era}), warm, p50"
        figures.append(Figure(name, detail["p50"], "ms", 450, f"p95 {detail['p95']:.0f} ms", detail))
    took = []
    for number in range(cold):
        served.stop()
        took.append(_first_result(served, "2026-07-28", queries[number % len(queries)]))
    note = "starts the daemon, loads the SDK, opens the index on disk"
    figures.append(Figure("the same, cold, p50", statistics.median(took), "ms", None, note, spread(took)))
    return figures


def _first_result(served: Served, era: str, query: str) -> float:
    """Start `muninn mcp`, send all messages at once, and wait for the result of the call."""
    call = {"name": "recall", "arguments": {"query": query, "limit": 5}}
    if era == "2026-07-28":
        said = [_line("tools/call", {**call, "_meta": _META}, 2)]
    else:
        said = [
            _line("initialize", _HANDSHAKE, 1),
            _line("notifications/initialized", {}),
            _line("tools/call", call, 2),
        ]
    begun = time.perf_counter()
    proxy = subprocess.Popen(
        served.muninn("mcp", "--repo", str(served.root)),
        env=served.environ,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert proxy.stdin is not None
    assert proxy.stdout is not None
    proxy.stdin.write(b"".join(said))
    proxy.stdin.flush()
    answer: dict[str, Any] = {}
    while answer.get("id") != 2:
        answer = json.loads(proxy.stdout.readline())
    elapsed = (time.perf_counter() - begun) * 1000
    if "result" not in answer or answer["result"].get("isError"):
        raise RuntimeError(f"`muninn mcp` answered {answer}")
    proxy.stdin.close()
    proxy.stdout.close()
    proxy.wait(10)
    return elapsed


async def _crowd(served: Served, queries: list[str], calls: int) -> list[Figure]:
    command = served.muninn("mcp", "--repo", str(served.root))
    proxies = [
        await asyncio.create_subprocess_exec(*command, env=served.environ, stdin=-1, stdout=-1, limit=LINE_LIMIT)
        for _ in range(CLIENTS)
    ]
    used = processor_seconds(tree(served.pid)) if served.pid else 0.0
    begun = time.perf_counter()
    told = await asyncio.gather(*(_talk(proxy, number, queries, calls) for number, proxy in enumerate(proxies)))
    seconds = time.perf_counter() - begun
    used = (processor_seconds(tree(served.pid)) - used if served.pid else 0.0) / (CLIENTS * calls) * 1000
    each = [resident([proxy.pid]) / 1e6 for proxy in proxies]
    daemon = resident(tree(served.pid)) / 1e6 if served.pid else 0.0
    for proxy in proxies:
        assert proxy.stdin is not None
        proxy.stdin.close()
        await proxy.wait()
    took = [latency for latencies, _ in told for latency in latencies]
    errors = sum(failed for _, failed in told)
    pace = f"{len(took) / seconds:.0f} calls/s, {used:.0f} ms of processor time a call"
    note = f"p50 {statistics.median(took):.0f} ms, {pace}"
    return [
        Figure(
            f"{CLIENTS} MCP clients, {calls} calls each, p95", percentile(took, 0.95), "ms", None, note, spread(took)
        ),
        Figure(f"errors of {len(took):,} calls", errors, "calls"),
        Figure(
            "resident memory of a proxy, the largest",
            max(each),
            "MB",
            PROXY_MB,
            f"median {statistics.median(each):.1f}",
        ),
        Figure(f"resident memory of the daemon with {CLIENTS} MCP clients", daemon, "MB", None),
    ]


async def _talk(
    proxy: asyncio.subprocess.Process, number: int, queries: list[str], calls: int
) -> tuple[list[float], int]:
    """Run one client: connect, then send one request after the other. Return the latencies in ms and the errors."""
    assert proxy.stdin is not None
    assert proxy.stdout is not None
    proxy.stdin.write(_line("initialize", _HANDSHAKE, 0) + _line("notifications/initialized", {}))
    await proxy.stdout.readline()
    took: list[float] = []
    errors = 0
    for turn in range(calls):
        query = queries[(number * calls + turn) % len(queries)]
        begun = time.perf_counter()
        proxy.stdin.write(_line("tools/call", {"name": "recall", "arguments": {"query": query, "limit": 5}}, turn + 1))
        answer: dict[str, Any] = {}
        while answer.get("id") != turn + 1:
            answer = json.loads(await proxy.stdout.readline())
        took.append((time.perf_counter() - begun) * 1000)
        errors += "result" not in answer or bool(answer["result"].get("isError"))
    return took, errors


def _tokens() -> list[Figure]:
    """Return the tokens of all tools: names, descriptions and schemas."""
    figures = []
    for name in TOOL_SETS:
        tools = tools_of((name,)).values()
        shown = [{"name": each.name, "description": each.description, "input_schema": each.schema} for each in tools]
        tokens = count_tokens(json.dumps(shown, separators=(",", ":")))
        budget = 2_300 if name == "core" else None
        figures.append(Figure(f"tokens of the tools of {name}", tokens, "tokens", budget, f"{len(shown)} tools"))
    return figures


def _line(method: str, params: dict[str, Any], number: int | None = None) -> bytes:
    message: dict[str, Any] = {"jsonrpc": "2.0", "method": method, "params": params}
    return json.dumps(message if number is None else {**message, "id": number}).encode() + b"\n"
