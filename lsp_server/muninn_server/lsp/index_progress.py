"""The editor's progress bar while the first index is built."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from muninn_core.model.counting import number_of

if TYPE_CHECKING:
    from muninn_core.protocol.families.repository import IndexResult, StatusResult
    from muninn_core.worktree.call_context import Progress
    from muninn_server.lsp.client import EditorClient

_TOKEN = "muninn-index"


async def show_index_progress(client: EditorClient) -> None:
    """Show progress until the index is built. Does nothing if it is built already or there is nothing to index."""
    state = await client.call("status", {}, _index_state)
    if state not in ("opening", "building"):
        return
    bar = client.server.work_done_progress
    await bar.create_async(_TOKEN)
    bar.begin(_TOKEN, types.WorkDoneProgressBegin(title="Muninn", message="indexing", percentage=0))

    def report(value: Progress) -> None:
        if value.kind == "report":
            bar.report(_TOKEN, types.WorkDoneProgressReport(message=value.message, percentage=value.percentage))

    message = "the index could not be built"
    try:
        message = await client.call("index", {"wait": True}, _indexed, report)
    finally:
        bar.end(_TOKEN, types.WorkDoneProgressEnd(message=message))


def _index_state(result: StatusResult) -> str:
    return result.index.state if result.mode != "uninitialised" else ""


def _indexed(result: IndexResult) -> str:
    return f"{number_of(result.files, 'file')} indexed"
