"""The verbs of the family `context_file`."""

from __future__ import annotations

from muninn_core.engine.file import context_files
from muninn_core.engine.verbs.base import Verbs
from muninn_core.protocol.families.context_file import (
    RenderParams,
    RenderResult,
    TemplateListParams,
    TemplateListResult,
    TemplateNewParams,
    TemplateNewResult,
)
from muninn_core.worktree.call_context import CallContext


class ContextFileVerbs(Verbs):
    """Create context files and render them as packs."""

    def render(self, params: RenderParams, call: CallContext) -> RenderResult:
        """Return a context file with the content of its references."""
        return context_files.render(self._reading(call), params, call, self.clock())

    def template_new(self, params: TemplateNewParams, call: CallContext) -> TemplateNewResult:
        """Create a context file from a template."""
        return context_files.new(self._writable(call), params)

    def template_list(self, _params: TemplateListParams, call: CallContext) -> TemplateListResult:
        """List the templates."""
        return context_files.list_templates(self._reading(call))
