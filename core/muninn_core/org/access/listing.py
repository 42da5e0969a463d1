"""Lists an organisation's repositories with their branches, rights and jobs, its groups and its providers."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from muninn_core.model.value import Value
from muninn_core.org.access.principals import find_repository, set_tenant
from muninn_core.org.database.connections import Connection

_USER_INFO = re.compile(r"(?<=^https://)[^/]*@|(?<=^ssh://)[^/]*@")


class ListedBranch(Value, forbid_unknown_fields=False):
    """A branch as it was pushed last."""

    ref: str
    commit: str
    pushed: datetime


class ListedGrant(Value, forbid_unknown_fields=False):
    """A user, group or service that may read a repository. `expires` is None for a right without an end."""

    kind: str
    principal: str
    expires: datetime | None = None


class ListedJob(Value, forbid_unknown_fields=False):
    """A branch that waits to be fetched. `due` is None after the last try; `error` says why the last one failed."""

    ref: str
    tries: int
    error: str = ""
    due: datetime | None = None


class ListedRepository(Value, forbid_unknown_fields=False):
    """A repository. `open`: the whole organisation reads it. `remote` is without a user and a password."""

    name: str
    open: bool
    default_ref: str
    remote: str = ""
    patterns: tuple[str, ...] = ()
    branches: tuple[ListedBranch, ...] = ()
    grants: tuple[ListedGrant, ...] = ()
    jobs: tuple[ListedJob, ...] = ()


class ListedGroup(Value, forbid_unknown_fields=False):
    """A group and its users."""

    name: str
    members: tuple[str, ...]


class ListedProvider(Value, forbid_unknown_fields=False):
    """An identity provider whose people may ask."""

    issuer: str
    audience: str
    claim: str
    groups_claim: str = ""


class Listing(Value, forbid_unknown_fields=False):
    """The repositories, groups and providers of an organisation, by name."""

    repositories: tuple[ListedRepository, ...]
    groups: tuple[ListedGroup, ...]
    providers: tuple[ListedProvider, ...]


def listing(connection: Connection, tenant: int, names: Sequence[str] = ()) -> Listing:
    """Return what a tenant has, with the named repositories alone or with all. Raises NotFoundError."""
    set_tenant(connection, tenant)
    wanted = [find_repository(connection, tenant, name) for name in names] if names else None
    return Listing(
        repositories=_repositories(connection, tenant, wanted),
        groups=_groups(connection, tenant),
        providers=tuple(
            ListedProvider(issuer=issuer, audience=audience, claim=claim, groups_claim=groups)
            for issuer, audience, claim, groups in connection.execute(
                "SELECT issuer, audience, claim, groups_claim FROM identity_provider WHERE tenant = %s ORDER BY issuer",
                (tenant,),
            )
        ),
    )


def _repositories(connection: Connection, tenant: int, wanted: list[int] | None) -> tuple[ListedRepository, ...]:
    asked = {"tenant": tenant, "wanted": wanted}

    def by_repository(sql: str, order: str) -> dict[int, list[Any]]:
        """Run a query of `x`, whose first column is the repository; return the other columns by it."""
        of = "WHERE x.tenant = %(tenant)s AND (%(wanted)s::integer[] IS NULL OR x.repository = ANY(%(wanted)s))"
        found: defaultdict[int, list[Any]] = defaultdict(list)
        for repository, *row in connection.execute(f"SELECT x.repository, {sql} {of} ORDER BY {order}".encode(), asked):
            found[repository].append(row)
        return found

    branches = by_repository("x.ref, x.commit, x.pushed FROM branch x", "x.ref")
    grants = by_repository(
        "p.kind, p.name, nullif(x.expires, 'infinity') FROM access x JOIN principal p ON p.id = x.principal",
        "p.kind, p.name",
    )
    jobs = by_repository("x.ref, x.tries, x.error, nullif(x.not_before, 'infinity') FROM job x", "x.ref, x.id")
    rows = connection.execute(
        "SELECT id, name, visibility = 'tenant', default_ref, remote, branches FROM repository "
        "WHERE tenant = %(tenant)s AND (%(wanted)s::integer[] IS NULL OR id = ANY(%(wanted)s)) ORDER BY name",
        asked,
    )
    return tuple(
        ListedRepository(
            name=name,
            open=is_open,
            default_ref=ref,
            remote=_USER_INFO.sub("", remote),
            patterns=tuple(patterns),
            branches=tuple(
                ListedBranch(ref=at, commit=commit, pushed=pushed) for at, commit, pushed in branches[number] if commit
            ),
            grants=tuple(ListedGrant(kind=kind, principal=who, expires=end) for kind, who, end in grants[number]),
            jobs=tuple(ListedJob(ref=at, tries=n, error=error, due=due) for at, n, error, due in jobs[number]),
        )
        for number, name, is_open, ref, remote, patterns in rows.fetchall()
    )


def _groups(connection: Connection, tenant: int) -> tuple[ListedGroup, ...]:
    rows = connection.execute(
        "SELECT g.name, coalesce(array_agg(u.name ORDER BY u.name) FILTER (WHERE u.id IS NOT NULL), '{}') "
        "FROM principal g LEFT JOIN member m ON m.in_group = g.id LEFT JOIN principal u ON u.id = m.principal "
        "WHERE g.tenant = %s AND g.kind = 'group' GROUP BY g.name ORDER BY g.name",
        (tenant,),
    )
    return tuple(ListedGroup(name=name, members=tuple(members)) for name, members in rows)
