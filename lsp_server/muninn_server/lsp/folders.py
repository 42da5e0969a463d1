"""Which folders of an editor this server serves: those of its work tree. Of each other one the person is told once."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from lsprotocol import types

from muninn_core.errors import NotARepository
from muninn_core.launch.place import locate
from muninn_server.lsp.server import path_of

if TYPE_CHECKING:
    from muninn_core.launch.place import Place
    from muninn_server.lsp.server import Server


class Folders:
    """The folders that one editor has named so far."""

    def __init__(self, place: Place, server: Server) -> None:
        self._place = place
        self._server = server
        self._foreign: set[str] = set()

    def take(self, uris: Iterable[str]) -> None:
        """Take in folders that the editor has open, and say of those that are new and not ours where they stand."""
        foreign = [uri for uri in uris if uri not in self._foreign and not self._is_ours(uri)]
        self._foreign.update(foreign)
        if foreign:
            named = ", ".join(path_of(uri) or uri for uri in foreign)
            self._server.window_show_message(
                types.ShowMessageParams(
                    types.MessageType.Warning,
                    f"Muninn serves {self._place.root}, which is not the folder that this editor has open: {named}. "
                    "Start `muninn lsp` in that folder as well, or give it with --repo.",
                )
            )

    def _is_ours(self, uri: str) -> bool:
        path = path_of(uri)
        try:
            return path is not None and locate(path).root == self._place.root
        except NotARepository:
            return False


def register(folders: Folders, server: Server) -> None:
    """Hear of folders that are opened later."""

    @server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    def changed(params: types.DidChangeWorkspaceFoldersParams) -> None:
        folders.take(folder.uri for folder in params.event.added)
