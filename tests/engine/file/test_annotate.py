"""The annotations of a file for an editor: memories at their lines, and stale citations."""

from __future__ import annotations

import errno

import pytest
from repositories import USERS, git

from muninn_core.engine.file import file_notes
from muninn_core.engine.memory.drafting import draft_file
from muninn_core.errors import BadParams, NotFoundError, StorageError
from muninn_core.model.value import replace
from muninn_core.worktree.citations.overlays import Overlays, compared

pytest_plugins = ("engines",)

FILE = "src/users.py"
LOOKUP = f"{FILE}:6-8"


@pytest.fixture
def rules(muninn):
    """The tiny repository with a decision about one function, a pattern of another, and a note on the file."""
    ids = [
        muninn.call("remember", text="Names are never cached.", type="decision", files=[LOOKUP]).ids[0],
        muninn.call("remember", text="Removal is final.", type="pattern", files=[f"{FILE}:11-13"]).ids[0],
        muninn.call("remember", text="This module will be split.", files=[FILE]).ids[0],
    ]
    return muninn, ids


def edited(muninn, text):
    (muninn.root / FILE).write_text(text)
    muninn.touch(FILE)


def lenses(result):
    return [(lens.start, lens.symbol, lens.title) for lens in result.lenses]


def test_a_file_and_each_definition_say_how_many_notes_there_are(rules):
    muninn, ids = rules
    result = muninn.call("annotate", file=FILE)
    assert lenses(result) == [
        (0, "", "1 decision, 1 pattern, 1 insight"),
        (6, "get_user_name", "1 decision"),
        (11, "delete_user", "1 pattern"),
    ]
    assert [note.id for note in result.notes] == [ids[2], ids[0], ids[1]]
    assert result.doubts == ()


def test_a_definition_on_the_first_line_that_has_all_notes_of_its_file_is_not_counted_twice(muninn):
    edited(muninn, USERS[USERS.index("def get_user_name") :])
    muninn.call("remember", text="Names are never cached.", type="decision", files=[f"{FILE}:1-3"])
    assert lenses(muninn.call("annotate", file=FILE)) == [(0, "", "1 decision")]
    muninn.call("remember", text="This module will be split.", files=[FILE])
    assert lenses(muninn.call("annotate", file=FILE)) == [
        (0, "", "1 decision, 1 insight"),
        (1, "get_user_name", "1 decision"),
    ]


def test_a_file_that_nothing_is_remembered_about_has_no_lens(muninn):
    result = muninn.call("annotate", file="README.md")
    assert (result.notes, result.lenses, result.doubts) == ((), (), ())


def test_citations_without_time_for_a_check_are_counted_and_not_stale(rules, monkeypatch):
    muninn, _ = rules
    edited(muninn, "import os\n\n" + USERS)
    monkeypatch.setattr(file_notes, "CITATION_SECONDS", -1.0)
    result = muninn.call("annotate", file=FILE)
    assert result.pending > 0
    assert result.doubts == ()
    assert {note.start for note in result.notes} <= {0, 8, 13}  # where they are now, or nowhere; not where they were
    monkeypatch.setattr(file_notes, "CITATION_SECONDS", 60.0)
    assert muninn.call("annotate", file=FILE).pending == 0


def test_a_path_outside_of_the_repository_is_refused(muninn):
    with pytest.raises(BadParams, match="outside"):
        muninn.call("annotate", file="../elsewhere.py")


def test_notes_follow_the_code_when_lines_are_put_above_it(rules):
    muninn, _ = rules
    edited(muninn, "import os\n\n" + USERS)
    result = muninn.call("annotate", file=FILE)
    assert lenses(result)[1:] == [(8, "get_user_name", "1 decision"), (13, "delete_user", "1 pattern")]
    assert result.doubts == ()


def test_notes_follow_a_definition_into_another_file(rules):
    muninn, ids = rules
    head, _, tail = USERS.partition("def delete_user")
    edited(muninn, head.rstrip() + "\n")
    (muninn.root / "src/removal.py").write_text("def delete_user" + tail)
    muninn.touch("src/removal.py")
    (note,) = muninn.call("annotate", file="src/removal.py").notes
    assert (note.id, note.state, note.start) == (ids[1], "moved", 1)


