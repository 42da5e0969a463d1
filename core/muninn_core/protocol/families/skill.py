"""Find skills: folders with a SKILL.md in the repository or the user's home."""

from __future__ import annotations

from typing import Annotated

from muninn_core.model.answer import Reason
from muninn_core.model.value import Meta, Value
from muninn_core.protocol.base import Result
from muninn_core.protocol.method import Family, Method


class SkillsMatchParams(Value):
    """The task, and the budget of the context that the skills are for."""

    task: Annotated[str, Meta(description="The task, in a sentence.")]
    budget: Annotated[
        int,
        Meta(ge=50, le=200_000, description="The token budget of the whole context; skills take at most 30 % of it."),
    ] = 20_000


class SkillMatch(Value):
    """A matching skill with its whole text. The contributions in `why` add up to `score`."""

    name: str
    description: str
    path: str
    local: bool
    score: float
    why: tuple[Reason, ...]
    tokens: int
    text: str
    problems: tuple[str, ...] = ()


class SkillLeftOut(Value):
    """A matching skill that was left out, and the reason."""

    name: str
    path: str
    tokens: int
    reason: str


class SkillsMatchResult(Result):
    """The matching skills, best first. `tokens` is their sum, `share` the most that they may take."""

    skills: tuple[SkillMatch, ...]
    left_out: tuple[SkillLeftOut, ...]
    tokens: int
    share: int


class SkillsListParams(Value):
    """Which skills to list."""

    problems: Annotated[bool, Meta(description="Only skills with problems.")] = False


class SkillEntry(Value):
    """A skill. `hidden_by` is the file of another skill that takes precedence by the same name."""

    name: str
    description: str
    path: str
    local: bool
    tokens: int
    hidden_by: str = ""
    problems: tuple[str, ...] = ()


class SkillsListResult(Result):
    """The skills, by name."""

    skills: tuple[SkillEntry, ...]


FAMILY = Family(
    name="skill",
    title="Skills",
    summary="Find skills: folders with a SKILL.md in the repository or the user's home.",
    groups={
        "skills": "Find skills: folders with a SKILL.md in the repository or your home. Without a verb it lists them."
    },
    methods=(
        Method(
            verb="skills.match",
            title="Match skills",
            summary="Find the skills that match a task: at most seven, within 30 % of a context's budget.",
            params=SkillsMatchParams,
            result=SkillsMatchResult,
            effect="read",
            positional=("task",),
            use=("Call before a task that a skill may describe: it returns the texts of the matching skills."),
            example={"task": "write tests for a parser"},
        ),
        Method(
            verb="skills.list",
            title="List skills",
            summary="List the skills of this repository and of your home, with their problems.",
            params=SkillsListParams,
            result=SkillsListResult,
            effect="read",
        ),
    ),
)
