"""`python -m bench gateway`: what the gateway adds to a request, and how much of a conversation's prefix it keeps.

A scripted backend notes when a request arrives and when it writes its first byte. The client's time without the
backend's own is the transport: once directly, once through the gateway, in turn over connections that stay open. The
difference of both is what the gateway adds.
"""

from __future__ import annotations

import argparse
import contextlib
import http.client
import json
import os
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.harness import corpus
from bench.harness.figure import Figure, percentile, spread, table
from bench.harness.scripted import Json, Model, configure
from bench.harness.served import Served

TURNS = 20
"""The turns of a conversation whose prefix is measured."""

EARLIER = 20
"""The messages before the question of a timed request, of `MESSAGE` characters each."""

MESSAGE = 1_500

WARM = 20
"""Requests before those that count."""

FACTS = (
    "Sessions live in Redis because cookies overflowed at four kilobytes",
    "Invoices are numbered per country because the tax office demands gapless numbers",
    "The importer reads files twice because the first pass only counts the rows",
)
QUESTIONS = ("Why do sessions live in Redis?", "How are invoices numbered per country?", "Rename a variable.")


class Timed:
    """Times of requests in milliseconds: the whole transport, and from the backend's first byte to the client's."""

    def __init__(self) -> None:
        self.whole: list[float] = []
        self.first: list[float] = []

    def ask(self, connection: http.client.HTTPConnection, token: str, body: bytes) -> None:
        """Send a request and read its answer."""
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        begun = time.monotonic_ns()
        connection.request("POST", "/v1/chat/completions", body, headers)
        answer = connection.getresponse()
        line = answer.readline()
        came = time.monotonic_ns()
        answer.read()
        ended = time.monotonic_ns()
        if answer.status != 200:
            raise RuntimeError(f"the answer has the status {answer.status}")
        arrived, wrote = (int(each) for each in line.split()[1:3])
        self.whole.append((ended - begun - (wrote - arrived)) / 1e6)
        self.first.append((came - wrote) / 1e6)


def main(arguments: list[str]) -> int:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(prog="python -m bench gateway", description="Measure the gateway.")
    parser.add_argument("--requests", type=int, default=1_000, help="timed requests of each kind")
    options = parser.parse_args(arguments)
    before = os.getloadavg()[0]
    with tempfile.TemporaryDirectory(prefix="muninn-bench-") as name:
        folder = Path(name)
        with Served(corpus.lay_out(corpus.tiny(folder / "tiny"), folder / "repository")) as served:
            figures = measure(served, options.requests)
    print(table(figures))
    print(f"\nload {before:.1f} before the run; {options.requests} requests of each kind")
    return 0


