"""Reads the file of the MCP reference server for memory: a knowledge graph, one JSON object per line.

Format: `loadGraph` and `saveGraph` in src/memory/index.ts of github.com/modelcontextprotocol/servers. An entity has
`name`, `entityType` and `observations`, a relation `from`, `to` and `relationType`. The file has no times.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from muninn_core.capture.foreign.foreign_memory import (
    ForeignMemories,
    ForeignMemory,
    about,
    content_key,
    json_lines,
    kind_of,
    malformed,
    relation_draft,
    tags_of,
    text_field,
)
from muninn_core.protocol.families.memory import MemoryDraft

_SLUG = "mcp-memory"


def is_graph_line(value: object) -> bool:
    """Whether a line's value is an entity or a relation of the graph."""
    if not isinstance(value, dict):
        return False
    return {"type", "name", "entityType"} <= value.keys() or {"type", "from", "relationType"} <= value.keys()


def read_graph(name: str, content: bytes) -> ForeignMemories:
    """Return a memory for each observation, each relation, and each entity without observations. Raises BadParams."""
    memories: list[ForeignMemory] = []
    counts = {"entities": 0, "observations": 0, "relations": 0}
    for place, item in json_lines(name, content):
        kind = item.get("type")
        if kind == "entity":
            counts["entities"] += 1
            found = [ForeignMemory(draft, place) for draft in _of_entity(place, item)]
            counts["observations"] += len(item["observations"])
            memories += found
        elif kind == "relation":
            counts["relations"] += 1
            ends = [text_field(place, item, field) for field in ("from", "relationType", "to")]
            memories.append(ForeignMemory(relation_draft(_SLUG, *ends), place))
        else:
            raise malformed(place, f"'type' is {kind!r}; a line is an entity or a relation")
    return ForeignMemories("the MCP memory server", _SLUG, tuple(memories), counts, {})


def _of_entity(place: str, item: Mapping[str, Any]) -> Iterator[MemoryDraft]:
    name, kind = text_field(place, item, "name"), text_field(place, item, "entityType")
    observations = item.get("observations")
    if not isinstance(observations, list) or not all(isinstance(each, str) for each in observations):
        raise malformed(place, "'observations' is missing or not a list of texts")
    stated = [each.strip() for each in observations if each.strip()]
    for observation in stated:
        yield MemoryDraft(
            text=about(name, observation),
            type=kind_of(kind),
            tags=tags_of([kind]),
            entities=(name,),
            actor="assistant",
            key=content_key(_SLUG, "observation", name, observation),
        )
    if not stated:
        yield MemoryDraft(
            text=f"{name} is of the type {kind}",
            type="entity",
            tags=tags_of([kind]),
            entities=(name,),
            actor="assistant",
            key=content_key(_SLUG, "entity", name, kind),
        )
