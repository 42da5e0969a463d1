"""Unusual editor input: no git, read-only folders, hundreds of files, whole folders."""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from repositories import PATIENCE, USERS, git, kill_daemon, stop_daemon
from work_tree_fixtures import shared_environ, shared_repo  # noqa: F401 - fixtures

from muninn_core import client

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lsp_editors import BareEditor, BareIn

pytest_plugins = ("lsp_editors",)

FACT = "Names are looked up by id, because names change."
SHOWS = {"window": {"showDocument": {"support": True}}}
TEXT = {"languageId": "python", "version": 1, "text": "x = 1\n"}


def opened(path: Path, text: str) -> dict[str, Any]:
    document = {"uri": path.as_uri(), "languageId": "python", "version": 1, "text": text}
    return {"method": "textDocument/didOpen", "params": {"textDocument": document}}


async def remember(editor: BareEditor, **params: Any) -> str:
    stored = await editor.result("muninn/remember", {"text": FACT, "type": "decision", **params})
    identity: str = stored["ids"][0]
    return identity


async def remembering(repo: Path, environ: dict[str, str], bare_in: BareIn) -> tuple[BareEditor, Path]:
    """Return an editor that has a file open about which something is remembered, and the file."""
    users = repo / "src" / "users.py"
    editor = await bare_in(repo, environ)
    await editor.send(opened(users, USERS))
    await remember(editor, files=["src/users.py:6-8"])
    return editor, users


async def hover(editor: BareEditor, path: Path, line: int) -> str:
    params = {"textDocument": {"uri": path.as_uri()}, "position": {"line": line, "character": 0}}
    result = await editor.result("textDocument/hover", params)
    return result["contents"]["value"] if result else ""


async def lenses(editor: BareEditor, path: Path) -> list[str]:
    found = await editor.result("textDocument/codeLens", {"textDocument": {"uri": path.as_uri()}})
    return [each["command"]["title"] for each in found]


@pytest.mark.skipif(os.name == "nt", reason="Windows has no named pipes in folders")
async def test_a_pipe_that_an_editor_asks_about_does_not_block_the_daemon(
    own_repo: Path, environ: dict[str, str], bare_in: BareIn
) -> None:
    os.mkfifo(own_repo / "src" / "pipe.py")
    editor = await bare_in(own_repo, environ)
    await remember(editor, files=["src/pipe.py"])
    assert await lenses(editor, own_repo / "src" / "pipe.py") == ["1 decision"]


@pytest.fixture
def own_repo(plain_repo: Path, environ: dict[str, str]) -> Iterator[Path]:
    """A repository with memory, and a daemon that no other test uses."""
    with client.connect(str(plain_repo), environ) as muninn:
        muninn.call("init")
    yield plain_repo
    kill_daemon(plain_repo, environ)


@pytest.fixture
def folder(tmp_path: Path, environ: dict[str, str]) -> Iterator[Path]:
    """A folder without git, with memory."""
    root = tmp_path / "plain"
    (root / "src").mkdir(parents=True)
    (root / "src" / "users.py").write_text(USERS)
    with client.connect(str(root), environ) as muninn:
        muninn.call("init")
    yield root
    kill_daemon(root, environ)


async def test_a_folder_without_git_has_all_of_it_but_branches(
    folder: Path, environ: dict[str, str], bare_in: BareIn
) -> None:
    editor = await bare_in(folder, environ)
    users = folder / "src" / "users.py"
    await editor.send(opened(users, USERS))
    await remember(editor, files=["src/users.py:6-8"])
    assert "looked up by id" in await hover(editor, users, 5)
    assert await lenses(editor, users) == ["1 decision", "1 decision"]
    change: dict[str, Any] = {"textDocument": {"uri": users.as_uri(), "version": 2}}
    change["contentChanges"] = [{"text": USERS.replace("return", "yield")}]
    await editor.send({"method": "textDocument/didChange", "params": change})
    assert await lenses(editor, users) == ["1 decision, 1 stale", "1 decision, 1 stale"]


