"""Files of ours in an editor: completion, hover, definition, references, renames, outline, colours, lens, fixes."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from lsprotocol import types
from pytest_lsp import LanguageClient
from repositories import PATIENCE, USERS

from muninn_core import client

if TYPE_CHECKING:
    from lsp_editors import Bare, Home, Open

pytest_plugins = ("lsp_editors",)

DECISION = "# 7. Sessions live in Redis\n\n## Status\n\nAccepted\n\n## Decision\n\nThey are kept in Redis.\n"
ERRORS = "---\ntype: convention\n---\n\n# Errors\n\nName the culprit. See [users](../../src/shops.py).\n"


@pytest.fixture
def memory(home: Home) -> str:
    """A repository with a decision, knowledge and a memory; returns the memory's id."""
    files = {"docs/adr/0007-sessions.md": DECISION, ".muninn/knowledge/errors.md": ERRORS, "src/shops.py": USERS}
    for path, text in files.items():
        file = home.repo / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    with client.connect(str(home.repo), home.environ) as muninn:
        muninn.call("index")
        stored = muninn.call(
            "remember", {"text": "Users are never deleted for good.", "tags": ["users"], "key": "own-files"}
        )
    identity: str = stored["ids"][0]
    return identity


def opened(editor: LanguageClient, path: Path, text: str) -> str:
    uri = path.as_uri()
    editor.text_document_did_open(types.DidOpenTextDocumentParams(types.TextDocumentItem(uri, "markdown", 1, text)))
    return uri


def context(home: Home, name: str = "task") -> Path:
    return home.repo / ".muninn" / "context" / f"{name}.md"


def at(uri: str, line: int, character: int) -> dict[str, Any]:
    return {"text_document": types.TextDocumentIdentifier(uri), "position": types.Position(line, character)}


async def completed(editor: LanguageClient, uri: str, line: int, character: int) -> list[types.CompletionItem]:
    found = await editor.text_document_completion_async(types.CompletionParams(**at(uri, line, character)))
    return list(found.items) if isinstance(found, types.CompletionList) else []


async def test_a_memory_is_completed_by_its_title_and_inserted_by_its_id(
    open_editor: Open, home: Home, memory: str
) -> None:
    editor = await open_editor()
    uri = opened(editor, context(home), "ä😀 [[never del")
    (item, *_) = await completed(editor, uri, 0, 15)
    assert item.label == "Users are never deleted for good"
    assert isinstance(item.text_edit, types.TextEdit)
    assert item.text_edit.new_text == f"{memory}]]"
    assert item.text_edit.range == types.Range(types.Position(0, 6), types.Position(0, 15))
    assert "never deleted" in str(item.documentation)


async def test_decisions_knowledge_files_and_symbols_are_completed(open_editor: Open, home: Home, memory: str) -> None:
    editor = await open_editor()
    uri = opened(editor, context(home), "[[ADR\n[[err\n@src/sh\n@src/shops.py#get_\n")
    found = [
        [item.text_edit.new_text for item in await completed(editor, uri, line, column)]
        for line, column in ((0, 5), (1, 5), (2, 7), (3, 18))
    ]
    assert found[0] == ["ADR 7]]"]
    assert found[1] == ["errors]]"]
    assert found[2] == ["src/shops.py"]
    assert found[3] == ["get_user_name"]


async def test_what_is_completed_is_found_as_its_title_is_typed_on(open_editor: Open, home: Home, memory: str) -> None:
    editor = await open_editor()
    uri = opened(editor, context(home), "[[")
    found = {item.text_edit.new_text: item for item in await completed(editor, uri, 0, 2)}
    # A client asks once and filters by itself as more is typed.
    assert "Users are never deleted" in str(found[f"{memory}]]"].filter_text)
    assert "Sessions live" in str(found["ADR 7]]"].filter_text)
    assert "src/shops.py]]" in found


