"""Confirms and forgets a memory for a code action, and tells the user what was done.

A client with its own menu of actions shows its own messages; its commands are verbs like all others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lsprotocol import types

from muninn_core.model.value import to_plain
from muninn_server.lsp.virtual_documents import with_object

if TYPE_CHECKING:
    from muninn_core.protocol.families.memory import ForgetResult
    from muninn_core.protocol.families.review import ConfirmResult
    from muninn_server.lsp.client import EditorClient

REVIEWS = ("muninn.confirm", "muninn.forget")
"""Commands of code actions whose outcome nothing else shows."""


def handle_reviews(client: EditorClient) -> None:
    """Register the commands of one editor that review a memory."""

    async def confirm(argument: dict[str, Any]) -> Any:
        result: ConfirmResult = await client.call("confirm", argument, lambda found: found)
        places = ", ".join(f"{cite.path}:{cite.start}-{cite.end}" if cite.start else cite.path for cite in result.cites)
        cited = f"; it cites {places}" if places else ""
        client.tell(types.MessageType.Info, f"Confirmed: {result.memory.title}{cited}")
        return to_plain(result)

    async def forget(argument: dict[str, Any]) -> Any:
        result: ForgetResult = await client.call("forget", argument, lambda found: found)
        restore = f"`muninn restore {result.memory.id}` restores it"
        client.tell(types.MessageType.Info, f"Forgotten: {result.memory.title}; {restore}")
        return to_plain(result)

    for command, run in zip(REVIEWS, (confirm, forget), strict=True):
        client.server.handle_command(command, with_object(command, run))
