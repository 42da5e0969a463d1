"""Which files pass a filter, and what of it is kept."""

from __future__ import annotations

from muninn_core.index.file_list import FileList

FILES = (("a.py", "code", "python"), ("b/c.py", "code", "python"), ("b/d.md", "knowledge", "markdown"))


def test_the_files_that_pass_are_counted_by_kind_and_tested_once_for_each_filter():
    asked = []

    def passes(path, kind, language):
        asked.append((path, kind, language))
        return path.startswith("b/")

    files = FileList(FILES)
    first = files.passing("below b", passes)
    assert first.paths == {"code": ("b/c.py",), "knowledge": ("b/d.md",)}
    assert first.total == {"code": 2, "knowledge": 1}
    assert first.members == {"b/c.py", "b/d.md"}
    assert files.passing("below b", passes).paths["code"] is first.paths["code"]
    assert asked == list(FILES)
    assert files.passing("none", lambda _path, _kind, _language: False).paths == {"code": (), "knowledge": ()}


def test_only_the_last_filters_are_kept():
    asked = []
    files = FileList(FILES)
    for _ in range(2):
        for number in range(20):
            files.passing(number, lambda path, _kind, _language: bool(asked.append(path)))
    assert len(asked) == 2 * 20 * len(FILES)
