"""Which commits of long ago become memories, and of what kind."""

from __future__ import annotations

import pytest

from muninn_core.capture.commits.commit_history import captured, memory_of_commit, reverted_commits
from muninn_core.capture.commits.history_memory import HistoryMemory
from muninn_core.git import Commit


def logged(subject, body="", files=("src/app.py",), *, sha="a" * 40, parents=1, author="Ada", email="", deleted=()):
    return Commit(
        sha=sha,
        parents=("b" * 40,) * parents,
        subject=subject,
        body=body,
        author=author,
        time="2020-01-01T00:00:00Z",
        files=files,
        deleted=frozenset(deleted),
        email=email,
    )


def told(one, back=None, subjects=None):
    found = memory_of_commit(one, back or {}, subjects or {})
    assert isinstance(found, HistoryMemory), found
    return found.draft


def test_a_significant_commit_is_told_as_a_new_one_would_be_under_the_same_key():
    one = logged("Replace Redis with Postgres", "Sessions were lost on restart.\n\nSigned-off-by: Ada <ada@x.example>")
    draft = told(one)
    assert (draft.type, draft.actor, draft.key) == ("decision", "import", "commit:" + "a" * 40)
    assert draft.text == "Replace Redis with Postgres\n\nSessions were lost on restart."
    assert draft.tags == ("commit", "backfill")


@pytest.mark.parametrize(
    ("one", "reason"),
    [
        (logged("Merge branch 'x'", parents=2), "merges"),
        (logged("Migrate to v2", author="dependabot[bot]"), "made by bots"),
        (logged("Migrate to v2", email="49699333+renovate[bot]@users.noreply.example"), "made by bots"),
        (logged("Migrate to v2", author="pyup-bot"), "made by bots"),
        (logged("<private>Migrate to v2</private>"), "without a subject"),
        (logged("Migrate memory", files=(".muninn/memory/main.jsonl",)), "changes of memory alone"),
        (logged("Migrate the guide", files=(".muninn/memory/sessions/s.jsonl", "docs/guide.md")), "routine"),
        (logged("Refactor the fixtures", files=("tests/test_a.py", "tests/conftest.py")), "changes of tests alone"),
        (logged("Bump version to 2.0"), "routine"),
        (logged("style: reformat everything"), "routine"),
        (logged("Rename a variable"), "not significant"),
        (logged("Refactor some other stuff (#252)"), "not significant"),
        (logged(":broom: chore: refactor the merge"), "routine"),
        (logged(":wrench: fix: wrong path"), "not significant"),
        (logged("\U0001f41e fix: wrong path"), "not significant"),
        (logged("\U0001f516 Release 2.0"), "routine"),
        (logged("Fix deprecation warning"), "not significant"),
        (logged("Address the deprecated warning of a library"), "not significant"),
        (logged('Reapply "Use a cache"', "This reverts commit " + "c" * 40 + "."), "routine"),
        (logged('Revert "Bump version to 2.0"', "This reverts commit " + "c" * 40 + "."), "routine"),
    ],
)
def test_commits_without_value_are_skipped_with_a_reason(one, reason):
    assert memory_of_commit(one, {}, {}) == reason


def test_a_person_whose_name_holds_bot_is_no_bot():
    assert told(logged("Migrate to v2", author="Abbott Botha")).type


def test_a_revert_is_an_attempt_with_what_was_tried_and_why_it_was_taken_back():
    body = f"This reverts commit {'c' * 40}.\n\nIt deadlocked under load."
    draft = told(logged('Revert "Use one lock for all shards"', body))
    assert (draft.type, draft.title) == ("attempt", "Taken back: Use one lock for all shards")
    assert draft.text == "Taken back: Use one lock for all shards\n\nIt deadlocked under load."
    assert (draft.details["reverts"], draft.details["reason"]) == ("c" * 40, "It deadlocked under load.")
    assert draft.importance == 7


@pytest.mark.parametrize(
    ("subject", "what"),
    [
        ('Revert "Use one lock for all shards" (#2649)', "Use one lock for all shards"),
        ('Revert "Set `scope["client"]` of shards (#2377)" (#2525)', 'Set `scope["client"]` of shards (#2377)'),
        ('Revert "Use one lock for all shards (#12)"', "Use one lock for all shards (#12)"),
    ],
)
def test_the_number_of_a_revert_s_own_request_is_no_part_of_what_was_tried(subject, what):
    assert told(logged(subject, f"This reverts commit {'c' * 40}.")).title == f"Taken back: {what}"