async def test_paths_are_completed_as_they_must_be_written(open_editor: Open, home: Home, memory: str) -> None:
    editor = await open_editor()
    for name in ("two words.md", "Recipe"):
        (home.repo / "docs" / name).write_text("Words.\n")
    (home.repo / "Recipe").write_text("Words.\n")
    with client.connect(str(home.repo), home.environ) as muninn:
        muninn.call("index")
    uri = opened(editor, context(home), '@docs/two\n@"docs/two\n@Recipe\n@../knowledge/err\n@../../src/sh\n')
    found = [
        [item.text_edit.new_text for item in await completed(editor, uri, line, column)]
        for line, column in ((0, 9), (1, 10), (2, 7), (3, 17), (4, 13))
    ]
    assert found[0] == ['"docs/two words.md"']
    assert found[1] == ['docs/two words.md"']
    assert '"Recipe"' in found[2]
    assert found[3] == ["../knowledge/errors.md"]
    assert found[4] == ["../../src/shops.py"]


async def test_filters_of_a_question_and_their_values_are_completed(open_editor: Open, home: Home, memory: str) -> None:
    editor = await open_editor()
    uri = opened(editor, context(home), "?how ty\n- ?type:de\n?tag:us\nSo? ty\n?path:src/sh\n")
    places = ((0, 7), (1, 10), (2, 7), (3, 6), (4, 12))
    found = [[item.text_edit.new_text for item in await completed(editor, uri, *place)] for place in places]
    assert found[0] == ["type:"]
    assert "decision" in found[1]
    assert found[2] == ["users"]
    assert found[3] == []
    assert found[4] == ["src/shops.py"]


async def test_an_empty_context_file_can_begin_as_a_template(open_editor: Open, home: Home) -> None:
    editor = await open_editor()
    uri = opened(editor, context(home, "move-the-cart"), "bug")
    (item,) = await completed(editor, uri, 0, 3)
    assert isinstance(item.text_edit, types.TextEdit)
    assert item.text_edit.range == types.Range(types.Position(0, 0), types.Position(0, 3))
    assert "?move the cart code and cause" in item.text_edit.new_text
    uri = opened(editor, context(home, "empty"), "\n")
    assert {item.label for item in await completed(editor, uri, 1, 0)} >= {"api", "bugfix", "feature", "refactor"}
    uri = opened(editor, context(home, "begun"), "bug\nreport\n")
    assert await completed(editor, uri, 0, 3) == []


async def test_keys_and_values_of_frontmatter_are_completed(open_editor: Open, home: Home, memory: str) -> None:
    editor = await open_editor()
    path = home.repo / ".muninn" / "knowledge" / "new.md"
    uri = opened(editor, path, "---\ntitle: x\nco\nconfidence: \ntags: [us\nfiles:\n  - src\n---\n")
    (path.parent / "tagged.md").write_text("---\ntags: [usage]\n---\n# Tagged\n")
    keys = [item.label for item in await completed(editor, uri, 2, 2)]
    assert "confidence" in keys
    assert "title" not in keys
    assert [item.label for item in await completed(editor, uri, 3, 12)] == ["low", "medium", "high"]
    tags = {item.label: item.detail for item in await completed(editor, uri, 4, 9)}
    assert tags == {"users": "1 memory", "usage": "1 file"}
    assert "src/shops.py" in [item.label for item in await completed(editor, uri, 6, 7)]


async def test_settings_are_completed_with_what_they_mean(open_editor: Open, home: Home) -> None:
    editor = await open_editor()
    uri = opened(editor, home.repo / ".muninn" / "config.yaml", "check:\n  sec\n  dangling: \n")
    found = {item.label: item for item in await completed(editor, uri, 1, 5)}
    assert found["secrets"].detail == "default: error"
    assert [item.label for item in await completed(editor, uri, 2, 12)] == ["error", "warn", "off"]


async def test_nothing_is_completed_in_files_of_others(open_editor: Open, home: Home, memory: str) -> None:
    editor = await open_editor()
    for path, text in ((home.repo / "README.md", "[[AD"), (home.repo / "src" / "shops.py", "# @src/sh")):
        uri = opened(editor, path, text)
        assert await completed(editor, uri, 0, len(text)) == []
        assert (
            await editor.text_document_document_symbol_async(
                types.DocumentSymbolParams(types.TextDocumentIdentifier(uri))
            )
            is None
        )


