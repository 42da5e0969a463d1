"""Contradictions by order: two texts put the same things in opposite orders, or exchange them."""

from __future__ import annotations

from muninn_core.reconcile.comparison.alignment import Alignment, exchanged_parts, heavy, limits_differ
from muninn_core.reconcile.comparison.finding import Finding, contradicting
from muninn_core.reconcile.language.terms import Proposition
from muninn_core.reconcile.language.vocabulary import ASYMMETRIC, WEAK


def find_order(left: Proposition, right: Proposition, found: Alignment) -> Finding | None:
    """Both order the same two events, in opposite ways; or exchange what an alternative names."""
    if left.negations != right.negations or heavy(found.left) or heavy(found.right):
        return None
    denied = {(a.denied, b.denied) for a, b in found.pairs if a.key not in WEAK}
    if {(True, False), (False, True)} <= denied:
        return contradicting("one states what the other denies")
    if not left.negations and limits_differ(found):
        return contradicting("one says until a time what the other says after it")
    times = [(a.time, b.time) for a, b in found.pairs if a.time and b.time and a.key not in WEAK]
    if times and all(one != other for one, other in times) and len({one for one, _ in times}) == 2:
        return contradicting("one puts first what the other puts last")
    turned = [(a.role == "else", b.role == "else") for a, b in found.pairs]
    if (True, False) in turned and (False, True) in turned:
        return contradicting("one prefers what the other turns down")
    if _is_exchanged(left, right, found):
        return contradicting("one puts first what the other puts last")
    if left.segments == right.segments and exchanged_parts(found):
        return contradicting("one exchanges what the other states")
    return None


def _is_exchanged(left: Proposition, right: Proposition, found: Alignment) -> bool:
    """Whether the sides of a relation in one direction are exchanged: "is faster than", "overrides", "depends on"."""
    if left.may or right.may or left.event or right.event or left.passive or right.passive or found.opposites:
        return False
    verbs = {left.verb, right.verb}
    others = {"than"} | ({"over"} if verbs == {"tak"} or "win" in verbs else set())
    if len(verbs) == 1 and "" not in verbs:
        others |= {"after", "before"}
    if len(verbs) == 1 and verbs <= ASYMMETRIC:
        others |= {"obj", "on", "from", "over"}
    moved = {(a.role, b.role) for a, b in found.pairs if a.role != b.role}
    return any({("subj", other), (other, "subj")} <= moved for other in others)