async def test_memory_locked_by_another_process_is_read_only_until_released(
    own_repo: Path, environ: dict[str, str], bare_in: BareIn
) -> None:
    repo = own_repo  # its daemon ends
    users = repo / "src" / "users.py"
    with client.connect(str(repo), environ) as muninn:
        muninn.call("remember", {"text": FACT, "type": "decision", "files": ["src/users.py:6-8"]})
        muninn.call("seal")
        muninn.call("index", {"wait": True})
        # Another user's machine, as far as this one can tell: a runtime folder of its own, and the repository is taken.
        runtime = tempfile.mkdtemp(prefix="mn-", dir="/tmp")  # short: sockets need that
        other = {**environ, "MUNINN_RUNTIME_DIR": runtime}
        editor = await bare_in(repo, other)
        try:
            assert (await editor.result("muninn/status", {}))["mode"] == "read-only"
            assert "looked up by id" in await hover(editor, users, 5)
            assert await lenses(editor, users) == ["1 decision", "1 decision"]
            refused = (await editor.execute("muninn.remember", {"text": "More."}))["error"]
            assert refused["data"]["kind"] == "read_only"
            assert refused["data"]["hint"]
            stop_daemon(repo, environ)
            await remember(editor, text="More.", key="more")
            status = await editor.result("muninn/status", {})
            assert (status["mode"], status["problems"]) == ("read-write", [])
            assert len((await editor.result("muninn/memories", {}))["memories"]) == 2
            assert await lenses(editor, users) == ["1 decision", "1 decision"]
        finally:
            stop_daemon(repo, other)
            shutil.rmtree(runtime)


async def test_three_hundred_open_files_have_each_its_own_lenses(
    repo: Path, environ: dict[str, str], bare_in: BareIn
) -> None:
    files = [repo / "src" / f"module_{number}.py" for number in range(300)]
    for file in files:
        file.write_text(USERS)
    editor = await bare_in(repo, environ)
    await editor.send(*(opened(file, USERS) for file in files))
    batch = [{"text": f"Fact {number}.", "files": [f"src/module_{number}.py:6-8"]} for number in range(0, 300, 3)]
    await editor.result("muninn/remember", {"batch": batch})
    for number in (0, 1, 150, 151, 297, 299):
        assert await lenses(editor, files[number]) == (["1 insight", "1 insight"] if number % 3 == 0 else [])
    await editor.send(
        *({"method": "textDocument/didClose", "params": {"textDocument": {"uri": each.as_uri()}}} for each in files)
    )
    assert await lenses(editor, files[297]) == ["1 insight", "1 insight"]


async def test_a_folder_of_a_thousand_files_that_gets_another_name_keeps_its_memories_and_links(
    repo: Path, environ: dict[str, str], bare_in: BareIn
) -> None:
    many = repo / "src" / "many"
    many.mkdir()
    for number in range(1_000):
        (many / f"module_{number}.py").write_text(f"def step_{number}(value):\n    return value + {number}\n")
    git(repo, "add", ".")
    git(repo, "commit", "-q", "-m", "Many")
    guide = repo / ".muninn" / "context" / "steps.md"
    guide.parent.mkdir(exist_ok=True)
    guide.write_text("Begin with @src/many/module_7.py#step_7, then @src/many/module_8.py.\n")
    editor = await bare_in(repo, environ)
    await remember(editor, files=["src/many/module_7.py:1-2"])
    await editor.result("muninn/index", {"wait": True})
    renamed = {"files": [{"oldUri": many.as_uri(), "newUri": (repo / "src" / "steps").as_uri()}]}
    edit = await editor.result("workspace/willRenameFiles", renamed)
    texts = [one["newText"] for edits in edit["changes"].values() for one in edits]
    assert texts == ["src/steps/module_7.py", "src/steps/module_8.py"]
    many.rename(repo / "src" / "steps")
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-m", "Rename")
    await editor.result("muninn/index", {"wait": True})
    module = repo / "src" / "steps" / "module_7.py"
    assert "looked up by id" in await hover(editor, module, 0)
    assert await lenses(editor, module) == ["1 decision"]
    found = await editor.result("muninn/recall", {"query": "step_999", "kind": "code"})
    assert found["hits"][0]["path"] == "src/steps/module_999.py"


