"""The part of a question that an organisation's server is asked: its words and filters, without secrets."""

from __future__ import annotations

from collections.abc import Sequence

from muninn_core.engine.answer.code.code_map import IMPORTERS, read_index
from muninn_core.federation.dependents import packages_of
from muninn_core.federation.importers import ImportersParams, importers_params
from muninn_core.federation.organisation import ORG
from muninn_core.model.value import replace
from muninn_core.protocol.families.code import GraphParams, SymbolsParams
from muninn_core.protocol.families.inspection import MemoriesParams
from muninn_core.protocol.families.search import ContextParams, RecallParams
from muninn_core.retrieval.query.filters import language_named
from muninn_core.source.private_spans import strip_private
from muninn_core.store.secrets.masking import mask
from muninn_core.worktree.workspace import Workspace

_PASSED = (
    "plain", "kind", "type", "tag", "path", "lang", "phrase", "author", "min_importance", "since", "until", "branch",
)  # fmt: skip
_OF_THIS_REPOSITORY = ("like", "page", "task", "from_session", "at", "branches")
"""Parameters about what only this repository has. A question with one of them is not put to the organisation."""

_MEMORIES_OF_THIS_REPOSITORY = ("file", "session", "task", "role", "pending", "at", "branches")
_MAX_LISTED = 10_000


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


def of_symbols(workspace: Workspace, params: SymbolsParams) -> SymbolsParams | None:
    """Return what the organisation is asked for definitions, None unless the caller names it."""
    if not _is_named(params.repos):
        return None
    language = language_named(params.language or "") or params.language
    return replace(params, query=_without_secrets(workspace, params.query), language=language, repos=())


def of_memories(workspace: Workspace, params: MemoriesParams) -> MemoriesParams | None:
    """Return what the organisation is asked for memories, None unless the caller names it.

    None as well for a question about this repository alone. Pages are cut here, after both lists are merged.
    """
    plain = MemoriesParams()
    own = any(getattr(params, name) != getattr(plain, name) for name in _MEMORIES_OF_THIS_REPOSITORY)
    if own or params.scope not in (None, "project") or not _is_named(params.repos):
        return None
    most = min(_MAX_LISTED, params.offset + params.limit)
    text = _without_secrets(workspace, params.text) if params.text else params.text
    return replace(params, text=text, scope=None, limit=most, offset=0, repos=())


def of_graph(workspace: Workspace, params: GraphParams) -> ImportersParams | None:
    """Return what the organisation is asked for importers, None unless the caller names it.

    None as well for other relations, and for a repository that publishes no package.
    """
    if not _is_named(params.repos) or params.relation not in IMPORTERS:
        return None
    return importers_params(packages_of(read_index(workspace)[0], workspace.layout.root))


def _is_named(names: Sequence[str]) -> bool:
    """Whether a question names the organisation. Lists are short answers, which wait for no server unasked."""
    return ORG in names or "all" in names


def _without_secrets(workspace: Workspace, query: str) -> str:
    return mask(strip_private(query)[0], workspace.config.memory.secrets)[0]
