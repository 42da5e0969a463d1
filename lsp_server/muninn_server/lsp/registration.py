"""Registers the handler of each request and notification with pygls. One method has one handler."""

from __future__ import annotations

import functools
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from lsprotocol import types

from muninn_server.lsp.configuration import request_settings
from muninn_server.lsp.diagnostics import SOURCE
from muninn_server.lsp.handlers import (
    code_action,
    code_lens,
    completion,
    definition,
    document_content,
    document_link,
    document_symbol,
    folding_range,
    hover,
    inlay_hint,
    pull_diagnostics,
    references,
    rename_files,
    semantic_tokens,
    workspace_symbol,
)
from muninn_server.lsp.settings import SECTION, settings_of

if TYPE_CHECKING:
    from muninn_server.lsp.editor import Editor


class Registration(NamedTuple):
    """The handler of a request, and the options of its capability."""

    method: str
    handler: Callable[[Editor, Any], Awaitable[Any]]
    options: Any = None


REGISTRATIONS = (
    Registration(types.TEXT_DOCUMENT_HOVER, hover.hover),
    Registration(types.TEXT_DOCUMENT_DEFINITION, definition.definition),
    Registration(types.TEXT_DOCUMENT_REFERENCES, references.references),
    Registration(types.TEXT_DOCUMENT_COMPLETION, completion.completion, completion.OPTIONS),
    Registration(types.TEXT_DOCUMENT_CODE_ACTION, code_action.code_action, code_action.OPTIONS),
    Registration(types.TEXT_DOCUMENT_CODE_LENS, code_lens.code_lens, types.CodeLensOptions(resolve_provider=False)),
    Registration(types.TEXT_DOCUMENT_INLAY_HINT, inlay_hint.inlay_hint, types.InlayHintOptions(resolve_provider=False)),
    Registration(
        types.TEXT_DOCUMENT_DOCUMENT_LINK,
        document_link.document_link,
        types.DocumentLinkOptions(resolve_provider=False),
    ),
    Registration(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL, document_symbol.document_symbol),
    Registration(types.TEXT_DOCUMENT_FOLDING_RANGE, folding_range.folding_range),
    Registration(
        types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, semantic_tokens.semantic_tokens_full, semantic_tokens.LEGEND
    ),
    Registration(types.WORKSPACE_SYMBOL, workspace_symbol.workspace_symbol),
    Registration(types.WORKSPACE_WILL_RENAME_FILES, rename_files.will_rename_files, rename_files.OPTIONS),
    Registration(types.WORKSPACE_TEXT_DOCUMENT_CONTENT, document_content.text_document_content),
)

PULL_DIAGNOSTICS = Registration(
    types.TEXT_DOCUMENT_DIAGNOSTIC,
    pull_diagnostics.document_diagnostic,
    types.DiagnosticOptions(inter_file_dependencies=True, workspace_diagnostics=False, identifier=SOURCE),
)
"""Registered during the handshake with a client that pulls."""


def register(editor: Editor) -> None:
    """Register all handlers of one editor."""
    for registration in REGISTRATIONS:
        _register(editor, registration)
    _register_life_cycle(editor)
    _register_documents(editor)
    _register_workspace(editor)


def _register(editor: Editor, registration: Registration) -> None:
    handler = functools.partial(registration.handler, editor)
    editor.server.handle(registration.method, handler, registration.options)


def _register_life_cycle(editor: Editor) -> None:
    handshake: list[types.InitializeParams] = []

    @editor.server.feature(types.INITIALIZE)
    def initialize(params: types.InitializeParams) -> None:
        handshake.append(params)
        editor.initialize(params)
        if editor.client.capabilities.pull_diagnostics:
            _register(editor, PULL_DIAGNOSTICS)

    @editor.server.feature(types.INITIALIZED)
    def initialized(_params: types.InitializedParams) -> None:
        (params,) = handshake
        editor.start(params)

    @editor.server.feature(types.SHUTDOWN)
    def shutdown(_params: None) -> None:
        editor.shut_down = True


def _register_documents(editor: Editor) -> None:
    @editor.server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def did_open(params: types.DidOpenTextDocumentParams) -> None:
        editor.edited(params.text_document.uri)

    @editor.server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def did_change(params: types.DidChangeTextDocumentParams) -> None:
        editor.edited(params.text_document.uri)

    @editor.server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def did_save(params: types.DidSaveTextDocumentParams) -> None:
        editor.saved(params.text_document.uri)

    @editor.server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def did_close(params: types.DidCloseTextDocumentParams) -> None:
        editor.closed(params.text_document.uri)


def _register_workspace(editor: Editor) -> None:
    @editor.server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    def did_change_workspace_folders(params: types.DidChangeWorkspaceFoldersParams) -> None:
        editor.folders.add(folder.uri for folder in params.event.added)

    @editor.server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    def did_change_configuration(params: types.DidChangeConfigurationParams) -> None:
        given: Any = params.settings
        if isinstance(given, dict) and given.get(SECTION):
            editor.apply(settings_of(given, editor.client.settings))
        else:
            editor.client.run(request_settings(editor.client, editor.apply))
