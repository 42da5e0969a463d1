"""Annotations of an open file, also when a time limit made them incomplete."""

from __future__ import annotations

from typing import Any, cast

from muninn_core.model.answer import ReadState
from muninn_core.model.note import Lens
from muninn_core.protocol.families.editor import AnnotateResult
from muninn_server.lsp.annotations import TRIES, Annotations
from muninn_server.lsp.client import EditorClient


def answer(line: int, pending: int = 0) -> AnnotateResult:
    lens = Lens(start=line, end=line, symbol="", title="1 decision", ids=("m",), paths=())
    return AnnotateResult(path="a.py", notes=(), lenses=(lens,), doubts=(), pending=pending, saw=ReadState())


class Client:
    """An editor with one file, whose version changes with every request, and the answers of its engine."""

    def __init__(self, *answers: AnnotateResult) -> None:
        self.epoch = 0
        self._answers = list(answers)

    def source_path(self, _uri: str) -> str:
        return "a.py"

    def version_of(self, _uri: str) -> int:
        return -len(self._answers)

    async def ask(self, _verb: str, _params: Any, finish: Any) -> Any:
        return finish(self._answers.pop(0))


async def test_an_incomplete_answer_moves_no_lens_and_is_requested_again() -> None:
    client, pending = Client(answer(3), answer(1, pending=2), answer(5)), list[str]()
    annotations = Annotations(cast(EditorClient, client), lambda: pending.append("again"))
    lines = [
        (found.lenses[0].start, len(pending)) for _ in range(3) if (found := await annotations.shown("file:///a.py"))
    ]
    assert lines == [(3, 0), (3, 1), (5, 1)]


async def test_actions_get_a_complete_answer_unless_too_many_are_incomplete() -> None:
    annotations = Annotations(
        cast(EditorClient, Client(answer(1, pending=2), answer(1, pending=1), answer(3))), lambda: None
    )
    found = await annotations.complete("file:///a.py")
    assert found is not None
    assert (found.lenses[0].start, found.pending) == (3, 0)
    annotations = Annotations(cast(EditorClient, Client(*[answer(1, pending=2)] * TRIES, answer(3))), lambda: None)
    found = await annotations.complete("file:///a.py")
    assert found is not None
    assert found.pending == 2


async def test_an_incomplete_answer_is_shown_while_there_is_no_complete_one() -> None:
    annotations = Annotations(cast(EditorClient, Client(answer(1, pending=2))), lambda: None)
    found = await annotations.shown("file:///a.py")
    assert found is not None
    assert found.lenses[0].start == 1
