"""Whom a connection speaks with: session, tools and changes, handed to every request; and errors as the protocol has
them, for what no model reads.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from muninn_core.config import load_config
from muninn_core.engine.engine import Engine
from muninn_core.errors import BadParams, MuninnError, NotFoundError
from muninn_core.launch.place import Place
from muninn_server.mcp.changes import Changes
from muninn_server.mcp.tools import Tool, tools_of
from muninn_server.session import Session

LEGACY_NOT_FOUND = -32002
"""What the revisions up to 2025-11-25 answer for a resource that is not there; later ones say that it is a bad one."""


class Peer(NamedTuple):
    """Whom a connection speaks with: its session, the tools that it is shown, and the changes that it can hear of."""

    session: Session
    tools: Mapping[str, Tool]
    changes: Changes


Context = ServerRequestContext[Peer]


def peer_of(session: Session, sets: tuple[str, ...]) -> Peer:
    """Return the peer of a session; without `sets` the config says which tools it is shown. Reads the config's file."""
    if not sets:
        config, _ = load_config(Path(session.place.root) / ".muninn" / "config.yaml")
        sets = config.mcp.tools
    return Peer(session, tools_of(sets), changes_of(session.engine, session.place))


@functools.cache
def changes_of(engine: Engine, place: Place) -> Changes:
    """Return what follows the changes of a work tree, one for all who listen."""
    return Changes(engine, place)


def whole(params: types.PaginatedRequestParams | None) -> None:
    """Refuse a cursor of a list that has one page."""
    if params is not None and params.cursor is not None:
        raise MCPError(types.INVALID_PARAMS, "this list has one page: leave the cursor out")


def refusal(context: Context, error: MuninnError, **data: str) -> MCPError:
    """Return an error as the protocol has it: what is wrong, and what to do."""
    said = error.line
    if isinstance(error, NotFoundError) and data:
        modern = context.protocol_version in MODERN_PROTOCOL_VERSIONS
        return MCPError(types.INVALID_PARAMS if modern else LEGACY_NOT_FOUND, said, data)
    code = types.INVALID_PARAMS if isinstance(error, (BadParams, NotFoundError)) else types.INTERNAL_ERROR
    return MCPError(code, said, data or None)
