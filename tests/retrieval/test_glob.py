"""Globs mean what they mean in .gitignore, and none takes long."""

from __future__ import annotations

import pathspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from muninn_core.retrieval.glob import MOST_CHARACTERS, compile_glob


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


@given(
    st.lists(st.text("ab*?.", min_size=1, max_size=4) | st.just("**"), min_size=1, max_size=4),
    st.lists(st.text("ab.", min_size=1, max_size=3), min_size=1, max_size=4),
)
def test_globs_agree_with_gitignore(segments, names):
    pattern, path = "/".join(segments), "/".join(names)
    plain = all(segment == "**" or "**" not in segment for segment in segments)
    if not plain or {".", ".."} & {*segments, *names}:
        return  # `a**b` and dots have rules of their own there
    if pattern.endswith("/**") and path.count("/") == 0:
        return
    wanted = pathspec.GitIgnoreSpec.from_lines([pattern]).match_file(path)
    assert compile_glob(pattern)(path) == wanted


@pytest.mark.parametrize(
    "bomb", ["**/**/**/a*a*a*a*b", "**/" * 50 + "a*" * 50 + "b", "**/a/" * 60 + "z", "a*" * 400, "*" * 900 + "b"]
)
def test_a_bomb_of_a_glob_comes_to_an_end(bomb):
    matches = compile_glob(bomb)  # with backtracking this would take longer than the age of the universe
    assert not any(matches(path) for path in ("c" * 4000, "a/" * 2000 + "c", "ca" * 2000))


@pytest.mark.parametrize("wrong", ["", "/", "../x", "[z-a]", "x" * (MOST_CHARACTERS + 1)])
def test_what_is_no_glob_is_refused(wrong):
    with pytest.raises(ValueError, match=r"pattern|set"):
        compile_glob(wrong)
