"""Texts of a repository on which an expression that backtracks takes minutes or for ever, with the daemon waiting."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from muninn_core.capture.statements.statement_cues import Setting, read_cues
from muninn_core.model.memory import Memory
from muninn_core.reconcile.comment_conflicts import find_objection
from muninn_core.retrieval.query.long_questions import read_long_question
from muninn_core.retrieval.query.query_terms import parse_query
from muninn_core.source.chunks.prose import read_prose
from muninn_core.source.code.aliases import resolve_alias
from muninn_core.source.code.grammar import is_safe_to_parse
from muninn_core.source.documents.adr import read_adr
from muninn_core.source.documents.document import find_mentions
from muninn_core.source.documents.markup import headings
from muninn_core.source.documents.metis import read_metis
from muninn_core.source.documents.project import parse_project
from muninn_core.source.packages import declared
from muninn_core.source.private_spans import strip_private

SECONDS = 2.0
"""The most processor time of a case. Each took five seconds or more, most of them hours."""

GAP = " " * 50_000


class OneFile:
    """A repository whose files all have one text."""

    def __init__(self, text: str) -> None:
        self._text = text

    def exists(self, path: str) -> bool:
        """Whether a file exists."""
        return bool(path)

    def text(self, path: str) -> str:
        """Return the text of a file."""
        return self._text if path else ""


def aliases(text: str) -> list[str]:
    return list(resolve_alias("src/a.ts", "x", OneFile(text)))


EXTENDS = '{"extends": [' + ", ".join(['"./tsconfig.json"', '"./b.json"'] * 15) + "]}"
MEMORY = Memory(id="m1", ts="2026-01-01T00:00:00Z", type="insight", session="s", actor="user", text="The port is 80.")
SETTING = Setting(speaker="user", first=True, last=True, message_number=1)

CASES: dict[str, Callable[[], object]] = {
    "a statement of C++ that writes thirty values": lambda: is_safe_to_parse(b"cout" + b" << x" * 32 + b";\n"),
    "blanks in a heading": lambda: read_prose(f"# a{GAP}b\n"),
    "blanks in a heading of AsciiDoc": lambda: read_prose(f"= a{GAP}b\n"),
    "brackets in a heading": lambda: read_prose("# " + "[" * 50_000 + "\n"),
    "blanks in a heading of a page": lambda: headings(f"# a{GAP}b\n"),
    "blanks in the title of a decision": lambda: read_adr("docs/adr/1-a.md", f"# a{GAP}b\n"),
    "asterisks behind the date of a decision": lambda: read_adr("docs/adr/1-a.md", "# a\n\ndate" + "*" * 50_000 + "\n"),
    "blanks in the title of a task": lambda: read_metis(".metis/vision.md", f"# a{GAP}b\n"),
    "blanks in the name of a project": lambda: parse_project(f"# a{GAP}b\n"),
    "backticks in a document": lambda: find_mentions("a.md", "`" * 50_000),
    "blanks in a private tag": lambda: strip_private(f"<{GAP}"),
    "comments in tsconfig.json that do not end": lambda: aliases("/* " * 30_000),
    "strings in tsconfig.json that do not end": lambda: aliases('"' + '\\"' * 30_000),
    "a tsconfig.json that extends itself": lambda: aliases(EXTENDS),
    "dots in go.mod": lambda: declared("go.mod", "require " + "." * 50_000),
    "blanks in a comment": lambda: find_objection(MEMORY, [f"# a{GAP}b"], 1),
    "digits in a message": lambda: read_cues("It has " + "1" * 5_000 + " rows", SETTING),
    "blanks in a question": lambda: read_long_question(f"Question\n# a{' ' * 3_900}b"),
    "blanks behind the scope of a question": lambda: parse_query(f"a:{GAP}!"),
}


@pytest.mark.parametrize("case", CASES)
def test_the_time_grows_with_the_length_of_a_text(case: str) -> None:
    begun = time.process_time()
    CASES[case]()
    assert time.process_time() - begun < SECONDS


@pytest.mark.parametrize(
    ("line", "title"),
    [
        ("# Title ##", "Title"),
        ("# Title", "Title"),
        ("# Calls from C#", "Calls from C#"),
        ("# a # #", "a #"),
        ("# ##", "##"),
        ("#  ", ""),
    ],
)
def test_number_signs_behind_a_blank_close_a_heading(line: str, title: str) -> None:
    assert [text for _, _, text in read_prose(f"{line}\n").heads] == [title]
    assert [heading.title for heading in headings(f"{line}\n")] == [title]
