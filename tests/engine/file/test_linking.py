"""References between files: targets, sources, updates after a rename, and completion."""

from __future__ import annotations

import json

import pytest

from muninn_core.errors import BadParams, NotFoundError

pytest_plugins = ["engines"]


def write(muninn, path, text):
    file = muninn.root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


@pytest.fixture
def project(muninn):
    write(muninn, "docs/adr/0007-sessions.md", "# 7. Sessions live in Redis\n\n## Status\n\nAccepted\n")
    write(muninn, ".muninn/knowledge/style/errors.md", "---\nfiles: [src/users.py]\nrelated: [tests]\n---\n# Errors\n")
    write(muninn, ".muninn/knowledge/tests.md", "# Tests\n\nSee [errors](style/errors.md) and [[errors]].\n")
    write(muninn, ".muninn/context/task.md", '@src/users.py#get_user_name [[ADR-0007]] [[tests]] ?"a b"\n')
    muninn.call("index")
    return muninn


def edited(muninn, *moves):
    """Return the files that a rename edits, with their new texts."""
    texts = {}
    for edit in reversed(muninn.call("relink", moves=list(moves)).edits):
        lines = texts.setdefault(edit.path, (muninn.root / edit.path).read_text().split("\n"))
        line = lines[edit.line - 1]
        lines[edit.line - 1] = line[: edit.column - 1] + edit.text + line[edit.end - 1 :]
    return {path: "\n".join(lines) for path, lines in texts.items()}


def test_every_reference_says_where_it_leads(project):
    found = project.call("references", path=".muninn/context/task.md").references
    assert [(each.kind, each.path, each.start) for each in found] == [
        ("symbol", "src/users.py", 6),
        ("document", "docs/adr/0007-sessions.md", 0),
        ("knowledge", ".muninn/knowledge/tests.md", 0),
        ("question", "", 0),
    ]


def test_a_memory_leads_to_its_line(project):
    ids = [project.call("remember", text=f"Fact number {number}.").ids[0] for number in range(3)]
    text = f"[[{ids[1]}]]"
    for sealed in (False, True):
        if sealed:
            project.call("seal")
        (found,) = project.call("references", path=".muninn/context/task.md", text=text, line=1).references
        line = (project.root / found.path).read_text().split("\n")[found.start - 1]
        assert ids[1] in line
        assert "Fact number 1" in found.markdown
        assert ("sessions" in found.path) is sealed


def test_referrers_are_found_with_path_line_and_kind(project):
    def places(target, **more):
        found = project.call("backlinks", target=target, **more).backlinks
        return [(each.path, each.line) for each in found]

    assert places("errors") == [(".muninn/knowledge/tests.md", 3)] * 2
    assert places("[[ADR 7]]") == [(".muninn/context/task.md", 1)]
    assert places("src/users.py") == [(".muninn/context/task.md", 1), (".muninn/knowledge/style/errors.md", 2)]
    with pytest.raises(NotFoundError, match="nothing called"):
        places("nobody")


@pytest.mark.parametrize("session", ["/s1", "../../..", "**", "s1"])
def test_a_memory_whose_session_is_no_name_of_a_file_leads_to_its_line(project, session):
    record = {
        "v": 1,
        "id": "shared1",
        "ts": "2026-01-01T00:00:00Z",
        "type": "insight",
        "session": session,
        "text": "One.",
    }
    segment = project.root / ".muninn" / "memory" / "sessions" / "s1-0123456789ab.jsonl"
    segment.write_text(json.dumps(record) + "\n")
    project.touch(".muninn/memory/sessions/s1-0123456789ab.jsonl")
    (found,) = project.call("references", path=".muninn/context/task.md", text="[[shared1]]", line=1).references
    assert (found.path, found.start) == (".muninn/memory/sessions/s1-0123456789ab.jsonl", 1)


def test_memories_about_a_file_and_links_between_memories_are_references(project):
    one = project.call("remember", text="Names are cached.", files=["src/users.py"]).ids[0]
    two = project.call("remember", text="No longer.", links=[{"relation": "extends", "target": one}]).ids[0]
    assert one in [each.id for each in project.call("backlinks", target="src/users.py").backlinks]
    assert [each.id for each in project.call("backlinks", target=one).backlinks] == [two]