def test_code_that_has_changed_under_a_note_is_information(rules):
    muninn, ids = rules
    edited(muninn, USERS.replace("del USERS[uid]", "USERS.pop(uid, None)"))
    result = muninn.call("annotate", file=FILE)
    (doubt,) = result.doubts
    assert (doubt.level, doubt.rule, doubt.id) == ("information", "drifted", ids[1])
    assert (doubt.start, doubt.end) == (11, 13)
    assert doubt.message == "This code has changed since a pattern cited it: Removal is final"
    assert doubt.related == ()  # a hover has the memory's card beside the message
    assert lenses(result)[0][2] == "1 decision, 1 pattern, 1 insight, 1 stale"


def test_a_changed_rule_is_information_as_long_as_nothing_denies_it(rules):
    muninn, _ = rules
    edited(muninn, USERS.replace('USERS[uid]["name"]', 'USERS[int(uid)]["name"]'))
    (doubt,) = muninn.call("annotate", file=FILE).doubts
    assert (doubt.level, doubt.rule) == ("information", "drifted")


def test_a_comment_in_changed_code_that_denies_a_decision_is_a_warning(rules):
    muninn, ids = rules
    edited(muninn, USERS.replace("    return USERS", "    # Names are cached.\n    return USERS"))
    (doubt,) = muninn.call("annotate", file=FILE).doubts
    assert (doubt.level, doubt.rule, doubt.id) == ("warning", "contradicted", ids[0])
    assert (doubt.start, doubt.end) == (8, 8)
    assert doubt.related[0].id == ids[0]
    assert (doubt.related[1].path, doubt.related[1].start) == (FILE, 8)
    assert "Names are cached." in doubt.related[1].message


def test_the_same_comment_under_a_pattern_is_no_warning(muninn):
    muninn.call("remember", text="Names are never cached.", type="pattern", files=[LOOKUP])
    edited(muninn, USERS.replace("    return USERS", "    # Names are cached.\n    return USERS"))
    (doubt,) = muninn.call("annotate", file=FILE).doubts
    assert (doubt.level, doubt.rule) == ("information", "drifted")


def test_a_newer_memory_of_changed_code_that_denies_a_decision_is_a_warning(rules):
    muninn, ids = rules
    edited(muninn, USERS.replace('USERS[uid]["name"]', 'CACHE[uid]["name"]'))
    muninn.clock.forward(hours=1)
    newer = muninn.call("remember", text="Names are cached.", type="decision", files=[LOOKUP]).ids[0]
    (doubt,) = muninn.call("annotate", file=FILE).doubts
    assert (doubt.level, doubt.rule, doubt.id) == ("warning", "contradicted", ids[0])
    assert doubt.related[1].id == newer


def test_a_decision_whose_definition_is_gone_is_a_warning_and_a_pattern_is_not(rules):
    muninn, ids = rules
    edited(muninn, '"""Users and their names."""\n\nUSERS = {}\n')
    (doubt,) = muninn.call("annotate", file=FILE).doubts
    assert (doubt.level, doubt.rule, doubt.id, doubt.start) == ("warning", "gone", ids[0], 1)
    assert "get_user_name" in doubt.message


def test_outside_text_and_archived_memories_raise_no_doubt(muninn):
    outside = muninn.call(
        "remember", text="Names are never cached.", type="decision", files=[LOOKUP], trust="outside"
    ).ids[0]
    forgotten = muninn.call("remember", text="Names are short.", type="decision", files=[LOOKUP]).ids[0]
    muninn.call("forget", id=forgotten)
    edited(muninn, USERS.replace("    return USERS", "    # Names are cached.\n    return USERS"))
    result = muninn.call("annotate", file=FILE)
    assert [note.id for note in result.notes] == [outside]
    assert result.doubts == ()


def test_decision_documents_that_name_the_file_are_counted_with_decisions(rules):
    muninn, _ = rules
    folder = muninn.root / "docs" / "adr"
    folder.mkdir(parents=True)
    (folder / "0007-directory.md").write_text(
        "# 7. Ask the directory\n\n## Status\n\nAccepted\n\nSee `src/users.py`.\n"
    )
    result = muninn.call("annotate", file=FILE)
    assert lenses(result)[0][2] == "2 decisions, 1 pattern, 1 insight"
    assert result.lenses[0].paths == ("docs/adr/0007-directory.md",)


