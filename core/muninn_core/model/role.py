"""Roles of agents that share a repository: what each needs to see, and what each may do.

The four roles are those of mnemosyne's multi-agent system (its ARCHITECTURE.md, "System Diagram").
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, NamedTuple

RoleName = Literal["orchestrator", "optimizer", "reviewer", "executor"]

FOCUS_BONUS = 2
"""How much more important a memory of a role's focus is to the role. Importance ends at 10."""

MAX_IMPORTANT = 10


class Role(NamedTuple):
    """`focus` are the types of memory that matter most to the role. `refused` are verbs that it may not call.

    `granted` are verbs for people that it may call once a person has granted it its rights.
    """

    focus: frozenset[str]
    refused: frozenset[str] = frozenset()
    granted: frozenset[str] = frozenset()
    claims_files: bool = True


ROLES: Mapping[str, Role] = MappingProxyType(
    {
        "orchestrator": Role(frozenset({"decision", "constraint", "session_summary"})),
        "optimizer": Role(
            frozenset({"pattern", "preference", "configuration", "context_hit"}),
            refused=frozenset({"forget"}),
            claims_files=False,
        ),
        "reviewer": Role(
            frozenset({"constraint", "bug_fix", "attempt", "decision"}),
            granted=frozenset({"approve", "reject"}),
            claims_files=False,
        ),
        "executor": Role(
            frozenset({"constraint", "bug_fix", "pattern", "attempt"}),
            refused=frozenset({"forget", "consolidate", "update"}),
        ),
    }
)
"""All roles by name. Reviewers and optimizers change no files, so they claim none."""


def importance_for(role: str, kind: str, importance: int) -> int:
    """Return the importance (0 to 10) of a memory of a type to a role; "" is no role."""
    known = ROLES.get(role)
    return min(MAX_IMPORTANT, importance + FOCUS_BONUS) if known and kind in known.focus else importance
