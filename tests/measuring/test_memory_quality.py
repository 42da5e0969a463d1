"""The measurement of memory quality: its data, its figures, and that a rule can be switched off."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from bench.memory.arms import ARMS, WHOLE, arm
from bench.memory.data import conversations, projects
from bench.memory.facts import facts
from bench.memory.main import main, table
from clients import missing
from repositories import copy_plain_repo

from muninn_core.index.embedding.encoder import load_encoder
from muninn_core.retrieval import weights

PROJECT = {
    "id": "one",
    "memories": [
        {"id": "m1", "type": "configuration", "text": "Upload limit is 12 MB.", "superseded_by": "m3"},
        {"id": "m2", "type": "decision", "text": "Dates are parsed by hand."},
        {"id": "m3", "type": "configuration", "text": "Upload limit was raised to 40 MB."},
    ],
    "questions": [{"id": "q", "text": "what is the upload limit?", "right": ["m3"]}],
    "prompts": [{"id": "p", "text": "make me a cake", "right": [], "also_ok": [], "kind": "other_domain"}],
}
CHAT = {
    "session_2": [{"speaker": "Ann", "dia_id": "D2:1", "text": "It rains."}],
    "session_1": [
        {"speaker": "Ann", "dia_id": "D1:1", "text": "I adopted a cat."},
        {"speaker": "Bob", "dia_id": "D1:2", "clean_text": "Congratulations!"},
    ],
    "qa": [{"question": "which pet has Ann?", "evidence": ["D1:1; D1:2"]}, {"question": "lost?", "evidence": ["D9:1"]}],
}


def test_projects_and_conversations_are_read(tmp_path: Path) -> None:
    (tmp_path / "projects.jsonl").write_text(json.dumps(PROJECT) + "\n")
    (case,) = projects(tmp_path / "projects.jsonl")
    assert case.older == {"m3": "m1"}
    assert [draft.key for draft in case.drafts] == ["m1", "m2", "m3"]
    (tmp_path / "7.json").write_text(json.dumps(CHAT))
    (chat,) = conversations(tmp_path, ["7"])
    assert [(draft.key, draft.session) for draft in chat.drafts] == [
        ("D1:1", "session_1"), ("D1:2", "session_1"), ("D2:1", "session_2"),
    ]  # fmt: skip
    assert [question.right for question in chat.questions] == [("D1:1", "D1:2")]
    assert conversations(tmp_path, ["70"]) == []


def test_generated_facts_have_three_versions_and_look_alikes() -> None:
    (case,) = facts(5, 1, reworded=True)
    texts = [draft.fields["text"] for draft in case.drafts]
    assert len(texts) == len(set(texts)) == 20
    assert len(case.older) == 10
    order = [draft.key for draft in case.drafts]
    assert all(order.index(older) < order.index(newer) for newer, older in case.older.items())
    assert facts(5, 1, reworded=True) == [case]


def test_an_arm_switches_its_rule_off_and_on_again() -> None:
    with arm("without times"):
        assert weights.TIME == 0
    assert weights.TIME > 0
    with arm("without the text encoder"):
        assert load_encoder() is None


def test_the_shipped_questions_are_150_about_three_projects() -> None:
    cases = projects(Path(__file__).parents[2] / "bench" / "data" / "remembered.jsonl")
    assert [(case.name, len(case.drafts), len(case.questions)) for case in cases] == [
        ("flask", 50, 50), ("click", 50, 50), ("httpx", 50, 50),
    ]  # fmt: skip
    for case in cases:
        assert [question.right for question in case.questions] == [(draft.key,) for draft in case.drafts]
        assert [prompt.right for prompt in case.prompts] == [()] * 10


@pytest.mark.parametrize("cloned", [False, True])
def test_the_measurement_prints_a_table_of_all_arms(
    cloned: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if load_encoder() is None:
        missing("text encoder", "`make encoder` builds it")
    (tmp_path / "projects.jsonl").write_text(json.dumps(PROJECT) + "\n")
    options = ["--projects", str(tmp_path / "projects.jsonl"), "--json", str(tmp_path / "out.json")]
    if cloned:
        copy_plain_repo(tmp_path / "one")
        options += ["--beside", str(tmp_path)]
    assert main(options) == 0
    figures = json.loads((tmp_path / "out.json").read_text())["projects.jsonl"][WHOLE]
    assert (figures["hit@1"], figures["newest first"], figures["block: right"]) == (1, 1, 1)
    assert (figures["answer: right first"], figures["answer: among ten"]) == (1, 1)
    assert figures["block: shown for unrelated"] == 0
    assert "| Muninn | 1 | 1 | 1 |" in capsys.readouterr().out


def test_a_table_has_a_row_for_each_arm() -> None:
    rows = table("set", {name: {"questions": 4, "hit@1": place} for place, name in enumerate(ARMS)}).splitlines()
    assert rows[0] == "| set | hit@1 of 4 |"
    assert rows[2:] == [f"| {name} | {place} |" for place, name in enumerate(ARMS)]
