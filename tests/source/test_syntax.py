"""Parsed code: definitions with head and comment, imports and calls, in each language with a grammar."""

import gc
import sys
import time

import pytest
from samples import PYTHON, SOURCES

from muninn_core.source.code import preprocess
from muninn_core.source.code.definition import KINDS
from muninn_core.source.code.grammar import GRAMMARS, MAX_BYTES, MAX_LINE_BYTES, parse
from muninn_core.source.code.syntax import read_syntax
from muninn_core.source.files.classify import language_of
from muninn_core.source.files.line_runs import split_lines


def syntax(path, text):
    return read_syntax(path, language_of(path), text, split_lines(text))


@pytest.mark.parametrize("path", SOURCES)
def test_definitions_come_with_kind_place_head_and_comment(path):
    text, wanted, _, _ = SOURCES[path]
    found = syntax(path, text).definitions
    assert [(d.kind, d.qualified, d.start, d.signature, d.comment) for d in found] == wanted
    assert {d.kind for d in found} <= set(KINDS)


@pytest.mark.parametrize("path", SOURCES)
def test_imports_are_taken_apart(path):
    text, _, wanted, _ = SOURCES[path]
    assert [(one.module, one.names) for one in syntax(path, text).imports] == wanted


@pytest.mark.parametrize("path", SOURCES)
def test_calls_are_noted_by_name(path):
    text, _, _, wanted = SOURCES[path]
    assert [one.name for one in syntax(path, text).calls] == wanted


def test_every_grammar_has_a_test():
    by_suffix = {"typescript": "tsx", "cpp": "h", "csharp": "cs", "elixir": "ex"}
    suffixes = {path.partition(".")[2] for path in SOURCES}
    short = {
        "python": "py",
        "javascript": "js",
        "rust": "rs",
        "kotlin": "kt",
        "ruby": "rb",
        "bash": "sh",
        "elixir": "ex",
    }
    assert {{**by_suffix, **short}.get(grammar, grammar) for grammar in GRAMMARS} == suffixes


def test_a_call_has_its_lines_and_a_definition_its_whole_reach():
    text = "def one():\n    go()\n    go()\n\n\ngo()\n"
    found = syntax("a.py", text)
    assert [(c.name, c.lines) for c in found.calls] == [("go", (2, 3, 6))]
    assert [(d.start, d.end) for d in found.definitions] == [(1, 3)]


def test_decorators_and_comments_lead_a_definition():
    lead = next(d for d in syntax("a.py", PYTHON).definitions if d.name == "User").lead
    assert lead == 7
    rust = next(d for d in syntax("a.rs", SOURCES["a.rs"][0]).definitions if d.name == "Walker")
    assert rust.lead == 4


def test_a_file_says_what_it_is_for_but_not_under_which_licence():
    assert syntax("a.py", PYTHON).comment == "What the module is for."
    assert syntax("a.go", SOURCES["a.go"][0]).comment == "Package web serves."
    assert syntax("a.js", "// Copyright of somebody.\nlet x = 1;\n").comment == ""


def test_a_variable_that_is_set_again_is_one():
    assert [d.name for d in syntax("a.py", "x = 1\nx = 2\ny = x\n").definitions] == ["x", "y"]


