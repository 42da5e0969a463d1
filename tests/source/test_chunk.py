from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from muninn_core.source.chunks.chunk import chunk_file, chunk_with_syntax
from muninn_core.source.files.line_runs import MAX_CHUNK, MAX_LINE_LENGTH, MIN_CHUNK, group_lines, split_lines

SPECIAL = [
    "",
    "def run(self):",
    "    return 1",
    "# a comment",
    "class Foo:",
    "# Title",
    "Title\r",
    "=====",
    "```",
    "---",
]
LINES = st.lists(
    st.one_of(
        st.sampled_from(SPECIAL),
        st.text(max_size=90),
        st.integers(1, 5_000).map(lambda n: "x" * n),
    ),
    max_size=60,
)
PATHS = st.sampled_from(["a.py", "a.md", "a.rst", "a.go", "a.ts", "notes.txt", "a.unknown"])


@settings(max_examples=150, deadline=None)
@given(PATHS, LINES, st.booleans())
@example("a.md", ["---", "title: x", "---", "# A", "# B", "text"], True)
@example("a.py", ["x" * 10_000], False)
def test_the_chunks_of_a_file_tile_it(path, lines, ends_with_newline):
    text = "\n".join(lines) + ("\n" if ends_with_newline else "")
    found = chunk_file(path, text)
    if not text.strip():
        assert found == []
        return
    assert "".join(c.text for c in found) == text
    assert found[0].start == 1
    for before, after in pairwise(found):
        # A line that is cut by length shares its number; all others belong to one chunk.
        same_line = before.start == before.end == after.start == after.end
        assert after.start == before.end + 1 or same_line
    assert found[-1].end == len(split_lines(text))
    assert all(len(c.text) <= MAX_LINE_LENGTH for c in found)


@given(st.lists(st.integers(1, 2_000), max_size=200), st.randoms(use_true_random=False))
def test_runs_tile_whatever_the_merits_are(sizes, random):
    runs = group_lines(sizes, [random.uniform(-50, 50) for _ in sizes])
    assert [i for start, end in runs for i in range(start, end)] == list(range(len(sizes)))
    assert all(sum(sizes[a:b]) <= MAX_CHUNK or b == a + 1 for a, b in runs)


FUNCTIONS = "\n\n".join(
    f"# What number {n} is for.\n@cached\ndef number_{n}(value):\n"
    + "".join(f"    step_{i} = value + {i}\n" for i in range(12))
    for n in range(20)
)


def test_a_chunk_of_code_begins_at_a_definition_with_its_comment_and_decorator():
    found = chunk_file("a.py", FUNCTIONS)
    assert len(found) > 3
    assert all(c.text.startswith("# What number") for c in found)
    assert all(MIN_CHUNK <= len(c.text) <= MAX_CHUNK for c in found[:-1])


def test_a_chunk_names_what_it_defines():
    found = chunk_file("a.py", FUNCTIONS)
    assert " ".join(c.symbol for c in found).split() == [f"number_{n}" for n in range(20)]


def test_a_chunk_inside_a_definition_is_titled_by_it():
    body = "".join(f"        self.value_{i} = compute(value, {i})\n" for i in range(120))
    found = chunk_file("a.py", f"class Ledger:\n    def balance(self, value):\n{body}")
    assert found[0].symbol == "Ledger balance"
    assert found[1].title == "Ledger.balance"
    assert found[1].symbol == ""


@pytest.mark.parametrize(
    ("path", "line", "name"),
    [
        ("a.py", "async def fetch_user(uid):", "fetch_user"),
        ("a.py", "MAX_RETRIES: int = 3", "MAX_RETRIES"),
        ("a.go", "func (s *Server) ListenAndServe(addr string) error {", "ListenAndServe"),
        ("a.go", "type Router struct {", "Router"),
        ("a.rs", "pub(crate) async fn parse_line(s: &str) -> Line {", "parse_line"),
        ("a.rs", "impl<T> Iterator for Walker<T> { fn next(&mut self) -> u8 { 1 } }", "next"),
        ("a.ts", "export default class HttpClient {", "HttpClient"),
        ("a.ts", "export const useStore = (id: string) => {", "useStore"),
        ("a.ts", "  async sendRequest(url: string): Promise<void> {", "sendRequest"),
        ("a.js", "  constructor(kind = 'plain') {", "constructor"),
        ("a.js", "Router.prototype.handle = function (req, res) {", "handle"),
        ("A.java", "    public static List<String> splitWords(String text) {", "splitWords"),
        ("A.java", "  @Test(timeout = 9) public void sendsLate() throws IOException {", "sendsLate"),
        ("A.java", "  public @Nullable Adapter<?, ?> adapter(", "adapter"),
        ("A.kt", "  @JvmStatic fun of(name: String): Tag {", "of"),
        ("a.ts", "  @Input() protected render(name: string) {", "render"),
        ("a.ts", "  fire = (): void => {", "fire"),
        ("a.ts", "  private text: TextRespond = (", "text"),
        ("A.kt", "override suspend fun intercept(chain: Chain): Response {", "intercept"),
        ("a.c", "static int buffer_grow(struct buffer *b, size_t n) {", "buffer_grow"),
        ("a.h", "#define MAX_PATH_LENGTH 4096", "MAX_PATH_LENGTH"),
        ("a.cs", "    internal sealed class TokenCache", "TokenCache"),
        ("a.rb", "  def self.find_by_name(name)", "find_by_name"),
        ("a.php", "<?php function getUserName(): string { return ''; }", "getUserName"),
        ("a.sh", "build_image() {", "build_image"),
        ("a.sql", "CREATE TABLE IF NOT EXISTS accounts (", "accounts"),
        ("a.ex", "  defp normalise(term) do", "normalise"),
        ("Makefile", "release: build test", "release"),
    ],
)
def test_definitions_are_found_in_many_languages(path, line, name):
    assert chunk_file(path, line + "\n")[0].symbol == name


