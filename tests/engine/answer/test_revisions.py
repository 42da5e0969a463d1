"""Questions about another revision, and about what other branches remember."""

from __future__ import annotations

import pytest
from repositories import git

from muninn_core.errors import BadParams, NotFoundError
from muninn_core.git import GitError

pytest_plugins = ["engines"]


def texts(muninn, **params):
    return [memory.text for memory in muninn.ask("memories", **params).memories]


@pytest.fixture
def told(muninn):
    """A repository with one memory at the tag v1, and one more on main after it."""
    muninn.call("remember", text="Ships moor at berth one.", files=["src/users.py"])
    knowledge = muninn.root / ".muninn" / "knowledge" / "harbour.md"
    knowledge.write_text("# Harbour\n\nThe lighthouse blinks twice.\n")
    muninn.commit("First")
    git(muninn.root, "tag", "-a", "v1", "-m", "One")
    muninn.call("remember", text="Cranes are painted yellow.")
    knowledge.write_text("# Harbour\n\nThe lighthouse is dark.\n")
    muninn.commit("Second")
    return muninn


def test_memories_of_a_tag_are_those_of_its_tree(told):
    assert texts(told, at="v1") == ["Ships moor at berth one."]
    assert set(texts(told)) == {"Ships moor at berth one.", "Cranes are painted yellow."}
    answer = told.ask("memories", at="v1")
    assert answer.saw.commit == git(told.root, "rev-parse", "v1^{commit}").strip()
    assert (answer.saw.branch, answer.saw.log) == (None, 1)


def test_recall_at_a_tag_finds_memory_and_knowledge_as_they_were_and_says_that_code_is_left_out(told):
    answer = told.ask("recall", query="lighthouse berth cranes", at="v1")
    assert [hit.kind for hit in answer.hits].count("memory") == 1
    found = {hit.path: hit.text for hit in answer.hits if hit.kind == "knowledge"}
    assert "blinks twice" in found[".muninn/knowledge/harbour.md"]
    assert not [hit for hit in answer.hits if hit.kind == "code"]
    assert "code is not searched" in answer.saw.note
    assert "is dark" in told.ask("recall", query="lighthouse", at="HEAD").hits[0].text


def test_an_answer_about_a_revision_does_not_depend_on_what_was_asked_before(told):
    first = told.ask("recall", query="lighthouse berth", at="v1").hits
    told.ask("recall", query="lighthouse berth", at="HEAD")
    assert told.ask("recall", query="lighthouse berth", at="v1").hits == first


def test_a_question_about_a_revision_leaves_the_work_tree_and_its_answers_alone(told):
    told.call("index")
    before = told.call("recall", query="cranes").hits
    told.ask("recall", query="cranes", at="v1")
    assert git(told.root, "status", "--porcelain", "-uall") == ""
    assert told.call("recall", query="cranes").hits == before


def test_a_pack_as_of_a_tag_holds_nothing_of_later(told):
    pack = told.ask("context", query="berth cranes lighthouse", at="v1")
    assert "berth one" in pack.text
    assert "blinks twice" in pack.text
    assert "yellow" not in pack.text
    assert not [item for item in pack.items if item.kind == "code"]


def test_a_memory_that_expired_later_counts_at_the_revision(told):
    told.call("remember", text="The pier is closed.", expires="2100-01-01T00:00:00Z")
    told.commit("Third")
    told.clock.forward(days=365 * 100)
    assert "The pier is closed." not in told.texts("is the pier closed", kind="memory")
    hits = told.ask("recall", query="is the pier closed", at="HEAD", kind="memory").hits
    assert "The pier is closed." in [hit.text for hit in hits]


@pytest.mark.parametrize(("rev", "near"), [("v2", "'v1'"), ("mian", "'main'"), ("Main", "'main'")])
def test_a_revision_that_is_not_there_names_the_nearest(told, rev, near):
    with pytest.raises(NotFoundError, match=rev) as caught:
        told.ask("memories", at=rev)
    assert near in caught.value.hint


@pytest.mark.parametrize("rev", ["--all", "a..b", " ", "HEAD\nHEAD"])
def test_an_invalid_revision_is_refused(told, rev):
    with pytest.raises(BadParams):
        told.ask("recall", query="x", at=rev)


def test_code_of_a_revision_and_two_views_at_once_are_refused(told):
    with pytest.raises(BadParams, match="code"):
        told.ask("recall", query="x", at="v1", kind="code")
    with pytest.raises(BadParams, match="exclude"):
        told.ask("memories", at="v1", branches=True)


def test_a_commit_from_before_memory_is_an_error_and_not_an_empty_answer(told):
    with pytest.raises(NotFoundError, match=r"no \.muninn"):
        told.ask("memories", at="HEAD~2")


def test_before_the_first_commit_there_is_no_revision(tmp_path, start):
    root = tmp_path / "new"
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    muninn = start(root)
    muninn.call("init")
    muninn.call("remember", text="It begins.")
    with pytest.raises(NotFoundError) as caught:
        muninn.ask("memories", at="HEAD")
    assert "no commit yet" in caught.value.hint
    assert texts(muninn, branches=True) == ["It begins."]


