"""Parses the parameters of a recall. Filters in the query and in other parameters become one set."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import NamedTuple, Protocol

from muninn_core.config import Config
from muninn_core.errors import BadParams
from muninn_core.model.memory import KINDS, Memory
from muninn_core.model.value import replace
from muninn_core.protocol.families.search import RecallParams
from muninn_core.retrieval.candidates.filtering import Restrictions
from muninn_core.retrieval.query.filters import OF_PAGES, FilterSet, compile_filters, with_pages, wrong_value
from muninn_core.retrieval.query.query_language import Filter, Question, read_question
from muninn_core.source.documents.page import Page
from muninn_core.source.identifiers import split_words

_PARAMETERS = {
    "type": "type",
    "tag": "tag",
    "domain": "domain",
    "path": "path",
    "lang": "lang",
    "author": "author",
    "min_importance": "importance",
    "since": "since",
    "until": "until",
    "branch": "branch",
    "from_session": "session",
}
"""{parameter: the key of the same filter in a query}"""


class MemorySource(Protocol):
    """The memories that a question may name the types of."""

    def all(self) -> Mapping[str, Memory]:
        """Return all memories by id."""


class PageSource(Protocol):
    """The pages of knowledge that a question may name the types, tags and domains of."""

    def read(self) -> Mapping[str, Page]:
        """Return all pages by path."""


class ParsedRecall(NamedTuple):
    """A parsed recall. `params` have the query's `at` and `task`. `text` has the words to search, "" for none.

    Hits contain all `phrases` and none of `without`. `notes` go into the answer.
    """

    params: RecallParams
    text: str
    phrases: tuple[str, ...]
    without: tuple[str, ...]
    filters: FilterSet
    notes: tuple[str, ...]

    @property
    def is_restricted(self) -> bool:
        """Whether filters or phrases restrict what may be found."""
        return bool(self.filters.filters or self.phrases or self.without)

    @property
    def restrictions(self) -> Restrictions:
        """The filters and phrases, for the search."""
        return Restrictions(self.filters, self.phrases, self.without)

    def at_time(self, now: datetime) -> ParsedRecall:
        """Return the same request with time spans that count back from `now`."""
        return self._replace(filters=compile_filters(self.filters.filters, now))


def parse_request(
    config: Config, store: MemorySource, params: RecallParams, now: datetime, pages: PageSource | None = None
) -> ParsedRecall:
    """Parse the parameters of a recall. Without `pages`, pages of knowledge have no types, tags and domains.

    Raises BadParams with the column of an error in the query.
    """
    check = _checking(config, store, pages)
    question = Question(text=params.query) if params.plain else read_question(params.query, check)
    filters = [*question.filters, *_given(params, check)]
    params, filters = _at(params, filters)
    params, filters = _task(params, filters)
    if pages is not None and any(each.key in OF_PAGES for each in filters):
        known = pages.read()
        filters = [with_pages(each, known) for each in filters]
    parsed = ParsedRecall(
        params=params,
        text=question.text.strip(),
        phrases=(*(each.text for each in question.phrases if not each.negated), *params.phrase),
        without=tuple(each.text for each in question.phrases if each.negated),
        filters=compile_filters(filters, now),
        notes=question.notes,
    )
    _refuse_empty(parsed)
    return parsed._replace(text=" ".join(dict.fromkeys([parsed.text, *params.phrase])).strip())


def _refuse_empty(parsed: ParsedRecall) -> None:
    wordless = next((phrase for phrase in parsed.phrases if not split_words(phrase)), None)
    if wordless is not None:
        raise BadParams(f"the phrase '{wordless}' has no word to look for", hint="A phrase is made of words.")
    if split_words(parsed.text) or parsed.filters.filters or parsed.phrases or parsed.params.like or parsed.params.task:
        return
    if not parsed.params.query.strip():
        raise BadParams(
            "there is no question",
            hint="Give a `query` (words, or a filter such as type:decision), or `like` with FILE:LINE.",
        )
    if parsed.params.at and not parsed.text:
        raise BadParams(
            "there is no question beside the revision",
            hint="Add words or a filter: at:v1.0 kind:memory lists what was remembered then.",
        )
    raise BadParams(
        f"there is no word to look for in '{parsed.params.query.strip()[:80]}'",
        hint="Signs and emoji are not indexed: ask with words.",
    )


def _checking(config: Config, store: MemorySource, pages: PageSource | None) -> Callable[[str, str], str]:
    """Return a function that describes what is wrong with a filter's value, "" for a valid one."""
    kinds = {*KINDS, *config.memory.kinds}

    def check(key: str, value: str) -> str:
        wrong = wrong_value(key, value, kinds)
        if wrong and key in ("kind", "type"):  # a memory may have a kind that was configured once
            kinds.update(memory.type for memory in store.all().values())
            wrong = wrong_value(key, value, kinds)
        if wrong and key == "type" and pages is not None:
            kinds.update(page.type.casefold() for page in pages.read().values() if page.type)
            wrong = wrong_value(key, value, kinds)
        return wrong

    return check


def _given(params: RecallParams, check: Callable[[str, str], str]) -> Iterable[Filter]:
    """Yield the filters that parameters set. Raises BadParams that names the parameter."""
    for name, key in _PARAMETERS.items():
        given = getattr(params, name)
        if given in (None, (), 0):
            continue
        values = given if isinstance(given, tuple) else (f">={given}" if key == "importance" else str(given),)
        for value in values:
            wrong = check(key, value) if value.strip() else "it is empty"
            if wrong:
                raise BadParams(f"'{name}': {wrong}", data={"parameter": name})
        yield Filter(key=key, values=values, source=f"{key}:{','.join(values)}")


def _at(params: RecallParams, filters: list[Filter]) -> tuple[RecallParams, list[Filter]]:
    """Move the revision from the filters to the parameters. Raises BadParams for two revisions."""
    asked = [each for each in filters if each.key == "at"]
    revisions = {each.values[0] for each in asked} | ({params.at} if params.at is not None else set())
    if len(revisions) > 1:
        raise BadParams(
            f"two revisions are asked about: {', '.join(sorted(revisions))}", hint="Ask one question for each of them."
        )
    at = next(iter(revisions), None)
    return replace(params, at=at), [each for each in filters if each.key != "at"]


def _task(params: RecallParams, filters: list[Filter]) -> tuple[RecallParams, list[Filter]]:
    """Move the first task filter to the parameter `task`, which also admits the task's document."""
    first = next((each for each in filters if each.key == "task" and not each.negated and len(each.values) == 1), None)
    if first is None or params.task is not None:
        return params, filters
    return replace(params, task=first.values[0]), [each for each in filters if each is not first]
