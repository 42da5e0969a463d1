"""Webhooks of GitHub, GitLab and Gitea: a checked notice that a branch has moved.

A notice has no authority beyond that: it puts the branch into the queue, and a worker asks the forge for its commit.
So a repeated, late or reordered notice is harmless.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Callable, Mapping
from typing import Any

from muninn_core.errors import BadParams, BusyError, RefusedError
from muninn_core.model.value import decode_json
from muninn_core.org.access.principals import set_tenant
from muninn_core.org.database.connections import Database

MAX_WAITING = 500
"""Jobs of one repository that may wait. More are refused, and the forge sends them again."""

_NOBODY = "no such webhook"
_HEADS = "refs/heads/"
_NO_NAME = re.compile(r"[\0-\x20\x7f~^:?*\[\\]|\.\.|//")
"""What no name of a branch has (`git check-ref-format`). A pattern would name many."""

_MAX_REF = 1_000

Headers = Mapping[str, str]
"""Headers of a request, with lower-case names."""


def _github(headers: Headers, body: bytes, secret: str) -> bool:
    """Source: docs.github.com, "Validating webhook deliveries"."""
    return _same(headers.get("x-hub-signature-256", "").removeprefix("sha256="), _hmac(secret, body))


def _gitea(headers: Headers, body: bytes, secret: str) -> bool:
    """Source: docs.gitea.com, "Webhooks"."""
    return _same(headers.get("x-gitea-signature", ""), _hmac(secret, body))


def _gitlab(headers: Headers, _body: bytes, secret: str) -> bool:
    """Source: docs.gitlab.com, "Webhooks": the secret is sent as it is."""
    return _same(headers.get("x-gitlab-token", ""), secret)


FORGES: Mapping[str, Callable[[Headers, bytes, str], bool]] = {"github": _github, "gitea": _gitea, "gitlab": _gitlab}
"""The check of a request by the name of a forge."""


def receive(database: Database, forge: str, tenant: str, repository: str, headers: Headers, body: bytes) -> str | None:
    """Check a notice and queue its branch. Returns the branch, None for a notice about anything else.

    Raises RefusedError, the same for an unknown repository and a wrong signature; BadParams for an unknown forge or a
    body that is no notice; BusyError while too many jobs wait.
    """
    check = FORGES.get(forge)
    if check is None:
        raise BadParams(f"there is no forge '{forge[:60]}'", hint=f"They are {', '.join(FORGES)}.")
    with database.transaction("muninn_reader") as connection:
        row = connection.execute(
            "SELECT * FROM webhook(%s, %s)", (tenant.replace("\0", ""), repository.replace("\0", ""))
        ).fetchone()
    number, target, secret, waiting = row if row is not None else (0, 0, _NOBODY, 0)
    if not check(headers, body, secret) or row is None:
        raise RefusedError("the webhook's signature is wrong, or the repository takes no webhooks")
    ref = _branch(body)
    if ref is None:
        return None
    if waiting >= MAX_WAITING:
        raise BusyError("too many pushes of this repository wait", hint="Try again in a minute.")
    with database.transaction("muninn_writer") as connection:
        set_tenant(connection, number)
        connection.execute("INSERT INTO job(tenant, repository, ref) VALUES (%s, %s, %s)", (number, target, ref))
    return ref


def _branch(body: bytes) -> str | None:
    """Return the branch of a notice of a push. Raises BadParams."""
    try:
        notice: Any = decode_json(body)
    except ValueError:
        raise BadParams("the body is not JSON", hint="Set the webhook's content type to application/json.") from None
    ref = notice.get("ref") if isinstance(notice, dict) else None
    if not isinstance(ref, str) or not ref.startswith(_HEADS) or len(ref) > _MAX_REF or _NO_NAME.search(ref):
        return None
    return ref.removeprefix(_HEADS)


def _hmac(secret: str, body: bytes) -> str:
    return hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


def _same(given: str, expected: str) -> bool:
    return hmac.compare_digest(given.encode(), expected.encode())
