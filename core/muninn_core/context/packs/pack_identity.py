"""The id of a context pack, its explanation, and the differences between two packs.

The id depends on the question, the commit, the position of the log and the content. It does not depend on scores, the
index's generation or the time, which differ between machines with the same content.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import sha256

from muninn_core.context.memory_summary import shorten
from muninn_core.context.packs.pack import TIERS, Pack
from muninn_core.context.packs.render import HEADINGS
from muninn_core.model.answer import ReadState, Reason
from muninn_core.model.counting import number_of
from muninn_core.model.memory import SHORT_ID
from muninn_core.model.value import encode_json, to_plain
from muninn_core.protocol.exploration import Exploration
from muninn_core.protocol.families.search import ContextParams, ContextResult, LeftOut, PackItem

_OF_THE_MACHINE = ("tokens", "score", "why")


def bundle_id(
    inputs: ContextParams, question: str, saw: ReadState, pack: Pack, explored: Exploration | None = None
) -> str:
    """Return `c-` and 16 hex digits of a SHA-256 over the inputs, the state and the content of a context."""
    items = [
        {name: value for name, value in to_plain(item).items() if name not in _OF_THE_MACHINE} for item in pack.items
    ]
    left_out = [(each.kind, each.id, each.reason) for each in pack.left_out]
    content = [to_plain(inputs), question, saw.commit, saw.log, items, left_out]
    if explored is not None:
        content.append(to_plain(explored))
    return f"c-{sha256(encode_json(content)).hexdigest()[:16]}"


def explain(context: ContextResult, items: Sequence[PackItem], left_out: Sequence[LeftOut]) -> str:
    """Return markdown that explains why a context holds `items` and leaves out `left_out`."""
    then = context.saw
    where = f"{then.branch or 'no branch'} {(then.commit or 'no commit')[:12]}"
    lines = [
        f"# {context.bundle}: {shorten(context.question, 100)}",
        "",
        f"- asked {context.asked} at {where}, log {then.log}, index {then.index.generation}"
        + (f" ({number_of(then.index.lag, 'file')} behind)" if then.index.lag else ""),
        *(f"- {name}: {value}" for name, value in _given(context.inputs)),
        f"- {context.tokens} of {number_of(context.budget, 'token')}, {number_of(len(context.items), 'item')}, "
        f"{len(context.left_out)} left out",
        f"- tiers, shares of the remaining budget: {', '.join(f'{tier} {share:.0%}' for tier, share in TIERS)}",
    ]
    if context.explored is not None:
        lines += _exploration(context.explored)
    if items:
        lines += ["", "## Items"]
    for item in items:
        lines += [
            "",
            f"{item.score:.3f} {_name(item)}: {item.form}, {number_of(item.tokens, 'token')}",
            *_reasons(item.tier, item.why),
        ]
    if left_out:
        lines += ["", "## Left out"]
    for each in left_out:
        tokens = number_of(each.tokens, "token")
        lines += ["", f"{each.score:.3f} {_name(each)}: {each.reason}, {tokens}", *_reasons("", each.why)]
    return "\n".join(lines) + "\n"


def matching_entries(context: ContextResult, name: str) -> tuple[tuple[PackItem, ...], tuple[LeftOut, ...]]:
    """Return the items and the left-out candidates whose id, short id or path begins with `name`."""
    items = tuple(item for item in context.items if _is_named(item, name))
    return items, tuple(each for each in context.left_out if _is_named(each, name))


def _is_named(item: PackItem | LeftOut, name: str) -> bool:
    short = item.kind == "memory" and item.id[-SHORT_ID:].startswith(name)
    return short or item.id.startswith(name) or item.path.startswith(name)


def state_changes(then: ReadState, now: ReadState) -> tuple[str, ...]:
    """Return one line for each part of the read state that has changed; empty when nothing has."""
    found = []
    if then.commit != now.commit:
        found.append(f"HEAD was {(then.commit or 'nothing')[:12]} and is {(now.commit or 'nothing')[:12]}")
    if then.log != now.log:
        found.append(f"the log had {number_of(then.log, 'record')} and has {now.log}")
    if then.shared != now.shared:
        found.append(f"the global memory had {number_of(then.shared, 'record')} and has {now.shared}")
    if then.index.generation != now.index.generation:
        found.append(f"the index was generation {then.index.generation} and is {now.index.generation}")
    return tuple(found)


def differences(first: ContextResult, again: ContextResult) -> tuple[str, ...]:
    """Return one line for each difference between two answers to the same question; empty for the same text."""
    if first.text == again.text:
        return ()
    before, after = _by_id(first.items), _by_id(again.items)
    reasons = {(each.kind, each.id): each.reason for each in again.left_out}
    found = [f"new: {_name(item)}" for key, item in after.items() if key not in before]
    for key, item in before.items():
        if key not in after:
            found.append(f"gone: {_name(item)}" + (f" ({reasons[key]})" if key in reasons else ""))
        elif (item.text, item.form) != (after[key].text, after[key].form):
            found.append(f"other text: {_name(item)}")
    both = [key for key in before if key in after]
    if both != [key for key in after if key in before]:
        found.append("different order")
    return tuple(found) or ("text around the items: warnings or left-out candidates",)


def _by_id(items: Iterable[PackItem]) -> dict[tuple[str, str], PackItem]:
    return {(item.kind, item.id): item for item in items}


def _exploration(explored: Exploration) -> list[str]:
    """Return how a pack was explored: the model, the end, its words and its steps."""
    state = "complete" if explored.complete else f"incomplete: {explored.ended}"
    spent = f"{number_of(explored.calls, 'call')}, {number_of(explored.tokens, 'token')}, {explored.usd:.4f} USD"
    lines = ["", "## Exploration", "", f"- by {explored.model or explored.route}, {state}; {spent}"]
    lines += [f"- the model's words, not checked: {shorten(explored.answer, 1_000)}"] if explored.answer else []
    lines += [f"- named and not there: {each}" for each in explored.dropped]
    for step in explored.steps:
        end = f"problem: {step.problem}" if step.problem else number_of(step.chars, "character")
        lines.append(f"{'  ' * step.depth}- {step.tool} {step.arguments}: {end}")
    return lines


def _given(inputs: ContextParams) -> list[tuple[str, str]]:
    default = to_plain(ContextParams())
    given = {name: value for name, value in to_plain(inputs).items() if value != default[name]}
    return [
        (name, shorten(", ".join(value) if isinstance(value, list) else str(value), 200))
        for name, value in given.items()
    ]


def _name(item: PackItem | LeftOut) -> str:
    title = f" {shorten(item.title, 60)}" if item.title else ""
    identity = item.id[-SHORT_ID:] if item.kind == "memory" else item.id
    return f"[{HEADINGS[item.tier]}] {identity}{title}"


def _reasons(tier: str, why: Sequence[Reason]) -> list[str]:
    lines = [
        f"  {reason.contribution:+.3f} {reason.signal} {reason.value:.3g} x {reason.weight:.3g}"
        + (f"  {reason.note}" if reason.note else "")
        for reason in why
    ]
    return lines or ([f"  {_NAMED[tier]}"] if tier in _NAMED else [])


_NAMED = {"pin": "pinned: part of every context", "task": "memory of the named task"}
