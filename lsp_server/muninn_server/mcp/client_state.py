"""The state of a connection, which every request carries, and the protocol's errors for requests that are not tools."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from muninn_core.config import load_config
from muninn_core.engine.engine import Engine
from muninn_core.errors import BadParams, MuninnError, NotFoundError
from muninn_core.launch.repository_location import RepositoryLocation
from muninn_server.mcp.hints import for_tools
from muninn_server.mcp.resource_changes import Changes
from muninn_server.mcp.tools import Tool, tools_of
from muninn_server.session import Session, error_of

LEGACY_NOT_FOUND = -32002
"""The error code for a missing resource up to revision 2025-11-25; later revisions use INVALID_PARAMS."""


class ClientState(NamedTuple):
    """The state of a connection: its session, its tools, and the changes of its work tree."""

    session: Session
    tools: Mapping[str, Tool]
    changes: Changes

    @property
    def verbs(self) -> frozenset[str]:
        """The verbs of its tools."""
        return frozenset(tool.verb for tool in self.tools.values())


Context = ServerRequestContext[ClientState]


def client_state(session: Session, sets: tuple[str, ...]) -> ClientState:
    """Return the state of a connection. Without `sets` the configuration file names the tool sets."""
    if not sets:
        config, _ = load_config(Path(session.location.root) / ".muninn" / "config.yaml")
        sets = config.mcp.tools
    return ClientState(session, tools_of(sets), changes_of(session.engine, session.location))


@functools.cache
def changes_of(engine: Engine, location: RepositoryLocation) -> Changes:
    """Return the changes of a work tree, shared by all its subscribers."""
    return Changes(engine, location)


def check_single_page(params: types.PaginatedRequestParams | None) -> None:
    """Raise MCPError for a cursor of a list that has one page."""
    if params is not None and params.cursor is not None:
        raise MCPError(types.INVALID_PARAMS, "this list has one page: omit the cursor")


def to_mcp_error(context: Context, error: MuninnError, **data: str) -> MCPError:
    """Return the protocol's error for a Muninn error, with its hint."""
    hint = for_tools(error.hint, context.lifespan_context.tools)
    message = f"{error.message}. {hint}" if hint else error.message
    if isinstance(error, NotFoundError) and data:
        modern = context.protocol_version in MODERN_PROTOCOL_VERSIONS
        return MCPError(types.INVALID_PARAMS if modern else LEGACY_NOT_FOUND, message, data)
    code = types.INVALID_PARAMS if isinstance(error, (BadParams, NotFoundError)) else types.INTERNAL_ERROR
    return MCPError(code, message, data or None)


@contextlib.contextmanager
def mcp_errors(context: Context, method: str, **data: str) -> Iterator[None]:
    """Raise every failure as an MCPError; `error_of` logs what is unexpected. `data` goes into the error."""
    try:
        yield
    except Exception as error:
        raise to_mcp_error(context, error_of(error, method), **data) from None
