"""Reads the memories in an export of beads: the lines with `_type` memory, which have `key` and `value`.

Format: `bd export --include-memories`, in cmd/bd/export.go of github.com/steveyegge/beads. Its other lines are issues,
and a line with `_schema` is a header. The memories have no times.
"""

from __future__ import annotations

from muninn_core.capture.foreign.foreign_memory import (
    ForeignMemories,
    ForeignMemory,
    content_key,
    json_lines,
    text_field,
)
from muninn_core.protocol.families.memory import MemoryDraft

_SLUG = "beads"


def is_export_line(value: object) -> bool:
    """Whether a line's value is a memory, an issue or the header of an export."""
    if not isinstance(value, dict):
        return False
    schema = value.get("_schema")
    return (
        (isinstance(schema, str) and schema.startswith("beads-jsonl/"))
        or (value.get("_type") == "memory" and "key" in value)
        or {"id", "title", "issue_type", "created_at"} <= value.keys()
    )


def read_export(name: str, content: bytes) -> ForeignMemories:
    """Return the memories of an export, and count its issues. Raises BadParams."""
    memories: list[ForeignMemory] = []
    issues = 0
    for place, item in json_lines(name, content):
        if "_schema" in item:
            continue
        if item.get("_type") != "memory":
            text_field(place, item, "title")
            issues += 1
            continue
        key, value = text_field(place, item, "key"), text_field(place, item, "value")
        draft = MemoryDraft(
            text=value, entities=(key,), actor="assistant", key=content_key(_SLUG, "memory", key, value)
        )
        memories.append(ForeignMemory(draft, place))
    left_out = {"issues": issues} if issues else {}
    return ForeignMemories("beads", _SLUG, tuple(memories), {"memories": len(memories)}, left_out)
