"""How well an organisation's memory finds, beside the local index: `python -m bench org --data DIR --mirrors DIR`.

The questions and the score are those of `bench quality`. Each tree is indexed by a local engine and pushed to the
database; both are asked for the same repository alone.
"""

from __future__ import annotations

import argparse
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from bench.harness.figure import Figure
from bench.organisation.database import Org
from bench.organisation.repositories import commit, git
from bench.quality.arms import LIMIT
from bench.quality.copies import Copies
from bench.quality.questions import Data, Place, Question, load
from bench.quality.scoring import mean
from bench.quality.scoring import measure as scored
from bench.speed.federation import Asking
from muninn_core.org.access import principals
from muninn_core.org.answers.search import Question as Asked
from muninn_core.org.answers.search import recall
from muninn_core.org.ingestion.pushes import Target, push
from muninn_core.org.reading.branches import enter
from muninn_core.org.reading.reader import PostgresReader
from muninn_core.protocol.families.search import RecallParams


class Tree(NamedTuple):
    """A tree of files and the name of its repository in the organisation."""

    root: Path
    name: str


def compare(org: Org, options: argparse.Namespace) -> list[Figure]:
    """Return the scores of the local index and of PostgreSQL."""
    sets = options.sets.split(",")
    data = load(options.data, sets)
    found: list[Figure] = []
    for name in sets:
        with tempfile.TemporaryDirectory(prefix="muninn-org-") as temporary:
            asking = Asking(Path(temporary))
            copies = Copies(data, Path(temporary) / "copies", options.mirrors, options.archives)
            trees = _trees(org, asking, copies, data, name)
            questions = [one for one in data.questions if one.dataset == name and one.source in trees]
            local = [scored(one, _local(asking, trees[one.source], one)) for one in questions]
            found.append(
                Figure(
                    f"{name}: NDCG@10 of the local index", mean(local)["ndcg@10"], "", note=f"{len(local)} questions"
                )
            )
            rows = [scored(one, _remote(org, trees[one.source], one)) for one in questions]
            found.append(Figure(f"{name}: NDCG@10 of PostgreSQL", mean(rows)["ndcg@10"], ""))
            asking.close()
    return found


def _trees(org: Org, asking: Asking, copies: Copies, data: Data, dataset: str) -> dict[str, Tree]:
    """Index and push the trees of a set; a tree whose mirror is missing is left out."""
    trees: dict[str, Tree] = {}
    for each, source in data.copies():
        if each != dataset:
            continue
        try:
            root = copies.folder(dataset, source)
        except (OSError, ValueError):
            continue
        name = f"{dataset}-{len(trees)}"
        asking.call(root, "init")
        asking.call(root, "index")
        git(root, "init", "-q", "-b", "main")
        commit(root)
        with org.database.transaction("muninn_writer") as connection:
            number = principals.create_repository(connection, org.tenant, name, "main", private=True)
            principals.grant(connection, org.tenant, number, org.asker)
        push(org.database, Target(org.tenant, name, "main"), root, "HEAD")
        trees[source] = Tree(root, name)
    return trees


def _local(asking: Asking, tree: Tree, question: Question) -> list[Place]:
    answer = asking.call(tree.root, "recall", query=question.text, limit=LIMIT, kind="code")
    return [Place(hit.path, hit.start_line, hit.end_line) for hit in answer.hits]


def _remote(org: Org, tree: Tree, question: Question) -> list[Place]:
    with org.database.transaction("muninn_reader", snapshot=True) as connection:
        branches = enter(connection, org.tenant, org.asker, [tree.name])
        reader = PostgresReader(connection, org.tenant, branches, org.vectors)
        params = RecallParams(query=question.text, limit=LIMIT, kind="code")
        answer = recall(Asked(reader, branches, datetime.now(UTC)), params)
    return [Place(hit.path, hit.start_line, hit.end_line) for hit in answer.hits]
