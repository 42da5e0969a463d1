"""HTTP to models. The only importer of httpx2, which mcp brings as well, and of httpcore2 below it.

No redirect is followed, no proxy or certificate of the environment is used, and every answer has a limit on its size
and its time.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from typing import Any
from urllib.parse import urlsplit

import httpcore2
import httpx2

from muninn_core.errors import ModelError

MAX_ANSWER = 4_000_000
"""Bytes of an answer that are read."""

MAX_ERROR = 2_000
"""Bytes of an error's body that a message may contain."""

CONNECT_SECONDS = 10.0

_IDLE_SECONDS = 5.0
"""How long the gateway keeps a connection without a request."""

_FAILURES = (
    *(httpx2.HTTPError, httpx2.InvalidURL, OSError),
    *(httpcore2.NetworkError, httpcore2.ProtocolError, httpcore2.TimeoutException),
)
_UNREACHED = (
    *(httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.InvalidURL),
    *(httpcore2.ConnectError, httpcore2.ConnectTimeout),
)

Headers = Sequence[tuple[bytes, bytes]]
"""Headers as they are sent, in their order."""


class HttpFailure(Exception):
    """A request without an answer. `status` is 0 without a response; `wait` are the seconds that the server named.

    `billed` is false when the server certainly did no work: it was not reached, or it answered with an error.
    """

    def __init__(self, reason: str, *, status: int = 0, wait: float | None = None, billed: bool = True) -> None:
        super().__init__(reason)
        self.reason = reason
        self.status = status
        self.wait = wait
        self.billed = billed and not status


@contextmanager
def posted(url: str, headers: Mapping[str, str], body: bytes, seconds: float) -> Iterator[Iterator[str]]:
    """Send a request and give the lines of its answer as they arrive.

    `seconds` limits the whole answer. Raises HttpFailure, and ModelError for a redirect.
    """
    end = time.monotonic() + seconds
    timeout = httpx2.Timeout(seconds, connect=min(CONNECT_SECONDS, seconds))
    try:
        with (
            httpx2.Client(trust_env=False, timeout=timeout, follow_redirects=False) as client,
            client.stream("POST", url, headers={"content-type": "application/json", **headers}, content=body) as answer,
        ):
            _check(url, answer)
            yield _lines(answer, end, seconds)
    except _FAILURES as error:
        raise _failure(error, seconds) from None


def _failure(error: Exception, seconds: float) -> HttpFailure:
    reached = not isinstance(error, _UNREACHED)
    if isinstance(error, (httpx2.TimeoutException, httpcore2.TimeoutException)):
        return HttpFailure(f"no answer within {seconds:g} s", billed=reached)
    return HttpFailure(str(error) or type(error).__name__, billed=reached)


def _lines(answer: httpx2.Response, end: float, seconds: float) -> Iterator[str]:
    """Yield the lines of a body. A line may be split anywhere, also inside a character."""
    rest, size = b"", 0
    for chunk in answer.iter_bytes():
        size += len(chunk)
        if size > MAX_ANSWER:
            raise HttpFailure(f"the answer has more than {MAX_ANSWER:,} bytes")
        if time.monotonic() > end:
            raise HttpFailure(f"no end of the answer within {seconds:g} s")
        *whole, rest = (rest + chunk).split(b"\n")
        for line in whole:
            yield line.rstrip(b"\r").decode("utf-8", "replace")
    if rest:
        yield rest.rstrip(b"\r").decode("utf-8", "replace")


def _check(url: str, answer: httpx2.Response) -> None:
    """Raise ModelError for a redirect, HttpFailure for an error's status."""
    if 300 <= answer.status_code < 400:
        host, target = urlsplit(url).hostname, urlsplit(answer.headers.get("location", "")).hostname
        raise ModelError(
            f"{host} redirects to {target or host}, and redirects are not followed",
            hint="Set the final address as the route's 'url', if you trust it.",
        )
    if answer.status_code != 200:
        raise HttpFailure(_error_text(answer), status=answer.status_code, wait=_wait(answer.headers))


def _error_text(answer: httpx2.Response) -> str:
    body = b""
    for chunk in answer.iter_bytes():
        body += chunk
        if len(body) > MAX_ERROR:
            break
    return body[:MAX_ERROR].decode("utf-8", "replace").strip()


def _wait(headers: Mapping[str, str]) -> float | None:
    """Return the seconds of `Retry-After` (RFC 9110, 10.2.3), None for none or for a date."""
    try:
        return max(0.0, float(headers.get("retry-after", "")))
    except ValueError:
        return None


class Upstream:
    """Connections of the gateway to backends. Bytes pass unchanged in both directions. No cookie is kept."""

    def __init__(self) -> None:
        self._pool = _Pool()

    async def close(self) -> None:
        """Close all connections."""
        await self._pool.aclose()

    @asynccontextmanager
    async def answered(
        self, url: str, headers: Headers, body: bytes, seconds: float
    ) -> AsyncIterator[tuple[int, Headers, AsyncIterator[bytes]]]:
        """Send a request; give status, headers and the raw bytes of the answer. `seconds` limits each pause.

        Raises HttpFailure when there is no answer at all. The iterator raises it when the answer breaks off.
        """
        pauses = dict.fromkeys(("read", "write", "pool"), seconds) | {"connect": min(CONNECT_SECONDS, seconds)}
        try:
            to = httpx2.URL(url)
            own = [(b"Host", to.netloc), (b"Content-Length", b"%d" % len(body))]
            address = httpcore2.URL(scheme=to.raw_scheme, host=to.raw_host, port=to.port, target=to.raw_path)
            request = httpcore2.Request(
                "POST", address, headers=[*own, *headers], content=body, extensions={"timeout": pauses}
            )
            answer = await self._pool.handle_async_request(request)
        except _FAILURES as error:
            raise _failure(error, seconds) from None
        try:
            yield answer.status, answer.headers, _raw(answer, seconds)
        finally:
            await answer.aclose()


class _Pool(httpcore2.AsyncConnectionPool):
    def __init__(self) -> None:
        self._tls = httpx2.create_ssl_context(trust_env=False)
        super().__init__(max_connections=None)

    def create_connection(self, origin: httpcore2.Origin) -> httpcore2.AsyncConnectionInterface:
        """Return a new connection, which is not open yet."""
        return _Connection(origin, self._tls, _IDLE_SECONDS)


class _Connection(httpcore2.AsyncHTTPConnection):
    """A connection that is closed after an answer with surplus bytes.

    The library reads them with the end of the answer, and would take them for the beginning of the next one.
    """

    def has_expired(self) -> bool:
        """Whether the pool closes the connection instead of sending another request on it."""
        return super().has_expired() or (self.is_idle() and _has_surplus(self._connection))


def _has_surplus(connection: Any) -> bool:
    """Whether bytes wait in the parser of an idle connection. True when a version of the library hides the parser."""
    parser = getattr(connection, "_h11_state", None)
    return parser is None or bool(parser.trailing_data[0])


async def _raw(answer: Any, seconds: float) -> AsyncIterator[bytes]:
    try:
        async for chunk in answer.aiter_stream():
            yield chunk
    except _FAILURES as error:
        raise _failure(error, seconds) from None
