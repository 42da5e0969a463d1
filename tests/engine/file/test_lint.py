"""Checking one file as its editor has it: knowledge, context files, records, the configuration, manifests."""

from __future__ import annotations

import json

import pytest
from repositories import git

from muninn_core.errors import BadParams, NotFoundError

pytest_plugins = ["engines"]

TOKEN = "ghp_" + "a1B2c3D4e5" * 3 + "F6a7B8"
KNOWLEDGE = ".muninn/knowledge/tokens.md"
CONTEXT = ".muninn/context/task.md"
MAIN = ".muninn/memory/main.jsonl"


def faults(muninn, path, text):
    return muninn.call("lint", path=path, text=text).faults


def told(muninn, path, text):
    return [(each.rule, each.level, each.line, each.message) for each in faults(muninn, path, text)]


def span(text, fault):
    line = text.split("\n")[fault.line - 1]
    return line[fault.column - 1 : fault.end - 1] if fault.end else line[fault.column - 1 :]


def mended(text, fault):
    (fix,) = fault.fixes
    lines = text.split("\n")
    line = lines[fault.line - 1]
    lines[fault.line - 1] = line[: fix.column - 1] + fix.text + line[fix.end - 1 :]
    return "\n".join(lines)


def record(**fields):
    return json.dumps({"v": 1, "id": "a1", "ts": "2026-01-01T00:00:00Z", "type": "insight", "text": "x", **fields})


@pytest.mark.parametrize(
    ("path", "text", "wrong", "near"),
    [
        (KNOWLEDGE, "---\nconfidense: high\n---\n", "confidense", "confidence"),
        (CONTEXT, "---\nbugdet: 500\n---\n", "bugdet", "budget"),
        (CONTEXT, "See @src/user.py.\n", "@src/user.py", "src/users.py"),
        (CONTEXT, "See @src/users.py#get_user_nam.\n", "@src/users.py#get_user_nam", "get_user_name"),
        (CONTEXT, "See [[errorz]].\n", "[[errorz]]", "errors"),
        (KNOWLEDGE, "See [users](../../src/user.py).\n", "../../src/user.py", "../../src/users.py"),
        (KNOWLEDGE, "---\nfiles: [src/user.py]\n---\n", "src/user.py", "src/users.py"),
        (".muninn/config.yaml", "chek:\n  secrets: off\n", "chek", "check"),
        (".muninn/config.yaml", "check:\n  secrts: off\n", "secrts", "secrets"),
        (MAIN, record(titel="T") + "\n", '"titel"', "title"),
        (MAIN, record(type="insigth") + "\n", '"insigth"', "insight"),
    ],
)
def test_a_name_that_is_nearly_right_is_mended_by_its_fix(muninn, path, text, wrong, near):
    (muninn.root / ".muninn/knowledge/errors.md").write_text("# Errors\n")
    muninn.call("index")
    (fault,) = faults(muninn, path, text)
    assert span(text, fault) == wrong
    assert near in fault.message + fault.hint
    again = mended(text, fault)
    assert again != text
    assert faults(muninn, path, again) == ()


def test_a_name_that_is_like_no_other_gets_no_fix(muninn):
    (fault,) = faults(muninn, CONTEXT, "See @nowhere/at/all.xyz\n")
    assert (fault.rule, fault.level, fault.fixes) == ("dangling", "warning", ())


def test_words_that_only_look_like_references_are_left_alone(muninn):
    text = "Mail me@example.org, @alice said @types/node and @app.route('/').\n`@no/such.py`\n```\n@no/such.py\n```\n"
    assert faults(muninn, CONTEXT, text) == ()
    assert faults(muninn, ".claude/notes.md", "---\nallowed-tools: x\n---\n" + text) == ()


