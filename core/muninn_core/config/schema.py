"""The JSON schema of `config.yaml`, as a file for editors. `scripts/generate.py` makes it from the keys."""

from __future__ import annotations

from pathlib import Path

SCHEMA_NAME = "config.schema.json"
_FILE = Path(__file__).with_name(SCHEMA_NAME)


def schema_bytes() -> bytes:
    """Return the schema of this version (JSON schema, draft 7)."""
    return _FILE.read_bytes()
