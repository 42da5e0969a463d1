"""Lenses, hints and diagnostics of code with memories, over the real daemon."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from lsprotocol import types
from source_editor import CITED, MARKED, PULLING, TOP, heard, insertion, line_of, person_at
from work_tree_fixtures import shared_environ, shared_repo  # noqa: F401 - fixtures

if TYPE_CHECKING:
    from lsp_editors import BareIn

pytest_plugins = ("lsp_editors",)


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


async def test_an_edit_past_the_end_of_a_line_is_made_at_its_end(
    bare_in: BareIn, repo: Path, environ: dict[str, str]
) -> None:
    person = await person_at(bare_in, repo, environ, **PULLING)
    identity = await person.remember("Names are never cached.", type="decision", files=[CITED])
    await person.open()
    await person.change(insertion(TOP), "# größe\n")
    past = types.Position(0, 2**31 - 1)
    await person.change(types.Range(past, past), f" {identity}")
    (link,) = await person.editor.result("textDocument/documentLink", {"textDocument": person.document})
    assert link["range"]["start"] == {"line": 0, "character": len("# größe ")}


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
