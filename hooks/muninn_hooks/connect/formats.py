"""Adds pieces to the text of a file and removes them, in each format."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from muninn_core.errors import UsageError
from muninn_core.model.value import Value
from muninn_hooks.connect import members
from muninn_hooks.connect.documents import Json, Toml
from muninn_hooks.connect.fragments import Block, Whole

if TYPE_CHECKING:
    from muninn_hooks.connect.documents import Document
    from muninn_hooks.connect.fragments import Piece

BEGIN = "<!-- muninn: begin; `muninn uninstall agents-md` takes these lines out -->"
END = "<!-- muninn: end -->"
_BLOCK = re.compile(
    r"(?:\r?\n)?<!-- muninn: begin(?:(?!<!-- muninn: begin).)*?<!-- muninn: end -->(?:\r?\n)?", re.DOTALL
)
"""Muninn's lines in a text. A first line whose end is missing begins none: what follows it is the user's."""

_OURS = re.compile(r"[^\n]*Written by `muninn install")
"""The beginning of a file that Muninn wrote as a whole, in a comment of its language."""


class Content(Value):
    """The pieces of one file, all of the kinds that its format supports."""

    pieces: tuple[Piece, ...]
    toml: bool = False

    def add(self, text: str) -> str:
        """Return the text with the pieces. Raises UsageError for an invalid text or a foreign file."""
        first = self.pieces[0]
        if isinstance(first, Whole):
            if text and not _OURS.match(text):
                raise UsageError("this file is not Muninn's", hint="Rename or remove it, then try again.")
            return first.text
        if isinstance(first, Block):
            return _with_block(text, f"{BEGIN}\n{first.text.strip()}\n{END}\n")
        document = self._open(text)
        members.add(document, self.pieces)
        return document.text

    def remove(self, text: str) -> str:
        """Return the text without the pieces, "" if nothing is left. Raises UsageError as `add`."""
        first = self.pieces[0]
        if isinstance(first, Whole):
            return "" if _OURS.match(text) else text
        if isinstance(first, Block):
            return _BLOCK.sub("", text)
        document = self._open(text)
        members.remove(document, self.pieces)
        return document.text if document.text == text or document.text.strip(" \t\r\n{}") else ""

    def _open(self, text: str) -> Document:
        return Toml(text) if self.toml else Json(text)


def _with_block(text: str, block: str) -> str:
    """Replace the block, or append it after a blank line."""
    newline = "\r\n" if "\r\n" in text else "\n"
    block = block.replace("\n", newline)
    found = _BLOCK.search(text)
    if found:
        lead = newline if found[0].startswith(("\r", "\n")) else ""
        return text[: found.start()] + lead + block + text[found.end() :]
    if not text:
        return block
    return text + newline * (1 if text.endswith("\n") else 2) + block
