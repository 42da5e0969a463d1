"""The check of continuous integration: each rule, its level, and that it changes nothing."""

from __future__ import annotations

import os
import shutil

import pytest
from repositories import git

from muninn_core.errors import NotInitialised, StorageError

pytest_plugins = ["engines"]

TOKEN = "ghp_" + "a1B2c3D4e5" * 3 + "F6a7B8"


@pytest.fixture
def clean(muninn):
    """A repository with one memory, sealed and committed."""
    muninn.call("remember", text="Names come from the table.", cites=[{"path": "src/users.py", "start": 6, "end": 8}])
    muninn.call("seal")
    git(muninn.root, "add", "-A")
    git(muninn.root, "commit", "-q", "-m", "Memory")
    return muninn


def segment(muninn):
    return next((muninn.root / ".muninn/memory/sessions").glob("*.jsonl"))


def rules(result):
    return [(finding.rule, finding.level) for finding in result.findings]


def configure(muninn, text):
    (muninn.root / ".muninn" / "config.yaml").write_text(text)


def test_a_clean_repository_has_no_findings(clean):
    result = clean.call("check")
    assert (result.ok, result.errors, result.warnings, result.findings) == (True, 0, 0, ())
    assert result.memories == 1
    assert result.saw.commit == git(clean.root, "rev-parse", "HEAD").strip()


def test_a_malformed_line_and_merge_markers_are_errors_with_their_lines(clean):
    path = segment(clean)
    path.write_text(path.read_text() + "<<<<<<< HEAD\n")
    result = clean.call("check")
    assert not result.ok
    (finding,) = result.findings
    assert (finding.rule, finding.level, finding.line) == ("malformed", "error", 2)
    assert finding.path == path.relative_to(clean.root).as_posix()


@pytest.mark.parametrize("name", ["main.jsonl", "sessions/s-0-000000000000.jsonl", "archive/2026.jsonl"])
@pytest.mark.parametrize("kind", ["folder", "link"])
def test_memory_that_is_no_regular_file_is_an_error(clean, name, kind):
    path = clean.root / ".muninn/memory" / name
    path.unlink(missing_ok=True)
    path.parent.mkdir(exist_ok=True)
    if kind == "folder":
        path.mkdir()
    else:
        path.symlink_to("nowhere")
    with pytest.raises(StorageError, match=f"{name}: it is a {kind}") as refused:
        clean.call("check")
    assert "regular file" in refused.value.hint


@pytest.mark.parametrize("name", ["sessions", "archive"])
def test_a_folder_of_memory_that_can_not_be_listed_is_an_error(clean, name):
    folder = clean.root / ".muninn/memory" / name
    if folder.exists():
        shutil.rmtree(folder)
    folder.write_text("not a folder")
    with pytest.raises(StorageError, match=f"can't read .muninn/memory/{name}"):
        clean.call("check")


def test_a_folder_of_knowledge_may_be_named_like_a_page(clean):
    folder = clean.root / ".muninn/knowledge/api.md"
    folder.mkdir()
    (folder / "users.md").write_text("# Users\n\n[Nowhere](nowhere.md)\n")
    (finding,) = clean.call("check").findings
    assert (finding.rule, finding.path) == ("dangling", ".muninn/knowledge/api.md/users.md")


def test_links_and_pipes_among_pages_are_warnings_and_the_rest_is_checked(clean):
    knowledge = clean.root / ".muninn/knowledge"
    knowledge.mkdir(exist_ok=True)
    (clean.root / "outside.md").write_text("# Outside\n")
    (knowledge / "page.md").symlink_to("../../outside.md")
    (knowledge / "lost.md").symlink_to("nowhere")
    (knowledge / "folder").symlink_to("../../src")
    (knowledge / "plan.png").symlink_to("../../plan.png")
    os.mkfifo(knowledge / "pipe.md")
    (knowledge / "text.md").write_bytes(b"\xff\xfe")
    git(clean.root, "add", "-A")
    result = clean.call("check")
    assert (result.ok, result.errors) == (True, 0)
    found = {finding.path.removeprefix(".muninn/knowledge/"): finding for finding in result.findings}
    assert sorted(found) == ["folder", "lost.md", "page.md", "pipe.md", "text.md"]
    assert {finding.rule for finding in found.values()} == {"knowledge"}
    assert found["page.md"].message == "it is a link, and links are not followed, so it is not indexed"
    assert found["folder"].message == found["lost.md"].message == found["page.md"].message
    assert found["page.md"].hint == "Replace it by a regular file, or delete it."
    assert "not a regular file" in found["pipe.md"].message


def test_a_link_among_the_files_of_agents_is_no_finding(clean):
    (clean.root / ".claude").mkdir()
    (clean.root / "AGENTS.md").write_text("# Agents\n")
    (clean.root / ".claude/CLAUDE.md").symlink_to("../AGENTS.md")
    git(clean.root, "add", "-A")
    assert clean.call("check").findings == ()


