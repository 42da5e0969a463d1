"""One editor: its life cycle, its documents, hover, diagnostics and progress. Verbs do not come here."""

from __future__ import annotations

import asyncio
import logging
import os
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from muninn_core.context.hover import hover_markdown
from muninn_core.errors import BadParams, MuninnError, NotARepository, NotInitialised, UnknownVerb
from muninn_core.launch.place import locate
from muninn_core.protocol.methods import METHODS, nearest
from muninn_server.lsp.diagnostics import checked, underlines
from muninn_server.lsp.server import Refused, Server, answerable, new_server, path_of, structure
from muninn_server.rpc import error_frame
from muninn_server.session import error_of

if TYPE_CHECKING:
    from muninn_core.engine.scope import Progress
    from muninn_core.protocol.results import IndexResult, MemoriesResult, StatusResult
    from muninn_server.session import Session

log = logging.getLogger("muninn.lsp")

CONSIDERED = 100
"""Memories of a file from which a hover takes the best."""

_TOKEN = "muninn-index"

_DOCUMENT_EVENTS = {
    types.TEXT_DOCUMENT_DID_OPEN,
    types.TEXT_DOCUMENT_DID_CHANGE,
    types.TEXT_DOCUMENT_DID_SAVE,
    types.TEXT_DOCUMENT_DID_CLOSE,
}


class Editor:
    """One editor. `send` takes whole frames; it drops them when the editor is gone."""

    def __init__(self, session: Session, send: Callable[[bytes], None]) -> None:
        self.initialized = False
        self.shut = False
        self._session = session
        self._send = send
        self._tasks: set[asyncio.Task[None]] = set()
        self._open: dict[str, None] = {}
        self._server = new_server(send)
        _register(self, self._server)

    def request(self, message: dict[str, Any]) -> None:
        """Answer a request of the protocol, now or later. What does not fit its type gets an error."""
        method, number = message["method"], message["id"]
        if method not in types.METHOD_TO_TYPES:
            near = nearest(method, [*types.METHOD_TO_TYPES, *(known.name for known in METHODS.values())])
            hint = f"Did you mean '{near}'?" if near else "Verbs are named muninn/<verb>."
            self._send(error_frame(number, UnknownVerb(f"there is no method '{method}'", hint=hint)))
            return
        if method == types.INITIALIZE and self.initialized:
            self._send(error_frame(number, BadParams("'initialize' is sent once")))
            return
        try:
            typed = structure(message)
        except BadParams as error:
            self._send(error_frame(number, error))
            return
        self._server.protocol.handle_message(typed)

    def notify(self, message: dict[str, Any]) -> None:
        """Take a notification. The text of other files than knowledge is not kept: nobody here reads it."""
        method = message["method"]
        if method not in types.METHOD_TO_TYPES:
            return
        try:
            typed = structure(message)
        except BadParams as error:
            log.error("%s", error.message)  # a notification has no answer
            return
        if method in _DOCUMENT_EVENTS:
            path = self.relative(typed.params.text_document.uri)
            self._note_open(method, path)
            if not checked(path or ""):
                return
        self._server.protocol.handle_message(typed)

    def _note_open(self, method: str, path: str | None) -> None:
        """Put on the desk what is open here, the last opened or edited first: a context begins with it."""
        closed = method == types.TEXT_DOCUMENT_DID_CLOSE
        if path is None or (not closed and path == next(iter(self._open), None)):
            return  # elsewhere, or the one that is being typed in
        self._open.pop(path, None)
        if not closed:
            self._open = {path: None, **self._open}
        self._session.engine.desk.put(self._session.place.root, self, tuple(self._open))

    def answer(self, message: dict[str, Any]) -> None:
        """Take the client's answer to a request of ours."""
        protocol = self._server.protocol
        if message.get("id") in protocol.open_requests:
            protocol.handle_message(protocol.structure_message(message))

    def cancel(self, number: str | int) -> bool:
        """Cancel a request of the protocol; False when there is no such request (any more)."""
        future = self._server.protocol.open_requests.get(number)
        return future is not None and future.cancel()

    async def close(self) -> None:
        """Stop what still runs for this editor, and take its files off the desk."""
        self._session.engine.desk.put(self._session.place.root, self, ())
        tasks: list[Any] = [*self._tasks]
        for future in [*tasks, *self._server.protocol.open_requests.values()]:
            future.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def relative(self, uri: str) -> str | None:
        """Return a document's path relative to the work tree, with slashes; None for one that is elsewhere."""
        path = path_of(uri)
        if not path:
            return None
        root = self._session.place.root
        for candidate in (os.path.normpath(path), os.path.realpath(path)):
            if candidate.startswith(root.rstrip(os.sep) + os.sep):
                return os.path.relpath(candidate, root).replace(os.sep, "/")
        return None

    async def hover(self, params: types.HoverParams) -> types.Hover | None:
        """Return the memories about a file, those about the line first."""
        path = self.relative(params.text_document.uri)
        if path is None:
            return None
        line = params.position.line + 1
        cancelled = threading.Event()

        def finish(result: MemoriesResult) -> str | None:
            return hover_markdown(result.memories, path, line, result.citations, result.origin, result.mentions)

        asked = {"file": path, "limit": CONSIDERED}
        try:
            text = await self._session.call("memories", asked, finish, cancelled=cancelled)  # type: ignore[arg-type]
        except NotInitialised:
            return None  # nothing can be remembered here yet
        except asyncio.CancelledError:
            cancelled.set()
            raise
        except Exception as error:
            raise answerable(error_of(error, "memories")) from None
        return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, text)) if text else None

    async def check(self, uri: str) -> None:
        """Publish what is wrong with an open knowledge file or steering document, unless it changes meanwhile."""
        document = self._server.workspace.get_text_document(uri)
        text, version = document.source, document.version
        spans = await asyncio.to_thread(underlines, self.relative(uri) or "", text)
        if uri not in self._server.workspace.text_documents or document.version != version:
            return
        lines = text.split("\n")
        to_client = document.position_codec.range_to_client_units
        found = [
            types.Diagnostic(
                to_client(
                    lines, types.Range(types.Position(span.line, span.start), types.Position(span.line, span.end))
                ),
                span.message,
                severity=types.DiagnosticSeverity.Warning,
                source="muninn",
            )
            for span in spans
        ]
        self._server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, found, version))

    def begin(self, folders: list[str]) -> None:
        """Do what follows the handshake: warn of a wrong folder, show how far the index is."""
        if folders and not any(self._is_ours(uri) for uri in folders):
            self._server.window_show_message(
                types.ShowMessageParams(
                    types.MessageType.Warning,
                    f"Muninn serves {self._session.place.root}, which is not the folder that this editor has open. "
                    "Start `muninn lsp` in that folder, or give it with --repo.",
                )
            )
        window = self._server.client_capabilities.window
        if window is not None and window.work_done_progress:
            task = asyncio.get_running_loop().create_task(self._show_indexing())
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    def _is_ours(self, uri: str) -> bool:
        path = path_of(uri)
        try:
            return path is not None and locate(path).identity == self._session.place.identity
        except NotARepository:
            return False

    async def _show_indexing(self) -> None:
        """Show the editor's progress bar while the first index is built."""
        cancelled = threading.Event()
        try:
            state = await self._session.call("status", {}, _index_state)  # type: ignore[arg-type]
            if state not in ("opening", "building"):
                return
            bar = self._server.work_done_progress
            await bar.create_async(_TOKEN)
            bar.begin(_TOKEN, types.WorkDoneProgressBegin(title="Muninn", message="indexing", percentage=0))

            def report(value: Progress) -> None:
                if value.kind == "report":
                    step = types.WorkDoneProgressReport(message=value.message, percentage=value.percentage)
                    bar.report(_TOKEN, step)

            message = "the index could not be built"
            try:
                message = await self._session.call(
                    "index",
                    {"wait": True},
                    _indexed,  # type: ignore[arg-type]
                    progress=report,
                    cancelled=cancelled,
                )
            finally:
                bar.end(_TOKEN, types.WorkDoneProgressEnd(message=message))
        except (MuninnError, Refused):
            pass  # `status` says what is wrong; a bar that the client refuses is no loss
        finally:
            cancelled.set()


