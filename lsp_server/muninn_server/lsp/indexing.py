"""The editor's progress bar while the first index is built."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

if TYPE_CHECKING:
    from muninn_core.protocol.repository import IndexResult, StatusResult
    from muninn_core.worktree.call import Progress
    from muninn_server.lsp.editor import Editor
    from muninn_server.lsp.server import Server

_TOKEN = "muninn-index"


async def show_indexing(editor: Editor, server: Server) -> None:
    """Show the bar until the index is there; nothing when it is there already, or there is nothing to index."""
    state = await editor.call("status", {}, _index_state)
    if state not in ("opening", "building"):
        return
    bar = server.work_done_progress
    await bar.create_async(_TOKEN)
    bar.begin(_TOKEN, types.WorkDoneProgressBegin(title="Muninn", message="indexing", percentage=0))

    def report(value: Progress) -> None:
        if value.kind == "report":
            bar.report(_TOKEN, types.WorkDoneProgressReport(message=value.message, percentage=value.percentage))

    message = "the index could not be built"
    try:
        message = await editor.call("index", {"wait": True}, _indexed, report)
    finally:
        bar.end(_TOKEN, types.WorkDoneProgressEnd(message=message))


def _index_state(result: StatusResult) -> str:
    return result.index.state if result.mode != "uninitialised" else ""


def _indexed(result: IndexResult) -> str:
    return f"{result.files} {'file' if result.files == 1 else 'files'} indexed"
