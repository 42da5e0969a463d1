"""Markdown of texts from a repository: escaped, linked, folded. Text of memories can not pass for the editor's own."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import quote

NAME_LENGTH = 60
"""The maximum number of characters of a title in an address."""

_STRANGE = re.compile(r"[^\w .-]+")
_MARKS = re.compile(r"([\\`*\[\]<|]|(?<![^\W_])_|_(?![^\W_]))")
"""Characters with a meaning in markdown. An underscore within a word has none (CommonMark 0.31, 6.2)."""

_STARTS = re.compile(r"^([ \t]*)([#>])", re.MULTILINE)
"""Headings and quotations, which have these characters at the start of a line (CommonMark 0.31, 4.2 and 5.1)."""

_BLOCKS = re.compile(r"^(\d*)([-+=~.)])")
"""What begins a list, a fence, a rule or an underlined heading (CommonMark 0.31, 4.1 to 4.5 and 5.2)."""

Link = Callable[[str, str], str]
"""Returns the address of a target: ("memory", id), ("file", path), ("line", "path:number"), ("commit", sha) or
("notes", path); "" for a target without an address.
"""


def address_part(identity: str, title: str) -> str:
    """Return the last part of a memory's address: the id, a slash and the title.

    Editors show the last part as the title of a tab or peek. A long title is cut after a whole word.
    """
    name = " ".join(_STRANGE.sub(" ", title).split())
    if len(name) > NAME_LENGTH:
        name = name[: NAME_LENGTH + 1].rpartition(" ")[0] or name[:NAME_LENGTH]
    name = name.strip(" .")
    return f"{identity}/{name}" if name else identity


def markdown_link(text: str, address: str) -> str:
    """Return a markdown link, or the escaped text alone for an empty address."""
    return f"[{escape(text)}]({address})" if address else escape(text)


def command_link(text: str, command: str, argument: Mapping[str, Any]) -> str:
    """Return a link that runs a command of the server with one argument, in an editor that allows `command:` links."""
    return f"[{escape(text)}](command:{command}?{quote(json.dumps([argument]), safe='')})"


def folded(title: str, text: str) -> str:
    """Return a text that a reader opens by its title, as HTML within markdown (`details`, `summary`)."""
    return f"<details><summary>{escape(title)}</summary>\n\n{text}\n\n</details>"


def quoted(text: str) -> str:
    """Return a text as a quotation, line by line, with its markdown escaped."""
    return "\n".join(f"> {escape(line)}".rstrip() for line in text.split("\n"))


def paragraphs(text: str) -> str:
    """Return a text as one paragraph a line, with its markdown escaped: none of it begins a list, a fence or a rule."""
    lines = (_BLOCKS.sub(r"\1\\\2", escape(line.strip())) for line in text.split("\n"))
    return "\n\n".join(line for line in lines if line)


def escape(text: str) -> str:
    """Escape the characters that have a meaning in markdown."""
    return _STARTS.sub(r"\1\\\2", _MARKS.sub(r"\\\1", text))
