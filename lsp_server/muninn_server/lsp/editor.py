"""One editor: its life cycle, its documents, and what all of its features need. Verbs do not come here.

It knows no family of features by name, but what it must see to by itself: doubts that are pushed, drafts, settings.
"""

from __future__ import annotations

import asyncio
import logging
import os
import threading
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from lsprotocol import types

from muninn_core.errors import BadParams, MuninnError, NotInitialised, UnknownVerb
from muninn_core.near_match import nearest
from muninn_core.protocol.catalogue import METHODS
from muninn_core.source.muninn_file import kind_of
from muninn_core.worktree.overlays import Overlays
from muninn_server.lsp import findings, folders, pages, settings
from muninn_server.lsp.annotations import Annotations
from muninn_server.lsp.indexing import show_indexing
from muninn_server.lsp.own.turns import Turns
from muninn_server.lsp.server import Refused, answerable, new_server, path_of, structure
from muninn_server.lsp.texts import MOST_CHARS
from muninn_server.rpc import error_frame
from muninn_server.session import error_of

if TYPE_CHECKING:
    from muninn_server.session import Session

T = TypeVar("T")
log = logging.getLogger("muninn.lsp")

REFRESH_SECONDS = 0.25
"""How long changes are gathered before the editor is told that what it shows may be old."""

PREVIEW_SECONDS = 0.5
"""How long a context file must rest before its pack is shown anew where it is open."""

REFERRING_SECONDS = 1.0
"""How long a text must rest before the open files of ours that may refer to it are checked again."""

_PRIVATE = (".muninn/local/", ".muninn/cache/", ".git/")
"""Where no memory speaks of anything."""

_DOCUMENT_EVENTS = {
    types.TEXT_DOCUMENT_DID_OPEN,
    types.TEXT_DOCUMENT_DID_CHANGE,
    types.TEXT_DOCUMENT_DID_SAVE,
    types.TEXT_DOCUMENT_DID_CLOSE,
}


