"""References in texts: recognition and positions."""

from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muninn_core.context.editor.outline import folds, outline, reference_tokens
from muninn_core.source.documents.markup import fences, headings, prose_lines, without_comments
from muninn_core.source.documents.muninn_file import own_kind
from muninn_core.source.documents.references import find_references

PIECES = [*"ab1 @#?[]()<>!-/.:\"'`~\n\r\\é😀", "src/a.py", "```\n", "<!--", "-->", "---\n", "[[", "]]", "](", "# "]
MARKUP = st.lists(st.sampled_from(PIECES), max_size=60).map("".join)
PART = st.text(string.ascii_letters + string.digits + "_", min_size=1, max_size=8)


def found(text, kind="context"):
    return [(each.kind, each.target, each.symbol) for each in find_references(text, kind)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("@src/a.py", [("file", "src/a.py", "")]),
        ("(@src/a.py), **@src/b.py**:", [("file", "src/a.py", ""), ("file", "src/b.py", "")]),
        ("See @src/a.py.", [("file", "src/a.py", "")]),
        ("@src/a.py#Class.method.", [("file", "src/a.py", "Class.method")]),
        ("@src/a.rs#Type::method", [("file", "src/a.rs", "Type::method")]),
        ("@docs/x.md#a-heading", [("file", "docs/x.md", "a-heading")]),
        ("@README.md @Makefile @./Makefile", [("file", "README.md", ""), ("file", "./Makefile", "")]),
        ('@"a file.md"#part', [("file", "a file.md", "part")]),
        ("@.github/ci.yml", [("file", ".github/ci.yml", "")]),
        ("[[ADR 7]] [[id|shown]] [[errors#part]]", [("name", each, "") for each in ("ADR 7", "id", "errors")]),
        ("[[@src/a.py]] [x](@src/b.py)", [("name", "@src/a.py", ""), ("link", "@src/b.py", "")]),
        ("?how is it done", [("query", "how is it done", "")]),
        ("  - ?how is it done @src/a.py\r", [("query", "how is it done @src/a.py", "")]),
        ('Is it so ?"how is it" or', [("query", "how is it", "")]),
        ("[x](a.md#b) ![y](<c d.png>)", [("link", "a.md", "b"), ("link", "c d.png", "")]),
        ('[x](a%20b.md "T")', [("link", "a b.md", "")]),
    ],
)
def test_references_are_recognised(text, expected):
    assert found(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "me@example.org and git@host.org:me/repo.git",
        "@override @alice, @pytest.fixture() @app.route('/x')",
        "Is it? Yes ?maybe. Really??",
        "https://example.org/?q=1 and a=b?c",
        "if [[ -f x ]]; then [[]] [[a]b]]",
        "`@src/a.py` and ``[[a`b]]``",
        "```\n@src/a.py\n[[a]]\n?x y\n```",
        "~~~ py\n@src/a.py\n~~~",
        "> ```\n> @src/a.py\n> ```",
        "<!-- @src/a.py\n[[a]] -->",
        "[x](https://a.org/b.md) [y](#part) [z](mailto:me@a.org)",
        "---\ntitle: '@src/a.py [[a]]'\n---\n",
        "??? ?! ? x",
        "vector@@src/a.py",
    ],
)
def test_ordinary_prose_and_code_hold_no_reference(text):
    assert found(text) == []


@pytest.mark.parametrize("text", ["@types/node", "@scope/package", "@~/notes.md", "@thing.xyz"])
def test_an_ambiguous_reference_is_not_certain(text):
    assert [each.certain for each in find_references(text, "context")] == [False]


def test_only_context_files_have_files_and_questions_as_references():
    text = "---\nfiles: [a.py]\nrelated:\n  - x\n---\n@src/a.py [[a]] [x](b.md)\n?who\n"
    assert [each[0] for each in found(text, "knowledge")] == ["value", "value", "name", "link"]
    assert [each[0] for each in found(text, "document")] == ["name", "link"]
    assert [each[0] for each in found(text)] == ["file", "name", "link", "query"]


