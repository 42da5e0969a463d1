"""The configuration's reference page and JSON schema, from the keys in muninn_core.config.keys."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from muninn_core.config.description import format_value, sections
from muninn_core.config.schema import SCHEMA_NAME
from muninn_core.model.value import to_plain

if TYPE_CHECKING:
    from muninn_core.config.description import Key, Section

_HEAD = f"""\
# Configuration

<!-- Made from muninn_core.config by scripts/generate.py. Do not edit; `make generate` writes it. -->

`.muninn/config.yaml` holds a repository's settings. `muninn init` writes it with every key commented out, so that the
defaults apply. Git tracks the file: everyone who works on the repository has the same settings. A change applies when
you save the file.

A wrong key keeps its default, and the others apply. `muninn status` and `muninn doctor` name the key, its line and the
allowed values; editors underline it as you type, complete keys and values, and explain a key when you hover over it.

Other programs can use the JSON schema. The first line of the file names it for the YAML language server
(`# yaml-language-server: $schema=cache/{SCHEMA_NAME}`): the daemon writes the schema of its version to
`.muninn/cache`. The VS Code extension contains it for the YAML extension.

## Overview

| Key | Default |
| --- | --- |
"""


def page() -> str:
    """Return docs/configuration.md."""
    rows = [
        f"| [`{section.name}.{key.name}`](#{section.name}{key.name}) | {_default(key)} |\n"
        for section in sections()
        for key in section.keys
    ]
    return _HEAD + "".join(rows) + "".join(map(_section, sections()))


def schema() -> str:
    """Return the JSON schema (draft 7). It accepts every value that the parser accepts.

    The parser also checks regular expressions, gitignore patterns and folders of skills.
    """
    tables = {
        section.name: {"description": section.about, **_table({key.name: _property(key) for key in section.keys})}
        for section in sections()
    }
    head = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "Muninn configuration",
        "description": "Settings of Muninn for one repository: .muninn/config.yaml.",
    }
    return json.dumps({**head, **_table(tables)}, indent=2, ensure_ascii=False) + "\n"


def _section(section: Section) -> str:
    return f"\n## {section.name}\n\n{section.about}\n" + "".join(_key(section, key) for key in section.keys)


def _key(section: Section, key: Key) -> str:
    unit = f", in {key.unit}" if key.unit else ""
    return (
        f"\n### {section.name}.{key.name}\n\n{key.about}\n\n"
        f"It takes {key.takes}{unit}. Default: {_default(key)}.\n\n"
        f"```yaml\n{section.name}:\n  {key.name}: {format_value(key.example)}\n```\n"
    )


def _default(key: Key) -> str:
    return f"`{format_value(key.default)}`"


def _table(properties: dict[str, Any]) -> dict[str, Any]:
    # A section whose keys are all commented out is null.
    return {"type": ["object", "null"], "additionalProperties": False, "properties": properties}


def _property(key: Key) -> dict[str, Any]:
    unit = f" In {key.unit}." if key.unit else ""
    found = {**key.schema, "description": key.about + unit, "default": to_plain(key.default)}
    if "enum" in found:
        found["enum"] = list(key.words)
    if "off" in key.words:  # YAML 1.1 reads the bare word `off` as false
        limits = {name: found.pop(name) for name in ("type", "enum", "pattern") if name in found}
        found["anyOf"] = [limits, {"const": False}]
    return found
