"""The page of `muninn open`: memory in a browser, with the rights of the person who opened it.

The link has a code that works once. In exchange the browser gets a cookie that no script reads, that is sent to the
page's own folder only, and to nothing that another site requests. The folder has a random name, because a browser sends
the cookies of 127.0.0.1 to all of its ports. A call of a verb also needs the token that is in the page's text, so that
the cookie alone does nothing. All of these come from one secret that `muninn open` holds: the page works on when the
daemon is started again.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import re
import secrets
import time
from http.cookies import CookieError, SimpleCookie
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

from muninn_core.errors import MuninnError
from muninn_core.model.value import to_plain
from muninn_server.http import json_rpc, page_view
from muninn_server.http.asgi_messages import Reply, cancelled_with, header, read_json_body, send_reply
from muninn_server.http.event_stream import Streams
from muninn_server.http.peers import Merged, Peers, Remote, described
from muninn_server.http_listener import HOST, ASGIScope, Receive, Send
from muninn_server.session import Session, error_of

PREFIX = "/page/"
"""The folder of all that the page needs; its requests carry no bearer token."""

LINK_SECONDS = 600.0
"""How long the link works."""

COOKIE = "muninn-page"

TOKEN_HEADER = b"x-muninn-page"
"""The header with the page's token, which a call of a verb needs."""

VERBS = frozenset(
    (
        *("recall", "memories", "show", "history", "overview", "sessions", "check", "verify", "map", "graph"),
        *("update", "confirm", "consolidate", "forget", "restore", "redact", "pin", "unpin"),
        *("approve", "reject", "conflicts", "resolve"),
        *("candidate.list", "candidate.promote", "candidate.discard"),
        *("event.query", "span.list", "projections.status", "given", "agent.list"),
        *("status", "ready", "metrics", "models.usage"),
    )
)
"""The verbs that the page may call. A fault of the page can do nothing else."""

SECURITY = (
    (
        b"content-security-policy",
        b"default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; "
        b"form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; "
        b"trusted-types 'none'",
    ),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"x-frame-options", b"DENY"),
)
"""Headers of the page: only its own files run, no text becomes markup, and no other page can hold it."""

_TYPES = {".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml"}
_FILES = {
    file.name: file
    for folder in (Path(__file__).with_name("page_files"), page_view.STYLE.parent)
    for file in sorted(folder.iterdir())
    if file.suffix in _TYPES
}
_AT = re.compile(r"at/([0-9a-f]{16})/rpc")
"""Calls of another repository's verbs."""

_HTML = "text/html; charset=utf-8"


