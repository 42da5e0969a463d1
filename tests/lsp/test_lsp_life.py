"""An editor's connection: handshake, end, and malformed messages in between."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types
from repositories import PATIENCE

from muninn_core import __version__, client
from muninn_core.protocol import wire
from muninn_core.protocol.catalogue import METHODS

if TYPE_CHECKING:
    from lsp_editors import Bare, Home, Open

pytest_plugins = ("lsp_editors",)


async def test_the_handshake_names_version_capabilities_and_a_command_for_every_verb(bare: Bare, home: Home) -> None:
    editor = await bare(handshake=False)
    result = await editor.result("initialize", {"processId": None, "rootUri": home.repo.as_uri(), "capabilities": {}})
    assert result["serverInfo"] == {"name": "muninn", "version": __version__}
    offered = result["capabilities"]
    commands = [*(method.command for method in METHODS.values()), "muninn.show", "muninn.write"]
    assert offered["executeCommandProvider"]["commands"] == commands
    assert offered["hoverProvider"]
    assert offered["textDocumentSync"]["openClose"]
    assert offered["textDocumentSync"]["change"] == 2
    assert offered["positionEncoding"] == "utf-16"


async def test_nothing_is_answered_before_the_handshake(bare: Bare) -> None:
    editor = await bare(handshake=False)
    for method in ("muninn/status", "textDocument/hover", "shutdown"):
        assert (await editor.ask(method, {}))["error"]["code"] == -32002


async def test_after_shutdown_only_exit_is_accepted_and_the_daemon_stays(bare: Bare, home: Home) -> None:
    editor, other = await bare(), await bare()
    pid = (await other.result("muninn/status"))["pid"]
    assert await editor.result("shutdown") is None
    assert (await editor.ask("muninn/status"))["error"]["code"] == -32600
    await editor.send({"method": "exit"})
    assert await editor.process.wait() == 0
    assert (await other.result("muninn/status"))["pid"] == pid
    with client.connect(str(home.repo), home.environ, start=False) as plain:
        assert plain.call("status")["pid"] == pid


async def test_a_second_handshake_is_refused(bare: Bare) -> None:
    editor = await bare()
    answer = await editor.ask("initialize", {"processId": None, "rootUri": None, "capabilities": {}})
    assert answer["error"]["code"] == -32602


async def test_parameters_that_do_not_fit_get_an_answer_that_says_where(bare: Bare) -> None:
    editor = await bare()
    answer = await editor.ask("textDocument/hover", {"position": {"line": 0, "character": 0}})
    assert answer["error"]["code"] == -32602
    assert "textDocument/hover" in answer["error"]["message"]
    assert "textDocument" in answer["error"]["message"].split("do not fit", 1)[1]


async def test_a_notification_that_does_not_fit_or_is_unknown_changes_nothing(bare: Bare) -> None:
    editor = await bare()
    await editor.send(
        {"method": "textDocument/didOpen", "params": {"textDocument": 7}},
        {"method": "textDocument/didOpen"},
        {"method": "no/such/thing", "params": {}},
        {"id": "never asked", "result": None},
        {"id": "never asked", "error": {"code": 1, "message": "what?"}},
    )
    assert (await editor.result("muninn/status"))["mode"] == "read-write"


async def test_an_unknown_method_is_answered_with_the_nearest_one(bare: Bare) -> None:
    editor = await bare()
    answer = await editor.ask("textDocument/hoover", {})
    assert answer["error"]["code"] == -32601
    assert "textDocument/hover" in answer["error"]["data"]["hint"]
    answer = await editor.ask(
        "textDocument/implementation", {"textDocument": {"uri": "file:///x"}, "position": {"line": 0, "character": 0}}
    )
    assert answer["error"]["code"] == -32601


async def test_a_notification_that_is_sent_as_a_request_is_answered(bare: Bare) -> None:
    editor = await bare()
    answer = await asyncio.wait_for(editor.ask("workspace/didRenameFiles", {"files": []}), PATIENCE)
    assert answer["error"]["code"] == -32601
    assert answer["error"]["data"]["hint"] == "Send it without an 'id'."


async def test_a_message_without_method_or_with_a_strange_id_is_refused(bare: Bare) -> None:
    editor = await bare()
    await editor.send({"id": 901}, {"id": ["a list"], "method": "muninn/status"})
    assert (await editor.answer(901))["error"]["code"] == -32600
    assert (await editor.answer(None))["error"]["code"] == -32600
    assert (await editor.result("muninn/status"))["mode"] == "read-write"


async def test_five_megabytes_in_many_pieces_are_one_message(bare: Bare) -> None:
    editor = await bare()
    assert editor.process.stdin is not None
    data = wire.request("big", "muninn/memories", {"text": "ä" * 2_500_000})
    assert len(data) > 5_000_000
    for piece in (data[:7], data[7:40], *(data[at : at + 70_000] for at in range(40, len(data), 70_000))):
        editor.process.stdin.write(piece)
        await editor.process.stdin.drain()
    assert (await editor.answer("big"))["result"]["memories"] == []


async def test_an_editor_that_disconnects_does_not_affect_other_clients(bare: Bare) -> None:
    editor, other = await bare(), await bare()
    await editor.send({"id": 1, "method": "muninn/index", "params": {"wait": True, "rebuild": True}})
    editor.process.kill()
    await editor.process.wait()
    assert (await other.result("muninn/status"))["mode"] == "read-write"


async def test_an_editor_in_another_repository_is_warned(open_editor: Open, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    (elsewhere / ".git").mkdir(parents=True)
    (elsewhere / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    editor = await open_editor(folder=elsewhere)
    if not editor.messages:
        await editor.wait_for_notification("window/showMessage")
    assert "which is not the folder" in editor.messages[0].message


async def test_an_editor_in_a_folder_of_the_repository_is_not_warned(open_editor: Open, home: Home) -> None:
    editor = await open_editor(folder=home.repo / "src")
    await editor.workspace_execute_command_async(types.ExecuteCommandParams("muninn.status"))
    assert editor.messages == []
