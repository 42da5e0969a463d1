"""MCP resources as plain data: memories, knowledge, contexts and the status. Imports no MCP library.

    muninn://memory/{id}          one memory with its text, links and citations
    muninn://knowledge/{path}     a file of .muninn/knowledge; packs/NAME/PATH is a file of a pack
    muninn://context/{query}      the pack for a task or question
    muninn://contexts/{name}      the pack of a context file, by its path in .muninn/context without the extension
    muninn://status               the state of the daemon, the index and the log
    muninn://events               the newest events of the journal, and the position of the last one
    muninn://events/{after}       the events after a position

Reading a resource calls a verb. The list has pages: the status, context files and knowledge by path, memories from the
newest on. A memory that is stored between two pages moves one entry to the next page, which then repeats it.
"""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import quote, unquote

from muninn_core.context.memory_summary import facts, headline
from muninn_core.context.results.text import render
from muninn_core.errors import BadParams, NotFoundError, NotInitialised
from muninn_core.model.value import Value, encode_json
from muninn_core.near_match import shorten
from muninn_core.protocol.families.editor import DocumentResult
from muninn_core.protocol.families.events import EventQueryResult
from muninn_core.protocol.families.inspection import MemoriesResult
from muninn_core.protocol.families.reference import NamesResult
from muninn_core.source.documents.muninn_file import CONTEXT_FOLDER
from muninn_server.session import Session

SCHEME = "muninn://"

PAGE = 100
"""Resources per page."""

MAX_NAMES = 1000
"""The maximum number of listed knowledge files, which is also the limit of `names`."""

MAX_COMPLETIONS = 100
"""MCP's limit for the values of one completion."""

STATUS = f"{SCHEME}status"
EVENTS = f"{SCHEME}events"

NEWEST_EVENTS = 50
"""Events of `muninn://events`."""

JSON = "application/json"
MARKDOWN = "text/markdown"


class Resource(NamedTuple):
    """A resource, or with a {variable} in its URI a resource template."""

    uri: str
    name: str
    title: str
    description: str
    kind: str = MARKDOWN


TEMPLATES = (
    Resource(f"{SCHEME}memory/{{id}}", "memory", "A memory", "One memory whole: text, places, links and state."),
    Resource(f"{SCHEME}knowledge/{{path}}", "knowledge", "Knowledge", "A file of the repository's knowledge."),
    Resource(f"{SCHEME}context/{{query}}", "context", "Context", "The pack of what matters for a task or question."),
    Resource(f"{EVENTS}/{{after}}", "events", "Events after", "The events of the journal after a position.", JSON),
    Resource(f"{SCHEME}contexts/{{name}}", "contexts", "Context file", "A context file with what its references mean."),
)

_STATUS = Resource(
    STATUS, "status", "Status", "How the index and the memory are, and what needs a person.", "text/plain"
)

_EVENTS = Resource(
    EVENTS, "events", "Events", "The newest events of the journal; subscribe to it to hear of new ones.", JSON
)


def memory_uri(identity: str) -> str:
    """Return the URI of a memory."""
    return f"{SCHEME}memory/{identity}"


def knowledge_uri(path: str) -> str:
    """Return the URI of a knowledge file, given by its path relative to the root."""
    return f"{SCHEME}knowledge/{quote(path.removeprefix('.muninn/').removeprefix('knowledge/'))}"


def file_uri(path: str) -> str:
    """Return the URI of a context or knowledge file, given by its path relative to the root."""
    if path.startswith(f"{CONTEXT_FOLDER}/"):
        return f"{SCHEME}contexts/{quote(path.removeprefix(f'{CONTEXT_FOLDER}/').removesuffix('.md'))}"
    return knowledge_uri(path)


async def listed(session: Session, cursor: str | None) -> tuple[list[Resource], str | None]:
    """Return a page of all resources and the cursor of the next page. Raises BadParams for an invalid cursor.

    Clients request the list as soon as they connect. Without a `.muninn` it has the status alone.
    """
    if cursor is not None and not (cursor.isdecimal() and len(cursor) < 16):
        what = f"'{shorten(cursor)}' is not a cursor of this list"
        raise BadParams(what, hint="Request the first page without a cursor.")
    try:
        return await _page(session, int(cursor or 0))
    except NotInitialised:
        return [_STATUS], None


