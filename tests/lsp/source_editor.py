"""An editor with the users' file open, for tests of features in source files."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from marked_files import MarkedFile, only_file
from repositories import PATIENCE, USERS

if TYPE_CHECKING:
    from lsp_editors import BareEditor, BareIn


FILE, MARKED = only_file("users")
LOOKUP = MARKED.lines("lookup")
REMOVAL = MARKED.lines("removal")
CITED = f"{FILE}:{LOOKUP[0]}-{LOOKUP[1]}"
TOP = types.Position(0, 0)
PULLING = {
    "textDocument": {"diagnostic": {}, "publishDiagnostics": {"relatedInformation": True}},
    "workspace": {"textDocumentContent": {}, "codeLens": {"refreshSupport": True}},
}


def line_of(mark: str, file: MarkedFile = MARKED) -> int:
    return file.position(mark).line


def plain(position: types.Position) -> dict[str, int]:
    return {"line": position.line, "character": position.character}


def plain_range(place: types.Range) -> dict[str, dict[str, int]]:
    return {"start": plain(place.start), "end": plain(place.end)}


def insertion(position: types.Position) -> types.Range:
    return types.Range(position, position)


class Person:
    """An editor on a separate repository, with the users' file open."""

    def __init__(self, editor: BareEditor, repo: Path) -> None:
        self.editor = editor
        self.repo = repo
        self.uri = (repo / FILE).as_uri()
        self.document = {"uri": self.uri}
        self.version = 1

    async def remember(self, text: str, **fields: Any) -> str:
        stored = await self.editor.result("muninn/remember", {"text": text, **fields})
        return str(stored["ids"][0])

    async def open(self, text: str = USERS) -> None:
        item = {"uri": self.uri, "languageId": "python", "version": self.version, "text": text}
        await self.editor.send({"method": "textDocument/didOpen", "params": {"textDocument": item}})

    async def change(self, place: types.Range, text: str) -> None:
        self.version += 1
        events = [{"range": plain_range(place), "text": text}]
        params = {"textDocument": {"uri": self.uri, "version": self.version}, "contentChanges": events}
        await self.editor.send({"method": "textDocument/didChange", "params": params})

    async def checked(self) -> None:
        """Wait until all citations of the file are checked: an answer has a time limit, and the next one goes on."""
        while (await self.editor.ask("muninn/annotate", {"file": FILE})).get("result", {}).get("pending"):
            pass

    async def lenses(self) -> list[tuple[int, str]]:
        await self.checked()
        found = await self.editor.result("textDocument/codeLens", {"textDocument": self.document})
        return [(lens["range"]["start"]["line"], lens["command"]["title"]) for lens in found]

    async def hints(self) -> list[tuple[int, str]]:
        everything = {"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}}
        params = {"textDocument": self.document, "range": everything}
        await self.checked()
        found = await self.editor.result("textDocument/inlayHint", params)
        return [(hint["position"]["line"], hint["label"][0]["value"]) for hint in found]

    async def pulled(self, previous: str | None = None) -> dict[str, Any]:
        params = {"textDocument": self.document, "previousResultId": previous}
        await self.checked()
        report: dict[str, Any] = await self.editor.result("textDocument/diagnostic", params)
        return report

    async def actions(self, start: int, end: int, **context: Any) -> dict[str, dict[str, Any]]:
        selected = {"start": {"line": start, "character": 0}, "end": {"line": end, "character": 0}}
        params = {"textDocument": self.document, "range": selected, "context": {"diagnostics": [], **context}}
        found = await self.editor.result("textDocument/codeAction", params)
        return {action["title"]: action for action in found}

    async def run(self, action: dict[str, Any]) -> Any:
        return await self.editor.result(
            "workspace/executeCommand", {key: action["command"].get(key) for key in ("command", "arguments")}
        )


async def person_at(bare_in: BareIn, repo: Path, environ: dict[str, str], **capabilities: Any) -> Person:
    return Person(await bare_in(repo, environ, capabilities=capabilities), repo)


async def heard(editor: BareEditor, method: str) -> dict[str, Any]:
    """Return the next message of a method; requests that come before it are answered with nothing."""
    for notice in editor.notices:
        if notice["method"] == method:
            editor.notices.remove(notice)
            return notice
    while True:
        message = await asyncio.wait_for(editor.read(), PATIENCE)
        if message.get("method") == method:
            return message
        if "id" in message:
            await editor.send({"id": message["id"], "result": None})
