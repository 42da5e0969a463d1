"""The base class of values that are sent or stored. The only importer of msgspec.

A `Value` is frozen, takes keyword arguments only and refuses unknown fields, so that a misspelt parameter is an error.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, dataclass_transform

import msgspec
from msgspec import UNSET, Meta, UnsetType, ValidationError, field

T = TypeVar("T")

__all__ = [
    "UNSET",
    "Meta",
    "UnsetType",
    "ValidationError",
    "Value",
    "decode_json",
    "decoder_of",
    "encode_json",
    "field",
    "fields_of",
    "from_plain",
    "json_schema",
    "json_schemas",
    "replace",
    "to_plain",
]


if TYPE_CHECKING:
    # Type checkers take a subclass of msgspec.Struct as frozen only when it says so itself.
    @dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(field,))
    class Value:
        """A frozen value with checked fields."""

        __struct_fields__: ClassVar[tuple[str, ...]]

        def __init_subclass__(cls, *, kw_only: bool = True, forbid_unknown_fields: bool = True) -> None:
            """A class that adds required fields to optional ones of its base says `kw_only=True`.

            One that a later version may send with further fields says `forbid_unknown_fields=False`.
            """

else:

    class Value(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
        """A frozen value with checked fields."""


def from_plain(data: Any, kind: type[T]) -> T:
    """Convert plain JSON data to a `kind`. Raises ValidationError; its text has the path of the field."""
    return msgspec.convert(data, kind)


def to_plain(value: Any) -> Any:
    """Turn a value into dicts, lists and scalars."""
    return msgspec.to_builtins(value)


def fields_of(value: Any) -> dict[str, Any]:
    """Return the fields of a value by name, in the order of declaration. Nested values are not converted."""
    return msgspec.structs.asdict(value)


def encode_json(value: Any) -> bytes:
    """Encode as compact UTF-8 JSON; the order of fields is the order of declaration."""
    return msgspec.json.encode(value)


def decode_json(data: bytes | str) -> Any:
    """Decode JSON into plain data. Raises ValueError on malformed input, and on values that are nested too deeply."""
    try:
        return msgspec.json.decode(data)
    except RecursionError:
        raise ValueError("the values are nested too deeply") from None


def decoder_of(kind: type[T]) -> Callable[[bytes], T]:
    """Return a function that decodes JSON into a `kind`, at a third of the cost of `decode_json` and `from_plain`.

    The function raises ValidationError for data of another shape and ValueError on malformed input.
    """
    return msgspec.json.Decoder(kind).decode


def json_schema(kind: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the JSON schema of a type and the definitions that it refers to as `#/$defs/NAME`."""
    (schema,), defs = msgspec.json.schema_components([kind], ref_template="#/$defs/{name}")
    return schema, dict(defs)


def json_schemas(kinds: Sequence[Any], at: str) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Return the JSON schemas of types and the definitions that they refer to as `at`, which has `{name}` in it."""
    schemas, found = msgspec.json.schema_components(kinds, ref_template=at)
    return list(schemas), dict(found)


def replace(value: T, **changes: Any) -> T:
    """Return a copy of a value with some fields changed."""
    return msgspec.structs.replace(value, **changes)  # type: ignore[type-var]
