"""Which skills help with a task: how sure it is that their descriptions have to do with it, and how many fit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from muninn_core.model.answer import Reason
from muninn_core.retrieval.relatedness import Relatedness
from muninn_core.source.skill import DESCRIPTION_CHARS, Skill

LOCAL = 0.1
"""A skill of the repository counts so much more than one from the user's home."""

SHARE = 0.3
"""The share of a context's budget that skills may take."""

MOST = 7
"""Skills that are worth reading for one task."""

LEAST = 0.2
"""What counts less has one word in common with the task, by accident."""


class Match(NamedTuple):
    """A skill, what it scores, and the reasons, which add up to that."""

    skill: Skill
    score: float
    why: tuple[Reason, ...]


def distinct(skills: Sequence[Skill]) -> tuple[list[Skill], list[Skill]]:
    """Return one skill of each name, and those that gave way: the local one stays, else the first.

    The order stays, so that it is the same for the same folders.
    """
    kept: dict[str, Skill] = {}
    for skill in sorted(skills, key=lambda one: not one.local):  # stable: within each half the order of the folders
        kept.setdefault(skill.name, skill)
    chosen = {skill.path for skill in kept.values()}
    return list(kept.values()), [skill for skill in skills if skill.path not in chosen]


def matching(
    task: str, skills: Sequence[Skill], cosines: Sequence[float], rarity: Callable[[str], float]
) -> list[Match]:
    """Return the skills that have to do with a task, the best first, by name where they are equal."""
    sureness = Relatedness(task, rarity)
    found = []
    for skill, cosine in zip(skills, cosines, strict=True):
        sure = sureness.of(about(skill), cosine)
        parts = {"meaning": min(cosine, sure), "words": max(sure - cosine, 0.0), "local": sure * LOCAL * skill.local}
        why = tuple(
            Reason(signal=name, value=round(value, 4), weight=1.0, contribution=round(value, 4))
            for name, value in parts.items()
            if round(value, 4)
        )
        score = round(sum(reason.contribution for reason in why), 4)
        if score >= LEAST:
            found.append(Match(skill, score, why))
    return sorted(found, key=lambda match: (-match.score, match.skill.name))


def about(skill: Skill) -> str:
    """Return what a skill is matched by: its name as words, and when it helps."""
    return f"{skill.name.replace('-', ' ')}. {skill.description[:DESCRIPTION_CHARS]}"
