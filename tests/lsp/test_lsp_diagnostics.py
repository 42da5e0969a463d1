"""Diagnostics of Muninn's files: faults of the editor's text, at the client's positions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from lsprotocol import types
from marked_files import only_file
from pytest_lsp import LanguageClient

if TYPE_CHECKING:
    from lsp_editors import Home, Open

pytest_plugins = ("lsp_editors",)

PATH, FILE = only_file("frontmatter")
BROKEN = FILE.text


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
    uri = opened(editor, home.repo / PATH, BROKEN)
    (found,) = await published(editor, uri)
    assert (found.source, found.severity) == ("muninn", types.DiagnosticSeverity.Warning)
    assert found.range == FILE.range("value")
    assert "`confidence`" in found.message
    change = types.TextDocumentContentChangePartial(range=found.range, text="high")
    document = types.VersionedTextDocumentIdentifier(2, uri)
    editor.text_document_did_change(types.DidChangeTextDocumentParams(document, [change]))
    assert await published(editor, uri) == []


async def test_a_file_that_is_closed_loses_its_underlines(open_editor: Open, home: Home) -> None:
    editor = await open_editor()
    uri = opened(editor, home.repo / PATH, BROKEN)
    assert await published(editor, uri)
    editor.text_document_did_close(types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(uri)))
    assert await published(editor, uri) == []


async def test_saving_checks_again(open_editor: Open, home: Home) -> None:
    editor = await open_editor()
    uri = opened(editor, home.repo / ".muninn" / "packs" / "web" / "cookies.md", BROKEN)
    assert await published(editor, uri)
    editor.text_document_did_save(types.DidSaveTextDocumentParams(types.TextDocumentIdentifier(uri)))
    assert len(await published(editor, uri)) == 1


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
async def test_columns_are_counted_as_the_client_counts(open_editor: Open, home: Home, encoding: str) -> None:
    editor = await open_editor(encoding)
    path, file = only_file("encoded_column")
    (found,) = await published(editor, opened(editor, home.repo / path, file.text))
    assert found.range.start == file.position("value", encoding)


@pytest.mark.parametrize(("encoding", "column"), [("utf-8", 26 + 1 + 3), ("utf-16", 26 + 1), ("utf-32", 26)])
def test_marks_are_counted_in_the_units_of_the_encoding(encoding: str, column: int) -> None:
    _, file = only_file("encoded_column")
    assert file.position("value", encoding) == types.Position(1, column)


async def test_other_markdown_is_none_of_our_business(open_editor: Open, home: Home) -> None:
    editor = await open_editor()
    opened(editor, home.repo / "README.md", BROKEN)
    uri = opened(editor, home.repo / PATH, BROKEN)
    assert await published(editor, uri)
    assert list(editor.diagnostics) == [uri]
