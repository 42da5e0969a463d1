"""The effect of a branch on memory, and the history of one memory."""

from __future__ import annotations

import json

import pytest
from repositories import git

from muninn_core.errors import BadParams, NotFoundError
from muninn_core.model.value import replace

pytest_plugins = ["engines"]


def remember(muninn, text, **fields):
    muninn.clock.forward(seconds=1)
    return muninn.call("remember", text=text, **fields).ids[0]


def ids(turns):
    return [turn.memory.id for turn in turns]


@pytest.fixture
def base(muninn):
    """Memories about both functions of a file, committed on main; HEAD is on the new branch `feature`."""
    cite = {"path": "src/users.py"}
    muninn.names = {
        "name": remember(muninn, "Names come from the table.", cites=[{**cite, "start": 6, "end": 8}]),
        "delete": remember(muninn, "Deleting is for good.", cites=[{**cite, "start": 11, "end": 13}]),
        "readme": remember(muninn, "The README is short.", files=["README.md"]),
        "night": remember(muninn, "We use lanterns for the night watch.", type="decision"),
    }
    muninn.commit("Memory")
    git(muninn.root, "checkout", "-q", "-b", "feature")
    return muninn


def test_a_diff_has_the_memories_of_the_branch_and_none_that_its_base_got_meanwhile(base):
    new = remember(base, "Kafka is needed.")
    base.commit("On feature")
    git(base.root, "checkout", "-q", "main")
    base.call("memories")
    other = remember(base, "Main goes on.")
    base.commit("On main")
    found = base.call("diff", range="main..feature")
    assert [memory.id for memory in found.added] == [new]
    assert (found.removed, found.changed, found.superseded, found.archived) == ((), (), (), ())
    assert [memory.id for memory in base.call("diff", range="feature..main").added] == [other]
    assert found.text == base.call("diff", range="main...feature").text
    assert "Kafka is needed." in found.text


def test_a_file_whose_lines_are_cited_is_named_once(base):
    remember(base, "Deleting is logged.", files=["src/users.py:11-13", "README.md"])
    base.commit("On feature")
    assert "src/users.py:11-13, README.md\n" in base.call("diff", range="main").text


def test_one_revision_is_compared_with_head(base):
    new = remember(base, "Kafka is needed.")
    head = base.commit("On feature")
    found = base.call("diff", range="main")
    assert ([memory.id for memory in found.added], found.head) == ([new], head)


def test_a_changed_memory_is_shown_with_the_words_that_changed(base):
    base.clock.forward(seconds=1)
    old = {"name": "Names come from the table.", "readme": "The README is short."}
    base.call("update", id=base.names["name"], text="Names come from LDAP.", questions=["Who knows a user's name?"])
    base.call("update", id=base.names["readme"], importance=8, files=["src/users.py"], tags=["docs"])
    base.commit("Change")
    found = base.call("diff", range="main")
    reasons = {turn.memory.id: turn.reason for turn in found.changed}
    assert reasons == {
        base.names["name"]: f"""questions + "Who knows a user's name?"; text, before: "{old["name"]}\"""",
        base.names["readme"]: 'files - "README.md" + "src/users.py"; importance 5 to 8; tags + "docs"',
    }
    assert all(f"changed: {reason}" in found.text for reason in reasons.values())


def test_memory_that_is_not_committed_is_counted_and_not_compared(base):
    remember(base, "Kafka is needed.")
    found = base.call("diff", range="main")
    assert found.added == ()
    assert found.saw.note == "1 record is not committed and not compared: run `muninn seal` and commit .muninn/memory."
    assert found.saw.note in found.text
    remember(base, "Redis is needed.")
    base.call("seal")
    assert base.call("diff", range="main..HEAD").saw.note.endswith("not compared: commit .muninn/memory.")
    base.call("reconcile")
    assert base.call("diff", range="main..HEAD").saw.note.endswith("not compared: commit .muninn/memory.")
    assert base.call("diff", range="HEAD..main~0").saw.note != ""  # main is the same commit as HEAD
    base.commit("On feature")
    assert [base.call("diff", range=wanted).saw.note for wanted in ("main", "HEAD..main")] == ["", ""]
    remember(base, "Only on feature.")
    assert base.call("diff", range="feature..main").saw.note == ""
    git(base.root, "checkout", "-q", "--orphan", "new")
    assert base.call("diff", range="feature..main").saw.note == ""  # HEAD has no commit