async def test_a_reference_says_and_shows_what_it_means(open_editor: Open, home: Home, memory: str) -> None:
    editor = await open_editor()
    text = f"ä😀 @src/shops.py#get_user_name and [[{memory}]]\n[[ADR 7]] ?\n@src/shop.py\n?deleting users for good\n"
    text += "[d](../../docs/adr/0007-sessions.md#decision) @src/shops.py#get_user_nam\n"
    uri = opened(editor, context(home), text)

    async def said(line: int, character: int) -> str:
        hover = await editor.text_document_hover_async(types.HoverParams(**at(uri, line, character)))
        assert hover is not None
        assert isinstance(hover.contents, types.MarkupContent)
        return hover.contents.value

    async def leads(line: int, character: int) -> tuple[str, int]:
        place = await editor.text_document_definition_async(types.DefinitionParams(**at(uri, line, character)))
        assert isinstance(place, types.Location)
        return Path(place.uri).name, place.range.start.line

    assert "Look up the display name" in await said(0, 8)
    assert await leads(0, 8) == ("shops.py", 5)
    assert "Users are never deleted" in await said(0, 45)
    assert (await leads(0, 45))[0].endswith(".jsonl")
    assert "They are kept in Redis" in await said(1, 4)
    assert await leads(1, 4) == ("0007-sessions.md", 0)
    assert "did you mean `src/shops.py`" in await said(2, 4)
    assert "finds" in await said(3, 4)
    assert await leads(4, 38) == ("0007-sessions.md", 6)
    assert "'get_user_nam' is not defined in src/shops.py: did you mean `get_user_name`?" in await said(4, 62)


async def test_plain_ids_records_and_keys_say_what_they_mean(open_editor: Open, home: Home, memory: str) -> None:
    editor = await open_editor()

    async def said(uri: str, line: int, character: int) -> str:
        hover = await editor.text_document_hover_async(types.HoverParams(**at(uri, line, character)))
        return hover.contents.value if hover and isinstance(hover.contents, types.MarkupContent) else ""

    files = '"files":["docs/adr/0007-sessions.md"],"cites":[{"path":"src/shops.py"}]'
    record = f'{{"id":"{memory}","type":"archive",{files}}}'
    uri = opened(editor, home.repo / ".muninn" / "memory" / "sessions" / "s-hand.jsonl", record)
    assert "Users are never deleted" in await said(uri, 0, 10)
    assert "They are kept in Redis" in await said(uri, 0, record.index("docs/adr") + 1)
    place = await editor.text_document_definition_async(
        types.DefinitionParams(**at(uri, 0, record.index("src/shops") + 1))
    )
    assert isinstance(place, types.Location)
    assert place.uri.endswith("src/shops.py")
    assert await said(uri, 0, record.index("archive")) == ""

    text = f"---\nconfidence: high\n---\nAs in {memory} and ADR 7.\n"
    unsaved = opened(editor, home.repo / ".muninn" / "knowledge" / "unsaved.md", text)
    assert "Users are never deleted" in await said(unsaved, 3, 8)
    assert "They are kept in Redis" in await said(unsaved, 3, text.split("\n")[3].index("ADR") + 1)
    assert "low, medium, high" in await said(unsaved, 1, 3)
    assert await said(unsaved, 1, 13) == ""
    nobody = types.ReferenceParams(context=types.ReferenceContext(include_declaration=True), **at(unsaved, 2, 0))
    assert await editor.text_document_references_async(nobody) is None

    config = opened(editor, home.repo / ".muninn" / "config.yaml", "check:\n  secrets: off\n")
    assert "default: error" in await said(config, 1, 4)
    assert "dangling" in await said(config, 0, 2)


