"""Marks recognise a span by its text; extents say where definitions begin and end."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muninn_core.source.chunks.line_index import (
    LineIndex,
    densest_range,
    informative_words,
    make_mark,
    read_mark,
    similarity,
)
from muninn_core.source.code.extent import Outline, common_parts, innermost_extent
from muninn_core.source.code.symbols import defined_name

SPAN = ["def a(x):", "    if x:", "        b()", "", "    c()"]
LINES = st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\n"), max_size=12), max_size=12)


@pytest.mark.parametrize(
    "same",
    [
        [line + "\r" for line in SPAN],
        [line.replace("    ", "\t") for line in SPAN],
        ["    " + line for line in SPAN],
        ["", *SPAN, "   "],
        [line for line in SPAN if line],
        [line.replace("if x", "if  x") for line in SPAN],
    ],
)
def test_blanks_line_ends_and_depth_change_no_mark(same):
    assert make_mark(same) == make_mark(SPAN)


@pytest.mark.parametrize(
    "other",
    [SPAN[:-1], [*SPAN, "    d()"], [*SPAN[:-1], "        c()"], [line.replace("b()", "d()") for line in SPAN]],
)
def test_words_lines_and_their_order_of_depth_do(other):
    assert make_mark(other) != make_mark(SPAN)


def test_blank_lines_alone_have_no_mark():
    assert make_mark(["", "  \r"]) is None


@pytest.mark.parametrize("text", [None, "", "sha256:abc", "1-2-3", "3-0000000g-0000000000000000"])
def test_a_foreign_mark_is_no_mark(text):
    assert read_mark(text) is None


def test_a_mark_looks_as_the_format_says():
    assert make_mark(SPAN) == "4-893bb0ad-8115f7e35b71c668"


@settings(deadline=None)
@given(LINES, LINES, LINES)
def test_a_marked_span_is_found_wherever_it_stands(before, span, after):
    mark = read_mark(make_mark(span))
    page = LineIndex("a.txt", "\n".join([*before, *span, *after]))
    if mark is None:
        return
    rows = [number for number, line in enumerate(span, len(before) + 1) if line.split()]
    assert (rows[0], rows[-1]) in page.find(mark)
    assert page.matches(mark, len(before) + 1, len(before) + len(span))


def test_every_copy_is_found():
    page = LineIndex("a.py", "x = 1\ny = 2\n\nx = 1\ny = 2\n")
    mark = read_mark(make_mark(["x = 1", "y = 2"]))
    assert mark is not None
    assert page.find(mark) == [(1, 2), (4, 5)]


def test_the_region_with_most_of_the_lines_is_found():
    page = LineIndex("a.py", "open()\nread()\n\n\nopen()\nread()\nshut()\n\n\n\n\nshut()\n")
    wanted = set(informative_words(["open()", "read()", "shut()"]))
    assert densest_range(page, wanted, 4) == (3, 5, 7)
    assert densest_range(page, wanted, 2) == (2, 1, 2)
    assert densest_range(page, set(informative_words(["close()"])), 4) == (0, 0, 0)


def test_likeness_is_the_share_of_telling_lines():
    assert similarity(["first()", "}", "second()"], ["second()"]) == 0.5
    assert similarity(["}", ""], ["}"]) == 0.0


PYTHON = '''class Shop:
    """Sells.

Text without indentation.
    """

    name: str

    def sell(
        self, what
    ) -> int:
        if what:
            return 1
# a comment at the margin
        return 0

LIMIT = {
    "a": 1,
}
'''
GO = "func (s *Shop) Sell(what string) int {\n\tif what {\n\t\treturn 1\n\t}\n\treturn 0\n}\n\nfunc Other() {\n}\n"
ALLMAN = "int sell(int what)\n{\n    return what;\n}\n\nint other(void)\n{\n    return 1;\n}\n"
SCRIPT = "var many = ['a'];\n\n/**\n * Send it.\n *\n */\n\nres.send = function(body){\n  return 1;\n};\n"
RUST = """impl<T: AsRef<str>> From<(T, u8)> for shop::Shop<T>
where
    T: Clone,
{
    fn sell<U>(&self, what: U) -> U
    where
        U: Clone,
    {
        what
    }
}

