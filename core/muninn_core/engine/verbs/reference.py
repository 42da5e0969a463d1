"""The verbs of the family `reference`."""

from __future__ import annotations

from muninn_core.engine.file import backlinks, completion, reference_targets
from muninn_core.engine.file.lint import lint
from muninn_core.engine.verbs.base import Verbs
from muninn_core.protocol.families.reference import (
    BacklinksParams,
    BacklinksResult,
    LintParams,
    LintResult,
    NamesParams,
    NamesResult,
    ReferencesParams,
    ReferencesResult,
    RelinkParams,
    RelinkResult,
)
from muninn_core.worktree.call_context import CallContext


class ReferenceVerbs(Verbs):
    """Check files of .muninn, and resolve, find and update references."""

    def lint(self, params: LintParams, call: CallContext) -> LintResult:
        """Check one file, with its unsaved text in an editor."""
        return lint(self._reading(call), params, call)

    def references(self, params: ReferencesParams, call: CallContext) -> ReferencesResult:
        """Return the targets of a file's references."""
        return reference_targets.resolve(self._reading(call), params, call, self.clock())

    def backlinks(self, params: BacklinksParams, call: CallContext) -> BacklinksResult:
        """Find references to a target."""
        return backlinks.backlinks(self._reading(call), params, call)

    def relink(self, params: RelinkParams, call: CallContext) -> RelinkResult:
        """Return the edits that keep links valid after a rename."""
        return backlinks.relink(self._reading(call), params, call)

    def names(self, params: NamesParams, call: CallContext) -> NamesResult:
        """List the names that a text can refer to."""
        return completion.names(self._reading(call), params, call, self.clock())