def test_a_memory_that_supersedes_another_is_shown_with_it(base):
    old = base.names["name"]
    new = remember(base, "Names come from LDAP.", links=[{"relation": "supersedes", "target": old}])
    base.commit("LDAP")
    found = base.call("diff", range="main..HEAD")
    assert [(turn.memory.id, turn.by.id) for turn in found.superseded] == [(old, new)]
    assert "Superseded (1)" in found.text


def test_a_memory_that_was_forgotten_is_archived_with_its_reason(base):
    base.clock.forward(seconds=1)
    base.call("forget", id=base.names["readme"], reason="It is long now.")
    base.commit("Forget")
    (turn,) = base.call("diff", range="main..HEAD").archived
    assert (turn.memory.id, turn.reason) == (base.names["readme"], "It is long now.")


def test_a_memory_against_one_of_the_base_is_a_contradiction_before_anything_is_reconciled(base):
    new = remember(base, "We do not use lanterns for the night watch.", type="decision")
    base.commit("No lanterns")
    (turn,) = base.call("diff", range="main..HEAD").contradicts
    assert (turn.memory.id, turn.by.id) == (new, base.names["night"])
    assert turn.reason


def test_contradictions_that_were_there_before_are_not_the_branchs(base):
    git(base.root, "checkout", "-q", "main")
    remember(base, "We do not use lanterns for the night watch.", type="decision")
    base.commit("No lanterns")
    git(base.root, "checkout", "-q", "-b", "later")
    remember(base, "Kafka is needed.")
    base.commit("Kafka")
    assert base.call("diff", range="main..later").contradicts == ()


def test_only_memories_whose_lines_the_branch_changes_are_stale(base):
    users = base.root / "src" / "users.py"
    users.write_text(users.read_text().replace('USERS[uid]["name"]', 'USERS[uid]["nick"]'))
    base.commit("Nicknames")
    found = base.call("diff", range="main..HEAD")
    assert ids(found.stale) == [base.names["name"]]
    assert "src/users.py:6-8" in found.stale[0].reason


def test_lines_that_are_added_elsewhere_make_nothing_stale(base):
    users = base.root / "src" / "users.py"
    users.write_text(users.read_text() + "\n\ndef more():\n    return 1\n")
    base.commit("More")
    assert base.call("diff", range="main..HEAD").stale == ()


def test_files_that_are_renamed_or_deleted_make_their_memories_stale(base):
    git(base.root, "mv", "src/users.py", "src/people.py")
    git(base.root, "rm", "-q", "README.md")
    base.commit("Move")
    reasons = {turn.memory.id: turn.reason for turn in base.call("diff", range="main..HEAD").stale}
    assert reasons[base.names["readme"]] == "README.md is gone"
    assert reasons[base.names["name"]] == "src/users.py is src/people.py now"


def test_reverting_a_commit_removes_its_memory_and_diff_shows_it(base):
    new = remember(base, "Kafka is needed.")
    made = base.commit("Kafka")
    git(base.root, "revert", "--no-edit", made)
    assert [memory.id for memory in base.call("diff", range=f"{made}..HEAD").removed] == [new]


def test_work_that_is_not_committed_is_no_part_of_it(base):
    remember(base, "Still in the spool.")
    found = base.call("diff", range="main..HEAD")
    assert found.added == ()
    assert "nothing changes" in found.text
    text = base.call("diff", range="main..HEAD", format="markdown").text
    assert "\nNothing changes. From main to HEAD" in text
    assert text.endswith("run `muninn seal` and commit .muninn/memory.\n")


def test_memory_that_a_branch_introduces_is_compared_with_none(base):
    found = base.call("diff", range="main~1..main")
    assert {memory.id for memory in found.added} == set(base.names.values())


def test_memories_cannot_inject_markdown(base):
    remember(base, "Ask @someone, see #7\n\n# Big </details> [here](http://example.org) `x`", files=["README.md"])
    base.commit("Odd")
    text = base.call("diff", range="main..HEAD", format="markdown").text
    assert text.startswith("### Memory\n")
    assert "@someone" not in text
    assert "#7" not in text
    assert "[here]" not in text
    assert "\n# Big" not in text
    assert "</details>" not in text


