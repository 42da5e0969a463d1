"""Ask language models that the user configures for help with memory."""

from __future__ import annotations

from typing import Annotated

from muninn_core.model.value import Meta, Value, field
from muninn_core.protocol.base import Result, SessionId, Text
from muninn_core.protocol.method import Family, Method

RouteName = Annotated[str, Meta(min_length=1, description="The name of a route: a model and how to reach it.")]


class ModelsListParams(Value):
    """The verb takes no parameters."""


class ModelRoute(Value):
    """A route. `host` is where requests go, or the program that is started. `problem` says why it can't be used now."""

    name: str
    dialect: str
    model: str
    host: str
    local: bool
    key: str
    price_in: float | None = None
    price_out: float | None = None
    problem: str = ""


class ModelsListResult(Result):
    """The routes, what this repository uses them for, and what is left of the day's budget.

    `problems` are settings that do not apply. `file` is the user's own settings.
    """

    file: str
    routes: tuple[ModelRoute, ...]
    use: dict[str, str] = field(default_factory=dict)
    tokens_left: int | None = None
    usd_left: float | None = None
    problems: tuple[str, ...] = ()


class ModelsTestParams(Value):
    """The route to try."""

    route: RouteName
    show_prompt: Annotated[bool, Meta(description="Show what would be sent; ask no model.")] = False
    session: SessionId | None = None


class SentMessage(Value):
    """One message of a prompt, with secrets masked."""

    role: str
    text: str


class ShownPrompt(Value):
    """What is sent. `about` are the memories in it; `tokens` is an estimate, `usd` the most that it may cost."""

    route: str
    purpose: str
    messages: tuple[SentMessage, ...]
    about: tuple[str, ...] = ()
    tokens: int = 0
    usd: float = 0.0


class Spent(Value):
    """What calls cost. `calls` counts attempts, `failed` those without a usable answer."""

    calls: int = 0
    failed: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cached: int = 0
    usd: float = 0.0


class ModelsTestResult(Result):
    """Whether a route answers. `model` is the name that the model gave itself.

    `tools` is whether it called the function that it was offered; None for a program, which is offered none.
    """

    route: str
    text: str = ""
    model: str = ""
    tools: bool | None = None
    ms: int = 0
    spent: Spent = Spent()
    prompts: tuple[ShownPrompt, ...] = ()


class ModelsUsageParams(Value):
    """Which calls to sum."""

    days: Annotated[int, Meta(ge=1, le=366, description="The number of days in UTC, today included.")] = 1
    calls: Annotated[bool, Meta(description="List each call, too.")] = False


class ModelCall(Value):
    """One call of the ledger. `prompt` is a hash of what was sent."""

    ts: str
    route: str
    model: str
    purpose: str
    state: str
    tokens_in: int
    tokens_out: int
    usd: float
    ms: int
    prompt: str
    session: str = ""
    repository: str = ""
    error: str = ""


class ModelsUsageResult(Result):
    """What the user's calls cost, of all repositories: in total, by purpose and by route."""

    days: int
    total: Spent
    by_purpose: dict[str, Spent]
    by_route: dict[str, Spent]
    calls: tuple[ModelCall, ...] = ()


class ModelsKeyParams(Value):
    """The key of a route."""

    route: RouteName
    value: Annotated[
        str,
        Meta(description="The key. The command line asks for it or reads it from standard input when it is left out."),
    ] = ""
    keychain: Annotated[
        bool, Meta(description="Store it in the system's keychain. Otherwise the daemon holds it until it exits.")
    ] = False


class ModelsKeyResult(Result):
    """Where the key of the route is now: `memory` or `keychain`."""

    route: str
    place: str


class EnrichParams(Value):
    """Which memories to enrich."""

    ids: Annotated[
        tuple[Text, ...],
        Meta(description="The memories' ids, or prefixes. Without them the newest that have no enrichment."),
    ] = ()
    limit: Annotated[int, Meta(ge=1, le=200, description="The most memories to ask about.")] = 10
    show_prompt: Annotated[bool, Meta(description="Show what would be sent; ask no model.")] = False
    session: SessionId | None = None


class Enriched(Value):
    """The enrichment of one memory. `problem` says why the answer was not used; the memory is unchanged then."""

    id: str
    summary: str = ""
    keywords: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    kind: str = ""
    importance: int = 0
    questions: tuple[str, ...] = ()
    problem: str = ""


class EnrichResult(Result):
    """The enriched memories. `left` counts those that still have no enrichment."""

    memories: tuple[Enriched, ...]
    spent: Spent = Spent()
    left: int = 0
    prompts: tuple[ShownPrompt, ...] = ()


class JudgeParams(Value):
    """How many pairs to ask about, or the two memories to decide about."""

    ids: Annotated[
        tuple[Text, ...],
        Meta(
            description="Two ids, or prefixes: ask whether to merge them, to let one supersede the other, or neither."
        ),
    ] = ()
    limit: Annotated[int, Meta(ge=1, le=200, description="The most pairs to ask about.")] = 20
    dry_run: Annotated[bool, Meta(description="List the pairs; ask no model and record nothing.")] = False
    show_prompt: Annotated[bool, Meta(description="Show what would be sent; ask no model.")] = False
    session: SessionId | None = None


