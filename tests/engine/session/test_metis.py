"""Metis in a repository: tasks as a filter, the focus, and decisions that come up when their subject is touched."""

from __future__ import annotations

from pathlib import Path

import pytest
from repositories import git

pytest_plugins = ["engines"]

LEVELS = {"T": "tasks", "I": "initiatives", "A": "adrs", "V": "visions"}


def write(root: Path, path: str, text: str) -> None:
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def document(root: Path, code: str, title: str, phase: str, body: str = "", archived: str = "false") -> str:
    """Write a Metis document and return its path."""
    path = f".metis/{LEVELS[code.split('-')[1]]}/{code}.md"
    level = LEVELS[code.split("-")[1]].rstrip("s")
    tags = f'tags:\n  - "#{level}"\n  - "#phase/{phase}"\n'
    head = f'---\nid: {title.lower().replace(" ", "-")}\nlevel: {level}\ntitle: "{title}"\nshort_code: "{code}"\n'
    write(
        root, path, f"{head}parent: \narchived: {archived}\n\n{tags}\ninitiative_id: NULL\n---\n\n# {title}\n\n{body}\n"
    )
    return path


@pytest.fixture
def planned(muninn):
    """A repository with an initiative, two tasks and two decisions."""
    document(muninn.root, "POST-I-0002", "Faster mail", "active", "Letters arrive within a day.")
    document(muninn.root, "POST-T-0042", "Expire old users", "active", "Users who left are removed.")
    document(muninn.root, "POST-T-0043", "Paint the vans", "todo", "All vans become yellow.")
    document(muninn.root, "POST-A-0001", "Users are keyed by number", "decided", "Needed by `delete_user`.")
    document(muninn.root, "POST-A-0002", "Users are keyed by name", "superseded", "Superseded by POST-A-0001.")
    muninn.call("index")
    return muninn


def test_memories_of_a_task_are_filtered_by_its_code_or_the_codes_end(planned):
    planned.call("remember", text="Expired users keep their letters.", task="t-0042")
    planned.call("remember", text="Vans are washed on Mondays.", task="POST-T-0043")
    for task in ("T-0042", "POST-T-0042", "post-t-0042"):
        assert planned.texts("vans and letters", task=task, kind="memory") == ["Expired users keep their letters."]
        (kept,) = planned.call("memories", task=task).memories
        assert kept.task == "POST-T-0042"
    assert planned.call("memories", task="T-0099").total == 0
    assert planned.texts("vans", task="T-0099") == []


def test_a_task_finds_its_memories_whatever_their_words_are(planned):
    for number in range(120):
        planned.call("remember", text=f"Parcel {number} was weighed.", task="T-0043", key=str(number))
    planned.call("remember", text="Nothing of that word here.", task="T-0042")
    assert planned.texts("parcel weighed", task="T-0042", kind="memory") == ["Nothing of that word here."]


def test_with_a_task_recall_finds_its_document_and_no_other(planned):
    hits = planned.call("recall", query="users removed", task="T-0042").hits
    assert {hit.path for hit in hits} == {".metis/tasks/POST-T-0042.md"}


def test_the_only_active_task_is_that_of_what_is_remembered(planned):
    planned.call("remember", text="It is learned without being told.")
    planned.call("remember", text="This belongs to none.", task="")
    assert [memory.task for memory in planned.call("memories").memories] == [None, "POST-T-0042"]


def test_the_branch_names_the_task_before_the_only_active_one(planned):
    git(planned.root, "checkout", "-q", "-b", "feature/post-t-0043-yellow")
    planned.call("remember", text="Yellow paint is slow.")
    assert planned.call("memories").memories[0].task == "POST-T-0043"
    assert planned.call("status").focus.source == "branch"
    git(planned.root, "checkout", "-q", "-b", "insert-t-1000-rows")
    assert planned.call("status").focus.source == "active"
    git(planned.root, "checkout", "-q", "-b", "LAKE-T-0007")
    assert planned.call("status").focus.task == "LAKE-T-0007"