def test_without_git_another_revision_is_an_error(tmp_path, start):
    root = tmp_path / "plain"
    root.mkdir()
    muninn = start(root)
    muninn.call("init")
    muninn.call("remember", text="It begins.")
    with pytest.raises(GitError):
        muninn.ask("memories", at="HEAD")
    assert texts(muninn, branches=True) == ["It begins."]


def test_a_shallow_clone_says_that_it_is_shallow(told, tmp_path, start):
    git(tmp_path, "clone", "-q", "--depth=1", told.root.as_uri(), "shallow")
    clone = start(tmp_path / "shallow")
    assert len(texts(clone, at="HEAD")) == 2
    with pytest.raises(NotFoundError) as caught:
        clone.ask("memories", at="HEAD~1")
    assert "unshallow" in caught.value.hint
    assert "shallow" in clone.ask("memories", branches=True).saw.note
    assert {memory.work for memory in clone.ask("memories").memories} == {""}


@pytest.fixture
def branched(told):
    """The same with one memory on `feature` that main does not have; HEAD is on main."""
    git(told.root, "checkout", "-q", "-b", "feature")
    told.call("memories")
    told.call("remember", text="The feature needs Kafka.", tags=["queue"])
    told.commit("Feature")
    git(told.root, "checkout", "-q", "main")
    told.call("memories")
    return told


def test_memory_of_other_branches_is_left_out_unless_it_is_asked_for(branched):
    assert "The feature needs Kafka." not in texts(branched)
    found = {memory.text: memory for memory in branched.ask("memories", branches=True).memories}
    assert found["The feature needs Kafka."].elsewhere == ("feature",)
    assert found["Cranes are painted yellow."].elsewhere == ()


def test_recall_with_branches_finds_it_once_and_says_where_it_is(branched):
    hits = branched.ask("recall", query="what needs Kafka", branches=True, kind="memory").hits
    assert [(hit.text, hit.elsewhere) for hit in hits if "Kafka" in hit.text] == [
        ("The feature needs Kafka.", ("feature",))
    ]
    assert "Kafka" in hits[0].text
    assert "Kafka" not in "".join(branched.texts("what needs Kafka"))
    pack = branched.ask("context", query="what needs Kafka", branches=True)
    assert "only on feature" in pack.text


def test_a_remote_branch_counts_as_another_branch(branched, tmp_path, start):
    git(tmp_path, "clone", "-q", str(branched.root), "clone")
    clone = start(tmp_path / "clone")
    found = {memory.text: memory.elsewhere for memory in clone.ask("memories", branches=True).memories}
    assert found["The feature needs Kafka."] == ("origin/feature",)


def test_once_merged_it_is_nowhere_else(branched):
    git(branched.root, "merge", "-q", "--no-edit", "feature")
    branched.call("memories")
    found = {memory.text: memory for memory in branched.ask("memories", branches=True).memories}
    assert found["The feature needs Kafka."].elsewhere == ()
    assert found["The feature needs Kafka."].work == ""


def work_of(muninn, text):
    return {memory.text: memory.work for memory in muninn.ask("memories").memories}[text]


def test_memory_of_work_that_was_squashed_is_rewritten_and_not_abandoned(told):
    git(told.root, "checkout", "-q", "-b", "side")
    (told.root / "a.py").write_text("A = 1\n")
    told.commit("Step")
    told.call("remember", text="Made on the way.")
    told.commit("Memory")
    git(told.root, "checkout", "-q", "main")
    git(told.root, "merge", "-q", "--squash", "side")
    git(told.root, "commit", "-q", "-m", "Squashed")
    git(told.root, "branch", "-q", "-D", "side")
    told.call("memories")
    assert work_of(told, "Made on the way.") == "rewritten"


def test_memories_of_a_left_branch_are_unmerged_and_later_abandoned(told):
    git(told.root, "checkout", "-q", "-b", "trial")
    told.commit("Trial")
    told.call("remember", text="The trial worked.")
    git(told.root, "checkout", "-q", "main")
    told.call("memories")
    assert work_of(told, "The trial worked.") == "unmerged"
    git(told.root, "branch", "-q", "-D", "trial")
    git(told.root, "commit", "-q", "--allow-empty", "-m", "On")
    assert work_of(told, "The trial worked.") == "abandoned"
    (hit,) = [hit for hit in told.call("recall", query="did the trial work").hits if hit.text == "The trial worked."]
    assert hit.work == "abandoned"
    assert "abandoned" in told.ask("context", query="did the trial work").text


def test_memory_of_a_reverted_commit_is_marked_until_the_revert_is_reverted(told):
    (told.root / "a.py").write_text("A = 1\n")
    made = told.commit("Try it")
    told.call("remember", text="A is one.")
    git(told.root, "revert", "--no-edit", made)
    assert work_of(told, "A is one.") == "reverted"
    git(told.root, "revert", "--no-edit", "HEAD")
    assert work_of(told, "A is one.") == ""


def test_rebuilding_the_index_leaves_questions_about_the_past_possible(told):
    first = told.ask("recall", query="lighthouse berth", at="v1").hits
    told.call("index", rebuild=True)
    assert told.ask("recall", query="lighthouse berth", at="v1").hits == first