def test_names_of_memories_and_decisions_in_the_text_point_to_them(rules):
    muninn, ids = rules
    folder = muninn.root / "docs" / "adr"
    folder.mkdir(parents=True)
    (folder / "0007-directory.md").write_text("# 7. Ask the directory\n\n## Status\n\nAccepted\n")
    edited(muninn, USERS + f"\n# See ADR 7 and {ids[0]}; not ADR 8 nor {'0' * 26}.\n")
    found = muninn.call("annotate", file=FILE).pointers
    assert [(each.line, each.start, each.path or each.uri) for each in found] == [
        (15, 6, "docs/adr/0007-directory.md"),
        (15, 16, f"muninn:/memory/{ids[0]}.md"),
    ]


def test_the_end_of_a_sentence_is_no_part_of_an_address(rules):
    muninn, ids = rules
    edited(muninn, USERS + f"\n# It is in muninn:/memory/{ids[0]}.md. And in (muninn:/notes/src/a.py.md)?\n")
    found = muninn.call("annotate", file=FILE).pointers
    assert [each.uri for each in found] == [f"muninn:/memory/{ids[0]}.md", "muninn:/notes/src/a.py.md"]


# --- what is open and not saved ---


def test_unsaved_text_counts_only_for_its_editor(rules):
    muninn, ids = rules
    buffers = Overlays()
    buffers.open(FILE, "# A line.\n\n" + USERS.replace("del USERS[uid]", "USERS.pop(uid, None)"))
    seen = muninn.call("annotate", file=FILE, buffers=buffers)
    assert [(note.start, note.state) for note in seen.notes] == [(0, ""), (8, "moved"), (13, "drifted")]
    assert [doubt.id for doubt in seen.doubts] == [ids[1]]
    on_disk = muninn.call("annotate", file=FILE)
    assert [(note.start, note.state) for note in on_disk.notes] == [(0, ""), (6, "fresh"), (11, "fresh")]
    buffers.close(FILE)
    assert muninn.call("annotate", file=FILE, buffers=buffers).notes == on_disk.notes


def test_a_buffer_that_says_what_the_disk_says_changes_nothing(rules):
    muninn, _ = rules
    buffers = Overlays()
    buffers.open(FILE, USERS.replace("\n", "\r\n"))
    workspace = muninn.engine.open(muninn.location)
    assert buffers.unsaved(workspace.citations) == {}
    seen, on_disk = muninn.call("annotate", file=FILE, buffers=buffers), muninn.call("annotate", file=FILE)
    assert replace(seen, saw=on_disk.saw) == on_disk  # memories may have been encoded meanwhile


def test_lines_that_are_cited_without_a_symbol_are_followed_in_unsaved_text(muninn):
    git(muninn.root, "add", "-A")
    git(muninn.root, "commit", "-q", "-m", "Memory")
    muninn.call("remember", text="Expiry is an hour.", cites=[{"path": "README.md", "start": 5, "end": 7}])
    buffers = Overlays()
    text = (muninn.root / "README.md").read_text()
    buffers.open("README.md", "New first line.\n\n" + text.replace("one hour", "two hours"))
    (note,) = muninn.call("annotate", file="README.md", buffers=buffers).notes
    assert (note.state, note.start, note.end) == ("drifted", 7, 9)


def test_a_memory_about_unsaved_text_cites_that_text(muninn):
    buffers = Overlays()
    text = USERS + "\n\ndef rename_user(uid, name):\n    USERS[uid] = name\n"
    buffers.open(FILE, text)
    muninn.call("remember", text="Renaming asks nobody.", files=[f"{FILE}#rename_user"], buffers=buffers)
    with pytest.raises(BadParams, match="rename_user"):
        muninn.call("remember", text="Renaming asks nobody.", files=[f"{FILE}#rename_user"])
    edited(muninn, text)
    (note,) = muninn.call("annotate", file=FILE).notes
    assert (note.state, note.symbol) == ("fresh", "rename_user")


def test_changes_are_told_as_git_tells_them():
    old = ["a", "b", "c", "d"]
    hunks = [(h.start, h.count, h.new_start, h.new_count) for h in compared(old, ["a", "x", "y", "c", "d", "e"]) or ()]
    assert hunks == [(2, 1, 2, 2), (4, 0, 6, 1)]
    assert compared(old, old) == []
    assert [(h.start, h.count, h.new_start, h.new_count) for h in compared(old, ["c", "d"]) or ()] == [(1, 2, 0, 0)]


# --- one place ---