async def test_who_refers_to_a_file_is_found(open_editor: Open, home: Home, memory: str) -> None:
    editor = await open_editor()
    path = context(home, "referring")
    path.parent.mkdir(exist_ok=True)
    path.write_text("# T\n\nä😀 See [[errors]].\n")
    uri = opened(editor, home.repo / ".muninn" / "knowledge" / "errors.md", ERRORS)
    found = await editor.text_document_references_async(
        types.ReferenceParams(context=types.ReferenceContext(False), **at(uri, 4, 0))
    )
    path.unlink()
    assert found is not None
    assert [(Path(each.uri).name, each.range) for each in found] == [
        ("referring.md", types.Range(types.Position(2, 8), types.Position(2, 18)))
    ]


async def test_links_follow_a_file_that_gets_another_name(open_editor: Open, home: Home, memory: str) -> None:
    editor = await open_editor()
    path = context(home, "following")
    path.parent.mkdir(exist_ok=True)
    path.write_text("See @src/shops.py#get_user_name and [[errors]].\n")
    source = home.repo / "src"
    edit = await editor.workspace_will_rename_files_async(
        types.RenameFilesParams(
            [
                types.FileRename(source.as_uri(), (home.repo / "lib").as_uri()),
                types.FileRename(
                    (home.repo / ".muninn/knowledge/errors.md").as_uri(),
                    (home.repo / ".muninn/knowledge/style/faults.md").as_uri(),
                ),
            ]
        )
    )
    path.unlink()
    assert edit is not None
    assert edit.changes is not None
    texts = {Path(uri).name: [each.new_text for each in edits] for uri, edits in edit.changes.items()}
    assert texts == {"following.md": ["lib/shops.py", "faults"], "errors.md": ["../../../lib/shops.py"]}


async def test_links_follow_a_file_in_the_text_that_the_editor_has_and_has_not_saved(
    open_editor: Open, home: Home, memory: str
) -> None:
    editor = await open_editor()
    path = context(home, "edited")
    path.parent.mkdir(exist_ok=True)
    path.write_text("See @src/shops.py.\n")
    uri = opened(editor, path, "A new line.\nAnd see, please, @src/shops.py.\n")
    new = opened(editor, context(home, "never-saved"), "@src/shops.py\n")
    edit = await editor.workspace_will_rename_files_async(
        types.RenameFilesParams(
            [types.FileRename((home.repo / "src/shops.py").as_uri(), (home.repo / "src/stores.py").as_uri())]
        )
    )
    path.unlink()
    assert edit is not None
    assert edit.changes is not None
    (change,) = edit.changes[uri]
    assert change.range == types.Range(types.Position(1, 18), types.Position(1, 30))
    assert [each.new_text for each in edit.changes[new]] == ["src/stores.py"]
    referrers = await editor.text_document_references_async(
        types.ReferenceParams(context=types.ReferenceContext(False), **at(new, 0, 4))
    )
    assert referrers is not None
    assert new in [each.uri for each in referrers]


async def test_knowledge_and_memory_are_symbols_of_the_workspace(open_editor: Open, home: Home, memory: str) -> None:
    editor = await open_editor()
    for query, name, file in (
        ("never deleted", "Users are never deleted for good", ".jsonl"),
        ("sessions live", "ADR 7: Sessions live in Redis", "0007-sessions.md"),
        ("erro", "errors", "errors.md"),
    ):
        found = await editor.workspace_symbol_async(types.WorkspaceSymbolParams(query))
        assert found is not None
        assert [each.name for each in found] == [name]
        assert isinstance(found[0].location, types.Location)
        assert found[0].location.uri.endswith(file)


async def test_the_outline_and_the_folds_of_a_file_are_its_sections(open_editor: Open, home: Home) -> None:
    editor = await open_editor()
    uri = opened(editor, context(home), "---\ntitle: x\n---\n# A\n\n## B\n\n```\n# no\n```\n# C\n")
    document = types.TextDocumentIdentifier(uri)
    symbols = await editor.text_document_document_symbol_async(types.DocumentSymbolParams(document))
    assert symbols is not None
    tree = [(each.name, [inner.name for inner in each.children or ()]) for each in symbols]  # type: ignore[union-attr]
    assert tree == [("A", ["B"]), ("C", [])]
    folding = await editor.text_document_folding_range_async(types.FoldingRangeParams(document))
    assert folding is not None
    assert [(each.start_line, each.end_line) for each in folding] == [(0, 2), (3, 9), (5, 9), (7, 9)]


