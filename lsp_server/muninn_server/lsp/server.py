"""The adapter around pygls, and the only module that imports it.

pygls brings the protocol's types, capability negotiation, position encodings and the text of open documents. Its
transports serve one client per process, so the daemon reads and writes the bytes itself. Each connection has its own
`Server`; all share one converter, because building one takes long.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import logging
import re
from collections.abc import Awaitable, Callable, Generator, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import cattrs
from lsprotocol import converters, types
from pygls.exceptions import FeatureRequestError, JsonRpcException, JsonRpcInternalError
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol, lsp_method
from pygls.uris import to_fs_path
from pygls.workspace import TextDocument

from muninn_core import __version__
from muninn_core.errors import BadParams, MuninnError
from muninn_core.protocol.catalogue import METHODS
from muninn_core.regular_file import read_regular
from muninn_server.lsp.dynamic_registration import take_registrations
from muninn_server.session import error_of

if TYPE_CHECKING:
    from pygls.server import ServerErrors

__all__ = [
    "EDITOR_COMMANDS",
    "Document",
    "Protocol",
    "ResponseError",
    "Server",
    "new_server",
    "path_of",
    "structure",
    "to_response_error",
]

Handler = Callable[[Any], Awaitable[Any]]

log = logging.getLogger("muninn.lsp")
# pygls logs each refused request with its trace. `report_server_error` logs the failures that matter.
logging.getLogger("pygls").setLevel(logging.CRITICAL)

ResponseError = JsonRpcException
"""An error response, in either direction."""

EDITOR_COMMANDS = ("muninn.show", "muninn.write")
"""Commands that are not verbs: open a document, and begin a memory draft."""

MAX_READ_BYTES = 16 * 1024 * 1024
"""The longest file that is read for its lines: the event loop, which all clients share, waits for it."""

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")

_CONVERTER = converters.get_converter()


def new_server(send: Callable[[bytes], None]) -> Server:
    """Return the server of one connection. `send` takes whole frames."""
    server = Server("muninn", __version__, protocol_cls=Protocol, converter_factory=lambda: _CONVERTER, max_workers=1)
    server.protocol.set_writer(_Writer(send))
    return server


def structure(message: dict[str, Any]) -> Any:
    """Return the typed form of a message whose method is part of LSP. Raises BadParams if it does not fit its type."""
    method = message["method"]
    try:
        # pygls ignores a request with another version, which leaves its client waiting.
        return _CONVERTER.structure({**message, "jsonrpc": Protocol.VERSION}, types.METHOD_TO_TYPES[method][0])
    except Exception as error:  # the converter raises whatever its hooks raise
        found = "; ".join(cattrs.transform_error(error)[:3])
        reasons = re.sub(r"_([a-z])", lambda match: match[1].upper(), found)  # the names on the wire
        raise BadParams(f"the parameters of '{method}' do not fit: {reasons}") from None


def to_response_error(error: MuninnError) -> JsonRpcException:
    """Return the exception that makes pygls respond with the code, message and data of a Muninn error."""
    return JsonRpcException(message=error.message, code=error.code, data=error.to_plain()["data"])


def path_of(uri: str) -> str | None:
    """Return the path of a `file:` URI, None for any other scheme."""
    return to_fs_path(uri) if uri.startswith("file:") else None


class Document(TextDocument):
    """A text document whose lines end as LSP defines (LSP 3.17, "Text Documents").

    pygls also ends lines at form feeds and other separators, which misplaces edits below them.
    """

    def __init__(self, protocol: Protocol, uri: str, opened: types.TextDocumentItem | None = None) -> None:
        super().__init__(
            uri,
            version=opened.version if opened is not None else None,
            language_id=opened.language_id if opened is not None else None,
            position_codec=protocol.workspace.position_codec,
        )
        self._text: str | None = opened.text if opened is not None else None
        self._split: tuple[str, list[str]] = ("", [])

    @property
    def source(self) -> str:
        """The text. A document that is not open is read from disk once.

        What can't be read, or is no regular file of at most MAX_READ_BYTES, has no text: its notes are at the top.
        """
        if self._text is None:
            try:
                self._text = read_regular(self.path or "", MAX_READ_BYTES).decode("utf-8", "replace")
            except OSError:
                self._text = ""
        return self._text

    @property
    def lines(self) -> Sequence[str]:
        """The lines with their ends, split once per text: each lens of a file needs them."""
        source = self.source
        known = self._split
        if known[0] is not source:
            known = self._split = (source, _LINE.findall(source))
        return known[1]

    def offset(self, position: types.Position) -> int:
        """Return the index into the text of a client's position. A position past an end means that end."""
        lines = self.lines
        if position.line >= len(lines):
            return len(self.source)
        bare = lines[position.line].rstrip("\r\n")
        return sum(map(len, lines[: position.line])) + self.index_on(bare, position.character)

    def index_on(self, line: str, character: int) -> int:
        """Return the index into a line, given without its end, of a client's character. One past the end means the end.

        pygls takes one past the end for the last character, as it expects the line with its end.
        """
        if line.isascii():
            return min(character, len(line))
        within = types.Position(0, min(character, self.position_codec.client_num_units(line)))
        return self.position_codec.position_from_client_units([line], within).character

    def apply_change(self, change: types.TextDocumentContentChangeEvent) -> None:
        """Apply one edit, of a range or of the whole text."""
        if isinstance(change, types.TextDocumentContentChangePartial):
            source = self.source
            begin, end = self.offset(change.range.start), self.offset(change.range.end)
            self._text = source[:begin] + change.text + source[end:]
        else:
            self._text = change.text


