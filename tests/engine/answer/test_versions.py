"""Versions of one fact: the newer one comes first, the older one names it, and `remember` asks about it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from clients import missing
from repositories import git

from muninn_core.index.embedding.encoder import load_encoder
from muninn_core.model.memory import Memory
from muninn_core.model.value import replace
from muninn_core.retrieval.signals.versions import is_version

if TYPE_CHECKING:
    from engines import Muninn

pytest_plugins = ["engines"]

OLD = "Upload size limit in nginx is 12 MB."
NEW = "Upload size limit in nginx raised to 40 MB since vendors send print files."
OTHER = "The parser of dates is written by hand."
ASKED = "what is the upload size limit in nginx?"


@pytest.fixture
def muninn(plain_repo: Path, start: Callable[..., Muninn]) -> Muninn:
    """A repository with two versions of a fact, stored a month apart, and another memory."""
    if load_encoder() is None:
        missing("text encoder", "`make encoder` builds it")
    one = start(plain_repo)
    one.call("init")
    one.call("remember", text=OLD)
    one.call("remember", text=OTHER)
    one.clock.forward(days=40)
    return one


def test_the_newer_version_comes_first_and_the_older_one_names_it(muninn: Muninn) -> None:
    newer = muninn.call("remember", text=NEW).ids[0]
    answer = muninn.call("recall", query=ASKED, kind="memory")
    first, second = answer.hits[:2]
    assert (first.text, first.newer) == (NEW, "")
    assert (second.text, second.newer) == (OLD, newer)
    for hit in answer.hits:
        assert round(sum(reason.contribution for reason in hit.why), 4) == hit.score


def test_a_memory_from_outside_is_no_newer_version_of_one_of_the_project(muninn: Muninn) -> None:
    muninn.call("remember", text=NEW, trust="outside", actor="import")
    hits = muninn.call("recall", query=ASKED, kind="memory").hits
    assert {hit.text for hit in hits[:2]} == {OLD, NEW}
    assert [hit.newer for hit in hits] == [""] * len(hits)
    own, outside = _memory(OLD), replace(_memory(NEW), trust="outside")
    assert not is_version(own, outside, 0.9)
    assert is_version(replace(own, trust="outside"), outside, 0.9)


def test_memories_that_a_tool_without_times_had_are_no_versions_of_one_another(muninn: Muninn, tmp_path: Path) -> None:
    entity = {
        "type": "entity",
        "name": "Executor",
        "entityType": "system",
        "observations": ["is Celery", "moved to Kubernetes"],
    }
    path = tmp_path / "memory.jsonl"
    path.write_text(json.dumps(entity) + "\n")
    muninn.call("import", path=str(path))
    found = muninn.call("recall", query="what is the executor", kind="memory").hits
    assert {hit.text for hit in found[:2]} == {"Executor: is Celery", "Executor: moved to Kubernetes"}
    assert [hit.newer for hit in found[:2]] == ["", ""]


def test_the_memory_of_a_commit_is_no_newer_version(muninn: Muninn, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, version in (("users", "2.7"), ("shapes", "3.7")):
        monkeypatch.setenv("GIT_COMMITTER_DATE", f"202{version[0]}-01-01T00:00:00Z")
        (muninn.root / "src" / f"{name}.py").write_text(f"LEAST = {version}\n")
        git(muninn.root, "add", "-A", "src")
        git(muninn.root, "commit", "-q", "-m", f"Drop support for Python {version}")
    assert len(muninn.call("backfill", source="git", apply=True).ids) == 2
    hits = muninn.call("recall", query="when was support for Python 2.7 dropped", kind="memory").hits
    assert [hit.text for hit in hits[:2]] == ["Drop support for Python 2.7", "Drop support for Python 3.7"]
    assert [hit.newer for hit in hits] == [""] * len(hits)


def test_the_block_of_memories_that_answer_has_the_newer_version_first(muninn: Muninn) -> None:
    newer = muninn.call("remember", text=NEW, importance=1).ids[0]
    found = muninn.call("recall", query=ASKED).remembered
    assert [(hit.text, hit.newer) for hit in found] == [(NEW, ""), (OLD, newer)]


def test_a_statement_that_is_made_again_later_is_in_the_block(muninn: Muninn) -> None:
    first, second = "Deploys use Docker images from the registry.", "Deploys switched to Podman images built by hand."
    for text, importance in ((first, 9), (second, 5), (first, 1)):
        muninn.clock.forward(days=1)
        muninn.call("remember", text=text, importance=importance, session=f"s{importance}")
    assert first in [hit.text for hit in muninn.call("recall", query="how are deploys built?").remembered]


def test_remember_names_the_memory_that_a_new_one_contradicts(muninn: Muninn) -> None:
    older = muninn.call("recall", query=ASKED, kind="memory").hits[0].id
    stored = muninn.call("remember", text=NEW)
    (notice,) = stored.notices
    assert older[-8:] in notice
    assert "” (1 month old)" in notice, "the other memory is quoted"
    assert f"`muninn update {stored.ids[0][-8:]} --link supersedes:{older[-8:]}`" in notice
    muninn.call("recall", query="x")
    assert f"{stored.ids[0][-8:]} may repeat or update {older[-8:]}" in notice
    assert muninn.call("remember", text="Fonts are subset to Latin.").notices == ()
    muninn.call("remember", text="Validation errors return 422 and not 400.")
    muninn.call("recall", query="x")
    (notice,) = muninn.call("remember", text="Validation errors return 400 and not 422.").notices
    assert " may contradict " in notice
    assert "one prefers what the other turns down" in notice


def test_a_version_with_questions_of_its_own_is_recognised(muninn: Muninn) -> None:
    old, new = "Deploys use Docker images from the registry.", "Deploys switched to Podman images built by hand."
    older = muninn.call("remember", text=old, questions=["which container engine ships a release?"]).ids[0]
    muninn.clock.forward(days=40)
    muninn.call("recall", query=old)
    (notice,) = muninn.call("remember", text=new, questions=["why was the container engine exchanged?"]).notices
    assert older[-8:] in notice


def test_a_memory_that_says_what_it_supersedes_gets_no_notice(muninn: Muninn) -> None:
    older = muninn.call("recall", query=ASKED, kind="memory").hits[0].id
    link = {"target": older, "relation": "supersedes"}
    assert muninn.call("remember", text=NEW, links=[link]).notices == ()


@pytest.mark.parametrize(
    ("older", "newer", "near", "version"),
    [
        (OLD, NEW, 0.9, True),
        (OLD, NEW, 0.3, False),
        ("Routing uses chi.", "Dropped chi; routing uses the ServeMux.", 0.69, True),
        ("Executor is Celery with six workers.", "Executor moved to KubernetesExecutor.", 0.43, True),
        ("Celery is the executor.", "Executor moved to KubernetesExecutor.", 0.43, False),
        ("Raw files are kept 400 days.", "Raw files are kept 730 days.", 0.9, True),
        ("Raw files are kept 400 days.", "Raw files are kept 400 days.", 1.0, False),
        ("Anna: I moved to Rome now.", "Anna: I moved to Oslo now.", 0.9, False),
        ("Is the limit 12 MB?", "Is the limit 40 MB?", 0.9, False),
        ("Dates are parsed by hand.", "Fonts are subset to Latin now.", 0.7, False),
    ],
)
def test_two_statements_are_versions_of_one_fact(older: str, newer: str, near: float, version: bool) -> None:
    assert is_version(_memory(older), _memory(newer), near) is version


@pytest.mark.parametrize(("near", "version"), [(0.65, False), (0.67, True)])
def test_versions_with_questions_are_nearer(near: float, version: bool) -> None:
    older = _memory("Routing uses chi.", "Which router is there?")
    assert is_version(older, _memory("Dropped chi; routing uses the ServeMux.", "Why no router?"), near) is version
    assert is_version(older, _memory("Dropped chi; routing uses the ServeMux."), near)


def _memory(text: str, *questions: str) -> Memory:
    return Memory(id="01", ts="2026-01-01T00:00:00Z", type="decision", text=text, questions=questions)
