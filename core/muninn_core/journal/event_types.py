"""Types of events that the configuration names, and their JSON schemas. The only importer of jsonschema.

A schema is `.muninn/events/TYPE.json` (JSON Schema 2020-12 unless it names another draft). A reference to another file
or address is not followed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from muninn_core.errors import BadParams, MuninnError
from muninn_core.expression import compile_expression
from muninn_core.near_match import did_you_mean
from muninn_core.regular_file import read_regular

_MAX_SHOWN = 200
_MAX_BYTES = 256 * 1024


class EventTypes:
    """The types that a work tree's configuration allows. A schema is read again when its file changed."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._validators: dict[str, tuple[tuple[int, int], Any]] = {}

    def check(self, event_type: str, payload: Any, allowed: Sequence[str]) -> None:
        """Raise BadParams when a type is not allowed, or a payload is not what the type's schema says."""
        if allowed and event_type not in allowed:
            raise BadParams(
                f"the configuration has no type of event '{event_type}'",
                hint=did_you_mean(event_type, allowed, f"journal.types has {', '.join(allowed)}."),
            )
        validator = self._validator(event_type)
        if validator is None:
            return
        from referencing.exceptions import Unresolvable

        try:
            errors = sorted(validator.iter_errors(payload), key=lambda error: list(map(str, error.absolute_path)))
        except (RecursionError, Unresolvable) as error:
            fault = f"to {error.ref}" if isinstance(error, Unresolvable) else "to itself without an end"
            raise BadParams(
                f"the schema of '{event_type}' refers {fault}",
                hint=f"Correct {self._folder / f'{event_type}.json'}; nothing was recorded.",
            ) from None
        if errors:
            place = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in errors[0].absolute_path)
            raise BadParams(
                f"payload{place} of '{event_type}': {errors[0].message[:_MAX_SHOWN]}",
                hint=f"The schema is {self._folder / f'{event_type}.json'}; nothing was recorded.",
            )

    def _validator(self, event_type: str) -> Any:
        path = self._folder / f"{event_type}.json"
        try:
            status = path.stat()
        except (OSError, ValueError):
            return None
        if path.parent != self._folder:
            return None  # the name is refused when the event is checked
        stamp = (status.st_mtime_ns, status.st_size)
        known = self._validators.get(event_type)
        if known is None or known[0] != stamp:
            known = self._validators[event_type] = (stamp, _load(path))
        return known[1]


def _load(path: Path) -> Any:
    import jsonschema
    import referencing

    try:
        schema = json.loads(read_regular(path, _MAX_BYTES))
        kind = jsonschema.validators.validator_for(schema, default=jsonschema.Draft202012Validator)
        kind.check_schema(schema)
        _compile_patterns(schema)
    except (OSError, ValueError, RecursionError, MuninnError, jsonschema.SchemaError) as error:
        said = getattr(error, "message", str(error))
        raise BadParams(
            f"{path} is not a schema that can be used: {said}", hint="Correct the file; nothing was recorded."
        ) from None
    checked = jsonschema.validators.extend(kind, {"pattern": _check_pattern})
    return checked(schema, registry=referencing.Registry())


def _compile_patterns(schema: Any) -> None:
    """Raise ValueError for an expression that RE2 does not know: the file may come with the repository."""
    waiting = [schema]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            if "patternProperties" in value:
                raise ValueError("'patternProperties' is not supported")
            if isinstance(value.get("pattern"), str):
                compile_expression(value["pattern"])
            waiting += value.values()
        elif isinstance(value, list):
            waiting += value


def _check_pattern(_validator: Any, pattern: Any, text: Any, _schema: Any) -> Iterator[Any]:
    import jsonschema

    if isinstance(text, str) and isinstance(pattern, str) and not compile_expression(pattern).is_in(text):
        yield jsonschema.ValidationError(f"{text[:_MAX_SHOWN]!r} does not match {pattern!r}")
