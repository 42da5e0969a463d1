"""Code actions and drafts of memories, over the real daemon."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from lsprotocol import types
from marked_files import only_file
from repositories import USERS
from source_editor import CITED, FILE, LOOKUP, MARKED, PULLING, REMOVAL, Person, heard, line_of, person_at
from work_tree_fixtures import shared_environ, shared_repo  # noqa: F401 - fixtures

if TYPE_CHECKING:
    from lsp_editors import BareIn

pytest_plugins = ("lsp_editors",)


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
    more = {"textDocument": {"uri": written["uri"], "version": 2}, "contentChanges": [{"text": f"{text}More.\n"}]}
    await person.editor.send({"method": "textDocument/didChange", "params": more})
    await person.editor.send({"method": "textDocument/didSave", "params": saved})
    message = (await heard(person.editor, "window/showMessage"))["params"]["message"]
    assert message.startswith("Muninn: This draft was stored when it was first saved"), message
    (memory,) = (await person.editor.result("muninn/memories", {"file": FILE}))["memories"]
    assert message.endswith(f"`muninn update {memory['id']}`."), message
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
    told = [notice["params"] for notice in person.editor.notices if notice.get("method") == "window/showMessage"]
    lines = f"{line_of('removal') + 1}-{REMOVAL[1]}"
    assert told == [{"type": 3, "message": f"Muninn: Confirmed: Removal is final; it cites {FILE}:{lines}"}]
    person.editor.notices.clear()
    assert (await person.pulled())["items"] == []
    assert await person.lenses() == [(0, "1 pattern"), (line_of("removal"), "1 pattern")]
    offered = await person.actions(line, line)
    assert "Confirm (it still holds): Removal is final" not in offered
    await person.run(offered["Forget: Removal is final"])
    told = [notice["params"] for notice in person.editor.notices if notice.get("method") == "window/showMessage"]
    assert told[-1]["message"] == f"Muninn: Forgotten: Removal is final; `muninn restore {identity}` restores it"
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