def test_lines_of_a_reference_are_read():
    one, two = find_references("@a/b.py:3 @a/b.py:3-9.", "instructions")
    assert (one.first, one.last, two.first, two.last) == (3, 3, 3, 9)


@given(MARKUP)
def test_a_reference_has_its_position(text):
    lines = text.split("\n")
    before = (-1, -1)
    for each in find_references(text, "context"):
        line = lines[each.line]
        assert before <= (each.line, each.start)
        assert 0 <= each.start <= each.at <= each.to <= each.end <= len(line)
        assert line[each.at : each.to] == each.target or "%" in line
        before = (each.line, each.end)


@given(MARKUP)
def test_masking_keeps_the_positions_of_prose(text):
    lines, prose = text.split("\n"), prose_lines(text)
    assert [len(line) for line in prose] == [len(line) for line in lines]
    assert all(
        mark in (" ", char)
        for line, kept in zip(lines, prose, strict=True)
        for char, mark in zip(line, kept, strict=True)
    )


@given(MARKUP)
def test_fenced_code_contains_no_reference(text):
    fenced = {line for first, last in fences(text) for line in range(first, last + 1)}
    if "---" not in text and "<!--" not in text:
        assert not [each for each in find_references(text, "context") if each.line in fenced]


@given(MARKUP)
def test_outline_folds_and_tokens_are_in_order_and_inside_the_text(text):
    lines = text.split("\n")
    for first, last in folds("context", text):
        assert 0 <= first < last < len(lines)
    assert all(0 <= each.line <= each.last < len(lines) for each in outline("context", text))
    before = (-1, 0)
    for token in reference_tokens("context", text, lambda _target: True):
        assert (token.line, token.start) >= before
        assert token.start < token.end <= len(lines[token.line])
        before = (token.line, token.end)


@given(MARKUP)
def test_a_text_without_comments_has_none_to_take_out_but_those_that_it_joined(text):
    if text.count("<!--") <= 1:
        assert without_comments(without_comments(text)) == without_comments(text)


@given(st.lists(PART, min_size=1, max_size=3), PART)
def test_a_path_in_quotes_is_that_path(folders, name):
    path = "/".join([*folders, f"{name} x.md"])
    assert found(f'Look at @"{path}", please.') == [("file", path, "")]


@given(PART, PART)
def test_an_address_of_mail_is_no_reference(name, host):
    assert found(f"{name}@{host}.org {name}.x@{host}/y.py") == []


def test_headings_have_their_sections():
    text = "---\ntitle: x\n---\n# A b!\n\n## C\n```\n# no\n```\n# D #\n\n"
    assert [(each.level, each.title, each.line, each.last, each.slug) for each in headings(text)] == [
        (1, "A b!", 3, 8, "a-b"),
        (2, "C", 5, 8, "c"),
        (1, "D", 9, 10, "d"),
    ]


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        (".muninn/config.yaml", "config"),
        (".muninn/memory/main.jsonl", "records"),
        (".muninn/memory/sessions/s-1.jsonl", "records"),
        (".muninn/local/spool/s.jsonl", "records"),
        (".muninn/packs/web/pack.json", "manifest"),
        (".muninn/knowledge/a.md", "knowledge"),
        (".muninn/packs/web/deep/a.md", "knowledge"),
        (".muninn/context/a.md", "context"),
        (".muninn/context/deep/a.md", "context"),
        (".claude/notes.md", "instructions"),
        (".claude/commands/x.md", ""),
        (".metis/tasks/DEMO-T-0001.md", "document"),
        ("docs/adr/0001-record.md", "document"),
        (".muninn/knowledge/a.txt", ""),
        (".muninn/memory/a.md", ""),
        ("docs/.muninn/knowledge/a.md", ""),
        ("README.md", ""),
    ],
)
def test_a_file_is_known_by_its_place(path, kind):
    assert own_kind(path) == kind


def test_a_heading_of_a_file_with_other_line_ends_has_the_same_words():
    assert [each.title for each in headings("# Tokens\r\n\r\n## Life ##\r\n")] == ["Tokens", "Life"]
