"""Makes facts with three values over time, and look-alike facts about other subjects, from a seed.

A fact is an attribute of a component. Each of its three values is stated once, either in the same words or each time in
other words. The look-alikes state the same attributes of other components. A question asks for the value; the newest
statement is right, and its older versions have to come after it.
"""

from __future__ import annotations

import random
from typing import NamedTuple

from bench.memory.data import Case, Draft, Question

COMPONENTS = (
    "billing service", "search API", "image resizer", "login gateway", "mail worker", "export job", "webhook relay",
    "pricing engine", "session store", "audit log", "report builder", "chat server", "map tiler", "quota checker",
    "invoice printer", "payment proxy", "catalog sync", "device registry", "backup agent", "feature flag client",
    "order queue", "video encoder", "metrics collector", "license server", "upload handler", "address validator",
)  # fmt: skip


class Attribute(NamedTuple):
    """An attribute: its name, three wordings of a statement, a question in other words, and its values."""

    name: str
    wordings: tuple[str, str, str]
    question: str
    values: tuple[str, ...]


ATTRIBUTES = (
    Attribute(
        "request timeout",
        (
            "The request timeout of the {c} is {v}.",
            "Calls to the {c} are now given up after {v}.",
            "We let the {c} take {v} before a request is cancelled.",
        ),
        "how long do we wait for an answer of the {c}?",
        ("3 seconds", "8 seconds", "15 seconds", "25 seconds", "40 seconds", "60 seconds"),
    ),
    Attribute(
        "number of retries",
        (
            "The number of retries of the {c} is {v}.",
            "When it fails, the {c} tries again {v} times now.",
            "Retrying in the {c} was changed to {v} attempts.",
        ),
        "how often does the {c} try again?",
        ("2", "3", "4", "5", "6", "8"),
    ),
    Attribute(
        "database",
        (
            "The database of the {c} is {v}.",
            "The {c} moved its data to {v}.",
            "Records of the {c} are kept in {v} since the migration.",
        ),
        "where does the {c} store its data?",
        ("PostgreSQL", "MySQL", "SQLite", "DynamoDB", "MongoDB", "CockroachDB"),
    ),
    Attribute(
        "retention",
        (
            "The retention of files in the {c} is {v}.",
            "Old files of the {c} are deleted after {v} now.",
            "Auditors asked that the {c} keeps files for {v}.",
        ),
        "when are old files of the {c} removed?",
        ("7 days", "30 days", "90 days", "180 days", "1 year", "2 years"),
    ),
    Attribute(
        "memory limit",
        (
            "The memory limit of the {c} is {v}.",
            "Pods of the {c} may use up to {v} of RAM now.",
            "We raised what the {c} gets to {v} of memory after it was killed.",
        ),
        "how much RAM may the {c} use?",
        ("256 MB", "512 MB", "1 GB", "2 GB", "4 GB", "6 GB"),
    ),
    Attribute(
        "owner",
        (
            "The owner of the {c} is {v}.",
            "{v} took over the {c}.",
            "Questions about the {c} go to {v} from now on.",
        ),
        "which team is responsible for the {c}?",
        ("the platform team", "the growth team", "the data team", "the mobile team", "the core team", "the web team"),
    ),
    Attribute(
        "deployment",
        (
            "The {c} is deployed {v}.",
            "Releases of the {c} go out {v} now.",
            "We switched the rollout of the {c}: it ships {v}.",
        ),
        "when does a new version of the {c} go live?",
        ("every Monday", "every Thursday", "twice a day", "on each merge", "once a month", "every second week"),
    ),
    Attribute(
        "log format",
        (
            "The log format of the {c} is {v}.",
            "The {c} writes its logs as {v} now.",
            "Log lines of the {c} were converted to {v}.",
        ),
        "what do log lines of the {c} look like?",
        ("JSON", "logfmt", "plain text", "CSV", "GELF", "syslog"),
    ),
)  # fmt: skip


def facts(count: int, seed: int, *, reworded: bool) -> list[Case]:
    """Return cases of at most 26 facts each, with as many look-alikes; `count` facts in all."""
    chance = random.Random(seed)
    return [_case(chance, number, min(26, count - 26 * number), reworded) for number in range(-(-count // 26))]


def _case(chance: random.Random, number: int, size: int, reworded: bool) -> Case:
    pairs = [(component, attribute) for component in COMPONENTS for attribute in ATTRIBUTES]
    chosen = chance.sample(pairs, 2 * size)
    drafts: list[tuple[float, Draft]] = []
    questions, older = [], {}
    for place, (component, attribute) in enumerate(chosen[:size]):
        values = chance.sample(attribute.values, 3)
        orders = sorted(chance.random() for _ in values)
        wordings = chance.sample(attribute.wordings, 3) if reworded else [attribute.wordings[0]] * 3
        for version, (value, order, wording) in enumerate(zip(values, orders, wordings, strict=True)):
            drafts.append((order, Draft(f"f{place}v{version}", "", {"text": _said(wording, component, value)})))
        older |= {f"f{place}v2": f"f{place}v1", f"f{place}v1": f"f{place}v0"}
        texts = (f"what is the {attribute.name} of the {component}?", attribute.question.format(c=component))
        questions += [Question(text, (f"f{place}v2",), (f"f{place}v0", f"f{place}v1")) for text in texts]
    for place, (component, attribute) in enumerate(chosen[size:]):
        text = _said(attribute.wordings[0], component, chance.choice(attribute.values))
        drafts.append((chance.random(), Draft(f"l{place}", "", {"text": text})))
        question = f"what is the {attribute.name} of the {component}?"
        questions.append(Question(question, (f"l{place}",)))
    drafts.sort(key=lambda each: each[0])
    return Case(f"facts-{number}", [draft for _, draft in drafts], questions, [], older)


def _said(wording: str, component: str, value: str) -> str:
    text = wording.format(c=component, v=value)
    return text[:1].upper() + text[1:]
