"""Beside the code: lenses and hints, doubts, actions, links and documents, over the real daemon."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

import pytest
from lsprotocol import types
from marked_files import MarkedFile, only_file
from repositories import PATIENCE, USERS, git

if TYPE_CHECKING:
    from lsp_editors import BareEditor, BareIn
    from repositories import Home

pytest_plugins = ("lsp_editors",)

FILE, MARKED = only_file("users")
LOOKUP = MARKED.lines("lookup")
REMOVAL = MARKED.lines("removal")
CITED = f"{FILE}:{LOOKUP[0]}-{LOOKUP[1]}"
TOP = types.Position(0, 0)
PULLING = {
    "textDocument": {"diagnostic": {}, "publishDiagnostics": {"relatedInformation": True}},
    "workspace": {"textDocumentContent": {}, "codeLens": {"refreshSupport": True}},
}


@pytest.fixture
def repo(work_tree: Home) -> Path:
    """A work tree of the repository that the tests here share."""
    return work_tree.repo


@pytest.fixture
def environ(served: Home) -> dict[str, str]:
    """The environment of the shared repository's clients."""
    return served.environ


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


async def test_lenses_stand_above_the_file_and_what_is_cited_and_follow_what_is_typed(
    bare_in: BareIn, repo: Path, environ: dict[str, str]
) -> None:
    person = await person_at(bare_in, repo, environ)
    await person.remember("Names are never cached.", type="decision", files=[CITED])
    await person.open()
    lookup = line_of("lookup")
    assert await person.lenses() == [(0, "1 decision"), (lookup, "1 decision")]
    assert await person.hints() == []
    await person.change(insertion(TOP), "# One.\n# Two.\n")
    assert await person.lenses() == [(0, "1 decision"), (lookup + 2, "1 decision")]
    moved = MARKED.range("return")
    moved.start.line = moved.end.line = line_of("return") + 2
    await person.change(moved, "yield")
    assert await person.lenses() == [(0, "1 decision, 1 stale"), (lookup + 2, "1 decision, 1 stale")]


async def test_hints_come_in_place_of_lenses_when_the_settings_say_so(
    bare_in: BareIn, repo: Path, environ: dict[str, str]
) -> None:
    person = await person_at(bare_in, repo, environ, **PULLING)
    await person.remember("Names are never cached.", type="decision", files=[CITED])
    await heard(person.editor, "workspace/codeLens/refresh")
    await person.open()
    for mode, lenses, hints in (("inlay", 0, 2), ("off", 0, 0), ("nonsense", 0, 0), ("lens", 2, 0)):
        params = {"settings": {"muninn": {"lens": mode}}}
        await person.editor.send({"method": "workspace/didChangeConfiguration", "params": params})
        assert len(await person.lenses()) == lenses
        assert len(await person.hints()) == hints


async def test_a_client_that_can_be_asked_for_its_settings_is_asked(
    bare_in: BareIn, repo: Path, environ: dict[str, str]
) -> None:
    capabilities = {"workspace": {"configuration": True, "didChangeConfiguration": {"dynamicRegistration": True}}}
    person = await person_at(bare_in, repo, environ, **capabilities)
    asked = await heard(person.editor, "workspace/configuration")
    assert asked["params"]["items"] == [{"section": "muninn"}]
    await person.editor.send({"id": asked["id"], "result": [{"lens": "inlay"}]})
    registered = await heard(person.editor, "client/registerCapability")
    (registration,) = registered["params"]["registrations"]
    assert registration["method"] == "workspace/didChangeConfiguration"
    await person.editor.send({"id": registered["id"], "result": None})
    await person.remember("Names are never cached.", type="decision", files=[CITED])
    await person.open()
    assert await person.hints() == [(0, "1 decision"), (line_of("lookup"), "1 decision")]