def test_links_follow_files_in_the_form_in_which_they_were_written(project):
    texts = edited(
        project,
        *("src/users.py", "lib/people.py"),
        *(".muninn/knowledge/style/errors.md", ".muninn/knowledge/faults.md"),
    )
    assert texts[".muninn/context/task.md"].startswith("@lib/people.py#get_user_name ")
    assert texts[".muninn/knowledge/tests.md"] == "# Tests\n\nSee [errors](faults.md) and [[faults]].\n"
    assert "files: [lib/people.py]" in texts[".muninn/knowledge/style/errors.md"]


def test_a_file_that_moves_keeps_its_own_links_right(project):
    texts = edited(project, ".muninn/knowledge/tests.md", ".muninn/knowledge/a/b/tests.md")
    assert texts == {".muninn/knowledge/tests.md": "# Tests\n\nSee [errors](../../style/errors.md) and [[errors]].\n"}


def test_a_folder_takes_all_below_it_along(project):
    texts = edited(project, ".muninn/knowledge/style", ".muninn/knowledge/habits")
    assert texts == {".muninn/knowledge/tests.md": "# Tests\n\nSee [errors](habits/errors.md) and [[errors]].\n"}


def test_links_with_blanks_stay_links(project):
    texts = edited(project, ".muninn/knowledge/style/errors.md", ".muninn/knowledge/all errors.md")
    assert "[errors](all%20errors.md) and [[all errors]]" in texts[".muninn/knowledge/tests.md"]


def test_a_name_stays_a_name_and_a_path_with_blanks_gets_its_quotation_marks(project):
    write(project, ".muninn/knowledge/one.md", "# One\n")
    write(project, ".muninn/knowledge/two.md", "See [[one]].\n")
    texts = edited(
        project,
        *(".muninn/knowledge/one.md", ".muninn/knowledge/sub/first.md"),
        *("src/users.py", "src/all users.py"),
    )
    assert texts[".muninn/knowledge/two.md"] == "See [[first]].\n"
    assert texts[".muninn/context/task.md"].startswith('@"src/all users.py"#get_user_name ')


def test_renaming_an_unreferenced_file_needs_no_edit(project):
    assert edited(project, "README.md", "LIESMICH.md") == {}
    with pytest.raises(BadParams, match="pairs"):
        project.call("relink", moves=["a", "b", "c"])
    with pytest.raises(BadParams, match="outside"):
        project.call("relink", moves=["a", "../b"])


def test_names_that_begin_with_a_text_come_before_those_that_contain_it(project):
    project.call("remember", text="Tests of errors are slow.", tags=["slow", "tests"])
    project.call("remember", text="All tests run offline.", tags=["tests"])
    found = project.call("names", text="tests").names
    assert [(each.kind, each.name) for each in found] == [
        ("memory", "Tests of errors are slow"),
        ("knowledge", "tests"),
        ("memory", "All tests run offline"),
    ]
    tags = project.call("names", kinds=["tag"]).names
    assert [(each.name, each.detail) for each in tags] == [("tests", "2 memories"), ("slow", "1 memory")]
    assert project.call("names", text="tests", limit=1).more


def test_files_and_symbols_are_named_as_references_write_them(project):
    assert [each.insert for each in project.call("names", text="users", kinds=["file"]).names] == ["src/users.py"]
    symbols = project.call("names", text="get", kinds=["symbol"], file="src/users.py").names
    assert [(each.insert, each.line) for each in symbols] == [("get_user_name", 6)]
    with pytest.raises(BadParams):
        project.call("names", kinds=["planet"])


def test_notes_of_a_session_and_what_is_forgotten_are_not_named(project):
    forgotten = project.call("remember", text="Zebras are forgotten.").ids[0]
    project.call("forget", id=forgotten)
    project.call("remember", text="Zebras are a note.", scope="session", session="other")
    assert project.call("names", text="zebras").names == ()
