"""The files generated from the configuration's keys: template, reference, schema."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import yaml

from muninn_core.config import read_config
from muninn_core.config.description import first_sentence, format_value, sections
from muninn_core.config.schema import schema_bytes
from muninn_core.config.template import template_text

KEYS = [(section, key) for section in sections() for key in section.keys]
NAMES = [f"{section.name}.{key.name}" for section, key in KEYS]
EXTENSION = Path(__file__).resolve().parents[2] / "vscode-extension"


@pytest.fixture(scope="module")
def schema():
    """The JSON schema."""
    return json.loads(schema_bytes())


@pytest.mark.parametrize(("section", "key"), KEYS, ids=NAMES)
def test_the_example_of_a_key_is_accepted_and_differs_from_its_default(section, key):
    config, problems = read_config(f"{section.name}:\n  {key.name}: {format_value(key.example)}\n")
    value = getattr(getattr(config, section.name), key.name)
    assert problems == ()
    assert value == (tuple(key.example) if isinstance(key.example, list) else key.example)
    assert value != key.default


@pytest.mark.parametrize(("section", "key"), KEYS, ids=NAMES)
def test_the_words_that_an_editor_offers_for_a_key_are_accepted(section, key):
    for word in key.words:
        assert read_config(f"{section.name}:\n  {key.name}: {word}\n")[1] == ()


def test_the_template_shows_each_key_with_the_first_sentence_on_it():
    for section, key in KEYS:
        line = re.search(rf"^#  {key.name}:.*# {re.escape(first_sentence(key.about))}", template_text(), flags=re.M)
        assert line, f"{section.name}.{key.name}"


def test_the_first_line_of_the_template_names_the_schema_for_editors():
    assert template_text().startswith("# yaml-language-server: $schema=cache/config.schema.json\n")


def test_the_schema_has_every_key_with_default_and_meaning(schema):
    for section, key in KEYS:
        found = schema["properties"][section.name]["properties"][key.name]
        assert found["default"] == (list(key.default) if isinstance(key.default, tuple) else key.default)
        assert found["description"].startswith(key.about)


def test_the_schema_accepts_the_template_and_every_example(schema):
    accepts(schema, yaml.safe_load(template_text()))
    accepts(schema, {"daemon": None})
    for section, key in KEYS:
        for value in (key.example, *key.words):
            accepts(schema, {section.name: {key.name: yaml.safe_load(format_value(value))}})


def test_the_schema_refuses_what_the_parser_refuses(schema):
    for section, name, value in (
        ("index", "workers", -1),
        ("index", "workers", "many"),
        ("index", "workrs", 1),
        ("ranking", "graph", 11),
        ("check", "secrets", "warning"),
        ("bridges", "claude_memory", "/etc"),
        ("mcp", "tools", ["every"]),
    ):
        assert read_config(yaml.safe_dump({section: {name: value}}))[1]
        with pytest.raises(AssertionError):
            accepts(schema, {section: {name: value}})


def test_the_extension_names_the_schema_that_its_build_copies():
    (entry,) = json.loads((EXTENSION / "package.json").read_text())["contributes"]["yamlValidation"]
    assert entry == {"fileMatch": "**/.muninn/config.yaml", "url": "./dist/config.schema.json"}
    assert "'dist', 'config.schema.json'" in (EXTENSION / "scripts" / "build.mjs").read_text()
    assert "!dist/config.schema.json" in (EXTENSION / ".vscodeignore").read_text()


KINDS = {
    "object": dict,
    "null": type(None),
    "array": list,
    "string": str,
    "boolean": bool,
    "integer": int,
    "number": (int, float),
}


def accepts(schema, value):
    """Check a value against the parts of JSON schema that the schema uses."""
    known = {"$schema", "title", "description", "default", "examples"}
    if "anyOf" in schema:
        assert any(not fails(each, value) for each in schema["anyOf"])
        known.add("anyOf")
    if "type" in schema:
        kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        assert any(isinstance(value, KINDS[kind]) for kind in kinds)
        assert not isinstance(value, bool) or "boolean" in kinds
    assert "enum" not in schema or value in schema["enum"]
    assert "const" not in schema or value is schema["const"]
    assert "pattern" not in schema or re.search(schema["pattern"], value)
    assert "minimum" not in schema or value >= schema["minimum"]
    assert "maximum" not in schema or value <= schema["maximum"]
    if isinstance(value, dict):
        for name, inner in value.items():
            assert name in schema["properties"] or schema["additionalProperties"] is not False
            accepts(schema["properties"][name], inner)
    for item in value if isinstance(value, list) else ():
        accepts(schema["items"], item)
    rules = {"anyOf", "type", "enum", "const", "pattern", "minimum", "maximum", "properties", "additionalProperties"}
    assert set(schema) <= known | rules | {"items"}


def fails(schema, value):
    """Whether a schema refuses a value."""
    try:
        accepts(schema, value)
    except AssertionError:
        return True
    return False