async def test_a_client_that_asks_for_doubts_is_told_once_and_never_pushed_to(
    bare_in: BareIn, repo: Path, environ: dict[str, str]
) -> None:
    person = await person_at(bare_in, repo, environ, **PULLING)
    identity = await person.remember("Names are never cached.", type="decision", files=[CITED])
    await person.open()
    first = await person.pulled()
    assert (first["kind"], first["items"]) == ("full", [])
    assert (await person.pulled(first["resultId"]))["kind"] == "unchanged"
    added = MARKED.position("lookup-body")
    await person.change(insertion(added), "    # Names are cached.\n")
    report = await person.pulled(first["resultId"])
    (item,) = report["items"]
    assert (item["severity"], item["code"], item["source"]) == (2, "contradicted", "muninn")
    comment = len("    # Names are cached.")
    assert item["range"] == {
        "start": {"line": added.line, "character": 4},
        "end": {"line": added.line, "character": comment},
    }
    places = [related["location"]["uri"] for related in item["relatedInformation"]]
    assert places == [f"muninn:/memory/{identity}/Names%20are%20never%20cached.md", person.uri]
    assert not [notice for notice in person.editor.notices if notice["method"] == "textDocument/publishDiagnostics"]


async def test_a_client_that_does_not_ask_is_told_when_the_text_rests_and_when_it_is_mended(
    bare_in: BareIn, repo: Path, environ: dict[str, str]
) -> None:
    person = await person_at(bare_in, repo, environ)
    await person.remember("Names are never cached.", type="pattern", files=[CITED])
    await person.open()
    await person.change(MARKED.range("return"), "yield")
    told = (await heard(person.editor, "textDocument/publishDiagnostics"))["params"]
    assert [(item["severity"], item["code"]) for item in told["diagnostics"]] == [(3, "drifted")]
    assert "relatedInformation" not in told["diagnostics"][0]
    mended = MARKED.range("return")
    mended.end.character -= len("return") - len("yield")
    await person.change(mended, "return")
    assert (await heard(person.editor, "textDocument/publishDiagnostics"))["params"]["diagnostics"] == []
    assert (await person.editor.ask("textDocument/diagnostic", {"textDocument": person.document}))["error"]["code"]


async def test_memories_of_another_client_are_shown_without_an_edit(
    bare_in: BareIn, repo: Path, environ: dict[str, str]
) -> None:
    person, other = await person_at(bare_in, repo, environ, **PULLING), await bare_in(repo, environ)
    await person.open()
    assert await person.lenses() == []
    await other.result("muninn/remember", {"text": "Names are short.", "files": [CITED]})
    await heard(person.editor, "workspace/codeLens/refresh")
    assert await person.lenses() == [(0, "1 insight"), (line_of("lookup"), "1 insight")]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
async def test_places_behind_astral_characters_are_where_the_client_counts_them(
    bare_in: BareIn, repo: Path, environ: dict[str, str], encoding: str
) -> None:
    person = await person_at(bare_in, repo, environ, general={"positionEncodings": [encoding]}, **PULLING)
    identity = await person.remember("Names are never cached.", type="decision", files=[CITED])
    smile = len("😀".encode(encoding)) // (1 if encoding == "utf-8" else 2) - (1 if encoding == "utf-16" else 0)
    await person.open()
    await person.change(insertion(TOP), "# 😀😀\f\u2028 here\n")
    width = 2 * smile + (1 + 3 if encoding == "utf-8" else 2)
    here = types.Range(types.Position(0, 2 + width + 1), types.Position(0, 2 + width + 5))
    await person.change(here, f"see {identity}")
    (link,) = await person.editor.result("textDocument/documentLink", {"textDocument": person.document})
    assert link["target"] == f"muninn:/memory/{identity}.md"
    begin = 2 + width + 1 + 4
    assert link["range"] == {"start": {"line": 0, "character": begin}, "end": {"line": 0, "character": begin + 26}}
    inside = MARKED.position("in-lookup")
    position = {"line": inside.line + 1, "character": 5}
    hover = await person.editor.result("textDocument/hover", {"textDocument": person.document, "position": position})
    assert "Names are never cached" in hover["contents"]["value"]


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