@pytest.mark.parametrize("line", ["    if (ready(now)) {", "  return compute(value);", "    for (const x of all()) {"])
def test_control_flow_is_no_definition(line):
    assert chunk_file("a.ts", line + "\n")[0].symbol == ""


@pytest.mark.parametrize("line", ["    new Thread(new Task() {", "    return build(left,", "    throw fail(left,"])
def test_a_call_is_no_definition_with_a_type(line):
    assert chunk_file("A.java", line + "\n")[0].symbol == ""


@pytest.mark.parametrize(
    "line", ["  it('works', function(done){", "  visit(node, function () {", '  get("/", route(), {']
)
def test_a_call_that_is_given_a_text_or_a_function_is_no_definition(line):
    assert chunk_file("a.js", line + "\n")[0].symbol == ""


def test_a_hostile_line_is_cut_in_no_time():
    # Expressions that try many splits of such a line would take minutes; the suite's time limit would end the test.
    for line in ("a " * 190 + "(", "x*" * 190, "public " * 55, "<" * 390, "f(" * 195):
        for path in ("a.c", "a.ts", "A.java", "a.rs", "a.php"):
            chunk_file(path, (line + "\n") * 50)


MARKDOWN = """---
title: Error handling
type: convention
domain: api
---
# Error handling

All endpoints answer with a code and a message. {filler}

## Retries

Failed requests are tried again with growing pauses. {filler}

```python
# not a heading
```

### Limits

Five times at most. {filler}

## Logging

Errors are logged once. {filler}
""".replace("{filler}", "Details follow here. " * 15)


def test_markdown_is_cut_at_headings_and_titled_by_their_path():
    found = chunk_file("docs/errors.md", MARKDOWN)
    assert [c.title for c in found] == [
        "Error handling (convention, api)",
        "Error handling (convention, api) > Retries",
        "Error handling (convention, api) > Retries > Limits",
        "Error handling (convention, api) > Logging",
    ]
    assert found[0].text.startswith("---\ntitle:")
    assert "# not a heading" in found[1].text
    assert all(c.kind == "knowledge" for c in found)


def test_a_long_section_is_cut_between_paragraphs_under_one_title():
    found = chunk_file("a.md", "# Story\n\n" + "\n\n".join("A sentence of the story. " * 20 for _ in range(12)))
    assert len(found) > 3
    assert {c.title for c in found} == {"Story"}
    assert all(c.text.startswith("A sentence") for c in found[1:])


def test_underlined_headings_of_restructured_text_are_found():
    text = (
        "=====\nGuide\n=====\n\nIntro. {f}\n\nInstall\n-------\n\nRun it. {f}\n\nOn Linux\n~~~~~~~~\n\nThere too. {f}"
    )
    found = chunk_file("guide.rst", text.replace("{f}", "More of it. " * 25))
    assert [c.title for c in found] == ["Guide", "Guide > Install", "Guide > Install > On Linux"]


def test_a_bare_heading_goes_with_the_section_below_it():
    found = chunk_file("a.md", "# Project\n\n## Usage\n\n" + "Call it with a path. " * 20)
    assert [c.title for c in found] == ["Project > Usage"]


def test_line_numbers_are_those_of_an_editor():
    found = chunk_file("a.py", "x = 'a\x0cb\u2028c'\r\ny = 2\r\n")
    assert (found[0].start, found[0].end) == (1, 2)


def test_definitions_of_a_language_without_a_grammar_reach_as_far_as_their_lines_say():
    text = (
        "let x = 1\n\n" * 30
        + "class Shop {\n    func open() {\n        ring()\n    }\n\n    func close() {\n        lock()\n    }\n}\n"
    )
    found = [(one.name, one.start, one.end) for one in chunk_with_syntax("shop.swift", text).syntax.definitions]
    assert found[-3:] == [("Shop", 61, 69), ("open", 62, 64), ("close", 66, 68)]