def test_a_session_that_began_with_a_task_keeps_it(planned):
    planned.call("brief", session="one", task="T-0043")
    planned.call("remember", text="Red paint is cheap.", session="one")
    planned.call("remember", text="Another session, another task.", session="two")
    tasks = {memory.text: memory.task for memory in planned.call("memories").memories}
    assert tasks == {"Red paint is cheap.": "POST-T-0043", "Another session, another task.": "POST-T-0042"}


def test_two_active_tasks_name_none(planned):
    document(planned.root, "POST-T-0043", "Paint the vans", "active")
    planned.call("remember", text="Which one is it?")
    assert planned.call("memories").memories[0].task is None
    assert planned.call("status").focus.task == ""


def test_status_and_brief_tell_the_focus_and_what_was_learned_on_it(planned):
    planned.call("remember", text="Expired users keep their letters.")
    focus = planned.call("status").focus
    assert (focus.task, focus.source) == ("POST-T-0042", "active")
    assert [(item.code, item.phase, item.memories) for item in focus.items] == [
        ("POST-I-0002", "active", 0),
        ("POST-T-0042", "active", 1),
    ]
    text = planned.call("brief").text
    assert "initiative POST-I-0002: Faster mail (active)" in text
    assert "task POST-T-0042: Expire old users (active, current, 1 remembered)" in text
    assert text.index("## Learned on POST-T-0042") < text.index("Expired users keep their letters.")
    assert "Paint the vans" not in text


def test_a_brief_tells_the_focus_though_nothing_was_remembered_yet(planned):
    assert "POST-T-0042" in planned.call("brief").text


def test_a_decision_in_force_counts_more_and_one_that_was_superseded_less(planned):
    hits = {hit.path: hit for hit in planned.call("recall", query="users are keyed by", kind="knowledge").hits}
    new, old = hits[".metis/adrs/POST-A-0001.md"], hits[".metis/adrs/POST-A-0002.md"]
    assert (new.status, old.status) == ("decided", "superseded by POST-A-0001")
    assert new.score > old.score
    signals = [{reason.signal: reason.contribution for reason in hit.why} for hit in (new, old)]
    assert signals[0]["decided"] > 0 > signals[1]["retired"]


def test_an_archived_decision_ranks_lower_with_that_reason(planned):
    document(planned.root, "POST-A-0001", "Users are keyed by number", "decided", archived="true")
    planned.call("index")
    (hit, *_) = [
        hit for hit in planned.call("recall", query="keyed by number", kind="knowledge").hits if "0001" in hit.path
    ]
    assert hit.status == "archived"
    assert any(reason.signal == "retired" for reason in hit.why)


def subjects(planned, **params):
    """Return why decisions came into a context by their subject, by their paths."""
    found = planned.call("context", **params).items
    return {item.path: reason.note for item in found for reason in item.why if reason.signal == "subject"}


def test_a_decision_comes_up_when_the_work_tree_changes_a_file_that_it_names(planned):
    path = document(planned.root, "POST-A-0005", "Quiet engines", "decided", "## Decision\n\nIn `src/van.py` only.\n")
    git(planned.root, "add", ".")
    git(planned.root, "commit", "-q", "-m", "Decide")
    planned.call("index")
    assert path not in subjects(planned, query="sessions")
    write(planned.root, "src/van.py", "ENGINE = 'loud'\n")
    assert subjects(planned, query="sessions")[path] == "names src/van.py, which the work tree changes"
    assert (
        "[Metis ADR; decided; names src/van.py, which the work tree changes]"
        in planned.call("context", query="sessions").text
    )


def test_a_decision_comes_up_when_the_best_code_defines_what_it_names(planned):
    git(planned.root, "add", ".")
    git(planned.root, "commit", "-q", "-m", "Plan")
    found = subjects(planned, query="delete_user removes a user for good")
    assert found == {".metis/adrs/POST-A-0001.md": "names delete_user, which answers the question"}


