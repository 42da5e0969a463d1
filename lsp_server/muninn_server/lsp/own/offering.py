"""Offers completion and the like for our own files only, to clients that can be told so.

What a server offers in the handshake counts for all files. A client that takes registrations (LSP 3.17, "Register
Capability") is told afterwards, with the places of our files; any other asks for every file, and gets nothing there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lsprotocol import types

from muninn_core.source.steering import ADR_FOLDERS

_PLACES = (".muninn/**", ".claude/*.md", ".metis/**/*.md", *(f"{folder}/*.md" for folder in ADR_FOLDERS))
SELECTOR = [{"scheme": "file", "pattern": f"**/{place}"} for place in _PLACES]

_FEATURES = (
    ("completion", types.TEXT_DOCUMENT_COMPLETION),
    ("definition", types.TEXT_DOCUMENT_DEFINITION),
    ("references", types.TEXT_DOCUMENT_REFERENCES),
    ("document_symbol", types.TEXT_DOCUMENT_DOCUMENT_SYMBOL),
    ("folding_range", types.TEXT_DOCUMENT_FOLDING_RANGE),
    ("semantic_tokens", "textDocument/semanticTokens"),
)


def postponed(
    given: types.ClientCapabilities, offered: types.ServerCapabilities, plain_of: Callable[[Any], Any]
) -> list[types.Registration]:
    """Take what concerns our own files alone out of an offer, and return it as registrations to be sent later.

    `plain_of` makes JSON of the protocol's types.
    """
    found = []
    for name, method in _FEATURES:
        known = getattr(given.text_document, name, None)
        options = getattr(offered, f"{name}_provider")
        if known is not None and known.dynamic_registration and options:
            setattr(offered, f"{name}_provider", None)
            plain: dict[str, Any] = {} if options is True else plain_of(options)
            registered = {**plain, "documentSelector": SELECTOR}
            found.append(types.Registration(id=f"muninn-{name}", method=method, register_options=registered))
    return found
