"""Diagnostics: what is wrong with the frontmatter of a knowledge file, where the client counts it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from lsprotocol import types
from pytest_lsp import LanguageClient

from muninn_server.lsp.diagnostics import checked, underlines

if TYPE_CHECKING:
    from lsp_editors import Home, Open

pytest_plugins = ("lsp_editors",)

GOOD = "---\ntitle: Tokens\nconfidence: high\n---\n\n# Tokens\n"
BROKEN = GOOD.replace("high", "maybe")


def opened(editor: LanguageClient, path: Path, text: str) -> str:
    uri = path.as_uri()
    document = types.TextDocumentItem(uri, "markdown", 1, text)
    editor.text_document_did_open(types.DidOpenTextDocumentParams(document))
    return uri


async def published(editor: LanguageClient, uri: str) -> list[types.Diagnostic]:
    await editor.wait_for_notification("textDocument/publishDiagnostics")
    return list(editor.diagnostics[uri])


async def test_broken_frontmatter_is_underlined_until_it_is_mended(open_editor: Open, home: Home) -> None:
    editor = await open_editor()
    uri = opened(editor, home.repo / ".muninn" / "knowledge" / "tokens.md", BROKEN)
    (found,) = await published(editor, uri)
    assert (found.source, found.severity) == ("muninn", types.DiagnosticSeverity.Warning)
    assert found.range == types.Range(types.Position(2, 12), types.Position(2, 17))
    assert "`confidence`" in found.message
    change = types.TextDocumentContentChangePartial(range=found.range, text="high")
    document = types.VersionedTextDocumentIdentifier(2, uri)
    editor.text_document_did_change(types.DidChangeTextDocumentParams(document, [change]))
    assert await published(editor, uri) == []


async def test_a_file_that_is_closed_loses_its_underlines(open_editor: Open, home: Home) -> None:
    editor = await open_editor()
    uri = opened(editor, home.repo / ".muninn" / "knowledge" / "tokens.md", BROKEN)
    assert await published(editor, uri)
    editor.text_document_did_close(types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(uri)))
    assert await published(editor, uri) == []


async def test_saving_checks_again(open_editor: Open, home: Home) -> None:
    editor = await open_editor()
    uri = opened(editor, home.repo / ".muninn" / "packs" / "web" / "cookies.md", BROKEN)
    assert await published(editor, uri)
    editor.text_document_did_save(types.DidSaveTextDocumentParams(types.TextDocumentIdentifier(uri)))
    assert len(await published(editor, uri)) == 1


@pytest.mark.parametrize(("encoding", "column"), [("utf-8", 26 + 1 + 3), ("utf-16", 26 + 1), ("utf-32", 26)])
async def test_columns_are_counted_as_the_client_counts(
    open_editor: Open, home: Home, encoding: str, column: int
) -> None:
    editor = await open_editor(encoding)
    line = '{title: "ä😀", confidence: maybe}'
    assert line.index("maybe") == 26
    uri = opened(editor, home.repo / ".muninn" / "knowledge" / "odd.md", f"---\n{line}\n---\n")
    (found,) = await published(editor, uri)
    assert found.range.start == types.Position(1, column)


async def test_other_markdown_is_none_of_our_business(open_editor: Open, home: Home) -> None:
    editor = await open_editor()
    opened(editor, home.repo / "README.md", BROKEN)
    uri = opened(editor, home.repo / ".muninn" / "knowledge" / "tokens.md", BROKEN)
    assert await published(editor, uri)
    assert list(editor.diagnostics) == [uri]


def test_only_markdown_of_knowledge_and_packs_is_checked() -> None:
    assert checked(".muninn/knowledge/a.md")
    assert checked(".muninn/packs/web/deep/a.md")
    assert not checked(".muninn/knowledge/a.txt")
    assert not checked(".muninn/memory/a.md")
    assert not checked("docs/.muninn/knowledge/a.md")
    assert not checked("README.md")
    assert checked(".metis/tasks/DEMO-T-0001.md")
    assert checked("docs/adr/0001-record.md")


def test_the_keys_of_another_tools_document_are_its_own_affair() -> None:
    assert underlines(".metis/vision.md", "---\nlevel: vision\nexit_criteria_met: false\n---\n") == []
    (broken,) = underlines(".metis/vision.md", "---\nlevel: [vision\n---\n")
    assert "no valid YAML" in broken.message


def test_an_underline_never_leaves_its_line() -> None:
    for text in ("---\ntitle: x\n", "---\n\tbad\n---", "---\nconfidence:\n---\n", "---\r\ntitle: [\r\n---\r\n"):
        lines = text.split("\n")
        spans = underlines(".muninn/knowledge/a.md", text)
        assert spans
        for span in spans:
            assert 0 <= span.start <= span.end <= len(lines[span.line])