def test_same_range_same_text(base):
    remember(base, "Kafka is needed.")
    base.commit("Kafka")
    first = base.call("diff", range="main..HEAD")
    assert replace(base.call("diff", range="main..HEAD"), saw=first.saw) == first  # the index may be on its way


@pytest.mark.parametrize("wanted", ["..", "a..b..c", "  "])
def test_an_invalid_range_is_refused(base, wanted):
    with pytest.raises(BadParams):
        base.call("diff", range=wanted)


def test_a_range_of_a_branch_that_is_not_there_names_the_nearest(base):
    with pytest.raises(NotFoundError) as caught:
        base.call("diff", range="main..featur")
    assert "'feature'" in caught.value.hint


def test_histories_without_a_common_ancestor_are_compared_whole_and_it_is_said(base):
    git(base.root, "checkout", "-q", "--orphan", "island")
    git(base.root, "commit", "-q", "-m", "Island")
    found = base.call("diff", range="main..island")
    assert "no common ancestor" in found.saw.note


def test_history_tells_every_record_in_order_with_its_place_and_what_it_changed(base):
    identity = base.names["name"]
    base.clock.forward(seconds=1)
    base.call("forget", id=identity, reason="Wrong.")
    base.clock.forward(seconds=1)
    base.call("forget", id=identity, restore=True)
    new = remember(base, "Names come from LDAP.", links=[{"relation": "supersedes", "target": identity}])
    told = base.call("history", id=identity[:25])
    assert [event.type for event in told.events] == ["insight", "archive", "restore", "insight"]
    born, archived, restored, successor = told.events
    assert (born.branch, born.actor, born.sealed) == ("main", "user", True)
    assert (archived.sealed, archived.summary) == (False, "archived it: Wrong.")
    assert ("archived", "false", "true") in [(c.name, c.before, c.after) for c in archived.changes]
    assert ("archived", "true", "false") in [(c.name, c.before, c.after) for c in restored.changes]
    assert [(c.name, c.after) for c in successor.changes] == [("superseded_by", new)]
    assert told.memory.superseded_by == new


def test_history_shows_a_resolved_conflict(base):
    other = remember(base, "We do not use lanterns for the night watch.", type="decision")
    base.call("seal")
    base.call("reconcile")
    (conflict,) = base.call("conflicts").conflicts
    base.clock.forward(seconds=1)
    base.call("resolve", id=conflict.id, keep="right" if conflict.right.id == other else "left")
    told = base.call("history", id=base.names["night"])
    assert [event.type for event in told.events] == ["decision", "conflict", "resolve"]
    assert ("superseded_by", other) in [(c.name, c.after) for c in told.events[-1].changes]


def test_a_memory_begins_before_the_conflict_that_was_found_at_the_same_time(base):
    ts = "2026-03-01T10:00:00.000Z"
    lines = [
        {
            "v": 1,
            "id": "01kjmz000000000000000000zz",
            "ts": ts,
            "type": "decision",
            "session": "boat",
            "text": "We row.",
        },
        {
            "v": 1,
            "id": "01kjmz000000000000000000yy",
            "ts": ts,
            "type": "decision",
            "session": "boat",
            "text": "We sail.",
        },
        {"v": 1, "id": "01kjmz000000000000000000aa", "ts": ts, "type": "conflict", "session": "boat", "actor": "tool"}
        | {"left": "01kjmz000000000000000000yy", "right": "01kjmz000000000000000000zz", "reason": "one or the other"},
    ]
    file = base.root / ".muninn" / "memory" / "sessions" / "boat-1.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    for side in ("yy", "zz"):
        told = base.call("history", id=f"01kjmz000000000000000000{side}")
        assert [event.type for event in told.events] == ["decision", "conflict"]


def test_history_of_a_redacted_memory_does_not_tell_what_it_said(base):
    identity = base.names["name"]
    log = next(iter(base.engine.trees)).memory.log
    base.clock.forward(seconds=1)
    log.append([{"type": "update", "actor": "user", "target": identity, "set": {"text": "Hush."}}], "s")
    log.append([{"type": "redact", "actor": "user", "target": identity}], "s")
    told = base.call("history", id=identity)
    assert [event.type for event in told.events] == ["insight", "update", "redact"]
    assert "Hush" not in str(told)
    assert "table" not in str(told)


def test_history_of_what_is_not_there_is_an_error(base):
    with pytest.raises(NotFoundError):
        base.call("history", id="zzz")