async def _page(session: Session, start: int) -> tuple[list[Resource], str | None]:
    first = [_STATUS, _EVENTS, *await _files(session, "context"), *await _files(session, "knowledge")]
    page = first[start : start + PAGE]
    room, offset = PAGE - len(page), max(0, start - len(first))
    total = 0
    if room:
        found = await session.call("memories", {"limit": room, "offset": offset}, _as_memories)
        total = found.total
        page += [
            Resource(memory_uri(each.id), each.id, headline(each), ", ".join(facts(each))) for each in found.memories
        ]
    else:
        total = 1  # the next page shows whether there are memories
    following = start + len(page)
    return page, str(following) if page and following < len(first) + total else None


async def read(session: Session, uri: str) -> tuple[str, str]:
    """Return the text and media type of a resource. Raises NotFoundError, and the errors of verbs."""
    kind, _, rest = uri.removeprefix(SCHEME).partition("/")
    what = unquote(rest)
    if uri == STATUS:
        return await session.call("status", {}, render), _STATUS.kind
    if uri == EVENTS:
        return await session.call("event.query", {"limit": NEWEST_EVENTS}, _newest), JSON
    if uri.startswith(SCHEME) and what:
        if kind == "events" and what.isdecimal() and len(what) < 16:
            return await session.call("event.wait", {"after": int(what), "wait": 0}, _as_json), JSON
        if kind == "memory":
            return await session.call("memories", {"id": what}, render), MARKDOWN
        if kind == "knowledge":
            address = f"muninn:/knowledge/{quote(what)}"
            return await session.call("document", {"uri": address}, _as_text), MARKDOWN
        if kind == "context":
            return await session.call("context", {"query": what}, render), MARKDOWN
        if kind == "contexts" and ".." not in what.split("/"):
            path = f"{CONTEXT_FOLDER}/{what.removesuffix('.md')}.md"
            return await session.call("render", {"path": path}, render), MARKDOWN
    raise NotFoundError(
        f"there is no resource '{uri}'",
        hint=f"They are {', '.join(each.uri for each in (*TEMPLATES, _STATUS, _EVENTS))}.",
    )


def variables_of(template: str) -> set[str]:
    """Return the names of the variables of a resource template. Raises BadParams for an unknown one."""
    if template not in {each.uri for each in TEMPLATES}:
        raise BadParams(
            f"there is no resource template '{shorten(template)}'",
            hint=f"They are {', '.join(each.uri for each in TEMPLATES)}.",
        )
    return set(re.findall(r"\{(\w+)\}", template))


async def completed(session: Session, variable: str, value: str) -> tuple[list[str], bool]:
    """Return the completions of a variable of a URI or prompt, and whether there are more."""
    kind = {"id": "memory", "path": "knowledge", "name": "context"}.get(variable)
    if kind is None:
        return [], False
    found = await session.call("names", {"text": value, "kinds": [kind], "limit": MAX_COMPLETIONS}, _as_names)
    if kind == "memory":
        return [each.insert for each in found.names], found.more
    addresses = [unquote(file_uri(each.path)) for each in found.names]
    return [each.removeprefix(SCHEME).partition("/")[2] for each in addresses], found.more


async def _files(session: Session, kind: str) -> list[Resource]:
    found = await session.call("names", {"kinds": [kind], "limit": MAX_NAMES}, _as_names)
    pages = sorted((each.path, each.name, each.detail) for each in found.names)
    return [Resource(file_uri(path), name, name, detail) for path, name, detail in pages]


def _as_memories(result: Value) -> MemoriesResult:
    assert isinstance(result, MemoriesResult)
    return result


def _as_names(result: Value) -> NamesResult:
    assert isinstance(result, NamesResult)
    return result


def _newest(result: Value) -> str:
    """Return the events of an answer in the form of `event.wait`, oldest first."""
    assert isinstance(result, EventQueryResult)
    events = [hit.event for hit in reversed(result.hits)]
    return encode_json({"events": events, "last": events[-1].position if events else 0}).decode()


def _as_json(result: Value) -> str:
    return encode_json(result).decode()


def _as_text(result: Value) -> str:
    assert isinstance(result, DocumentResult)
    return result.text