async def test_a_memory_that_is_deleted_while_files_are_open_fails_no_question_and_can_be_begun_again(
    repo: Path, environ: dict[str, str], bare_in: BareIn
) -> None:
    editor, users = await remembering(repo, environ, bare_in)
    assert await lenses(editor, users)
    (repo / ".muninn").rename(repo.parent / "deleted")  # at once: the daemon may be writing there
    shutil.rmtree(repo.parent / "deleted")
    await hover(editor, users, 5)
    await lenses(editor, users)
    problems = (await editor.result("muninn/status", {}))["problems"]
    assert "gone" in {problem["kind"] for problem in problems}
    await editor.result("muninn/init", {})
    await remember(editor, files=["src/users.py:6-8"], key="again")
    await editor.result("muninn/index", {"wait": True})
    assert "looked up by id" in await hover(editor, users, 5)
    assert "gone" not in {problem["kind"] for problem in (await editor.result("muninn/status", {}))["problems"]}


async def test_an_editor_that_hangs_up_before_it_showed_what_it_was_asked_to_is_let_go(
    repo: Path, environ: dict[str, str], bare_in: BareIn
) -> None:
    editor = await bare_in(repo, environ, capabilities=SHOWS)
    command = {"command": "muninn.write", "arguments": [{"type": "insight"}]}
    await editor.send({"id": "w", "method": "workspace/executeCommand", "params": command})
    asked = await editor.read()
    assert asked["method"] == "window/showDocument"
    assert editor.process.stdin is not None
    editor.process.stdin.close()
    assert await asyncio.wait_for(editor.process.wait(), PATIENCE) == 0


async def test_an_answer_of_the_editor_that_does_not_fit_leaves_no_command_waiting(
    repo: Path, environ: dict[str, str], bare_in: BareIn
) -> None:
    editor = await bare_in(repo, environ, capabilities=SHOWS)
    command = {"command": "muninn.write", "arguments": [{"type": "insight"}]}
    for answer in ({"result": None}, {"result": {"success": "perhaps"}}, {"error": {"code": 1}}, {"error": None}):
        await editor.send({"id": "w", "method": "workspace/executeCommand", "params": command})
        asked = await editor.read()
        await editor.send({"id": asked["id"], **answer}, {"id": asked["id"], **answer}, {"id": "nobody's", **answer})
        written = await asyncio.wait_for(editor.answer("w"), PATIENCE)
        assert "result" in written, (answer, written)


async def test_a_request_that_waits_for_the_editor_can_be_cancelled(
    repo: Path, environ: dict[str, str], bare_in: BareIn
) -> None:
    editor = await bare_in(repo, environ, capabilities=SHOWS)
    command = {"command": "muninn.write", "arguments": [{"type": "insight"}]}
    await editor.send(
        {"id": "w", "method": "workspace/executeCommand", "params": command},
        {"method": "$/cancelRequest", "params": {"id": "w"}},
    )
    assert (await asyncio.wait_for(editor.answer("w"), PATIENCE))["error"]["code"] == -32800


@pytest.mark.parametrize(
    "message",
    [
        {"method": "textDocument/didOpen", "params": {"textDocument": {"uri": "file:///%00", **TEXT}}},
        {"method": "textDocument/didSave", "params": {"textDocument": {"uri": "file:///%00"}}},
        {"method": "textDocument/didChange", "params": None},
        {"id": 99, "result": {}},
    ],
)
async def test_no_notification_and_no_answer_ends_the_connection(
    repo: Path, environ: dict[str, str], bare_in: BareIn, message: dict[str, Any]
) -> None:
    editor = await bare_in(repo, environ)
    await editor.send(message)
    assert (await editor.result("muninn/status", {}))["mode"] == "read-write"
    odd = {"textDocument": {"uri": "file:///%00"}, "position": {"line": 0, "character": 0}}
    assert await editor.result("textDocument/hover", odd) is None


