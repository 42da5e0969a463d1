"""The page and the event stream: `python -m bench page [--memories N] [--seconds N]`.

The page is measured in a real Chromium whose processor is slowed down four times (`page.mjs`), with the driver that
`scripts/install-clients.sh` installs; without it only the event stream and the leases are measured. The repository is
a small tree with memories generated from it. `--keep FOLDER --prepare` stores and encodes them, which takes minutes;
later calls with `--keep FOLDER` measure a copy.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench.harness import corpus
from bench.harness.figure import Figure, percentile, table, write
from bench.harness.processes import processor_seconds, resident
from bench.harness.served import ROOT, Served
from bench.speed.scale import wait_encoded

TOOLS = ROOT / ".tools"
FILES = (
    ROOT / "lsp_server/muninn_server/http/page_files",
    ROOT / "core/muninn_core/engine/memory/exchange/html_export_files",
)
SLOWDOWN = 4
RUNS = 5
TABS = 5
MARKS = 100
HOOKS = 40
HOOK_SECONDS = 0.4
"""Between two hooks: longer than the pause of the events of a burst, as agents take seconds between two events."""

QUICK_READERS = 10
RATE = 1_000
WRITERS = 20
"""Each waits for its answer. With fewer, a slow disk limits the rate."""
CLAIM_SECONDS = 5.0


def main(arguments: list[str]) -> int:
    """Measure, print a table and write JSON."""
    parser = argparse.ArgumentParser(prog="python -m bench page", description="Measure the page and the event stream.")
    parser.add_argument("--memories", type=int, default=10_000)
    parser.add_argument("--seconds", type=float, default=60.0, help="how long events are recorded at the full rate")
    parser.add_argument("--keep", type=Path, help="the folder that keeps the prepared repository")
    parser.add_argument("--prepare", action="store_true", help="store and encode the memories, and measure nothing")
    parser.add_argument(
        "--stream", action="store_true", help="measure only the stream and the leases, without Chromium"
    )
    parser.add_argument("--out", type=Path, default=ROOT / "bench/out/page.json", help="the file to write")
    options = parser.parse_args(arguments)
    if options.prepare and options.keep is None:
        parser.error("--prepare needs --keep")
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory(prefix="muninn-page-") as name:
        folder = Path(name)
        source = corpus.tiny(folder / "tiny")
        words = corpus.Corpus(source)
        kept = (options.keep or folder) / f"page-{options.memories}"
        if not kept.is_dir():
            _prepare(source, kept, words.memories(options.memories), folder)
        if options.prepare:
            return 0
        shutil.copytree(kept, folder / "repository", symlinks=True)
        with Served(folder / "repository") as served:
            served.call("index", wait=True)
            questions = words.queries(200, salt=5)
            figures = [] if options.stream else [_weight(), *_browser(served, questions, folder)]
            figures += _stream(served, questions, options.seconds)
            figures.append(_claims(served))
    print(table(figures))
    print(f"\nload {load:.1f} before the run, {os.getloadavg()[0]:.1f} after")
    write(options.out, {"load_before": load, "memories": options.memories}, figures)
    return 0


def _prepare(source: Path, kept: Path, memories: list[dict[str, Any]], folder: Path) -> None:
    """Store memories and encode them. The folder gets its name when that is done."""
    file, building = folder / "memories.jsonl", kept.with_suffix(".part")
    file.write_text("".join(json.dumps(memory) + "\n" for memory in memories), "utf-8")
    shutil.rmtree(building, ignore_errors=True)
    with Served(corpus.lay_out(source, building)) as served:
        served.call("init")
        command = served.muninn("remember", "--batch", str(file), "--repo", str(served.root), "--json")
        subprocess.run(command, env=served.environ, stdout=subprocess.DEVNULL, check=True)
        wait_encoded(served)
    building.rename(kept)


def _weight() -> Figure:
    sizes = [len(gzip.compress(file.read_bytes())) for folder in FILES for file in folder.iterdir()]
    return Figure("page weight, gzipped", sum(sizes) / 1000, "kB", 150, f"{len(sizes)} files, all rooms")


def _browser(served: Served, questions: list[str], folder: Path) -> list[Figure]:
    node, chromium = shutil.which("node"), TOOLS / "vscode" / "chromium"
    if node is None or not chromium.exists():
        print("Chromium or its driver is missing: the page is not measured", file=sys.stderr)
        return []
    exported = folder / "memory.html"
    command = served.muninn("export", "--html", str(exported), "--repo", str(served.root))
    subprocess.run(command, env=served.environ, check=True, stdout=subprocess.DEVNULL)
    opened = subprocess.Popen(
        served.muninn("open", "--print", "--repo", str(served.root)),
        env=served.environ,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert opened.stdout is not None
    link = [opened.stdout.readline() for _ in range(3)][2].strip()
    given = {
        "link": link,
        "modules": f"{TOOLS}/browser/node_modules/",
        "chromium": os.path.realpath(chromium),
        "slowdown": SLOWDOWN,
        "runs": RUNS,
        "questions": questions,
        "tabs": TABS,
        "exported": str(exported),
    }
    script = Path(__file__).with_name("page.mjs")
    browser = subprocess.Popen(
        [node, str(script)],
        env={**os.environ, "PAGE": json.dumps(given)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        delays, hooked, per_tab = _play(served, browser)
        assert browser.stdout is not None
        found = json.loads(browser.stdout.readline())
    finally:
        browser.kill()
        opened.terminate()  # SIGINT is ignored by what a shell runs in the background
        opened.wait(300)
    size = exported.stat().st_size / 1e6
    return [*_page_figures(found, delays, hooked, per_tab), *_export_figures(found, size)]


def _play(served: Served, browser: subprocess.Popen[str]) -> tuple[list[float], list[float], float]:
    """Append events and send those of hooks while the page watches, then open tabs.

    Return the delays of both in ms, and the bytes of a tab.
    """
    assert browser.stdout is not None
    assert browser.stdin is not None
    _until(browser, "watching")
    delays, hooked = [], []
    with served.connect() as muninn:
        for number in range(MARKS):
            mark = f"mark-{number}"
            given = {"event_type": "prompt", "payload": {"text": mark}, "session_id": "bench"}
            delays.append(_shown(browser, mark, lambda given=given: muninn.call("event.append", given)))  # type: ignore[misc]
        for number in range(HOOKS):
            time.sleep(HOOK_SECONDS)
            mark = f"mark-{MARKS + number}"
            about = {"source": "prompt", "agent": "cursor", "session": "bench-hooks", "turn": mark, "text": mark}
            hooked.append(_shown(browser, mark, lambda about=about: muninn.call("capture", about)))  # type: ignore[misc]
    pid = served.pid
    assert pid is not None
    before = resident([pid])
    browser.stdin.write("on\n")
    browser.stdin.flush()
    _until(browser, "tabs")
    after = resident([pid])
    browser.stdin.write("on\n")
    browser.stdin.flush()
    return delays, hooked, (after - before) / TABS


def _shown(browser: subprocess.Popen[str], mark: str, call: Callable[[], object]) -> float:
    """Return the milliseconds from the beginning of a call until the page shows its text."""
    begun = time.time() * 1000
    call()
    while (seen := _until(browser, "shown"))["shown"] != mark:
        pass
    return float(seen["at"] - begun)


def _until(browser: subprocess.Popen[str], name: str) -> dict[str, Any]:
    assert browser.stdout is not None
    while True:
        line = browser.stdout.readline()
        if not line:
            raise RuntimeError("the browser ended")
        found: dict[str, Any] = json.loads(line)
        if name in found:
            return found


def _page_figures(found: dict[str, Any], delays: list[float], hooked: list[float], per_tab: float) -> list[Figure]:
    def p50(name: str) -> float:
        return percentile(found[name], 0.5)

    slow = f"Chromium, {SLOWDOWN} times slower"
    return [
        Figure("page: first paint", p50("paint") / 1000, "s", 1, slow, {"all": found["paint"]}),
        Figure("page: list of memories shown", p50("list") / 1000, "s", None, slow, {"all": found["list"]}),
        Figure("page: a key is handled, p50", p50("key"), "ms", 100, slow, {"all": found["key"]}),
        Figure("page: key to results, p50", p50("search"), "ms", None, slow, {"all": found["search"]}),
        Figure("page: key to results, p95", percentile(found["search"], 0.95), "ms", None, slow),
        Figure("event to page, p50", percentile(delays, 0.5), "ms", None, f"{len(delays)} events, one at a time"),
        Figure("event to page, p95", percentile(delays, 0.95), "ms", 150, "", {"all": delays}),
        Figure("hook event to page, p50", percentile(hooked, 0.5), "ms", None, f"{len(hooked)} prompts of a hook"),
        Figure("hook event to page, p95", percentile(hooked, 0.95), "ms", 150, "", {"all": hooked}),
        Figure("daemon's memory for an open page", per_tab / 1e6, "MB", 5, f"mean of {TABS} more pages"),
    ]


def _export_figures(found: dict[str, Any], size: float) -> list[Figure]:
    slow = f"Chromium, {SLOWDOWN} times slower"
    later = percentile(found["exportSearch"], 0.95)
    return [
        Figure("exported page", size, "MB", 5, "all memories"),
        Figure("exported page: searchable", found["exportReady"] / 1000, "s", None, slow),
        Figure(
            "exported page: first search", found["exportFirst"], "ms", 100, f"{slow}; later ones p95 {later:.0f} ms"
        ),
    ]


def _stream(served: Served, questions: list[str], seconds: float) -> list[Figure]:
    """Record events at the full rate while quick readers and a slow one follow; compare recall with a quiet time."""
    quiet, _ = served.ask([questions[:100]], 0.2)
    total = int(RATE * seconds)
    command = [sys.executable, "-m", "bench.harness.stream_readers", str(served.root), str(QUICK_READERS), str(total)]
    readers = subprocess.Popen(command, cwd=ROOT, env=served.environ, stdout=subprocess.PIPE, text=True)
    assert readers.stdout is not None
    readers.stdout.readline()
    pid = served.pid
    assert pid is not None
    used, wrote = processor_seconds([pid]), time.process_time()
    begun = time.perf_counter()
    ends: list[float] = []
    writers = [threading.Thread(target=_record, args=(served, total, part, begun, ends)) for part in range(WRITERS)]
    for writer in writers:
        writer.start()
    asked = questions[100:] * max(1, round(seconds / 0.2 / len(questions[100:])))
    busy, _ = served.ask([asked], 0.2)
    for writer in writers:
        writer.join()
    took = max(ends) - begun
    used, wrote = processor_seconds([pid]) - used, time.process_time() - wrote
    found = json.loads(readers.stdout.readline())
    readers.wait()
    ratio = percentile(busy, 0.95) / percentile(quiet, 0.95)
    note = f"p95 {percentile(quiet, 0.95):.1f} ms alone, {percentile(busy, 0.95):.1f} ms with events"
    clients = f"writers {wrote / total * 1000:.2f} ms, readers {found['seconds'] / total * 1000:.2f} ms"
    return [
        Figure("events recorded", total / took, "1/s", None, f"{total:,} events of {WRITERS} writers in {took:.0f} s"),
        Figure("events lost to a quick reader", total - min(found["seen"]), "", 0.5, f"{QUICK_READERS} readers"),
        Figure(
            "slow readers that got the notice", float(found["slow"] >= 0), "", None, f"after {found['slow']} events"
        ),
        Figure("daemon's processor time for an event", used / total * 1000, "ms", None, f"with recalls; {clients}"),
        Figure("recall during events to recall alone, p95", ratio, "x", None, note),
    ]


def _record(served: Served, total: int, part: int, begun: float, ends: list[float]) -> None:
    """Record every `WRITERS`-th event at its time, and note when the last one was recorded."""
    text = "x" * 300
    with served.connect() as muninn:
        for number in range(part, total, WRITERS):
            wait = begun + number / RATE - time.perf_counter()
            if wait > 0:
                time.sleep(wait)
            muninn.call("event.append", {"event_type": "load", "payload": {"number": number, "text": text}})
    ends.append(time.perf_counter())


def _claims(served: Served) -> Figure:
    """Claim and release one task as fast as one client can."""
    with served.connect() as muninn:
        muninn.call("agent.register", {"name": "bench", "seconds": 300})
        claims = 0
        begun = time.perf_counter()
        while time.perf_counter() - begun < CLAIM_SECONDS:
            muninn.call("lease.claim", {"tasks": ["one"]})
            muninn.call("lease.release")
            claims += 1
        took = time.perf_counter() - begun
    return Figure("claims and releases of one client", claims / took, "1/s", None, "both durable; one after the other")
