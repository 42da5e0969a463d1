"""The verbs of the family `files`."""

from __future__ import annotations

from muninn_core.engine.answer.code import file_tree, grep, read_lines
from muninn_core.engine.verbs.base import Verbs
from muninn_core.protocol.families.files import (
    FilesParams,
    FilesResult,
    GrepParams,
    GrepResult,
    ReadParams,
    ReadResult,
    TreeParams,
    TreeResult,
)
from muninn_core.worktree.call_context import CallContext


class FilesVerbs(Verbs):
    """Search, read and list the files of the work tree."""

    def grep(self, params: GrepParams, call: CallContext) -> GrepResult:
        """Search files for a regular expression."""
        return grep.grep(self.trees.open(call.location), params, call)

    def read(self, params: ReadParams, call: CallContext) -> ReadResult:
        """Return lines of a file."""
        return read_lines.read(self.trees.open(call.location), params)

    def tree(self, params: TreeParams, call: CallContext) -> TreeResult:
        """Return folders and files."""
        return file_tree.tree(self.trees.open(call.location), params)

    def files(self, params: FilesParams, call: CallContext) -> FilesResult:
        """Return files by glob, language or kind."""
        return file_tree.list_files(self.trees.open(call.location), params)
