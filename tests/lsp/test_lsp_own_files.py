"""Files of ours in an editor: completion, hover, definition, references, renames, outline, colours, lens, fixes."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from lsprotocol import types
from marked_files import MarkedFile, only_file, read_scenario
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


def opened_scenario(editor: LanguageClient, home: Home, name: str, **values: str) -> tuple[str, MarkedFile]:
    """Open the one file of a scenario; return its URI and its marks."""
    path, file = only_file(name, **values)
    return opened(editor, home.repo / path, file.text), file


def at(uri: str, position: types.Position) -> dict[str, Any]:
    return {"text_document": types.TextDocumentIdentifier(uri), "position": position}


async def completed(editor: LanguageClient, uri: str, position: types.Position) -> list[types.CompletionItem]:
    found = await editor.text_document_completion_async(types.CompletionParams(**at(uri, position)))
    return list(found.items) if isinstance(found, types.CompletionList) else []


async def texts(editor: LanguageClient, uri: str, file: MarkedFile) -> dict[str, list[str]]:
    """Return what completion inserts at each mark of a file."""
    return {
        mark: [item.text_edit.new_text for item in await completed(editor, uri, file.position(mark))]
        for mark in file.marks
    }


async def test_a_memory_is_completed_by_its_title_and_inserted_by_its_id(
    open_editor: Open, home: Home, memory: str
) -> None:
    editor = await open_editor()
    uri, file = opened_scenario(editor, home, "complete_memory")
    (item, *_) = await completed(editor, uri, file.position("/typed"))
    assert item.label == "Users are never deleted for good"
    assert isinstance(item.text_edit, types.TextEdit)
    assert item.text_edit.new_text == f"{memory}]]"
    assert item.text_edit.range == file.range("typed")
    assert "never deleted" in str(item.documentation)


async def test_decisions_knowledge_files_and_symbols_are_completed(open_editor: Open, home: Home, memory: str) -> None:
    editor = await open_editor()
    assert await texts(editor, *opened_scenario(editor, home, "complete_names")) == {
        "decision": ["ADR 7]]"],
        "knowledge": ["errors]]"],
        "file": ["src/shops.py"],
        "symbol": ["get_user_name"],
    }


async def test_completion_filters_by_title_while_typing(open_editor: Open, home: Home, memory: str) -> None:
    editor = await open_editor()
    uri, file = opened_scenario(editor, home, "complete_title")
    found = {item.text_edit.new_text: item for item in await completed(editor, uri, file.position("all"))}
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
    found = await texts(editor, *opened_scenario(editor, home, "complete_paths"))
    assert found["blank"] == ['"docs/two words.md"']
    assert found["quoted"] == ['docs/two words.md"']
    assert '"Recipe"' in found["bare"]
    assert found["sibling"] == ["../knowledge/errors.md"]
    assert found["source"] == ["../../src/shops.py"]


async def test_filters_of_a_question_and_their_values_are_completed(open_editor: Open, home: Home, memory: str) -> None:
    editor = await open_editor()
    found = await texts(editor, *opened_scenario(editor, home, "complete_filters"))
    assert found["filter"] == ["type:"]
    assert "decision" in found["type"]
    assert found["tag"] == ["users"]
    assert found["prose"] == []
    assert found["path"] == ["src/shops.py"]


async def test_an_empty_context_file_can_begin_as_a_template(open_editor: Open, home: Home) -> None:
    editor = await open_editor()
    begun, empty, longer = read_scenario("complete_template").items()
    uri = opened(editor, home.repo / begun[0], begun[1].text)
    (item,) = await completed(editor, uri, begun[1].position("/typed"))
    assert isinstance(item.text_edit, types.TextEdit)
    assert item.text_edit.range == begun[1].range("typed")
    assert "?move the cart code and cause" in item.text_edit.new_text
    uri = opened(editor, home.repo / empty[0], empty[1].text)
    found = await completed(editor, uri, empty[1].position("empty"))
    assert {item.label for item in found} >= {"api", "bugfix", "feature", "refactor"}
    uri = opened(editor, home.repo / longer[0], longer[1].text)
    assert await completed(editor, uri, longer[1].position("begun")) == []


async def test_keys_and_values_of_frontmatter_are_completed(open_editor: Open, home: Home, memory: str) -> None:
    editor = await open_editor()
    uri, file = opened_scenario(editor, home, "complete_frontmatter")
    (home.repo / ".muninn" / "knowledge" / "tagged.md").write_text("---\ntags: [usage]\n---\n# Tagged\n")
    keys = [item.label for item in await completed(editor, uri, file.position("key"))]
    assert "confidence" in keys
    assert "title" not in keys
    values = await completed(editor, uri, file.position("value"))
    assert [item.label for item in values] == ["low", "medium", "high"]
    tags = {item.label: item.detail for item in await completed(editor, uri, file.position("tag"))}
    assert tags == {"users": "1 memory", "usage": "1 file"}
    assert "src/shops.py" in [item.label for item in await completed(editor, uri, file.position("file"))]


async def test_settings_are_completed_with_what_they_mean(open_editor: Open, home: Home) -> None:
    editor = await open_editor()
    uri, file = opened_scenario(editor, home, "complete_settings")
    found = {item.label: item for item in await completed(editor, uri, file.position("key"))}
    assert found["secrets"].detail == "default: error"
    values = await completed(editor, uri, file.position("value"))
    assert [item.label for item in values] == ["error", "warn", "off"]


async def test_only_muninn_files_have_completion(open_editor: Open, home: Home, memory: str) -> None:
    editor = await open_editor()
    for path, file in read_scenario("others").items():
        uri = opened(editor, home.repo / path, file.text)
        assert await completed(editor, uri, file.position("end")) == []
        assert (
            await editor.text_document_document_symbol_async(
                types.DocumentSymbolParams(types.TextDocumentIdentifier(uri))
            )
            is None
        )


async def test_a_reference_says_and_shows_what_it_means(open_editor: Open, home: Home, memory: str) -> None:
    editor = await open_editor()
    uri, file = opened_scenario(editor, home, "references", MEMORY=memory)

    async def said(mark: str) -> str:
        hover = await editor.text_document_hover_async(types.HoverParams(**at(uri, file.position(mark))))
        assert hover is not None
        assert isinstance(hover.contents, types.MarkupContent)
        return hover.contents.value

    async def leads(mark: str) -> tuple[str, int]:
        place = await editor.text_document_definition_async(types.DefinitionParams(**at(uri, file.position(mark))))
        assert isinstance(place, types.Location)
        return Path(place.uri).name, place.range.start.line

    assert "Look up the display name" in await said("symbol")
    assert await leads("symbol") == ("shops.py", 5)
    assert "Users are never deleted" in await said("memory")
    assert (await leads("memory"))[0].endswith(".jsonl")
    assert "They are kept in Redis" in await said("decision")
    assert await leads("decision") == ("0007-sessions.md", 0)
    assert "did you mean `src/shops.py`" in await said("missing-file")
    assert "finds" in await said("question")
    assert await leads("section") == ("0007-sessions.md", 6)
    assert "'get_user_nam' is not defined in src/shops.py: did you mean `get_user_name`?" in await said(
        "missing-symbol"
    )


async def test_plain_ids_records_and_keys_say_what_they_mean(open_editor: Open, home: Home, memory: str) -> None:
    editor = await open_editor()

    async def said(uri: str, position: types.Position) -> str:
        hover = await editor.text_document_hover_async(types.HoverParams(**at(uri, position)))
        return hover.contents.value if hover and isinstance(hover.contents, types.MarkupContent) else ""

    uri, record = opened_scenario(editor, home, "record", MEMORY=memory)
    assert "Users are never deleted" in await said(uri, record.position("id"))
    assert "They are kept in Redis" in await said(uri, record.position("file"))
    place = await editor.text_document_definition_async(types.DefinitionParams(**at(uri, record.position("cite"))))
    assert isinstance(place, types.Location)
    assert place.uri.endswith("src/shops.py")
    assert await said(uri, record.position("type")) == ""

    unsaved, text = opened_scenario(editor, home, "plain_ids", MEMORY=memory)
    assert "Users are never deleted" in await said(unsaved, text.position("memory"))
    assert "They are kept in Redis" in await said(unsaved, text.position("decision"))
    assert "low, medium, high" in await said(unsaved, text.position("key"))
    assert await said(unsaved, text.position("value")) == ""
    declared = types.ReferenceContext(include_declaration=True)
    nobody = types.ReferenceParams(context=declared, **at(unsaved, text.position("nothing")))
    assert await editor.text_document_references_async(nobody) is None

    config, text = opened_scenario(editor, home, "settings")
    assert "default: error" in await said(config, text.position("setting"))
    assert "dangling" in await said(config, text.position("section"))


async def test_find_references_returns_the_files_that_refer_to_a_file(
    open_editor: Open, home: Home, memory: str
) -> None:
    editor = await open_editor()
    (referrer, file), (knowledge, errors) = read_scenario("referring").items()
    path = home.repo / referrer
    path.parent.mkdir(exist_ok=True)
    path.write_text(file.text)
    assert errors.text == ERRORS
    uri = opened(editor, home.repo / knowledge, errors.text)
    found = await editor.text_document_references_async(
        types.ReferenceParams(context=types.ReferenceContext(False), **at(uri, errors.position("title")))
    )
    path.unlink()
    assert found is not None
    assert [(Path(each.uri).name, each.range) for each in found] == [("referring.md", file.range("link"))]


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
    (edited, text), (unsaved, unsaved_text) = read_scenario("unsaved_links").items()
    uri = opened(editor, home.repo / edited, text.text)
    new = opened(editor, home.repo / unsaved, unsaved_text.text)
    edit = await editor.workspace_will_rename_files_async(
        types.RenameFilesParams(
            [types.FileRename((home.repo / "src/shops.py").as_uri(), (home.repo / "src/stores.py").as_uri())]
        )
    )
    path.unlink()
    assert edit is not None
    assert edit.changes is not None
    (change,) = edit.changes[uri]
    assert change.range == text.range("path")
    assert [each.new_text for each in edit.changes[new]] == ["src/stores.py"]
    referrers = await editor.text_document_references_async(
        types.ReferenceParams(context=types.ReferenceContext(False), **at(new, unsaved_text.position("path")))
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
    uri, file = opened_scenario(editor, home, "sections")
    document = types.TextDocumentIdentifier(uri)
    symbols = await editor.text_document_document_symbol_async(types.DocumentSymbolParams(document))
    assert symbols is not None
    tree = [(each.name, [inner.name for inner in each.children or ()]) for each in symbols]  # type: ignore[union-attr]
    assert tree == [("A", ["B"]), ("C", [])]
    folding = await editor.text_document_folding_range_async(types.FoldingRangeParams(document))
    assert folding is not None
    first_and_last = [(each.start_line + 1, each.end_line + 1) for each in folding]
    assert first_and_last == [file.lines(name) for name in ("frontmatter", "a", "b", "fence")]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8", "utf-32"])
async def test_references_are_coloured(open_editor: Open, home: Home, encoding: str) -> None:
    editor = await open_editor(encoding)
    uri, file = opened_scenario(editor, home, "coloured")
    found = await editor.text_document_semantic_tokens_full_async(
        types.SemanticTokensParams(types.TextDocumentIdentifier(uri))
    )
    assert found is not None
    coloured = []
    line = start = 0
    for delta, column, length, kind, modifiers in zip(*(iter(found.data),) * 5, strict=True):
        line, start = line + delta, column if delta else start + column
        place = types.Range(types.Position(line, start), types.Position(line, start + length))
        coloured.append((place, kind, modifiers))
    kinds = ("file", "symbol", "name", "question")
    assert coloured == [(file.range(name, encoding), number, 0) for number, name in enumerate(kinds)]


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
    uri, file = opened_scenario(editor, home, "wrong")
    await editor.wait_for_notification("textDocument/publishDiagnostics")
    found = list(editor.diagnostics[uri])
    assert [each.range.start for each in found] == [file.position("key"), file.position("reference")]
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
        (file.range("key"), "budget"),
        (file.range("path"), "src/shops.py"),
    ]


async def test_features_of_muninn_files_are_registered_for_them_only(bare: Bare, home: Home) -> None:
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


async def test_unsaved_text_of_another_open_file_counts(open_editor: Open, home: Home, memory: str) -> None:
    editor = await open_editor()
    source = home.repo / "src" / "carts.py"
    source.write_text("def fill(cart):\n    return cart\n")
    uri, file = opened_scenario(editor, home, "undefined")
    await editor.wait_for_notification("textDocument/publishDiagnostics")
    (fault,) = editor.diagnostics[uri]
    assert fault.message == "'empty' is not defined in src/carts.py"
    opened(editor, source, "def empty(cart):\n    cart.clear()\n")
    while editor.diagnostics[uri]:
        await editor.wait_for_notification("textDocument/publishDiagnostics")
    assert [item.label for item in await completed(editor, uri, file.position("symbol"))] == ["empty"]
    hover = await editor.text_document_hover_async(types.HoverParams(**at(uri, file.position("reference"))))
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


async def test_a_file_too_long_to_check_while_editing_is_reported(open_editor: Open, home: Home, memory: str) -> None:
    editor = await open_editor()
    path = home.repo / ".muninn" / "memory" / "archive" / "old.jsonl"
    uri = opened(editor, path, "x" * 1_000_001)
    await editor.wait_for_notification("textDocument/publishDiagnostics")
    (told,) = editor.diagnostics[uri]
    assert told.severity == types.DiagnosticSeverity.Information
    assert told.message == "1,000,001 characters are too many to check while editing: `muninn check` does"
    assert await completed(editor, uri, types.Position(0, 5)) == []
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