def test_an_inactive_memory_names_its_successor(muninn):
    old = muninn.call("remember", text="Tokens live in memory.").ids[0]
    new = muninn.call("remember", text="Tokens live in Redis.", links=[{"relation": "supersedes", "target": old}]).ids[
        0
    ]
    text = f"[[{old}]]\n"
    (fault,) = faults(muninn, CONTEXT, text)
    assert fault.level == "information"
    assert mended(text, fault) == f"[[{new}]]\n"


def test_merge_markers_are_named_in_every_kind_of_file(muninn):
    text = "<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n"
    for path in (KNOWLEDGE, CONTEXT):
        assert [(each.rule, each.line) for each in faults(muninn, path, text)] == [
            ("malformed", 1),
            ("malformed", 3),
            ("malformed", 5),
        ]
    assert [each.line for each in faults(muninn, MAIN, text) if "merge marker" in each.message] == [1, 3, 5]
    assert faults(muninn, KNOWLEDGE, "A heading\n=======\n") == ()


def test_an_id_that_two_files_of_knowledge_claim_is_told(muninn):
    (muninn.root / ".muninn/knowledge/other.md").write_text("---\nid: tokens\n---\n# T\n")
    (fault,) = faults(muninn, KNOWLEDGE, "---\nid: tokens\n---\n")
    assert "other.md" in fault.message
    assert faults(muninn, ".muninn/knowledge/other.md", "---\nid: tokens\n---\n") == ()


def test_lines_that_are_no_records_are_told_with_their_number(muninn):
    text = f'{record()}\n\n{{"v": 1\n{record(v=99)}\n{record(id="b")[:40]}'
    assert [(line, message.partition(":")[0]) for _, _, line, message in told(muninn, MAIN, text)] == [
        (3, "not JSON"),
        (4, "written by a later version (format 99; this one reads 1)"),
        (5, "torn"),
    ]


def test_a_line_of_a_later_version_is_no_line_to_delete(muninn):
    (fault,) = faults(muninn, MAIN, record(v=99))
    assert fault.message.startswith("written by a later version")
    assert fault.hint == "Update Muninn; until then it is skipped."
    (fault,) = faults(muninn, MAIN, "{}\n")
    assert fault.hint == "Repair or delete the line; until then it is skipped."


def test_an_id_twice_is_a_fault_only_where_the_lines_differ(muninn):
    one = record()
    assert faults(muninn, MAIN, f"{one}\n{one}\n") == ()
    (fault,) = faults(muninn, MAIN, f"{one}\n{record(text='y')}\n")
    assert (fault.level, fault.line) == ("error", 2)


def test_a_field_of_the_wrong_type_is_told_for_it_has_no_effect(muninn):
    (fault,) = faults(muninn, MAIN, record(importance="high") + "\n")
    assert (fault.level, fault.message.partition(" ")[0]) == ("information", "`importance`")
    assert faults(muninn, MAIN, record(importance=7, whatever=True) + "\n") == ()


def test_a_change_of_what_is_not_there_is_told(muninn):
    line = json.dumps({"v": 1, "id": "c1", "ts": "2026-01-01T00:00:00Z", "type": "archive", "target": "zzz"})
    (fault,) = faults(muninn, MAIN, line + "\n")
    assert (fault.rule, "zzz" in fault.message) == ("dangling", True)
    assert faults(muninn, MAIN, record(id="zzz") + "\n" + line + "\n") == ()


def test_a_citation_that_moved_offers_to_follow_it(muninn):
    git(muninn.root, "add", "."), git(muninn.root, "commit", "-q", "-m", "Begin")
    muninn.call("remember", text="It looks one up.", files=["src/users.py#get_user_name"])
    muninn.call("seal")
    file = muninn.root / "src" / "users.py"
    file.write_text("# One.\n# Two.\n" + file.read_text())
    (segment,) = (muninn.root / ".muninn/memory/sessions").glob("*.jsonl")
    (fault,) = muninn.call("lint", path=str(segment)).faults
    assert "has moved to src/users.py:8-10" in fault.message
    (fix,) = fault.fixes
    muninn.call(fix.verb, **fix.params)
    assert muninn.call("lint", path=str(segment)).faults == ()


