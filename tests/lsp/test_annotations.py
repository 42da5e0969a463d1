"""What is asked of the engine about an open file, and what of it is shown while an answer had no time for all of it."""

from __future__ import annotations

from typing import Any, cast

from muninn_core.model.answer import ReadState
from muninn_core.model.note import Lens
from muninn_core.protocol.editor import AnnotateResult
from muninn_server.lsp.annotations import Annotations
from muninn_server.lsp.editor import Editor


def answer(line: int, pending: int = 0) -> AnnotateResult:
    lens = Lens(start=line, end=line, symbol="", title="1 decision", ids=("m",), paths=())
    return AnnotateResult(path="a.py", notes=(), lenses=(lens,), doubts=(), pending=pending, saw=ReadState())


class Desk:
    """An editor with one file, whose text changes with every question, and the answers that its engine gives."""

    def __init__(self, *answers: AnnotateResult) -> None:
        self.epoch = 0
        self.looks = 0
        self._answers = list(answers)

    def source_path(self, _uri: str) -> str:
        return "a.py"

    def version_of(self, _uri: str) -> int:
        return -len(self._answers)

    def look_again(self) -> None:
        self.looks += 1

    async def ask(self, _verb: str, _params: Any, finish: Any) -> Any:
        return finish(self._answers.pop(0))


async def test_an_answer_that_lacks_something_moves_no_lens_and_is_asked_for_once_more() -> None:
    desk = Desk(answer(3), answer(1, pending=2), answer(5))
    annotations = Annotations(cast(Editor, desk))
    lines = [
        (found.lenses[0].start, desk.looks) for _ in range(3) if (found := await annotations.shown("file:///a.py"))
    ]
    assert lines == [(3, 0), (3, 1), (5, 1)]


async def test_what_is_known_so_far_is_shown_where_nothing_whole_was_ever_known() -> None:
    annotations = Annotations(cast(Editor, Desk(answer(1, pending=2))))
    found = await annotations.shown("file:///a.py")
    assert found is not None
    assert found.lenses[0].start == 1
