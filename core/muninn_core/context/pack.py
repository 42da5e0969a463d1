"""Chooses what goes into a pack: pins and the task first, then memory, knowledge and code, each thing once.

It gets its candidates ranked; it decides what fits. The budget holds for the rendered text and is enforced at the end.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from muninn_core.context.render import render_item, render_pack
from muninn_core.context.tokens import count_tokens
from muninn_core.model.answer import Hit
from muninn_core.model.value import Value, replace
from muninn_core.protocol.results import PackItem

TIERS: tuple[tuple[str, float], ...] = (
    ("pin", 0.4),
    ("task", 0.5),
    ("memory", 0.4),
    ("knowledge", 0.35),
    ("code", 1.0),
)
"""The tiers in their order, and the share of what is left of the budget that each may take."""


class Pack(Value):
    """What was chosen, its markdown, its tokens, and how many candidates did not fit."""

    items: tuple[PackItem, ...]
    text: str
    tokens: int
    omitted: int


def make_pack(query: str, candidates: Sequence[tuple[str, Hit]], budget: int) -> Pack:
    """Choose from (tier, hit) pairs, which come in the order of their worth within each tier.

    Every tier may take its share; what is left in the end is given to those that did not fit, in the same order.
    """
    distinct = _distinct(candidates)
    chosen: list[PackItem] = []
    passed: list[PackItem] = []
    left = budget - count_tokens(render_pack(query, ()))
    for tier, share in TIERS:
        allowance = int(left * share)
        for item in (_item(tier, hit) for name, hit in distinct if name == tier):
            if item.tokens <= allowance:
                chosen.append(item)
                allowance -= item.tokens
                left -= item.tokens
            else:
                passed.append(item)
    for item in list(passed):
        if item.tokens <= left:
            chosen.append(item)
            passed.remove(item)
            left -= item.tokens
    return _within(query, _in_order(chosen), budget, len(passed))


def _within(query: str, items: list[PackItem], budget: int, omitted: int) -> Pack:
    """Render, and drop from the end until the text is within the budget: the one place where the limit is enforced."""
    while True:
        text = render_pack(query, items)
        tokens = count_tokens(text)
        if tokens <= budget or not items:
            break
        items = items[:-1]
        omitted += 1
    if tokens > budget:  # a budget that not even the heading fits into
        text, tokens = "", 0
    return Pack(items=tuple(items), text=text, tokens=tokens, omitted=omitted)


def _in_order(items: Iterable[PackItem]) -> list[PackItem]:
    rank = {tier: place for place, (tier, _) in enumerate(TIERS)}
    return sorted(items, key=lambda item: rank[item.tier])  # stable: within a tier the order of worth stays


def _item(tier: str, hit: Hit) -> PackItem:
    shared = {name: getattr(hit, name) for name in PackItem.__struct_fields__ if name in Hit.__struct_fields__}
    item = PackItem(**{**shared, "tier": tier, "title": hit.title or hit.symbol, "tokens": 0})
    return replace(item, tokens=count_tokens(render_item(item)))


def _distinct(candidates: Sequence[tuple[str, Hit]]) -> list[tuple[str, Hit]]:
    """Leave out what is there already: the same thing in a later tier, the same text, a span within a span."""
    seen: set[tuple[str, str]] = set()
    texts: set[str] = set()
    spans: dict[str, list[tuple[int, int]]] = {}
    kept = []
    rank = {tier: place for place, (tier, _) in enumerate(TIERS)}
    for tier, hit in sorted(candidates, key=lambda pair: rank[pair[0]]):
        text = " ".join(hit.text.split())
        if (hit.kind, hit.id) in seen or text in texts:
            continue
        if hit.kind != "memory":
            known = spans.setdefault(hit.path, [])
            if any(start <= hit.start_line and hit.end_line <= end for start, end in known):
                continue
            known.append((hit.start_line, hit.end_line))
        seen.add((hit.kind, hit.id))
        texts.add(text)
        kept.append((tier, hit))
    return kept
