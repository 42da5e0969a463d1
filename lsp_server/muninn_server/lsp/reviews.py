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


class Reviews:
    """The commands of one editor that review a memory."""

    def __init__(self, client: EditorClient) -> None:
        self._client = client
        for command, run in zip(REVIEWS, (self._confirm, self._forget), strict=True):
            client.server.handle_command(command, with_object(command, run))

    async def _confirm(self, argument: dict[str, Any]) -> Any:
        result: ConfirmResult = await self._client.call("confirm", argument, lambda found: found)
        places = ", ".join(f"{cite.path}:{cite.start}-{cite.end}" if cite.start else cite.path for cite in result.cites)
        cited = f"; it cites {places}" if places else ""
        self._client.tell(types.MessageType.Info, f"Confirmed: {result.memory.title}{cited}")
        return to_plain(result)

    async def _forget(self, argument: dict[str, Any]) -> Any:
        result: ForgetResult = await self._client.call("forget", argument, lambda found: found)
        restore = f"`muninn restore {result.memory.id}` restores it"
        self._client.tell(types.MessageType.Info, f"Forgotten: {result.memory.title}; {restore}")
        return to_plain(result)