def test_a_secret_in_tracked_memory_is_an_error_that_does_not_repeat_it(clean):
    path = segment(clean)
    path.write_text(path.read_text().replace("the table", f"the table {TOKEN}"))
    (finding,) = clean.call("check").findings
    assert (finding.rule, finding.level, finding.line) == ("secrets", "error", 1)
    assert TOKEN not in str(finding)


def test_a_secret_in_knowledge_and_one_of_the_projects_own_patterns_are_found(clean):
    configure(clean, "memory:\n  secrets: ['harbour-[0-9]{4}']\n")
    (clean.root / ".muninn/knowledge/keys.md").write_text(f"# Keys\n\nThe key is harbour-1234.\nAnother: {TOKEN}\n")
    assert [(finding.rule, finding.line) for finding in clean.call("check").findings] == [
        ("secrets", 3),
        ("secrets", 4),
    ]


def test_the_files_of_a_memory_made_from_a_commit_may_be_gone(clean):
    clean.call("remember", text="The parser was rewritten.", files=["gone.py"], actor="tool")
    assert rules(clean.call("check")) == [("unsealed", "warn")]


def test_a_memory_that_cites_a_file_which_is_gone_is_a_warning(clean):
    git(clean.root, "rm", "-q", "src/users.py")
    result = clean.call("check")
    assert (result.ok, rules(result)) == (True, [("dangling", "warn")])
    assert "src/users.py" in result.findings[0].message
    assert not clean.call("check", strict=True).ok


def test_a_moved_file_is_a_warning_until_the_updated_memory_is_sealed(clean):
    git(clean.root, "mv", "src/users.py", "src/people.py")
    (finding,) = clean.call("check").findings
    assert "`muninn verify --fix` updates the memory" in finding.hint
    assert clean.call("verify", fix=True).fixed == 1
    hints = {finding.rule: finding.hint for finding in clean.call("check").findings}
    assert hints["dangling"] == "The memory is changed here; `muninn seal` makes a file of the change to commit."
    clean.call("seal")
    assert rules(clean.call("check")) == []


def test_citations_of_archived_memories_are_not_checked(clean):
    clean.call("forget", id=clean.call("memories").memories[0].id)
    clean.call("seal")
    git(clean.root, "rm", "-q", "src/users.py")
    assert clean.call("check").findings == ()


def test_an_open_conflict_is_a_warning(clean):
    clean.call("remember", text="We use lanterns for the night watch.", type="decision")
    clean.call("remember", text="We do not use lanterns for the night watch.", type="decision")
    clean.call("seal")
    clean.call("reconcile")
    assert rules(clean.call("check")) == [("conflicts", "warn")]
    (conflict,) = clean.call("conflicts").conflicts
    assert clean.call("check").findings[0].hint == f"`muninn resolve {conflict.id} --keep …` decides."
    clean.call("resolve", id=conflict.id, keep="left", actor="user")
    found = {finding.rule: finding.hint for finding in clean.call("check").findings}
    assert found["conflicts"] == "It is decided here; `muninn seal` makes a file of the decision to commit."
    for side in (conflict.left, conflict.right):
        events = clean.call("history", id=side.id).events
        assert [event.type for event in events] == ["decision", "conflict", "resolve"]
    clean.call("seal")
    assert rules(clean.call("check")) == []


def test_a_session_that_is_not_sealed_is_a_warning_and_stays_unsealed(clean):
    clean.call("remember", text="Still open.", session="s1")
    (finding,) = clean.call("check").findings
    assert (finding.rule, finding.path) == ("unsealed", ".muninn/local/spool/s1.jsonl")
    assert "session s1 has 1 record " in finding.message
    assert clean.call("status").log.unsealed == 1


def test_frontmatter_and_bytes_that_are_no_text_are_warnings(clean):
    folder = clean.root / ".muninn/knowledge"
    (folder / "a.md").write_text("---\nconfidence: certain\n---\n# A\n")
    (folder / "b.md").write_bytes(b"# \xff\xfe\n")
    result = clean.call("check")
    assert rules(result) == [("knowledge", "warn"), ("knowledge", "warn")]
    assert (result.findings[0].path, result.findings[0].line) == (".muninn/knowledge/a.md", 2)


def test_a_key_that_can_not_be_taken_is_an_error_with_its_line(clean):
    configure(clean, "index:\n  wrokers: 2\n")
    (finding,) = clean.call("check").findings
    assert (finding.rule, finding.level, finding.line) == ("config", "error", 2)
    assert "workers" in finding.hint


def test_the_config_decides_what_is_an_error_and_what_is_not_told(clean):
    path = segment(clean)
    path.write_text(path.read_text() + "{broken\n")
    git(clean.root, "rm", "-q", "src/users.py")
    configure(clean, "check:\n  malformed: off\n  dangling: error\n")
    result = clean.call("check")
    assert (result.ok, rules(result)) == (False, [("dangling", "error")])