@pytest.mark.parametrize(("encoding", "before"), [("utf-16", 4), ("utf-8", 7), ("utf-32", 3)])
async def test_references_are_coloured(open_editor: Open, home: Home, encoding: str, before: int) -> None:
    editor = await open_editor(encoding)
    uri = opened(editor, context(home), "ä😀 @src/a.py#f [[ADR 7]]\n\n?who is it\nme@src.org `@src/a.py` @types/node\n")
    found = await editor.text_document_semantic_tokens_full_async(
        types.SemanticTokensParams(types.TextDocumentIdentifier(uri))
    )
    assert found is not None
    assert list(found.data) == [
        *(0, before, 9, 0, 0),
        *(0, 9, 2, 1, 0),
        *(0, 3, 9, 2, 0),
        *(2, 0, 10, 3, 0),
    ]


async def test_the_lens_counts_the_pack_of_what_is_not_saved_yet(open_editor: Open, home: Home, memory: str) -> None:
    editor = await open_editor()
    uri = opened(editor, context(home), f"---\nbudget: 500\n---\nSee [[{memory}]] and [[nothing-such]].\n")
    found = await editor.text_document_code_lens_async(types.CodeLensParams(types.TextDocumentIdentifier(uri)))
    assert found is not None
    (lens,) = found
    assert lens.command is not None
    assert lens.command.title.endswith("of 500 tokens · 2 references · 1 not in the pack")
    result = await editor.workspace_execute_command_async(
        types.ExecuteCommandParams(lens.command.command, arguments=lens.command.arguments)
    )
    assert "never deleted for good" in str(result)


async def test_a_wrong_reference_has_a_fix(open_editor: Open, home: Home, memory: str) -> None:
    editor = await open_editor()
    uri = opened(editor, context(home), "---\nbugdet: 500\n---\nä😀 @src/shop.py\n")
    await editor.wait_for_notification("textDocument/publishDiagnostics")
    found = list(editor.diagnostics[uri])
    assert [each.range.start for each in found] == [types.Position(1, 0), types.Position(3, 4)]
    fixes = await editor.text_document_code_action_async(
        types.CodeActionParams(
            types.TextDocumentIdentifier(uri),
            found[1].range,
            types.CodeActionContext(diagnostics=found, only=[types.CodeActionKind.QuickFix]),
        )
    )
    assert fixes is not None
    edits = [fix.edit.changes[uri][0] for fix in fixes]  # type: ignore[union-attr,index]
    assert [(edit.range, edit.new_text) for edit in edits] == [
        (types.Range(types.Position(1, 0), types.Position(1, 6)), "budget"),
        (types.Range(types.Position(3, 5), types.Position(3, 16)), "src/shops.py"),
    ]


async def test_what_is_for_our_files_alone_is_offered_for_them_alone(bare: Bare, home: Home) -> None:
    editor = await bare(handshake=False)
    able = {name: {"dynamicRegistration": True} for name in ("completion", "definition", "documentSymbol")}
    params = {"processId": None, "rootUri": home.repo.as_uri(), "capabilities": {"textDocument": able}}
    offered = (await editor.result("initialize", params))["capabilities"]
    assert not {"completionProvider", "definitionProvider", "documentSymbolProvider"}.intersection(offered)
    assert offered["foldingRangeProvider"] is True
    await editor.send({"method": "initialized", "params": {}})
    asked = await editor.read()
    while asked.get("method") != "client/registerCapability":
        asked = await editor.read()
    told = {each["method"]: each["registerOptions"] for each in asked["params"]["registrations"]}
    assert sorted(told) == ["textDocument/completion", "textDocument/definition", "textDocument/documentSymbol"]
    assert "@" in told["textDocument/completion"]["triggerCharacters"]
    patterns = [each["pattern"] for each in told["textDocument/definition"]["documentSelector"]]
    assert "**/.muninn/**" in patterns
    assert "**/docs/decisions/*.md" in patterns


