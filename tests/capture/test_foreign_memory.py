"""What memories become of the memory of other tools, format by format."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from muninn_core.capture.foreign.basic_memory import Note, is_note, read_notes
from muninn_core.capture.foreign.beads_memory import is_export_line
from muninn_core.capture.foreign.beads_memory import read_export as read_beads
from muninn_core.capture.foreign.claude_mem import is_export
from muninn_core.capture.foreign.claude_mem import read_export as read_claude_mem
from muninn_core.capture.foreign.foreign_memory import ForeignMemories, kind_of
from muninn_core.capture.foreign.mcp_memory import is_graph_line, read_graph
from muninn_core.errors import BadParams


def texts(found: ForeignMemories) -> list[str]:
    return [memory.draft.text for memory in found.memories]


def lines(*items: Any) -> bytes:
    return "\n".join(json.dumps(item) for item in items).encode()


NOTE = """---
title: Tide gauge
type: decision
permalink: harbour/tide-gauge
tags: [harbour, Sensors]
created: 2026-01-05
---

# Tide gauge

The gauge reports once a minute. See [[Radio mast]].

## Observations
- [decision] Readings are stored in metres #units #storage (after the review)
- [tech] The tide gauge sleeps between two readings,
  which saves its battery
- [requirement] Never drop a reading #42 of the day
- Calibrated every spring #upkeep
- [ ] order a new float
- [00:12] not a category
> - [quote] inside a quotation

```
- [code] inside a block
```

