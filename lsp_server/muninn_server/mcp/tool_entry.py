"""The form of a tool in a tool set: plain data that names a verb and how its parameters are shown."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

NOTHING: Mapping[str, Any] = MappingProxyType({})


class ToolEntry(NamedTuple):
    """A tool of a set. `shown` () means all parameters; `fixed` are set by the set; "" takes the catalogue's text.

    `renamed` maps names of the tool to those of the verb: a parameter (`query` to `text`), a parameter to a field of an
    object (`description` to `payload.description`), or a field to a field (`scopeIds.sessionId` to `scope.session`).
    `schemas` replaces parts of a parameter's schema. `required` must be given although the verb has a default.
    """

    name: str
    verb: str
    shown: tuple[str, ...] = ()
    title: str = ""
    description: str = ""
    fixed: Mapping[str, Any] = NOTHING
    always_loaded: bool = False
    renamed: Mapping[str, str] = NOTHING
    schemas: Mapping[str, Mapping[str, Any]] = NOTHING
    required: tuple[str, ...] = ()
