"""The tools of an exploration: verbs for reading, with what a model may not see left out.

Private memories, notes of sessions, global memory and files outside the work tree are never shown to a model.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from muninn_core.context.results.text import render
from muninn_core.engine.memory.models.enrichment import may_be_sent
from muninn_core.errors import Cancelled, MuninnError
from muninn_core.model.answer import Hit
from muninn_core.model.counting import number_of
from muninn_core.model.memory import Memory
from muninn_core.model.value import Value, replace
from muninn_core.models.exploration import VERB_TOOLS, FoundPlace
from muninn_core.models.prompt import ToolCall
from muninn_core.protocol.catalogue import decode_params, lookup
from muninn_core.protocol.families.code import GraphResult, SymbolsResult
from muninn_core.protocol.families.files import ReadResult
from muninn_core.protocol.families.search import RecallResult
from muninn_core.source.files.path_containment import can_name_file

MAX_CHARS = 8_000
"""Characters of a result that a model gets."""

MAX_LINES = 400
"""Lines of one place in the answer."""

_DOCUMENTS = (".metis", "adr", "adrs", "decisions")
"""Folders of Metis documents and decision records."""

_FIXED: Mapping[str, dict[str, Any]] = {
    "recall": {"limit": 12, "plain": True},
    "grep": {"limit": 40},
    "symbols": {"limit": 15},
    "graph": {"limit": 30},
    "metis": {"limit": 6, "plain": True, "kind": "knowledge", "path": list(_DOCUMENTS)},
}
"""Parameters of verbs that a model does not choose."""

Run = Callable[[str, Value], Value]
"""Runs a verb with decoded parameters. Raises MuninnError."""


class Tools:
    """Runs tools. `memories` returns the current memories."""

    def __init__(self, run: Run, memories: Callable[[], Mapping[str, Memory]]) -> None:
        self._run = run
        self._memories = memories
        self._allowed = {tool.name: frozenset(tool.parameters["properties"]) for tool in VERB_TOOLS}

    def use(self, call: ToolCall) -> tuple[str, str, FoundPlace | None]:
        """Return the result as text, the problem if there is none, and the lines that were read. Raises Cancelled."""
        allowed = self._allowed.get(call.name)
        if allowed is None:
            return self._failed(f"there is no tool '{call.name[:40]}'; there are {', '.join(self._allowed)}")
        unknown = sorted(set(call.arguments) - allowed)
        if unknown:
            return self._failed(f"'{call.name}' has no parameter '{unknown[0][:40]}'; it takes {', '.join(allowed)}")
        verb = "recall" if call.name == "metis" else call.name
        try:
            result = self._run(verb, decode_params(lookup(verb), {**call.arguments, **_FIXED.get(call.name, {})}))
        except Cancelled:
            raise
        except MuninnError as error:
            return self._failed(error.line)
        return _cut(render(self._visible(result))), "", _lines_of(result)

    def checked(self, place: FoundPlace) -> tuple[FoundPlace | None, str]:
        """Return a place with its lines within the file, or why it is not there."""
        found = self.lines(place)
        if isinstance(found, str):
            return None, found
        return replace(place, path=found.path, start=found.start, end=found.end), ""

    def lines(self, place: FoundPlace) -> ReadResult | str:
        """Return the lines of a place as they are now, or why they can't be read."""
        given = {"path": place.path, "start": place.start, "end": max(0, place.end), "limit": MAX_LINES}
        try:
            found = self._run("read", decode_params(lookup("read"), given))
        except Cancelled:
            raise
        except MuninnError as error:
            return error.message
        assert isinstance(found, ReadResult)
        return found if any(line.strip() for line in found.lines) else f"{place.path}:{place.start} is empty"

    def may_show(self, memory_id: str) -> bool:
        """Whether a memory may be shown to a model."""
        memory = self._memories().get(memory_id)
        return memory is not None and may_be_sent(memory)

    @staticmethod
    def _failed(problem: str) -> tuple[str, str, None]:
        return problem, problem, None

    def _visible(self, result: Value) -> Value:
        if isinstance(result, RecallResult):
            hits = tuple(filter(self._may_see, result.hits))
            return replace(result, hits=hits, remembered=tuple(filter(self._may_see, result.remembered)), next="")
        if isinstance(result, SymbolsResult):
            return replace(result, symbols=tuple(each for each in result.symbols if can_name_file(each.path)))
        if isinstance(result, GraphResult):
            return replace(result, edges=tuple(each for each in result.edges if can_name_file(each.path)))
        return result

    def _may_see(self, hit: Hit) -> bool:
        return self.may_show(hit.id) if hit.kind == "memory" else can_name_file(hit.path)


def _lines_of(result: Value) -> FoundPlace | None:
    if not isinstance(result, ReadResult) or not result.lines:
        return None
    return FoundPlace(path=result.path, start=result.start, end=result.end, reason="read while exploring")


def _cut(text: str) -> str:
    if len(text) <= MAX_CHARS:
        return text
    kept = text[:MAX_CHARS].rpartition("\n")[0] or text[:MAX_CHARS]
    return f"{kept}\n({number_of(len(text) - len(kept), 'more character')}; narrow the question.)"
