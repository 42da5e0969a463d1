"""The routes of the server. Each request carries a bearer token; the probes need none."""

from __future__ import annotations

import asyncio
import logging
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import parse_qs

from muninn_core.errors import BadParams, BusyError, MuninnError, ParseError, RefusedError, RequestError, StorageError
from muninn_core.model.value import Value, encode_json, to_plain
from muninn_core.org.access.principals import InvalidToken
from muninn_core.org.database.connections import DatabaseError
from muninn_core.org.service import Scope, Service
from muninn_server.http.asgi_messages import (
    Reply,
    error_reply,
    header,
    json_reply,
    no_such_path,
    other_method,
    read_json_body,
    send_reply,
)
from muninn_server.http_listener import ASGIScope, Receive, Send
from muninn_server.org.mcp import respond
from muninn_server.org.metrics import exposition
from muninn_server.rpc import Unreadable, decode_body, is_id, verb_of
from muninn_server.session import Process, error_of

THREADS = 8
"""Questions that are answered at the same time; others wait."""

PROBE_SECONDS = 5.0
"""How long a probe waits for the database."""

ANSWER_SECONDS = 120.0
"""How long a question waits for a thread and the database. The first one after a large push takes longest."""

MAX_PACK = 256 * 1024 * 1024
"""The longest pack of a push in bytes."""

_PROCESS = Process("server", "the log on the server's standard error")
_METHODS = {"/health": "GET", "/ready": "GET", "/metrics": "GET", "/list": "GET", "/rpc": "POST"}
_HOOK = "/hook/"
_METADATA = "/.well-known/oauth-protected-resource"
_EXPOSITION = "text/plain; version=0.0.4; charset=utf-8"

log = logging.getLogger("muninn.org")
T = TypeVar("T")


