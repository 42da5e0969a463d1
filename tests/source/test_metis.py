"""Parsing of Metis documents, ADRs of other forms, short codes and project names."""

from __future__ import annotations

import pytest

from muninn_core.source.documents.project import parse_project
from muninn_core.source.documents.shortcode import find_code_candidates, find_codes, level_of, same_code
from muninn_core.source.documents.steering import is_steering_document, read_steering_document

DECISION = """\
---
id: 003-one-queue-for-all-mail
level: adr
title: "One queue for all mail"
number: 3
short_code: "POST-A-0003"
created_at: 2026-02-01T08:15:00.120000+00:00
updated_at: 2026-02-03T09:00:00.000000+00:00
decision_date:{nothing}
decision_maker:{nothing}
parent:{nothing}
archived: false

tags:
  - "#adr"
  - "#phase/decided"


exit_criteria_met: false
strategy_id: NULL
initiative_id: NULL
---

# ADR-3: One queue for all mail

## Context

Letters were lost in POST-T-0012 when [the sorter](../../src/sorter.py) stopped. See src/mail/queue.py and `retry.py`.

```
src/never/this.py   POST-T-9999
```

## Decision

`MailQueue` takes everything, and `flush()` empties it; a plain `word` is no symbol.
""".replace("{nothing}", " ")


def document(text=DECISION, path=".metis/adrs/POST-A-0003.md"):
    found = read_steering_document(path, text)
    assert found is not None
    return found


def test_a_decision_is_read_with_its_empty_values_and_nulls():
    found = document()
    assert (found.level, found.id, found.short_code, found.number) == (
        "adr", "003-one-queue-for-all-mail", "POST-A-0003", 3,
    )  # fmt: skip
    assert (found.title, found.phase, found.status) == ("One queue for all mail", "decided", "decided")
    assert (found.parent, found.decided, found.archived, found.flaws) == ("", "", False, ())
    assert found.created.startswith("2026-02-01T08:15:00")
    assert found.tags == ("#adr", "#phase/decided")
    assert found.in_force
    assert not found.retired


def test_the_text_of_a_document_names_codes_files_and_symbols_outside_of_fenced_blocks():
    found = document()
    assert found.codes == ("POST-T-0012",)
    assert set(found.files) == {"src/sorter.py", "src/mail/queue.py", "retry.py"}
    assert found.symbols == ("MailQueue", "flush")


@pytest.mark.parametrize(
    ("tags", "archived", "status"),
    [
        ('["#adr", "#phase/superseded"]', "false", "superseded by POST-A-0009"),
        ('["#adr", "#phase/rejected"]', "false", "rejected"),
        ('["#adr", "#phase/decided"]', "true", "archived"),
        ('["#adr", "#phase/discussion"]', "false", "proposed"),
    ],
)
def test_a_decision_says_how_it_stands(tags, archived, status):
    text = f"---\nshort_code: POST-A-0004\ntags: {tags}\narchived: {archived}\n---\n# X\n\nSuperseded by POST-A-0009.\n"
    assert document(text).status_text == status


def test_the_level_of_a_document_without_one_is_told_by_its_tags_its_code_or_its_folder():
    assert document("---\ntags: ['#task']\n---\n").level == "task"
    assert document("---\nshort_code: POST-I-0001\n---\n").level == "initiative"
    assert document("# Free text\n", ".metis/archived/tasks/a.md").level == "task"
    assert document("# Free text\n", ".metis/vision.md").level == "vision"
    assert document("# Free text\n", ".metis/archived/tasks/a.md").status == "archived"


def test_broken_frontmatter_is_a_flaw_with_its_line_and_the_heading_still_tells_the_title():
    found = document("---\ntitle: [never closed\nlevel: task\n---\n\n# Sort the post\n", ".metis/tasks/t.md")
    assert (found.title, found.level) == ("Sort the post", "task")
    (flaw,) = found.flaws
    assert (flaw.line, "not valid YAML" in flaw.message) == (3, True)
    (open_end,) = document("---\ntitle: a\n").flaws
    assert "not closed" in open_end.message