def test_a_line_says_what_cites_it_and_why(rules):
    muninn, ids = rules
    told = muninn.call("about", file=FILE, line=7)
    assert told.ids == (ids[0],)
    assert "*cites these lines · unchanged*" in told.text
    assert "decision · in force" in told.text
    assert "… and 2 more about this file" in told.text


def test_a_line_without_memories_has_no_text(rules):
    muninn, _ = rules
    assert muninn.call("about", file=FILE, line=3).text == ""


def test_the_first_line_and_the_file_say_everything(rules):
    muninn, ids = rules
    for line in (0, 1):
        assert muninn.call("about", file=FILE, line=line).ids == (ids[2], ids[1], ids[0])


def test_notes_on_the_same_lines_are_newest_first_with_outside_text_last(rules):
    muninn, ids = rules
    outside = muninn.call("remember", text="A page says otherwise.", files=[LOOKUP], trust="outside").ids[0]
    newest = muninn.call("remember", text="Names are short.", type="constraint", files=[LOOKUP]).ids[0]
    assert muninn.call("about", file=FILE, line=7).ids == (newest, ids[0], outside)


def test_a_name_says_what_cites_or_names_it_in_any_file(rules):
    muninn, ids = rules
    named = muninn.call("remember", text="`get_user_name` is slow for guests.", type="insight").ids[0]
    told = muninn.call("about", file="README.md", line=3, name="get_user_name")
    assert told.ids == (ids[0], named)
    assert "*names get_user_name*" in told.text
    assert muninn.call("about", file="README.md", line=3, name="users").text == ""


def test_a_client_that_opens_documents_gets_links_to_them(rules):
    muninn, ids = rules
    told = muninn.call("about", file=FILE, line=7, links=True).text
    assert f"[History](muninn:/memory/{ids[0]}/Names%20are%20never%20cached.md)" in told
    page = muninn.call("document", uri=f"muninn:/memory/{ids[0]}/Names%20are%20never%20cached.md")
    assert page.text == muninn.call("document", uri=f"muninn:/memory/{ids[0]}.md").text
    assert "muninn:" not in muninn.call("about", file=FILE, line=7).text


# --- confirming ---


def test_a_confirmed_memory_cites_the_code_as_it_is_now(rules):
    muninn, ids = rules
    edited(muninn, "# A line.\n" + USERS.replace("del USERS[uid]", "USERS.pop(uid, None)"))
    result = muninn.call("confirm", id=ids[1])
    assert [(cite.state, cite.start) for cite in result.cites] == [("fresh", 12)]
    assert muninn.call("annotate", file=FILE).doubts == ()
    records = muninn.engine.open(muninn.location).memory.log.state.records
    muninn.call("confirm", id=ids[1])
    assert muninn.engine.open(muninn.location).memory.log.state.records == records


def test_a_confirmed_memory_names_a_moved_file_by_its_present_path(rules):
    muninn, ids = rules
    git(muninn.root, "mv", FILE, "src/people.py")
    git(muninn.root, "commit", "-qm", "Move")
    assert muninn.call("confirm", id=ids[2]).memory.files == ("src/people.py",)
    confirmed = muninn.call("confirm", id=ids[0])
    assert confirmed.memory.files == ("src/people.py",)
    assert [(cite.state, cite.path) for cite in confirmed.cites] == [("fresh", "src/people.py")]
    assert muninn.call("verify", id=ids[0]).found == ()


def test_a_merged_memory_is_confirmed_with_what_the_others_cite(rules):
    muninn, ids = rules
    also = muninn.call("remember", text="Users are deleted for good.", files=[f"{FILE}:11-13"]).ids[0]
    kept = muninn.call("consolidate", ids=[ids[0], also], decision="merge", keep=ids[0]).kept.id
    edited(muninn, USERS.replace("del USERS[uid]", "USERS.pop(uid, None)"))
    assert muninn.call("verify", id=kept).states["drifted"] == 1
    result = muninn.call("confirm", id=kept)
    assert {cite.state for cite in result.cites} == {"fresh"}


def test_a_memory_whose_code_is_gone_needs_a_place_to_be_confirmed(rules):
    muninn, ids = rules
    edited(muninn, '"""Users."""\n\nUSERS = {}\n')
    with pytest.raises(BadParams, match="is gone"):
        muninn.call("confirm", id=ids[0])
    result = muninn.call("confirm", id=ids[0], cites=[{"path": FILE, "start": 3, "end": 3}])
    assert [(cite.state, cite.start, cite.end) for cite in result.cites] == [("fresh", 3, 3)]