def test_secrets_are_told_but_not_in_what_git_never_sees(muninn):
    assert [each[:2] for each in told(muninn, KNOWLEDGE, f"# K\n\n{TOKEN}\n")] == [("secrets", "error")]
    assert told(muninn, ".muninn/local/spool/s.jsonl", record(text=TOKEN) + "\n") == []


def test_the_levels_of_the_configuration_count(muninn):
    (muninn.root / ".muninn/config.yaml").write_text("check:\n  knowledge: error\n  dangling: off\n")
    muninn.touch(".muninn/config.yaml")
    text = "---\ncolour: red\n---\n@src/user.py\n"
    assert [each[:2] for each in told(muninn, CONTEXT, text)] == [("knowledge", "error")]


def test_a_manifest_is_checked_as_its_reader_does(muninn):
    path = ".muninn/packs/web/pack.json"
    assert [each[2] for each in told(muninn, path, '{\n  "format": 1,\n}\n')] == [3]
    (fault,) = faults(muninn, path, '{"format": 1}')
    assert fault.rule == "packs"


def test_the_keys_of_another_tools_document_are_its_own_affair(muninn):
    assert faults(muninn, ".metis/vision.md", "---\nlevel: vision\nexit_criteria_met: false\n---\n") == ()
    (fault,) = faults(muninn, ".metis/vision.md", "---\nlevel: [vision\n---\n")
    assert "not valid YAML" in fault.message


def test_a_file_is_read_where_no_text_is_given(muninn):
    (muninn.root / KNOWLEDGE).write_text("---\ncolour: red\n---\n")
    result = muninn.call("lint", path=KNOWLEDGE)
    assert (result.ok, len(result.faults)) == (True, 1)
    assert not muninn.call("lint", path=MAIN, text="{").ok
    with pytest.raises(NotFoundError):
        muninn.call("lint", path=CONTEXT)
    with pytest.raises(BadParams, match="not a file that Muninn checks"):
        muninn.call("lint", path="src/users.py")


def test_a_text_that_is_too_long_is_left_to_check(muninn):
    (fault,) = faults(muninn, MAIN, "x" * 4_000_001)
    assert "`muninn check`" in fault.hint


def test_a_place_never_leaves_its_line(muninn):
    for text in (
        "---\ntitle: x\n",
        "---\n\tbad\n---",
        "---\nconfidence:\n---\n",
        "---\r\ntitle: [\r\n---\r\n",
        "@a/b.c",
    ):
        lines = text.split("\n")
        for fault in faults(muninn, CONTEXT, text):
            assert 1 <= fault.line <= len(lines)
            assert 1 <= fault.column <= len(lines[fault.line - 1]) + 1
            assert fault.end == 0 or fault.column <= fault.end <= len(lines[fault.line - 1]) + 1


def test_a_slip_is_looked_for_in_the_name_and_not_in_the_folders_before_it(muninn):
    for path in ("docs/guide.md", "docs/a1.md", "docs/a2.md", "docs/two words.md"):
        (muninn.root / path).parent.mkdir(exist_ok=True)
        (muninn.root / path).write_text("# A\n")
    muninn.call("index")
    text = "@docs/guid.md @docs/a3.md @docs/nothing.md [a](../../dcos/guid.md) @docs/two_words.md\n"
    found = faults(muninn, CONTEXT, text)
    assert [fault.message for fault in found] == [
        "there is no 'docs/guid.md': did you mean 'docs/guide.md'?",
        "there is no 'docs/a3.md'",  # another number is another file
        "there is no 'docs/nothing.md'",
        "there is no '../../dcos/guid.md': did you mean '../../docs/guide.md'?",
        "there is no 'docs/two_words.md': did you mean 'docs/two words.md'?",
    ]
    assert found[4].fixes[0].text == '"docs/two words.md"'


