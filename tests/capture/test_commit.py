"""Commits that become memories, and the texts of these memories."""

from __future__ import annotations

import pytest

from muninn_core.capture.commits.commit_memory import (
    MAX_TEXT,
    assess,
    draft_memory,
    draft_trace,
    memory_text,
    title_of,
    without_records,
)
from muninn_core.git import Commit
from muninn_core.model.value import replace


def commit(subject: str, body: str = "", files: tuple[str, ...] = ("src/app.py",), parents: int = 1) -> Commit:
    return Commit(
        sha="a" * 40,
        parents=("b" * 40,) * parents,
        subject=subject,
        body=body,
        author="Ada",
        time="2026-01-01T00:00:00Z",
        files=files,
    )


@pytest.mark.parametrize(
    "subject",
    [
        "Migrate sessions from Redis to Postgres",
        "refactor(store): one writer, readers on snapshots",
        "Implement user authentication",
        "Introduce an event log between ingestion and serving",
        "Redesign the plugin interface",
        "Replace the generated parser with a hand-written one",
        "Deprecate the v1 endpoints",
        "feat!: ids are strings now",
        "Switch to optimistic locking",
        "Extract billing into its own package",
        "fix: rewrite the retry loop, the old design deadlocked",
    ],
)
def test_a_commit_that_changes_the_structure_matters(subject: str) -> None:
    found = assess(commit(subject))
    assert found is not None
    assert 6 <= found.importance <= 8


@pytest.mark.parametrize(
    "subject",
    [
        "Fix typo in the migration guide",
        "Bump version to 2.0",
        "Release 1.4: new architecture",
        "chore(deps): replace left-pad with right-pad",
        "Update dependencies",
        "style: reformat after the refactoring",
        "docs: describe the architecture",
        "fixup! refactor the store",
        "Reformat everything, implement nothing",
        "Fix a bug in the pattern matcher",
        "Add a test for empty names",
        "Rename a variable",
        "1.2.3",
        'Revert "refactor the store"',
    ],
)
def test_routine_commits_do_not_matter(subject: str) -> None:
    assert assess(commit(subject)) is None


def test_a_merge_does_not_matter_whatever_it_says() -> None:
    assert assess(commit("Implement the new architecture", parents=2)) is None


def test_a_commit_of_prose_alone_does_not_matter() -> None:
    assert assess(commit("Redesign the tutorial", files=("README.md", "docs/tutorial.md"))) is None


def test_a_decision_record_matters_although_it_is_prose() -> None:
    found = assess(commit("docs: record why we shard", files=("docs/decisions/0007-shards.md",)))
    assert found is not None
    assert found.decision


def test_a_breaking_change_in_the_footer_matters_in_any_type_of_commit() -> None:
    found = assess(commit("chore: tidy the settings", "BREAKING CHANGE: `port` is gone."))
    assert found is not None
    assert found.keywords[0] == "breaking"
    assert found.importance == 8


def test_breadth_and_structural_files_raise_the_importance() -> None:
    narrow = assess(commit("Implement quotas"))
    many = tuple(f"src/m{i}.py" for i in range(30))
    wide = assess(commit("Implement quotas", files=(*many, "db/migrations/0042_quota.sql")))
    assert narrow is not None
    assert wide is not None
    assert (narrow.importance, wide.importance) == (6, 8)


def test_words_of_the_body_count_less_than_those_of_the_subject() -> None:
    assert assess(commit("Quotas", "They replace the old limits.")) is None
    assert assess(commit("Quotas", "The decision fell for a token bucket.")) is not None


def test_a_commit_that_states_a_choice_is_a_decision_and_any_other_an_insight() -> None:
    choice = commit("Refactor sessions", "Postgres instead of Redis, which lost them on restart.")
    work = commit("Implement quotas")
    types = []
    for one in (choice, work):
        found = assess(one)
        assert found is not None
        types.append(draft_memory(one, found, None, None).type)
    assert types == ["decision", "insight"]


