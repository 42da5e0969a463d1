import pytest

from muninn_core.source.documents.frontmatter import check_frontmatter, read_frontmatter

GOOD = """---
type: convention
domain: error-handling
confidence: high
source: team-decision
tags: [api, errors]
---
# Error Handling Convention
"""


def test_a_good_file_has_no_problems_and_gives_its_fields():
    assert check_frontmatter(GOOD) == []
    fields, body = read_frontmatter(GOOD)
    assert fields["domain"] == "error-handling"
    assert GOOD.split("\n")[body].startswith("# Error")


@pytest.mark.parametrize("text", ["# No frontmatter\n", "", "---\n---\ntext", "--- not one\n"])
def test_a_file_without_frontmatter_has_no_problems(text):
    assert check_frontmatter(text) == []
    assert read_frontmatter(text)[0] == {}


@pytest.mark.parametrize(
    ("yaml", "line", "column", "part"),
    [
        ("type: a\ndomian: b", 3, 1, "did you mean `domain`?"),
        ("zzz: 1", 2, 1, "allowed are confidence"),
        ("type: a\nconfidence: certain", 3, 13, "low, medium, high, or a number from 0 to 1"),
        ("confidence: 1.5", 2, 13, "number from 0 to 1"),
        ("confidence: .nan", 2, 13, "number from 0 to 1"),
        ("tags: {a: b}", 2, 7, "list of texts"),
        ("title: [a]", 2, 8, "one text"),
        ("type:", 2, 6, "empty"),
        ("created: soon", 2, 10, "a date like"),
        ("type: a\ntype: b", 3, 1, "twice"),
        ("type: [a", 3, 1, "not valid YAML"),
        ("- a\n- b", 2, 1, "`key: value` lines"),
    ],
)
def test_each_problem_is_named_at_its_place(yaml, line, column, part):
    problems = check_frontmatter(f"---\n{yaml}\n---\nbody\n")
    assert [(p.line, p.column) for p in problems] == [(line, column)]
    assert part in problems[0].message


@pytest.mark.parametrize("value", ["low", "medium", "high", "0", "1", "0.35"])
def test_confidence_is_a_level_or_a_share(value):
    assert check_frontmatter(f"---\nconfidence: {value}\n---\n") == []


def test_frontmatter_that_is_not_closed_is_one_problem():
    problems = check_frontmatter("---\ntype: a\n# Title\n")
    assert [(p.line, p.column) for p in problems] == [(1, 1)]
    assert "not closed" in problems[0].message


@pytest.mark.parametrize("yaml", ["{broken: [", "&a [*a]", "!!python/object:os.system x"])
def test_unreadable_frontmatter_is_no_reason_not_to_read_the_body(yaml):
    fields, body = read_frontmatter(f"---\n{yaml}\n---\nbody")
    assert fields == {}
    assert body == 3


def test_frontmatter_makes_plain_values_only():
    assert [p.line for p in check_frontmatter("---\ntype: !!python/object/apply:os.getcwd []\n---\n")] == [2]


def test_deep_nesting_ends_nothing():
    for deep in ("[" * 200_000 + "]" * 200_000, "- " * 200_000, "{a: " * 100_000):
        text = f"---\ntitle: kept\ntags: {deep}\n---\nbody\n"
        assert read_frontmatter(text) == ({}, 4)
        assert [problem.message[:15] for problem in check_frontmatter(text)] == ["not valid YAML:"]
