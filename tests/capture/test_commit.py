"""Commits that become memories, and the texts of these memories."""

from __future__ import annotations

import pytest

from muninn_core.capture.commits.commit_memory import (
    MAX_TEXT,
    assess,
    draft_trace,
    is_routine,
    memory_text,
    states_decision,
    title_of,
    with_short_subject,
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
    record = "docs/decisions/0007-shards.md"
    added = replace(commit("docs: record why we shard", files=(record,)), added=frozenset({record}))
    assert assess(commit("docs: shorten the record", files=(record,))) is None
    found = assess(added)
    assert found is not None
    assert found.decision
    built = assess(
        replace(commit("Add shards", "Users had to wait.", (record, "src/shards.py")), added=frozenset({record}))
    )
    assert built is not None
    assert not built.decision, "the record states the decision"


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


def test_a_commit_is_not_about_the_records_that_the_git_hook_adds_to_it() -> None:
    records = ".muninn/memory/sessions/s-1.jsonl"
    prose = without_records(commit("Redesign the tutorial", files=(records, "README.md")))
    assert prose.files == ("README.md",)
    assert assess(prose) is None
    code = without_records(commit("Introduce quotas", files=(records, "src/app.py")))
    found = assess(code)
    assert found is not None
    assert code.files == ("src/app.py",)
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
    assert memory_text(one) == (
        "Deprecate per-request cookies (#1574)\n\n"
        "* Cookies of the client still apply\n\n* Fix tests of redirects that lose their cookies"
    )
    plain = "Paragraphs stay.\n\n\nAs they are: fix lint"
    assert memory_text(commit("Deprecate cookies", plain)) == f"Deprecate cookies\n\n{plain}"


def test_short_entries_of_a_squashed_branch_are_steps_and_those_of_another_list_are_not() -> None:
    body = "* docs\n\n* changelog ref\n\n* minor clean ups\n\n* Routes of nested routers keep their state"
    assert memory_text(commit("Replace the router (#363)", body)) == (
        "Replace the router (#363)\n\n* Routes of nested routers keep their state"
    )
    assert "* no globals" in memory_text(commit("Replace the router", "* no globals\n* one lock"))


def test_the_note_of_a_cherry_pick_is_no_part_of_the_memory() -> None:
    body = f"It is kept in sync.\n\n(cherry picked from commit {'c' * 40})"
    assert memory_text(commit("Replace the guide", body)) == "Replace the guide\n\nIt is kept in sync."


@pytest.mark.parametrize(
    "subject", ["axum 0.7.1", "axum-extra 0.4.0-rc.3 (#1545)", "core: Version 0.2.1", "start version 3.0.1"]
)
def test_a_release_is_routine_in_any_notation(subject: str) -> None:
    assert is_routine(commit(subject))


@pytest.mark.parametrize(
    "subject", ["Drop support for Python 3.8", "Require HTTP 1.1 for upgrades", "Use Rust 1.56 or later"]
)
def test_a_subject_with_a_version_is_no_release(subject: str) -> None:
    assert not is_routine(commit(subject))


def test_words_of_names_in_code_do_not_count() -> None:
    assert assess(commit("Add `axum_extra::extract::Multipart` and pattern_cache")) is None
    assert assess(commit("Extract the multipart reader")) is not None


@pytest.mark.parametrize(
    ("subject", "decision"),
    [
        ("Deprecate the v1 endpoints", True),
        ("Remove the deprecated v1 endpoints", True),
        ("Restore and deprecate json_available", True),
        ("Better type checking during deprecation", False),
        ("Fix the deprecated call of the pattern matcher", False),
        ("Deprecated the guessing of types", True),
        ("watch: agents, events and decisions in a terminal", False),
        ("Add a --switch to the command", False),
        ("Switch to flit", True),
    ],
)
def test_a_decision_is_stated_and_not_only_mentioned(subject: str, decision: bool) -> None:
    assert states_decision(commit(subject)) is decision


@pytest.mark.parametrize(
    ("lines", "subject", "begin"),
    [
        (
            "Use compat fspath\nWhen 7ba35c4 was picked it came.",
            "Use compat fspath",
            "When 7ba35c4 was picked it came.",
        ),
        ("make sessions extensible\nmove the serializer", "make sessions extensible", "move the serializer"),
        (
            "Use the compatible form of fspath for paths instead of the one\nof os, which is newer",
            "Use the compatible form of fspath for paths instead of the one of os, which is newer",
            "",
        ),
    ],
)
def test_a_subject_ends_where_the_next_line_is_one_of_its_own(lines: str, subject: str, begin: str) -> None:
    one = replace(commit(" ".join(lines.split("\n")), "More."), subject_lines=lines)
    short = with_short_subject(one)
    assert (short.subject, short.body) == (subject, f"{begin}\n\nMore." if begin else "More.")


def test_a_memory_is_not_named_after_a_merge() -> None:
    body = "* Merge branch 'main' into fix\n\n* fix(jwt): require an algorithm instead of guessing\n\n* Add tests"
    assert title_of(commit("Merge commit from fork", body)) == "fix(jwt): require an algorithm instead of guessing"
    assert title_of(commit("Merge commit from fork")) == "Merge commit from fork"
    assert title_of(commit("Merge sort replaces quick sort", "It is stable.")) == "Merge sort replaces quick sort"


def test_a_very_long_message_is_cut_at_a_word() -> None:
    one = commit("Implement quotas", "word " * 2000)
    text = memory_text(one)
    assert len(text) <= MAX_TEXT + 2
    assert text.endswith("word …")