def _index_state(result: StatusResult) -> str:
    return result.index.state if result.mode != "uninitialised" else ""


def _indexed(result: IndexResult) -> str:
    return f"{result.files} files indexed"


def _register(editor: Editor, server: Server) -> None:
    """Hang the editor's features on the server. (pygls marks functions; bound methods can't be marked.)"""
    folders: list[str] = []

    @server.feature(types.INITIALIZE)
    def initialize(params: types.InitializeParams) -> None:
        editor.initialized = True
        named = [folder.uri for folder in params.workspace_folders or ()]
        folders.extend(named or ([params.root_uri] if params.root_uri else []))

    @server.feature(types.INITIALIZED)
    def initialized(_params: types.InitializedParams) -> None:
        editor.begin(folders)

    @server.feature(types.SHUTDOWN)
    def shutdown(_params: None) -> None:
        editor.shut = True

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def hover(params: types.HoverParams) -> types.Hover | None:
        return await editor.hover(params)

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    async def opened(params: types.DidOpenTextDocumentParams) -> None:
        await editor.check(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    async def changed(params: types.DidChangeTextDocumentParams) -> None:
        await editor.check(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    async def saved(params: types.DidSaveTextDocumentParams) -> None:
        await editor.check(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: types.DidCloseTextDocumentParams) -> None:
        server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(params.text_document.uri, []))
