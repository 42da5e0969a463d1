"""The verbs of the family `editor`."""

from __future__ import annotations

from muninn_core.engine.file import about, file_notes, virtual_documents
from muninn_core.engine.memory.drafting import draft_file
from muninn_core.engine.verbs.base import Verbs
from muninn_core.model.note import Doubt
from muninn_core.model.value import replace
from muninn_core.protocol.families.editor import (
    AboutParams,
    AboutResult,
    AnnotateParams,
    AnnotateResult,
    DocumentParams,
    DocumentResult,
    DraftParams,
    DraftResult,
)
from muninn_core.worktree.call_context import CallContext


class EditorVerbs(Verbs):
    """Show what is remembered about a file, a line or a name."""

    def annotate(self, params: AnnotateParams, call: CallContext) -> AnnotateResult:
        """Return the notes on a file, by line."""
        workspace = self._reading(call)
        result = file_notes.annotate(workspace, params, call, self.clock())
        others = self.overlaps.of(workspace, self.journals.opened(call.location), result.path)
        shared = [Doubt(level="information", rule="shared", start=1, end=1, message=one.text, id="") for one in others]
        return replace(result, doubts=(*shared, *result.doubts)) if shared else result

    def about(self, params: AboutParams, call: CallContext) -> AboutResult:
        """Return what is remembered about a line or a name, as markdown."""
        return about.about(self._reading(call), params, call, self.clock())

    def document(self, params: DocumentParams, call: CallContext) -> DocumentResult:
        """Return a page to read."""
        return virtual_documents.document(self._reading(call), params, call, self.clock())

    def draft(self, params: DraftParams, call: CallContext) -> DraftResult:
        """Create a file to write a memory in."""
        return draft_file.draft(self._writable(call), params, self.ids())
