"""What is shipped for editors that are not tried here can be read as what it is, and is what the manual shows."""

from __future__ import annotations

import json
import re
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


@pytest.mark.parametrize("editor", TRIED)
def test_each_cell_of_the_table_of_what_was_tried_names_a_test_that_is_there(editor):
    rows = [
        line.strip("| ").split(" | ") for line in MANUAL.split("## What was tried")[1].split("\n##")[0].splitlines()
    ]
    cells = [row[1 + list(TRIED).index(editor)] for row in rows if len(row) == 4 and "---" not in row[0]]
    names = [name for cell in cells for name in re.findall(r"`([^`]+)`", cell)]
    assert len(names) >= 12
    tests = "\n".join((ROOT / path).read_text("utf-8") for path in TRIED[editor])
    assert [name for name in names if f"'{name}'" not in tests and f'"{name}"' not in tests] == []