## Relations
- depends_on [[Radio mast]] (for its clock)
- "hands over to" [[Archive|the archive]]
- we should look at [[Pier]] some day
"""


def test_a_note_gives_its_observations_relations_and_prose() -> None:
    found = read_notes([Note("harbour/gauge.md", NOTE, "2026-02-01T00:00:00.000Z")])
    assert (found.tool, found.counts) == ("basic-memory", {"notes": 1, "observations": 4, "relations": 2})
    assert texts(found)[:6] == [
        "Tide gauge: Readings are stored in metres (after the review)",
        "The tide gauge sleeps between two readings,\nwhich saves its battery",
        "Tide gauge: Never drop a reading #42 of the day",
        "Tide gauge: Calibrated every spring",
        "Tide gauge depends on Radio mast (for its clock)",
        "Tide gauge hands over to Archive",
    ]
    kinds = ["decision", "insight", "constraint", "insight", "entity", "entity", "decision"]
    assert [memory.draft.type for memory in found.memories] == kinds
    first, prose = found.memories[0], found.memories[-1]
    assert first.draft.tags == ("decision", "units", "storage", "harbour", "sensors")
    assert (first.place, first.time) == ("harbour/gauge.md:14", "2026-01-05T00:00:00+00:00")
    assert found.memories[4].draft.entities == ("Tide gauge", "Radio mast")
    assert prose.draft.title == "Tide gauge"
    for kept in (
        "once a minute. See [[Radio mast]]",
        "order a new float",
        "not a category",
        "[quote]",
        "[code]",
        "Pier",
    ):
        assert kept in prose.draft.text
    assert "# Tide gauge" not in prose.draft.text
    assert "## Observations" in prose.draft.text  # it has the open task below it


def test_a_note_without_frontmatter_has_the_name_and_the_time_of_its_file() -> None:
    found = read_notes(
        [Note("a/Slipway.md", "## Observations\n\n- [fact] It is steep\n\n## Relations\n", "2026-02-01")]
    )
    (memory,) = found.memories
    assert (memory.draft.text, memory.draft.entities, memory.time) == (
        "Slipway: It is steep",
        ("Slipway",),
        "2026-02-01",
    )


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("- [fact] It is steep", True),
        ("- part_of [[Harbour]]", True),
        ("---\npermalink: a\n---\n\nText.\n", True),
        ("# A page\n\n- [x] done\n- [a link](b.md)\n- [[Bare]]\n- an item #7\n", False),
        ("```\n- [fact] in code\n```\n", False),
    ],
)
def test_notes_are_told_from_other_markdown(text: str, note: bool) -> None:
    assert is_note(text) is note


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("---\ntitle: a\ncreated: soon\n---\n- [a] b\n", r"n\.md:3: 'created' is not a time in ISO 8601: soon"),
        ("---\ntitle: [a\n---\n- [a] b\n", r"n\.md:\d: not valid YAML"),
        ("---\ntitle: a\n- [a] b\n", r"n\.md:1: the frontmatter is not closed"),
    ],
)
def test_a_malformed_note_is_named_with_its_line(text: str, message: str) -> None:
    with pytest.raises(BadParams, match=message):
        read_notes([Note("n.md", text, "")])


def test_a_hostile_note_is_read_in_linear_time() -> None:
    begun = time.process_time()
    for line in (
        "- [a] b" + " #t" * 60_000 + " (",
        "- " + "(" * 60_000 + " [[",
        "# " + " #" * 60_000 + "x",
        "- [" * 40_000,
    ):
        read_notes([Note("n.md", f"{line}\n" * 2, "")])
    read_notes([Note("n.md", "# n\n" * 50_000 + "- [a] b\n" + "   c\n" * 50_000, "")])
    assert time.process_time() - begun < 30


GRAPH: tuple[dict[str, Any], ...] = (
    {
        "type": "entity",
        "name": "Pump",
        "entityType": "component",
        "observations": ["Runs at night", "The pump is loud"],
    },
    {"type": "entity", "name": "Naming", "entityType": "Convention", "observations": ["Valves have numbers"]},
    {"type": "entity", "name": "Tank", "entityType": "component", "observations": []},
    {"type": "relation", "from": "Pump", "to": "Tank", "relationType": "fills_up"},
)


def test_a_graph_gives_a_memory_for_each_observation_and_relation() -> None:
    found = read_graph("memory.jsonl", b"\xef\xbb\xbf" + lines(*GRAPH) + b"\n\n")
    assert found.counts == {"entities": 3, "observations": 3, "relations": 1}
    assert texts(found) == [
        "Pump: Runs at night",
        "The pump is loud",
        "Naming: Valves have numbers",
        "Tank is of the type component",
        "Pump fills up Tank",
    ]
    drafts = [memory.draft for memory in found.memories]
    assert [draft.type for draft in drafts] == ["insight", "insight", "pattern", "entity", "entity"]
    assert (drafts[2].tags, drafts[2].entities) == (("convention",), ("Naming",))
    assert len({draft.key for draft in drafts}) == 5
    assert [memory.draft.key for memory in read_graph("other.jsonl", lines(*GRAPH)).memories] == [d.key for d in drafts]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"type": "entity"', r"m\.jsonl:2: the line is not JSON"),
        ("[1]", r"m\.jsonl:2: the line is not a JSON object"),
        ('{"type": "note"}', r"m\.jsonl:2: 'type' is 'note'"),
        ('{"type": "entity", "name": " ", "entityType": "a", "observations": []}', r"m\.jsonl:2: 'name' is missing"),
        ('{"type": "entity", "name": "a", "entityType": "a", "observations": [1]}', r"m\.jsonl:2: 'observations' is"),
        ('{"type": "relation", "from": "a", "relationType": "b"}', r"m\.jsonl:2: 'to' is missing or not a text"),
    ],
)
def test_a_malformed_line_of_a_graph_is_named(line: str, message: str) -> None:
    with pytest.raises(BadParams, match=message):
        read_graph("m.jsonl", lines(GRAPH[0]) + b"\n" + line.encode())


EXPORT: dict[str, Any] = {
    "exportedAt": "2026-03-01T00:00:00.000Z",
    "query": "",
    "totalObservations": 2,
    "observations": [
        {
            "memory_session_id": "m1",
            "project": "harbour",
            "type": "bugfix",
            "title": "Pump restarts after a power cut",
            "subtitle": None,
            "narrative": "The relay kept its state.",
            "facts": '["The relay is reset at start", "A test cuts the power"]',
            "concepts": '["problem-solution"]',
            "files_read": '["src/relay.py"]',
            "files_modified": ["src/pump.py", "src/relay.py"],
            "created_at": "2026-02-03T04:05:06.000Z",
            "created_at_epoch": 1_770_091_506_000,
        },
        {"memory_session_id": "m1", "type": "change", "title": "", "created_at": "2026-02-03T04:05:06Z"},
    ],
    "summaries": [
        {
            "memory_session_id": "m1",
            "request": "Make the pump restart",
            "learned": "The relay keeps its state",
            "next_steps": "",
            "created_at_epoch": 1_770_091_507_000,
        }
    ],
    "sessions": [{"memory_session_id": "m1"}],
    "prompts": [{"prompt_text": "restart it"}],
}


def test_an_export_of_claude_mem_gives_observations_and_summaries() -> None:
    assert is_export(EXPORT)
    found = read_claude_mem("e.json", EXPORT)
    assert (found.counts, found.left_out) == (
        {"observations": 2, "summaries": 1},
        {"prompts": 1, "items without a text": 1},
    )
    fix, summary = found.memories
    assert fix.draft.text == "The relay kept its state.\n\n- The relay is reset at start\n- A test cuts the power"
    assert (fix.draft.type, fix.draft.title) == ("bug_fix", "Pump restarts after a power cut")
    assert (fix.draft.tags, fix.draft.files) == (("bugfix", "problem-solution"), ("src/pump.py", "src/relay.py"))
    assert (fix.time, fix.place) == ("2026-02-03T04:05:06+00:00", "e.json, observation 1")
    assert fix.draft.entities == ("harbour",)
    assert summary.draft.type == "session_summary"
    assert summary.draft.text == "Request: Make the pump restart\n\nLearned: The relay keeps its state"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"facts": "[1"}, "e.json, observation 1: 'facts' is not a list in JSON"),
        ({"concepts": [1]}, "e.json, observation 1: 'concepts' is not a list of texts"),
        (
            {"created_at_epoch": None, "created_at": "soon"},
            "observation 1: 'created_at_epoch' and 'created_at' are no times",
        ),
        ({"created_at_epoch": 1e30}, "observation 1: 'created_at_epoch' and 'created_at' are no times"),
    ],
)
def test_a_malformed_observation_is_named(change: dict[str, Any], message: str) -> None:
    first = {**EXPORT["observations"][0], **change}
    with pytest.raises(BadParams, match=message):
        read_claude_mem("e.json", {**EXPORT, "observations": [first]})


def test_an_export_of_beads_gives_its_memories_and_counts_its_issues() -> None:
    content = lines(
        {"_schema": "beads-jsonl/1"},
        {
            "_type": "issue",
            "id": "b-1",
            "title": "Paint the buoy",
            "issue_type": "task",
            "created_at": "2026-01-01T00:00:00Z",
        },
        {"_type": "memory", "key": "paint", "value": "Buoys are painted in May."},
    )
    found = read_beads("i.jsonl", content)
    assert (texts(found), found.counts, found.left_out) == (
        ["Buoys are painted in May."],
        {"memories": 1},
        {"issues": 1},
    )
    with pytest.raises(BadParams, match=r"i\.jsonl:1: 'value' is missing"):
        read_beads("i.jsonl", lines({"_type": "memory", "key": "a"}))


def test_formats_are_told_apart_and_from_bundles() -> None:
    record = {"v": 1, "id": "a", "ts": "2026-01-01T00:00:00Z", "type": "entity", "text": "a", "entities": ["b"]}
    values: tuple[object, ...] = (
        *GRAPH,
        EXPORT,
        {"_type": "memory", "key": "a", "value": "b"},
        record,
        {"version": 1},
        1,
    )
    kinds = [(is_graph_line(value), is_export(value), is_export_line(value)) for value in values]
    graph, export, beads, none = (True, False, False), (False, True, False), (False, False, True), (False,) * 3
    assert kinds == [graph, graph, graph, graph, export, beads, none, none, none]


@pytest.mark.parametrize(
    ("word", "kind"),
    [
        ("Decision", "decision"),
        ("bug-fix", "bug_fix"),
        ("bugfix", "bug_fix"),
        ("rule", "constraint"),
        ("tech", "insight"),
        ("context_hit", "insight"),
        ("session summary", "insight"),
    ],
)
def test_words_for_kinds_are_understood(word: str, kind: str) -> None:
    assert kind_of(word) == kind
