"""Precision and recall of reminders: a prompt gets its memory, and an unrelated prompt gets none.

The repository holds 120 memories of many fields and the code of a small package. Each prompt of `bench/data` matches
one memory or none; questions about other packages match none. The figures do not depend on the machine.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from pathlib import Path

from bench.accuracy.reconcile import load
from bench.harness.archive import unpack
from bench.harness.figure import Figure
from muninn_core import open_repository
from muninn_core.verbs import Verbs

DATA = Path(__file__).parents[1] / "data"
ARCHIVE = DATA / "quality" / "archives" / "mux-1.8.0.tar.gz"
QUESTIONS = DATA / "quality" / "C1_questions.dev.jsonl"

OF_PAIRS = "p120"
"""The last of the pairs whose first side is a memory here; later ones were written for other memories."""

TOLD, IDLE = 0.6, 0.1
"""What is wanted: of the prompts that touch a memory those that bring it, and of the others those that bring any."""


def measure() -> list[Figure]:
    """Send each prompt to one repository in a separate session, and return the figures."""
    prompts = [json.loads(line) for line in (DATA / "prompts.jsonl").read_text("utf-8").splitlines()]
    questions = [json.loads(line)["query"] for line in QUESTIONS.read_text("utf-8").splitlines()]
    with tempfile.TemporaryDirectory(prefix="mnb-", dir="/tmp") as name:
        root = Path(name) / "repository"
        root.mkdir()
        unpack(ARCHIVE, root)
        subprocess.run(["git", "init", "-q", str(root)], check=True)
        with open_repository(root, environ={"MUNINN_RUNTIME_DIR": name, "XDG_DATA_HOME": name}) as repository:
            repository.init()
            known = _remember(repository)
            repository.index(wait=True)
            repository.recall("what is asked first loads what all need", kind="memory")
            touching = [each for each in prompts if each["pair"]]
            missed = [
                each["text"]
                for each in touching
                if known[each["pair"]] not in repository.remind(prompt=each["text"]).ids
            ]
            beside = [each["text"] for each in prompts if not each["pair"]] + questions
            idle = [text for text in beside if repository.remind(prompt=text).ids]
    told = 1 - len(missed) / len(touching)
    share = len(idle) / len(beside)
    note = f"{len(touching)} prompts, wanted {TOLD} or more"
    return [
        Figure("prompts that bring the memory they touch", told, "", None, note, {"missed": missed}),
        Figure(
            "prompts that touch nothing and bring something", share, "", IDLE, f"{len(beside)} prompts", {"told": idle}
        ),
    ]


def _remember(repository: Verbs) -> dict[str, str]:
    """Store the memories and return their ids by the pair of the data that each belongs to."""
    pairs = [pair for pair in load() if pair.label == "same" and pair.id <= OF_PAIRS]
    stored = repository.call("remember", batch=[pair.left for pair in pairs])
    return {pair.id: identity for pair, identity in zip(pairs, stored.ids, strict=True)}  # type: ignore[attr-defined]
