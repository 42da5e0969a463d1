"""The kinds of change records, and the fields that each requires (docs/formats/log.md, "Changes")."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

_REQUIRED: dict[str, dict[str, type | tuple[type, ...]]] = {
    "update": {"target": str, "set": dict},
    "supersede": {"target": str, "by": (str, type(None))},
    "link": {"target": str, "relation": str, "to": str},
    "unlink": {"target": str, "relation": str, "to": str},
    "pin": {"target": str},
    "unpin": {"target": str},
    "archive": {"target": str},
    "restore": {"target": str},
    "approve": {"target": str},
    "reject": {"target": str},
    "redact": {"target": str},
    "feedback": {"target": str, "useful": bool},
    "merge": {"keep": str, "sources": list},
    "conflict": {"left": str, "right": str},
    "resolve": {"conflict": str, "keep": str},
}

CHANGES: Mapping[str, Mapping[str, type | tuple[type, ...]]] = MappingProxyType(_REQUIRED)
"""The required fields of each kind of change, with their types. A kind of memory can't have one of these names."""

SIDES = ("left", "right", "both")


def find_error(data: Mapping[str, Any]) -> str:
    """Return what is wrong with a change record, "" when it is valid or of an unknown kind."""
    kind = data["type"]
    for name, expected in CHANGES.get(kind, {}).items():
        if name not in data:
            return f"'{kind}' lacks '{name}'"
        if not isinstance(data[name], expected):
            return f"'{name}' of '{kind}' is of the wrong type"
    if kind == "merge" and not all(isinstance(source, str) for source in data["sources"]):
        return "'sources' of 'merge' is not a list of ids"
    if kind == "resolve" and data["keep"] not in SIDES:
        return f"'keep' of 'resolve' is not one of {', '.join(SIDES)}"
    return ""


def required_ids(data: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the ids of memories or conflicts that a change needs; none for a memory."""
    match data["type"]:
        case "merge":
            return (data["keep"], *data["sources"])
        case "conflict":
            return (data["left"], data["right"])
        case "resolve":
            return (data["conflict"],)
        case "supersede" if data["by"] is not None:
            return (data["target"], data["by"])
        case "verdict" if isinstance(data.get("left"), str) and isinstance(data.get("right"), str):
            return (data["left"], data["right"])  # a model's judgement; it changes no memory
        case kind if kind in CHANGES:
            return (data["target"],)
    return ()
