"""The keys of the configuration as data: what the template, the reference, the schema and editors show of each."""

from __future__ import annotations

from functools import cache
from inspect import getdoc
from typing import Any, Literal, get_args, get_origin, get_type_hints

from muninn_core.config.keys import Config
from muninn_core.model.value import Meta, Value, json_schema

_KINDS = {"integer": "a whole number", "number": "a number", "string": "a string"}


class Key(Value):
    """One key. `takes` are its allowed values in words, `words` those that an editor offers."""

    section: str
    name: str
    default: Any
    about: str
    example: Any
    unit: str
    takes: str
    words: tuple[str, ...]
    schema: dict[str, Any]
    check: Any
    shared: Any


class Section(Value):
    """One table of keys. `about` is Markdown, one paragraph or more."""

    name: str
    about: str
    keys: tuple[Key, ...]


@cache
def sections() -> tuple[Section, ...]:
    """Return every section with its keys, in the order of declaration."""
    defaults = Config()
    return tuple(_section(name, getattr(defaults, name)) for name in Config.__struct_fields__)


@cache
def find_key(section: str, name: str) -> Key:
    """Return the description of a key. Raises KeyError for one that does not exist."""
    for each in sections():
        for found in each.keys:
            if (each.name, found.name) == (section, name):
                return found
    raise KeyError(f"{section}.{name}")


def first_sentence(text: str) -> str:
    """Return a text up to the end of its first sentence, without the final full stop."""
    return text.split(". ")[0].split("\n")[0].rstrip(".")


def format_value(value: Any) -> str:
    """Return a scalar or a list as YAML writes it on one line."""
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(format_value, value))}]"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return f"{value:.15g}"
    special = (
        not value or value[0] in "!&*-?|>@%`{}[],#'\"" or any(each in value for each in (": ", " #", ",", "*", "]"))
    )
    return f'"{value}"' if special and '"' not in value and "\\" not in value else value


def _section(name: str, defaults: Value) -> Section:
    hints = get_type_hints(type(defaults), include_extras=True)
    keys = tuple(_key(name, each, hints[each], getattr(defaults, each)) for each in defaults.__struct_fields__)
    return Section(name=name, about=getdoc(type(defaults)) or "", keys=keys)


def _key(section: str, name: str, hint: Any, default: Any) -> Key:
    kind, *metas = get_args(hint)
    meta: Meta = metas[0]
    extra = meta.extra or {}
    schema, _ = json_schema(hint)
    choices = _choices(kind)
    return Key(
        section=section,
        name=name,
        default=default,
        about=meta.description or "",
        example=(meta.examples or [None])[0],
        unit=extra["unit"],
        takes=extra["takes"] or _takes(schema, choices),
        words=extra["words"] or (() if schema.get("type") == "array" else choices),
        schema=schema,
        check=extra["check"],
        shared=extra["shared"],
    )


def _choices(kind: Any) -> tuple[str, ...]:
    """Return the words that a type, or the items of a list, may be, in the order of declaration."""
    if kind is bool:
        return ("true", "false")
    if get_origin(kind) is tuple:
        return _choices(get_args(kind)[0])
    return get_args(kind) if get_origin(kind) is Literal else ()


def _takes(schema: dict[str, Any], choices: tuple[str, ...]) -> str:
    """Return in words what a type and its limits allow."""
    if schema.get("type") == "array":
        return f"a list of {', '.join(choices) or 'strings'}"
    if choices:
        return f"{', '.join(choices[:-1])} or {choices[-1]}"
    kind = _KINDS[schema["type"]]
    if "maximum" in schema:
        return f"{kind} from {schema['minimum']:g} to {schema['maximum']:g}"
    return f"{kind}, {schema['minimum']:g} or more" if "minimum" in schema else kind