class Editor:
    """One editor. `send` takes whole frames; it drops them when the editor is gone.

    `epoch` counts the changes of memory and files. `virtual`: it can open `muninn:` documents; `pulls`: it asks for
    diagnostics; `takes_related`: it shows related information. `too_long` are open files of ours whose text is not
    kept, with their lengths.
    """

    def __init__(self, session: Session, send: Callable[[bytes], None]) -> None:
        self.initialized = False
        self.shut = False
        self.epoch = 0
        self.virtual = False
        self.pulls = False
        self.takes_related = False
        self.settings = settings.Settings()
        self.too_long: dict[str, int] = {}
        self.published: dict[str, tuple[str, int | None]] = {}
        self.shown: set[str] = set()
        self.annotations = Annotations(self)
        self.checks: Turns[list[types.Diagnostic]] = Turns()
        self._session = session
        self._session.buffers = self._buffers = Overlays()
        self._send = send
        self._tasks: set[asyncio.Task[None]] = set()
        self._later: dict[str, asyncio.TimerHandle] = {}
        self._unheard: Callable[[], None] = lambda: None
        self._open: dict[str, None] = {}
        self.server = new_server(send)
        self.pages = pages.Pages(self, self.server)
        self.folders = folders.Folders(session.place, self.server)

    # --- what the face hands over ---

    def request(self, message: dict[str, Any]) -> None:
        """Answer a request of the protocol, now or later. What does not fit its type gets an error."""
        method, number = message["method"], message["id"]
        if method not in types.METHOD_TO_TYPES:
            near = nearest(method, [*types.METHOD_TO_TYPES, *(known.name for known in METHODS.values())])
            hint = f"Did you mean '{near}'?" if near else "Verbs are named muninn/<verb>."
            self._send(error_frame(number, UnknownVerb(f"there is no method '{method}'", hint=hint)))
            return
        if types.METHOD_TO_TYPES[method][1] is None:
            self._send(error_frame(number, UnknownVerb(f"'{method}' has no answer", hint="Send it without an 'id'.")))
            return
        if method == types.INITIALIZE and self.initialized:
            self._send(error_frame(number, BadParams("'initialize' is sent once")))
            return
        try:
            typed = structure(message)
        except BadParams as error:
            self._send(error_frame(number, error))
            return
        self.server.protocol.handle_message(typed)

    def notify(self, message: dict[str, Any]) -> None:
        """Take a notification. The text of files of the work tree is kept, that of others is nobody's affair here."""
        method = message["method"]
        if method not in types.METHOD_TO_TYPES:
            return
        try:
            typed = structure(message)
        except BadParams as error:
            log.error("%s", error.message)  # a notification has no answer
            return
        if method in _DOCUMENT_EVENTS:
            self._note_open(method, self.relative(typed.params.text_document.uri))
            if not self._is_kept(typed):
                return
        self.server.protocol.handle_message(typed)

    def _is_kept(self, typed: Any) -> bool:
        document = typed.params.text_document
        if typed.method == types.TEXT_DOCUMENT_DID_OPEN:
            path = self.relative(document.uri)
            if path is not None and kind_of(path) and len(document.text) > MOST_CHARS:
                self.too_long[document.uri] = len(document.text)
                findings.tell_too_long(self, self.server, document.uri)
            return (path is not None or self.pages.is_draft(document.uri)) and len(document.text) <= MOST_CHARS
        closed = typed.method == types.TEXT_DOCUMENT_DID_CLOSE
        if closed and self.too_long.pop(document.uri, None) is not None and not self.pulls:
            self.server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(document.uri, []))
        return document.uri in self.server.workspace.text_documents

    def _note_open(self, method: str, path: str | None) -> None:
        """Put on the desk what is open here, the last opened or edited first: a context begins with it."""
        closed = method == types.TEXT_DOCUMENT_DID_CLOSE
        if path is None or (not closed and path == next(iter(self._open), None)):
            return  # elsewhere, or the one that is being typed in
        self._open.pop(path, None)
        if not closed:
            self._open = {path: None, **self._open}
        self._session.engine.desk.update(self._session.place.root, self, tuple(self._open))

    def answer(self, message: dict[str, Any]) -> None:
        """Take the client's answer to a request of ours; one that does not fit is a refusal."""
        self.server.protocol.take_answer(message)

    def cancel(self, number: str | int) -> bool:
        """Cancel a request of the protocol; False when there is no such request (any more)."""
        future = self.server.protocol.open_requests.get(number)
        return future is not None and future.cancel()

    async def close(self) -> None:
        """Stop what still runs for this editor, and take its files off the desk."""
        self._session.engine.desk.update(self._session.place.root, self, ())
        self._unheard()
        self.annotations.close()
        for timer in self._later.values():
            timer.cancel()
        running: list[Any] = [*self._tasks]
        for future in [*running, *self.server.protocol.open_requests.values()]:
            future.cancel()
        await asyncio.gather(*running, return_exceptions=True)
        self.pages.close()

    # --- what the features use ---

    async def call(
        self, verb: str, params: Any, finish: Callable[[Any], T], progress: Callable[[Any], None] | None = None
    ) -> T:
        """Call a verb; cancelling this cancels it. Raises MuninnError."""
        cancelled = threading.Event()
        try:
            return await self._session.call(verb, params, finish, progress=progress, cancelled=cancelled)
        except asyncio.CancelledError:
            cancelled.set()
            raise

    async def ask(self, verb: str, params: Any, finish: Callable[[Any], T], *, strict: bool = False) -> T | None:
        """Call a verb for an answer of the protocol: None where nothing can be remembered yet, unless `strict`.

        Raises the error to answer with, or BadParams.
        """
        try:
            return await self.call(verb, params, finish)
        except NotInitialised as error:
            if strict:
                raise answerable(error) from None
            return None
        except asyncio.CancelledError:
            raise
        except Exception as error:
            if isinstance(error, BadParams) and not strict:
                raise
            raise answerable(error_of(error, verb)) from None

    def relative(self, uri: str) -> str | None:
        """Return a document's path relative to the work tree, with slashes; None for one that is elsewhere."""
        path = path_of(uri)
        if not path or "\0" in path:
            return None
        below = self._session.place.root.rstrip(os.sep) + os.sep
        for plain in (os.path.normpath, os.path.realpath):  # the second one asks the system about each folder
            candidate = plain(path)
            if candidate.startswith(below):
                return candidate.removeprefix(below).replace(os.sep, "/")
        return None

    def source_path(self, uri: str) -> str | None:
        """Return the path of a file that memories may speak of; None for what is elsewhere, or our own private part."""
        path = self.relative(uri)
        private = path is not None and path.startswith(_PRIVATE)
        return None if private else path

    def uri_of(self, path: str) -> str:
        """Return the address of a file of the work tree."""
        return Path(self._session.place.root, path).as_uri()

    def version_of(self, uri: str) -> int:
        """Return the version of an open document, -1 for one that is not open."""
        document = self.server.workspace.text_documents.get(uri)
        return -1 if document is None or document.version is None else document.version

    def set(self, wanted: settings.Settings) -> None:
        """Take over settings, and have what is shown asked for anew."""
        if wanted != self.settings:
            self.settings = wanted
            self._refresh()

    def look_again(self) -> None:
        """Have what is shown asked for anew, since an answer had no time for all of it."""
        self._soon("", REFRESH_SECONDS, self._refresh)

    # --- documents ---

    def keep(self, uri: str, *, saved: bool = False) -> None:
        """Take over the text of an open document, and see to what follows from it."""
        document = self.server.workspace.text_documents[uri]
        path = self.relative(uri)
        if saved and self.pages.is_draft(uri):
            self._run(self.pages.saved(uri, document.source))
        elif path is not None:
            if not saved:
                self._buffers.open(path, document.source)
                preview = self.pages.preview_of(path)
                if preview:
                    self._soon(preview, PREVIEW_SECONDS, lambda: self.pages.refresh(preview))
            if not self.pulls:
                quiet = findings.QUIET_SECONDS if self.version_of(uri) > 0 and not saved else 0.0
                self._soon(uri, quiet, lambda: self._run(findings.push(self, self.server, uri, again=saved)))
                if not saved and self._ours(path):
                    self._soon("ours", REFERRING_SECONDS, lambda: self._check_ours(path))

    def drop(self, uri: str) -> None:
        """Forget a document that was closed."""
        path = self.relative(uri)
        if path is not None:
            self._buffers.close(path)
        timer = self._later.pop(uri, None)
        if timer is not None:
            timer.cancel()
        if self.published.pop(uri, None) is not None:
            self.server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))

    # --- the editor's life ---

    def begin(self, given: types.InitializeParams, named: list[str]) -> None:
        """Do what follows the handshake: name foreign folders, hear of changes, show how far the index is."""
        self.folders.take(named)
        loop = asyncio.get_running_loop()

        def heard(paths: frozenset[str] | None) -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(self._changed, paths)

        self._unheard = self._session.engine.trees.files.add(self._session.place.root, heard)
        self._run(settings.follow(self, self.server))
        registrations = list(self.server.protocol.postponed)
        if registrations:
            wanted = types.RegistrationParams(registrations)
            self._run(_asked(self.server.client_register_capability_async(wanted)))
        window = given.capabilities.window
        if window is not None and window.work_done_progress:
            self._run(show_indexing(self, self.server))

    def know(self, given: types.InitializeParams) -> None:
        """Take note of what the client can do and how it is set."""
        options = given.initialization_options
        self.settings = settings.settings_of(options, self.settings)
        workspace, document = given.capabilities.workspace, given.capabilities.text_document
        asks = isinstance(options, dict) and options.get("virtualDocuments") is True
        self.virtual = asks or (workspace is not None and workspace.text_document_content is not None)
        publish = document.publish_diagnostics if document is not None else None
        pull = document.diagnostic if document is not None else None
        self.takes_related = bool(
            (publish and publish.related_information) or (pull and getattr(pull, "related_information", False))
        )
        findings.register(self, self.server, given.capabilities)

    def _changed(self, paths: frozenset[str] | None) -> None:
        """Take note of changes; of files that are open here the editor knows by itself, if no other refers to them."""
        self.epoch += 1
        opened = {self.relative(uri) for uri in self.server.workspace.text_documents}
        if paths is not None and paths <= opened and not self._ours(*paths):
            return
        self._soon("", REFRESH_SECONDS, self._refresh)

    def _ours(self, *without: str) -> list[str]:
        """Return the addresses of open files of ours: what they say of another file changes with that file."""
        found = ((uri, self.relative(uri)) for uri in self.server.workspace.text_documents)
        return [uri for uri, path in found if path is not None and path not in without and kind_of(path)]

    def _check_ours(self, changed: str) -> None:
        """Say anew what is wrong in the open files of ours, for another file is not as it was."""
        for uri in self._ours(changed):
            self._run(findings.push(self, self.server, uri))

    def _refresh(self) -> None:
        """Have the client ask again for what it shows."""
        self.epoch += 1
        self.pages.refresh()
        workspace = self.server.client_capabilities.workspace
        if workspace is not None and workspace.code_lens is not None and workspace.code_lens.refresh_support:
            self._run(_asked(self.server.workspace_code_lens_refresh_async(None)))
        if workspace is not None and workspace.inlay_hint is not None and workspace.inlay_hint.refresh_support:
            self._run(_asked(self.server.workspace_inlay_hint_refresh_async(None)))
        if not self.pulls:
            for uri in list(self.server.workspace.text_documents):
                self._run(findings.push(self, self.server, uri))
        elif workspace is not None and workspace.diagnostics is not None and workspace.diagnostics.refresh_support:
            self._run(_asked(self.server.workspace_diagnostic_refresh_async(None)))

    def _soon(self, key: str, seconds: float, then: Callable[[], None]) -> None:
        """Do something after a rest, counted from the last time that it was wanted."""
        known = self._later.pop(key, None)
        if known is not None:
            known.cancel()

        def due() -> None:
            self._later.pop(key, None)
            then()

        self._later[key] = asyncio.get_running_loop().call_later(seconds, due)

    def _run(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(_quietly(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        task.add_done_callback(lambda _done: work.close())  # one that was cancelled before its first step


async def _quietly(work: Coroutine[Any, Any, None]) -> None:
    """Do what nobody waits for: what fails is logged."""
    try:
        await work
    except (MuninnError, Refused) as error:
        log.info("%s", error)
    except Exception:
        log.exception("what follows an event failed")


async def _asked(request: Coroutine[Any, Any, Any] | Any) -> None:
    await request
