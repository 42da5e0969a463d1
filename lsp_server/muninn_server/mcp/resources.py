"""What a client can read by address: memories, knowledge, a context, the status. Knows no MCP library.

    muninn://memory/{id}          one memory whole, with its citations as they stand
    muninn://knowledge/{path}     a file of .muninn/knowledge; packs/NAME/PATH is one of a pack
    muninn://context/{query}      the pack for a task or question
    muninn://contexts/{name}      the pack of a context file, by its path in .muninn/context without its ending
    muninn://status               how the daemon, the index and the log are

Reading one is calling a verb. The list is of what exists: the status, context files and knowledge by path, memories
from the newest on, in pages. A memory that is stored while somebody turns pages moves one entry to the next page, where
it is seen twice.
"""

from __future__ import annotations

import functools
from typing import NamedTuple
from urllib.parse import quote, unquote

from muninn_core.context.hover import facts, headline
from muninn_core.context.text import render
from muninn_core.errors import BadParams, NotFoundError, NotInitialised
from muninn_core.model.value import Value
from muninn_core.protocol.editor import DocumentResult
from muninn_core.protocol.inspection import MemoriesResult
from muninn_core.protocol.reference import NamesResult
from muninn_core.source.muninn_file import CONTEXT_FOLDER
from muninn_server.session import Session

SCHEME = "muninn://"

PAGE = 100
"""Resources of a page of the list."""

MOST_NAMES = 1000
"""Files of knowledge that are listed, and the most that `names` gives."""

MOST_COMPLETIONS = 100
"""MCP's limit for the values of one completion."""

STATUS = f"{SCHEME}status"
MARKDOWN = "text/markdown"


class Resource(NamedTuple):
    """One thing that can be read, or with a {variable} in its address one kind of them."""

    uri: str
    name: str
    title: str
    description: str
    kind: str = MARKDOWN


TEMPLATES = (
    Resource(f"{SCHEME}memory/{{id}}", "memory", "A memory", "One memory whole: text, places, links and state."),
    Resource(f"{SCHEME}knowledge/{{path}}", "knowledge", "Knowledge", "A file of the repository's knowledge."),
    Resource(f"{SCHEME}context/{{query}}", "context", "Context", "The pack of what matters for a task or question."),
    Resource(f"{SCHEME}contexts/{{name}}", "contexts", "Context file", "A context file with what its references mean."),
)

_STATUS = Resource(
    STATUS, "status", "Status", "How the index and the memory are, and what needs a person.", "text/plain"
)


def memory_uri(identity: str) -> str:
    """Return the address of a memory."""
    return f"{SCHEME}memory/{identity}"


def knowledge_uri(path: str) -> str:
    """Return the address of a file of knowledge, by its path relative to the root."""
    return f"{SCHEME}knowledge/{quote(path.removeprefix('.muninn/').removeprefix('knowledge/'))}"


def written_uri(path: str) -> str:
    """Return the address of a context file or a file of knowledge, by its path relative to the root."""
    if path.startswith(f"{CONTEXT_FOLDER}/"):
        return f"{SCHEME}contexts/{quote(path.removeprefix(f'{CONTEXT_FOLDER}/').removesuffix('.md'))}"
    return knowledge_uri(path)


async def listed(session: Session, cursor: str | None) -> tuple[list[Resource], str | None]:
    """Return a page of all resources and the cursor of the next one. Raises BadParams for no cursor of ours.

    Clients ask for the list as soon as they are connected: where nobody has begun a memory it is the status alone.
    """
    if cursor is not None and not cursor.isdecimal():
        raise BadParams(f"'{cursor}' is no cursor of this list", hint="Begin again without one.")
    try:
        return await _page(session, int(cursor or 0))
    except NotInitialised:
        return [_STATUS], None


async def _page(session: Session, start: int) -> tuple[list[Resource], str | None]:
    first = [_STATUS, *await _written(session, "context"), *await _written(session, "knowledge")]
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
        total = 1  # whether there is a memory shows on the next page
    following = start + len(page)
    return page, str(following) if page and following < len(first) + total else None


async def read(session: Session, uri: str) -> tuple[str, str]:
    """Return the text at an address and its type. Raises NotFoundError for what is not there, else what verbs raise."""
    kind, _, rest = uri.removeprefix(SCHEME).partition("/")
    what = unquote(rest)
    if uri == STATUS:
        return await session.call("status", {}, functools.partial(render, "status")), _STATUS.kind
    if uri.startswith(SCHEME) and what:
        if kind == "memory":
            return await session.call("memories", {"id": what}, functools.partial(render, "memories")), MARKDOWN
        if kind == "knowledge":
            address = f"muninn:/knowledge/{quote(what)}"
            return await session.call("document", {"uri": address}, _as_text), MARKDOWN
        if kind == "context":
            return await session.call("context", {"query": what}, functools.partial(render, "context")), MARKDOWN
        if kind == "contexts" and ".." not in what.split("/"):
            path = f"{CONTEXT_FOLDER}/{what.removesuffix('.md')}.md"
            return await session.call("render", {"path": path}, functools.partial(render, "render")), MARKDOWN
    raise NotFoundError(
        f"there is no resource '{uri}'", hint=f"They are {', '.join(each.uri for each in (*TEMPLATES, _STATUS))}."
    )


async def completed(session: Session, variable: str, value: str) -> tuple[list[str], bool]:
    """Return what a variable of an address or prompt can be that holds a value, and whether there is more."""
    kind = {"id": "memory", "path": "knowledge", "name": "context"}.get(variable)
    if kind is None:
        return [], False
    found = await session.call("names", {"text": value, "kinds": [kind], "limit": MOST_COMPLETIONS}, _as_names)
    if kind == "memory":
        return [each.insert for each in found.names], found.more
    addresses = [unquote(written_uri(each.path)) for each in found.names]
    return [each.removeprefix(SCHEME).partition("/")[2] for each in addresses], found.more


async def _written(session: Session, kind: str) -> list[Resource]:
    found = await session.call("names", {"kinds": [kind], "limit": MOST_NAMES}, _as_names)
    pages = sorted((each.path, each.name, each.detail) for each in found.names)
    return [Resource(written_uri(path), name, name, detail) for path, name, detail in pages]


def _as_memories(result: Value) -> MemoriesResult:
    assert isinstance(result, MemoriesResult)
    return result


def _as_names(result: Value) -> NamesResult:
    assert isinstance(result, NamesResult)
    return result


def _as_text(result: Value) -> str:
    assert isinstance(result, DocumentResult)
    return result.text
