"""Search, read and list the files of a work tree through the engine."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from muninn_core.context.results.text import render
from muninn_core.errors import BadParams, NotFoundError

if TYPE_CHECKING:
    from engines import Muninn

pytest_plugins = ["engines"]

FILES = {
    "src/users.py": "def forgetUser(name):\n    return name\n\n\ndef getUser():\n    return 1\n",
    "src/deep/er/names.py": "# größer: getUser\nNAME = 'ü' * 3  # getUser getUser\n",
    "src/long.js": "x" * 5_000 + "needle" + "y" * 5_000 + "\n",
    "docs/guide.md": "# Guide\r\n\r\nCall getUser.\r\n",
    "build/out.py": "getUser = 1\n",
    "data.bin": "a\0getUser\n",
    "empty.py": "",
    ".gitignore": "build/\n",
}


@pytest.fixture(scope="module")
def files(start_shared, tmp_path_factory: pytest.TempPathFactory) -> Muninn:
    root = tmp_path_factory.mktemp("files")
    for path, text in FILES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(text.encode())
    (root / "escape.py").symlink_to("/etc/passwd")
    (root / "away").symlink_to("/etc")
    muninn: Muninn = start_shared(root)
    muninn.call("init")
    muninn.call("index", wait=True)
    return muninn


def lines(result) -> list[tuple[str, int]]:
    return [(match.path, match.line) for match in result.matches]


def test_grep_finds_each_line_once_within_words_and_not_in_ignored_or_binary_files(files: Muninn):
    found = files.call("grep", pattern="getUser")
    assert lines(found) == [
        ("docs/guide.md", 3),
        ("src/deep/er/names.py", 1),
        ("src/deep/er/names.py", 2),
        ("src/users.py", 1),
        ("src/users.py", 5),
    ]
    assert (found.total, found.files, found.omitted, found.unsearched) == (5, 3, 0, 0)
    assert found.matches[0].text == "Call getUser."
    assert found.matches[1].text == "# größer: getUser"


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"pattern": "getUser", "word": True, "path": ["src/users.py"]}, [("src/users.py", 5)]),
        ({"pattern": "GETUSER", "ignore_case": True, "lang": ["md"]}, [("docs/guide.md", 3)]),
        ({"pattern": "getUser()", "fixed": True}, [("src/users.py", 5)]),
        ({"pattern": "^def \\w+User\\b", "path": ["src"]}, [("src/users.py", 1), ("src/users.py", 5)]),
        ({"pattern": "name[^x]*return"}, []),  # a match stays within a line
        ({"pattern": "return$"}, []),
        ({"pattern": "^$", "path": ["src/users.py"]}, [("src/users.py", 3), ("src/users.py", 4)]),
        ({"pattern": "name\\nfoo|ü"}, [("src/deep/er/names.py", 2)]),
    ],
)
def test_grep_options(files: Muninn, given, expected):
    assert lines(files.call("grep", **given)) == expected


def test_grep_counts_what_the_limit_cuts(files: Muninn):
    found = files.call("grep", pattern="getUser", limit=2)
    assert (len(found.matches), found.total, found.omitted) == (2, 5, 3)
    assert "3 lines are left out" in render(found)
    counted = files.call("grep", pattern="getUser", count=True, limit=1)
    assert [(each.path, each.lines) for each in counted.counts] == [("docs/guide.md", 1)]
    assert (counted.matches, counted.total, counted.omitted) == ((), 5, 4)


def test_grep_shows_lines_around_and_cuts_long_ones_around_the_match(files: Muninn):
    first = files.call("grep", pattern="return name", context=1).matches[0]
    assert (first.before, first.after) == (("def forgetUser(name):",), ("",))
    long = files.call("grep", pattern="needle").matches[0].text
    assert "needle" in long
    assert len(long) < 310


def test_grep_takes_linear_time_and_says_what_is_wrong_with_an_expression(files: Muninn):
    begun = time.process_time()
    files.call("grep", pattern="(x+x+)+z")
    assert time.process_time() - begun < 5
    with pytest.raises(BadParams, match="not a regular expression"):
        files.call("grep", pattern="(unclosed")
    with pytest.raises(BadParams, match="not a regular expression"):
        files.call("grep", pattern=r"(a)\1")
    with pytest.raises(BadParams, match="no language"):
        files.call("grep", pattern="x", lang=["klingon"])
    with pytest.raises(BadParams, match="below the root"):
        files.call("grep", pattern="x", path=["../other"])


def test_read_returns_lines_and_counts_the_rest(files: Muninn):
    whole = files.call("read", path="src/users.py")
    assert whole.lines == tuple(FILES["src/users.py"].splitlines())
    assert (whole.start, whole.end, whole.total, whole.omitted) == (1, 6, 6, 0)
    part = files.call("read", path=str(files.root / "src/users.py"), start=2, end=6, limit=2)
    assert (part.lines, part.end, part.omitted) == (("    return name", ""), 3, 3)
    assert "read from line 4" in render(part)
    assert files.call("read", path="docs/guide.md", start=3).lines == ("Call getUser.",)
    assert files.call("read", path="src/long.js").cut > 8_000
    assert files.call("read", path="empty.py").lines == ()


@pytest.mark.parametrize(
    ("path", "error", "message"),
    [
        ("../outside.py", BadParams, "outside the work tree"),
        ("/etc/passwd", BadParams, "outside the work tree"),
        ("src/../../x", BadParams, "outside the work tree"),
        ("away/passwd", BadParams, "symbolic link"),
        ("escape.py", BadParams, "symbolic link"),
        ("build/out.py", NotFoundError, "ignored"),
        ("data.bin", NotFoundError, "binary"),
        (".muninn/config.yaml", NotFoundError, "ignored"),
        ("src", NotFoundError, "is a folder"),
        ("src/user.py", NotFoundError, "there is no file"),
        ("a\0b", BadParams, "NUL"),
    ],
)
def test_read_refuses_what_is_outside_ignored_or_missing(files: Muninn, path, error, message):
    with pytest.raises(error, match=message):
        files.call("read", path=path)


def test_read_refuses_lines_that_are_not_there(files: Muninn):
    with pytest.raises(BadParams, match="has 6 lines"):
        files.call("read", path="src/users.py", start=7)
    with pytest.raises(BadParams, match="before the first"):
        files.call("read", path="src/users.py", start=3, end=2)


def test_a_file_that_was_just_written_is_read(files: Muninn):
    (files.root / "src" / "new.py").write_text("NEW = 1\n")
    assert files.call("read", path="src/new.py").lines == ("NEW = 1",)
    (files.root / "src" / "new.py").unlink()
    files.touch("src/new.py")


def test_tree_shows_folders_with_their_files(files: Muninn):
    found = files.call("tree", depth=1)
    assert {each.path: each.files for each in found.entries}["src/"] == 3
    assert "build/" not in {each.path for each in found.entries}
    inner = files.call("tree", path="src")
    assert [each.path for each in inner.entries] == ["src/deep/", "src/deep/er/", "src/long.js", "src/users.py"]
    few = files.call("tree", path="src", limit=3)
    assert [each.path for each in few.entries] == ["src/deep/", "src/long.js", "src/users.py"]
    assert few.omitted == 1
    for path, message in (("src/users.py", "is a file"), ("scr", "Did you mean src|no folder"), ("build", "no folder")):
        with pytest.raises(NotFoundError, match=message):
            files.call("tree", path=path)
    with pytest.raises(BadParams, match="outside"):
        files.call("tree", path="../..")


def test_list_filters_and_pages(files: Muninn):
    assert [each.path for each in files.call("files", path=["*.py"]).files] == [
        "empty.py",
        "src/deep/er/names.py",
        "src/users.py",
    ]
    assert [each.path for each in files.call("files", kind="knowledge", path=["docs"]).files] == ["docs/guide.md"]
    second = files.call("files", path=["*.py"], limit=1, offset=1)
    assert ([each.path for each in second.files], second.total, second.omitted) == (["src/deep/er/names.py"], 3, 1)
    assert "No file matches" in render(files.call("files", path=["*.rs"]))
