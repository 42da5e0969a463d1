"""Registers features that concern Muninn's files alone for those files alone, if the client supports it.

A capability in the handshake covers all files. A client with dynamic registration (LSP 3.17, "Register Capability")
gets these features after the handshake, with a document selector. Any other client asks about every file, and gets no
result for files that are not Muninn's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lsprotocol import types

from muninn_core.source.documents.steering import ADR_FOLDERS

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


def take_registrations(
    client: types.ClientCapabilities, server: types.ServerCapabilities, to_plain: Callable[[Any], Any]
) -> list[types.Registration]:
    """Move the features of Muninn's files from the server's capabilities to registrations, and return these.

    `to_plain` converts the protocol's types to plain JSON.
    """
    found = []
    for name, method in _FEATURES:
        known = getattr(client.text_document, name, None)
        options = getattr(server, f"{name}_provider")
        if known is not None and known.dynamic_registration and options:
            setattr(server, f"{name}_provider", None)
            plain: dict[str, Any] = {} if options is True else to_plain(options)
            register_options = {**plain, "documentSelector": SELECTOR}
            found.append(types.Registration(id=f"muninn-{name}", method=method, register_options=register_options))
    return found
