"""The part of a question that an organisation's server is asked: its words and filters, without secrets."""

from __future__ import annotations

from muninn_core.protocol.search import ContextParams, RecallParams
from muninn_core.source.private import strip_private
from muninn_core.store.secrets import mask
from muninn_core.worktree.workspace import Workspace

_PASSED = (
    "plain", "kind", "type", "tag", "path", "lang", "phrase", "author", "min_importance", "since", "until", "branch",
)  # fmt: skip
_OF_THIS_REPOSITORY = ("like", "page", "task", "from_session", "at", "branches")
"""Parameters about what only this repository has. A question with one of them is not put to the organisation."""


def of_recall(workspace: Workspace, params: RecallParams) -> RecallParams | None:
    """Return what the organisation is asked for a recall, None for a question about this repository alone."""
    plain = RecallParams()
    own = any(getattr(params, name) != getattr(plain, name) for name in _OF_THIS_REPOSITORY)
    if own or not params.query.strip() or params.scope not in (None, "project") or params.profile == "mnemosyne":
        return None
    passed = {name: getattr(params, name) for name in _PASSED}
    return RecallParams(query=_without_secrets(workspace, params.query), **passed)


def of_context(workspace: Workspace, params: ContextParams) -> RecallParams | None:
    """Return what the organisation is asked for a context, None without a query or for this repository alone."""
    own = params.at is not None or params.branches or params.task is not None
    if own or not params.query.strip() or params.scope not in (None, "project"):
        return None
    return RecallParams(query=_without_secrets(workspace, params.query))


def _without_secrets(workspace: Workspace, query: str) -> str:
    return mask(strip_private(query)[0], workspace.config.memory.secrets)[0]
