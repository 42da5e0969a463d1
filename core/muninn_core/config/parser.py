"""Reads `.muninn/config.yaml`. A wrong key keeps its default and becomes a problem with its line; the others apply."""

from __future__ import annotations

import reprlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from muninn_core.config.description import Key, find_key, format_value
from muninn_core.config.keys import OWN_SETTINGS, Config
from muninn_core.model.memory import ACTORS, KINDS
from muninn_core.model.value import ValidationError, Value, from_plain, replace
from muninn_core.near_match import nearest
from muninn_core.regular_file import read_regular
from muninn_core.yaml_text import MappingNode, Node, NotYamlError, compose, construct, load

MAX_CONFIG_BYTES = 1_000_000
"""A larger file is not read: YAML takes a second per megabyte."""

OWN_SECTIONS = ("models", "org", "opentelemetry")
"""The sections that count only in the user's own settings."""

_MAX_SHOWN = 60
"""Characters of a wrong value that a message repeats."""


class ConfigProblem(Value):
    """A key that does not apply. `line` is 1-based, 0 for none; `word` is what stands there, `near` what to write."""

    key: str
    line: int
    message: str
    hint: str = ""
    word: str = ""
    near: str = ""


def load_config(path: Path) -> tuple[Config, tuple[ConfigProblem, ...]]:
    """Read a config file. A missing file is the defaults; an unreadable one is the defaults and one problem."""
    text, problem = _load(path)
    return read_config(text) if problem is None else (Config(), (problem,))


def load_plain(path: Path) -> tuple[dict[str, Any], str]:
    """Return a YAML file as plain data, {} for a missing one, and what is wrong with it, "" for nothing."""
    text, problem = _load(path)
    if problem is not None:
        return {}, problem.message
    try:
        data = load(text)
    except NotYamlError as error:
        return {}, _not_yaml(error).message
    if data is not None and not isinstance(data, dict):
        return {}, "the file must be a list of `key: value` lines"
    return data or {}, ""


def load_own_settings(path: Path, root: str, config: Config) -> tuple[Config, tuple[ConfigProblem, ...]]:
    """Return a config with what the user's own settings say about the repository at `root`, and their problems.

    The file has `repositories: {/path/of/a/root: {section: {key: value}}}`, and only the keys whose values are
    restricted in a file that comes with a repository. A missing file changes nothing.
    """
    text, problem = _load(path)
    if problem is not None:
        return config, (problem,)
    try:
        node = compose(text)
    except NotYamlError as error:
        return config, (_not_yaml(error),)
    if node is None:
        return config, ()
    problems: list[ConfigProblem] = []
    for name, value in _pairs(node, "the file", problems):
        if name in OWN_SECTIONS:
            continue  # `model_settings`, `org_settings` and `otel_settings` read them
        if name != "repositories":
            problems.append(_own_problem(f"there is no key '{name}'", value))
            continue
        for folder, settings in _pairs(value, "'repositories'", problems):
            if folder.rstrip("/") == root:
                config = _read(config, settings, "", problems, own=True)
    return config, tuple(problems)


def _pairs(node: Node, what: str, problems: list[ConfigProblem]) -> list[tuple[str, Node]]:
    if isinstance(node, MappingNode):
        return [(str(key.value), value) for key, value in node.value]
    problems.append(_own_problem(f"{what} must be a list of `key: value` lines", node))
    return []


def _own_problem(message: str, node: Node) -> ConfigProblem:
    hint = "It takes `repositories:`, below it the root of a repository, and below that sections and keys."
    return ConfigProblem(key="", line=node.start_mark.line + 1, message=message, hint=hint)


def _load(path: Path) -> tuple[str, ConfigProblem | None]:
    """Return the text of a file, "" for a missing one, and a problem when it can't be read."""
    try:
        return read_regular(path, MAX_CONFIG_BYTES).decode("utf-8"), None
    except FileNotFoundError:
        return "", None
    except OSError as error:
        return "", _unreadable(f"the file can't be read: {error.strerror}")
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        return "", _unreadable("the file can't be read: it is not UTF-8", line)


def read_config(text: str) -> tuple[Config, tuple[ConfigProblem, ...]]:
    """Read the text of a config file, as `load_config` does."""
    try:
        node = compose(text)
    except NotYamlError as error:
        return Config(), (_not_yaml(error),)
    if node is None:
        return Config(), ()
    problems: list[ConfigProblem] = []
    config = _read(Config(), node, "", problems)
    return config, (*problems, *_unknown_names(config, node))


def key_lines(text: str) -> dict[tuple[str, str], int]:
    """Return {(section, key): line from 1} of the keys that a text sets; {} for a text that is not YAML."""
    try:
        node = compose(text)
    except NotYamlError:
        return {}
    sections = node.value if isinstance(node, MappingNode) else ()
    return {
        (str(section.value), str(key.value)): key.start_mark.line + 1
        for section, keys in sections
        if isinstance(keys, MappingNode)
        for key, _ in keys.value
    }


def parse_value(key: Key, text: str) -> Any:
    """Return the value that a text in YAML gives a key. Raises ValueError, which names the key and what is wrong."""
    try:
        node = compose(text)
    except NotYamlError as error:
        raise ValueError(f"'{text}' is not YAML: {error.problem}") from None
    if node is None:
        raise ValueError(f"'{key.section}.{key.name}' can't be an empty value")
    section = type(getattr(Config(), key.section))
    return _value(section, key, node, own=False)