class JudgedPair(Value):
    """Two memories that the rules leave as new, and the model's verdict: same, new, contradictory or uncertain.

    `likeness` is the cosine of their meaning. `problem` says why there is no verdict.
    """

    left: str
    right: str
    left_text: str
    right_text: str
    likeness: float
    verdict: str = ""
    reason: str = ""
    problem: str = ""


class ConsolidationProposal(Value):
    """A model's proposal for two memories: merge, supersede or keep_both. Nothing is recorded.

    `keep` is the memory that stays active, `gone` the one that is merged or superseded, `text` the merged text. `by` is
    the model and the version of the prompt.
    `problem` says why there is no decision.
    """

    by: str
    decision: str = ""
    keep: str = ""
    gone: str = ""
    text: str = ""
    reason: str = ""
    problem: str = ""


class JudgeResult(Result):
    """The pairs, most similar first. `waiting` counts pairs that were not asked about.

    `proposal` is set when two memories were named.
    """

    pairs: tuple[JudgedPair, ...]
    waiting: int = 0
    spent: Spent = Spent()
    dry_run: bool = False
    prompts: tuple[ShownPrompt, ...] = ()
    proposal: ConsolidationProposal | None = None


class LinkParams(Value):
    """Which memories to find links for, and how."""

    ids: Annotated[
        tuple[Text, ...],
        Meta(description="The memories' ids, or prefixes. Without them the newest that have no link."),
    ] = ()
    limit: Annotated[int, Meta(ge=1, le=1000, description="The most memories to find links for.")] = 50
    apply: Annotated[bool, Meta(description="Record the links, or with `undo` remove them. Otherwise report.")] = False
    model: Annotated[bool, Meta(description="Ask the route for links instead of the rules.")] = False
    undo: Annotated[bool, Meta(description="Remove links that this verb recorded: of `ids`, or all.")] = False
    show_prompt: Annotated[bool, Meta(description="With `model`: show what would be sent; ask no model.")] = False
    session: SessionId | None = None


class ProposedLink(Value):
    """A link from a newer memory to an older one. `strength` is 0 to 1; `by` is who found it.

    `problem` says why it is not recorded, or without a target why the memory got no links.
    """

    source: str
    target: str
    relation: str
    strength: float = 0.0
    reason: str = ""
    by: str = ""
    recorded: bool = False
    problem: str = ""


class LinkResult(Result):
    """The links. `compared` counts the memories that links were looked for, `recorded` the links that were stored.

    With `undo`, `links` are those that are removed, or that would be without `apply`. `titles` has the headlines of the
    memories, by id.
    """

    links: tuple[ProposedLink, ...]
    titles: dict[str, str] = field(default_factory=dict)
    compared: int = 0
    recorded: int = 0
    undone: bool = False
    prompts: tuple[ShownPrompt, ...] = ()
    spent: Spent = Spent()


FAMILY = Family(
    name="models",
    title="Models",
    summary="Ask language models that the user configures for help with memory.",
    groups={"models": "Show, test and account for the language models of your own settings."},
    methods=(
        Method(
            verb="models.list",
            title="List the models",
            summary="List the routes to language models, what this repository uses them for, and the budget.",
            params=ModelsListParams,
            result=ModelsListResult,
            effect="read",
        ),
        Method(
            verb="models.test",
            title="Test a model",
            summary="Ask a model one short question, and report whether it answers, streams and calls tools.",
            params=ModelsTestParams,
            result=ModelsTestResult,
            effect="control",
            idempotent=False,
            positional=("route",),
            example={"route": "local"},
        ),
        Method(
            verb="models.usage",
            title="Show what models cost",
            synonyms=("cost", "spend"),
            summary="Sum the calls to language models, with tokens and cost.",
            params=ModelsUsageParams,
            result=ModelsUsageResult,
            effect="read",
        ),
        Method(
            verb="models.key",
            title="Give the key of a model",
            suggested=False,
            summary="Hold the key of a route in the daemon's memory, or store it in the system's keychain.",
            params=ModelsKeyParams,
            result=ModelsKeyResult,
            effect="control",
            positional=("route",),
            example={"route": "cloud"},
        ),
        Method(
            verb="enrich",
            title="Enrich memories",
            summary="Ask a model for summary, keywords, tags, kind, importance and questions of memories.",
            params=EnrichParams,
            result=EnrichResult,
            effect="control",
            idempotent=False,
            positional=("ids",),
            progress="Enriching",
        ),
        Method(
            verb="judge",
            title="Judge similar memories",
            summary="Ask a model about similar memories that the rules keep apart; `reconcile` applies its verdicts.",
            params=JudgeParams,
            result=JudgeResult,
            effect="control",
            positional=("ids",),
            idempotent=False,
            progress="Judging",
        ),
        Method(
            verb="link",
            title="Link memories",
            synonyms=("relate", "connect"),
            summary="Find links between memories, by rules or with a model, and record them with --apply.",
            params=LinkParams,
            result=LinkResult,
            effect="control",
            positional=("ids",),
            progress="Linking",
        ),
    ),
)
