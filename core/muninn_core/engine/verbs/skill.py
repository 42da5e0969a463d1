"""The verbs of the family `skill`."""

from __future__ import annotations

from muninn_core.engine.answer import skills
from muninn_core.engine.verbs.base import Verbs
from muninn_core.protocol.families.skill import SkillsListParams, SkillsListResult, SkillsMatchParams, SkillsMatchResult
from muninn_core.worktree.call_context import CallContext


class SkillVerbs(Verbs):
    """Find skills: folders with a SKILL.md in the repository or the user's home."""

    def skills_match(self, params: SkillsMatchParams, call: CallContext) -> SkillsMatchResult:
        """Find the skills that match a task."""
        return skills.match(self._reading(call), params, self.clock())

    def skills_list(self, params: SkillsListParams, call: CallContext) -> SkillsListResult:
        """List the skills."""
        return skills.list_skills(self._reading(call), params)
