"""One editor's connection: verbs are answered as plain JSON, all else goes to the language server.

A verb's parameters never pass through the language server library: it would make objects of them, lose some keys and
rename others. So `workspace/executeCommand` and `muninn/*` are taken here, before it sees them, and answered by the
same code as on the plain face. What the module knows of LSP is its life cycle (LSP 3.17, "Lifecycle Messages").
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any

from muninn_core.errors import BadParams, Cancelled, MuninnError, RequestError, UnknownVerb
from muninn_core.model.value import encode_json
from muninn_core.near_match import nearest
from muninn_core.protocol import wire
from muninn_core.protocol.catalogue import METHODS
from muninn_server.lsp import features
from muninn_server.lsp.editor import Editor
from muninn_server.lsp.server import GESTURES
from muninn_server.rpc import PlainFace, error_frame, result_frame
from muninn_server.session import error_of

if TYPE_CHECKING:
    from muninn_server.rpc import Hello
    from muninn_server.session import Session

log = logging.getLogger("muninn.lsp")

_COMMANDS = {method.command: method.name for method in METHODS.values()}


async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, session: Session, _hello: Hello) -> None:
    """Serve one editor until it says `exit` or hangs up. The daemon goes on."""
    face = EditorFace(reader, writer, session)
    try:
        await face.serve()
    finally:
        await face.editor.close()


class EditorFace(PlainFace):
    """Sorts the messages of one connection."""

    forgives = True  # an editor would lose all that it shows

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, session: Session) -> None:
        super().__init__(reader, writer, session)
        self.editor = Editor(session, self._send)
        features.serve(self.editor)
        self._gestures: dict[str | int, asyncio.Task[None]] = {}

    async def serve(self) -> None:
        """Serve until the client hangs up; a gesture then waits no longer for what the client was to show."""
        try:
            await super().serve()
        finally:
            running = list(self._gestures.values())
            for task in running:
                task.cancel()
            await asyncio.gather(*running, return_exceptions=True)

    def _take(self, message: Any) -> None:
        if not isinstance(message, dict) or not isinstance(message.get("id"), str | int | None):
            self._refuse(None, RequestError("a message is an object whose 'id' is a string or a number"))
            return
        method, number = message.get("method"), message.get("id")
        if method is None and ("result" in message or "error" in message):
            self.editor.answer(message)
        elif not isinstance(method, str):
            self._refuse(number, RequestError("a message has a 'method', or it is an answer"))
        elif method == "exit":
            raise EOFError
        elif number is None:
            self._take_notification(method, message)
        elif self.editor.shut:
            self._refuse(number, RequestError("the server has been shut down; only 'exit' may follow"))
        elif not self.editor.initialized and method != "initialize":
            self._refuse(number, ServerNotInitialized("the first request is 'initialize'"))
        elif _gesture(method, message) is not None:
            self._take_gesture(number, message)
        elif method == "workspace/executeCommand" or method.startswith(wire.PREFIX):
            self._take_verb(number, method, message)
        else:
            self.editor.request(message)

    def _take_notification(self, method: str, message: dict[str, Any]) -> None:
        if method == "$/cancelRequest":
            params = message.get("params")
            number = params.get("id") if isinstance(params, dict) else None
            gesture = self._gestures.get(number) if isinstance(number, str | int) else None
            # Behind the request's own first step: both may have come in one read.
            if gesture is not None:
                asyncio.get_running_loop().call_soon(gesture.cancel)
            elif isinstance(number, str | int) and not self.editor.cancel(number):
                asyncio.get_running_loop().call_soon(super()._take, message)
        elif self.editor.initialized:
            try:
                self.editor.notify(message)
            except Exception:
                log.exception("'%s' could not be taken", method)  # nothing that a client says ends the connection

    def _take_gesture(self, number: str | int, message: dict[str, Any]) -> None:
        task = asyncio.get_running_loop().create_task(self._gesture(number, message["params"]))
        self._gestures[number] = task
        task.add_done_callback(lambda _done: self._gestures.pop(number, None))

    async def _gesture(self, number: str | int, params: dict[str, Any]) -> None:
        given = params.get("arguments") or [{}]
        try:
            result = await self.editor.pages.run(params["command"], given[0] if isinstance(given, list) else given)
            self._send(result_frame(number, encode_json(result)))
        except asyncio.CancelledError:
            self._send(error_frame(number, Cancelled("the request was cancelled")))
        except Exception as error:  # every failure is an answer; error_of logs what is not ours
            self._send(error_frame(number, error_of(error, params["command"])))

    def _take_verb(self, number: str | int, method: str, message: dict[str, Any]) -> None:
        try:
            plain = message if method.startswith(wire.PREFIX) else _unpacked(message)
        except MuninnError as error:
            self._send(error_frame(number, error))
            return
        super()._take(plain)

    def _refuse(self, number: str | int | None, error: MuninnError) -> None:
        self._send(error_frame(number, error))


class ServerNotInitialized(RequestError):
    """LSP's ServerNotInitialized: a request came before `initialize`."""

    code = -32002


def _gesture(method: str, message: dict[str, Any]) -> str | None:
    params = message.get("params")
    command = params.get("command") if isinstance(params, dict) and method == "workspace/executeCommand" else None
    return command if command in GESTURES else None


def _unpacked(message: dict[str, Any]) -> dict[str, Any]:
    """Return `workspace/executeCommand` as the request of the verb that it means. Raises UnknownVerb, BadParams."""
    params = message.get("params")
    command = params.get("command") if isinstance(params, dict) else None
    if not isinstance(params, dict) or not isinstance(command, str):
        raise BadParams("'workspace/executeCommand' takes 'command' and 'arguments'")
    method = _COMMANDS.get(command)
    if method is None:
        near = nearest(command, (*_COMMANDS, *GESTURES))
        raise UnknownVerb(
            f"there is no command '{command}'",
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
