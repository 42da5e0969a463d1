"""Hovers, links and documents of Muninn beside those of other language servers, over the real daemon."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from lsprotocol import types
from marked_files import only_file
from repositories import git
from source_editor import CITED, MARKED, PULLING, TOP, heard, insertion, line_of, person_at, plain
from work_tree_fixtures import shared_environ, shared_repo  # noqa: F401 - fixtures

if TYPE_CHECKING:
    from lsp_editors import BareIn

pytest_plugins = ("lsp_editors",)


async def test_a_hover_names_what_is_under_the_pointer_in_any_file(
    bare_in: BareIn, repo: Path, environ: dict[str, str]
) -> None:
    person = await person_at(bare_in, repo, environ, **PULLING)
    await person.remember("Names are never cached.", type="decision", files=[CITED])
    path, file = only_file("greeting")
    uri = (repo / path).as_uri()
    item = {"uri": uri, "languageId": "python", "version": 1, "text": file.text}
    await person.editor.send({"method": "textDocument/didOpen", "params": {"textDocument": item}})
    at = {"textDocument": {"uri": uri}, "position": plain(file.position("call"))}
    hover = await person.editor.result("textDocument/hover", at)
    assert "Names are never cached" in hover["contents"]["value"]
    assert "muninn:/memory/" in hover["contents"]["value"]
    aside = {"textDocument": {"uri": uri}, "position": plain(file.position("aside"))}
    assert await person.editor.result("textDocument/hover", aside) is None


async def test_documents_are_read_by_clients_that_know_them_and_files_by_all_others(
    bare_in: BareIn, repo: Path, environ: dict[str, str]
) -> None:
    shows = {"window": {"showDocument": {"support": True}}}
    new, old = (
        await person_at(bare_in, repo, environ, **shows, **PULLING),
        await person_at(bare_in, repo, environ, **shows),
    )
    identity = await new.remember("Names are never cached.", type="decision", files=[CITED])
    uri = f"muninn:/memory/{identity}.md"
    text = (await new.editor.result("workspace/textDocumentContent", {"uri": uri}))["text"]
    assert text.startswith("# Names are never cached")
    for person in (new, old):
        params = {"command": "muninn.show", "arguments": [{"uri": uri}]}
        await person.editor.send({"id": "s", "method": "workspace/executeCommand", "params": params})
        asked = await heard(person.editor, "window/showDocument")
        await person.editor.send({"id": asked["id"], "result": {"success": True}})
        result = (await person.editor.answer("s"))["result"]
        assert (result["shown"], result["text"]) == (True, text)
        if person is new:
            assert asked["params"]["uri"] == uri
        else:
            file = Path(unquote(urlsplit(asked["params"]["uri"]).path))
            assert file.read_text() == text
            assert file.stat().st_mode & 0o777 == 0o444
    refused = await new.editor.ask("workspace/textDocumentContent", {"uri": "muninn:/memory/zzzz.md"})
    assert refused["error"]["code"] == -32010
    refused = await new.editor.execute("muninn.show", "not an object")
    assert refused["error"]["code"] == -32602


async def test_foreign_folders_are_named_once_and_own_ones_never(
    bare_in: BareIn, repo: Path, environ: dict[str, str], tmp_path: Path
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "-q")
    editor = await bare_in(repo, environ, handshake=False)
    folders = [{"uri": (repo / "src").as_uri(), "name": "src"}, {"uri": other.as_uri(), "name": "other"}]
    await editor.result(
        "initialize", {"processId": None, "rootUri": None, "capabilities": {}, "workspaceFolders": folders}
    )
    await editor.send({"method": "initialized", "params": {}})
    message = (await heard(editor, "window/showMessage"))["params"]["message"]
    assert str(other) in message
    assert str(repo / "src") not in message
    added = {"event": {"added": [*folders, {"uri": repo.as_uri(), "name": "repo"}], "removed": []}}
    await editor.send({"method": "workspace/didChangeWorkspaceFolders", "params": added})
    await editor.result("muninn/status")
    assert editor.notices == []


async def test_a_document_of_megabytes_is_not_kept_and_costs_no_answer(
    bare_in: BareIn, repo: Path, environ: dict[str, str]
) -> None:
    person = await person_at(bare_in, repo, environ)
    await person.remember("Names are never cached.", type="decision", files=[CITED])
    await person.open("x = 1\n" * 400_000)
    await person.change(types.Range(TOP, types.Position(0, 1)), "y")
    assert await person.lenses() == [(0, "1 decision"), (line_of("lookup"), "1 decision")]


async def test_before_init_nothing_is_shown_and_nothing_fails(
    bare_in: BareIn, plain_repo: Path, environ: dict[str, str]
) -> None:
    person = await person_at(bare_in, plain_repo, environ, **PULLING)
    await person.open()
    assert await person.lenses() == []
    assert (await person.pulled())["items"] == []
    assert await person.editor.result("textDocument/documentLink", {"textDocument": person.document}) == []
    await person.editor.result("muninn/init")
    await person.remember("Names are never cached.", type="decision", files=[CITED])
    assert await person.lenses() == [(0, "1 decision"), (line_of("lookup"), "1 decision")]
    await person.editor.result("muninn/shutdown")


async def test_questions_about_an_open_file_are_answered_when_its_memory_is_deleted(
    bare_in: BareIn, repo: Path, environ: dict[str, str]
) -> None:
    person = await person_at(bare_in, repo, environ, **PULLING)
    await person.remember("Names are never cached.", type="decision", files=[CITED])
    await person.open()
    assert len(await person.lenses()) == 2
    (repo / ".muninn").rename(repo.parent / "deleted")  # gone in one breath: while it is emptied, the daemon may write
    await person.change(insertion(TOP), "# One.\n")
    assert {line for line, _ in await person.lenses()} <= {0, line_of("lookup") + 1}
    assert (await person.pulled())["kind"] == "full"
    position = plain(MARKED.position("in-lookup"))
    await person.editor.result("textDocument/hover", {"textDocument": person.document, "position": position})


async def test_no_feature_duplicates_the_language_servers_of_a_language(
    bare_in: BareIn, repo: Path, environ: dict[str, str]
) -> None:
    editor = await bare_in(repo, environ, handshake=False)
    told = {"completion": {"dynamicRegistration": True}, "definition": {"dynamicRegistration": True}}
    capabilities = {**PULLING, "textDocument": {**PULLING["textDocument"], **told}}
    params = {"processId": None, "rootUri": None, "capabilities": capabilities}
    offered = (await editor.result("initialize", params))["capabilities"]
    assert not {"completionProvider", "definitionProvider", "documentFormattingProvider"}.intersection(offered)
    assert offered["workspace"]["textDocumentContent"] == {"schemes": ["muninn"]}
    assert offered["diagnosticProvider"]["interFileDependencies"] is True
