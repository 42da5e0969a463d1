"""Questions with each verb of an organisation's memory, about one repository. A verb without any fails the tests.

`SECRET` is a word of the repository that no question has: each verb finds it for who may read the repository.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from repositories import git

SECRET = "zirconium"
FIRST, SECOND = "01K00000000000000000000001", "01K00000000000000000000002"
RECORDS: tuple[dict[str, Any], ...] = (
    {"id": FIRST, "text": f"Bananas are peeled from the far end, with {SECRET}.", "files": ["fruit.py"],
     "cites": [{"path": "fruit.py", "start": 1, "end": 3, "symbol": "peel"}]},
    {"id": SECOND, "text": f"Peeled bananas are sold with {SECRET}.", "files": ["shop.py"],
     "links": [{"relation": "extends", "target": FIRST}]},
)  # fmt: skip
FILES = {
    "fruit.py": f"def peel(banana):\n    '''Take the skin off, with {SECRET}.'''\n    return banana.inner\n\n\n"
    f"def {SECRET}():\n    return peel(None)\n",
    f"{SECRET}_shop.py": f"from fruit import {SECRET}\n\n\ndef sell():\n    return {SECRET}()\n",
}

QUESTIONS: Mapping[str, tuple[dict[str, Any], ...]] = {
    "recall": (
        {"query": "take the skin off"},
        {"query": '"peeled from the far end"'},
        {"query": "kind:memory bananas"},
    ),
    "context": ({"query": "peel a banana"},),
    "memories": (
        {},
        {"id": FIRST},
        {"id": FIRST[:-1]},
        {"text": "banana"},
        {"file": "fruit.py"},
        {"file": "NAME:fruit.py"},
        {"archived": True},
    ),
    "show": ({"id": FIRST}, {"id": SECOND[-8:]}, {"id": FIRST[:-1]}, {"id": "01K0NOSUCH"}),
    "links": ({"id": FIRST}, {"id": SECOND, "depth": 3}, {"id": FIRST[:-1]}, {"id": FIRST, "archived": True}),
    "about": (
        {"file": "fruit.py"},
        {"file": "NAME:fruit.py"},
        {"file": "fruit.py", "line": 2},
        {"file": "other.py", "name": "peel"},
        {"file": "shop.py"},
    ),
    "overview": ({}, {"days": 0, "importance": 1}),
    "symbols": ({"query": "peel"}, {"query": "pele"}, {"query": SECRET[:4]}),
    "outline": ({"path": "fruit.py"}, {"path": "NAME:fruit.py"}, {"path": "friut.py"}, {"path": "NAME:friut.py"}),
    "graph": (
        {"start": "fruit.py"},
        {"start": "NAME:fruit.py", "relation": "importers"},
        {"start": "peel", "relation": "callers"},
        {"start": "fruit.py#peel", "depth": 2},
        {"start": "NAME:fruit.py#pele"},
        {"start": "pele"},
        {"start": "NAME:."},
    ),
    "read": ({"path": "fruit.py"}, {"path": "NAME:fruit.py", "start": 2}, {"path": "NAME:friut.py"}, {"path": "NAME:"}),
    "tree": ({}, {"path": "NAME:"}, {"path": "NAME:src"}, {"path": "src"}, {"depth": 1}),
    "files": ({}, {"path": ["*.py"]}, {"lang": ["python"], "kind": "code"}),
    "offer": ({"query": "take the skin off"}, {"query": "bananas peeled from the far end"}),
    "list_symbols": ({"query": SECRET[:4]},),
    "list_memories": ({}, {"id": FIRST}, {"id": FIRST[:-1]}),
    "list_importers": ({"packages": [{"ecosystem": "python", "name": "fruit", "modules": ["fruit"]}]},),
}


def questions(verb: str, repository: str) -> list[dict[str, Any]]:
    """Return the parameters of the questions with a verb. Paths name a repository."""
    found: list[dict[str, Any]] = json.loads(json.dumps(QUESTIONS[verb]).replace("NAME:", f"{repository}:"))
    return found


def make_orchard(root: Path) -> Path:
    """Make the repository that the questions are about."""
    lines = [
        {"v": 1, "ts": "2026-10-01T00:00:00.000Z", "type": "decision", "actor": "user", "importance": 8, **each}
        for each in RECORDS
    ]
    memory = root / ".muninn" / "memory" / "main.jsonl"
    memory.parent.mkdir(parents=True)
    memory.write_text("".join(json.dumps(each) + "\n" for each in lines))
    for path, text in FILES.items():
        (root / path).write_text(text)
    git(root, "init", "-q", "-b", "main")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "All")
    return root
