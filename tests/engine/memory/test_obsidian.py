"""The notes of `export --form obsidian`: links, canvas, and that no text of a memory becomes markup."""

from __future__ import annotations

import json
import re

import yaml
from markdown_it import MarkdownIt

pytest_plugins = ["engines"]

HOSTILE = "![x](https://localhost/p.png) <img src=x> [[other|note]] ![[embed]] `code`\n# head\n---\n../../up: |"


def test_notes_link_to_each_other_and_to_files_and_the_canvas_draws_the_links(muninn):
    first = muninn.call("remember", text="Buoys are painted in May.", type="decision", files=["src/users.py"]).ids[0]
    link = {"relation": "extends", "target": first}
    second = muninn.call(
        "remember", text="The paint is red: it lasts.", tags=["a b"], links=[link], questions=["Which colour?"]
    ).ids[0]
    gone = muninn.call("remember", text="Buoys are blue.").ids[0]
    muninn.call("forget", id=gone)
    done = muninn.call("export", form="obsidian")
    assert (done.memories, done.records) == (2, ())
    notes = {path.rpartition("/")[2][-11:-3]: path for path in done.files if path.endswith(".md")}
    one, other = (notes[identity[-8:]] for identity in (first, second))
    assert one == f"decision/Buoys are painted in May {first[-8:]}.md"
    assert f"- extends [[{one.removesuffix('.md')}]]" in done.files[other]
    assert "## Answers\n\n- Which colour?\n\n## Links" in done.files[other]
    assert "[[files/src - users.py|src users.py]]" in done.files[one]
    assert "files/src - users.py.md" in done.files
    properties = yaml.safe_load(done.files[other].split("---")[1])
    assert (properties["id"], properties["tags"]) == (second, ["a-b"])
    canvas = json.loads(done.files["Memory.canvas"])
    assert {node["file"] for node in canvas["nodes"]} == {one, other}
    assert [(edge["fromNode"], edge["toNode"], edge["label"]) for edge in canvas["edges"]] == [
        (second, first, "extends")
    ]
    assert muninn.call("export", form="obsidian").files == done.files


def test_hostile_texts_are_texts_and_leave_the_folder_nowhere(muninn):
    muninn.call(
        "remember",
        text=HOSTILE,
        title="../../etc/pass:wd [[x]]",
        tags=["x: ]"],
        files=["src/users.py"],
        questions=[HOSTILE],
    )
    files = muninn.call("export", form="obsidian").files
    for path, text in files.items():
        assert ".." not in path.split("/")
        assert not re.search(r"[\[\]:|#^\\\\]", path.rpartition("/")[2])
        if path.endswith(".md"):
            body = text.split("---", 2)[2] if text.startswith("---") else text
            kinds = {token.type for block in MarkdownIt("commonmark").parse(body) for token in block.children or ()}
            assert not kinds & {"image", "link_open", "html_inline"}
            assert not re.search(r"!\[\[|\[\[other", body)


def test_notes_about_files_with_long_paths_have_names_that_a_file_system_allows(muninn):
    long = "/".join(["a-folder-with-a-long-name", "überlänge"] * 12)
    muninn.call("remember", text="Both are generated.", files=[f"{long}/one.py", f"{long}/two.py"])
    files = muninn.call("export", form="obsidian").files
    about = [path for path in files if path.startswith("files/")]
    assert len(about) == 2
    assert all(len(path.rpartition("/")[2].encode()) <= 255 for path in about)
    (note,) = (text for path, text in files.items() if path not in about and path.endswith(".md"))
    assert all(path.removesuffix(".md") in note for path in about)