# --- pages ---


def test_a_memory_is_a_page_with_its_code_and_its_life(rules):
    muninn, ids = rules
    muninn.call("confirm", id=ids[0])
    page = muninn.call("document", uri=f"muninn:/memory/{ids[0]}.md")
    assert page.title == "Names are never cached"
    assert page.text.startswith("# Names are never cached\n\ndecision · in force · Test, just now\n\n")
    assert f"- [src/users.py:6-8]({(muninn.root / FILE).as_uri()}#L6) get_user_name\n" in page.text
    assert page.text.index("## History") < page.text.index("## Details")


def test_a_page_for_a_client_that_shows_html_is_folded_and_offers_actions(rules):
    muninn, ids = rules
    page, card = (muninn.call("document", uri=f"muninn:/memory/{ids[0]}.md", form=form) for form in ("page", "card"))
    assert "<details><summary>History</summary>" in page.text
    assert "[Forget](command:muninn.forget?" in page.text
    assert (card.title, card.text.partition("\n")[0]) == (page.title, "**Names are never cached**")
    assert "History</summary>" not in card.text


def test_a_files_notes_a_commit_and_a_pack_are_pages(rules):
    muninn, _ = rules
    notes = muninn.call("document", uri=f"muninn:/notes/{FILE}.md").text
    assert notes.startswith("# What is remembered about `src/users.py`")
    assert "Removal is final" in notes
    commit = git(muninn.root, "rev-parse", "HEAD").strip()
    page = muninn.call("document", uri=f"muninn:/commit/{commit}.md")
    assert page.text.startswith("# Begin")
    assert "src/users.py" in page.text
    pack = muninn.call("document", uri="muninn:/pack.md?query=cached%20names&budget=500")
    assert "Names are never cached." in pack.text


@pytest.mark.parametrize(
    ("uri", "error"),
    [
        ("file:///etc/passwd", BadParams),
        ("muninn:/nothing/x.md", BadParams),
        ("muninn:/pack.md", BadParams),
        ("muninn:/pack.md?query=x&budget=many", BadParams),
        ("muninn:/notes/../../etc/passwd.md", BadParams),
        ("muninn:/memory/zzzz.md", NotFoundError),
        ("muninn:/commit/0000000000000000000000000000000000000000.md", NotFoundError),
    ],
)
def test_an_address_of_nothing_is_an_error(muninn, uri, error):
    with pytest.raises(error):
        muninn.call("document", uri=uri)


# --- drafts ---


def test_a_draft_is_a_file_to_write_into(rules):
    muninn, ids = rules
    result = muninn.call("draft", type="decision", path=FILE, start=6, end=8, supersedes=ids[0])
    with open(result.path, encoding="utf-8") as file:
        assert file.read() == result.text
    assert 'files: ["src/users.py:6-8"]' in result.text
    assert f'supersedes: "{ids[0]}"' in result.text
    assert result.text.endswith("Names are never cached.\n")


def test_a_draft_that_supersedes_cites_the_lines_where_they_are_now(muninn):
    (old,) = muninn.call("remember", text="Names are read from a table.", files=[f"{FILE}:6-8", "README.md"]).ids
    path = muninn.root / FILE
    path.write_text("# One.\n# Two.\n" + path.read_text())
    muninn.touch(FILE)
    assert f'files: ["{FILE}:8-10", "README.md"]' in muninn.call("draft", supersedes=old).text
    given = muninn.call("draft", path=FILE, start=8, end=10, supersedes=old).text
    assert f'files: ["{FILE}:8-10", "README.md"]' in given
    assert (
        f'files: ["{FILE}:1", "{FILE}:8-10", "README.md"]'
        in muninn.call("draft", path=FILE, start=1, supersedes=old).text
    )


def test_a_draft_of_an_unknown_kind_names_the_nearest(muninn):
    with pytest.raises(BadParams) as caught:
        muninn.call("draft", type="decison")
    assert "'decision'" in caught.value.hint


def test_a_draft_on_a_full_disk_is_refused(muninn, monkeypatch):
    def full(_folder):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(draft_file, "make_private_folder", full)
    with pytest.raises(StorageError, match="No space left"):
        muninn.call("draft")