def test_a_superseded_decision_never_comes_up_by_its_subject(planned):
    document(planned.root, "POST-A-0002", "Users are keyed by name", "superseded", "See `src/users.py`.")
    document(planned.root, "POST-A-0003", "Users have rooms", "decided", "See `src/users.py`.")
    write(planned.root, "src/users.py", "USERS = {}\n")
    planned.call("index")
    assert list(subjects(planned, query="anything at all")) == [".metis/adrs/POST-A-0003.md"]


def test_a_decision_says_what_it_supersedes_and_the_older_one_need_not_know(planned):
    write(planned.root, "docs/adr/0001-vans.md", "# 1. Buy vans\n\n## Status\n\nAccepted\n")
    write(
        planned.root,
        "docs/adr/0002-bikes.md",
        "# 2. Buy bikes\n\n## Status\n\nAccepted\n\nSupersedes [1. Buy vans](0001-vans.md)\n",
    )
    planned.call("index")
    hits = {hit.path: hit.status for hit in planned.call("recall", query="buy vans or bikes", kind="knowledge").hits}
    assert (hits["docs/adr/0001-vans.md"], hits["docs/adr/0002-bikes.md"]) == ("superseded by ADR 2", "decided")


def test_broken_frontmatter_is_a_problem_and_the_text_is_still_found(planned):
    write(planned.root, ".metis/tasks/POST-T-0050.md", "---\ntitle: [open\n---\n\n# Weigh the zeppelin\n")
    assert ".metis/tasks/POST-T-0050.md" in planned.paths("weigh the zeppelin")
    (problem,) = [each for each in planned.call("status").problems if each.kind == "document"]
    assert (problem.path, problem.line) == (".metis/tasks/POST-T-0050.md", 3)
    write(planned.root, ".metis/tasks/POST-T-0050.md", "---\ntitle: mended\n---\n")
    assert not [each for each in planned.call("status").problems if each.kind == "document"]


def test_a_project_is_named_by_its_own_instructions(planned):
    assert planned.call("status").project.name == "repo"
    write(planned.root, "CLAUDE.md", "---\nproject: post\ndescription: Moves letters.\n---\n# Rules\n")
    project = planned.call("status").project
    assert (project.name, project.description) == ("post", "Moves letters.")
    assert planned.call("brief").text.startswith("# Memory of post (Muninn)\n\nMoves letters.\n")


def test_an_answering_memory_ranks_above_a_decision_that_is_only_related(planned):
    write(planned.root, "docs/errors.md", "# Error codes\n\nEvery error carries a code.\n")
    document(planned.root, "POST-A-0003", "Users have rooms", "decided", "See `src/users.py`.")
    planned.call("index")
    items = planned.call("context", query="which error carries a code", files=["src/users.py"]).items
    known = [item for item in items if item.kind == "knowledge"]
    decision = next(item for item in known if item.path == ".metis/adrs/POST-A-0003.md")
    assert known[0].path == "docs/errors.md"
    assert [item.score for item in known] == sorted((item.score for item in known), reverse=True)
    assert "subject" in [reason.signal for reason in decision.why]
    assert decision.score == pytest.approx(sum(reason.contribution for reason in decision.why), abs=1e-4)


def test_the_vision_leads_the_focus_in_status_and_brief(planned):
    document(planned.root, "POST-V-0001", "Mail for all", "published", "Every letter arrives.\n\n## Values\n\nSpeed.")
    document(planned.root, "POST-V-0002", "Mail by pigeon", "published", "Pigeons.", archived="true")
    items = planned.call("status").focus.items
    assert [(item.level, item.code, item.summary) for item in items][:2] == [
        ("vision", "POST-V-0001", "Every letter arrives."),
        ("initiative", "POST-I-0002", ""),
    ]
    assert "- vision POST-V-0001: Mail for all (published): Every letter arrives.\n" in planned.call("brief").text
