"""The base of every value that crosses a boundary, and the only importer of msgspec.

A `Value` is frozen, takes keywords only and refuses unknown fields, so that a misspelt parameter is an error
and never silence.
"""

from __future__ import annotations

from collections.abc import Callable
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
    "replace",
    "to_plain",
]


if TYPE_CHECKING:
    # To a type checker a subclass of msgspec.Struct is frozen only when it says so itself; ours all are.
    @dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(field,))
    class Value:
        """A frozen value with checked fields."""

        __struct_fields__: ClassVar[tuple[str, ...]]

else:

    class Value(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
        """A frozen value with checked fields."""


def from_plain(data: Any, kind: type[T]) -> T:
    """Make a `kind` of plain JSON data. Raises ValidationError, whose text names the field by its path."""
    return msgspec.convert(data, kind)


def to_plain(value: Any) -> Any:
    """Turn a value into dicts, lists and scalars."""
    return msgspec.to_builtins(value)


def fields_of(value: Any) -> dict[str, Any]:
    """Return the fields of a value by name, in the order of declaration; what they hold stays as it is."""
    return msgspec.structs.asdict(value)


def encode_json(value: Any) -> bytes:
    """Encode as compact UTF-8 JSON; the order of fields is the order of declaration."""
    return msgspec.json.encode(value)


def decode_json(data: bytes | str) -> Any:
    """Decode JSON into plain data. Raises ValueError (msgspec.DecodeError is one) on malformed input."""
    return msgspec.json.decode(data)


def decoder_of(kind: type[T]) -> Callable[[bytes], T]:
    """Return a function that decodes JSON straight into a `kind`, at a third of the cost of going by plain data.

    It raises ValidationError where the data is of another shape, else ValueError on malformed input.
    """
    return msgspec.json.Decoder(kind).decode


def json_schema(kind: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the JSON schema of a type and the definitions that it refers to as `#/$defs/NAME`."""
    (schema,), defs = msgspec.json.schema_components([kind], ref_template="#/$defs/{name}")
    return schema, dict(defs)


def replace(value: T, **changes: Any) -> T:
    """Return a copy of a value with some fields changed."""
    return msgspec.structs.replace(value, **changes)  # type: ignore[type-var]