async def test_what_another_open_file_says_counts_before_it_is_saved(
    open_editor: Open, home: Home, memory: str
) -> None:
    editor = await open_editor()
    source = home.repo / "src" / "carts.py"
    source.write_text("def fill(cart):\n    return cart\n")
    uri = opened(editor, context(home), "See @src/carts.py#empty\nand @src/carts.py#\n")
    await editor.wait_for_notification("textDocument/publishDiagnostics")
    (fault,) = editor.diagnostics[uri]
    assert fault.message == "'empty' is not defined in src/carts.py"
    opened(editor, source, "def empty(cart):\n    cart.clear()\n")
    while editor.diagnostics[uri]:
        await editor.wait_for_notification("textDocument/publishDiagnostics")
    assert [item.label for item in await completed(editor, uri, 1, 18)] == ["empty"]
    hover = await editor.text_document_hover_async(types.HoverParams(**at(uri, 0, 10)))
    assert hover is not None
    assert "cart.clear()" in str(hover.contents)
    found = await editor.text_document_code_lens_async(types.CodeLensParams(types.TextDocumentIdentifier(uri)))
    assert found is not None
    assert found[0].command is not None
    assert found[0].command.title.endswith("2 references")


async def test_a_lens_is_asked_for_anew_when_another_open_file_is_saved(bare: Bare, home: Home, memory: str) -> None:
    editor = await bare(capabilities={"workspace": {"codeLens": {"refreshSupport": True}}})

    async def refreshed() -> None:
        while (await editor.read()).get("method") != "workspace/codeLens/refresh":
            pass

    source = home.repo / "src" / "orders.py"
    source.write_text("def send(order):\n    return order\n")
    await refreshed()  # nobody has it open yet
    await editor.result("muninn/index", {"wait": True})
    for path, text in ((source, source.read_text()), (context(home), "See @src/orders.py#send\n")):
        document = {"uri": path.as_uri(), "languageId": "markdown", "version": 1, "text": text}
        await editor.send({"method": "textDocument/didOpen", "params": {"textDocument": document}})
    await editor.result("textDocument/codeLens", {"textDocument": {"uri": context(home).as_uri()}})
    source.write_text("def send(order):\n    return order.sent()\n")
    await asyncio.wait_for(refreshed(), PATIENCE)


async def test_a_file_that_is_too_long_to_check_while_editing_says_so(
    open_editor: Open, home: Home, memory: str
) -> None:
    editor = await open_editor()
    path = home.repo / ".muninn" / "memory" / "archive" / "old.jsonl"
    uri = opened(editor, path, "x" * 1_000_001)
    await editor.wait_for_notification("textDocument/publishDiagnostics")
    (told,) = editor.diagnostics[uri]
    assert told.severity == types.DiagnosticSeverity.Information
    assert told.message == "1,000,001 characters are too many to check while editing: `muninn check` does"
    assert await completed(editor, uri, 0, 5) == []
    editor.text_document_did_close(types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(uri)))
    await editor.wait_for_notification("textDocument/publishDiagnostics")
    assert not editor.diagnostics[uri]


async def test_a_pack_that_is_shown_follows_what_is_typed(bare: Bare, home: Home, memory: str) -> None:
    editor = await bare(capabilities={"workspace": {"textDocumentContent": {}}})
    file, pack = context(home, "followed").as_uri(), "muninn:/context/.muninn/context/followed.md"
    document = {"uri": file, "languageId": "markdown", "version": 1, "text": "Nothing yet.\n"}
    await editor.send({"method": "textDocument/didOpen", "params": {"textDocument": document}})
    assert "Nothing yet" in (await editor.result("workspace/textDocumentContent", {"uri": pack}))["text"]
    change = {"textDocument": {"uri": file, "version": 2}, "contentChanges": [{"text": "See @src/shops.py.\n"}]}
    await editor.send({"method": "textDocument/didChange", "params": change})
    asked = await editor.read()
    while asked.get("method") != "workspace/textDocumentContent/refresh":
        asked = await editor.read()
    assert asked["params"] == {"uri": pack}
    assert "def get_user_name" in (await editor.result("workspace/textDocumentContent", {"uri": pack}))["text"]
