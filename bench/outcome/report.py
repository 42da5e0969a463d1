"""The table of outcomes: arms side by side, per kind of task, and the paired comparison."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from statistics import median
from typing import NamedTuple

from bench.outcome.run import ARMS, Outcome
from bench.outcome.tasks import KINDS

HEADS = ("resolved", "tokens in", "tokens out", "calls", "seconds")


class Pair(NamedTuple):
    """One task in both arms."""

    without: Outcome
    with_: Outcome


def pairs(outcomes: Iterable[Outcome]) -> list[Pair]:
    """Return the tasks that ran in both arms, in their order."""
    found: dict[tuple[str, str, int], dict[str, Outcome]] = {}
    for each in outcomes:
        found.setdefault((each.task, each.agent, each.repeat), {})[each.arm] = each
    return [Pair(*(both[arm] for arm in ARMS)) for both in found.values() if len(both) == len(ARMS)]


def sign_test(only_with: int, only_without: int) -> float:
    """Return the two-sided exact probability that pairs which differ are split so unevenly by chance (McNemar)."""
    n = only_with + only_without
    tail = sum(math.comb(n, k) for k in range(min(only_with, only_without) + 1))
    return min(1.0, 2 * tail / 2**n)


def table(outcomes: Sequence[Outcome]) -> str:
    """Return the report as Markdown: a row per agent and kind of task, `without / with` in each cell."""
    found = pairs(outcomes)
    heads = ("agent", "tasks", "pairs", *HEADS, "memories", "their tokens", "told", "misled")
    rows = [f"| {' | '.join(heads)} |", "|" + "---|" * len(heads)]
    for agent in dict.fromkeys(pair.without.agent for pair in found):
        own = [pair for pair in found if pair.without.agent == agent]
        for kind in (*KINDS, ""):
            some = [pair for pair in own if kind in ("", pair.without.kind)]
            if some:
                rows.append(f"| {' | '.join((agent, kind or 'all', *_cells(some)))} |")
        rows += ["", _verdict(agent, own), ""]
    failed = [f"{each.agent}, {each.task}, {each.arm}: {each.error}" for each in outcomes if each.error]
    return "\n".join([*rows, *(f"Failed: {each}" for each in failed)]).rstrip()


def _cells(some: Sequence[Pair]) -> list[str]:
    def middle(name: str) -> str:
        return " / ".join(f"{median(getattr(pair[arm], name) for pair in some):.0f}" for arm in (0, 1))

    given = [pair.with_.given for pair in some]
    return [
        str(len(some)),
        " / ".join(str(sum(pair[arm].resolved for pair in some)) for arm in (0, 1)),
        *(middle(name) for name in ("tokens_in", "tokens_out", "calls", "seconds")),
        f"{median(each.memories for each in given):.0f}",
        f"{median(each.tokens for each in given):.0f}",
        str(sum(each.told for each in given)),
        str(sum(each.misled for each in given)),
    ]


def _verdict(agent: str, own: Sequence[Pair]) -> str:
    both = sum(pair.without.resolved and pair.with_.resolved for pair in own)
    gained = sum(pair.with_.resolved and not pair.without.resolved for pair in own)
    lost = sum(pair.without.resolved and not pair.with_.resolved for pair in own)
    return (
        f"{agent}: of {len(own)} pairs {both} resolved in both arms, {gained} only with Muninn, {lost} only without, "
        f"{len(own) - both - gained - lost} in neither; p = {sign_test(gained, lost):.3f} (exact sign test)"
    )
