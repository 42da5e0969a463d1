"""The text of `muninn org list`."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

from muninn_core.context.invisible_characters import name_hidden
from muninn_core.model.counting import number_of
from muninn_core.org.access.listing import ListedGrant, ListedJob, ListedRepository, Listing


def listing_text(found: Listing) -> str:
    """Return what an organisation has, one fact a line, with hidden characters named."""
    lines = [line for each in found.repositories for line in _repository(each)]
    lines += [f"group {each.name}: {', '.join(each.members) or 'no members'}" for each in found.groups]
    lines += [f"provider {each.issuer}, for {each.audience}" for each in found.providers]
    return "\n".join(map(name_hidden, lines)) or "There are no repositories."


def _repository(listed: ListedRepository) -> Iterator[str]:
    yield f"{listed.name}  {'open' if listed.open else 'private'}, default branch {listed.default_ref}"
    if listed.remote:
        also = f", also {' '.join(listed.patterns)}" if listed.patterns else ""
        yield f"  fetched from {listed.remote}{also}"
    for each in listed.branches:
        yield f"  branch {each.ref} at {each.commit[:12]}, pushed {_time(each.pushed)}"
    for job in listed.jobs:
        yield f"  {_job(job)}"
    yield f"  readers: {_readers(listed)}"


def _readers(listed: ListedRepository) -> str:
    readers = ["everyone"] if listed.open else []
    return ", ".join([*readers, *map(_grant, listed.grants)]) or "none"


def _grant(grant: ListedGrant) -> str:
    until = f" until {_time(grant.expires)}" if grant.expires else ""
    return f"{grant.kind} {grant.principal}{until}"


def _job(job: ListedJob) -> str:
    state = "waits" if job.due else "failed"
    tries = f" after {number_of(job.tries, 'try', 'tries')}: {job.error}" if job.tries else ""
    return f"job for {job.ref} {state}{tries}"


def _time(at: datetime) -> str:
    return f"{at.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