class Application:
    """An ASGI application (version 3)."""

    def __init__(self, service: Service, url: str = "", issuers: Sequence[str] = ()) -> None:
        """`url` is the address that clients know, `issuers` are the identity providers that they may log in at."""
        self._service = service
        self._url = url.rstrip("/")
        self._issuers = issuers
        self._threads = ThreadPoolExecutor(THREADS, "muninn-org")
        self._probes = ThreadPoolExecutor(2, "muninn-org-probe")

    async def __call__(self, scope: ASGIScope, receive: Receive, send: Send) -> None:
        """Handle one request. The log has method, path, status and milliseconds, and nothing of the content."""
        began = time.monotonic()
        try:
            reply = await self._reply(scope, receive)
        except asyncio.CancelledError:  # what it began goes on in its thread; a push is continued by its next try
            reply = self._refusal(BusyError("the server stops", hint="Try again in some seconds."))
        except Exception as error:  # every failure is a response; error_of logs what is unexpected
            reply = self._refusal(error_of(error, f"{scope['method']} {scope['path'][:100]}", _PROCESS))
        await send_reply(send, reply)
        spent = 1000 * (time.monotonic() - began)
        line = {"method": scope["method"], "path": scope["path"][:100], "status": reply.status, "ms": round(spent)}
        log.info(line)

    async def _reply(self, scope: ASGIScope, receive: Receive) -> Reply:
        route = (scope["method"], scope["path"])
        if route == ("GET", "/health"):
            return json_reply({"status": "ok"})
        if route == ("GET", "/ready"):
            await self._probe(self._service.check)
            return json_reply({"ok": True})
        if route == ("GET", "/metrics"):
            try:
                queue = await self._probe(self._service.queue)
            except MuninnError:
                queue = None
            return Reply(200, exposition(self._service, queue).encode(), _EXPOSITION)
        if scope["method"] == "GET" and scope["path"] in (_METADATA, f"{_METADATA}/mcp"):
            return json_reply(self._resource())
        if scope["path"] == "/mcp":
            return await self._mcp(scope, receive)
        if route == ("POST", "/rpc"):
            return await self._rpc(scope, receive)
        if scope["path"] == "/push":
            return await self._push(scope, receive)
        if route == ("GET", "/list"):
            token, names = _token(scope), _query(scope, ("repository",))["repository"]
            return Reply(200, await self._answer(lambda: encode_json(self._service.listing(token, names))))
        if scope["method"] == "POST" and scope["path"].startswith(_HOOK):
            return await self._hook(scope, receive)
        if scope["path"] in _METHODS:
            return other_method(scope["path"], scope["method"], [_METHODS[scope["path"]]])
        return no_such_path(scope["path"], (*_METHODS, "/mcp", "/push", "/hook/FORGE"))

    async def _rpc(self, scope: ASGIScope, receive: Receive) -> Reply:
        """Answer one JSON-RPC 2.0 request. The address may name `repository` (several times) and `ref`."""
        token, asked = _token(scope), _query(scope, ("repository", "ref"))
        number, verb, params = _request(await read_json_body(scope, receive))
        where = Scope(tuple(asked["repository"]) or None, next(iter(asked["ref"]), None))
        try:
            result = await self._answer(lambda: encode_json(self._service.answer(token, verb, params, where)))
        except MuninnError as error:
            if isinstance(error, InvalidToken):
                raise
            status = 200
            return json_reply({"jsonrpc": "2.0", "id": number, "error": error.to_plain()}, status)
        return Reply(200, b'{"jsonrpc":"2.0","id":%b,"result":%b}' % (encode_json(number), result))

    async def _mcp(self, scope: ASGIScope, receive: Receive) -> Reply:
        """Answer one message of MCP. There is no stream of the server, so that GET is refused."""
        if scope["method"] != "POST":
            return other_method("/mcp", scope["method"], ["POST"])
        self._check_origin(scope)
        token, message = _token(scope), _message(await read_json_body(scope, receive))
        if "id" in message and not is_id(message["id"]):
            raise RequestError("the 'id' of a request is a text or a number")

        def answer(verb: str, params: Any, repositories: Sequence[str]) -> Value:
            return self._service.answer(token, verb, params, Scope(tuple(repositories) or None))

        def run() -> dict[str, Any] | None:
            self._service.check_token(token)
            return respond(message, answer)

        response = await self._answer(run)
        return Reply(202, b"") if response is None else json_reply(response)

    def _check_origin(self, scope: ASGIScope) -> None:
        """Raise RefusedError for a page of another origin (Streamable HTTP, "Security Warning")."""
        origin = header(scope, b"origin")
        if origin and origin.rstrip("/") != self._url:
            raise RefusedError("a page of another origin asks")

    def _resource(self) -> dict[str, Any]:
        """Return the metadata of the protected resource (RFC 9728)."""
        return {
            "resource": f"{self._url}/mcp",
            "authorization_servers": list(self._issuers),
            "bearer_methods_supported": ["header"],
            "scopes_supported": ["read"],
            "resource_name": "Muninn, the memory of an organisation",
        }

    def _refusal(self, error: MuninnError) -> Reply:
        reply = error_reply(error)
        if isinstance(error, InvalidToken):
            challenge = f'Bearer realm="muninn", resource_metadata="{self._url}{_METADATA}/mcp"'
            return reply._replace(status=401, headers=((b"www-authenticate", challenge.encode()),))
        if error.kind == "database":
            return reply._replace(status=503)
        return reply._replace(headers=((b"retry-after", b"5"),)) if error.kind == "busy" else reply

    async def _push(self, scope: ASGIScope, receive: Receive) -> Reply:
        """GET: the commit that this server has, and the indexed one. POST: a pack of objects. DELETE: a gone branch."""
        token, asked = _token(scope), _query(scope, ("repository", "ref", "commit", "force"))
        given = {name: next(iter(values), "") for name, values in asked.items()}
        repository, ref = given["repository"], given["ref"]
        if not repository or not ref:
            raise BadParams("the address names no 'repository' or no 'ref'")
        if scope["method"] == "GET":
            indexed = await self._run(lambda: self._service.indexed_commit(token, repository, ref))
            commit = await self._run(lambda: self._service.pushed_commit(token, repository, ref))
            self._service.check_capacity()
            return json_reply({"commit": commit, "indexed": indexed})
        if scope["method"] == "DELETE":
            return json_reply({"deleted": await self._run(lambda: self._service.delete_branch(token, repository, ref))})
        if scope["method"] != "POST":
            return other_method("/push", scope["method"], ["GET", "POST", "DELETE"])
        await self._run(lambda: self._service.pushed_commit(token, repository, ref))  # refuse before the body is read
        with _temporary_folder() as folder:
            pack = Path(folder) / "pack"
            await _save_body(receive, pack)
            done = await self._run(
                lambda: self._service.take_push(
                    token, repository, ref, given["commit"], pack, force=given["force"] == "1"
                )
            )
        return json_reply(to_plain(done._asdict()))

    async def _hook(self, scope: ASGIScope, receive: Receive) -> Reply:
        """Take the notice of a forge: its name is in the path, the tenant and repository are in the address."""
        asked = _query(scope, ("tenant", "repository"))
        tenant, repository = (next(iter(asked[name]), "") for name in ("tenant", "repository"))
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        body, forge = await read_json_body(scope, receive), scope["path"].removeprefix(_HOOK)
        queued = await self._run(lambda: self._service.take_notice(forge, tenant, repository, headers, body))
        return json_reply({"queued": queued}, 202)

    async def _run(self, function: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._threads, function)

    async def _answer(self, function: Callable[[], T]) -> T:
        return await _within(ANSWER_SECONDS, self._threads, function)

    async def _probe(self, function: Callable[[], T]) -> T:
        return await _within(PROBE_SECONDS, self._probes, function)