class Protocol(LanguageServerProtocol):
    """pygls's protocol for one of many connections of a long-lived process."""

    registrations: Sequence[types.Registration] = ()
    """The capabilities to register after the handshake."""

    # pygls caches these per protocol object in a cache of the class, which keeps closed connections in memory.

    def get_message_type(self, method: str) -> type[Any] | None:  # type: ignore[override]
        """Return the type of a method's message."""
        return types.METHOD_TO_TYPES.get(method, (None,))[0]

    def get_result_type(self, method: str) -> type[Any] | None:  # type: ignore[override]
        """Return the type of a method's response."""
        return types.METHOD_TO_TYPES.get(method, (None, None))[1]

    def take_response(self, message: dict[str, Any]) -> None:
        """Settle the request that a client's response belongs to. An unreadable response rejects it."""
        number: Any = message.get("id")
        given = {key: value for key, value in message.items() if key != "error" or value is not None}
        response: Any
        try:
            response = self.structure_message({**given, "jsonrpc": self.VERSION})
        except JsonRpcException as error:
            response = types.ResponseErrorMessage(id=number, error=error.to_response_error())
        with contextlib.suppress(concurrent.futures.InvalidStateError):  # the request was cancelled meanwhile
            self.handle_message(response)
        # pygls keeps the result type of a request that the client refuses, and has no public way to drop it.
        self._result_types.pop(number, None)

    @lsp_method(types.INITIALIZE)
    def lsp_initialize(self, params: types.InitializeParams) -> Generator[Any, Any, types.InitializeResult]:
        """Add the capabilities that pygls does not derive from registered features."""
        result = yield from super().lsp_initialize(params)
        assert result.capabilities.workspace is not None
        result.capabilities.workspace.text_document_content = types.TextDocumentContentOptions(schemes=["muninn"])
        result.capabilities.execute_command_provider = types.ExecuteCommandOptions(
            commands=[*(method.command for method in METHODS.values()), *EDITOR_COMMANDS], work_done_progress=True
        )
        self.registrations = take_registrations(params.capabilities, result.capabilities, _CONVERTER.unstructure)
        return result

    @lsp_method(types.WORKSPACE_EXECUTE_COMMAND)
    async def lsp_workspace__execute_command(self, params: types.ExecuteCommandParams) -> Any:  # type: ignore[override]
        """Run an editor command with its arguments as plain JSON; pygls would convert them to annotated types."""
        return await self.fm.commands[params.command](params.arguments)

    # pygls's own versions of the next three are generators, whose futures it keeps until the connection ends: one for
    # each key that is typed.

    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: types.DidOpenTextDocumentParams) -> None:
        """Keep the text of a document, then run the handler."""
        opened = params.text_document
        self.workspace.text_documents[unquote(opened.uri)] = Document(self, opened.uri, opened)
        self.fm.features[types.TEXT_DOCUMENT_DID_OPEN](params)

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: types.DidChangeTextDocumentParams) -> None:
        """Edit the text of a document, then run the handler."""
        for change in params.content_changes:
            self.workspace.update_text_document(params.text_document, change)
        self.fm.features[types.TEXT_DOCUMENT_DID_CHANGE](params)

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: types.DidCloseTextDocumentParams) -> None:
        """Drop the text of a document, then run the handler."""
        self.workspace.remove_text_document(params.text_document.uri)
        self.fm.features[types.TEXT_DOCUMENT_DID_CLOSE](params)


class Server(LanguageServer):
    """The language server of one connection."""

    protocol: Protocol

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._running: set[asyncio.Task[Any]] = set()
        self._closed = False

    def handle(self, method: str, handler: Handler, options: Any = None) -> None:
        """Register the handler of a request. It takes the typed parameters and may raise any error."""
        self.feature(method, options)(self._tracked(method, handler))

    def handle_command(self, command: str, handler: Handler) -> None:
        """Register the handler of a command. It takes the list of arguments, or None."""
        self.command(command)(self._tracked(command, handler))

    def document(self, uri: str) -> Document:
        """Return an open document, or the one on disk."""
        return self.open_document(uri) or Document(self.protocol, uri)

    def open_document(self, uri: str) -> Document | None:
        """Return an open document, None if it is not open."""
        found = self.workspace.text_documents.get(unquote(uri))
        return found if isinstance(found, Document) else None

    def open_uris(self) -> list[str]:
        """Return the URIs of the open documents, as the client wrote them."""
        return [document.uri for document in self.workspace.text_documents.values()]

    async def close(self) -> None:
        """Cancel the running handlers."""
        self._closed = True
        running = list(self._running)
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)

    def report_server_error(self, error: Exception, source: ServerErrors) -> None:
        """Log an unexpected error. The user can do nothing about it, so the editor shows no message."""
        if source is not FeatureRequestError or isinstance(error, JsonRpcInternalError):
            log.error("%s: %s", source.__name__, error)

    def _tracked(self, name: str, handler: Handler) -> Handler:
        async def run(params: Any) -> Any:
            task = asyncio.current_task()
            if self._closed or task is None:
                raise asyncio.CancelledError
            self._running.add(task)
            try:
                return await handler(params)
            except (JsonRpcException, asyncio.CancelledError):
                raise
            except Exception as error:  # every failure is a response; error_of logs what is unexpected
                raise to_response_error(error_of(error, name)) from None
            finally:
                self._running.discard(task)

        return run


class _Writer:
    """The writer interface that pygls expects."""

    def __init__(self, send: Callable[[bytes], None]) -> None:
        self.write = send

    def close(self) -> None:
        """Do nothing: the daemon owns the connection."""
