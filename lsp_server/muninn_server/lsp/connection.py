"""One editor's connection: routes verbs to the engine and everything else to pygls.

The parameters of a verb do not pass through pygls, which would convert them to objects, lose some keys and rename
others. `muninn/*`, and `workspace/executeCommand` for a verb's command, are answered by the code of the plain JSON-RPC
connection. The module also checks the life cycle (LSP 3.17, "Lifecycle Messages").
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from muninn_core.errors import BadParams, MuninnError, RequestError, UnknownVerb
from muninn_core.near_match import did_you_mean, nearest, shorten
from muninn_core.protocol import wire
from muninn_core.protocol.catalogue import METHODS
from muninn_server.lsp.editor import Editor
from muninn_server.lsp.registration import register
from muninn_server.lsp.server import EDITOR_COMMANDS, structure
from muninn_server.rpc import RpcConnection, error_frame, is_id

if TYPE_CHECKING:
    from muninn_server.rpc import Hello
    from muninn_server.session import Session

log = logging.getLogger("muninn.lsp")

_COMMANDS = {method.command: method.name for method in METHODS.values()}

_DOCUMENT_EVENTS = {
    types.TEXT_DOCUMENT_DID_OPEN,
    types.TEXT_DOCUMENT_DID_CHANGE,
    types.TEXT_DOCUMENT_DID_SAVE,
    types.TEXT_DOCUMENT_DID_CLOSE,
}


async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, session: Session, _hello: Hello) -> None:
    """Serve one editor until it sends `exit` or disconnects."""
    connection = EditorConnection(reader, writer, session)
    try:
        await connection.serve()
    finally:
        await connection.editor.close()


class EditorConnection(RpcConnection):
    """Routes the messages of one editor."""

    tolerates_bad_json = True  # an editor that is disconnected loses all that it shows

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, session: Session) -> None:
        super().__init__(reader, writer, session)
        self.editor = Editor(session, self._send)
        self._protocol = self.editor.server.protocol
        register(self.editor)

    def _take(self, message: Any) -> None:
        number = message.get("id") if isinstance(message, dict) else None
        if not isinstance(message, dict) or not (number is None or (isinstance(number, str | int) and is_id(number))):
            self._refuse(None, RequestError("a message is an object whose 'id' is a string or a number"))
            return
        method = message.get("method")
        if method is None and ("result" in message or "error" in message):
            self._protocol.take_response(message)
        elif not isinstance(method, str):
            self._refuse(number, RequestError("a message has a 'method', 'result' or 'error'"))
        elif method == "exit":
            raise EOFError
        elif number is None:
            self._take_notification(method, message)
        elif self.editor.shut_down:
            self._refuse(number, RequestError("the server has been shut down; only 'exit' may follow"))
        elif not self.editor.initialized and method != types.INITIALIZE:
            self._refuse(number, ServerNotInitialized("the first request is 'initialize'"))
        else:
            try:
                self._take_request(method, message)
            except MuninnError as error:
                self._send(error_frame(number, error))

    def _take_request(self, method: str, message: dict[str, Any]) -> None:
        """Route a request. Raises MuninnError for one that nothing handles."""
        if method.startswith(wire.PREFIX):
            super()._take(message)
        elif method == types.WORKSPACE_EXECUTE_COMMAND and not self.editor.runs(_command(message)):
            super()._take(_verb_request(message))
        else:
            _check_method(method)
            if method == types.INITIALIZE and self.editor.initialized:
                raise BadParams("'initialize' is sent once")
            self._protocol.handle_message(structure(message))

    def _take_notification(self, method: str, message: dict[str, Any]) -> None:
        if not self.editor.initialized or method not in types.METHOD_TO_TYPES:
            return
        try:
            typed = structure(message)
            if method not in _DOCUMENT_EVENTS or self.editor.keeps(typed):
                self._protocol.handle_message(typed)
        except BadParams as error:
            log.error("%s", error.message)  # a notification has no response
        except Exception:
            log.exception("'%s' failed", method)  # a notification never ends the connection
        if method == types.CANCEL_REQUEST:
            super()._take(message)  # the request may be a verb

    def _refuse(self, number: str | int | None, error: MuninnError) -> None:
        self._send(error_frame(number, error))


class ServerNotInitialized(RequestError):
    """LSP's ServerNotInitialized: a request came before `initialize`."""

    code = -32002


def _check_method(method: str) -> None:
    """Raise UnknownVerb for a method that is not a request of LSP."""
    if method not in types.METHOD_TO_TYPES:
        names = [*types.METHOD_TO_TYPES, *(known.name for known in METHODS.values())]
        hint = did_you_mean(method, names, "Verbs are named muninn/<verb>.")
        raise UnknownVerb(f"there is no method '{shorten(method)}'", hint=hint)
    if types.METHOD_TO_TYPES[method][1] is None:
        raise UnknownVerb(f"'{method}' is a notification", hint="Send it without an 'id'.")


def _command(message: dict[str, Any]) -> str | None:
    params = message.get("params")
    command = params.get("command") if isinstance(params, dict) else None
    return command if isinstance(command, str) else None


def _verb_request(message: dict[str, Any]) -> dict[str, Any]:
    """Return `workspace/executeCommand` as the request of its verb. Raises UnknownVerb and BadParams."""
    params = message.get("params")
    command = _command(message)
    if not isinstance(params, dict) or command is None:
        raise BadParams("'workspace/executeCommand' takes 'command' and 'arguments'")
    method = _COMMANDS.get(command)
    if method is None:
        near = nearest(command, (*_COMMANDS, *EDITOR_COMMANDS))
        raise UnknownVerb(
            f"there is no command '{shorten(command)}'",
            hint=f"Did you mean '{near}'?" if near else f"The commands are {', '.join(_COMMANDS)}.",
            data={"nearest": near} if near else {},
        )
    arguments = params.get("arguments") or []
    if not isinstance(arguments, list) or len(arguments) > 1:
        raise BadParams(
            f"'{command}' takes one argument, the object of its parameters",
            hint='Send "arguments": [{…}], or none at all.',
        )
    given = arguments[0] if arguments else {}
    if isinstance(given, dict) and "workDoneToken" in params:
        given = {**given, "workDoneToken": params["workDoneToken"]}
    return {"jsonrpc": "2.0", "id": message["id"], "method": method, "params": given}
