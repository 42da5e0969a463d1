"""People of an identity provider: checks the tokens that it signs (OpenID Connect). The only importer of PyJWT.

A token is a JWT (RFC 7519) of an issuer that an administrator declared, signed with a key that the issuer publishes
(JWKS, RFC 7517). Its claim names the person, who becomes a user of the organisation without rights of its own. With a
claim of groups, membership in declared groups follows the token.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Sequence
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import jwt

from muninn_core.config.addresses import is_loopback
from muninn_core.errors import BadParams, NotFoundError, RefusedError
from muninn_core.org.access.principals import Caller, InvalidToken, checked_name, put_principal, set_tenant
from muninn_core.org.database.connections import Connection, Database

log = logging.getLogger("muninn.org")

ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
"""Signatures with a public key. A key that both sides know, and no signature, are refused."""

SKEW_SECONDS = 60
"""By how much the clocks of the issuer and the server may differ."""

_PAUSE_SECONDS = 30.0
"""The shortest time between two fetches of an issuer's keys, so that unknown keys can't make the server ask often."""

_KEYS_SECONDS = 600.0
"""The age of keys at which they are fetched again, so that a key that the issuer has withdrawn ends."""

_FETCH_SECONDS = 5.0
_MAX_TOKEN = 16_000
_MAX_GROUPS = 500


class Provider(NamedTuple):
    """What a token of an issuer is checked against."""

    tenant: int
    audience: str
    keys: str
    claim: str
    groups_claim: str


class _Keys:
    """The public keys of one issuer, fetched when one is unknown, and when they are old."""

    def __init__(self, address: str) -> None:
        self._client = jwt.PyJWKClient(address, cache_jwk_set=False, timeout=_FETCH_SECONDS)
        self._lock = threading.Lock()
        self._known: dict[str | None, jwt.PyJWK] = {}
        self._next = 0.0
        self._fetched = 0.0

    def find(self, kid: str | None) -> jwt.PyJWK | None:
        """Return the key of an id, None for an unknown one. Raises InvalidToken when keys can't be fetched.

        While the issuer does not answer, the keys that it had last stay.
        """
        with self._lock:
            now = time.monotonic()
            is_known = kid in self._known
            if now >= self._next and not (is_known and now < self._fetched + _KEYS_SECONDS):
                self._next = now + _PAUSE_SECONDS
                try:
                    self._known = {each.key_id: each for each in self._client.get_signing_keys()}
                    self._fetched = now
                except jwt.PyJWTError as error:
                    log.warning("the keys of an issuer can't be read: %s", error)
                    if not is_known:
                        raise InvalidToken(
                            f"the keys of the issuer can't be read: {error}", hint="Try again."
                        ) from None
            return self._known.get(kid)


class People:
    """Checks tokens of all declared issuers. Safe to use from several threads."""

    def __init__(self, database: Database, replica: Database) -> None:
        """`database` gets new people and changed groups; `replica` is read, and may be read-only."""
        self._database = database
        self._replica = replica
        self._lock = threading.Lock()
        self._keys: dict[str, _Keys] = {}

    def caller(self, token: str) -> Caller:
        """Return the person of a token. Raises InvalidToken, the same for whatever is wrong with a token."""
        try:
            issuer, kid = _unverified(token)
            provider = self._provider(issuer)
            key = self._keys_of(provider).find(kid)
            if key is None:
                raise _invalid()
            claims = jwt.decode(
                token,
                key,
                algorithms=list(ALGORITHMS),
                audience=provider.audience,
                issuer=issuer,
                leeway=SKEW_SECONDS,
                options={"require": ["exp", "iat", "iss", "aud"]},
            )
        except (jwt.PyJWTError, ValueError, TypeError):
            raise _invalid() from None
        name = claims.get(provider.claim)
        if not isinstance(name, str):
            raise _invalid()
        return self._person(provider, name, claims)

    def _person(self, provider: Provider, name: str, claims: dict[str, Any]) -> Caller:
        try:
            checked_name(name)
        except BadParams as error:
            raise RefusedError(f"the claim '{provider.claim}' is not a name: {error.message}") from None
        groups = claims.get(provider.groups_claim) if provider.groups_claim else None
        named = groups if isinstance(groups, list) else []
        with self._replica.transaction("muninn_writer", snapshot=True) as connection:
            person = _known_person(connection, provider, name)
            changed = person is None or any(_changed_groups(connection, provider, person, named))
        if person is None or changed:
            with self._database.transaction("muninn_writer") as connection:
                person = _known_person(connection, provider, name)
                if person is None:
                    person = put_principal(connection, provider.tenant, "user", name)
                _follow_groups(connection, provider, person, named)
        return Caller(0, provider.tenant, person, name, "read", None, changed)

    def _provider(self, issuer: str) -> Provider:
        with self._replica.transaction("muninn_reader") as connection:
            sql = "SELECT tenant, audience, keys, claim, groups_claim FROM provider(%s)"
            row = connection.execute(sql, (issuer,)).fetchone()
        if row is None:
            raise _invalid()
        return Provider(*row)

    def _keys_of(self, provider: Provider) -> _Keys:
        with self._lock:
            return self._keys.setdefault(provider.keys, _Keys(provider.keys))


def is_signed(token: str) -> bool:
    """Whether a token has the form of a JWT."""
    return token.count(".") == 2 and len(token) <= _MAX_TOKEN


def put_provider(
    connection: Connection, tenant: int, issuer: str, audience: str, keys: str, claim: str, groups_claim: str
) -> None:
    """Declare an identity provider, or change it.

    Raises BadParams for an address without TLS on another machine, and for an issuer of another organisation.
    """
    for address in (issuer, keys):
        parts = urlsplit(address)
        if not parts.hostname or not (parts.scheme == "https" or (parts.scheme == "http" and is_loopback(address))):
            raise BadParams(f"'{address[:200]}' is not the address of a provider", hint="It begins with https://.")
    if not audience or not claim:
        raise BadParams("the audience or the claim is empty", hint="The audience is the client id or the server's URL.")
    set_tenant(connection, tenant)
    known = connection.execute("SELECT tenant FROM provider(%s)", (issuer,)).fetchone()
    if known is not None and known[0] != tenant:
        raise BadParams(
            f"another organisation of this database has the provider '{issuer[:200]}'",
            hint="An issuer belongs to one organisation. Its administrator can give it up with `--remove`.",
        )
    connection.execute(
        "INSERT INTO identity_provider(tenant, issuer, audience, keys, claim, groups_claim) "
        "VALUES (%s, %s, %s, %s, %s, %s) ON CONFLICT (issuer) DO UPDATE SET audience = excluded.audience, "
        "keys = excluded.keys, claim = excluded.claim, groups_claim = excluded.groups_claim",
        (tenant, issuer, audience, keys, claim, groups_claim),
    )


def remove_provider(connection: Connection, tenant: int, issuer: str) -> None:
    """Let the people of a provider ask no more, at once. Their names and rights stay. Raises NotFoundError."""
    set_tenant(connection, tenant)
    done = connection.execute("DELETE FROM identity_provider WHERE tenant = %s AND issuer = %s", (tenant, issuer))
    if not done.rowcount:
        raise NotFoundError(f"there is no provider '{issuer}'", hint="`muninn org list` shows them.")


def _known_person(connection: Connection, provider: Provider, name: str) -> int | None:
    """Let the transaction see the rows of a provider's tenant, and return the person of a name, None for a new one."""
    set_tenant(connection, provider.tenant)
    sql = "SELECT id FROM principal WHERE tenant = %s AND kind = 'user' AND name = %s"
    row = connection.execute(sql, (provider.tenant, name)).fetchone()
    return None if row is None else int(row[0])


