"""Lists skills, and matches them with a task."""

from __future__ import annotations

from datetime import datetime

from muninn_core.context.packs.tokens import count_tokens
from muninn_core.engine.answer.context_search import vector_of
from muninn_core.errors import BadParams
from muninn_core.model.answer import Hit
from muninn_core.protocol.families.skill import (
    SkillEntry,
    SkillLeftOut,
    SkillMatch,
    SkillsListParams,
    SkillsListResult,
    SkillsMatchParams,
    SkillsMatchResult,
)
from muninn_core.retrieval.rankers.skills import MAX_SKILLS, SHARE, Match, distinct, match_skills
from muninn_core.source.documents.skill import Skill
from muninn_core.worktree.workspace import Workspace

READY_SECONDS = 5.0
"""The longest wait for an index that is being opened; it provides word frequencies."""


def list_skills(workspace: Workspace, params: SkillsListParams) -> SkillsListResult:
    """List the skills by name. A skill hidden by another of its name has `hidden_by`."""
    skills = workspace.skill_cache.skills()
    kept, hidden = distinct(skills)
    instead = {skill.name: skill.path for skill in kept}
    entries = [_entry(skill, "") for skill in kept] + [_entry(skill, instead[skill.name]) for skill in hidden]
    if params.problems:
        entries = [entry for entry in entries if entry.problems]
    return SkillsListResult(
        skills=tuple(sorted(entries, key=lambda entry: (entry.name, entry.hidden_by, entry.path))),
        saw=workspace.read_state(),
    )


def match(workspace: Workspace, params: SkillsMatchParams, now: datetime) -> SkillsMatchResult:
    """Return the best skills for a task that fit into their share of the budget, with their texts.

    Raises BadParams without a task, MuninnError without an index.
    """
    task = params.task.strip()
    if not task:
        raise BadParams("'skills match' needs a task", hint="Describe the task in a sentence.")
    found = _matches(workspace, task, now)
    left = share = int(params.budget * SHARE)
    taken: list[SkillMatch] = []
    left_out: list[SkillLeftOut] = []
    for one in found:
        tokens = count_tokens(one.skill.text)
        if len(taken) == MAX_SKILLS:
            reason = f"behind the best {MAX_SKILLS}"
        elif tokens > left:
            reason = f"over what is left of {share} tokens"
        else:
            left -= tokens
            taken.append(_match(one, tokens))
            continue
        left_out.append(SkillLeftOut(name=one.skill.name, path=one.skill.path, tokens=tokens, reason=reason))
    return SkillsMatchResult(
        skills=tuple(taken), left_out=tuple(left_out), tokens=share - left, share=share, saw=workspace.read_state()
    )


def skill_hits(workspace: Workspace, task: str, now: datetime) -> list[Hit]:
    """Return the best skills for a task as hits of a context, with their whole texts."""
    return [
        Hit(
            kind="knowledge",
            id=f"{one.skill.path}:1-{lines}",
            path=one.skill.path,
            start_line=1,
            end_line=lines,
            score=one.score,
            why=one.why,
            text=one.skill.text,
            title=one.skill.name,
            type="skill",
        )
        for one in _matches(workspace, task, now)[:MAX_SKILLS]
        for lines in [one.skill.text.count("\n") + 1]
    ]


def _matches(workspace: Workspace, task: str, now: datetime) -> list[Match]:
    """Return the skills that match a task, one per name, the best first."""
    skills, _ = distinct([skill for skill in workspace.skill_cache.skills() if skill.text])
    if not skills:
        return []
    index = workspace.updater.wait_open(READY_SECONDS)
    embedder = workspace.embedder(index)
    cosines = workspace.skill_cache.similarities(skills, embedder, vector_of(embedder, task))
    return match_skills(index.snapshot(), task, skills, cosines, now)


def _entry(skill: Skill, hidden_by: str) -> SkillEntry:
    return SkillEntry(
        name=skill.name,
        description=skill.description,
        path=skill.path,
        local=skill.local,
        tokens=count_tokens(skill.text),
        hidden_by=hidden_by,
        problems=skill.problems,
    )


def _match(one: Match, tokens: int) -> SkillMatch:
    skill = one.skill
    return SkillMatch(
        name=skill.name,
        description=skill.description,
        path=skill.path,
        local=skill.local,
        score=one.score,
        why=one.why,
        tokens=tokens,
        text=skill.text,
        problems=skill.problems,
    )