def measure(served: Served, requests: int) -> list[Figure]:
    """Return the figures of a repository."""
    with Model(lambda _body: "Fine.") as model:
        configure(served, model)
        served.call("init")
        served.call("remember", batch=[{"text": fact, "type": "decision"} for fact in FACTS])
        with _gateway(served) as (port, token):
            figures = _overhead(served, model, port, token, requests)
            configure(served, model, context=True, context_seconds=60)
            return [
                *figures,
                *_injected(served, model, port, token, max(20, requests // 10)),
                _prefix(model, port, token),
            ]


@contextlib.contextmanager
def _gateway(served: Served) -> Iterator[tuple[int, str]]:
    """Run `muninn gateway`; give its port and token."""
    command = served.muninn("gateway", "--repo", str(served.root))
    process = subprocess.Popen(command, env=served.environ, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        url = process.stdout.readline().split()[-1]
        shown = subprocess.run([*command, "--print-config"], env=served.environ, capture_output=True, check=True)
        token = json.loads(shown.stdout)["headers"]["Authorization"].removeprefix("Bearer ")
        yield int(url.rpartition(":")[2]), token
    finally:
        process.terminate()  # a shell's background job ignores an interrupt
        process.wait(300)


def _overhead(served: Served, model: Model, port: int, token: str, requests: int) -> list[Figure]:
    body = json.dumps({"model": "m", "messages": _conversation("Hello?"), "stream": True}).encode()
    direct, through, used = _timed(served, model, port, token, body, requests)
    size = f"requests of {len(body) / 1000:.0f} kB"
    detail = {"direct": spread(direct.whole), "through": spread(through.whole)}
    firsts = {"direct": spread(direct.first), "through": spread(through.first)}
    served.call("config.set", key="journal.agents", value="false")
    plain, passed, unrecorded = _timed(served, model, port, token, body, requests)
    served.call("config.set", key="journal.agents", value="true")
    added = [_added(through.whole, direct.whole, share) for share in (0.5, 0.95)]
    first = [_added(through.first, direct.first, share) for share in (0.5, 0.95)]
    return [
        Figure("gateway: added to a request, p50", added[0], "ms", 3, size, detail),
        Figure("gateway: added to a request, p95", added[1], "ms", 8, size, detail),
        Figure("gateway: first token after the backend's, p50", first[0], "ms", 3, "", firsts),
        Figure("gateway: first token after the backend's, p95", first[1], "ms", None, "", firsts),
        Figure("gateway: processor time of the daemon for a request", used, "ms", None, size),
        Figure("gateway: added without the journal, p50", _added(passed.whole, plain.whole, 0.5), "ms", None),
        Figure("gateway: processor time without the journal", unrecorded, "ms", None),
    ]


def _timed(
    served: Served, model: Model, port: int, token: str, body: bytes, requests: int
) -> tuple[Timed, Timed, float]:
    """Send requests directly and through the gateway, in turn; the last value is the daemon's time for one."""
    direct, through = Timed(), Timed()
    straight, passing = _connections(model, port)
    used = 0.0
    for number in range(requests + WARM):
        if number == WARM:  # the first requests open connections and load code
            direct, through = Timed(), Timed()
            used = _processor_ms(served)
        direct.ask(straight, token, body)
        through.ask(passing, token, body)
    time.sleep(1)  # the journal is written after the answer
    return direct, through, (_processor_ms(served) - used) / requests


def _injected(served: Served, model: Model, port: int, token: str, requests: int) -> list[Figure]:
    """Measure requests with a new question, which memory is searched for."""
    direct, through = Timed(), Timed()
    straight, passing = _connections(model, port)
    for number in range(requests + 5):
        if number == 5:
            direct, through = Timed(), Timed()
        messages = _conversation(f"{QUESTIONS[number % 2]} Case {number}.", number)
        body = json.dumps({"model": "m", "messages": messages, "stream": True}).encode()
        direct.ask(straight, token, body)
        through.ask(passing, token, body)
    given = sum("<memory" in json.dumps(body) for body in model.bodies[-2 * requests :])
    note = f"{given} of {requests} got a block"
    detail = {"direct": spread(direct.whole), "through": spread(through.whole)}
    return [
        Figure(
            "gateway: added with a search of memory, p50",
            _added(through.whole, direct.whole, 0.5),
            "ms",
            None,
            note,
            detail,
        ),
        Figure(
            "gateway: added with a search of memory, p95",
            _added(through.whole, direct.whole, 0.95),
            "ms",
            None,
            note,
            detail,
        ),
    ]


def _prefix(model: Model, port: int, token: str) -> Figure:
    """Return the share of each request that repeats the one before, counted as a provider's cache does."""
    messages: list[Json] = []
    kept = whole = blocks = 0
    before = ""
    timed = Timed()
    _, passing = _connections(model, port)
    for turn in range(TURNS):
        messages.append({"role": "user", "content": f"{QUESTIONS[turn % 3]} Turn {turn}."})
        timed.ask(passing, token, json.dumps({"model": "m", "messages": messages, "stream": True}).encode())
        sent = json.dumps(model.bodies[-1]["messages"])[:-1]
        whole += len(before)
        kept += _shared(before, sent)
        blocks += "<memory" in json.dumps(model.bodies[-1]["messages"][-1])
        before = sent
        messages.append({"role": "assistant", "content": "Fine."})
    note = f"{TURNS} turns, {blocks} with a block; {whole} characters could be repeated"
    return Figure("gateway: prefix kept", 100 * kept / whole, "%", None, note)


def _shared(one: str, other: str) -> int:
    """Return the length of the common beginning."""
    differing = (at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b)
    return next(differing, min(len(one), len(other)))


def _connections(model: Model, port: int) -> tuple[http.client.HTTPConnection, http.client.HTTPConnection]:
    """Return connections to the backend and to the gateway."""
    return http.client.HTTPConnection("127.0.0.1", model.port), http.client.HTTPConnection("127.0.0.1", port)


def _conversation(question: str, name: int = 0) -> list[Json]:
    """Return a conversation that ends with a question. Conversations of different names share no message."""
    roles = ("user", "assistant")
    earlier: list[Json] = [
        {"role": roles[number % 2], "content": f"{name} {number} " + "word " * (MESSAGE // 5)}
        for number in range(EARLIER)
    ]
    return [*earlier, {"role": "user", "content": question}]


def _added(through: list[float], direct: list[float], share: float) -> float:
    """Return the difference of two percentiles, at least 0."""
    return max(0.0, percentile(through, share) - percentile(direct, share))


def _processor_ms(served: Served) -> float:
    """Return the processor time that the daemon has used."""
    fields = Path(f"/proc/{served.pid}/stat").read_text().rpartition(")")[2].split()
    ticks: Any = int(fields[11]) + int(fields[12])
    return float(1000 * ticks / os.sysconf("SC_CLK_TCK"))
