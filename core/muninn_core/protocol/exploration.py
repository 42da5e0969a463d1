"""What an exploration did: its steps, its answer and what it used."""

from __future__ import annotations

from muninn_core.model.value import Value


class ExplorationStep(Value):
    """One use of a tool. `depth` is 0 in the exploration itself, 1 in one that it started.

    `arguments` is their JSON, cut to 300 characters. `chars` is the length of the result. `problem` says why there is
    none.
    """

    depth: int
    tool: str
    arguments: str
    chars: int = 0
    problem: str = ""


class Exploration(Value):
    """How a pack was explored. `answer` is the model's own words, with secrets masked; nothing checks it.

    `complete` is false when a limit or a failure ended the exploration; `ended` says which. The pack then has what was
    found until then. `steps` are in their order. `dropped` are places that the model named and that are not there.
    `memory` is the id of the memory of the type context_hit, "" when none was stored.
    """

    route: str
    model: str
    complete: bool
    answer: str = ""
    ended: str = ""
    steps: tuple[ExplorationStep, ...] = ()
    dropped: tuple[str, ...] = ()
    calls: int = 0
    tokens: int = 0
    usd: float = 0.0
    memory: str = ""
