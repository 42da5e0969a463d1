"""The editor at the other end of a connection: its capabilities and settings, its documents, the engine on its behalf.

It imports no feature. Features build on it.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from lsprotocol import types

from muninn_core.errors import BadParams, MuninnError, NotInitialised
from muninn_server.lsp.server import ResponseError, new_server, path_of, to_response_error
from muninn_server.lsp.settings import Settings
from muninn_server.session import error_of

if TYPE_CHECKING:
    from muninn_server.session import Session

T = TypeVar("T")
log = logging.getLogger("muninn.lsp")

_PRIVATE = (".muninn/local/", ".muninn/cache/", ".git/")
"""Folders that memories never refer to."""


class Capabilities(NamedTuple):
    """What the client supports: `muninn:` documents, pull diagnostics, related information of diagnostics.

    `review_menu`: it shows a menu for the command `muninn.review`.
    `rich_hover`: its hovers show HTML and run `command:` links.
    """

    virtual_documents: bool = False
    pull_diagnostics: bool = False
    related_information: bool = False
    review_menu: bool = False
    rich_hover: bool = False


def capabilities_of(params: types.InitializeParams) -> Capabilities:
    """Return the capabilities that the handshake names."""
    options = params.initialization_options if isinstance(params.initialization_options, dict) else {}
    workspace, document = params.capabilities.workspace, params.capabilities.text_document
    opens_virtual = options.get("virtualDocuments") is True
    publish = document.publish_diagnostics if document is not None else None
    pull = document.diagnostic if document is not None else None
    related = (publish and publish.related_information) or (pull and getattr(pull, "related_information", False))
    return Capabilities(
        virtual_documents=opens_virtual or (workspace is not None and workspace.text_document_content is not None),
        pull_diagnostics=pull is not None,
        related_information=bool(related),
        review_menu=options.get("reviewMenu") is True,
        rich_hover=options.get("richHover") is True,
    )


class EditorClient:
    """One connected editor. `send` takes whole frames, and drops them after the editor disconnects.

    `epoch` counts the changes of memory and files.
    """

    def __init__(self, session: Session, send: Callable[[bytes], None]) -> None:
        self.session = session
        self.server = new_server(send)
        self.capabilities = Capabilities()
        self.settings = Settings()
        self.epoch = 0
        self._tasks: set[asyncio.Task[None]] = set()
        self._timers: dict[str, asyncio.TimerHandle] = {}

    # --- the engine ---

    async def call(
        self, verb: str, params: Any, finish: Callable[[Any], T], progress: Callable[[Any], None] | None = None
    ) -> T:
        """Call a verb and return `finish(result)`. Cancelling this cancels the verb. Raises MuninnError."""
        return await self.session.call(verb, params, finish, progress=progress)

    async def ask(self, verb: str, params: Any, finish: Callable[[Any], T], *, strict: bool = False) -> T | None:
        """Call a verb for a response. Returns None if `.muninn` does not exist, unless `strict`.

        Raises ResponseError, or BadParams unless `strict`.
        """
        try:
            return await self.call(verb, params, finish)
        except NotInitialised as error:
            if strict:
                raise to_response_error(error) from None
            return None
        except asyncio.CancelledError:
            raise
        except Exception as error:
            if isinstance(error, BadParams) and not strict:
                raise
            raise to_response_error(error_of(error, verb)) from None

    # --- documents ---

    def relative(self, uri: str) -> str | None:
        """Return a document's path relative to the work tree, with slashes; None if it is outside."""
        path = path_of(uri)
        if not path or "\0" in path:
            return None
        below = self.session.location.root.rstrip(os.sep) + os.sep
        for normalized in (os.path.normpath, os.path.realpath):  # the second one asks the system about each folder
            candidate = normalized(path)
            if candidate.startswith(below):
                return candidate.removeprefix(below).replace(os.sep, "/")
        return None

    def source_path(self, uri: str) -> str | None:
        """Return the path of a file that memories can refer to; None if it is outside or in a private folder."""
        path = self.relative(uri)
        private = path is not None and path.startswith(_PRIVATE)
        return None if private else path

    def uri_of(self, path: str) -> str:
        """Return the URI of a file, given by its path relative to the work tree."""
        return Path(self.session.location.root, path).as_uri()

    def version_of(self, uri: str) -> int:
        """Return the version of an open document, -1 if it is not open."""
        document = self.server.open_document(uri)
        return -1 if document is None or document.version is None else document.version

    # --- messages ---

    def tell(self, kind: types.MessageType, message: str) -> None:
        """Show a message."""
        self.server.window_show_message(types.ShowMessageParams(kind, f"Muninn: {message}"))

    # --- background work ---

    def run(self, work: Coroutine[Any, Any, None]) -> None:
        """Run work in the background. Failures are logged."""
        task = asyncio.get_running_loop().create_task(_logged(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        task.add_done_callback(lambda _done: work.close())  # a task that was cancelled before its first step

    def debounce(self, key: str, seconds: float, then: Callable[[], None]) -> None:
        """Call `then` once no call with this key was made for so many seconds."""
        self.cancel_debounced(key)

        def due() -> None:
            self._timers.pop(key, None)
            then()

        self._timers[key] = asyncio.get_running_loop().call_later(seconds, due)

    def cancel_debounced(self, key: str) -> None:
        """Drop the pending call of a key, if there is one."""
        timer = self._timers.pop(key, None)
        if timer is not None:
            timer.cancel()

    async def close(self) -> None:
        """Stop timers, background work and running handlers."""
        for timer in self._timers.values():
            timer.cancel()
        running = list(self._tasks)
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
        await self.server.close()


async def _logged(work: Coroutine[Any, Any, None]) -> None:
    try:
        await work
    except (MuninnError, ResponseError) as error:
        log.info("%s", error)
    except Exception:
        log.exception("background work failed")