def test_a_revert_without_a_reason_counts_less_and_says_that_it_has_none():
    draft = told(logged("Back out the lock", f"This reverts commit {'c' * 40}."), subjects={"c" * 40: "Use one lock"})
    assert (draft.title, draft.importance, draft.confidence) == ("Taken back: Use one lock", 5, 0.7)
    assert draft.text.endswith("The commit that reverts it gives no reason.")


def test_reverted_commits_are_skipped_unless_the_revert_was_reverted():
    first, second, third = "1" * 40, "2" * 40, "3" * 40
    use = logged("Replace A with B", sha=first)
    undo = logged('Revert "Replace A with B"', f"This reverts commit {first}.", sha=second)
    redo = logged('Revert "Revert "Replace A with B""', f"This reverts commit {second}.", sha=third)
    back = reverted_commits([undo, use])
    assert memory_of_commit(use, back, {}) == "taken back later"
    assert told(undo, back).type == "attempt"
    back = reverted_commits([redo, undo, use])
    assert told(use, back).type == "decision"
    assert (memory_of_commit(undo, back, {}), memory_of_commit(redo, back, {})) == ("taken back later", "routine")


def test_a_squashed_branch_whose_text_mentions_a_revert_is_no_revert():
    squashed = logged("Migrate to the new proxy", f"* Try it\n* Revert it\n\nThis reverts commit {'c' * 40}.")
    assert reverted_commits([squashed]) == {}
    assert told(squashed).type != "attempt"


def test_a_fix_is_kept_when_it_says_its_cause():
    body = "Exports ended early.\n\nThe cause was a missing flush: the buffer was dropped at exit.\n\nAlso adds a test."
    draft = told(logged("fix(export): write the last row", body))
    assert (draft.type, draft.importance) == ("bug_fix", 6)
    assert draft.details["cause"] == "The cause was a missing flush: the buffer was dropped at exit."
    assert (
        memory_of_commit(logged("fix(export): write the last row", "Exports end well now."), {}, {})
        == "not significant"
    )


@pytest.mark.parametrize("word", ["A1b" * 100_000, "\u7f13" * 300_000])
def test_a_message_with_a_very_long_word_is_read_once(word):
    """Where the time grows with the square of the word, this takes an hour."""
    assert told(logged("Migrate the keys", f"They are {word} because the old ones were lost.")).type == "insight"


def test_a_revert_names_its_subject_without_blanks_around():
    draft = told(logged('Revert " fix(etag): hash each chunk " (#5199)', "It broke the cache of large files."))
    assert draft.title == "Taken back: fix(etag): hash each chunk"


def test_a_name_beside_code_is_code():
    body = "Update `axum`::extract::migrate and the crate::migrate module."
    assert memory_of_commit(logged("Update two names", body), {}, {}) == "not significant"


def test_a_commit_that_adds_something_is_no_fix_although_it_describes_a_fault():
    body = "The root cause of the crash was a buffer that the reader freed twice, because close() ran after an error."
    assert told(logged("Stop the reader at an error", body)).type == "bug_fix"
    assert told(logged("Add an option to stop the reader", body)).type == "insight"
    assert told(logged(":bug: fix: the reader crashes", body)).type == "bug_fix"


def test_a_commit_whose_body_gives_a_reason_is_kept():
    body = "Sets don't guarantee an order. As the factory was taken from one, projects with both got either of them."
    draft = told(logged("Discover the app factory deterministically", body))
    assert (draft.type, draft.importance) == ("insight", 6)
    assert draft.details["reason"] == "As the factory was taken from one, projects with both got either of them."
    fixed = told(logged("fix(cli): take the first factory", f"{body}\n\nCloses #3"))
    assert (fixed.type, fixed.details["reason"]) == ("bug_fix", draft.details["reason"])


def test_the_reason_of_a_step_of_a_squashed_branch_is_none_of_the_commit():
    body = "* Rename the module\n\n* Add a flag to the build in order to avoid its warnings\n\n---------"
    assert memory_of_commit(logged("Rename a module (#12)", body), {}, {}) == "not significant"
    assert told(
        logged("Rename a module (#12)", f"It collided with the one of the library, so it was not found.\n\n{body}")
    )


@pytest.mark.parametrize(
    "body",
    [
        "It reads two files and writes one of them afterwards.",
        "```python\n# it is kept because the reader needs both of the values\n```",
        "Output:\n\n    because this line of code is a quotation of the program",
        "because of CI",
    ],
)
def test_a_body_without_a_reason_in_prose_makes_no_memory(body):
    assert memory_of_commit(logged("Rename a variable", body), {}, {}) == "not significant"


