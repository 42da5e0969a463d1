"""A client of the server: questions, and pushes from CI or a hook of git. It opens one connection per request."""

from __future__ import annotations

import http.client
import json
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

from muninn_core import git
from muninn_core.errors import BadParams, BusyError, DaemonError, MuninnError, from_plain
from muninn_core.git import mirror
from muninn_core.org.ingestion.pushes import refuse_older

_SECONDS = 120.0
_PUSH_SECONDS = 7200.0
"""How long the client waits for an answer, and for the end of a push. The first one of a repository takes longest."""

_WAIT_SECONDS = 1800.0
_PAUSE_SECONDS = 5.0
"""How long a push waits for others, and between two tries."""

_AWAY_SECONDS = 120.0
"""How long a push waits for a server that has answered it, or for its database, to come back."""

_PASSING = (502, 503, 504)
"""What proxies answer while the server behind them is away."""

_SHALLOW = (
    "This clone is shallow, and the server lacks what it builds on: `git fetch --unshallow`, or in CI a checkout with "
    "the whole history (`fetch-depth: 0`)."
)

_LOOPBACK = ("127.0.0.1", "localhost", "::1")


class _Away(DaemonError):
    """The server did not answer. It may do so later."""


class Client:
    """A server's address and a token."""

    def __init__(self, url: str, token: str) -> None:
        """Raises BadParams for an address without TLS on another machine, which would show the token."""
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise BadParams(f"'{url}' is not the address of a server", hint="It begins with https://.")
        if parts.scheme == "http" and parts.hostname not in _LOOPBACK:
            raise BadParams(f"'{url}' sends the token without encryption", hint="Use https.")
        self._url = url.rstrip("/")
        self._token = token
        self._answered = False

    def call(self, verb: str, params: dict[str, Any], repositories: Sequence[str] = (), ref: str = "") -> Any:
        """Return the plain result of a verb. Raises the server's error, DaemonError without an answer."""
        query = urlencode([*(("repository", each) for each in repositories), *([("ref", ref)] if ref else ())])
        message = {"jsonrpc": "2.0", "id": 1, "method": f"muninn/{verb}", "params": params}
        answer = self._send("POST", f"/rpc?{query}", json.dumps(message).encode(), "application/json")
        if "error" in answer:
            raise from_plain(answer["error"])
        return answer["result"]

    def listing(self, repositories: Sequence[str] = ()) -> Any:
        """Return the plain listing of the organisation. Raises as `call` does."""
        return self._send("GET", f"/list?{urlencode([('repository', each) for each in repositories])}")

    def push(
        self,
        root: Path,
        repository: str,
        ref: str,
        rev: str,
        *,
        force: bool = False,
        told: Callable[[str], None] = lambda _: None,
    ) -> Any:
        """Push a commit: send the objects that the server lacks. Returns the plain result.

        While other pushes are indexed it tries again, for half an hour at most, and while a server that has answered,
        or its database, is away, for two minutes. `told` gets the first reason.
        """
        commit, began, waits = git.resolve_commit(root, rev), time.monotonic(), False
        away: float | None = None
        while True:
            try:
                return self._push_once(root, repository, ref, commit, force=force)
            except MuninnError as error:
                now = time.monotonic()
                if self._is_away(error):
                    away = away or now
                elif isinstance(error, BusyError):
                    away = None  # it is back, and may go away again
                else:
                    raise
                if now > began + _WAIT_SECONDS or (away is not None and now > away + _AWAY_SECONDS):
                    raise
                if not waits:
                    told(error.message)
                waits = True
                time.sleep(_PAUSE_SECONDS)

    def _is_away(self, error: MuninnError) -> bool:
        """Whether a server that has answered, or its database, is away. An address that is wrong never answered."""
        return self._answered and (isinstance(error, _Away) or error.kind == "database")

    def _push_once(self, root: Path, repository: str, ref: str, commit: str, *, force: bool) -> Any:
        where = {"repository": repository, "ref": ref}
        there = self._send("GET", f"/push?{urlencode(where)}")
        known = there["commit"]
        if not force and not known:
            # This server can't tell a late push: another one took the last push, or its disk is new.
            refuse_older(root, there.get("indexed", ""), commit)
        with tempfile.TemporaryDirectory(prefix="muninn-push-") as folder:
            pack = Path(folder) / "pack"
            pack.touch()
            if known != commit:
                mirror.make_pack(root, commit, known, pack)
            asked = urlencode({**where, "commit": commit, "force": int(force)})
            try:
                return self._send(
                    "POST", f"/push?{asked}", pack.read_bytes(), "application/octet-stream", _PUSH_SECONDS
                )
            except BadParams as error:
                if error.message.startswith("the pack") and git.is_shallow(root):
                    error.hint = _SHALLOW
                raise

    def delete(self, repository: str, ref: str) -> bool:
        """Delete a branch; False when there is none."""
        where = urlencode({"repository": repository, "ref": ref})
        return bool(self._send("DELETE", f"/push?{where}")["deleted"])

    def _send(
        self, method: str, path: str, body: bytes | None = None, kind: str = "", seconds: float | None = None
    ) -> Any:
        headers = {"Authorization": f"Bearer {self._token}", **({"Content-Type": kind} if kind else {})}
        request = urllib.request.Request(self._url + path, body, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=seconds or _SECONDS) as response:
                self._answered = True
                return json.loads(response.read())
        except urllib.error.HTTPError as error:
            self._answered = True
            raise _error_of(error) from None
        except (OSError, ValueError, http.client.HTTPException) as error:
            reason = getattr(error, "reason", error)  # URLError wraps the system's
            raise _Away(f"{self._url} does not answer: {reason}", hint="Check the address and the server.") from None


def _error_of(error: urllib.error.HTTPError) -> MuninnError:
    try:
        return from_plain(json.loads(error.read())["error"])
    except (ValueError, KeyError, TypeError, OSError, http.client.HTTPException):
        kind = _Away if error.code in _PASSING else DaemonError
        return kind(f"the server answered with the status {error.code}", hint="Look at its log, and at its proxy's.")
