"""The catalogue: every capability of Muninn, once.

JSON-RPC methods (`muninn/<verb>`), LSP commands (`muninn.<verb>`), MCP tools, CLI verbs, the extension's TypeScript
types and the reference are made from `METHODS`. A capability without an entry does not exist.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from muninn_core.errors import BadParams, UnknownVerb
from muninn_core.model.value import ValidationError, Value, encode_json, from_plain
from muninn_core.near_match import nearest, shorten
from muninn_core.protocol.families import (
    audit,
    candidates,
    capsules,
    code,
    context_file,
    decisions,
    editor,
    events,
    exchange,
    files,
    inspection,
    memory,
    models,
    privacy,
    reconciliation,
    reference,
    repositories,
    repository,
    review,
    search,
    session,
    skill,
    team,
)
from muninn_core.protocol.method import Family, Method

FAMILIES: tuple[Family, ...] = (
    search.FAMILY,
    code.FAMILY,
    files.FAMILY,
    skill.FAMILY,
    inspection.FAMILY,
    memory.FAMILY,
    session.FAMILY,
    candidates.FAMILY,
    review.FAMILY,
    reconciliation.FAMILY,
    repositories.FAMILY,
    exchange.FAMILY,
    events.FAMILY,
    audit.FAMILY,
    capsules.FAMILY,
    decisions.FAMILY,
    team.FAMILY,
    context_file.FAMILY,
    reference.FAMILY,
    editor.FAMILY,
    privacy.FAMILY,
    models.FAMILY,
    repository.FAMILY,
)
"""The families of verbs, in the order in which people meet them."""

MAX_PARAMETERS = 100
"""More parameters than any verb has."""

METHODS: Mapping[str, Method] = MappingProxyType(
    {method.verb: method for family in FAMILIES for method in family.methods}
)
"""All methods by verb, in the order of the families."""

GROUPS: Mapping[str, str] = MappingProxyType(
    {name: summary for family in FAMILIES for name, summary in family.groups.items()}
)
"""The words before a dot in verbs (`pack` of `pack.add`), and what each group of verbs is for."""


def lookup(verb: str) -> Method:
    """Return the method of a verb. Raises UnknownVerb, which names the nearest one."""
    method = METHODS.get(verb)
    if method is None:
        hint = nearest(verb, METHODS)
        raise UnknownVerb(
            f"there is no verb '{shorten(verb)}'",
            hint=f"Did you mean '{hint}'?" if hint else f"The verbs are {', '.join(METHODS)}.",
            data={"nearest": hint} if hint else {},
        )
    return method


def decode_params(method: Method, raw: Any) -> Value:
    """Decode plain JSON parameters. Raises BadParams, with the nearest name for an unknown parameter.

    Lone surrogates, which programs produce that cut texts by UTF-16 units, become replacement characters, or are
    refused where a verb records what it gets.
    """
    given = {} if raw is None else raw
    if not isinstance(given, dict):
        raise BadParams(f"the parameters of '{method.verb}' are an object, not {_plain_name(given)}")
    known = method.params.__struct_fields__
    if len(given) > MAX_PARAMETERS:
        message = f"a verb takes at most {MAX_PARAMETERS} parameters, not {len(given):,}"
        raise BadParams(message, hint=_names(method.verb, known))
    for name in given:
        if name not in known:
            hint = nearest(str(name), known)
            raise BadParams(
                f"'{method.verb}' has no parameter '{shorten(str(replace_surrogates(name)))}'",
                hint=f"Did you mean '{hint}'?" if hint else _names(method.verb, known),
                data={"parameter": shorten(str(replace_surrogates(name))), **({"nearest": hint} if hint else {})},
            )
    try:
        clean = replace_surrogates(given)
        if method.exact and clean is not given:
            raise BadParams(
                f"'{method.verb}': a text has a lone surrogate, which UTF-8 can't encode",
                hint="Send whole characters; nothing was recorded.",
            )
        return from_plain(clean, method.params)
    except RecursionError:
        raise BadParams(f"the parameters of '{method.verb}' are nested too deeply") from None
    except ValidationError as error:
        from muninn_core.protocol.parameter_errors import describe_error

        message, hint = describe_error(method, clean, str(error))
        raise BadParams(message, hint=hint) from None


def replace_surrogates(raw: Any) -> Any:
    """Return plain data with lone surrogates replaced: UTF-8 can't encode them."""
    try:
        encode_json(raw)
    except UnicodeEncodeError:
        return _replaced(raw)
    except (TypeError, ValueError, RecursionError):
        pass  # the decoder reports it
    return raw


def _replaced(raw: Any) -> Any:
    if isinstance(raw, str):
        return raw.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(raw, list):
        return [_replaced(item) for item in raw]
    if isinstance(raw, dict):
        return {_replaced(key): _replaced(value) for key, value in raw.items()}
    return raw


def _names(verb: str, known: tuple[str, ...]) -> str:
    return f"'{verb}' takes {', '.join(known)}." if known else f"'{verb}' takes no parameters."


def _plain_name(value: Any) -> str:
    return {list: "an array", str: "a string", int: "a number", float: "a number", bool: "a boolean"}.get(
        type(value), type(value).__name__
    )
