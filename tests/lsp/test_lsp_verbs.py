"""Verbs from an editor: commands and `muninn/*` requests, with parameters and results as plain JSON."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

if TYPE_CHECKING:
    from lsp_editors import Bare, BareEditor, BareIn, Home, Open

pytest_plugins = ("lsp_editors",)

AWKWARD: dict[str, Any] = {
    "class": "A",
    "from": ["here", {"from": None}],
    "type_name": "kept",
    "jsonrpc": "1.0",
    "nested": {"jsonrpc": "2.0", "id": 7, "method": "shutdown", "class": {"type_name": 1}},
    "números": "ß 😀 \u2028",
    "_0": 0.5,
    "big": 12345678901234567,
}
"""Keys that become something else, or end the message, where parameters are made objects."""


async def test_a_command_recalls_what_a_command_remembered(open_editor: Open) -> None:
    editor = await open_editor()
    given = {"text": "Retries are capped at five because the gateway bans us.", "type": "constraint"}
    remembered = await editor.workspace_execute_command_async(types.ExecuteCommandParams("muninn.remember", [given]))
    asked = types.ExecuteCommandParams("muninn.recall", [{"query": "how many retries", "kind": "memory"}])
    found = await editor.workspace_execute_command_async(asked)
    assert found["hits"][0]["id"] == remembered["ids"][0]
    assert found["hits"][0]["text"].startswith("Retries are capped")


@pytest.mark.parametrize("way", ["command", "request"])
async def test_awkward_keys_come_back_as_they_went(bare: Bare, way: str) -> None:
    editor = await bare()
    given = {"text": "Kept as it is.", "details": AWKWARD}
    if way == "command":
        stored = (await editor.execute("muninn.remember", given))["result"]
        found = (await editor.execute("muninn.memories", {"id": stored["ids"][0]}))["result"]
    else:
        stored = await editor.result("muninn/remember", given)
        found = await editor.result("muninn/memories", {"id": stored["ids"][0]})
    assert found["memories"][0]["details"] == AWKWARD


async def test_a_command_needs_no_arguments_and_a_request_no_params(bare: Bare) -> None:
    editor = await bare()
    one = await editor.result("workspace/executeCommand", {"command": "muninn.status"})
    two = await editor.result("muninn/status")
    assert one["pid"] == two["pid"]


async def test_mistakes_are_answered_with_the_nearest_name(bare: Bare) -> None:
    editor = await bare()
    for answer, code, near in (
        (await editor.execute("muninn.recal", {"query": "x"}), -32601, "muninn.recall"),
        (await editor.ask("muninn/recal", {"query": "x"}), -32601, "recall"),
        (await editor.execute("muninn.recall", {"query": "x", "limt": 3}), -32602, "limit"),
        (await editor.ask("muninn/recall", {"query": "x", "limt": 3}), -32602, "limit"),
    ):
        assert answer["error"]["code"] == code
        assert f"'{near}'" in answer["error"]["data"]["hint"]


async def test_arguments_of_the_wrong_shape_are_refused_with_the_right_one(bare: Bare) -> None:
    editor = await bare()
    for arguments in ({"query": "x"}, [{"query": "x"}, {}], "x"):
        answer = await editor.ask("workspace/executeCommand", {"command": "muninn.recall", "arguments": arguments})
        assert answer["error"]["code"] == -32602
        assert "[{…}]" in answer["error"]["data"]["hint"]
    for params in (None, [], {"arguments": []}):
        assert (await editor.ask("workspace/executeCommand", params))["error"]["code"] == -32602
    assert (await editor.execute("muninn.recall", "x"))["error"]["code"] == -32602


async def test_an_error_reaches_a_client_with_code_message_and_hint(open_editor: Open) -> None:
    editor = await open_editor()
    asked = types.ExecuteCommandParams("muninn.memories", [{"id": "nothing-has-this-id"}])
    with pytest.raises(JsonRpcException) as caught:
        await editor.workspace_execute_command_async(asked)
    assert caught.value.code == -32010
    assert "nothing-has-this-id" in caught.value.message


async def test_two_editors_get_each_its_own_answers(bare: Bare) -> None:
    editors = [await bare(), await bare()]
    for number, editor in enumerate(editors):
        await editor.result("muninn/remember", {"text": f"Editor {number} was here.", "session": f"editor-{number}"})

    async def ask(editor: BareEditor, number: int) -> None:
        for _ in range(20):
            found = await editor.result("muninn/memories", {"session": f"editor-{number}"})
            assert [memory["text"] for memory in found["memories"]] == [f"Editor {number} was here."]

    await asyncio.gather(*(ask(editor, number) for number, editor in enumerate(editors)))


async def test_a_cancelled_verb_is_answered_as_cancelled(bare_in: BareIn, many_files: Home) -> None:
    editor = await bare_in(*many_files)
    await editor.send(
        {"id": "slow", "method": "muninn/index", "params": {"rebuild": True}},
        {"method": "$/cancelRequest", "params": {"id": "slow"}},
    )
    assert (await editor.answer("slow"))["error"]["code"] == -32800
    assert (await editor.result("muninn/status"))["mode"] == "read-write"


async def test_a_command_reports_progress_to_the_token_it_was_given(bare: Bare) -> None:
    editor = await bare()
    params = {"command": "muninn.index", "arguments": [{"wait": True}], "workDoneToken": "mine"}
    await editor.result("workspace/executeCommand", params)
    steps = [notice["params"] for notice in editor.notices if notice["method"] == "$/progress"]
    assert {step["token"] for step in steps} == {"mine"}
    kinds = [step["value"]["kind"] for step in steps]
    assert (kinds[0], kinds[-1]) == ("begin", "end")


async def test_an_editor_that_comes_while_the_index_is_built_sees_it_grow(bare_in: BareIn, many_files: Home) -> None:
    other, editor = await bare_in(*many_files), await bare_in(*many_files, handshake=False)
    capabilities = {"window": {"workDoneProgress": True}}
    await editor.result("initialize", {"processId": None, "rootUri": None, "capabilities": capabilities})
    await other.result("muninn/index", {"wait": True})
    await other.result("muninn/index", {"wait": False, "rebuild": True})
    while (await other.result("muninn/status"))["index"]["state"] != "building":
        pass
    await editor.send({"method": "initialized", "params": {}})
    kinds: list[str] = []
    while "end" not in kinds:
        message = await editor.read()
        if message["method"] == "window/workDoneProgress/create":
            token = message["params"]["token"]
            await editor.send({"id": message["id"], "result": None})
        elif message["method"] == "$/progress":
            assert message["params"]["token"] == token
            kinds.append(message["params"]["value"]["kind"])
    assert kinds[0] == "begin"
    assert (await editor.result("muninn/status"))["index"]["lag"] == 0


async def test_an_editor_that_comes_later_sees_no_bar(bare: Bare) -> None:
    editor = await bare()
    await editor.result("muninn/index", {"wait": True})
    editor = await bare(capabilities={"window": {"workDoneProgress": True}})
    await editor.result("muninn/status")
    assert editor.notices == []


async def test_open_documents_count_in_a_context_until_they_are_closed(bare: Bare, home: Home) -> None:
    editor = await bare()
    document = {"uri": (home.repo / "src" / "users.py").as_uri(), "languageId": "python", "version": 1, "text": ""}
    await editor.send({"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": document}})
    asked = {"query": "look up the display name of a user", "format": "json"}
    opened = await editor.result("muninn/context", asked)
    assert opened["inputs"]["open_files"] == ["src/users.py"]
    notes = [reason["note"] for item in opened["items"] for reason in item["why"] if reason["signal"] == "focus"]
    assert "open in an editor" in notes
    closed = {"textDocument": {"uri": document["uri"]}}
    await editor.send({"jsonrpc": "2.0", "method": "textDocument/didClose", "params": closed})
    assert (await editor.result("muninn/context", asked))["inputs"]["open_files"] == []