fn other() {}
"""
KOTLIN = """actual class Shop
/** Made by the owner. */
internal constructor(private val items: Items) : Seller {
  actual override fun sell(what: Item): Int {
    return 1
  }

  @Test fun `sells at night`() {
    open()
  }
}
inline fun <reified T : Item> List<T>.first(): T {
  return get(0)
}
"""
SCALA = """case class Shop(items: Items)
extends Seller {
  implicit def sell(what: Item): Int =
    1
}
"""
CSHARP = """public class Shop<T>
    where T : class
{
    public Shop(int size)
        : base(size)
    {
        Open();
    }
    public static async Task<T> Sell<U>(U what)
        where U : class
    {
        return null;
    }
}
"""
CPP = """class SHOP_API Shop : public Seller {
    auto close(const Item& last) const override -> std::vector<Item> {
        done();
    }
};
Shop::Shop(int size)
    : size_(size)
{
    open();
}
std::map<int, Item> Shop::sell(int what)
{
    return make(
        std::move(what),
        std::string(name_));
}
static struct item *first(struct list *all) {
    return all->first;
}
"""
ELIXIR = "defmodule Shop.Items.Sale do\n  defp sell(what) do\n    what\n  end\nend\n"
RUBY = "class Shop\n  def sell(what)\n    1\n  end\n\n  def buy\n    2\n  end\nend\n"


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        (PYTHON, "python", [("Shop", 1, 15), ("Shop.sell", 9, 15), ("LIMIT", 17, 19)]),
        (GO, "go", [("Sell", 1, 6), ("Other", 8, 9)]),
        (ALLMAN, "c", [("sell", 1, 4), ("other", 6, 9)]),
        (RUBY, "ruby", [("Shop", 1, 9), ("Shop.sell", 2, 4), ("Shop.buy", 6, 8)]),
        (SCRIPT, "javascript", [("many", 1, 1), ("send", 8, 10)]),
        (RUST, "rust", [("Shop", 1, 11), ("Shop.sell", 5, 10), ("other", 13, 13)]),
        (KOTLIN, "kotlin",
         [("Shop", 1, 11), ("Shop.sell", 4, 6), ("Shop.sells at night", 8, 10), ("first", 12, 14)]),
        (SCALA, "scala", [("Shop", 1, 5), ("Shop.sell", 3, 4)]),
        (CSHARP, "csharp", [("Shop", 1, 14), ("Shop.Shop", 4, 8), ("Shop.Sell", 9, 13)]),
        (CPP, "cpp", [("Shop", 1, 5), ("Shop.close", 2, 4), ("Shop", 6, 10), ("sell", 11, 16), ("first", 17, 19)]),
        (ELIXIR, "elixir", [("Shop.Items.Sale", 1, 5), ("Shop.Items.Sale.sell", 2, 4)]),
        ("extension Shop.Items {\n  class func sell() {\n  }\n}\n", "swift",
         [("Shop.Items", 1, 4), ("Shop.Items.sell", 2, 3)]),
        ("Only prose.\n", "prose", []),
    ],
)  # fmt: skip
def test_a_definition_reaches_to_its_last_line(text, language, expected):
    outline = Outline(text, text.split("\n"), language)
    assert [tuple(one) for one in outline.extents] == expected
    assert all((name, start, end) in outline.find_named(name) for name, start, end in expected)


@pytest.mark.parametrize(
    "line",
    [
        "QUOTES = ('DDD', \"SSS\")",
        "SENTENCE = re.compile(r'DDD([A-Z]+)')",
        "# Begins with DDD or not.",
        "say('it\\'s', 'DDD')  # SSS",
        "TEXT = DDDOne \\DDD two.DDD",
        "TEXT = DDDOne.DDD + 'DDD'",
        "SSSOne.SSS # DDD",
    ],
)
def test_quotes_in_comments_and_in_texts_of_one_line_begin_no_text(line):
    quoted = line.replace("DDD", '"""').replace("SSS", "'''")
    page = LineIndex("a.py", f'{quoted}\n\n\ndef sell(what):\n    """Sell it."""\n    return what\n')
    assert [tuple(one) for one in page.extents if one.name == "sell"] == [("sell", 4, 6)]


def test_the_innermost_definition_holds_all_of_the_lines():
    known = Outline(PYTHON, PYTHON.split("\n"), "python").extents
    assert [getattr(innermost_extent(known, *span), "name", None) for span in ((12, 13), (3, 12), (15, 18))] == [
        "Shop.sell",
        "Shop",
        None,
    ]


def test_a_name_means_the_whole_then_its_end_then_its_last_part():
    text = "class A:\n    def f(self):\n        pass\nclass B:\n    def f(self):\n        pass\n"
    outline = Outline(text, text.split("\n"), "python")
    assert [one.name for one in outline.find_named("A.f")] == ["A.f"]
    assert [one.name for one in outline.find_named("f")] == ["A.f", "B.f"]
    assert [one.name for one in outline.find_named("C.f")] == ["A.f", "B.f"]
    assert [one.name for one in outline.find_named("B.C.f")] == ["A.f", "B.f"]
    assert [one.name for one in outline.find_named("N.B.f")] == ["B.f"]
    assert outline.find_named("g") == []