class Page:
    """An ASGI application (version 3). `session` has the rights of a person, `secret` is that of `muninn open`."""

    def __init__(self, session: Session, streams: Streams, port: int, secret: str, *, linked: bool) -> None:
        self._session = session
        self._streams = streams
        self._peers = Peers(session.engine.runtime, streams.feed.key)
        self._port = port
        self._code = _derive(secret, "code")
        self._cookie = _derive(secret, "cookie")
        self._token = _derive(secret, "token")
        self._folder = f"{PREFIX}{_derive(secret, 'folder')[:32]}/"
        self._link_ends = 0.0 if linked else time.monotonic() + LINK_SECONDS

    @property
    def link(self) -> str:
        """The address that works once; "" when an earlier daemon sent it already."""
        return f"http://{HOST}:{self._port}{PREFIX}open?code={self._code}" if self._link_ends else ""

    async def __call__(self, scope: ASGIScope, receive: Receive, send: Send) -> None:
        """Handle one request below `PREFIX`."""
        path, method = scope["path"], scope["method"]
        try:
            if path == f"{PREFIX}open":
                reply = self._exchange(scope)
            elif refusal := self._refusal(scope):
                reply = _message(*refusal)
            elif (path, method) == (f"{self._folder}events", "GET"):
                merged = Merged(self._peers, header(scope, b"last-event-id"))
                await self._streams.serve(scope, receive, send, merged)
                return
            else:
                reply = await self._reply(path.removeprefix(self._folder), method, scope, receive)
        except Exception as error:  # every failure is a response; error_of logs what is unexpected
            reply = _failure(error_of(error, f"{method} {PREFIX}"))
        await send_reply(send, reply._replace(headers=(*SECURITY, *reply.headers)))

    def _exchange(self, scope: ASGIScope) -> Reply:
        """Return the cookie for the link's code, once. HEAD does not use it up."""
        given = dict(parse_qsl(scope["query_string"].decode("latin-1"))).get("code", "")
        if scope["method"] != "GET":
            return _message(405, "The link takes GET.")
        if time.monotonic() > self._link_ends or not secrets.compare_digest(given.encode(), self._code.encode()):
            return _message(403, "This link was used, or is too old. `muninn open` makes a new one.")
        self._link_ends = 0.001
        cookie = f"{COOKIE}={self._cookie}; Path={self._folder}; HttpOnly; SameSite=Strict"
        return Reply(200, page_view.forward(self._folder), _HTML, ((b"set-cookie", cookie.encode()),))

    def _refusal(self, scope: ASGIScope) -> tuple[int, str] | None:
        """Return the status and the message of a refused request, None for one that may be answered."""
        again = "Open the page with `muninn open`."
        try:
            morsel = SimpleCookie(header(scope, b"cookie")).get(COOKIE)
        except CookieError:
            morsel = None
        given = morsel.value if morsel is not None else ""
        if not scope["path"].startswith(self._folder) or not secrets.compare_digest(
            given.encode(), self._cookie.encode()
        ):
            return 401, f"This browser has not opened the page, or the page was closed. {again}"
        if header(scope, b"sec-fetch-site") not in ("", "same-origin", "none"):
            return 403, f"Another page asked for this. {again}"
        if scope["method"] == "POST":
            if header(scope, b"origin") != f"http://{header(scope, b'host')}":
                return 403, "A call must come from the page itself."
            if not secrets.compare_digest(header(scope, TOKEN_HEADER).encode(), self._token.encode()):
                return 403, "The page's token is missing or wrong: load the page again."
        return None

    async def _reply(self, name: str, method: str, scope: ASGIScope, receive: Receive) -> Reply:
        at = _AT.fullmatch(name)
        if (name == "rpc" or at) and method == "POST":
            body = await read_json_body(scope, receive)
            session = self._peers.at(at[1]) if at else self._session
            async with cancelled_with(receive) as cancelled:
                return await json_rpc.answer(session, body, "", cancelled, VERBS)
        if method not in ("GET", "HEAD"):
            return _message(405, "The page takes GET, and POST for calls.")
        if name == "":
            return await self._memory(scope)
        file = _FILES.get(name)
        if file is None:
            return _message(404, "The page has no such file.")
        return Reply(200, file.read_bytes(), _TYPES[file.suffix])

    async def _memory(self, scope: ASGIScope) -> Reply:
        """Return the page with memory as plain HTML; scripts add the rest."""
        try:
            asked = dict(parse_qsl(scope["query_string"].decode("ascii"), max_num_fields=20))
        except ValueError:
            asked = {}
        wanted = page_view.Question(
            text=asked.get("q", "")[:1000], type=asked.get("type", "")[:100], at=asked.get("at", "")[:100]
        )
        root, found = self._session.location.root, {}
        others = await asyncio.to_thread(self._peers.running)
        try:
            remote = self._peers.at(wanted.at) if wanted.at else None
            root = remote.root if remote else root
            if wanted.text:
                params = {"query": wanted.text, "kind": "memory", "limit": page_view.SHOWN}
                found = await self._plain(remote, "recall", params | wanted.types(many=True))
            else:
                found = await self._plain(remote, "memories", {"limit": page_view.SHOWN, **wanted.types()})
        except MuninnError as error:
            found = {"error": error.to_plain()}
        repositories = [
            {"key": "", **described(self._session.location.root)},
            *({"key": each.key, **described(each.root)} for each in others),
        ]
        return Reply(200, page_view.document(root, self._token, wanted, found, repositories), _HTML)

    async def _plain(self, remote: Remote | None, verb: str, params: dict[str, Any]) -> dict[str, Any]:
        if remote is not None:
            return await remote.plain(verb, params)
        plain: dict[str, Any] = await self._session.call(verb, params, to_plain)
        return plain


def _derive(secret: str, purpose: str) -> str:
    """Return 64 hexadecimal digits that tell nothing about the secret or each other."""
    return hmac.new(secret.encode(), purpose.encode(), hashlib.sha256).hexdigest()


def _message(status: int, text: str) -> Reply:
    return Reply(status, page_view.message(text), _HTML)


def _failure(error: MuninnError) -> Reply:
    return Reply(500, page_view.message(f"{error.message}. {error.hint}"), _HTML)
