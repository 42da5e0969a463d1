"""Imports of the memory of other tools: origin, trust, approval and malformed files."""

from __future__ import annotations

import json
import os

import pytest
from private_text import holders, key_of_chance

from muninn_core.errors import BadParams

pytest_plugins = ["engines"]


GRAPH = (
    {
        "type": "entity",
        "name": "Ferry",
        "entityType": "service",
        "observations": ["Departs at noon", "Needs two crews"],
    },
    {"type": "relation", "from": "Ferry", "to": "Pier 3", "relationType": "moors_at"},
)


def graph(tmp_path, *items):
    path = tmp_path / "memory.jsonl"
    path.write_text("\n".join(json.dumps(item) for item in (*GRAPH, *items)))
    return path


def test_the_memory_of_another_tool_is_stored_once_with_its_origin_and_without_trust(muninn, tmp_path):
    path = graph(tmp_path)
    planned = muninn.call("import", path=str(path), dry_run=True)
    assert (planned.imported, muninn.call("memories").total) == (3, 0)
    first = muninn.call("import", path=str(path))
    assert (first.tool, first.contents) == (
        "the MCP memory server",
        {"entities": 1, "observations": 2, "relations": 1},
    )
    assert (first.imported, first.known, first.masked) == (3, 0, 0)
    memory = muninn.call("memories", text="noon").memories[0]
    assert (memory.text, memory.trust, memory.entities) == ("Ferry: Departs at noon", "outside", ("Ferry",))
    assert memory.details["imported_from"] == {"tool": "mcp-memory", "place": "memory.jsonl:1"}
    hit = next(hit for hit in muninn.call("recall", query="when does the ferry depart").hits if hit.kind == "memory")
    assert (hit.id, hit.origin, hit.trust) == (memory.id, "imported from mcp-memory", "outside")
    os.utime(path, (1_600_000_000, 1_600_000_000))
    graph(tmp_path, {"type": "entity", "name": "Pier 3", "entityType": "place", "observations": ["It is closed"]})
    again = muninn.call("import", path=str(path))
    assert (again.imported, again.known) == (1, 3)
    muninn.call("redact", id=memory.id)
    muninn.call("seal")
    muninn.call("reconcile")
    assert muninn.call("import", path=str(path)).imported == 0
    assert holders(muninn.root, "Departs at noon") == []


def test_memories_of_another_tool_wait_for_approval_where_imports_do_and_can_be_vouched_for(muninn, other, tmp_path):
    path = graph(tmp_path)
    (muninn.root / ".muninn/config.yaml").write_text("review:\n  pending: [import]\n")
    muninn.touch(".muninn/config.yaml")
    muninn.call("import", path=str(path))
    assert {memory.review for memory in muninn.call("memories", pending=True).memories} == {"pending"}
    assert not [hit for hit in muninn.call("recall", query="when does the ferry depart").hits if hit.kind == "memory"]
    other.call("import", path=str(path), trust="keep")
    assert {memory.trust for memory in other.call("memories").memories} == {"agent"}


def test_notes_and_exports_keep_their_times_tags_and_files(muninn, tmp_path):
    notes = tmp_path / "notes"
    (notes / "harbour").mkdir(parents=True)
    (notes / ".hidden").mkdir()
    (notes / "harbour" / "Crane.md").write_text(
        "---\ncreated: 2025-04-05T06:07:08Z\ntags: harbour\n---\n\n- [decision] It lifts ten tons #load\n"
    )
    (notes / ".hidden" / "Secret.md").write_text("- [fact] Nobody reads this\n")
    (notes / "link.md").symlink_to("/etc/hostname")
    result = muninn.call("import", path=str(notes))
    assert (result.tool, result.contents["notes"], result.imported) == ("basic-memory", 1, 1)
    (memory,) = muninn.call("memories").memories
    assert (memory.type, memory.ts, memory.tags) == (
        "decision",
        "2025-04-05T06:07:08.000Z",
        ("decision", "load", "harbour"),
    )
    secret = key_of_chance()
    export = tmp_path / "export.json"
    observation = {
        "memory_session_id": "m1",
        "type": "discovery",
        "title": "Users are loaded lazily",
        "narrative": f"The key was {secret}. <private>My own words.</private>",
        "files_read": json.dumps([str(muninn.root / "src/users.py"), "src/gone.py", "/etc/hostname", "../a.py"]),
        "created_at_epoch": 1_750_000_000_000,
    }
    unsaid = {**observation, "title": "", "narrative": "<private>All of it.</private>"}
    export.write_text(json.dumps({"exportedAt": "2026-01-01", "observations": [observation, unsaid], "prompts": [{}]}))
    result = muninn.call("import", path=str(export))
    assert (result.tool, result.imported, result.masked) == ("claude-mem", 1, 1)
    assert result.left_out == {"prompts": 1, "private texts": 1}
    memory = muninn.call("memories", text="lazily").memories[0]
    assert (memory.files, memory.ts) == (("src/users.py",), "2025-06-15T15:06:40.000Z")
    assert holders(muninn.root, secret) == holders(muninn.root, "My own words") == []


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("m.jsonl", json.dumps(GRAPH[0]) + "\n{broken\n", r"m\.jsonl:2: the line is not JSON"),
        ("m.jsonl", json.dumps({**GRAPH[0], "observations": ["x" * 1_100_000]}), r"m\.jsonl:1: it has .* bytes"),
        ("m.db", "SQLite format 3\0...", "is a database of SQLite"),
        ("n.md", "# A page\n", "this is not a bundle"),
        ("b.json", '{"version": 1,\n "records": [\n}', "this is not a bundle: line 3: "),
        ("notes/a.md", "# A page\n", "has no notes of basic-memory: none of its 1 Markdown files"),
        ("notes/a.md", "- [a] b\xff", r"a\.md:1: the text is not UTF-8"),
    ],
)
def test_what_is_malformed_is_named_and_nothing_is_stored(muninn, tmp_path, name, content, message):
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content.encode("latin-1"))
    with pytest.raises(BadParams, match=message):
        muninn.call("import", path=str(path.parent if name.startswith("notes/") else path))
    assert muninn.call("memories").total == 0


def test_notes_that_are_documents_of_the_repository_are_not_imported_too(muninn):
    notes = muninn.root / "notes"
    notes.mkdir()
    (notes / "Crane.md").write_text("- [fact] It lifts ten tons\n")
    for path in ("notes", "src/../notes", "notes/Crane.md"):
        with pytest.raises(BadParams, match=r"the note notes/Crane\.md is a document of this repository"):
            muninn.call("import", path=path)
    (muninn.root / ".muninnignore").write_text("notes/\n")
    assert muninn.call("import", path="notes").imported == 1
