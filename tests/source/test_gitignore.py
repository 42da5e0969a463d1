"""Patterns match as git's do, in ignore files and in filters, in linear time."""

from __future__ import annotations

import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muninn_core.gitignore import MAX_CHARACTERS, IgnoreRules, compile_glob
from muninn_core.source.listing.ignore import IgnoreTree


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    """An empty repository."""
    root = tmp_path_factory.mktemp("repository")
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    return root


@pytest.mark.parametrize(
    ("pattern", "matching", "others"),
    [
        ("src/**", ["src/a", "src/b/c"], ["x/src/a", "srcs/a"]),
        ("*.py", ["a.py", "x/y.py", "folder.py/z"], ["a.pyc", "a.py.txt"]),
        ("tests", ["tests/a", "x/tests/b", "tests"], ["tests2/a"]),
        ("/src", ["src/a", "src"], ["x/src/a"]),
        ("src/", ["src/a", "x/src/a"], ["src"]),
        ("**/foo/*.py", ["foo/a.py", "x/y/foo/b.py"], ["foo/x/a.py"]),
        ("a/**/b/**/c.py", ["a/b/c.py", "a/x/b/y/z/c.py"], ["a/c.py"]),
        ("src/*/x.[ch]", ["src/q/x.c"], ["src/q/x.p", "src/q/r/x.c"]),
        ("[!a]*.py", ["b.py"], ["a.py"]),
        ("a*b", ["ab", "aXbYb", "x/acb"], ["abc", "ab.x"]),
        ("**/a/b", ["a/a/b"], ["a/x/b"]),
        ("**/a*/**/c", ["ab/a/c/d"], ["c", "b/c"]),
        ("s?c/x", ["src/x"], ["s/c/x"]),
        ("**", ["a", "a/b"], []),
        (r"\*.py", ["*.py"], ["a.py"]),
    ],
)
def test_a_glob_matches_what_it_matches_in_gitignore(pattern, matching, others):
    matches = compile_glob(pattern)
    assert [path for path in (*matching, *others) if matches(path)] == matching


_SEGMENTS = st.text("ab*?.", min_size=1, max_size=4) | st.sampled_from(
    [
        "**",
        "***",
        "[ab]",
        "[!a]",
        "[^b]x",
        "[]a]",
        "[a-c]",
        "[-a]",
        "[a\\]]",
        "[[:alpha:]]",
        "\\a",
        "\\*",
        "a\\ ",
        "#a",
        "!a",
    ]
)
_PATTERNS = st.tuples(
    st.sampled_from(["", "", "/", "!", "!/"]),
    st.lists(_SEGMENTS, min_size=1, max_size=4).map("/".join),
    st.sampled_from(["", "", "/", "/**", "/*", " ", "/**/"]),
).map("".join)
_NAMES = st.text("ab.", min_size=1, max_size=3) | st.sampled_from(["*", "a ", "#a", "!a", "]", "-", "1"])
_PATHS = st.lists(_NAMES.filter(lambda name: name not in (".", "..")), min_size=1, max_size=4).map("/".join)


@settings(max_examples=100, deadline=None)
@given(
    patterns=st.lists(_PATTERNS, min_size=1, max_size=4), paths=st.lists(_PATHS, min_size=1, max_size=20, unique=True)
)
def test_an_ignore_file_ignores_what_git_ignores(repository, patterns, paths):
    (repository / ".gitignore").write_text("\n".join(patterns) + "\n")
    command = ["git", "-C", str(repository), "check-ignore", "--no-index", "-z", "--stdin"]
    done = subprocess.run(command, input="\0".join(paths), capture_output=True, text=True, check=False)
    tree = IgnoreTree(repository, (".gitignore",), ())
    assert [path for path in paths if tree.is_ignored(path)] == [
        path for path in paths if path in done.stdout.split("\0")
    ]


@given(_PATTERNS.filter(lambda pattern: pattern[0] not in "!#" and not pattern.endswith(" ")), _PATHS)
def test_a_filter_means_what_the_same_pattern_means_in_an_ignore_file(pattern, path):
    try:
        matches = compile_glob(pattern)
    except ValueError:
        matches = None
    if matches is not None and {"", "."}.isdisjoint(pattern.strip("/").split("/")):
        assert matches(path) == IgnoreRules([pattern]).excludes(path)


@pytest.mark.parametrize(
    ("patterns", "path", "out"),
    [
        (["build/"], "build/a", True),
        (["build/", "!build/a"], "build/a", False),
        (["build/", "!build/"], "build/a", False),
        (["build/", "!build/keep/"], "build/keep/a", False),
        (["*.csv", "!data/"], "data/a.csv", True),
        (["!a.csv", "*.csv"], "a.csv", True),
        (["# a.csv", "", "a.csv  "], "a.csv", True),
        ([r"\#a", r"\!b"], "!b", True),
        (["a.csv\r"], "a.csv", True),
        (["[z-a]", "[a", "a\\", "/", "!", "//"], "a", False),
    ],
)
def test_a_list_excludes_by_the_last_pattern_for_the_file_and_else_for_a_folder(patterns, path, out):
    assert IgnoreRules(patterns).excludes(path) is out


def test_a_folder_that_is_brought_back_by_name_is_not_ignored(tmp_path):
    (tmp_path / ".gitignore").write_text("*\n!src/\n!src/**\n")
    tree = IgnoreTree(tmp_path, (".gitignore",), ())
    assert [tree.is_ignored("src/a"), tree.is_ignored("doc/a")] == [False, True]


def test_a_closer_ignore_file_that_keeps_a_folder_keeps_no_file_in_it(tmp_path):
    (tmp_path / "src" / "logs").mkdir(parents=True)
    (tmp_path / ".gitignore").write_text("*.log\n")
    (tmp_path / "src" / ".gitignore").write_text("!logs/\n")
    assert IgnoreTree(tmp_path, (".gitignore",), ()).is_ignored("src/logs/a.log")


@pytest.mark.parametrize(
    "bomb", ["**/**/**/a*a*a*a*b", "**/" * 50 + "a*" * 50 + "b", "**/a/" * 60 + "z", "a*" * 400, "*" * 900 + "b"]
)
def test_a_bomb_of_a_glob_comes_to_an_end(bomb):
    matches = compile_glob(bomb)  # with backtracking this would take longer than the age of the universe
    rules = IgnoreRules([bomb, bomb + "/", bomb + "/**"])  # an ignore file comes with the repository
    for path in ("c" * 4000, "a/" * 2000 + "c", "ca" * 2000):
        assert not matches(path)
        assert rules.decide(path) is None


@pytest.mark.parametrize("wrong", ["", "/", "../x", "[z-a]", "[a", "[[:word:]]", "a\\", "x" * (MAX_CHARACTERS + 1)])
def test_an_invalid_glob_is_refused(wrong):
    with pytest.raises(ValueError, match=r"pattern|set|class"):
        compile_glob(wrong)
