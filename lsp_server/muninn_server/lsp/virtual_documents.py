"""Opens `muninn:` documents and memory drafts in the editor.

A client that requests the content of `muninn:` documents (LSP 3.18, `workspace/textDocumentContent`, or an extension by
`muninn/document`) is sent their URI. For any other client the page is written to a read-only file that is removed with
the connection. A client that cannot show documents gets a message; the command's result has the text.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from lsprotocol import types

from muninn_core.context.editor.draft import parse_draft
from muninn_core.engine.file.uris import SCHEME, address
from muninn_core.errors import BadParams, MuninnError
from muninn_core.model.value import to_plain
from muninn_server.lsp.server import EDITOR_COMMANDS, ResponseError, path_of

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from muninn_core.protocol.families.editor import DocumentResult
    from muninn_core.protocol.families.memory import RememberResult
    from muninn_server.lsp.client import EditorClient

_DRAFTS = ".muninn/local/drafts/"


class VirtualDocuments:
    """The virtual documents and drafts that one editor has opened."""

    def __init__(self, client: EditorClient) -> None:
        self._client = client
        self._server = client.server
        self._folder: Path | None = None
        self._drafts: set[str] = set()
        self._shown: set[str] = set()
        for command, run in zip(EDITOR_COMMANDS, (self._show, self._write), strict=True):
            self._server.handle_command(command, with_object(command, run))

    async def content(self, uri: str) -> str:
        """Return the text of a `muninn:` document, which is refreshed from then on. Raises ResponseError."""
        self._shown.add(uri)
        result: DocumentResult | None = await self._client.ask(
            "document", {"uri": uri}, lambda found: found, strict=True
        )
        return result.text if result is not None else ""

    async def _show(self, argument: dict[str, Any]) -> dict[str, Any]:
        uri = argument.get("uri")
        if uri is None and isinstance(argument.get("path"), str):
            uri = address("notes", argument["path"])
        result: DocumentResult = await self._client.call("document", {"uri": uri}, lambda found: found)
        virtual = self._client.capabilities.virtual_documents
        target = result.uri if virtual else await asyncio.to_thread(self._write_page, result)
        shown = await self._open(target, result.title)
        return {"uri": target, "title": result.title, "text": result.text, "shown": shown}

    async def _write(self, argument: dict[str, Any]) -> dict[str, Any]:
        result = await self._client.call("draft", argument, to_plain)
        self._drafts.add(result["path"])
        uri = Path(result["path"]).as_uri()
        shown = await self._open(uri, f"write the memory into {result['path']} and save it")
        return {"uri": uri, "path": result["path"], "text": result["text"], "shown": shown}

    async def _open(self, uri: str, title: str) -> bool:
        window = self._server.client_capabilities.window
        if window is not None and window.show_document is not None and window.show_document.support:
            params = types.ShowDocumentParams(uri=uri, take_focus=True)
            with contextlib.suppress(ResponseError):
                answer = await self._server.window_show_document_async(params)
                return answer is not None and answer.success  # some clients respond with null
        self._client.tell(types.MessageType.Info, title)
        return False

    def _write_page(self, result: DocumentResult) -> str:
        """Write a page to a read-only file in a folder that only this user can read; return its URI."""
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="muninn-pages-"))
        name = "".join(each if each.isalnum() or each in "-_." else "-" for each in result.title)[:60].strip("-.")
        digest = hashlib.blake2b(result.uri.encode(), digest_size=4).hexdigest()
        file = self._folder / f"{name or SCHEME}-{digest}.md"
        file.unlink(missing_ok=True)
        file.write_text(result.text, "utf-8")
        file.chmod(0o444)
        return file.as_uri()

    async def remember_draft(self, uri: str, text: str) -> None:
        """Store the memory that a saved draft holds. The user is told what is stored, or why it is not."""
        try:
            given = parse_draft(text)
            if given is None:
                return
            given["key"] = f"draft-{Path(path_of(uri) or '').stem}"
            stored: RememberResult = await self._client.call("remember", given, lambda result: result)
            title = stored.memory.title if stored.memory is not None else stored.ids[0]
            self._client.tell(types.MessageType.Info, f"Remembered: {title}")
        except MuninnError as error:
            self._client.tell(types.MessageType.Error, _stored_before(error) or error.line)

    def is_draft(self, uri: str) -> bool:
        """Whether a document is a draft: begun in this editor, or in the folder of drafts."""
        path = path_of(uri) or ""
        return path in self._drafts or (self._client.relative(uri) or "").startswith(_DRAFTS)

    def preview_of(self, path: str) -> str:
        """Return the URI under which a context file's pack was opened, "" if it was not."""
        wanted = unquote(address("context", path.removesuffix(".md")))
        return next((uri for uri in self._shown if unquote(uri) == wanted), "")

    def refresh(self, *uris: str) -> None:
        """Make the client request opened documents again: the given ones, or all."""
        workspace = self._server.client_capabilities.workspace
        if workspace is not None and workspace.text_document_content is not None:
            for uri in sorted(uris or self._shown):
                self._server.workspace_text_document_content_refresh(types.TextDocumentContentRefreshParams(uri))

    def close(self) -> None:
        """Remove the files of this connection."""
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)


def _stored_before(error: MuninnError) -> str:
    """Return what to do about a changed draft that was stored when it was first saved, "" for any other error."""
    if not error.data.get("differing"):
        return ""
    return (
        "This draft was stored when it was first saved; the changes since then are not. Supersede the memory instead,"
        f" or change it with `muninn update {error.data['id']}`."
    )


def with_object(command: str, run: Callable[[dict[str, Any]], Awaitable[Any]]) -> Callable[[Any], Awaitable[Any]]:
    """Return the handler of a command that takes one object, {} by default. It raises BadParams for anything else."""

    async def handle(arguments: Any) -> Any:
        argument = arguments[0] if arguments else {}
        if not isinstance(argument, dict):
            raise BadParams(f"'{command}' takes one argument, an object", hint='Send "arguments": [{…}].')
        return await run(argument)

    return handle