async def test_the_selection_becomes_a_draft_and_the_saved_draft_a_memory(
    bare_in: BareIn, repo: Path, environ: dict[str, str]
) -> None:
    person = await person_at(bare_in, repo, environ, window={"showDocument": {"support": True}})
    await person.open()
    offered = await person.actions(LOOKUP[0] - 1, LOOKUP[1])
    assert list(offered) == ["Remember this", "Record a decision about this", "Mark an attempt as failed"]
    command = offered["Record a decision about this"]["command"]
    await person.editor.send({"id": "w", "method": "workspace/executeCommand", "params": command})
    asked = await heard(person.editor, "window/showDocument")
    await person.editor.send({"id": asked["id"], "result": {"success": True}})
    written = (await person.editor.answer("w"))["result"]
    assert (written["shown"], written["uri"]) == (True, asked["params"]["uri"])
    text = written["text"] + "Names come from the directory.\n"
    draft = {"uri": written["uri"], "languageId": "markdown", "version": 1, "text": text}
    await person.editor.send({"method": "textDocument/didOpen", "params": {"textDocument": draft}})
    for _ in range(2):  # saved twice, it is remembered once
        saved = {"textDocument": {"uri": written["uri"]}}
        await person.editor.send({"method": "textDocument/didSave", "params": saved})
        message = (await heard(person.editor, "window/showMessage"))["params"]["message"]
        assert message == "Muninn: Remembered: Names come from the directory"
    (memory,) = (await person.editor.result("muninn/memories", {"file": FILE}))["memories"]
    assert (memory["type"], memory["trust"], memory["actor"]) == ("decision", "user", "user")
    assert [(cite["path"], cite["start"], cite["end"]) for cite in memory["cites"]] == [(FILE, *LOOKUP)]
    assert await person.lenses() == [(0, "1 decision"), (line_of("lookup"), "1 decision")]


async def test_a_draft_that_can_not_be_read_says_why_and_stores_nothing(
    bare_in: BareIn, repo: Path, environ: dict[str, str]
) -> None:
    person = await person_at(bare_in, repo, environ)
    written = await person.editor.result(
        "workspace/executeCommand", {"command": "muninn.write", "arguments": [{"type": "insight"}]}
    )
    assert written["shown"] is False
    assert written["path"] in (await heard(person.editor, "window/showMessage"))["params"]["message"]
    text = written["text"].replace("type:", "typ:") + "Words.\n"
    draft = {"uri": written["uri"], "languageId": "markdown", "version": 1, "text": text}
    await person.editor.send({"method": "textDocument/didOpen", "params": {"textDocument": draft}})
    await person.editor.send({"method": "textDocument/didSave", "params": {"textDocument": {"uri": written["uri"]}}})
    told = (await heard(person.editor, "window/showMessage"))["params"]
    assert told["type"] == 1
    assert "a draft has no 'typ'. Did you mean 'type'?" in told["message"]
    assert (await person.editor.result("muninn/memories"))["memories"] == []


async def test_code_actions_resolve_a_doubt_in_the_document(
    bare_in: BareIn, repo: Path, environ: dict[str, str]
) -> None:
    person = await person_at(bare_in, repo, environ, **PULLING)
    identity = await person.remember("Removal is final.", type="pattern", files=[f"{FILE}:{REMOVAL[0]}-{REMOVAL[1]}"])
    await person.open(USERS.replace("del USERS[uid]", "USERS.pop(uid)"))
    (item,) = (await person.pulled())["items"]
    line = line_of("removal-body")
    offered = await person.actions(line, line, diagnostics=[item], only=["quickfix"])
    assert list(offered) == [
        "Confirm (it still holds): Removal is final",
        "Supersede: Removal is final",
        "Forget: Removal is final",
        "Why is this shown: Removal is final",
    ]
    assert offered["Forget: Removal is final"]["diagnostics"][0]["data"]["id"] == identity
    await person.run(offered["Confirm (it still holds): Removal is final"])
    assert (await person.pulled())["items"] == []
    assert await person.lenses() == [(0, "1 pattern"), (line_of("removal"), "1 pattern")]
    offered = await person.actions(line, line)
    assert "Confirm (it still holds): Removal is final" not in offered
    await person.run(offered["Forget: Removal is final"])
    assert await person.lenses() == []


