"""The `config.yaml` that `muninn init` writes: every key with its default, commented out."""

from __future__ import annotations

from collections.abc import Iterator

from muninn_core.config.description import Key, Section, first_sentence, format_value, sections
from muninn_core.config.schema import SCHEMA_NAME

_HEAD = f"""\
# yaml-language-server: $schema=cache/{SCHEMA_NAME}
# Muninn's settings for this repository. Each key is shown with its default. To change one, remove the "#" before it and
# before its section. A change applies when you save the file.
"""
_WIDTH = 36
"""Columns before the comment of a key."""

_MAX_INLINE = 2
"""Items of a list on one line; a longer list has a line for each item."""


def template_text() -> str:
    """Return the text of the template; read as a config, it is the defaults."""
    return _HEAD + "".join(line + "\n" for section in sections() for line in _lines(section))


def _lines(section: Section) -> Iterator[str]:
    yield ""
    yield _commented(f"{section.name}:", first_sentence(section.about))
    words: tuple[str, ...] = ("true", "false")
    for key in section.keys:  # choices that the key above has, too, are not repeated
        about = _about(key, key.takes if key.words not in ((), words) else "")
        words = key.words or words
        if isinstance(key.default, tuple) and len(key.default) > _MAX_INLINE:
            yield _commented(f"  {key.name}:", about)
            yield from (f"#    - {format_value(each)}" for each in key.default)
        else:
            yield _commented(f"  {key.name}: {format_value(key.default)}", about)


def _about(key: Key, takes: str) -> str:
    """Return the comment of a key, with its unit and the values that it takes, if given."""
    notes = "; ".join(part for part in (key.unit, takes) if part)
    return first_sentence(key.about) + (f" ({notes})" if notes else "")


def _commented(text: str, about: str) -> str:
    return f"{'#' + text:<{_WIDTH}} # {about}"
