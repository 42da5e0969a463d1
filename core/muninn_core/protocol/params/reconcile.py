"""Parameters about consolidation: merges, contradictions, and what takes them back."""

from __future__ import annotations

from typing import Annotated, Literal

from muninn_core.model.value import Meta, Value
from muninn_core.protocol.params.base import SessionId, Text


class ReconcileParams(Value):
    """How to consolidate."""

    dry_run: Annotated[bool, Meta(description="Say what would happen; change nothing.")] = False
    archive: Annotated[bool, Meta(description="Move the segments to memory/archive in place of deleting them.")] = False
    session: Annotated[SessionId | None, Meta(description="Only this session's segments; all of them when absent.")] = (
        None
    )


class UndoParams(Value):
    """Nothing to say: the last reconcile or prune of the work tree is taken back."""


class PruneParams(Value):
    """Whether to prune or to say what that would do; the policy is `prune` in the config."""

    dry_run: Annotated[bool, Meta(description="Say what would leave; change nothing.")] = False


class ConflictsParams(Value):
    """Which conflicts to show."""

    id: Annotated[str | None, Meta(description="One conflict, by its id or an unambiguous prefix of it.")] = None


class ResolveParams(Value):
    """A person's decision."""

    id: Annotated[Text, Meta(description="The conflict's id or an unambiguous prefix of it.")]
    keep: Annotated[Literal["left", "right", "both"], Meta(description="Which side holds.")]
    text: Annotated[str, Meta(description="A new wording for the side that is kept.")] = ""
    session: SessionId | None = None