@pytest.mark.parametrize(
    "text",
    [
        "}{" * 2_000,
        "x" * (MAX_LINE_BYTES + 1),
        "x = 1\n" * (MAX_BYTES // 6 + 1),
        "<<<<<<< ours\n)) def ( class\n=======\n" * 50,
    ],
)
def test_code_that_the_grammar_cannot_parse_is_cut_by_lines(text):
    assert syntax("a.py", text) is None


@pytest.mark.parametrize("opening", ["(", "[", "{", "f(", "<a>", "if x:\n ", "a<b<", "#if 1\n", "/*", '"""', "${"])
@pytest.mark.parametrize("path", ["a.py", "a.ts", "a.h", "a.cs", "a.rb", "a.sh", "a.kt"])
def test_endless_nesting_is_survived(path, opening):
    text = opening * 3_000
    found = syntax(path, text)
    assert found is None or len(found.definitions) <= 3_000


def test_a_half_written_function_leaves_the_others_known():
    text = "def one():\n    return 1\n\n\ndef broken(:\n\n\ndef two():\n    return 2\n"
    assert {"one", "two"} <= {d.name for d in syntax("a.py", text).definitions}


def test_text_that_is_no_unicode_is_read():
    assert [d.name for d in syntax("a.py", "# \ud800\ndef naïve():\n    pass\n").definitions] == ["naïve"]


def test_a_parser_keeps_nothing_of_what_it_has_read():
    data = b"def one():\n    return two()\n"
    before = sys.getrefcount(data)
    for _ in range(10):
        assert parse("python", data) is not None
    gc.collect()
    assert sys.getrefcount(data) == before


def names(path, text):
    found = syntax(path, text)
    return found and [f"{one.kind} {one.qualified}" for one in found.definitions]


def called(path, text):
    return [one.name for one in syntax(path, text).calls]


CPP = """#ifndef STORE_DB_H_
#define STORE_DB_H_
namespace store {
/// Keeps things.
class STORE_EXPORT Db : public Base {
 public:
  Db();
  virtual ~Db();
  bool operator==(const Db& other) const;
  operator bool() const;
  int x;
};
/// Holds one.
template <typename T>
class Box { T value; };
template <> class Box<int> { void open(); };
class Db::Cursor { void next(); };
typedef void (*Callback)(int);
constexpr int kLimit = 3;
enum class Color { kRed };
template <typename T> void Box<T>::close() { this->shut<T>(); int local = 1; }
}
#endif
"""


@pytest.mark.parametrize(
    ("path", "text", "wanted"),
    [
        (
            "a.h",
            CPP,
            [
                "module store",
                "class store.Db",
                "prototype store.Db.Db",
                "prototype store.Db.~Db",
                "prototype store.Db.operator==",
                "prototype store.Db.operator bool",
                "class store.Box",
                "class store.Box",
                "prototype store.Box.open",
                "class store.Db.Cursor",
                "prototype store.Db.Cursor.next",
                "type store.Callback",
                "variable store.kLimit",
                "enum store.Color",
                "constant store.Color.kRed",
                "method store.Box.close",
            ],
        ),
        ("a.cc", "TEST_F(DbTest, Opens) { Db db; }\n", ["method DbTest.Opens"]),
        (
            "a.c",
            "typedef int (*compare_fn)(int);\ntypedef struct node { int v; } node_t;\n"
            'static const char *names[] = {"a"};\n#ifdef X\nint there;\n#endif\nenum color { RED };\n'
            "TEST_IMPL(opens) { int local; }\nstruct s *make(void) { int x = 1; return 0; }\n",
            [
                "type compare_fn",
                "type node_t",
                "struct node",
                "variable names",
                "variable there",
                "enum color",
                "constant color.RED",
                "function opens",
                "function make",
            ],
        ),
        ("a.go", "package a\nfunc (s *Stack[T]) Push(x T) {}\n", ["method Stack.Push"]),
        (
            "a.rs",
            "impl Run for &Thing<u8> { fn go(&self) {} }\nenum E { Open, Shut(u8) }\n",
            ["method Thing.go", "enum E", "variant E.Open", "variant E.Shut"],
        ),
        (
            "a.rb",
            "class A\n  attr_reader :name, :age\n  def <=>(other); end\n  def <<(x); end\n"
            "  alias size length\n  alias_method :a, :b\n  define_method(:dyn) { 1 }\nend\n",
            [
                "class A",
                "property A.name",
                "property A.age",
                "method A.<=>",
                "method A.<<",
                "method A.size",
                "method A.a",
                "method A.dyn",
            ],
        ),
        (
            "a.php",
            "<?php\ndefine('OLD', 1);\nclass A { function __construct(private int $size) {} }\n",
            ["constant OLD", "class A", "method A.__construct", "field A.size"],
        ),
        ("a.java", "@interface A { int value(); }\n", ["interface A", "method A.value"]),
        ("a.cs", "class A { const int Most = 1; int x; }\n", ["class A", "constant A.Most", "field A.x"]),
        ("a.sh", "log::warn() { :; }\n", ["function log::warn"]),
        (
            "a.py",
            "A, B = 1, 2\nE = F = 3\ntry:\n    FAST = True\nexcept ImportError:\n    SLOW = True\n"
            "double = lambda x: x\nclass C:\n    k, l = 1, 2\n",
            [
                "variable A",
                "variable B",
                "variable E",
                "variable F",
                "constant FAST",
                "constant SLOW",
                "function double",
                "class C",
                "field C.k",
                "field C.l",
            ],
        ),
        (
            "a.ts",
            "class A { go = () => 1; constructor(private db: Db) {} 'a-b'() {} }\n"
            "export const { one, two: three } = actions;\nnamespace N { export const z = 1 }\n"
            "interface I { run: () => void }\n",
            [
                "class A",
                "method A.go",
                "method A.constructor",
                "field A.db",
                "method A.a-b",
                "variable one",
                "variable three",
                "module N",
                "variable N.z",
                "interface I",
                "method I.run",
            ],
        ),
    ],
)
def test_definitions_are_found_in_every_notation(path, text, wanted):
    assert names(path, text) == wanted


@pytest.mark.parametrize(
    ("path", "text", "wanted"),
    [
        ("a.go", "package a\nfunc f() { Map[int](x); pkg.New[T](1) }\n", ["Map", "New"]),
        (
            "a.rs",
            "fn f() { assert_eq!(helper(1), x.make()); y.parse::<u8>(); }\n",
            ["assert_eq", "helper", "make", "parse"],
        ),
        ("a.java", "class A { void f() { x.map(A::conv).map(B::new); new C.D(); } }\n", ["B", "D", "conv", "map"]),
        ("a.py", "@cached\n@app.route\ndef f(): ...\n", ["cached", "route"]),
        ("a.tsx", "@Log class A {}\nconst b = <Menu.Item/>;\n", ["Item", "Log"]),
        ("a.cc", "void f() { x.get<int>(); a::b::go(); new N::Box<int>(); }\n", ["get", "go"]),
    ],
)
def test_calls_are_found_however_they_are_written(path, text, wanted):
    assert called(path, text) == wanted


def test_a_template_has_the_comment_above_its_parameters():
    box = next(one for one in syntax("a.h", CPP).definitions if one.qualified == "store.Box")
    assert (box.comment, box.lead, box.start) == ("Holds one.", 13, 15)


def test_the_head_of_an_arrow_function_has_all_of_its_parameters():
    (one,) = syntax("a.tsx", "export const Card = ({ title, text }: Props) => {\n  return 1;\n};\n").definitions
    assert one.signature == "export const Card = ({ title, text }: Props) =>"


def test_the_head_of_a_declaration_has_all_of_its_parameters():
    (one,) = syntax("a.c", "int open_it(const char *name,\n            int mode);\n").definitions
    assert one.signature == "int open_it(const char *name, int mode)"


BODY = "int other(int x) {\n  return x;\n}\n" * 3


@pytest.mark.parametrize(
    ("path", "text", "wanted"),
    [
        ("a.c", "int one(int x) {\n#if A\n  if (x) {\n#else\n  if (!x) {\n#endif\n    go();\n  }\n}\n" + BODY, "one"),
        ("a.h", "void printed(1, 2) log_one(const char *, ...);\n" * 20, "log_one"),
        ("a.cc", "APP_INLINE app::pool::pool(int n)\n    : n_(n) {\n  go();\n}\n" * 5, "pool"),
        (
            "a.h",
            "enum e {\n#define XX(n) E_##n,\n  E_MAP(XX)\n#undef XX\n  E_MAX\n};\nstruct s {\n  APP_FIELDS\n};\n",
            "s",
        ),
        ("a.h", '#ifdef __cplusplus\nextern "C" {\n#endif\nint one(void);\n#ifdef __cplusplus\n}\n#endif\n', "one"),
        ("a.ts", "interface Make {\n  <A>(a: A): [A]\n\n  // two\n  <A, B>(a: A, b: B): [A]\n}\n", "Make"),
        ("a.cs", "#:package Some@1\nclass A { void Go() {} }\n", "Go"),
    ],
)
def test_a_syntax_error_hides_no_definition(path, text, wanted):
    found = syntax(path, text)
    assert found is not None
    (line,) = {text[: text.index(wanted)].count("\n") + 1}
    assert any(one.name == wanted and one.start <= line <= one.end for one in found.definitions)


def test_a_file_that_only_passes_on_is_read_though_a_grammar_does_not_know_all_of_it():
    found = syntax("index.ts", "export { one } from './one'\nexport type * from './types'\n")
    assert [one.module for one in found.imports] == ["./one", "./types"]


@pytest.mark.parametrize(
    ("path", "text", "module"),
    [
        ("a.sh", 'source "$(dirname "$0")/lib/log.sh"', "./lib/log.sh"),
        ("a.sh", 'source "$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/log.sh" now', "./log.sh"),
        ("a.sh", ". ${HERE%/*}/log.sh", "./log.sh"),
        ("a.sh", 'source "$ROOT/$LIBRARY/core/log.sh"', "./core/log.sh"),
        ("a.rs", "mod tests {\n    use super::Log;\n}", "self"),
        ("a.rb", "autoload :Log, 'app/log'", "app/log"),
    ],
)
def test_an_import_is_known_by_the_part_of_its_path_that_is_written(path, text, module):
    assert [one.module for one in syntax(path, text + "\nx = 1\n").imports] == [module]


def test_an_import_of_types_takes_no_name_called_type():
    (one,) = syntax("a.ts", "import type { A } from './a'\n").imports
    assert one.names == ("A",)
    assert syntax("a.ts", "import type, { A } from './a'\n").imports[0].names == ("A", "type")


@pytest.mark.parametrize(
    "text",
    [
        "//a\n" * 100_000,
        "A_B " * 90_000,
        ";" + " " * 9_990 + "\n",
        "#undef A\n" * 40_000,
        "#if x\n" * 70_000,
        "f(x) " * 80_000,
        "a\n <" * 80_000,
        ";\n" + "\n" * 300_000,
        "class AAA " * 40_000,
    ],
)
@pytest.mark.parametrize("grammar", ["c", "cpp", "typescript", "csharp"])
def test_a_text_is_eased_in_a_time_that_grows_with_its_length(grammar, text):
    data = text.encode()
    begin = time.process_time()
    eased = [preprocess.blank_known_extensions(grammar, data), *preprocess.blank_unparsable(grammar, data)]
    assert time.process_time() - begin < 5
    assert {len(each) for each in eased} == {len(data)}
