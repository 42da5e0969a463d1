"""pygls, fitted to a process that serves many editors for a long time. The only module that imports it.

pygls brings the protocol's types, the negotiation of capabilities and position encodings, and the text of open
documents. Its own transports serve one client a process, so bytes come and go through the face. One server object
belongs to one connection; the converter between JSON and types is costly to make, so all share it.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Awaitable, Callable, Generator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import cattrs
from lsprotocol import converters, types
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol, lsp_method
from pygls.uris import to_fs_path
from pygls.workspace import TextDocument

from muninn_core import __version__
from muninn_core.errors import BadParams, MuninnError
from muninn_core.protocol.catalogue import METHODS
from muninn_server.lsp.own.offering import postponed
from muninn_server.session import error_of

if TYPE_CHECKING:
    from pygls.server import ServerErrors

__all__ = [
    "Document",
    "Protocol",
    "Refused",
    "Server",
    "TextDocument",
    "answerable",
    "new_server",
    "path_of",
    "structure",
]

Provider = Callable[[Any], Awaitable[Any]]
P = TypeVar("P", bound=Provider)

log = logging.getLogger("muninn.lsp")

Refused = JsonRpcException
"""An error answer, ours to a request or the client's to one of ours."""

GESTURES = ("muninn.show", "muninn.write")
"""Commands that are no verbs: to see a document, to write a memory."""

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")

_CONVERTER = converters.get_converter()


def new_server(send: Callable[[bytes], None]) -> Server:
    """Make the server of one connection; `send` takes whole frames."""
    server = Server("muninn", __version__, protocol_cls=Protocol, converter_factory=lambda: _CONVERTER, max_workers=1)
    server.protocol.set_writer(_Writer(send))
    return server


def structure(message: dict[str, Any]) -> Any:
    """Make the typed message of one whose method LSP knows. Raises BadParams where it does not fit its type."""
    method = message["method"]
    try:
        # pygls drops a request of another version, and its client waits for good.
        return _CONVERTER.structure({**message, "jsonrpc": Protocol.VERSION}, types.METHOD_TO_TYPES[method][0])
    except Exception as error:  # the converter raises whatever its hooks raise
        found = "; ".join(cattrs.transform_error(error)[:3])
        reasons = re.sub(r"_([a-z])", lambda match: match[1].upper(), found)  # the names on the wire
        raise BadParams(f"the parameters of '{method}' do not fit: {reasons}") from None


def answerable(error: MuninnError) -> JsonRpcException:
    """Return the error that makes pygls answer with code, message and data of ours."""
    return JsonRpcException(message=error.message, code=error.code, data=error.to_plain()["data"])


def path_of(uri: str) -> str | None:
    """Return the path of a `file:` URI, None for any other."""
    return to_fs_path(uri) if uri.startswith("file:") else None


