"""Long questions: the title, template text that is left out, and files that a question names."""

from __future__ import annotations

import pytest

from muninn_core.index.file_list import FileList
from muninn_core.index.words.writer import Lexical
from muninn_core.retrieval import weights as w
from muninn_core.retrieval.query.long_questions import LONG, read_long_question
from muninn_core.retrieval.query.mentioned_files import MAX_EQUAL, mentioned_files
from muninn_core.retrieval.query.query_terms import TermMatcher, parse_query
from muninn_core.retrieval.text.name_words import file_words, is_file_name

ISSUE = """\
Cookies of a closed session are sent again

<!-- Thank you!
Please search first. -->

### Describe the bug

The jar keeps expired cookies, see https://host.example/team/app/blob/3f2a/app/cookiejar.py#L40 for the loop.

### Environment variables are read twice

APP_JAR is read by the parser and by the jar.

### Environment

- OS: Linux 5.4
- weird kernel module loaded

## To Reproduce

```python
jar.update({"a": 1})
```

numpy: 1.19.2
aiohttp==3.8.1

Versions:

pandas nightly

**Checklist**

- [x] I searched the tracker
"""


def test_template_text_of_an_issue_is_left_out():
    read = read_long_question(ISSUE)
    assert read is not None
    assert read.title == "Cookies of a closed session are sent again"
    assert [line for line in read.text.splitlines() if line.strip()] == [
        "Cookies of a closed session are sent again",
        "The jar keeps expired cookies, see   for the loop.",
        "### Environment variables are read twice",
        "APP_JAR is read by the parser and by the jar.",
        'jar.update({"a": 1})',
    ]
    assert read.addressed == ("app/cookiejar.py",)


def test_a_label_leaves_out_a_paragraph_only():
    read = read_long_question(f"Title\n\nVersions:\n\npandas nightly\n\nIt fails in the reader.\n{'word ' * LONG}")
    assert read is not None
    assert "nightly" not in read.text
    assert "It fails in the reader." in read.text


def test_the_first_sentence_of_a_long_line_is_its_title():
    read = read_long_question("The jar leaks. " + "It does so on every request " * 20)
    assert read is not None
    assert read.title == "The jar leaks."
    assert read_long_question("The jar leaks on every request.") is None


@pytest.mark.parametrize("text", ["<!--" * 50_000, "**a" * 60_000, "1.1 " * 45_000, "# a\n" * 40_000, "\n" * 400])
def test_any_long_text_is_read(text):
    assert read_long_question(text) is not None


class Files:
    """The paths of an index."""

    def __init__(self, *paths):
        self._paths = paths

    def paths(self):
        return FileList((path, "knowledge" if path.endswith(".md") else "code", "") for path in sorted(self._paths))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('File "/usr/lib/python3/site-packages/app/jar.py", line 4, in get', ("app/jar.py",)),
        (r"C:\work\app\jar.py:12", ("app/jar.py",)),
        ("see ./docs/usage.md", ("docs/usage.md",)),
        ("app.jar.CookieJar.get fails", ("app/jar.py",)),
        ("in app.web we see", ("app/web/__init__.py",)),
        ("use net::sync here", ("src/net/sync.rs",)),
        ("jar.py", ("app/jar.py",)),
        ("e.g. version 3.9 of os.path, i.e. self.jar", ()),
        ("util.py", ()),
        ("lib/c/util.py", ("c/util.py",)),
    ],
)
def test_files_that_a_question_names(text, found):
    reader = Files(
        "app/jar.py", "app/web/__init__.py", "docs/usage.md", "src/net/sync.rs", *(f"{x}/util.py" for x in "abc")
    )
    assert MAX_EQUAL < 3
    assert mentioned_files(text, (), reader) == found


def test_the_words_of_a_title_count_more(tmp_path):
    query = parse_query("expired cookie jar", "the jar")
    assert query.factors == {"expir": 1.0, "cooki": 1.0, "jar": w.TITLE}
    matcher = TermMatcher(query.words, lambda words: dict.fromkeys(words, 1.0), query.factors)
    title, other = matcher.match(("jar",)), matcher.match(("cooki",))
    assert title is not None
    assert other is not None
    assert title[0] == pytest.approx(w.TITLE * other[0])
    index = Lexical(tmp_path / "words")
    index.add(1, "code", "a", {"body": "cooki"})
    index.add(2, "code", "b", {"body": "jar"})
    index.commit()
    scores = dict(index.read().search({"cooki": 1.0, "jar": 3.0}, 5))
    index.close()
    assert scores[2] == pytest.approx(3 * scores[1], rel=1e-4)


@pytest.mark.parametrize(
    ("name", "path", "expected"),
    [
        ("SqlMapper", "Dapper/SqlMapper.cs", True),
        ("SqlMapper", "Dapper/SqlMapper.Async.cs", False),
        ("sqlmapper", "Dapper/SqlMapper.cs", False),
        ("web", "app/web/__init__.py", True),
        ("eslintrc", ".eslintrc", True),
    ],
)
def test_a_name_is_that_of_a_file(name, path, expected):
    assert is_file_name(name, path) is expected


def test_all_words_of_a_dotted_name_count():
    assert file_words("Dapper/SqlMapper.cs") == ("sql", "mapper")
    assert file_words("Dapper/SqlMapper.Async.cs") == ("sql", "mapper", "async")
