"""Types of events that the configuration names, and their JSON schemas. The only importer of jsonschema.

A schema is `.muninn/events/TYPE.json` (JSON Schema 2020-12 unless it names another draft). A reference to another file
or address is not followed.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from muninn_core.errors import BadParams
from muninn_core.near_match import nearest

_MOST_SHOWN = 200


class EventTypes:
    """The types that a work tree's configuration allows. A schema is read again when its file changed."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._validators: dict[str, tuple[tuple[int, int], Any]] = {}

    def check(self, event_type: str, payload: Any, allowed: Sequence[str]) -> None:
        """Raise BadParams when a type is not allowed, or a payload is not what the type's schema says."""
        if allowed and event_type not in allowed:
            near = nearest(event_type, allowed)
            raise BadParams(
                f"the configuration has no type of event '{event_type}'",
                hint=f"Did you mean '{near}'?" if near else f"journal.types has {', '.join(allowed)}.",
            )
        validator = self._validator(event_type)
        if validator is None:
            return
        errors = sorted(validator.iter_errors(payload), key=lambda error: list(map(str, error.absolute_path)))
        if errors:
            place = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in errors[0].absolute_path)
            raise BadParams(
                f"payload{place} of '{event_type}': {errors[0].message[:_MOST_SHOWN]}",
                hint=f"The schema is {self._folder / f'{event_type}.json'}; nothing was recorded.",
            )

    def _validator(self, event_type: str) -> Any:
        path = self._folder / f"{event_type}.json"
        try:
            status = path.stat()
        except OSError:
            return None
        stamp = (status.st_mtime_ns, status.st_size)
        known = self._validators.get(event_type)
        if known is None or known[0] != stamp:
            known = self._validators[event_type] = (stamp, _load(path))
        return known[1]


def _load(path: Path) -> Any:
    import jsonschema
    import referencing

    try:
        schema = json.loads(path.read_text("utf-8"))
        kind = jsonschema.validators.validator_for(schema, default=jsonschema.Draft202012Validator)
        kind.check_schema(schema)
    except (OSError, ValueError, RecursionError, jsonschema.SchemaError) as error:
        said = getattr(error, "message", str(error))
        raise BadParams(
            f"{path} is not a JSON schema: {said}", hint="Correct the file; nothing was recorded."
        ) from None
    return kind(schema, registry=referencing.Registry())
