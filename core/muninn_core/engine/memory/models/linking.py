"""The verb `link`: finds links between memories by rules or with a model, and records them.

A run first only reports. Recorded links have a strength, a reason, and who made them; `undo` removes them. Links that
a person removed are not proposed again. A proposal that one memory supersedes another is shown and never recorded,
because it would retire the older memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from muninn_core.context.memory_summary import headline
from muninn_core.engine.memory.drafting.drafts import cleaned
from muninn_core.engine.memory.lookup import memory_of
from muninn_core.engine.memory.models.enrichment import as_sent, may_be_sent
from muninn_core.engine.memory.models.model_requests import ModelRequests
from muninn_core.engine.memory.models.reports import shown_prompt
from muninn_core.engine.memory.models.verdicts import READY_SECONDS
from muninn_core.errors import BadParams, ModelError
from muninn_core.model.memory import Link, Memory
from muninn_core.model.value import replace
from muninn_core.models.linking import VERSION, linking_prompt, read_links
from muninn_core.models.request import route_for
from muninn_core.models.service import ModelService
from muninn_core.protocol.families.models import LinkParams, LinkResult, ProposedLink, Spent
from muninn_core.reconcile.linking import Candidate, Corpus, rule_links
from muninn_core.reconcile.planning.plan import read_memory
from muninn_core.worktree.call_context import CallContext
from muninn_core.worktree.workspace import Workspace

MAX_MEMORIES = 5_000
"""The newest memories that are compared."""

MADE_BY = "link/"
"""The beginning of the author of a link that this verb recorded."""

NEVER_RECORDED = "supersedes"

_OR_RULES = " (docs/models.md), or leave --model out: rules find links, too."


def link(workspace: Workspace, models: ModelService, params: LinkParams, call: CallContext) -> LinkResult:
    """Propose links, or record them. Raises ModelError when a model is wanted and can't be asked, and Cancelled."""
    memories = workspace.memory.all()
    wanted = [memory_of(memories, each) for each in params.ids]
    for memory in wanted:
        if not _takes_part(memory):
            raise BadParams(
                f"{memory.id} gets no links: it is private, of another scope, or not active",
                hint="Only active memories of the project are linked.",
            )
    if params.undo:
        return _undo(workspace, wanted or list(memories.values()), params)
    corpus = Corpus(sorted(filter(_takes_part, memories.values()), key=lambda each: each.ts)[-MAX_MEMORIES:])
    chosen = wanted or [each for each in reversed(corpus.memories) if not each.links][: params.limit]
    settings = models.settings(workspace.location.root)
    route = route_for(settings, "links", "links", _OR_RULES) if params.model else ""
    removed = _removed_links(workspace)
    proposed: list[ProposedLink] = []
    requests = ModelRequests(workspace, models, settings, route, params.session or "") if params.model else None
    prompts = []
    call.report("begin", "comparing")
    for number, (memory, candidates) in enumerate(_candidates(workspace, corpus, chosen)):
        call.raise_if_cancelled()
        call.report("report", memory.title, number * 100 // max(1, len(chosen)))
        if params.model and params.show_prompt and candidates:
            prompt = linking_prompt(memory, [each.memory for each in candidates])
            prompts.append(shown_prompt(workspace, settings, route, prompt, (memory.id,)))
            continue
        links, by, problem = _links_of(requests, memory, candidates, call)
        proposed += [_proposed(memory, each, by, removed) for each in links]
        if problem:
            proposed.append(ProposedLink(source=memory.id, target="", relation="", problem=problem))
    if params.apply:
        proposed = [_recorded(workspace, each, params.session) for each in proposed]
    call.report("end", "linked")
    return LinkResult(
        links=tuple(proposed),
        titles=_titles(workspace, proposed),
        compared=len(chosen),
        recorded=sum(each.recorded for each in proposed),
        prompts=tuple(prompts),
        spent=requests.spent if requests is not None else Spent(),
        saw=workspace.read_state(),
    )


def _titles(workspace: Workspace, links: Iterable[ProposedLink]) -> dict[str, str]:
    known = workspace.memory.all()
    ends = dict.fromkeys(end for link in links for end in (link.source, link.target) if end in known)
    return {end: headline(known[end]) for end in ends}


def _takes_part(memory: Memory) -> bool:
    return may_be_sent(memory) and not memory.waits


def _candidates(
    workspace: Workspace, corpus: Corpus, chosen: Sequence[Memory]
) -> Iterator[tuple[Memory, list[Candidate]]]:
    """Yield each memory with the older ones that it may link to."""
    if not chosen or not corpus.memories:
        return
    embed = workspace.embedder(workspace.updater.wait_open(READY_SECONDS)).embed
    vectors = np.asarray(embed([memory.text for memory in corpus.memories]))
    places = {memory.id: number for number, memory in enumerate(corpus.memories)}
    for memory in chosen:
        if memory.id in places:
            likeness = (vectors @ vectors[places[memory.id]]).tolist()
            cosines = {each.id: likeness[places[each.id]] for each in corpus.memories}
            yield memory, corpus.candidates(memory, cosines)


def _links_of(
    requests: ModelRequests | None, memory: Memory, candidates: Sequence[Candidate], call: CallContext
) -> tuple[Sequence[Link], str, str]:
    """Return the links of a memory, who made them, and why there are none. Without `requests`, rules make them."""
    if requests is None:
        return rule_links(memory, candidates), f"{MADE_BY}{VERSION} rules", ""
    if not candidates:
        return (), "", ""
    workspace = requests.workspace
    others = [each.memory for each in candidates if as_sent(workspace, each.memory) is not None]
    if as_sent(workspace, memory) is None or not others:
        return (), "", "it changed before the model was asked"
    asked = requests.ask(linking_prompt(memory, others), lambda: call.cancelled)
    try:
        links = read_links(asked.answer.text, memory, others)
        if any(cleaned({"reason": each.reason}, workspace.config)[1] for each in links):
            raise ModelError("the answer has a secret")
    except ModelError as error:
        return (), "", error.message
    return links, f"{MADE_BY}{VERSION} {asked.entry.model}", ""


def _proposed(memory: Memory, link: Link, by: str, removed: set[tuple[str, str]]) -> ProposedLink:
    problem = ""
    if (memory.id, link.target) in removed:
        problem = "a link between the two was removed before"
    elif link.relation == NEVER_RECORDED:
        problem = f"a person decides: muninn update {memory.id} --link supersedes:{link.target}"
    return ProposedLink(
        source=memory.id,
        target=link.target,
        relation=link.relation,
        strength=link.strength,
        reason=link.reason,
        by=by,
        problem=problem,
    )


def _recorded(workspace: Workspace, proposed: ProposedLink, session: str | None) -> ProposedLink:
    if proposed.problem:
        return proposed
    known = workspace.memory.all()
    memory, target = known.get(proposed.source), known.get(proposed.target)
    if memory is None or target is None or not (_takes_part(memory) and _takes_part(target)):
        return replace(proposed, problem="one of the two is not active any more")
    if workspace.config.review.holds("assistant", memory.type):
        return replace(proposed, problem="changes by an assistant wait for an approval here")
    fields: dict[str, Any] = {
        "relation": proposed.relation,
        "to": proposed.target,
        "strength": proposed.strength,
        "reason": proposed.reason,
        "by": proposed.by,
    }
    head = {"actor": "assistant", "agent": proposed.by, "type": "link", "target": memory.id}
    workspace.memory.append([{**head, **fields}], session)
    return replace(proposed, recorded=True)


def _undo(workspace: Workspace, memories: Iterable[Memory], params: LinkParams) -> LinkResult:
    """Remove the links that this verb recorded, from the named memories or from all. Reports first, as `link`."""
    found = [
        ProposedLink(
            source=memory.id,
            target=link.target,
            relation=link.relation,
            strength=link.strength,
            reason=link.reason,
            by=link.by,
            recorded=not params.apply,
        )
        for memory in memories
        for link in memory.links
        if link.by.startswith(MADE_BY)
    ]
    if params.apply and found:
        records = [
            {"type": "unlink", "actor": "user", "target": each.source, "relation": each.relation, "to": each.target}
            for each in found
        ]
        workspace.memory.append(records, params.session)
    return LinkResult(
        links=tuple(found),
        titles=_titles(workspace, found),
        compared=0,
        recorded=0,
        undone=True,
        saw=workspace.read_state(),
    )


def _removed_links(workspace: Workspace) -> set[tuple[str, str]]:
    """Return (source, target) of links that were removed once."""
    records = read_memory(workspace.layout, with_spool=True).fold.records
    return {(each.data["target"], each.data["to"]) for each in records.values() if each.type == "unlink"}