async def _within(seconds: float, threads: ThreadPoolExecutor, function: Callable[[], T]) -> T:
    """Return the result of a function of a thread. Raises DatabaseError when it takes too long.

    A function that waits for a thread is not begun then; one that has begun goes on, and its result is dropped.
    """
    work = asyncio.get_running_loop().run_in_executor(threads, function)
    try:
        return await asyncio.wait_for(work, seconds)
    except TimeoutError:
        raise DatabaseError(
            f"the database did not answer within {seconds:g} s", hint="Look at its locks and its load."
        ) from None


def _temporary_folder() -> tempfile.TemporaryDirectory[str]:
    try:
        return tempfile.TemporaryDirectory(prefix="muninn-push-")
    except OSError as error:
        raise _not_stored(error) from error


def _not_stored(error: OSError) -> StorageError:
    return StorageError(
        f"the server can't store the pack: {error.strerror or error}",
        hint="Its folder for temporary files (TMPDIR) needs space and must be writable.",
    )


def _token(scope: ASGIScope) -> str:
    scheme, _, token = header(scope, b"authorization").partition(" ")
    if scheme.lower() != "bearer":
        raise InvalidToken("the request has no token", hint="Send it in the header Authorization: Bearer TOKEN.")
    return token.strip()


def _query(scope: ASGIScope, known: tuple[str, ...]) -> dict[str, list[str]]:
    """Return the values of each known parameter of the address. Raises BadParams for others."""
    found = parse_qs(scope["query_string"].decode("latin-1"))
    for name in found:
        if name not in known:
            raise BadParams(f"the address has no parameter '{name[:60]}'", hint=f"It takes {', '.join(known)}.")
    return {name: found.get(name, []) for name in known}


def _message(body: bytes) -> dict[str, Any]:
    """Return a message of JSON-RPC 2.0. Raises ParseError, RequestError."""
    try:
        message = decode_body(body)
    except Unreadable as error:
        raise ParseError(f"not a message: {error}", hint="Send one JSON-RPC request as JSON in UTF-8.") from None
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        raise RequestError("a message is an object with 'jsonrpc', 'id' and 'method'")
    return message


def _request(body: bytes) -> tuple[object, str, Any]:
    """Return the id, verb and parameters of a JSON-RPC request. Raises ParseError, RequestError."""
    message = _message(body)
    if not is_id(message.get("id")):
        raise RequestError("a request is an object with 'jsonrpc', 'id' and 'method'")
    method = message.get("method")
    if not isinstance(method, str):
        raise RequestError("a request has a 'method'")
    return message["id"], verb_of(method), message.get("params")


async def _save_body(receive: Receive, target: Path) -> None:
    """Write the body of a request to a file. Raises RequestError above MAX_PACK bytes, StorageError on a full disk."""
    length = 0
    try:
        with target.open("wb") as file:
            while True:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise RequestError("the client disconnected before its request ended")
                piece = message.get("body", b"")
                length += len(piece)
                if length <= MAX_PACK:
                    file.write(piece)
                if not message.get("more_body"):
                    break
    except OSError as error:
        raise _not_stored(error) from error
    if length > MAX_PACK:
        raise RequestError(
            f"a pack of {length:,} bytes; the limit is {MAX_PACK:,}",
            hint="Push an earlier commit first, or run `muninn org push --database` beside the database.",
        )
