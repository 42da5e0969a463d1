"""One editor: its open documents, and what follows when documents, files or memory change.

Handlers take the `Editor` and read its parts. Verbs do not pass through it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from muninn_core.source.documents.muninn_file import own_kind
from muninn_core.worktree.citations.overlays import Overlays
from muninn_server.lsp.annotations import Annotations
from muninn_server.lsp.client import EditorClient, capabilities_of
from muninn_server.lsp.coalescing import Coalescer
from muninn_server.lsp.configuration import follow_settings
from muninn_server.lsp.diagnostics import Diagnostics
from muninn_server.lsp.index_progress import show_index_progress
from muninn_server.lsp.positions import MAX_CHARS
from muninn_server.lsp.reviews import REVIEWS, handle_reviews
from muninn_server.lsp.server import EDITOR_COMMANDS
from muninn_server.lsp.settings import Settings, settings_of
from muninn_server.lsp.virtual_documents import VirtualDocuments
from muninn_server.lsp.workspace_folders import WorkspaceFolders

if TYPE_CHECKING:
    from muninn_server.session import Session

REFRESH_SECONDS = 0.25
"""How long changes are gathered before the editor is asked to refresh."""

PUBLISH_SECONDS = 0.3
"""How long a text must be unchanged before its diagnostics are pushed."""

PREVIEW_SECONDS = 0.5
"""How long a context file must be unchanged before the preview of its pack is refreshed."""

REFERRING_SECONDS = 1.0
"""How long a text must be unchanged before the open Muninn files, which may refer to it, are checked again."""

_REFRESH = "refresh"
_REFERRING = "referring"


class Editor:
    """One editor. `send` takes whole frames, and drops them after the editor disconnects."""

    def __init__(self, session: Session, send: Callable[[bytes], None]) -> None:
        self.initialized = False
        self.shut_down = False
        self.client = EditorClient(session, send)
        self.server = self.client.server
        self.annotations = Annotations(self.client, self._refresh_soon)
        self.diagnostics = Diagnostics(self.client, self.annotations)
        self.virtual_documents = VirtualDocuments(self.client)
        self.folders = WorkspaceFolders(self.client)
        self.packs: Coalescer[list[types.CodeLens]] = Coalescer()
        self._session = session
        self._session.buffers = self._overlays = Overlays()
        self._unsubscribe: Callable[[], None] = lambda: None
        self._open: dict[str, None] = {}
        handle_reviews(self.client)

    # --- life cycle ---

    def initialize(self, params: types.InitializeParams) -> None:
        """Take the client's capabilities and settings from the handshake."""
        self.initialized = True
        self.client.settings = settings_of(params.initialization_options, self.client.settings)
        self.client.capabilities = capabilities_of(params)

    def start(self, params: types.InitializeParams) -> None:
        """Begin after the handshake: follow changes, register capabilities, show the progress of the index."""
        folders = [folder.uri for folder in params.workspace_folders or ()]
        self.folders.add(folders or ([params.root_uri] if params.root_uri else []))
        loop = asyncio.get_running_loop()

        def on_change(paths: frozenset[str] | None) -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(self._changed, paths)

        self._unsubscribe = self._session.engine.trees.files.add(self._session.location.root, on_change)
        self.client.run(follow_settings(self.client, self.apply))
        registrations = list(self.server.protocol.registrations)
        if registrations:
            wanted = types.RegistrationParams(registrations)
            self._request(self.server.client_register_capability_async(wanted))
        window = params.capabilities.window
        if window is not None and window.work_done_progress:
            self.client.run(show_index_progress(self.client))

    def apply(self, settings: Settings) -> None:
        """Apply settings, and refresh the editor if they changed."""
        if settings != self.client.settings:
            self.client.settings = settings
            self._refresh()

    async def close(self) -> None:
        """Stop all work of this editor, and remove its files from the open ones."""
        self._session.engine.open_editors.update(self._session.location.root, self, ())
        self._unsubscribe()
        self.annotations.close()
        await self.client.close()
        self.virtual_documents.close()

    def runs(self, command: str | None) -> bool:
        """Whether the editor's own code runs a command, not the verb of that name."""
        return command in EDITOR_COMMANDS or (command in REVIEWS and not self.client.capabilities.review_menu)

    # --- documents ---

    def keeps(self, message: Any) -> bool:
        """Whether the text of a notification's document is kept: a file of the work tree, or a draft, within limits.

        Records what is open. `message` is a typed `textDocument/did…` notification.
        """
        document = message.params.text_document
        path = self.client.relative(document.uri)
        self._note_open(path, closed=message.method == types.TEXT_DOCUMENT_DID_CLOSE)
        if message.method == types.TEXT_DOCUMENT_DID_OPEN:
            if path is not None and own_kind(path) and len(document.text) > MAX_CHARS:
                self.diagnostics.open_too_long(document.uri, len(document.text))
            kept = path is not None or self.virtual_documents.is_draft(document.uri)
            return kept and len(document.text) <= MAX_CHARS
        if message.method == types.TEXT_DOCUMENT_DID_CLOSE:
            self.diagnostics.close_too_long(document.uri)
        return self.server.open_document(document.uri) is not None

    def edited(self, uri: str) -> None:
        """Take the new text of a document that was opened or changed."""
        document = self.server.open_document(uri)
        path = self.client.relative(uri)
        if document is None or path is None:
            return
        self._overlays.open(path, document.source)
        preview = self.virtual_documents.preview_of(path)
        if preview:
            self.client.debounce(preview, PREVIEW_SECONDS, lambda: self.virtual_documents.refresh(preview))
        if not self.client.capabilities.pull_diagnostics:
            self._publish_soon(uri, PUBLISH_SECONDS if self.client.version_of(uri) > 0 else 0.0)
            if self._open_muninn_files(path):
                self.client.debounce(_REFERRING, REFERRING_SECONDS, lambda: self._check_muninn_files(path))

    def saved(self, uri: str) -> None:
        """Store a saved draft, or check a saved file again."""
        document = self.server.open_document(uri)
        if document is not None and self.virtual_documents.is_draft(uri):
            self.client.run(self.virtual_documents.remember_draft(uri, document.source))
        elif self.client.relative(uri) is not None and not self.client.capabilities.pull_diagnostics:
            self._publish_soon(uri, 0.0, force=True)

    def closed(self, uri: str) -> None:
        """Forget a document that was closed."""
        path = self.client.relative(uri)
        if path is not None:
            self._overlays.close(path)
        self.client.cancel_debounced(uri)
        self.diagnostics.clear(uri)

    def _note_open(self, path: str | None, *, closed: bool) -> None:
        """Record the open files of this editor, the last opened or edited first: a context begins with it."""
        if path is None or (not closed and path == next(iter(self._open), None)):
            return  # outside the work tree, or first already
        self._open.pop(path, None)
        if not closed:
            self._open = {path: None, **self._open}
        self._session.engine.open_editors.update(self._session.location.root, self, tuple(self._open))

    def _publish_soon(self, uri: str, seconds: float, *, force: bool = False) -> None:
        self.client.debounce(uri, seconds, lambda: self.client.run(self.diagnostics.publish(uri, force=force)))

    def _open_muninn_files(self, *without: str) -> list[str]:
        """Return the URIs of open Muninn files. Their diagnostics change with the files that they refer to."""
        found = ((uri, self.client.relative(uri)) for uri in self.server.open_uris())
        return [uri for uri, path in found if path is not None and path not in without and own_kind(path)]

    def _check_muninn_files(self, changed: str) -> None:
        for uri in self._open_muninn_files(changed):
            self.client.run(self.diagnostics.publish(uri))

    # --- refreshes ---

    def _changed(self, paths: frozenset[str] | None) -> None:
        """Refresh after changes of files and memory, None for all. The editor has the text of files that it edits."""
        self.client.epoch += 1
        opened = {self.client.relative(uri) for uri in self.server.open_uris()}
        if paths is not None and paths <= opened and not self._open_muninn_files(*paths):
            return
        self._refresh_soon()

    def _refresh_soon(self) -> None:
        self.client.debounce(_REFRESH, REFRESH_SECONDS, self._refresh)

    def _refresh(self) -> None:
        """Make the client request again what it shows."""
        self.client.epoch += 1
        self.virtual_documents.refresh()
        workspace = self.server.client_capabilities.workspace
        if workspace is not None and workspace.code_lens is not None and workspace.code_lens.refresh_support:
            self._request(self.server.workspace_code_lens_refresh_async(None))
        if workspace is not None and workspace.inlay_hint is not None and workspace.inlay_hint.refresh_support:
            self._request(self.server.workspace_inlay_hint_refresh_async(None))
        if not self.client.capabilities.pull_diagnostics:
            for uri in self.server.open_uris():
                self.client.run(self.diagnostics.publish(uri))
        elif workspace is not None and workspace.diagnostics is not None and workspace.diagnostics.refresh_support:
            self._request(self.server.workspace_diagnostic_refresh_async(None))

    def _request(self, response: Any) -> None:
        """Wait in the background for the client's response to a request."""

        async def wait() -> None:
            await response

        self.client.run(wait())
