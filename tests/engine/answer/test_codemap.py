"""Definitions, outlines and the graph over real files, through the engine."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from repositories import git

from muninn_core.engine.answer.code.code_map import with_index_lag
from muninn_core.errors import BadParams, NotFoundError
from muninn_core.model.answer import IndexState, ReadState

if TYPE_CHECKING:
    from engines import Muninn

pytest_plugins = ["engines"]

FILES = {
    # Python: packages, relative imports, another root, the standard library.
    "shop/__init__.py": "from shop.basket import Basket\n",
    "shop/json.py": "def own():\n    return 1\n",
    "shop/basket.py": (
        '"""What is bought."""\nimport json\nfrom . import prices\nfrom .prices import price_of\n\n\n'
        'class Basket:\n    """Holds things."""\n\n    def total(self):\n        """Add it up."""\n'
        "        return json.dumps(price_of(self))\n\n    def get(self):\n        return {}.get(1)\n"
    ),
    "shop/prices.py": "def price_of(thing):\n    return helper(thing)\n\n\ndef helper(thing):\n    return 1\n",
    "tests/test_basket.py": (
        "from shop.basket import Basket\n\n\ndef test_total():\n    assert Basket().total() == 1\n"
    ),
    "tests/test_queue.py": "def pop():\n    return 1\n\n\ndef only_a_test():\n    return pop()\n",
    "shop/waiting.py": "from collections import deque\n\n\ndef serve():\n    only_a_test()\n    return deque().pop()\n",
    "src/tools/clock.py": "def tick():\n    return 0\n",
    "run.py": "from tools.clock import tick\n\ntick()\n",
    # TypeScript and JavaScript.
    "web/app.ts": 'import { render } from "./view";\nimport { load } from "./api/index.js";\nrender(load());\n',
    "web/view.tsx": "export const render = (x: number) => { return <p>{x}</p>; };\n",
    "web/api/index.ts": "export function load() { return 1; }\n",
    # Go.
    "go.mod": "module example.com/shop\n",
    "cmd/main.go": 'package main\n\nimport "example.com/shop/store"\n\nfunc main() { store.Open() }\n',
    "store/store.go": "package store\n\nfunc Open() { connect() }\n",
    "store/net.go": "package store\n\nfunc connect() {}\n",
    # Rust.
    "rust/src/main.rs": "mod lexer;\nuse crate::lexer::scan;\nfn main() { scan(); }\n",
    "rust/src/lexer.rs": "pub fn scan() {}\n",
    # Java, Kotlin, C#, PHP.
    "java/src/a/b/Main.java": "package a.b;\nimport a.c.Tool;\nclass Main { void go() { Tool.use(); } }\n",
    "java/src/a/c/Tool.java": "package a.c;\npublic class Tool { public static void use() {} }\n",
    "kt/src/k/Main.kt": "package k\nimport k.tool.Box\nfun start() {\n    Box()\n}\n",
    "kt/src/k/tool/Box.kt": "package k.tool\nclass Box\n",
    "cs/Shop/Program.cs": "using Shop.Parts;\nclass Program { void Main() { new Wheel(); } }\n",
    "cs/Shop/Parts/Wheel.cs": "namespace Shop.Parts { class Wheel {} }\n",
    "php/index.php": "<?php\nuse App\\Models\\Person;\nrequire 'lib.php';\nnew Person();\n",
    "php/src/Models/Person.php": "<?php\nnamespace App\\Models;\nclass Person {}\n",
    "php/lib.php": "<?php\nfunction lib() {}\n",
    # C and C++, Ruby, Bash.
    "c/main.c": '#include "inc/list.h"\n#include <string.h>\nint main(void) { return list_size(); }\n',
    "c/inc/list.h": "int list_size(void);\n",
    "c/list.c": '#include "inc/list.h"\nint list_size(void) { return 0; }\n',
    "c/string.h": "int own;\n",
    "ruby/main.rb": "require_relative 'part/wheel'\nrequire 'motor'\nWheel.new.turn\n",
    "ruby/part/wheel.rb": "class Wheel\n  def turn; end\nend\n",
    "ruby/lib/motor.rb": "module Motor; end\n",
    "sh/run.sh": '#!/bin/sh\n. "$HERE/common.sh"\nsay_hello\n',
    "sh/common.sh": "say_hello() { echo hello; }\n",
    "sh/bin/go.sh": '#!/bin/sh\n. "$ROOT/$LIBRARY/core/common2.sh"\n',
    "sh/lib/core/common2.sh": "say_more() { echo more; }\n",
    "kit/box/index.ts": "export const box = 1\n",
    "kit/box/index.test.ts": "import { box } from '.'\n",
    "kit/lid/index.ts": "export const lid = 1\n",
    "kit/lid/index.test.ts": "test()\n",
    "kit/a.test.ts": "import { box } from './box'\n",
    "kit/box/util.ts": "export const one = 1\n",
    "kit/lid/util.ts": "export const two = 1\n",
    "kit/lid/util.test.ts": "test()\n",
    "kit/coding.h": "int coded(void);\n",
    "kit/coding_test.cc": "int checked() { return 0; }\n",
    "crate/src/rim.rs": "pub fn spin() {}\nmod tests {\n    use super::*;\n    fn turns() { assert!(spin()); }\n}\n",
    "box/box.h": "class Crate {\n public:\n  Crate(int size);\n};\n",
    "box/box.cc": '#include "box.h"\nCrate::Crate(int size) {}\n',
    "box/use.cc": '#include "box.h"\nvoid pack() { new Crate(1); }\n',
    "notes.md": "# Guide\n\nText.\n\n## Install\n\nMore text.\n",
    "words.lua": "function greet(name)\n  return name\nend\n",
}


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("map")
    for path, text in FILES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return root


@pytest.fixture(scope="module")
def muninn(start_shared, repository: Path) -> Muninn:
    engine: Muninn = start_shared(repository)
    engine.call("init")
    engine.call("index", wait=True)
    return engine


def edges(muninn: Muninn, target: str, relation: str, **more) -> list[str]:
    found = muninn.call("graph", start=target, relation=relation, **more).edges
    return [f"{edge.path}#{edge.name}" if edge.name else edge.path for edge in found]


@pytest.mark.parametrize(
    ("path", "wanted"),
    [
        ("shop/basket.py", ["shop/prices.py"]),
        ("shop/__init__.py", ["shop/basket.py"]),
        ("run.py", ["src/tools/clock.py"]),
        ("web/app.ts", ["web/api/index.ts", "web/view.tsx"]),
        ("cmd/main.go", ["store/net.go", "store/store.go"]),
        ("rust/src/main.rs", ["rust/src/lexer.rs"]),
        ("java/src/a/b/Main.java", ["java/src/a/c/Tool.java"]),
        ("kt/src/k/Main.kt", ["kt/src/k/tool/Box.kt"]),
        ("cs/Shop/Program.cs", ["cs/Shop/Parts/Wheel.cs"]),
        ("php/index.php", ["php/lib.php", "php/src/Models/Person.php"]),
        ("c/main.c", ["c/inc/list.h"]),
        ("ruby/main.rb", ["ruby/lib/motor.rb", "ruby/part/wheel.rb"]),
        ("sh/run.sh", ["sh/common.sh"]),
        ("sh/bin/go.sh", ["sh/lib/core/common2.sh"]),
    ],
)
def test_imports_lead_to_files_and_back(muninn, path, wanted):
    assert edges(muninn, path, "imports") == wanted
    for target in wanted:
        assert path in edges(muninn, target, "importers")


def test_a_call_means_what_is_in_the_file_what_is_imported_or_the_only_one(muninn):
    found = muninn.call("graph", start="shop/basket.py#Basket.total", relation="callees").edges
    assert [(edge.path, edge.name, edge.at_line, edge.how) for edge in found] == [
        ("shop/prices.py", "price_of", 12, "import"),
    ]
    assert edges(muninn, "price_of", "callees") == ["shop/prices.py#helper"]
    assert edges(muninn, "store/store.go", "callees") == ["store/net.go#connect"]


def test_a_common_method_name_has_no_callers(muninn):
    assert edges(muninn, "Basket.get", "callers") == []


def test_code_does_not_call_what_a_test_defines_nor_the_only_pop_of_the_repository(muninn):
    assert edges(muninn, "shop/waiting.py#serve", "callees") == []
    assert edges(muninn, "tests/test_queue.py#only_a_test", "callees") == ["tests/test_queue.py#pop"]


def test_callers_are_told_by_the_definition_that_calls(muninn):
    assert edges(muninn, "shop/prices.py#price_of", "callers") == ["shop/basket.py#Basket.total"]
    assert edges(muninn, "list_size", "callers") == ["c/main.c#main"]
    assert edges(muninn, "scan", "callers") == ["rust/src/main.rs#main"]


@pytest.mark.parametrize("target", ["Crate", "Crate.Crate"])
def test_a_class_precedes_its_constructor_and_both_have_the_same_callers(muninn, target):
    assert edges(muninn, target, "callers") == ["box/use.cc#pack"]


def test_deeper_steps_follow_what_was_found_and_each_is_told_once(muninn):
    assert edges(muninn, "helper", "callers", depth=2) == ["shop/prices.py#price_of", "shop/basket.py#Basket.total"]
    found = muninn.call("graph", start="helper", relation="callers", depth=3).edges
    assert [edge.depth for edge in found] == [1, 2, 3]
    assert found[2].path == "tests/test_basket.py"


def test_tests_are_found_by_name_and_by_what_they_call(muninn):
    assert edges(muninn, "shop/basket.py", "tests") == ["tests/test_basket.py"]
    assert edges(muninn, "Basket.total", "tests") == ["tests/test_basket.py#test_total"]
    assert edges(muninn, "Basket", "tests") == ["tests/test_basket.py#test_total"]


def test_tests_beside_the_code_are_known_in_rust(muninn):
    assert edges(muninn, "crate/src/rim.rs", "tests") == ["crate/src/rim.rs#tests"]
    assert edges(muninn, "spin", "tests") == ["crate/src/rim.rs#tests.turns"]
    assert edges(muninn, "crate/src/rim.rs", "imports") == []


@pytest.mark.parametrize(
    ("path", "wanted"),
    [
        ("kit/box/index.ts", ["kit/box/index.test.ts", "kit/a.test.ts"]),
        ("kit/lid/index.ts", ["kit/lid/index.test.ts"]),
        ("kit/box/util.ts", []),
        ("kit/lid/util.ts", ["kit/lid/util.test.ts"]),
        ("kit/coding.h", ["kit/coding_test.cc"]),
    ],
)
def test_a_test_is_that_of_the_file_in_whose_folders_it_is(muninn, path, wanted):
    assert edges(muninn, path, "tests") == wanted


def test_neighbours_are_bounded_and_say_what_is_left_out(muninn):
    everything = muninn.call("graph", start="shop/basket.py")
    few = muninn.call("graph", start="shop/basket.py", limit=2)
    assert everything.omitted == 0
    assert (list(few.edges), few.omitted) == (list(everything.edges[:2]), len(everything.edges) - 2)
    assert {edge.relation for edge in everything.edges} == {"imports", "importers", "callers", "callees", "tests"}


def test_the_map_shows_folders_their_imports_and_the_files_that_most_others_import(muninn):
    muninn_map = muninn.call("map", depth=1)
    folders = {folder.path: folder for folder in muninn_map.folders}
    assert sum(folder.files for folder in muninn_map.folders) == muninn_map.files
    assert folders["tests"].imports[0].path == "shop"
    assert [(each.path, each.files) for each in folders["."].imports] == [("src", 1)]
    assert folders["rust"].languages == {"rust": 2}
    assert ("c/inc/list.h", 2) in [(each.path, each.files) for each in muninn_map.central]
    java = muninn.call("map", path="java", depth=3)
    assert [(folder.path, each.path) for folder in java.folders for each in folder.imports] == [
        ("java/src/a/b", "java/src/a/c")
    ]
    few = muninn.call("map", limit=1)
    assert (len(few.folders), few.omitted) == (1, len(muninn.call("map").folders) - 1)
    with pytest.raises(NotFoundError) as unknown:
        muninn.call("map", path="sohp")
    assert "shop" in unknown.value.hint


def test_an_outline_is_a_tree_with_heads_and_comments(muninn):
    found = muninn.call("outline", path="shop/basket.py")
    assert (found.language, found.comment) == ("python", "What is bought.")
    (basket,) = found.symbols
    assert (basket.kind, basket.signature, basket.comment) == ("class", "class Basket", "Holds things.")
    assert [(one.name, one.start_line, one.end_line) for one in basket.children] == [("total", 10, 12), ("get", 14, 15)]
    (guide,) = muninn.call("outline", path="notes.md").symbols
    assert (guide.name, guide.kind, [one.name for one in guide.children]) == ("Guide", "heading", ["Install"])
    (greet,) = muninn.call("outline", path="words.lua").symbols
    assert (greet.name, greet.kind, greet.start_line) == ("greet", "definition", 1)


@pytest.mark.parametrize(
    ("query", "options", "first"),
    [
        ("price_of", {}, "shop/prices.py#price_of"),
        ("PRICE_OF", {}, "shop/prices.py#price_of"),
        ("pri", {}, "shop/prices.py#price_of"),
        ("l_s", {"language": "c"}, "c/list.c#list_size"),
        ("price_of", {"language": "py"}, "shop/prices.py#price_of"),
        ("asket", {"kind": "class"}, "shop/basket.py#Basket"),
        ("Basket.tot", {}, "shop/basket.py#total"),
        ("wheel", {"path": "ruby"}, "ruby/part/wheel.rb#Wheel"),
        ("wheel", {"path": "*.cs"}, "cs/Shop/Parts/Wheel.cs#Wheel"),
    ],
)
def test_definitions_are_found_by_name_beginning_humps_and_part(muninn, query, options, first):
    found = muninn.call("symbols", query=query, **options)
    assert f"{found.symbols[0].path}#{found.symbols[0].name}" == first
    assert found.total >= len(found.symbols)


def test_an_unknown_name_is_an_error_that_suggests_near_ones(muninn):
    with pytest.raises(NotFoundError) as no_file:
        muninn.call("outline", path="shop/baskets.py")
    assert "shop/basket.py" in no_file.value.hint
    with pytest.raises(NotFoundError) as no_name:
        muninn.call("graph", start="shop/prices.py#price_off")
    assert "price_of" in no_name.value.hint
    for start in ("Shop.price_of", "Basket.totall", "shop/prices.py#Shop.helper"):
        with pytest.raises(NotFoundError) as near:
            muninn.call("graph", start=start)
        for suggested in near.value.data["candidates"]:
            assert f"'{suggested}'" in near.value.hint
            assert muninn.call("graph", start=suggested).target == suggested
    with pytest.raises(BadParams) as several:
        muninn.call("graph", start="main")
    assert several.value.data["candidates"] == ["c/main.c#main", "cmd/main.go#main", "rust/src/main.rs#main"]
    with pytest.raises(NotFoundError) as long_name:
        muninn.call("graph", start="x" * 100_000)
    assert len(str(long_name.value)) < 200
    with pytest.raises(BadParams) as no_language:
        muninn.call("symbols", query="x", language="pyton")
    assert "python" in no_language.value.hint
    with pytest.raises(BadParams) as no_relation:
        muninn.call("graph", start="run.py", relation="caller")
    assert "callers" in no_relation.value.hint
    assert muninn.call("symbols", query="nothing_is_called_so").symbols == ()


def test_a_method_calls_the_method_of_its_own_class_first(start, tmp_path):
    root = tmp_path / "two"
    root.mkdir()
    classes = [
        f"class {name}:\n    def send(self):\n        return 1\n\n    def request(self):\n        return self.send()\n"
        for name in ("Client", "AsyncClient")
    ]
    (root / "client.py").write_text("\n\n".join(classes))
    muninn = start(root)
    muninn.call("init")
    muninn.call("index", wait=True)
    for name in ("Client", "AsyncClient"):
        assert edges(muninn, f"client.py#{name}.request", "callees") == [f"client.py#{name}.send"]
        assert edges(muninn, f"client.py#{name}.send", "callers") == [f"client.py#{name}.request"]


def test_a_call_means_what_its_scope_shows_and_overloads_are_one_definition(start, tmp_path):
    (tmp_path / "context.py").write_text(
        "from typing import overload\n\n\ndef check(value):\n    return value\n\n\nclass Context:\n"
        "    @overload\n    def invoke(self, value: int) -> int: ...\n"
        "    @overload\n    def invoke(self, value: str) -> str: ...\n"
        "    def invoke(self, value):\n        return check(value)\n\n\n"
        "def run(context):\n    return context.invoke(1)\n"
    )
    (tmp_path / "option.py").write_text(
        "def option():\n    def callback(value):\n        return value\n\n    return callback(1)\n"
    )
    (tmp_path / "call.py").write_text(
        "from option import option\n\n\ndef given(callback, check):\n    return callback(check(option()))\n\n\n"
        "def local():\n    return callback()\n"
    )
    muninn = start(tmp_path)
    muninn.call("init")
    muninn.call("index", wait=True)
    assert edges(muninn, "call.py#given", "callees") == ["option.py#option"], "parameters hide definitions"
    assert edges(muninn, "call.py#local", "callees") == [], "a function within another is not known elsewhere"
    assert edges(muninn, "option.py#option", "callees") == ["option.py#option.callback"]
    assert edges(muninn, "Context.invoke", "callees") == ["context.py#check"]
    assert edges(muninn, "context.py#Context.invoke", "callers") == ["context.py#run"]
    with pytest.raises(NotFoundError) as caught:
        muninn.call("graph", start="X.invoke", relation="callers")
    assert caught.value.hint == "Did you mean 'context.py#Context.invoke'?"
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_context.py").write_text("class Context:\n    def invoke(self):\n        return 1\n")
    muninn.touch("tests/test_context.py")
    assert edges(muninn, "Context.invoke", "callees") == ["context.py#check"], "a test defines the name for itself"


def test_the_graph_follows_the_files(start, tmp_path):
    root = tmp_path / "grown"
    for path, text in {"app.py": "from lib.util import go\n\n\ndef run():\n    go()\n", "lib/util.py": ""}.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    muninn = start(root)
    muninn.call("init")
    muninn.call("index", wait=True)
    assert edges(muninn, "app.py", "callees") == []
    (root / "lib" / "util.py").write_text("def go():\n    pass\n")
    muninn.touch("lib/util.py")
    assert edges(muninn, "go", "callers") == ["app.py#run"]
    (root / "lib" / "util.py").rename(root / "lib" / "other.py")
    muninn.touch("lib/util.py", "lib/other.py")
    assert edges(muninn, "app.py", "imports") == []
    assert edges(muninn, "lib/other.py", "importers") == []


def test_first_party_code_ranks_above_vendored_copies(start, tmp_path):
    root = tmp_path / "bundled"
    paths = ["dist/app.js", "lib/vendor/app.js", "src/app.js", "src/test/app.js"]
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("function openShop() {}\n")
    muninn = start(root)
    muninn.call("init")
    muninn.call("index", wait=True)
    found = [one.path for one in muninn.call("symbols", query="openShop").symbols]
    assert found == ["src/app.js", *(path for path in paths if path != "src/app.js")]
    hits = muninn.call("recall", query="open the shop", kind="code").hits
    assert hits[0].path == "src/app.js"
    reasons = {hit.path: {one.signal for one in hit.why} for hit in hits}
    assert "generated" in reasons["dist/app.js"]
    assert "auxiliary" in reasons["lib/vendor/app.js"]


def test_files_that_the_same_commits_changed_are_related(plain_repo: Path, start: Callable[..., Muninn]) -> None:
    for number in range(3):
        for path in ("src/users.py", "src/prices.py", *(["src/once.py"] if number == 0 else [])):
            (plain_repo / path).write_text(f"LAST = {number}\n")
        git(plain_repo, "add", ".")
        git(plain_repo, "commit", "-qm", f"Change prices, {number}")
    muninn = start(plain_repo)
    muninn.call("init")
    muninn.call("index")
    found = muninn.call("graph", start="src/prices.py", relation="changes").edges
    assert [(edge.path, edge.how) for edge in found] == [("src/users.py", "3 of 3 commits")]


@pytest.mark.parametrize("query", ["Plug.Conn", "conn", "Conn", "Plug.Con", "Web.Plug.Conn"])
def test_a_module_with_a_dotted_name_is_found_by_its_whole_and_by_its_last_part(muninn: Muninn, query: str) -> None:
    text = "defmodule Web.Plug.Conn do\n  def send_resp(conn), do: conn\nend\n"
    (muninn.root / "conn.ex").write_text(text)
    muninn.touch("conn.ex")
    found = [one.name for one in muninn.call("symbols", query=query).symbols]
    assert found[0].rpartition(".")[2] == "Conn"
    assert [one.name for one in muninn.call("symbols", query="Conn.send_resp").symbols] == ["send_resp"]
    assert muninn.call("symbols", query="Other.Conn").symbols == ()


def test_while_the_index_lags_what_it_does_not_have_is_unknown_so_far() -> None:
    error = NotFoundError("'Flask' is not defined in this repository", hint="`muninn symbols` finds definitions.")
    assert with_index_lag(error, ReadState()) is error
    late = with_index_lag(error, ReadState(index=IndexState(lag=3)))
    assert late.message == "'Flask' is not defined in this repository so far"
    assert late.hint == "The index is not complete: `muninn index --wait` waits for it."