class Protocol(LanguageServerProtocol):
    """pygls's protocol for one of many connections of a long-lived process."""

    postponed: Sequence[types.Registration] = ()

    @property
    def open_requests(self) -> dict[str | int, Any]:
        """The futures of requests in both directions, by id."""
        return self._request_futures

    # pygls remembers these per protocol object in a cache of the class: closed connections would stay in memory.

    def get_message_type(self, method: str) -> type[Any] | None:  # type: ignore[override]
        """Return the type of a method's message."""
        return types.METHOD_TO_TYPES.get(method, (None,))[0]

    def get_result_type(self, method: str) -> type[Any] | None:  # type: ignore[override]
        """Return the type of a method's answer."""
        return types.METHOD_TO_TYPES.get(method, (None, None))[1]

    def _send_handler_result(self, future: Any, *, msg_id: str | int) -> None:
        """Answer a request. A refusal is an answer like any other: pygls would log its trace as if it were a bug."""
        failed = None if future.cancelled() else future.exception()
        if failed is None:
            super()._send_handler_result(future, msg_id=msg_id)
            return
        known = isinstance(failed, JsonRpcException)
        refused = failed if known else answerable(error_of(failed, "the language server"))
        self._request_futures.pop(msg_id, None)
        self._send_response(msg_id, error=refused.to_response_error())

    def _check_handler_result(self, future: Any) -> None:
        super()._check_handler_result(future)
        # pygls keeps the futures of notifications for good: one for every key that is typed.
        for number in [number for number, kept in self._request_futures.items() if kept.done()]:
            del self._request_futures[number]

    def take_answer(self, message: dict[str, Any]) -> None:
        """Give a client's answer to who waits for it. One that can't be read is a refusal: nobody waits for good."""
        number = message.get("id")
        if number not in self._result_types:
            return  # nothing was asked, or it was answered
        waiting = self._request_futures.get(number)
        if waiting is not None and not waiting.done():
            said = {key: value for key, value in message.items() if key != "error" or value is not None}
            try:
                self.handle_message(self.structure_message({**said, "jsonrpc": self.VERSION}))
            except JsonRpcException as error:
                del self._request_futures[number]
                waiting.set_exception(error)
        self._result_types.pop(number, None)

    @lsp_method(types.INITIALIZE)
    def lsp_initialize(self, params: types.InitializeParams) -> Generator[Any, Any, types.InitializeResult]:
        """Add what pygls can't know to its answer."""
        result = yield from super().lsp_initialize(params)
        self.workspace._create_text_document = self._new_document  # type: ignore[method-assign]
        assert result.capabilities.workspace is not None
        result.capabilities.workspace.text_document_content = types.TextDocumentContentOptions(schemes=["muninn"])
        # The commands are no functions of pygls's: the face answers them before pygls would look at their arguments.
        result.capabilities.execute_command_provider = types.ExecuteCommandOptions(
            commands=[*(method.command for method in METHODS.values()), *GESTURES], work_done_progress=True
        )
        self.postponed = postponed(params.capabilities, result.capabilities, _CONVERTER.unstructure)
        return result

    def _new_document(
        self, doc_uri: str, source: str | None = None, version: int | None = None, language_id: str | None = None
    ) -> TextDocument:
        codec = self.workspace.position_codec
        return Document(doc_uri, source=source, version=version, language_id=language_id, position_codec=codec)


class Document(TextDocument):
    """An open document, whose lines end where those of the protocol do (LSP 3.17, "Text Documents").

    pygls also ends lines at form feeds and other characters that stand in real files: edits below them went astray.
    """

    _cut: tuple[str, list[str]] = ("", [])

    @property
    def source(self) -> str:
        """The text. That of a document that is not open is read once; what can't be read has none."""
        if self._source is None:
            try:
                self._source = Path(self.path or "").read_text("utf-8", "replace")
            except (OSError, ValueError):
                self._source = ""
        return self._source

    @property
    def lines(self) -> Sequence[str]:
        """The lines with their ends. They are cut once a text: each lens of a file asks for them."""
        source = self.source
        known = self._cut
        if known[0] is not source:
            known = self._cut = (source, _LINE.findall(source))
        return known[1]

    def offset(self, position: types.Position) -> int:
        """Return the character of the text that a client means; what is past an end is that end."""
        lines = self.lines
        if position.line >= len(lines):
            return len(self.source)
        bare = lines[position.line].rstrip("\r\n")
        at = position.character
        if not bare.isascii():
            at = self.position_codec.position_from_client_units([bare], types.Position(0, at)).character
        return sum(map(len, lines[: position.line])) + min(at, len(bare))

    def _apply_incremental_change(self, change: types.TextDocumentContentChangePartial) -> None:
        source = self.source
        begin, end = self.offset(change.range.start), self.offset(change.range.end)
        self._source = source[:begin] + change.text + source[end:]


class Server(LanguageServer):
    """One connection's server."""

    protocol: Protocol

    def provide(self, method: str, options: Any = None) -> Callable[[P], P]:
        """Register one of several that answer a request: lists are joined, of other answers the first counts.

        The first one's options are those of the server.
        """
        known: dict[str, list[Provider]] = self.__dict__.setdefault("_providers", {})

        def register(provider: P) -> P:
            known.setdefault(method, []).append(provider)
            if len(known[method]) == 1:

                async def joined(params: Any) -> Any:
                    answers = [answer for each in known[method] if (answer := await each(params)) is not None]
                    if answers and all(isinstance(answer, list) for answer in answers):
                        return [one for answer in answers for one in answer]
                    return answers[0] if answers else None

                self.feature(method, options)(joined)
            return provider

        return register

    def report_server_error(self, error: Exception, source: ServerErrors) -> None:
        """Log it. The person at the editor can do nothing about it, so no message pops up."""
        log.error("%s: %s", source.__name__, error)


class _Writer:
    """What pygls needs of a writer."""

    def __init__(self, send: Callable[[bytes], None]) -> None:
        self.write = send

    def close(self) -> None:
        """Nothing: the connection belongs to the daemon."""
