"""Hover: the memories about a file, those about the line first."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types
from marked_files import only_file
from repositories import USERS, git

if TYPE_CHECKING:
    from lsp_editors import Bare, BareEditor, BareIn, Home

pytest_plugins = ("lsp_editors",)

PATH, FILE = only_file("users")
START, END = FILE.lines("lookup")
CITE = {"path": PATH, "start": START, "end": END}
TOP = types.Position(0, 0)


def test_the_marked_file_is_the_one_in_the_repository() -> None:
    assert FILE.text == USERS


async def hover(editor: BareEditor, path: Path, at: types.Position = TOP) -> str | None:
    """Return a hover's text, after all citations were checked: on a busy machine, one answer may lack the time."""
    position = {"line": at.line, "character": at.character}
    params = {"textDocument": {"uri": path.as_uri()}, "position": position}
    while True:
        result = await editor.result("textDocument/hover", params)
        if result is None:
            return None
        assert result["contents"]["kind"] == "markdown"
        text: str = result["contents"]["value"]
        if "there was no time to look" not in text:
            return text


async def test_a_line_shows_its_own_memories_and_the_top_of_a_file_all_of_them(bare: Bare, home: Home) -> None:
    editor = await bare()
    await editor.result("muninn/remember", {"text": "Names are looked up by id.", "title": "Lookup", "cites": [CITE]})
    await editor.result("muninn/remember", {"text": "Users are never cached.", "files": [PATH]})
    await editor.result("muninn/remember", {"text": "Elsewhere.", "files": ["docs/other.md"]})
    on_line = await hover(editor, home.repo / PATH, FILE.position("in-lookup"))
    off_line = await hover(editor, home.repo / PATH, FILE.position("top"))
    assert on_line is not None
    assert off_line is not None
    assert "never cached" not in on_line
    assert "… and 1 more about this file" in on_line
    assert off_line.index("never cached") < off_line.index("Lookup")
    assert "Elsewhere" not in on_line
    assert "insight" in on_line
    assert f"[{PATH}:{START}-{END}](" in on_line
    assert on_line.count(f"{START}-{END}") == 1
    assert await hover(editor, home.repo / PATH, FILE.position("blank")) is None


async def test_after_a_rename_the_memories_of_the_old_name_are_shown(bare: Bare, home: Home) -> None:
    editor = await bare()
    await editor.result("muninn/remember", {"text": "Names are looked up by id.", "title": "Lookup", "cites": [CITE]})
    git(home.repo, "mv", PATH, "src/people.py")
    git(home.repo, "commit", "-q", "-m", "Rename")
    await editor.result("muninn/index", {})
    text = await hover(editor, home.repo / "src" / "people.py", FILE.position("in-lookup"))
    assert text is not None
    assert "Lookup" in text
    assert f"src/people.py:{START}-{END}" in text


async def test_a_knowledge_file_shows_its_memories(bare: Bare, home: Home) -> None:
    editor = await bare()
    path = home.repo / ".muninn" / "knowledge" / "auth.md"
    await editor.result("muninn/remember", {"text": "The review is due.", "files": [".muninn/knowledge/auth.md"]})
    text = await hover(editor, path)
    assert text is not None
    assert "The review is due" in text


async def test_without_memories_there_is_no_hover(bare: Bare, home: Home) -> None:
    editor = await bare()
    assert await hover(editor, home.repo / "README.md") is None
    assert await hover(editor, Path("/etc/hosts")) is None


async def test_a_document_that_is_no_file_has_no_memories(bare: Bare) -> None:
    editor = await bare()
    params = {"textDocument": {"uri": "untitled:Untitled-1"}, "position": {"line": 0, "character": 0}}
    assert await editor.result("textDocument/hover", params) is None


async def test_a_repository_without_memory_has_no_hover_and_no_error(
    plain_repo: Path, environ: dict[str, str], bare_in: BareIn
) -> None:
    editor = await bare_in(plain_repo, environ)
    assert await hover(editor, plain_repo / "README.md") is None
    await editor.result("muninn/shutdown")


async def test_a_cancelled_hover_is_answered_as_cancelled(bare: Bare, home: Home) -> None:
    editor = await bare()
    uri = (home.repo / "README.md").as_uri()
    params = {"textDocument": {"uri": uri}, "position": {"line": 0, "character": 0}}
    await editor.send(
        {"id": "h", "method": "textDocument/hover", "params": params},
        {"method": "$/cancelRequest", "params": {"id": "h"}},
    )
    assert (await editor.answer("h"))["error"]["code"] == -32800
