"""`python -m bench models`: memory with the help of a scripted model.

A model that lies judges the labelled pairs of `bench/data`: one of ten answers is another verdict than the label's.
Counted are merges of different facts, with and without its verdicts. And `remember` is timed in turn with enrichment
off and on.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import tempfile
import time
from pathlib import Path
from typing import Any

from bench.accuracy import reconcile
from bench.harness import corpus
from bench.harness.figure import Figure, spread, table
from bench.harness.scripted import Json, Model, configure
from bench.harness.served import Served

WRONG_SHARE = 0.1
"""The share of answers that are wrong."""

BLOCK = 20
"""Memories that are stored before enrichment is switched off or on."""

_NOTE = re.compile(r"(?s)<note\d>\n(?:(?:Type|Files): [^\n]*\n)*(.*?)\n</note\d>")
_WORDS = {"same": "same", "contradiction": "contradictory", "new": "new"}


def main(arguments: list[str]) -> int:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(prog="python -m bench models", description="Measure memory with a scripted model.")
    parser.add_argument("--memories", type=int, default=400, help="memories that are stored, half of them enriched")
    parser.add_argument("--pairs", type=int, default=1_000, help="labelled pairs that are used")
    options = parser.parse_args(arguments)
    before = os.getloadavg()[0]
    with tempfile.TemporaryDirectory(prefix="muninn-bench-") as name:
        folder = Path(name)
        source = corpus.tiny(folder / "tiny")
        with Served(corpus.lay_out(source, folder / "judged")) as served:
            figures = judging(served, reconcile.load()[: options.pairs])
        with Served(corpus.lay_out(source, folder / "enriched")) as served:
            figures += remembering(served, corpus.Corpus(source).memories(options.memories))
    print(table(figures))
    print(f"\nload {before:.1f} before the run")
    return 0


def judging(served: Served, pairs: list[reconcile.Pair]) -> list[Figure]:
    """Judge with a model that is wrong at times, reconcile, and count merges of different facts."""
    judge = _FallibleJudge(pairs)
    with Model(judge) as model:
        configure(served, model, reconcile="m")
        served.call("init")
        drafts = [_draft(side) for pair in pairs for side in pair.sides]
        served.call("remember", batch=drafts)
        plain = served.call("reconcile", dry_run=True)
        judged: list[Json] = []
        while found := served.call("judge", limit=200)["pairs"]:
            judged += found
        merged = served.call("reconcile")
    wrong = _wrong_merges(served.root, pairs)
    added, queued = len(merged["merges"]) - len(plain["merges"]), merged["conflicts"] - plain["conflicts"]
    note = f"{judge.wrong} of {len(judged)} verdicts are wrong; {len(merged['merges'])} merges by rules"
    spent = f"{sum(pair['verdict'] == 'new' for pair in judged)} verdicts are `new` and need no decision"
    return [
        Figure("a model with wrong verdicts: merges of different facts", wrong, "", None, note),
        Figure("a model with wrong verdicts: merges that its verdicts add", added, "", None),
        Figure("a model with wrong verdicts: pairs that wait for a person", queued, "", None, spent),
    ]


class _FallibleJudge:
    """Answers with the label of a pair, and sometimes with another verdict."""

    def __init__(self, pairs: list[reconcile.Pair]) -> None:
        self._labels = {frozenset((pair.left["text"], pair.right["text"])): _WORDS[pair.label] for pair in pairs}
        self._chance = random.Random(7)
        self.wrong = 0

    def __call__(self, body: Json) -> str:
        sides = frozenset(_NOTE.findall(body["messages"][1]["content"]))
        verdict = self._labels.get(sides, "new")
        if self._chance.random() < WRONG_SHARE:
            self.wrong += 1
            verdict = self._chance.choice([each for each in _WORDS.values() if each != verdict])
        return f"VERDICT: {verdict}\nREASON: The notes say so."


def _draft(side: Json) -> Json:
    return {name: side[name] for name in ("text", "type", "files", "tags") if name in side}


def _wrong_merges(root: Path, pairs: list[reconcile.Pair]) -> int:
    """Return the number of merged memories whose texts no label calls the same."""
    lines = (root / ".muninn/memory/main.jsonl").read_text("utf-8").splitlines()
    records: list[Json] = [json.loads(line) for line in lines]
    texts = {record["id"]: record["text"] for record in records if "text" in record}
    groups = reconcile.Groups()
    for pair in pairs:
        if pair.label == "same":
            groups.join(pair.left["text"], pair.right["text"])
    merged = [(record["keep"], gone) for record in records if record["type"] == "merge" for gone in record["sources"]]
    return sum(
        groups.representative(texts[kept]) != groups.representative(texts[gone])
        for kept, gone in merged
        if kept in texts and gone in texts
    )


def remembering(served: Served, drafts: list[Json]) -> list[Figure]:
    """Time `remember` in blocks with enrichment off and on; the model needs 50 ms for each answer."""
    times: dict[bool, list[float]] = {False: [], True: []}
    with Model(_enrichment) as model:
        configure(served, model)
        served.call("init")
        served.call("remember", text="The first memory opens the log and the index.")
        for number, draft in enumerate(drafts):
            enriched = number // BLOCK % 2 == 1
            if number % BLOCK == 0:
                configure(served, model, **({"enrich": "m"} if enriched else {}))
            params = {**draft, "text": f"{draft['text']} Seen in run {number}.", "session": "bench-one"}
            with served.connect() as muninn:
                muninn.call("status")
                begun = time.perf_counter()
                muninn.call("remember", params)
                times[enriched].append((time.perf_counter() - begun) * 1000)
        asked = len(model.bodies)
    off, on = spread(times[False]), spread(times[True])
    note = f"{asked} answers of the model until the last memory was stored; p95 {on['p95']:.1f} ms"
    return [
        Figure("remember, enrichment off, p50", off["p50"], "ms", None, f"p95 {off['p95']:.1f} ms", off),
        Figure("remember, enrichment on, p50", on["p50"], "ms", None, note, on),
    ]


def _enrichment(body: Json) -> str:
    """Answer with words of the note, as a usable enrichment."""
    time.sleep(0.05)
    note: Any = body["messages"][1]["content"]
    words = list(dict.fromkeys(re.findall(r"[a-z]{5,}", note.rpartition("Stated type")[2].partition("\n")[2])))[:3]
    text = " ".join(words)
    said = f"SUMMARY: {text}\nKEYWORDS: {', '.join(words)}\nTAGS: storage, design\nTYPE: decision\nIMPORTANCE: 6"
    return f"{said}\nQUESTIONS: Why is there {text}?"
