"""Texts for people and models have no "1 memories": a number before a noun comes from `number_of`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from muninn_core.model.counting import number_of, number_of_kind

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ("core", "cli", "lsp_server", "hooks")

NOUNS = (
    "agents|branches|calls|candidates|chunks|clients|commits|conflicts|contexts|contradictions|days|decisions|"
    "definitions|documents|duplicates|entries|events|files|folders|hits|items|leases|lines|links|matches|memories|"
    "modules|ones|packages|pairs|pieces|places|problems|questions|records|references|repositories|results|secrets|"
    "segments|sessions|statements|steps|tasks|times|transcripts|turns|weeks|words"
)
NUMBERED = re.compile(rf"^ (?:(?!of |in |to |and |or )[a-z]+ )?({NOUNS})\b(?!; the limit)")

SCRIPTS = (
    "vscode-extension/src",
    "lsp_server/muninn_server/http/page_files",
    "core/muninn_core/engine/memory/exchange/html_export_files",
    "hooks/muninn_hooks/neovim",
    "hooks/muninn_hooks/snippets",
)
INSERTED = re.compile(rf"(?:\$\{{(?![A-Z_]+\b)[^{{}}()]*\}}|%d) (?:[a-z]+ )?(?:{NOUNS})\b")
"""A number that a script puts before a noun without a call, as `${{rows.length}} memories` or `%d files`."""

MORE_THAN_ONE = {
    ("agents.py", "len(names)"),
    ("candidates.py", "len(found)"),
    ("context_store.py", "len(matches)"),
    ("definitions.py", "len(labels)"),
    ("link_ranking.py", "step"),
    ("markdown_diagnostics.py", "count"),
    ("question.py", "len(candidates)"),
    ("recall.py", "distinct"),
    ("reference_index.py", "len(paths)"),
    ("session_memories.py", "len(last)"),
    ("team.py", "params.parties"),
    ("text.py", "hit.chunks"),
}
"""Values before a noun that are never 1, by file."""

NO_NUMBERS = {"event_id", "main", "memory.id", "program", "result.density", "result['density']", "result['route']"}
"""Values that are words, or have decimals."""


def counted(tree: ast.AST) -> Iterator[tuple[str, str, int]]:
    """Yield each value that a text puts before a noun in the plural: the value, the noun and the line."""
    for node in ast.walk(tree):
        for value, text in zip(node.values, node.values[1:], strict=False) if isinstance(node, ast.JoinedStr) else ():
            if isinstance(value, ast.FormattedValue) and isinstance(text, ast.Constant):
                noun = NUMBERED.match(str(text.value))
                written = ast.unparse(value.value)
                if noun and not written.isupper() and written not in NO_NUMBERS:
                    yield written, noun[1], text.lineno


@pytest.mark.parametrize("folder", SOURCES)
def test_a_number_before_a_noun_comes_from_the_helper(folder: str) -> None:
    wrong = [
        f"{path.relative_to(ROOT)}:{line}: {{{value}}} {noun}"
        for path in sorted((ROOT / folder).rglob("*.py"))
        for value, noun, line in counted(ast.parse(path.read_text("utf-8")))
        if (path.name, value) not in MORE_THAN_ONE
    ]
    assert wrong == []


@pytest.mark.parametrize("folder", SCRIPTS)
def test_a_number_before_a_noun_comes_from_the_helper_of_a_script(folder: str) -> None:
    wrong = [
        f"{path.relative_to(ROOT)}: {found[0]}"
        for path in sorted((ROOT / folder).rglob("*"))
        if path.suffix in (".ts", ".js", ".lua", ".el")
        for found in INSERTED.finditer(path.read_text("utf-8"))
    ]
    assert wrong == []


def test_the_search_finds_a_number_before_a_noun() -> None:
    text = 'f"{number} memories and {len(x)} more files of {MOST} files; {one} of them"'
    assert [each[:2] for each in counted(ast.parse(text))] == [("number", "memories"), ("len(x)", "files")]
    assert INSERTED.search("`${rows.length} memories`")
    assert INSERTED.search("('%d more files'):format(n)")
    assert not INSERTED.search("`${counted(rows.length, 'row', 'rows')} of ${MOST} files, ${from} to ${to}`")


def test_the_helper_counts() -> None:
    assert [number_of(n, "file") for n in (0, 1, 2, 1000)] == ["0 files", "1 file", "2 files", "1,000 files"]
    assert [number_of(n, "memory waits", "memories wait") for n in (1, 2)] == ["1 memory waits", "2 memories wait"]
    assert [number_of_kind(n, "bug_fix") for n in (1, 2)] == ["1 bug fix", "2 bug fixes"]
    assert [number_of_kind(n, "context_hit") for n in (1, 2)] == ["1 context hit", "2 context hits"]