def test_a_memory_called_by_its_title_is_found_for_the_fix(muninn):
    identity = muninn.call("remember", text="Tokens live in the vault.").ids[0]
    (fault,) = faults(muninn, CONTEXT, "See [[tokens live in the vault]].\n")
    assert fault.message == f"nothing is called 'tokens live in the vault': did you mean '{identity}'?"
    assert mended("See [[tokens live in the vault]].\n", fault) == f"See [[{identity}]].\n"


def test_a_name_of_several_things_is_told_as_that(muninn):
    for path in (".muninn/knowledge/a/notes.md", ".muninn/knowledge/b/notes.md"):
        (muninn.root / path).parent.mkdir()
        (muninn.root / path).write_text("# Notes\n")
    first, second = (muninn.call("remember", text=f"Number {number}.").ids[0] for number in (1, 2))
    begun = first[: next(at for at in range(26) if first[at] != second[at])]
    messages = [fault.message for fault in faults(muninn, CONTEXT, f"[[notes]] [[{begun}]]\n")]
    assert messages == [
        "2 files are called 'notes': name one by its path",
        f"several memories begin with '{begun}': write more of the one that is meant",
    ]


@pytest.mark.parametrize(
    ("question", "wrong", "fix"),
    [
        ("?tpye:decision tokens", "tpye", "type"),
        ("- ?how type:desicion", "type:desicion", ""),
        ('See ?"tokens since:yesterday" here', "since:yesterday", ""),
        ("?type:decision tag:auth since:2w path:src/** tokens", "", ""),
        ("?what does `std::vec` mean for key:value", "", ""),
    ],
)
def test_a_question_that_can_not_be_understood_is_told_at_its_place(muninn, question, wrong, fix):
    found = faults(muninn, CONTEXT, f"{question}\n")
    assert [span(f"{question}\n", fault) for fault in found] == ([wrong] if wrong else [])
    assert [each.text for fault in found for each in fault.fixes] == ([fix] if fix else [])


def test_a_file_of_a_pack_that_was_edited_is_told_and_its_links_are_not(muninn, tmp_path):
    (muninn.root / ".muninn/knowledge/errors.md").write_text("# Errors\n\nSee [[nowhere]].\n")
    muninn.call("pack.export", name="rules", version="1.0.0", path=str(tmp_path / "rules"))
    muninn.call("pack.add", path=str(tmp_path / "rules"))
    (path,) = muninn.root.glob(".muninn/packs/rules/**/errors.md")
    shown = path.relative_to(muninn.root).as_posix()
    assert told(muninn, shown, path.read_text()) == []
    ((rule, level, line, message),) = told(muninn, shown, path.read_text() + "More.\n")
    assert (rule, level, line) == ("packs", "warning", 1)
    assert message == "this differs from the pack rules: edited, deleted or added since"


def test_a_link_to_a_section_that_is_not_there_is_told_with_the_one_that_is_near(muninn):
    guide = '# Guide\n\n## Life of a token\n\n## Life of a token\n\n<a name="old"></a>\n'
    (muninn.root / ".muninn/knowledge/guide.md").write_text(guide)
    (muninn.root / ".muninn/knowledge/plain.md").write_text("Guide\n=====\n")
    text = "[a](guide.md#life-of-a-token) [b](guide.md#life-of-a-token-1) [c](guide.md#old) [d](plain.md#guide)\n"
    assert told(muninn, KNOWLEDGE, text) == []
    (fault,) = faults(muninn, KNOWLEDGE, "See [a](guide.md#life-of-tokens).\n")
    message = "there is no section 'life-of-tokens' in .muninn/knowledge/guide.md: did you mean 'life-of-a-token'?"
    assert (fault.level, fault.message) == ("information", message)
    assert mended("See [a](guide.md#life-of-tokens).\n", fault) == "See [a](guide.md#life-of-a-token).\n"