async def test_a_body_that_is_no_json_is_told_and_the_editor_stays(
    repo: Path, environ: dict[str, str], bare_in: BareIn
) -> None:
    editor = await bare_in(repo, environ)
    assert editor.process.stdin is not None
    editor.process.stdin.write(b'Content-Length: 9\r\n\r\n{"id": 1,')
    assert (await asyncio.wait_for(editor.answer(None), PATIENCE))["error"]["code"] == -32700
    assert (await editor.result("muninn/status", {}))["mode"] == "read-write"


async def test_a_request_without_a_version_of_the_protocol_is_answered(
    repo: Path, environ: dict[str, str], bare_in: BareIn
) -> None:
    editor = await bare_in(repo, environ)
    params = {"textDocument": {"uri": (repo / "src" / "users.py").as_uri()}, "position": {"line": 0, "character": 0}}
    await editor.send({"jsonrpc": "1.0", "id": "old", "method": "textDocument/hover", "params": params})
    assert (await asyncio.wait_for(editor.answer("old"), PATIENCE))["result"] is None


async def test_deleted_memory_is_not_shown_again_after_remember_or_init(
    own_repo: Path, environ: dict[str, str], bare_in: BareIn
) -> None:
    repo = own_repo  # a linked work tree keeps what is not sealed outside of its .muninn
    editor, users = await remembering(repo, environ, bare_in)
    (repo / ".muninn").rename(repo.parent / "deleted")
    assert (await editor.result("muninn/memories", {}))["memories"] == []
    assert await lenses(editor, users) == []
    for command in ("muninn.remember", "muninn.write"):
        refused = (await editor.execute(command, {"text": "More."} if command == "muninn.remember" else {}))["error"]
        hint = "`git restore .muninn` brings back what was committed; `muninn init` creates an empty one."
        assert refused["data"] == {"kind": "not_initialised", "hint": hint}
    assert not (repo / ".muninn").exists()
    (repo / ".muninn").mkdir()  # begun again so soon that nobody saw it go
    (repo.parent / "deleted" / "config.yaml").rename(repo / ".muninn" / "config.yaml")
    await remember(editor, text="Another fact.", key="another")
    (repo / ".muninn").rename(repo.parent / "deleted again")
    await editor.result("muninn/init", {})
    assert (await editor.result("muninn/memories", {}))["memories"] == []


async def test_requests_about_closed_documents_and_binary_files_are_answered(
    repo: Path, environ: dict[str, str], bare_in: BareIn
) -> None:
    editor = await bare_in(repo, environ)
    new, old = repo / "src" / "new.py", repo / "src" / "latin.py"
    old.write_bytes("# Grüße\n".encode("latin-1"))
    await editor.send(opened(new, USERS))
    await remember(editor, files=["src/new.py:6-8"])
    await remember(editor, text="Greetings are German.", files=["src/latin.py"])
    asked = {"textDocument": {"uri": new.as_uri()}}
    await editor.send(
        {"id": "lens", "method": "textDocument/codeLens", "params": asked},
        {"method": "textDocument/didClose", "params": asked},
    )
    answer = await editor.answer("lens")
    assert next(each["command"]["title"] for each in answer["result"]).startswith("1 decision")
    assert (await lenses(editor, new))[0].startswith("1 decision")
    assert await lenses(editor, old) == ["1 decision"]
    assert await lenses(editor, repo / "src") == []


async def test_the_edits_of_a_file_whose_uri_is_encoded_are_followed(
    repo: Path, environ: dict[str, str], bare_in: BareIn
) -> None:
    users = repo / "src" / "two wörds.py"
    users.write_text(USERS)
    editor = await bare_in(repo, environ)
    await editor.send(opened(users, USERS))
    await remember(editor, files=["src/two wörds.py:6-8"])
    change: dict[str, Any] = {"textDocument": {"uri": users.as_uri(), "version": 2}}
    change["contentChanges"] = [{"text": USERS.replace("return", "yield")}]
    await editor.send({"method": "textDocument/didChange", "params": change})
    assert await lenses(editor, users) == ["1 decision, 1 stale", "1 decision, 1 stale"]
