"""Find skills: folders with a SKILL.md, in the repository and in the user's home."""

from __future__ import annotations

from typing import Annotated

from muninn_core.model.answer import Reason
from muninn_core.model.value import Meta, Value
from muninn_core.protocol.base import Result
from muninn_core.protocol.method import Family, Method


class SkillsMatchParams(Value):
    """The task, and the budget of the context that skills may take 30 % of."""

    task: Annotated[str, Meta(description="What is to be done, in a sentence.")]
    budget: Annotated[
        int, Meta(ge=50, le=200_000, description="Tokens of the whole context; skills take at most 30 % of them.")
    ] = 20_000


class SkillMatch(Value):
    """A skill that helps with the task, and its whole text; the contributions of `why` add up to `score`."""

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
    """A skill that would help, too, and why it is not there."""

    name: str
    path: str
    tokens: int
    reason: str


class SkillsMatchResult(Result):
    """The best skills first; together they have `tokens`, and might have `share`."""

    skills: tuple[SkillMatch, ...]
    left_out: tuple[SkillLeftOut, ...]
    tokens: int
    share: int


class SkillsListParams(Value):
    """Which skills: all, or those with which something is wrong."""

    problems: Annotated[bool, Meta(description="Only those with which something is wrong.")] = False


class SkillEntry(Value):
    """A skill. `hidden_by` is the file of the same name that is taken in its place; `problems` are its own."""

    name: str
    description: str
    path: str
    local: bool
    tokens: int
    hidden_by: str = ""
    problems: tuple[str, ...] = ()


class SkillsListResult(Result):
    """The skills by name."""

    skills: tuple[SkillEntry, ...]


FAMILY = Family(
    name="skill",
    title="Skills",
    summary="Find skills: folders with a SKILL.md, in the repository and in the user's home.",
    groups={"skills": "Find skills: folders with a SKILL.md, here and in your home; alone it lists them."},
    methods=(
        Method(
            verb="skills.match",
            title="Match skills",
            summary="Find the skills that help with a task: the best seven within 30 % of a context's budget.",
            params=SkillsMatchParams,
            result=SkillsMatchResult,
            effect="read",
            positional=("task",),
            use="Call before a task of a kind that somebody may have written down as a skill: it returns the texts of "
            "those that help.",
            example={"task": "write tests for a parser"},
        ),
        Method(
            verb="skills.list",
            title="List skills",
            summary="List the skills of this repository and of your home, and what is wrong with them.",
            params=SkillsListParams,
            result=SkillsListResult,
            effect="read",
        ),
    ),
)