def test_the_memory_names_the_commit_once_and_leaves_its_trailers_out() -> None:
    one = commit(
        "Implement quotas",
        "A token bucket a tenant.\n\nSigned-off-by: Ada <ada@example.org>\nCo-authored-by: Bob <bob@example.org>",
        files=tuple(f"src/m{i:02}.py" for i in range(60)),
    )
    found = assess(one)
    assert found is not None
    memory = draft_memory(one, found, "s1", "claude-code")
    assert memory.text == "Implement quotas\n\nA token bucket a tenant."
    assert memory.title == "Implement quotas"
    assert memory.key == "commit:" + "a" * 40
    assert memory.files == one.files[:50]
    assert (memory.tags, memory.actor, memory.session, memory.agent) == (("commit",), "hook", "s1", "claude-code")
    assert memory.details["commit"] == "a" * 40
    assert memory.details["author"] == "Ada"


def test_the_memory_names_no_file_that_the_commit_deletes() -> None:
    one = replace(
        commit("Drop the v1 endpoints: replaced by v2", files=("src/v1.py", "src/v2.py")),
        deleted=frozenset({"src/v1.py"}),
    )
    found = assess(one)
    assert found is not None
    assert draft_memory(one, found, None, None).files == ("src/v2.py",)


def test_a_commit_is_not_about_the_records_that_the_git_hook_adds_to_it() -> None:
    records = ".muninn/memory/sessions/s-1.jsonl"
    prose = without_records(commit("Redesign the tutorial", files=(records, "README.md")))
    assert prose.files == ("README.md",)
    assert assess(prose) is None
    code = without_records(commit("Introduce quotas", files=(records, "src/app.py")))
    found = assess(code)
    assert found is not None
    assert draft_memory(code, found, None, None).files == ("src/app.py",)
    trace = draft_trace(code, None, None)
    assert trace is not None
    assert trace.files == ("src/app.py",)
    assert assess(without_records(commit("Migrate memory", files=(records,)))) is None


def test_the_steps_of_a_squashed_branch_are_left_out_of_the_memory() -> None:
    body = (
        "* Deprecate per-request cookies\n\n* Update docs/compatibility.md\n\n* Cookies of the client still apply\n\n"
        "* Fix lint\n\n* Changelog\n\n* Apply suggestions from code review\n\n* Merge branch 'master' into cookies\n\n"
        "* Fix tests of redirects that lose their cookies\n\nCo-authored-by: Bob <bob@example.org>"
    )
    one = commit("Deprecate per-request cookies (#1574)", body)
    found = assess(one)
    assert found is not None
    assert draft_memory(one, found, None, None).text == (
        "Deprecate per-request cookies (#1574)\n\n"
        "* Cookies of the client still apply\n\n* Fix tests of redirects that lose their cookies"
    )
    plain = "Paragraphs stay.\n\n\nAs they are: fix lint"
    assert memory_text(commit("Deprecate cookies", plain)) == f"Deprecate cookies\n\n{plain}"


def test_a_memory_is_not_named_after_a_merge() -> None:
    body = "* Merge branch 'main' into fix\n\n* fix(jwt): require an algorithm instead of guessing\n\n* Add tests"
    assert title_of(commit("Merge commit from fork", body)) == "fix(jwt): require an algorithm instead of guessing"
    assert title_of(commit("Merge commit from fork")) == "Merge commit from fork"
    assert title_of(commit("Merge sort replaces quick sort", "It is stable.")) == "Merge sort replaces quick sort"


def test_a_very_long_message_is_cut_at_a_word() -> None:
    one = commit("Implement quotas", "word " * 2000)
    found = assess(one)
    assert found is not None
    text = draft_memory(one, found, None, None).text
    assert len(text) <= MAX_TEXT + 2
    assert text.endswith("word …")
