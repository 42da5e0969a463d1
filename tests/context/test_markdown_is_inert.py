"""What editors show as markdown has no links, images or HTML of a memory's author: links may be commands."""

from __future__ import annotations

from urllib.parse import quote

import pytest
from markdown_it import MarkdownIt

from muninn_core.engine.file.uris import linker

pytest_plugins = ["engines"]

HOSTILE = (
    "[run](command:workbench.action.terminal.new) ![pixel](https://localhost/x.png) <img src=x onerror=alert(1)> "
    "<https://localhost> `code` [ref][1] \\[x](command:a) ]( **bold** # head\n\n[1]: command:b\n\n<script>x</script>"
)
OURS = (
    *("muninn:/", "file:///", "command:muninn.confirm?", "command:muninn.forget?", "command:muninn.write?"),
    *("<details><summary>Details</summary>", "<details><summary>History</summary>", "</details>"),
)
INERT = {"link_open", "image", "html_inline", "html_block"}


def active_parts(markdown: str) -> list[str]:
    """Return the links, images and HTML of a markdown text, but Muninn's own."""
    found = []
    for block in MarkdownIt("commonmark").parse(markdown):
        for token in (block, *(block.children or ())):
            if token.type in INERT:
                target = str(token.attrs.get("href", token.attrs.get("src", token.content)))
                found += [] if target.startswith(OURS) else [f"{token.type} {target}"]
    return found


@pytest.fixture
def pulled(muninn):
    """Memories whose every text is hostile, as they arrive by a pull."""
    fields = {
        "text": HOSTILE,
        "title": HOSTILE[:120],
        "files": ["src/users.py", "a](command:c) `x`"],
        "cites": [
            {"path": "src/users.py", "start": 6, "end": 8, "symbol": "[s](command:d)", "hash": "1-00000000-" + "0" * 16}
        ],
        "tags": ["[t](command:e)"],
        "questions": [HOSTILE],
        "agent": "[a](command:f)",
        "actor": "[a](command:g)",
        "branch": "[b](command:h)",
        "commit": "x) [c](command:i",
        "task": "[k](command:j)",
    }
    ids = [muninn.call("remember", text="Users are kept in a dictionary.", files=["src/users.py"]).ids[0]]
    for number, kind in enumerate(("decision", "[y](command:k)")):
        record = {"id": f"pulled{number}](command:l)", "type": kind, "ts": "2026-02-01T10:00:00.000Z", **fields}
        muninn.engine.open(muninn.location).memory.append([record], "s1")
        ids.append(record["id"])
    muninn.call("index", wait=True)
    return muninn, ids


def test_no_hover_preview_or_completion_has_active_parts_of_a_memory(pulled):
    muninn, ids = pulled
    shown = [muninn.call("about", file="src/users.py", line=line, links=True).text for line in (0, 6)]
    text = "\n".join(f"@muninn:memory/{identity} @memory:{identity}" for identity in ids)
    text += "\n@src/users.py @?users\n"
    references = muninn.call("references", path=".muninn/context/x.md", text=text).references
    shown += [each.markdown for each in references]
    shown += [each.markdown for each in muninn.call("names", text="", kinds=["memory"]).names]
    shown += [muninn.call("about", file="src/users.py", line=0, links=True, rich=True).text]
    addresses = [*(f"muninn:/memory/{quote(identity)}.md" for identity in ids), "muninn:/notes/src/users.py.md"]
    shown += [
        muninn.call("document", uri=uri, form=form).text for uri in addresses for form in ("text", "page", "card")
    ]
    assert "workbench" in "".join(shown)
    assert [part for markdown in shown for part in active_parts(markdown)] == []


def test_the_address_of_a_link_ends_where_it_should(muninn):
    link = linker(muninn.root, virtual=True)
    for what in ("memory", "commit", "notes", "file"):
        address = link(what, "x) [c](command:i) <y> `z`")
        assert active_parts(f"[text]({address})") == []