async def test_a_client_with_a_menu_gets_one_action_for_a_memory_the_innermost_first(
    bare_in: BareIn, repo: Path, environ: dict[str, str]
) -> None:
    person = Person(await bare_in(repo, environ, options={"reviewMenu": True}), repo)
    await person.remember("The module has users.", files=[f"{FILE}:1-{REMOVAL[1]}"])
    inner = await person.remember("Removal is final.", type="pattern", files=[f"{FILE}:{REMOVAL[0]}-{REMOVAL[1]}"])
    await person.open()
    line = line_of("removal-body")
    assert await person.actions(line, line, only=["quickfix"]) == {}, "nothing is in doubt"
    asked = await person.actions(line, line, only=["refactor.muninn"], triggerKind=1)
    assert [title for title in asked if title.startswith("Review")] == [
        "Review memory: Removal is final",
        "Review memory: The module has users",
    ]
    await person.change(MARKED.range("return"), "yield")
    await person.change(types.Range(types.Position(line, 0), types.Position(line, 8)), "    pass; ")
    offered = await person.actions(line, line, only=["quickfix"])
    (argument,) = next(iter(offered.values()))["command"]["arguments"]
    assert argument["id"] == inner
    choices = {choice["title"]: choice["command"] for choice in argument["choices"]}
    assert choices == {
        "Confirm (it still holds)": "muninn.confirm",
        "Supersede": "muninn.write",
        "Forget": "muninn.forget",
        "Why is this shown": "muninn.show",
    }


async def test_the_selected_lines_can_take_the_place_of_those_that_are_stale(
    bare_in: BareIn, repo: Path, environ: dict[str, str]
) -> None:
    person = await person_at(bare_in, repo, environ, **PULLING)
    await person.remember("Removal is final.", type="constraint", files=[f"{FILE}:{REMOVAL[0]}-{REMOVAL[1]}"])
    _, file = only_file("replaced")
    await person.open(file.text)
    (item,) = (await person.pulled())["items"]
    assert item["code"] == "gone"
    offered = await person.actions(line_of("drop", file), line_of("after-drop", file), diagnostics=[item])
    await person.run(offered["Cite the selected lines: Removal is final"])
    assert await person.lenses() == [(0, "1 constraint"), (line_of("drop", file), "1 constraint")]


async def test_a_cursor_that_only_rests_somewhere_lights_no_lamp(
    bare_in: BareIn, repo: Path, environ: dict[str, str]
) -> None:
    person = await person_at(bare_in, repo, environ)
    await person.open()
    line = line_of("lookup") + 1
    assert await person.actions(line, line, triggerKind=2) == {}
    assert len(await person.actions(line, line, triggerKind=1)) == 3
    assert await person.actions(line, line + 1, only=["source.organizeImports"]) == {}
    await person.remember("Names are never cached.", type="decision", files=[CITED])
    assert await person.actions(line, line, triggerKind=2) == {}
    assert "Why is this shown: Names are never cached" in await person.actions(line, line, triggerKind=1)
    await person.change(MARKED.range("return"), "yield")
    assert "Confirm (it still holds): Names are never cached" in await person.actions(line, line, triggerKind=2)


@pytest.mark.parametrize(("start", "end", "lines"), [(98, 99, (13, 13)), (8, 5, (6, 8)), (5, 99, (6, 13))])
async def test_a_selection_that_is_turned_round_or_leaves_the_text_is_brought_into_it(
    bare_in: BareIn, repo: Path, environ: dict[str, str], start: int, end: int, lines: tuple[int, int]
) -> None:
    person = await person_at(bare_in, repo, environ)
    await person.open()
    (argument,) = (await person.actions(start, end))["Remember this"]["command"]["arguments"]
    assert (argument["start"], argument["end"]) == lines


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
