"""The ranking of skills for a task, by how related their descriptions are."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, NamedTuple

from muninn_core.model.answer import Reason
from muninn_core.model.chunk import Chunk
from muninn_core.retrieval.pool import Pool, ScoredChunk
from muninn_core.retrieval.query.query_terms import parse_query
from muninn_core.retrieval.rankers.relatedness import Relatedness
from muninn_core.retrieval.request import SearchRequest
from muninn_core.retrieval.results.ranking import Candidate, Ranking
from muninn_core.retrieval.results.signal import Signal, reasons_of, signal
from muninn_core.retrieval.search import search
from muninn_core.source.documents.skill import DESCRIPTION_CHARS, Skill

if TYPE_CHECKING:
    from datetime import datetime

    from muninn_core.retrieval.reader import Reader

LOCAL = 0.1
"""The share by which a skill of the repository scores higher than one from the user's home."""

SHARE = 0.3
"""The share of a context's budget that skills may take."""

MAX_SKILLS = 7
"""The most skills for one task."""

MIN_RELATEDNESS = 0.2
"""The least score of a match. A lower one results from a single common word."""


class Match(NamedTuple):
    """A skill, its score, and the reasons, which add up to the score."""

    skill: Skill
    score: float
    why: tuple[Reason, ...]


class SkillTerms(NamedTuple):
    """The ranking of skills by the relatedness of their descriptions to the task, at least `MIN_RELATEDNESS`.

    `cosines` are those of the task's vector and the skills' vectors.
    """

    skills: Sequence[Skill]
    cosines: Sequence[float]

    def gather(self, reader: Reader, request: SearchRequest) -> Pool:
        """Return all skills as chunks. Their paths are distinct."""
        found = [
            ScoredChunk(Chunk(kind="knowledge", path=one.path, start=1, end=1, text=about(one)), None, 0.0, cosine)
            for one, cosine in zip(self.skills, self.cosines, strict=True)
        ]
        return Pool(parse_query(request.text), found, {}, 0.0, False)

    def score(self, reader: Reader, request: SearchRequest, pool: Pool) -> Ranking:
        """Return the skills that are related to the task."""
        relatedness = Relatedness(pool.query, reader.rarities)
        local = {skill.path for skill in self.skills if skill.local}
        ranked = (
            Candidate(one.chunk, None, _signals(relatedness.score(one.chunk.text, one.meaning), one, local))
            for one in pool.found
        )
        return Ranking(each for each in ranked if -each.order[0] >= MIN_RELATEDNESS)


def _signals(related: float, one: ScoredChunk, local: Collection[str]) -> list[Signal]:
    found = (
        signal("meaning", min(one.meaning, related), 1.0),
        signal("words", max(related - one.meaning, 0.0), 1.0),
        signal("local", related * LOCAL * (one.chunk.path in local), 1.0),
    )
    return [each for each in found if each[3]]


def distinct(skills: Sequence[Skill]) -> tuple[list[Skill], list[Skill]]:
    """Return one skill per name, and the dropped ones. A local skill wins, else the first.

    The kept skills are local ones first, then in the given order.
    """
    kept: dict[str, Skill] = {}
    for skill in sorted(skills, key=lambda one: not one.local):  # stable: keeps the order of the folders
        kept.setdefault(skill.name, skill)
    chosen = {skill.path for skill in kept.values()}
    return list(kept.values()), [skill for skill in skills if skill.path not in chosen]


def match_skills(
    reader: Reader, task: str, skills: Sequence[Skill], cosines: Sequence[float], now: datetime
) -> list[Match]:
    """Return the skills that are related to a task, best first; equal scores are ordered by name.

    `cosines` are those of the task's vector and the skills' vectors.
    """
    request = SearchRequest(task, None, {}, limit=MAX_SKILLS, now=now, terms=SkillTerms(skills, cosines))
    by_path = {skill.path: skill for skill in skills}
    found = [
        Match(by_path[each.chunk.path], -each.order[0], tuple(reasons_of(each.signals)))
        for each in search(reader, request)
    ]
    return sorted(found, key=lambda match: (-match.score, match.skill.name))


def about(skill: Skill) -> str:
    """Return the text that a skill is matched by: its name as words, and its description."""
    return f"{skill.name.replace('-', ' ')}. {skill.description[:DESCRIPTION_CHARS]}"
