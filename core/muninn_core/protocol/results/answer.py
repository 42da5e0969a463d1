"""Results about questions: recall, contexts, the map of the code, skills."""

from __future__ import annotations

from typing import Literal

from muninn_core.model.answer import Hit, ReadState, Reason
from muninn_core.model.chunk import SourceKind
from muninn_core.model.citation import Citation
from muninn_core.model.memory import Scope, Trust, Work
from muninn_core.model.value import Value
from muninn_core.protocol.params.answer import ContextParams
from muninn_core.protocol.results.base import Result


class RecallResult(Result):
    """Best first; ties by kind, path, line and id.

    `next` is what `page` takes for the hits that come after these, "" when there are none. `notes` say what filters
    left out, and which of them nothing passes.
    """

    hits: tuple[Hit, ...]
    next: str = ""
    notes: tuple[str, ...] = ()


class PackItem(Value):
    """One item of a pack. `tier` says why it is where it is: pin, task, hand, skill, memory, knowledge or code.

    `form`: whole; part, where text and lines are those that fit, and `id` has the lines of the whole; headline, where
    only its place is named. `tokens` is the most that it takes in any format.
    """

    tier: str
    kind: SourceKind
    id: str
    path: str
    start_line: int
    end_line: int
    title: str
    text: str
    tokens: int
    score: float
    form: Literal["whole", "part", "headline"] = "whole"
    symbol: str = ""
    why: tuple[Reason, ...] = ()
    elsewhere: tuple[str, ...] = ()
    work: Work = ""
    private: bool = False
    scope: Scope = "project"
    status: str = ""
    trust: Trust | None = None
    origin: str = ""
    cites: tuple[Citation, ...] = ()


class LeftOut(Value):
    """A candidate that a pack does not hold: what it would have taken, and the reason."""

    tier: str
    kind: SourceKind
    id: str
    path: str
    start_line: int
    end_line: int
    title: str
    tokens: int
    score: float
    reason: str
    why: tuple[Reason, ...] = ()


class ContextResult(Result):
    """A pack. `text` is it in the format that was asked for; `tokens` counts all of it and never exceeds `budget`.

    `bundle` names it, for `why` and `replay`. `inputs` are what was asked with; `question` is what was looked for,
    `asked` when. `omitted` counts `left_out`.
    """

    text: str
    items: tuple[PackItem, ...]
    tokens: int
    budget: int
    omitted: int
    bundle: str = ""
    inputs: ContextParams = ContextParams()
    question: str = ""
    asked: str = ""
    left_out: tuple[LeftOut, ...] = ()


class WhyResult(Result):
    """An explanation of a context. `then` is the state that it was gathered from, `saw` that of now.

    `items` and `left_out` are those of the context, or of them those that `item` names; `text` tells it in words.
    """

    bundle: str
    inputs: ContextParams
    question: str
    asked: str
    then: ReadState
    tokens: int
    budget: int
    items: tuple[PackItem, ...]
    left_out: tuple[LeftOut, ...]
    text: str


class ReplayResult(Result):
    """A context once more. `source`: kept, then it is the very answer; fresh, then it was gathered anew.

    `same` says whether its text is that of the first time. `moved` says in which ways the repository is no longer in
    the state that the first answer saw; `differs` what that changed in the answer.
    """

    source: Literal["kept", "fresh"]
    same: bool
    moved: tuple[str, ...]
    differs: tuple[str, ...]
    context: ContextResult


class SkillEntry(Value):
    """A skill. `hidden_by` is the file of the same name that is taken in its place; `problems` are its own."""

    name: str
    description: str
    path: str
    local: bool
    tokens: int
    hidden_by: str = ""
    problems: tuple[str, ...] = ()


class SkillMatch(Value):
    """A skill that helps with the task, and its whole text; the contributions of `why` add up to `score`."""

    name: str
    description: str
    path: str
    local: bool
    score: float
    why: tuple[Reason, ...]
    tokens: int
    text: str
    problems: tuple[str, ...] = ()


class SkillLeftOut(Value):
    """A skill that would help, too, and why it is not there."""

    name: str
    path: str
    tokens: int
    reason: str


class SkillsListResult(Result):
    """The skills by name."""

    skills: tuple[SkillEntry, ...]


class SkillsMatchResult(Result):
    """The best skills first; together they have `tokens`, and might have `share`."""

    skills: tuple[SkillMatch, ...]
    left_out: tuple[SkillLeftOut, ...]
    tokens: int
    share: int


class CodeSymbol(Value):
    """A definition. `container` are the names around it, `signature` its head; `children` are there in an outline."""

    name: str
    kind: str
    container: str
    path: str
    start_line: int
    end_line: int
    signature: str = ""
    comment: str = ""
    children: tuple[CodeSymbol, ...] = ()


class SymbolsResult(Result):
    """The best first: the whole name, its beginning, humps, parts. `total` is how many there are."""

    symbols: tuple[CodeSymbol, ...]
    total: int


class OutlineResult(Result):
    """The definitions of a file as a tree, in the order of their lines."""

    path: str
    language: str
    symbols: tuple[CodeSymbol, ...]
    comment: str = ""


class GraphEdge(Value):
    """What hangs together with `origin`: a file, or a definition in it with `name`, `kind` and lines.

    It is written at `at_path`, line `at_line`; `how` says why a call means this definition: it is in the same file,
    imported, in the same package, or the only one of its name.
    """

    depth: int
    relation: str
    origin: str
    path: str
    name: str = ""
    kind: str = ""
    start_line: int = 0
    end_line: int = 0
    signature: str = ""
    at_path: str = ""
    at_line: int = 0
    how: str = ""


class GraphResult(Result):
    """What is around a file or definition, by depth, relation and place; `omitted` did not fit the limit."""

    target: str
    symbol: CodeSymbol | None
    relation: str
    edges: tuple[GraphEdge, ...]
    omitted: int = 0
