"""The workspace folders of an editor. The user is warned once about each folder outside the served work tree."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from lsprotocol import types

from muninn_core.errors import NotARepository
from muninn_core.launch.repository_location import locate
from muninn_server.lsp.server import path_of

if TYPE_CHECKING:
    from muninn_server.lsp.client import EditorClient


class WorkspaceFolders:
    """The folders that one editor has opened so far."""

    def __init__(self, client: EditorClient) -> None:
        self._client = client
        self._root = client.session.location.root
        self._foreign: set[str] = set()

    def add(self, uris: Iterable[str]) -> None:
        """Add opened folders, and warn about new ones outside the work tree."""
        foreign = [uri for uri in uris if uri not in self._foreign and not self._is_inside(uri)]
        self._foreign.update(foreign)
        if foreign:
            named = ", ".join(path_of(uri) or uri for uri in foreign)
            self._client.server.window_show_message(
                types.ShowMessageParams(
                    types.MessageType.Warning,
                    f"Muninn serves {self._root}, which is not the folder that this editor has open: {named}. "
                    "Start `muninn lsp` in that folder as well, or give it with --repo.",
                )
            )

    def _is_inside(self, uri: str) -> bool:
        path = path_of(uri)
        try:
            return path is not None and locate(path).root == self._root
        except NotARepository:
            return False
