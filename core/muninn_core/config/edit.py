"""Sets and unsets one key in the text of a config file. Comments and all other lines stay as they are."""

from __future__ import annotations

import re

from muninn_core.config.description import Key, format_value
from muninn_core.yaml_text import MappingNode, Node, NotYamlError, compose


def set_value(text: str, key: Key, value: object) -> str:
    """Return the text with a key set. A commented line of the template becomes the key's line.

    `value` is a scalar or a sequence of scalars. Raises ValueError for a text that is not YAML, or whose section is
    written in braces.
    """
    section = _find(_compose(text), key.section)
    if section is None:
        return _set_in_new_section(text, key, value)
    _check_block(section[1], key)
    found = _find(section[1], key.name)
    if found is None:
        return _insert(text, key, value, section)
    name, node = found
    end = node.start_mark.index + len(text[node.start_mark.index : node.end_mark.index].rstrip())
    return f"{text[: name.end_mark.index]}: {format_value(value)}{text[max(end, name.end_mark.index + 1) :]}"


def unset_value(text: str, key: Key) -> str:
    """Return the text without a key; unchanged if the key is not set. Raises ValueError as `set_value` does."""
    section = _find(_compose(text), key.section)
    found = _find(section[1], key.name) if section is not None else None
    if section is None or found is None:
        return text
    _check_block(section[1], key)
    lines = text.splitlines(keepends=True)
    name, node = found
    first = name.start_mark.line
    last = first + text[name.start_mark.index : node.end_mark.index].rstrip().count("\n")
    return "".join(lines[:first] + lines[last + 1 :])


def _compose(text: str) -> Node | None:
    try:
        return compose(text)
    except NotYamlError as error:
        raise ValueError(f"the file is not YAML: {error.problem}") from None


def _find(node: Node | None, name: str) -> tuple[Node, Node] | None:
    """Return the nodes of a key and its value in a mapping; of several with one name the last, which applies."""
    pairs = node.value if isinstance(node, MappingNode) else []
    return next(((key, value) for key, value in reversed(pairs) if key.value == name), None)


def _check_block(section: Node, key: Key) -> None:
    if isinstance(section, MappingNode) and section.flow_style:
        raise ValueError(f"the section '{key.section}' is written in braces; edit it by hand")


def _set_in_new_section(text: str, key: Key, value: object) -> str:
    """Uncomment the section's line of the template, or append the section."""
    commented = re.compile(rf"^#{re.escape(key.section)}:", re.MULTILINE)
    if commented.search(text):
        uncommented = commented.sub(f"{key.section}:", text, count=1)
        section = _find(_compose(uncommented), key.section)
        if section is not None:
            return _insert(uncommented, key, value, section)
    end = "" if not text or text.endswith("\n") else "\n"
    return f"{text}{end}{key.section}:\n  {key.name}: {format_value(value)}\n"


def _insert(text: str, key: Key, value: object, section: tuple[Node, Node]) -> str:
    """Add a key to a section: in place of its commented line, else as the first key."""
    lines = text.splitlines(keepends=True)
    head, mapping = section
    indent = mapping.value[0][0].start_mark.column if isinstance(mapping, MappingNode) and mapping.value else 2
    written = f"{' ' * indent}{key.name}: {format_value(value)}"
    first = head.start_mark.line + 1
    for number in range(first, len(lines)):
        if re.match(r"#?\w", lines[number]):
            break  # the next section
        if re.match(rf"#\s+{re.escape(key.name)}:", lines[number]):
            comment = lines[number].rstrip("\n").partition(" # ")[2]
            rest = number + 1
            while rest < len(lines) and re.match(r"#\s+- ", lines[rest]):
                rest += 1  # the items of a commented list
            return "".join([*lines[:number], f"{written}{' # ' + comment if comment else ''}\n", *lines[rest:]])
    if not lines[first - 1].endswith("\n"):
        lines[first - 1] += "\n"
    return "".join([*lines[:first], f"{written}\n", *lines[first:]])
