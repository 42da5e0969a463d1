"""Explains a result: which filters match nothing, which values may be misspelt, which task the question names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

from muninn_core.engine.answer.recall_request import ParsedRecall
from muninn_core.engine.answer.search_context import SearchContext
from muninn_core.launch.repository_location import nested_advice, nested_root
from muninn_core.model.counting import number_of
from muninn_core.model.memory import Memory
from muninn_core.near_match import NAMES, nearest
from muninn_core.retrieval.candidates.filtering import Filtering
from muninn_core.retrieval.decay import is_recallable
from muninn_core.retrieval.query.filters import OF_FILES, OF_PAGES, compile_filters
from muninn_core.retrieval.query.query_language import Filter
from muninn_core.source.documents.page import Page
from muninn_core.source.documents.shortcode import same_code

_TASK = re.compile(r"(?<![\w-])[A-Za-z][A-Za-z0-9]*-(?:[A-Za-z]-)?\d+(?![\w-])")
"""What may be the id of a task in a question: MUNI-T-0042, T-0042, JIRA-7."""

_MAX_NAMES = 20_000
"""The most names that a misspelt value is compared with."""


def explain_no_match(
    parsed: ParsedRecall, searched: SearchContext, narrowing: Filtering, root: Path, pages: Mapping[str, Page]
) -> list[str]:
    """Return sentences about each filter that matches nothing, else about their combination, the phrases, or
    the words. `pages` are the pages of knowledge by path.
    """
    recallable = [memory for memory in searched.memories.values() if is_recallable(memory, searched.now)]
    each_note = (_unmatched(each, searched, recallable, root, pages) for each in parsed.filters.filters)
    unmatched = [note for note in each_note if note]
    if unmatched:
        return unmatched
    if parsed.filters.filters and not narrowing.files and not narrowing.memories:
        return [f"nothing passes all of {' '.join(each.source for each in parsed.filters.filters)}"]
    if parsed.phrases:
        phrases = " and ".join(f'"{phrase}"' for phrase in parsed.phrases)
        passing = " of what passes the filters" if parsed.filters.filters else ""
        return [f"no text{passing} holds {phrases}; without the quotation marks its words are searched"]
    if parsed.params.by_file and not narrowing.files:
        return ["no file passes the filters, and with `files` memories are left out"]
    files, memories = number_of(narrowing.files or 0, "file"), number_of(narrowing.memories or 0, "memory", "memories")
    return [f"the filters let pass {files} and {memories}; none of them fits"]


def no_task(task: str, searched: SearchContext) -> str:
    """Return the sentence about a task without document and memory, with the nearest task."""
    near = near_task(task, searched)
    return f"no memory or document matches task:{task}" + (f"; did you mean task:{near}?" if near else "")


def named_tasks(text: str, searched: SearchContext) -> list[str]:
    """Return a sentence for each task that a question names and that has memories: how to see these alone."""
    named = dict.fromkeys(_TASK.findall(text))
    if not named:
        return []
    counts = Counter(
        memory.task for memory in searched.memories.values() if memory.task and is_recallable(memory, searched.now)
    )
    notes = []
    for task, count in sorted(counts.items()):
        if any(same_code(each, task) for each in named):
            counted, them = number_of(count, "memory", "memories"), "it" if count == 1 else "them"
            notes.append(f"{counted} of the task {task}; task:{task} finds {them}")
    return notes


def unknown_task(task: str, searched: SearchContext) -> bool:
    """Whether a task has neither a document nor a recallable memory."""
    known = {
        memory.task for memory in searched.memories.values() if memory.task and is_recallable(memory, searched.now)
    }
    return searched.documents.with_code(task) is None and not any(same_code(each, task) for each in known)


def near_task(task: str, searched: SearchContext) -> str | None:
    """Return the nearest task that has a document or a memory; None without a near match."""
    known = {memory.task for memory in searched.memories.values() if memory.task}
    known.update(document.short_code for document in searched.documents if document.short_code)
    return nearest(task, sorted(known)[:_MAX_NAMES], NAMES)


def _unmatched(
    condition: Filter, searched: SearchContext, recallable: list[Memory], root: Path, pages: Mapping[str, Page]
) -> str:
    """Return the sentence about a filter that matches nothing by itself, "" for one that matches."""
    sieve = compile_filters([condition], searched.now)
    if any(sieve.file(*file) for file in searched.reader.paths()) or any(map(sieve.memory, recallable)):
        return ""
    what = "no indexed file or memory matches" if condition.key in OF_FILES else "no memory matches"
    if condition.key in OF_PAGES:
        what = "no memory or page of knowledge matches"
    if condition.key == "path" and (nested := _nested(condition, root)):
        return f"{what} {condition.source}; {nested} is a repository of its own: {nested_advice(nested).rstrip('.')}"
    near = _near(condition, searched, recallable, pages)
    return f"{what} {condition.source}" + (f"; did you mean {near}?" if near else "")


def _nested(condition: Filter, root: Path) -> str:
    """Return the repository inside this one that a path filter asks for, "" for none."""
    folders = (nested_root(str(root), re.split(r"[*?\[]", value)[0]) for value in condition.values)
    return next(filter(None, folders), "")


def _near(condition: Filter, searched: SearchContext, recallable: list[Memory], pages: Mapping[str, Page]) -> str:
    """Return the filter with its misspelt value corrected, "" without a near match."""
    known = {*_names(condition.key, searched, recallable), *_page_names(condition.key, pages)}
    names = sorted(known)[:_MAX_NAMES]
    value = condition.values[0]
    if condition.key == "path":
        value = next((part for part in value.split("/") if part.strip("*?") and part not in names), value)
    found = nearest(value, names, NAMES)
    if found is None:
        return ""
    fixed = condition.values[0].replace(value, found, 1)
    return f"{'-' if condition.negated else ''}{condition.key}:{fixed}"


def _page_names(key: str, pages: Mapping[str, Page]) -> Iterator[str]:
    """Yield the values of a filter's key that pages of knowledge have."""
    for page in pages.values():
        yield from {"tag": page.tags, "type": (page.type,), "domain": (page.domain,)}.get(key, ())


def _names(key: str, searched: SearchContext, recallable: list[Memory]) -> Iterator[str]:
    """Yield the existing values of a filter's key."""
    if key == "path":
        for path, _, _ in searched.reader.paths():
            yield from path.split("/")
    elif key == "lang":
        yield from (language for _, _, language in searched.reader.paths())
    for memory in recallable:
        if key == "tag":
            yield from memory.tags
        elif key == "session":
            yield from memory.sessions
        elif key == "author":
            yield from filter(None, (memory.actor, memory.author, memory.agent))
        elif key in ("type", "task", "branch"):
            yield from filter(None, (getattr(memory, key),))
