"""Reports about models: routes, prompts that would be sent, and costs of calls."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from urllib.parse import urlsplit

from muninn_core.config.addresses import is_loopback
from muninn_core.config.model_settings import COMMANDS, ModelSettings
from muninn_core.errors import BadParams, ModelError
from muninn_core.model.value import replace
from muninn_core.models import keychain
from muninn_core.models.ledger import Entry, budget_problem
from muninn_core.models.prompt import Message, Prompt, Tool
from muninn_core.models.request import cost, masked, named_route, route_of
from muninn_core.models.service import ModelService
from muninn_core.protocol.families.models import (
    ModelCall,
    ModelRoute,
    ModelsKeyParams,
    ModelsKeyResult,
    ModelsListResult,
    ModelsTestParams,
    ModelsTestResult,
    ModelsUsageParams,
    ModelsUsageResult,
    SentMessage,
    ShownPrompt,
    Spent,
)
from muninn_core.worktree.call_context import CallContext
from muninn_core.worktree.workspace import Workspace

_READY = Tool(
    name="ready",
    description="Report that you are ready.",
    parameters={"type": "object", "properties": {"ready": {"type": "boolean"}}, "required": ["ready"]},
)
_QUESTION = "Call the tool `ready` with ready=true if you have it. Otherwise answer with the one word: ready"


def list_models(workspace: Workspace, models: ModelService) -> ModelsListResult:
    """Return the routes with their problems, and what is left of the day's budget."""
    settings = models.settings(workspace.location.root)
    routes = tuple(_route(models, settings, name) for name in settings.routes)
    problems = list(settings.problems)
    spent = Spent()
    try:
        spent = sum_up(models.ledger.entries(1))
    except ModelError as error:
        problems.append(error.line)
    budget = settings.budget
    tokens = spent.tokens_in + spent.tokens_out
    return ModelsListResult(
        file=str(models.settings_file or ""),
        routes=routes,
        use={**settings.use.routes(), **({"context": "gateway"} if settings.use.context else {})},
        tokens_left=None if budget.tokens_day is None else max(0, budget.tokens_day - tokens),
        usd_left=None if budget.usd_day is None else max(0.0, round(budget.usd_day - spent.usd, 6)),
        problems=tuple(problems),
        saw=workspace.read_state(),
    )


def test_model(
    workspace: Workspace, models: ModelService, params: ModelsTestParams, call: CallContext
) -> ModelsTestResult:
    """Ask a route a short question, or show what would be sent.

    Raises NotFoundError for an unknown route, ModelError.
    """
    settings = models.settings(workspace.location.root)
    route = named_route(settings, params.route)
    tools = () if route.dialect in COMMANDS else (_READY,)
    prompt = Prompt(
        purpose="test",
        version="1",
        system="This is a test of the connection.",
        messages=(Message(role="user", text=_QUESTION),),
        tools=tools,
    )
    if params.show_prompt:
        shown = (shown_prompt(workspace, settings, params.route, prompt),)
        return ModelsTestResult(route=params.route, prompts=shown, saw=workspace.read_state())
    asked = models.client.ask(
        settings,
        params.route,
        prompt,
        repository=workspace.location.root,
        session=params.session or "",
        cancelled=lambda: call.cancelled,
    )
    called = any(each.name == _READY.name for each in asked.answer.calls)
    return ModelsTestResult(
        route=params.route,
        text=asked.answer.text.strip()[:500],
        model=asked.answer.model,
        tools=called if tools else None,
        ms=asked.entry.ms,
        spent=sum_up((asked.entry,)),
        saw=workspace.read_state(),
    )


def usage(workspace: Workspace, models: ModelService, params: ModelsUsageParams) -> ModelsUsageResult:
    """Sum the calls of the last days."""
    entries = models.ledger.entries(params.days)
    purposes = sorted({entry.purpose.partition("/")[0] for entry in entries})
    routes = sorted({entry.route for entry in entries})
    calls = tuple(
        ModelCall(**{name: getattr(entry, name) for name in ModelCall.__struct_fields__}) for entry in entries
    )
    return ModelsUsageResult(
        days=params.days,
        total=sum_up(entries),
        by_purpose={
            name: sum_up(each for each in entries if each.purpose.partition("/")[0] == name) for name in purposes
        },
        by_route={name: sum_up(each for each in entries if each.route == name) for name in routes},
        calls=calls if params.calls else (),
        saw=workspace.read_state(),
    )


def give_key(workspace: Workspace, models: ModelService, params: ModelsKeyParams) -> ModelsKeyResult:
    """Hold or store the key of a route.

    Raises BadParams for an empty key or a route that takes none, NotFoundError for an unknown route, ModelError.
    """
    route = named_route(models.settings(workspace.location.root), params.route)
    key = params.value.strip()
    if not key or not key.isprintable():
        raise BadParams("the key is empty or not printable", hint="Nothing was stored.")
    if route.key == "none":
        raise BadParams(f"the route '{params.route}' takes no key", hint="Set its 'key' to keychain or prompt.")
    if params.keychain:
        keychain.write(params.route, key)
    models.keys.give(params.route, key)
    return ModelsKeyResult(
        route=params.route, place="keychain" if params.keychain else "memory", saw=workspace.read_state()
    )


def shown_prompt(
    workspace: Workspace, settings: ModelSettings, route: str, prompt: Prompt, about: Sequence[str] = ()
) -> ShownPrompt:
    """Return a prompt as it would be sent: with secrets masked."""
    clean = masked(prompt, workspace.config.memory.secrets)
    messages = (SentMessage(role="system", text=clean.system), *(_sent(each) for each in clean.messages))
    known = route_of(settings, route)
    return ShownPrompt(
        route=route,
        purpose=f"{prompt.purpose}/{prompt.version}",
        messages=messages,
        about=tuple(about),
        tokens=clean.size,
        usd=cost(known, clean.size, known.max_output),
    )


def sum_up(entries: Iterable[Entry]) -> Spent:
    """Return the sum of some calls."""
    total = Spent()
    for entry in entries:
        total = replace(
            total,
            calls=total.calls + 1,
            failed=total.failed + (entry.state != "done"),
            tokens_in=total.tokens_in + entry.tokens_in,
            tokens_out=total.tokens_out + entry.tokens_out,
            cached=total.cached + entry.cached,
            usd=round(total.usd + entry.usd, 9),
        )
    return total


def _sent(message: Message) -> SentMessage:
    return SentMessage(role=message.role, text=message.text)


def _route(models: ModelService, settings: ModelSettings, name: str) -> ModelRoute:
    route = settings.routes[name]
    local = route.dialect not in COMMANDS and is_loopback(route.url)
    problem = ""
    try:
        route_of(settings, name)
        if route.dialect not in COMMANDS:
            models.keys.of(name, route)
        problem = budget_problem(settings.budget)
    except ModelError as error:
        problem = error.line
    return ModelRoute(
        name=name,
        dialect=route.dialect,
        model=route.model,
        host=route.dialect if route.dialect in COMMANDS else urlsplit(route.url).netloc,
        local=local,
        key=route.key,
        price_in=route.price_in,
        price_out=route.price_out,
        problem=problem,
    )
