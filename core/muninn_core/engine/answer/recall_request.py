"""From the parameters of a recall to what is looked for: the query's own filters and the parameters', as one.

It knows the catalogue's parameters and the language of questions, not how anything is found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import NamedTuple

from muninn_core.errors import BadParams
from muninn_core.model.memory import KINDS
from muninn_core.model.value import replace
from muninn_core.protocol.search import RecallParams
from muninn_core.retrieval.filters import FilterSet, compile_filters, wrong_value
from muninn_core.retrieval.query_language import Filter, Question, read_question
from muninn_core.source.identifiers import words
from muninn_core.worktree.workspace import Workspace

_PARAMETERS = {
    "type": "type",
    "tag": "tag",
    "path": "path",
    "lang": "lang",
    "author": "author",
    "min_importance": "importance",
    "since": "since",
    "until": "until",
    "branch": "branch",
    "from_session": "session",
}
"""The parameters that are filters, and the key that each has in a query."""


class RecallRequest(NamedTuple):
    """A recall, understood. `params` have the query's `at` and `task`; `text` are the words to search, maybe none."""

    params: RecallParams
    text: str
    phrases: tuple[str, ...]
    without: tuple[str, ...]
    sieve: FilterSet
    notes: tuple[str, ...]

    @property
    def narrow(self) -> bool:
        """Whether anything restricts what may be found."""
        return bool(self.sieve.filters or self.phrases or self.without)

    def about(self, now: datetime) -> RecallRequest:
        """Return the same for another time of asking: spans count back from that of the commit."""
        return self._replace(sieve=compile_filters(self.sieve.filters, now))


def parse_request(workspace: Workspace, params: RecallParams, now: datetime) -> RecallRequest:
    """Take the parameters of a recall apart. Raises BadParams, with a column for what is wrong in the query."""
    check = _checking(workspace)
    question = Question(text=params.query) if params.plain else read_question(params.query, check)
    filters = [*question.filters, *_given(params, check)]
    params, filters = _at(params, filters)
    params, filters = _task(params, filters)
    asking = RecallRequest(
        params=params,
        text=question.text.strip(),
        phrases=(*(each.text for each in question.phrases if not each.negated), *params.phrase),
        without=tuple(each.text for each in question.phrases if each.negated),
        sieve=compile_filters(filters, now),
        notes=question.notes,
    )
    _refuse_empty(asking)
    return asking._replace(text=" ".join(dict.fromkeys([asking.text, *params.phrase])).strip())


def _refuse_empty(asking: RecallRequest) -> None:
    wordless = next((phrase for phrase in asking.phrases if not words(phrase)), None)
    if wordless is not None:
        raise BadParams(f"the phrase '{wordless}' has no word to look for", hint="A phrase is made of words.")
    if words(asking.text) or asking.sieve.filters or asking.phrases or asking.params.like or asking.params.task:
        return
    if not asking.params.query.strip():
        raise BadParams(
            "there is no question",
            hint="Give a `query` (words, or a filter such as type:decision), or `like` with FILE:LINE.",
        )
    if asking.params.at and not asking.text:
        raise BadParams(
            "there is no question beside the revision",
            hint="Add words or a filter: at:v1.0 kind:memory lists what was remembered then.",
        )
    raise BadParams(
        f"there is no word to look for in '{asking.params.query.strip()[:80]}'",
        hint="Signs and emoji are not indexed: ask with words.",
    )


def _checking(workspace: Workspace) -> Callable[[str, str], str]:
    """Return what says what is wrong with a filter's value."""
    kinds: set[str] = set()

    def check(key: str, value: str) -> str:
        if not kinds and key in ("kind", "type"):
            kinds.update(KINDS, workspace.config.memory.kinds)
            kinds.update(memory.type for memory in workspace.memory.all().values())
        return wrong_value(key, value, kinds)

    return check


def _given(params: RecallParams, check: Callable[[str, str], str]) -> Iterable[Filter]:
    """Yield the filters among the parameters. Raises BadParams, which names the parameter."""
    for name, key in _PARAMETERS.items():
        given = getattr(params, name)
        if given in (None, (), 0):
            continue
        values = given if isinstance(given, tuple) else (f">={given}" if key == "importance" else str(given),)
        for value in values:
            wrong = check(key, value) if value.strip() else "it is empty"
            if wrong:
                raise BadParams(f"'{name}': {wrong}", data={"parameter": name})
        yield Filter(key=key, values=values, said=f"{key}:{','.join(values)}")


def _at(params: RecallParams, filters: list[Filter]) -> tuple[RecallParams, list[Filter]]:
    """Take the revision out of the filters. Raises BadParams for two of them."""
    asked = [each for each in filters if each.key == "at"]
    revisions = {each.values[0] for each in asked} | ({params.at} if params.at is not None else set())
    if len(revisions) > 1:
        raise BadParams(
            f"two revisions are asked about: {', '.join(sorted(revisions))}", hint="Ask one question for each of them."
        )
    at = next(iter(revisions), None)
    return replace(params, at=at), [each for each in filters if each.key != "at"]


def _task(params: RecallParams, filters: list[Filter]) -> tuple[RecallParams, list[Filter]]:
    """Make the first task that is asked for the parameter: it brings the task's document as well."""
    first = next((each for each in filters if each.key == "task" and not each.negated and len(each.values) == 1), None)
    if first is None or params.task is not None:
        return params, filters
    return replace(params, task=first.values[0]), [each for each in filters if each is not first]
