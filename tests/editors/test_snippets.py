"""The documentation of editors: its configurations equal the shipped ones, and each tested feature has a test."""

from __future__ import annotations

import json
import tomllib
from importlib.resources import files
from pathlib import Path

import pytest

SNIPPETS = files("muninn_hooks") / "snippets"
ROOT = Path(__file__).resolve().parents[2]
MANUAL = (ROOT / "docs" / "editors.md").read_text("utf-8")

TRIED = {
    "VS Code": tuple(
        f"vscode-extension/test/{name}"
        for name in (
            "integration/daily.ts",
            "integration/files.ts",
            "integration/trouble.ts",
            "integration/repositories.ts",
            "daily.mjs",
            "several.mjs",
            "unusual.mjs",
        )
    ),
    "Neovim": ("tests/editors/neovim.lua", "tests/editors/neovim_helper.lua"),
    "Emacs": ("tests/editors/emacs.el",),
}


@pytest.mark.parametrize(
    ("name", "server"),
    [
        ("helix.toml", lambda read: [read["language-server"]["muninn"]["command"]]),
        ("zed.json", lambda read: [read["context_servers"]["muninn"]["command"]]),
        ("sublime.json", lambda read: read["clients"]["muninn"]["command"][:1]),
        ("jetbrains.json", lambda read: read["programArgs"]["default"].split()[:1]),
    ],
)
def test_a_configuration_can_be_read_starts_muninn_and_is_the_one_in_the_manual(name, server):
    text = (SNIPPETS / name).read_text("utf-8")
    read = tomllib.loads(text) if name.endswith(".toml") else json.loads(text)
    assert server(read) == ["muninn"]
    assert text in MANUAL


CHECKED: dict[str, tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]] = {
    "hover": (("the hover shows the memory, and its link opens the page",), ("hover", ":MuninnShow"), ("hover",)),
    "lenses": (
        ("a lens shows its memories as cards below the line",),
        ("lenses", "a lens opens what it counts"),
        ("lenses",),
    ),
    "inlay hints": (
        ("with that setting notes are inlay hints at line ends, without it lenses",),
        ("inlay hints",),
        (),
    ),
    "diagnostics in code and in Muninn's files": (
        (
            "selected lines are cited, and a change of them is underlined",
            "broken frontmatter of a knowledge file is underlined",
        ),
        ("doubts", "columns of doubts", "diagnostics", "diagnostics after an edit"),
        ("diagnostics", "diagnostics of our files"),
    ),
    "completion in Muninn's files": (
        ("keys and values are completed in Muninn files only",),
        ("completion",),
        ("completion in our files",),
    ),
    "code actions, drafts": (
        ("a code action asks for a decision about the selected lines and stores it",),
        ("actions", "confirmed", "an action opens a draft"),
        ("actions", "confirmed"),
    ),
    "commands, errors with hints": (
        (
            "a failing command of a lens or code action shows a message and throws nothing",
            "a missing program is named, and a button opens its setting",
        ),
        ("remember", "recall", "an error says what to do"),
        ("executeCommand", "recall", "an error says what to do"),
    ),
    "definition, references": (
        ("definition and references work in Muninn files",),
        ("definition", "references"),
        ("definition", "references"),
    ),
    "outline": (("outline, folding ranges and semantic tokens follow the text",), ("outline",), ("outline",)),
    "colours": (("outline, folding ranges and semantic tokens follow the text",), ("colours",), ()),
    "folding": (("outline, folding ranges and semantic tokens follow the text",), (), ()),
    "workspace symbols": (
        ("workspace symbols include knowledge and memories",),
        ("workspace symbols",),
        ("workspace symbols",),
    ),
    "lens of a context file": (
        ("a lens above a context file shows the size of its pack and opens the pack",),
        ("a lens above a context file",),
        ("a lens above a context file",),
    ),
    "references follow renamed files": (("references are updated when a file is renamed",), (), ()),
    "documents": (
        ("the reasons of a hit open as a rendered page",),
        ("a memory opens as a document",),
        ("a memory opens as a document",),
    ),
    "recall, remember, context, this file, sessions": (
        (
            "Recall lists hits of all kinds and opens code at its line",
            "Remember stores a memory with a type and the active file, and the status bar counts it",
            "the views show all memories, those of the active file, and the open session",
            "Context opens a pack that contains the memory",
        ),
        (
            ":MuninnRecall lists code",
            ":MuninnRecall lists memories",
            ":MuninnRemember",
            ":MuninnDecide",
            ":MuninnThisFile",
            ":MuninnSessions",
            ":MuninnContext",
        ),
        (
            "muninn-recall",
            "muninn-remember",
            "muninn-show",
            "muninn-this-file",
            "muninn-sessions",
            "muninn-context",
        ),
    ),
    "several repositories": (
        (
            "a server that crashes does not affect the other one",
            "status bar, views and lists follow the repository of the editor, and name it",
        ),
        (),
        (),
    ),
    "agents in the editor (MCP)": (
        (
            "a language model of the editor can call the recall tool",
            "agent mode finds the MCP tools without configuration",
        ),
        (),
        (),
    ),
}
"""The names of the tests of each feature, for each editor of `TRIED`."""


def test_the_table_of_tested_editors_claims_what_tests_check():
    lines = MANUAL.split("## Tested editors")[1].split("\n##")[0].splitlines()
    rows = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in lines if line.startswith("|")]
    assert rows[0][1:] == list(TRIED)
    claimed = {row[0]: tuple(bool(cell) and not cell.startswith("not ") for cell in row[1:]) for row in rows[2:]}
    assert claimed == {feature: tuple(map(bool, tests)) for feature, tests in CHECKED.items()}


@pytest.mark.parametrize("editor", TRIED)
def test_the_tests_of_each_editor_exist(editor):
    names = [name for tests in CHECKED.values() for name in tests[list(TRIED).index(editor)]]
    assert len(names) >= 12
    tests = "\n".join((ROOT / path).read_text("utf-8") for path in TRIED[editor])
    assert [name for name in names if f"'{name}'" not in tests and f'"{name}"' not in tests] == []
