"""The tool sets as plain data: the verbs in each, their tool names, and the parameters that are shown.

`core` has the tools that most agents need. `all` adds every verb with a `use` in the catalogue. `mnemosyne` has the
eight tools of that project's MCP server (its ARCHITECTURE.md, "8 OODA-Aligned Tools"). `journal_sets` has the sets of
the journal. A tool also accepts parameters that it does not show, except those that only the daemon may set.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from muninn_core.protocol.catalogue import METHODS
from muninn_core.protocol.method import Method
from muninn_server.mcp.journal_sets import EVENTS, HUB, HUB_UNDERSCORE, KINDLING
from muninn_server.mcp.team_set import TEAM
from muninn_server.mcp.tool_entry import ToolEntry


def _core() -> Iterator[ToolEntry]:
    return (_entry(method) for method in METHODS.values() if method.tool)


def _all() -> Iterator[ToolEntry]:
    yield from _core()
    yield from (_entry(method) for method in METHODS.values() if method.use and not method.tool)


def _entry(method: Method) -> ToolEntry:
    return ToolEntry(method.verb.replace(".", "_"), method.verb, method.shown, always_loaded=method.always_loaded)


_CONTENT: Mapping[str, str] = MappingProxyType({"content": "text"})

_MNEMOSYNE = (
    ToolEntry(
        "recall",
        "recall",
        ("query", "limit", "type", "tag", "min_importance", "scope", "depth", "page"),
        "Recall",
        "Search memories by words, and by the links from what they find. Half of a hit's score is its words, a fifth "
        "its links, a fifth its importance, a tenth its age; this session's notes come first, then the project's "
        "memory, then the global one. Call before you decide something that may have been decided.",
        MappingProxyType({"profile": "mnemosyne"}),
        always_loaded=True,
    ),
    ToolEntry(
        "list",
        "memories",
        ("order", "since", "min_importance", "type", "tag", "scope", "limit", "offset"),
        "List",
        "List memories, the newest or the most important first. Call to see what was stored lately, or what matters "
        "most, without a question.",
    ),
    ToolEntry(
        "graph",
        "links",
        ("id", "depth", "relation", "limit"),
        "Graph",
        "Show the memories around one: what it is linked to, and that in turn. Call when a memory that you found "
        "refers to others, or to see what was built on it.",
    ),
    ToolEntry(
        "context",
        "overview",
        ("days", "importance", "limit"),
        "Context",
        "Load the project's memory: what is recent, what is important, how it hangs together, how much there is. "
        "Call once at the start of a session.",
        always_loaded=True,
    ),
    ToolEntry(
        "remember",
        "remember",
        (
            *("content", "context", "type", "title", "tags", "files", "questions", "importance", "confidence"),
            *("links", "scope", "expires", "details"),
        ),
        "Remember",
        "Store a memory. Call when something was decided, learned or tried that a later session would need. Give "
        "it a `type`, an `importance`, three to five `tags`, three to five `questions`, and `links` to the memories "
        "that it extends, contradicts, implements, references or supersedes (recall them first). `scope` is project, "
        "session or global. Never store secrets.",
        always_loaded=True,
        renamed=MappingProxyType({**_CONTENT, "context": "details.context"}),
        schemas=MappingProxyType({"context": {"type": "string", "description": "The situation."}}),
    ),
    ToolEntry(
        "consolidate",
        "consolidate",
        ("ids", "decision", "keep", "text", "reason", "dry_run"),
        "Consolidate",
        "Merge memories that say the same, or let one supersede the others; links are kept and every step stands in "
        "the history. Call when recall shows the same thing twice. Leave `decision` out to have them compared.",
    ),
    ToolEntry(
        "update",
        "update",
        (
            *("id", "content", "title", "importance", "confidence", "tags", "files", "questions", "links", "unlink"),
            "reason",
        ),
        "Update",
        "Change a memory's words, questions, importance, places or links; its history keeps what it was. Call when a "
        "memory is right in the main and wrong in a part.",
        renamed=_CONTENT,
    ),
    ToolEntry(
        "delete",
        "forget",
        ("id", "reason"),
        "Delete",
        "Archive a memory: it is no longer recalled, its links and history are kept, and a person can restore it. "
        "Call when the user says that it is wrong or no longer holds.",
    ),
)

SETS: Mapping[str, tuple[ToolEntry, ...]] = MappingProxyType(
    {
        "core": tuple(_core()),
        "all": tuple(_all()),
        "mnemosyne": _MNEMOSYNE,
        "events": EVENTS,
        "hub": HUB,
        "hub_underscore": HUB_UNDERSCORE,
        "kindling": KINDLING,
        "team": TEAM,
    }
)


def entries(names: tuple[str, ...]) -> Mapping[str, ToolEntry]:
    """Return the tools of some sets by name, in order.

    The same tool in two sets appears once. A different tool with a name that is taken gets its set's name as a prefix.
    """
    found: dict[str, ToolEntry] = {}
    for name in names:
        for entry in SETS[name]:
            taken = found.get(entry.name)
            if taken is None:
                found[entry.name] = entry
            elif (taken.verb, taken.fixed, taken.description) != (entry.verb, entry.fixed, entry.description):
                found[f"{name}_{entry.name}"] = entry._replace(name=f"{name}_{entry.name}", always_loaded=False)
    return MappingProxyType(found)
