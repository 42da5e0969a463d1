"""All that an editor is served with: each family of features is a module of its own, and a name in the list below.

A family has a `register(editor, server)`, which hangs its functions on the server. (pygls marks functions; bound
methods can't be marked.)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from muninn_server.lsp import actions, folders, hovers, lenses, links, pages, settings
from muninn_server.lsp.own import completion, faults, lens, navigation, shape

if TYPE_CHECKING:
    from muninn_server.lsp.editor import Editor

FAMILIES = (navigation, hovers, lenses, actions, links, pages, settings, completion, faults, lens, shape)
"""Of several that answer one request the first one's answer comes first."""


def serve(editor: Editor) -> None:
    """Hang an editor's life cycle, its documents and every family on its server."""
    _follow(editor)
    for family in FAMILIES:
        family.register(editor, editor.server)
    folders.register(editor.folders, editor.server)


def _follow(editor: Editor) -> None:
    server = editor.server
    known: list[types.InitializeParams] = []

    @server.feature(types.INITIALIZE)
    def initialize(params: types.InitializeParams) -> None:
        editor.initialized = True
        known.append(params)
        editor.know(params)

    @server.feature(types.INITIALIZED)
    def initialized(_params: types.InitializedParams) -> None:
        (params,) = known
        named = [folder.uri for folder in params.workspace_folders or ()]
        editor.begin(params, named or ([params.root_uri] if params.root_uri else []))

    @server.feature(types.SHUTDOWN)
    def shutdown(_params: None) -> None:
        editor.shut = True

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: types.DidOpenTextDocumentParams) -> None:
        editor.keep(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def changed(params: types.DidChangeTextDocumentParams) -> None:
        editor.keep(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def saved(params: types.DidSaveTextDocumentParams) -> None:
        editor.keep(params.text_document.uri, saved=True)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: types.DidCloseTextDocumentParams) -> None:
        editor.drop(params.text_document.uri)