@pytest.mark.parametrize(
    ("subject", "kind"),
    [
        ("fix: keep the last row because the buffer was dropped at exit", "bug_fix"),
        ("Fix an index error caused by an outdated offset", "bug_fix"),
        ("Rank in two steps, so that what comes after a page is kept", "insight"),
        ("Constraint: the `log` module never imports the store, or they form a ring.", "constraint"),
    ],
)
def test_a_subject_can_give_the_reason_itself(subject, kind):
    assert told(logged(subject)).type == kind


@pytest.mark.parametrize(
    "subject",
    ["Avoid unnecessary clones of the state in the router", "Move tests", "Share the router without breaking the API"],
)
def test_what_a_subject_avoids_is_no_reason(subject):
    files = tuple(f"src/m{number}.py" for number in range(40))
    assert memory_of_commit(logged(subject, files=files), {}, {}) == "not significant"
    assert (
        told(logged(f"{subject}, because it was slow on machines with two processors", files=files)).type == "insight"
    )


@pytest.mark.parametrize(
    "body",
    [
        "Le taux de la taxe était faux parce que la table datait de 2014.",
        "Der Puffer wurde nie freigegeben, weil der Zähler der Leser falsch war.",
        "El total era incorrecto porque la tabla de impuestos era de 2014.",
        "因为令牌的过期时间计算错误，所以用户无法登录。",
    ],
)
def test_a_reason_may_be_in_another_language(body):
    assert told(logged("Rename a variable", body)).details["reason"] == body


def test_a_find_is_no_rule():
    found = told(logged("Stores routes in a map", "We don't need to nest routes, because all have the same type now."))
    assert found.type != "constraint"


@pytest.mark.parametrize("subject", ["Extract a helper", "Unify the uses of urls", "Introduce a cache"])
def test_a_subject_alone_that_tells_of_work_makes_no_memory(subject):
    assert memory_of_commit(logged(subject), {}, {}) == "not significant"
    assert told(logged(subject, "It lost writes on restart, so that sessions could not use it."))


def test_a_session_stores_what_a_backfill_does_under_its_own_name():
    found = memory_of_commit(logged("Replace A with B"), {}, {})
    assert isinstance(found, HistoryMemory)
    draft = captured(found, "s1", "claude-code")
    assert (draft.actor, draft.tags, draft.session, draft.agent) == ("hook", ("commit",), "s1", "claude-code")
    assert (draft.text, draft.type, draft.files, draft.key) == (
        found.draft.text,
        found.draft.type,
        found.draft.files,
        found.draft.key,
    )


def test_a_decision_or_constraint_that_the_body_marks_makes_a_commit_matter():
    decided = told(logged("Change the store", "We decided to keep sessions in Postgres because Redis lost them."))
    assert (decided.type, decided.importance) == ("decision", 6)
    assert decided.details["stated"].startswith("We decided to keep sessions in Postgres")
    rule = told(logged("Change the log", "Constraint: the `log` module never imports the store, or they form a ring."))
    assert rule.type == "constraint"


def test_a_commit_that_says_no_more_than_its_subject_counts_less():
    assert told(logged("Migrate sessions to Postgres")).importance == 6
    assert told(logged("Migrate sessions to Postgres", "Sessions were lost on restart.")).importance > 6


def test_a_memory_names_the_code_first_and_nothing_that_is_gone_since():
    paths = ("README.md", "docs/a.md", "gone.py", "src/a.py", "tests/test_a.py", ".muninn/memory/main.jsonl")
    draft = told(logged("Replace A with B", files=paths, deleted=("gone.py",)))
    assert draft.files == ("src/a.py", "tests/test_a.py", "README.md", "docs/a.md")
    wide = tuple(f"src/m{number}.py" for number in range(20))
    assert len(told(logged("Replace A with B", files=wide)).files) == 10
    assert told(logged("Replace A with B", files=tuple(f"src/m{n}.py" for n in range(60)))).files == ()


@pytest.mark.parametrize(
    "name", ["CHANGES.rst", "CHANGELOG.md", "docs/changelog.rst", "NEWS", "HISTORY.md", "docs/release-notes.md"]
)
def test_a_memory_names_no_list_of_changes(name):
    files = (name, "src/a.py", "src/history.py")
    assert told(logged("Replace A with B", files=files)).files == ("src/a.py", "src/history.py")


def test_metadata_of_older_version_control_systems_is_removed():
    body = "Why it was.\n--HG--\nrename : a.py => b.py\ngit-svn-id: file:///trunk@7 0-0"
    assert told(logged("Replace A with B", body)).text == "Replace A with B\n\nWhy it was."


def test_private_spans_are_not_told():
    draft = told(logged("Replace A with B", "Why: <private>the customer Acme</private> it was slow."))
    assert "Acme" not in str(draft)
    assert "it was slow" in draft.text