def test_the_common_forms_of_decision_records_say_status_and_successor():
    said = "## Status\n\nSuperseded by [7. Sort by machine](0007-m.md)\n\n## Context\n\nLong ago.\n"
    nygard = f"# 3. Sort by hand\n\nDate: 2025-04-05\n\n{said}"
    found = document(nygard, "docs/adr/0003-sort-by-hand.md")
    assert (found.name, found.title, found.decided) == ("ADR 3", "Sort by hand", "2025-04-05")
    assert found.status_text == "superseded by ADR 7"
    newer = document(
        "# 7. Sort by machine\n\n## Status\n\nAccepted\n\nSupersedes [3. x](0003-x.md)\n", "docs/adr/0007-m.md"
    )
    assert (newer.in_force, newer.supersedes) == (True, ("ADR 3",))
    madr = document("---\nstatus: rejected\ndate: 2024-05-06\n---\n# Use pigeons\n", "docs/decisions/0009-pigeons.md")
    assert (madr.status, madr.decided, madr.retired) == ("rejected", "2024-05-06", True)
    older = document("# Use vans\n\n* Status: accepted\n* Date: 2020-01-02\n", "adr/0001-vans.md")
    assert (older.in_force, older.decided) == (True, "2020-01-02")
    assert document("# We use vans\n\nBecause.\n", "docs/adr/0002-vans.md").in_force


def test_only_files_in_known_places_are_documents():
    assert is_steering_document(".metis/initiatives/POST-I-0001/initiative.md")
    assert is_steering_document("docs/architecture/decisions/0001-x.md")
    for path in ("README.md", "docs/adr/README.md", "docs/adr/template.md", "docs/adr/x.txt", "src/adr/0001.md"):
        assert not is_steering_document(path)
        assert read_steering_document(path, DECISION) is None


def test_a_code_is_the_same_without_its_prefix_and_whatever_its_case():
    assert same_code("T-0042", "POST-T-0042")
    assert same_code("post-t-0042", "POST-T-0042")
    assert same_code("JIRA-7", "jira-7")
    for one, other in (("T-0042", "POST-T-00421"), ("0042", "POST-T-0042"), ("A-T-0042", "B-T-0042"), ("", "")):
        assert not same_code(one, other)


def test_codes_are_found_in_texts_and_in_names_of_branches():
    assert find_codes("see POST-T-0042, POST-T-0042 and XPOST-T-1; not post-t-0043") == ("POST-T-0042",)
    assert find_code_candidates("fix/post-t-0042-expiry") == ("post-t-0042", "t-0042")
    assert find_code_candidates("feature/T-0042") == ("T-0042",)
    assert find_code_candidates("release-2026-11") == ()
    assert (level_of("POST-T-0042"), level_of("a-0001"), level_of("nothing")) == ("task", "adr", "")


def test_a_project_is_named_by_frontmatter_else_by_heading_and_paragraph():
    whole = parse_project("---\nproject: post\ndescription: Moves letters.\n---\n# Other\n\nText.\n")
    assert (whole.name, whole.description) == ("post", "Moves letters.")
    plain = parse_project("# Post office\n\n[![ok](x)](y)\n\nMoves letters\nand parcels.\n\nMore.\n")
    assert (plain.name, plain.description) == ("Post office", "Moves letters and parcels.")
    generated = parse_project(
        "# CLAUDE.md\n\nThis file provides guidance to agents.\n\n## Parts\n\nA sorter and a van.\n"
    )
    assert (generated.name, generated.description) == ("", "A sorter and a van.")
    assert parse_project("---\nproject: [broken\n---\n# Still here\n").name == "Still here"
    assert parse_project("") == parse_project("```\n# no heading\n```\n")
