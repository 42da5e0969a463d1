"""Stores the memories of a case in a repository of their own and asks its questions."""

from __future__ import annotations

import math
import re
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from bench.memory.data import Case
from muninn_core import open_repository
from muninn_core.verbs import Verbs

DEEP = 10
"""The depth of a list that is searched for the right memory."""

_BATCH = 500


class Opened(NamedTuple):
    """A repository with the memories of a case, and {id: key in the data}."""

    repository: Verbs
    keys: dict[str, str]


@contextmanager
def stored(case: Case, source: Path | None = None, *, empty: bool = False, commits: int = 0) -> Iterator[Opened]:
    """Open a repository with the memories of a case, in their order, once all are indexed and encoded.

    It is empty, or a clone of `source`, of which the newest `commits` are remembered as well. With `empty` no memory is
    stored.
    """
    with tempfile.TemporaryDirectory(prefix="mnb-", dir="/tmp") as name:
        root = Path(name) / "repository"
        make = ["clone", "-q", str(source)] if source is not None else ["init", "-q"]
        subprocess.run(["git", *make, str(root)], check=True)
        with open_repository(root, environ={"MUNINN_RUNTIME_DIR": name, "XDG_DATA_HOME": name}) as repository:
            repository.init()
            keys: dict[str, str] = {}
            for session, group in groupby(() if empty else case.drafts, key=lambda draft: draft.session):
                drafts = list(group)
                for start in range(0, len(drafts), _BATCH):
                    some = drafts[start : start + _BATCH]
                    fields = [draft.fields | ({"session": session} if session else {}) for draft in some]
                    ids = repository.call("remember", batch=fields).ids  # type: ignore[attr-defined]
                    keys.update((identity, draft.key) for identity, draft in zip(ids, some, strict=True))
            if commits:
                repository.backfill(source="git", limit=commits, apply=True)
            repository.index(wait=True)
            repository.recall("what is asked first loads what all need")
            yield Opened(repository, keys)


def ask(case: Case, opened: Opened) -> Counter[str]:
    """Return sums over the questions of a case; see `main.summary` for the figures made of them."""
    counts: Counter[str] = Counter()
    for question in case.questions:
        begun = time.process_time()
        answer = opened.repository.recall(question.text, kind="memory", limit=DEEP)
        counts["processor_us"] += round((time.process_time() - begun) * 1e6)
        found = [opened.keys.get(hit.id, "") for hit in answer.hits]
        counts["questions"] += 1
        for depth in (1, 3, 5, 10):
            within = set(found[:depth]).intersection(question.right)
            counts[f"hit@{depth}"] += bool(within)
            counts[f"recall@{depth} x1000"] += round(1000 * len(within) / len(question.right))
        for newer in question.right:
            if newer in case.older and (older := case.older[newer]) in found:
                counts["versions"] += 1
                counts["newest first"] += newer in found and found.index(newer) < found.index(older)
    return counts


def find_files(case: Case, opened: Opened) -> Counter[str]:
    """Return sums over how well the files of a question's memories are found: NDCG@10 of the first ten code files.

    A question counts whose memories name files that the repository has. `all` asks for hits of every kind.
    """
    counts: Counter[str] = Counter()
    beside = "with memory" if opened.keys else "without"
    root = Path(opened.repository.status().root)
    files = {draft.key: draft.fields.get("files", []) for draft in case.drafts}
    for question in case.questions:
        named = {re.sub(r"[#:].*", "", each) for key in question.right for each in files.get(key, [])}
        right = {path for path in named if (root / path).is_file()}
        if not right:
            continue
        counts["questions"] += bool(opened.keys)
        for name, kind in (("code", "code"), ("all", None)):
            hits = opened.repository.recall(question.text, kind=kind, limit=30).hits  # type: ignore[arg-type]
            found = list(dict.fromkeys(hit.path for hit in hits if hit.kind == "code"))[:10]
            gain = sum(1 / math.log2(rank + 2) for rank, path in enumerate(found) if path in right)
            counts[f"files, {name}, {beside} x1000"] += round(
                1000 * gain / sum(1 / math.log2(n + 2) for n in range(len(right)))
            )
    return counts


def block(case: Case, opened: Opened) -> Counter[str]:
    """Return sums over what recall shows as remembered: for questions, and for prompts that no memory is about.

    An answer is the block and the hits below it, of all kinds.
    """
    counts: Counter[str] = Counter()
    for question in case.questions:
        answer = opened.repository.recall(question.text)
        shown = list(dict.fromkeys(hit.id for hit in (*answer.remembered, *answer.hits)))[:DEEP]
        ranks = [rank for rank, identity in enumerate(shown) if opened.keys.get(identity) in question.right]
        counts["answer: right first"] += 0 in ranks
        counts["answer: among ten"] += bool(ranks)
        found = [opened.keys.get(hit.id, "") for hit in answer.remembered]
        counts["block: right"] += bool(set(found).intersection(question.right))
        counts["block: wrong on top"] += bool(found) and found[0] not in (*question.right, *question.allowed)
        counts["block: none"] += not found
    for prompt in case.prompts:
        if not prompt.right:
            counts["block: unrelated"] += 1
            counts["block: shown for unrelated"] += bool(opened.repository.recall(prompt.text).remembered)
    return counts


def remind(case: Case, opened: Opened) -> Counter[str]:
    """Return sums over the prompts of a case, each sent in a session of its own."""
    counts: Counter[str] = Counter()
    for prompt in case.prompts:
        told = [opened.keys.get(identity, "") for identity in opened.repository.remind(prompt=prompt.text).ids]
        if prompt.right:
            counts["prompts: related"] += 1
            right = bool(set(told).intersection(prompt.right))
            counts["prompts: told right"] += right
            counts[f"{prompt.kind} prompts"] += 1
            counts[f"{prompt.kind}: told right"] += right
            counts["prompts: told wrong"] += len(set(told) - {*prompt.right, *prompt.allowed})
        else:
            counts["prompts: unrelated"] += 1
            counts["prompts: told for unrelated"] += bool(told)
    return counts
