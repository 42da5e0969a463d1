"""Questions to an organisation: the answers beside exact ones, and the time of many at once."""

from __future__ import annotations

import random
import re
import threading
import time
from collections.abc import Sequence
from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray

from bench.harness.figure import Figure, percentile, spread
from bench.organisation.database import Org
from muninn_core.index.embedding.embed import load_bundled
from muninn_core.index.vectors.quantise import SCALE
from muninn_core.index.words.term_counts import Term, scores
from muninn_core.org.access import principals
from muninn_core.org.answers.search import Question, recall
from muninn_core.org.database.connections import connect
from muninn_core.org.reading.branches import enter
from muninn_core.org.reading.lexical import CHUNK_WEIGHTS
from muninn_core.org.reading.reader import PostgresReader
from muninn_core.protocol.families.search import RecallParams
from muninn_core.retrieval.query.query_terms import significant_words

_SENTENCE = re.compile(r"[A-Z][^.\n]{25,150}\.")
_BEST = 50
_SCORED = 50_000
"""Documents whose scores are computed at once."""

_ROUNDED = 0.002
"""How much of a cosine the rounding of a question to 8 bits may change."""


def questions(org: Org, count: int) -> list[str]:
    """Return sentences of comments of random chunks, the same for the same chunks."""
    with org.database.transaction("muninn_reader", snapshot=True) as connection:
        reader = PostgresReader(connection, org.tenant, enter(connection, org.tenant, org.asker))
        ids = [row[0] for row in connection.execute("SELECT id FROM chunk WHERE kind = 0 ORDER BY id").fetchall()]
        chosen = random.Random(0).sample(ids, min(len(ids), 8 * count))
        found = [_SENTENCE.search(chunk.comment) for chunk in reader.chunks(sorted(chosen)).values()]
    return [match[0] for match in found if match][:count]


def found_of_all(org: Org, asked: Sequence[str]) -> list[Figure]:
    """Compare both searches with scores and products that are computed for each stored chunk."""
    embedder, near, words = load_bundled(), [], []
    with connect(org.admin) as connection:
        sql = f"SELECT id, counts, vector FROM muninn.chunk_{org.tenant} ORDER BY id"
        rows = connection.execute(sql.encode(), binary=True).fetchall()
    ids = np.array([row[0] for row in rows])
    vectors = np.frombuffer(b"".join(row[2] or bytes(embedder.dim) for row in rows), np.int8).reshape(len(rows), -1)
    with org.database.transaction("muninn_reader", snapshot=True) as connection:
        reader = PostgresReader(connection, org.tenant, enter(connection, org.tenant, org.asker), org.vectors)
        for question in asked:
            vector = embedder.embed_query(question)
            found = reader.dense(vector, _BEST)
            products = np.concatenate(
                [part.astype(np.float32) @ vector / SCALE for part in np.array_split(vectors, 64)]
            )
            near.append(_shared(ids, products, [number for number, _ in found]))
            terms = [
                Term(field, word, weight * reader.statistics.rarity(word, field))
                for word in significant_words(question)
                for field, weight in CHUNK_WEIGHTS.items()
                if reader.statistics.frequency(word, field)
            ]
            every = np.zeros(len(rows))
            for start in range(0, len(rows), _SCORED):
                some = [row[1] for row in rows[start : start + _SCORED]]
                every[start : start + _SCORED] = scores(terms, some, reader.statistics.totals)
            best = reader.lexical(significant_words(question), _BEST)
            words.append(_shared(ids, every, [number for number, _ in best]))
    return [
        Figure("recall@50 by vectors", sum(near) / len(near), "", note="against all vectors, unrounded question"),
        Figure("recall@50 by words", sum(words) / len(words), "", note="against BM25 of all chunks"),
    ]


def _shared(ids: NDArray[np.int64], every: NDArray[np.floating], found: Sequence[int]) -> float:
    """Return the share of the best `_BEST` that was found; each of a tie with the last of them counts as one."""
    order = np.argsort(-every, kind="stable")
    least = every[order[min(_BEST, len(order)) - 1]] - _ROUNDED
    good = set(ids[every >= max(least, 1e-9)].tolist())
    return min(1.0, len(good.intersection(found)) / max(1, min(_BEST, len(good))))


def asking(
    org: Org, asked: Sequence[str], askers: int, each: int, principal: int | None = None, who: str = ""
) -> Figure:
    """Return the time of a question while several ask at once, as a principal that may read some repositories."""
    caller = org.asker if principal is None else principal
    times: list[float] = []
    lock = threading.Lock()

    def ask(first: int) -> None:
        for number in range(each):
            question = asked[(first * each + number) % len(asked)]
            began = time.perf_counter()
            with org.database.transaction("muninn_reader", snapshot=True) as connection:
                branches = enter(connection, org.tenant, caller)
                reader = PostgresReader(connection, org.tenant, branches, org.vectors)
                recall(Question(reader, branches, datetime.now(UTC)), RecallParams(query=question, plain=True))
            with lock:
                times.append(1000 * (time.perf_counter() - began))

    cpu = org.cpu()
    threads = [threading.Thread(target=ask, args=(number,)) for number in range(askers)]
    _all(threads)
    spent = 1000 * (org.cpu() - cpu) / len(times)
    note = f"p50 {percentile(times, 0.5):.0f} ms, processor {spent:.0f} ms a question"
    budget = 150.0 if askers == 1 else None
    return Figure(
        f"recall, {who or f'{askers} at once'}, p95", percentile(times, 0.95), "ms", budget, note, spread(times)
    )


def seeing(org: Org, asked: Sequence[str], counts: Sequence[int], each: int) -> list[Figure]:
    """Return the time of a question of people who may read some of the repositories."""
    found = []
    with org.database.transaction("muninn_reader", snapshot=True) as connection:
        names = [branch.repository for branch in enter(connection, org.tenant, org.asker)]
    for count in counts:
        if count > len(names):
            continue
        with org.database.transaction("muninn_writer") as connection:
            person = principals.put_principal(connection, org.tenant, "user", f"sees-{count}")
            for name in random.Random(count).sample(names, count):
                number = principals.find_repository(connection, org.tenant, name)
                principals.grant(connection, org.tenant, number, person)
        found.append(asking(org, asked, 1, each, person, f"of {count} repositories"))
    return found


def _all(threads: Sequence[threading.Thread]) -> None:
    for each in threads:
        each.start()
    for each in threads:
        each.join()