def _changed_groups(
    connection: Connection, provider: Provider, person: int, names: Sequence[object]
) -> tuple[list[int], list[int]]:
    """Return the groups that a person enters and leaves, to be in exactly the declared ones that a token names."""
    if not provider.groups_claim:
        return [], []
    wanted = [each for each in names[:_MAX_GROUPS] if isinstance(each, str) and "\0" not in each]
    rows = connection.execute(
        "SELECT id FROM principal WHERE tenant = %s AND kind = 'group' AND name = ANY(%s)", (provider.tenant, wanted)
    )
    groups = {row[0] for row in rows}
    known = {row[0] for row in connection.execute("SELECT in_group FROM member WHERE principal = %s", (person,))}
    return sorted(groups - known), sorted(known - groups)


def _follow_groups(connection: Connection, provider: Provider, person: int, names: Sequence[object]) -> None:
    entered, left = _changed_groups(connection, provider, person, names)
    connection.execute("DELETE FROM member WHERE principal = %s AND in_group = ANY(%s)", (person, left))
    connection.execute(
        "INSERT INTO member(tenant, in_group, principal) SELECT %s, unnest(%s::integer[]), %s ON CONFLICT DO NOTHING",
        (provider.tenant, entered, person),
    )


def _unverified(token: str) -> tuple[str, str | None]:
    """Return the issuer and the id of the key that a token names, before it is checked."""
    header = jwt.get_unverified_header(token)
    if header.get("alg") not in ALGORITHMS:
        raise _invalid()
    claims = jwt.decode(token, options={"verify_signature": False})
    issuer, kid = claims.get("iss"), header.get("kid")
    if not isinstance(issuer, str) or "\0" in issuer or not isinstance(kid, str | None):
        raise _invalid()
    return issuer, kid


def _invalid() -> InvalidToken:
    return InvalidToken("the token is not valid", hint="Log in again.")