@pytest.mark.parametrize(
    ("name", "symbol", "count"),
    [("B.f", "A.B.f", 2), ("A.B.C.f", "A.f", 2), ("A.B.f", "C.f", 1), ("B.A.f", "A.B.f", 1), ("f", "A.f", 1)],
)
def test_names_share_the_parts_at_their_ends_or_all_of_them(name, symbol, count):
    assert common_parts(name, symbol) == count


LINES = st.tuples(
    st.sampled_from(["", "  ", "    ", "\t", "      "]),
    st.sampled_from(
        [
            "def f(x):",
            "class A:",
            "def g():",
            "return f(x)",
            '"""',
            "# a note",
            "})",
            "",
            "'''one''' + g",
            "case 1:",
            "} else {",
        ]
    ),
)


@settings(deadline=None)
@given(st.lists(LINES, max_size=40), st.sampled_from(["python", "javascript"]))
def test_one_definition_is_found_as_it_is_among_all(lines, language):
    text = "\n".join(indent + body for indent, body in lines)
    everything = Outline(text, text.split("\n"), language).extents
    for one in everything:
        whole = [other for other in everything if other.name == one.name]
        assert Outline(text, text.split("\n"), language).find_named(one.name) == whole


def test_lines_are_found_with_other_blanks_but_not_with_other_levels_where_indentation_has_a_meaning():
    script = LineIndex("a.js", "x;\nfunction (a) {\n  return a;\n\n}\n")
    assert script.find_ignoring_blanks(["function(a){", "return a;", "}"]) == [(2, 5)]
    assert script.find_ignoring_blanks(["function(a){", "return b;", "}"]) == script.find_ignoring_blanks([""]) == []
    module = LineIndex("a.py", "if a :\n    b( )\nc()\n")
    assert module.find_ignoring_blanks(["if a:", "  b()", "c()"]) == [(1, 3)]
    assert module.find_ignoring_blanks(["if a:", "  b()", "  c()"]) == []


def test_the_indentation_of_comments_has_no_meaning():
    options = LineIndex("a.py", "OPTIONS = {\n    # The size.\n    # 'size': 1,\n}\n")
    assert options.find_ignoring_blanks(["OPTIONS = {", "# The size.", "#'size': 1,", "}"]) == [(1, 4)]


def test_a_namespace_without_braces_goes_on_to_the_end_of_its_file():
    till = "class Till\n{\n    int Count()\n    {\n        return 1;\n    }\n}\n\n"
    page = LineIndex("a.cs", f"using Find;\n\nnamespace Shop.Store;\n\n{till}")
    assert page.extents == [("Shop", 3, 11), ("Till", 5, 11), ("Till.Count", 7, 10)]
    assert page.find_named("Shop") == [("Shop", 3, 11)]


@pytest.mark.parametrize(
    ("head", "name"),
    [
        ("  public load<T = any, K = Keys>(\n    key: K,\n  ): Found<T> {", "Store.load"),
        ("  static async load(\n    key,\n  ) {", "Store.load"),
        ("  load<T extends Base<T>>(key: T): T {", "Store.load"),
        ("  load<Key>(\n    key,\n  );\n  if (key) {", None),
        ("  await load(\n    key,\n  );\n  if (key) {", None),
    ],
)
def test_a_method_may_have_parameters_of_types_and_its_own_on_more_lines(head, name):
    text = f"class Store {{\n{head}\n    return all;\n  }}\n}}\n"
    found = [tuple(one) for one in LineIndex("s.ts", text).extents if one.name != "Store"]
    assert found == ([(name, 2, text.count("\n") - 1)] if name else [])


@pytest.mark.parametrize("line", ["const fs = require('fs')", "  found = (left + right)", "  total = ("])
def test_a_required_module_or_a_value_is_no_definition(line):
    assert LineIndex("a.js", line + "\n").extents == []


@pytest.mark.parametrize(
    ("line", "language"),
    [
        ("auto f(int a) " + "-> x " * 75 + ";", "cpp"),
        ("void f(int a) " + "const " * 60 + ";", "cpp"),
        ("a::" * 130, "cpp"),
        ("impl<" * 75, "rust"),
        ("impl<T> " + "<A" * 90, "rust"),
        ("fun " + "a.b<c> " * 55, "kotlin"),
        ("  static a" + "<b" * 190, "typescript"),
        ("  public " * 43 + "a(b", "typescript"),
    ],
)
def test_a_line_without_a_definition_is_read_without_backtracking_over_all_of_its_parts(line, language):
    assert defined_name(line, language) is None