def _not_yaml(error: NotYamlError) -> ConfigProblem:
    return _unreadable(f"not YAML: {error.problem}", error.line)


def _unreadable(message: str, line: int = 0) -> ConfigProblem:
    return ConfigProblem(key="", line=line, message=message, hint="Every key has its default until you correct it.")


def _read(defaults: Any, node: Node, section: str, problems: list[ConfigProblem], *, own: bool = False) -> Any:
    """Return `defaults` with each valid key of a mapping; append a problem for each other one.

    `own` is for the user's own settings, where only keys with values that a repository can't set may stand.
    """
    if node.tag == "tag:yaml.org,2002:null":
        return defaults  # a section whose keys are all commented out
    if not isinstance(node, MappingNode):
        what = f"'{section}'" if section else "the file"
        keys = ", ".join(defaults.__struct_fields__)
        message = f"{what} must be a list of `key: value` lines"
        hint = f"The keys here are {keys}."
        problems.append(ConfigProblem(key=section, line=node.start_mark.line + 1, message=message, hint=hint))
        return defaults
    changes: dict[str, Any] = {}
    for key_node, value_node in node.value:
        name, line = str(key_node.value), key_node.start_mark.line + 1
        if name in OWN_SECTIONS and not section:
            if not own:  # in the user's own settings `model_settings`, `org_settings` and `otel_settings` read them
                problems.append(_own_only(name, line))
        elif name not in defaults.__struct_fields__:
            problems.append(_unknown_key(defaults, section, name, line))
        elif not section:
            changes[name] = _read(getattr(defaults, name), value_node, name, problems, own=own)
        elif own and find_key(section, name).shared is None:
            message = f"'{section}.{name}' is a setting of repositories"
            hint = "Set it in .muninn/config.yaml."
            problems.append(ConfigProblem(key=f"{section}.{name}", line=line, message=message, hint=hint))
        else:
            key = find_key(section, name)
            try:
                changes[name] = _value(type(defaults), key, value_node, own=own)
            except ValueError as error:
                hint = f"It takes {key.takes}; the default is {format_value(key.default)}."
                problems.append(ConfigProblem(key=f"{section}.{name}", line=line, message=str(error), hint=hint))
    return replace(defaults, **changes)


def _own_only(section: str, line: int) -> ConfigProblem:
    said = {"models": "where text is sent and who pays", "org": "where questions are sent"}
    message = f"'{section}' can't be set by a repository: it says {said.get(section, 'where figures are sent')}"
    return ConfigProblem(key=section, line=line, message=message, hint=f"Only {OWN_SETTINGS} can set it.")


def _unknown_key(defaults: Any, section: str, name: str, line: int) -> ConfigProblem:
    full = f"{section}.{name}" if section else name
    near = nearest(name, defaults.__struct_fields__)
    hint = f"Did you mean '{near}'?" if near else f"The keys here are {', '.join(defaults.__struct_fields__)}."
    return ConfigProblem(
        key=full, line=line, message=f"there is no key '{full}'", hint=hint, word=name, near=near or ""
    )


def _value(section: type[Value], key: Key, node: Node, *, own: bool) -> Any:
    """Return the value of a key. Raises ValueError, which names the key and what is wrong."""
    full = f"{key.section}.{key.name}"
    try:
        given = construct(node)
    except NotYamlError as error:
        raise ValueError(f"'{full}': {error.problem}") from None
    if given is False and "off" in key.words:
        given = "off"  # YAML 1.1 reads the bare word as false
    try:
        value = getattr(from_plain({key.name: given}, section), key.name)
    except ValidationError:
        shown = format_value(given) if isinstance(given, (str, bool, int, float)) else reprlib.repr(given)
        shown = "an empty value" if given is None else f"'{shown[:_MAX_SHOWN]}'"
        raise ValueError(f"'{full}' can't be {shown}") from None
    for check in (key.check, None if own else key.shared):
        if check is not None:
            try:
                check(value)
            except ValueError as error:
                raise ValueError(f"'{full}': {error}") from None
    return value


def _unknown_names(config: Config, node: Node) -> Iterator[ConfigProblem]:
    """Yield a problem for each name of `review.pending` that is neither an actor nor a kind of memory."""
    known = (*ACTORS, *KINDS, *config.memory.kinds)
    for name in config.review.pending:
        if name not in known:
            near = nearest(name, known)
            yield ConfigProblem(
                key="review.pending",
                line=_line_of(node, "review", "pending"),
                message=f"'review.pending' names '{name}', which is neither an actor nor a kind of memory",
                hint=f"Did you mean '{near}'?" if near else f"It takes {', '.join(known)}.",
                word=name,
                near=near or "",
            )


def _line_of(node: Node, *path: str) -> int:
    """Return the line (from 1) of the key at a path; of several with the same name, the last one, which applies."""
    line = 0
    for name in path:
        pairs = node.value if isinstance(node, MappingNode) else ()
        for key, value in pairs:
            if key.value == name:
                line, node = key.start_mark.line + 1, value
    return line