def test_a_level_that_is_none_is_a_problem_that_names_the_levels(clean):
    configure(clean, "check:\n  malformed: fatal\n")
    (finding,) = clean.call("check").findings
    assert finding.rule == "config"
    assert finding.hint.startswith("It takes error, warn or off; the default is error.")


def test_a_fresh_clone_is_checked_without_a_trace(clean, tmp_path, start):
    git(tmp_path, "clone", "-q", str(clean.root), "fresh")
    fresh = start(tmp_path / "fresh")
    before = sorted(path for path in fresh.root.rglob("*") if ".git" not in path.parts)
    assert fresh.call("check").ok
    assert sorted(path for path in fresh.root.rglob("*") if ".git" not in path.parts) == before
    assert not list(fresh.engine.trees)


def test_spools_of_a_session_that_died_are_told_and_left_alone(clean, tmp_path, start):
    spool = clean.root / ".muninn/local/spool"
    clean.call("remember", text="Still open.", session="s1")
    copy = tmp_path / "copy"
    shutil.copytree(clean.root, copy, ignore=shutil.ignore_patterns("cache"))  # the index is being written
    other = start(copy)
    assert rules(other.call("check")) == [("unsealed", "warn")]
    assert (copy / spool.relative_to(clean.root) / "s1.jsonl").exists()


def test_without_memory_there_is_nothing_to_check_and_that_is_an_error(plain_repo, start):
    muninn = start(plain_repo)
    assert not (plain_repo / ".muninn").exists()
    with pytest.raises(NotInitialised):
        muninn.call("check")


def test_links_that_lead_nowhere_are_found_in_knowledge_and_context_files_but_not_in_packs(clean):
    muninn = clean.root / ".muninn"
    for path in ("knowledge/a.md", "context/b.md", "packs/web/c.md"):
        (muninn / path).parent.mkdir(parents=True, exist_ok=True)
        (muninn / path).write_text("# A\n\nSee [users](../../src/users.py), [it](nowhere.md) and [[nobody]].\n")
    (muninn / "context/b.md").write_text("---\nbudget: 1\n---\n@src/users.py#get_user_name @src/nobody.py\n")
    found = [each for each in clean.call("check").findings if each.rule in ("dangling", "knowledge")]
    assert [(each.path, each.line, each.rule) for each in found] == [
        (".muninn/context/b.md", 2, "knowledge"),
        (".muninn/context/b.md", 4, "dangling"),
        (".muninn/knowledge/a.md", 3, "dangling"),
        (".muninn/knowledge/a.md", 3, "dangling"),
    ]


def test_check_says_what_editors_say_in_the_same_words_at_the_same_lines(clean):
    root = clean.root
    line = segment(clean).read_text().rstrip("\n")
    files = {
        ".muninn/memory/sessions/s-x-123456789abc.jsonl": "\n".join(
            [
                line,
                line.replace("the table", "the list"),
                "<<<<<<< HEAD",
                line.replace("src/users.py", "src/nowhere.py").replace('"id":"0', '"id":"a'),
                line.replace('"id":"0', '"id":"b').replace("the table", f"the table {TOKEN}"),
                line[:40],
            ]
        ),
        ".muninn/knowledge/a.md": f"---\nid: a\ntitel: A\nfiles: [src/user.py]\n---\n# A\n[[nobody]]\n{TOKEN}\n",
        ".muninn/knowledge/b.md": "---\nid: a\n---\n# B\n\n[a](../../src/user.py)\n",
        ".muninn/context/c.md": "---\nbudget: 1\n---\n@src/user.py @src/users.py#get_user_nam\n?tpye:decision\n",
        ".muninn/packs/p/pack.json": '{"format": 1,\n nope}',
        ".muninn/config.yaml": "check:\n  dangling: eror\n",
        ".claude/rules.md": "---\nname: [x\n---\nSee @src/user.py\n",
        "docs/decisions/0001-a.md": "# 1. A\n<<<<<<< a\n=======\n>>>>>>> b\n",
    }
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    clean.call("index")
    checked = {(each.path, each.line, each.message, each.hint) for each in clean.call("check").findings}
    edited = {
        (path, each.line, each.message, each.hint)
        for path in files
        for each in clean.call("lint", path=path).faults
        if each.level != "information"
    }
    assert edited == checked
    assert {path for path, *_ in checked} == set(files)


def test_ignored_files_are_checked_only_in_muninns_folders(clean):
    (clean.root / ".gitignore").write_text(".claude/mine.md\n")
    (clean.root / ".claude").mkdir()
    for name in ("mine", "ours"):
        (clean.root / ".claude" / f"{name}.md").write_text(f"{TOKEN}\n")
    assert [each.path for each in clean.call("check").findings] == [".claude/ours.md"]


def test_a_git_that_does_not_answer_keeps_nothing_from_being_checked(clean):
    (clean.root / ".git" / "index").write_bytes(b"broken")
    (clean.root / ".muninn/knowledge/a.md").write_text("# A\n\n[a](nowhere.md)\n")
    assert [(each.path, each.line) for each in clean.call("check").findings] == [(".muninn/knowledge/a.md", 3)]
