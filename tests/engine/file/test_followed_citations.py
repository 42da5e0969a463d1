"""Cited definitions are followed when files are renamed, split, merged and translated."""

from __future__ import annotations

import pytest
from cited_code import GET, LONG, STEPS, keep, rewrite, standing, states
from repositories import git

from muninn_core.worktree.citations.citations import MAX_ELSEWHERE

pytest_plugins = ["engines"]

METHOD = "    def load(self, key):\n        found = self.items[key]\n        return found or self.missing(key)\n"


@pytest.fixture
def cited(muninn):
    return keep(muninn, files=["src/users.py#get_user_name"])


def test_a_definition_that_went_to_another_file_moves_it(muninn, cited):
    rewrite(muninn, lambda text: text.replace(GET, ""))
    (muninn.root / "src" / "names.py").write_text('"""Names."""\n\n' + GET)
    muninn.touch("src/names.py")
    (one,) = standing(muninn, cited)
    assert (one.state, one.place) == ("moved", "src/names.py:3-5")


def test_a_copy_that_was_there_before_is_no_new_home_of_what_was_deleted(muninn):
    (muninn.root / "src" / "copy.py").write_text(GET)
    git(muninn.root, "add", ".")
    git(muninn.root, "commit", "-q", "-m", "Copy")
    identity = keep(muninn, files=["src/users.py#get_user_name"])
    (muninn.root / "src" / "copy.py").write_text("import os\n" + GET)
    rewrite(muninn, lambda text: text.replace(GET, ""))
    muninn.touch("src/copy.py")
    assert states(muninn, identity) == ["gone"]


def test_a_file_that_was_renamed_and_rewritten_since_is_followed_through_the_commits(muninn, cited):
    git(muninn.root, "mv", "src/users.py", "src/people.py")
    git(muninn.root, "commit", "-q", "-m", "Rename")
    lines = "".join(f"PERSON_{n} = {n}\n" for n in range(30))
    (muninn.root / "src" / "people.py").write_text(f"{lines}\n\ndef get_user_name(person):\n    return person.name\n")
    git(muninn.root, "commit", "-q", "-am", "Rewrite")
    muninn.touch("src/users.py", "src/people.py")
    (one,) = standing(muninn, cited)
    assert (one.state, one.place, one.was) == ("drifted", "src/people.py:33-34", "src/users.py:6-8")


def test_a_method_whose_text_went_to_another_file_is_not_its_namesake_in_the_old_one(muninn):
    stores = muninn.root / "stores.py"
    stores.write_text(f"class Near:\n{METHOD}\n\nclass Far:\n    def load(self, key):\n        return None\n")
    git(muninn.root, "add", ".")
    git(muninn.root, "commit", "-q", "-m", "Stores")
    identity = keep(muninn, files=["stores.py#Near.load"])
    (muninn.root / "near.py").write_text(f"class Near:\n{METHOD}")
    stores.write_text("class Far:\n    def load(self, key):\n        return None\n")
    muninn.touch("stores.py", "near.py")
    assert [(one.state, one.place) for one in standing(muninn, identity)] == [("moved", "near.py:2-4")]


def test_a_namesake_in_another_class_of_a_file_of_the_same_name_is_not_it(muninn):
    old = muninn.root / "old" / "stores.py"
    old.parent.mkdir()
    old.write_text(f"class Near:\n{METHOD}")
    git(muninn.root, "add", ".")
    git(muninn.root, "commit", "-q", "-m", "Stores")
    identity = keep(muninn, files=["old/stores.py#Near.load"])
    old.unlink()
    (muninn.root / "stores.py").write_text("class Far:\n    def load(self, key):\n        return self.other[key]\n")
    muninn.touch("old/stores.py", "stores.py")
    assert states(muninn, identity) == ["gone"]


def test_a_definition_with_another_name_in_another_file_is_known_by_its_lines(muninn):
    body = "".join(f"    {step}\n" for step in STEPS)
    (muninn.root / "water.py").write_text(f"LIMIT = 1\n\n\ndef drink():\n{body}")
    git(muninn.root, "add", ".")
    git(muninn.root, "commit", "-q", "-m", "Water")
    identity = keep(muninn, files=["water.py#drink"])
    (muninn.root / "water.py").write_text("LIMIT = 1\n")
    (muninn.root / "tea.py").write_text(f"import cups\n\n\ndef have_tea():\n    boil()\n{body}")
    muninn.touch("water.py", "tea.py")
    (one,) = standing(muninn, identity)
    assert (one.state, one.place, one.was) == ("drifted", "tea.py:6-10", "water.py:4-9")


@pytest.mark.parametrize(
    ("head", "now", "state"),
    [
        ("impl fmt::Display for Mode {", "impl fmt::Display for Mode {\n    // shown\n}\n", "drifted"),
        ("impl fmt::Display for Mode {", "impl<T> Default for Mode {\n    // one\n}\n", "gone"),
        ("impl Mode {", "impl Default for Mode {\n    // one\n}\n", "gone"),
    ],
)
def test_an_impl_of_another_trait_is_another_definition(muninn, head, now, state):
    enum = "pub enum Mode {\n    Fast,\n    Slow,\n}\n\n"
    body = "    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {\n        self.name().fmt(f)\n    }\n}\n"
    (muninn.root / "mode.rs").write_text(f"{enum}{head}\n{body}")
    git(muninn.root, "add", ".")
    git(muninn.root, "commit", "-q", "-m", "Mode")
    identity = keep(muninn, files=["mode.rs:6-10"])
    (muninn.root / "mode.rs").write_text(enum + now)
    muninn.touch("mode.rs")
    assert states(muninn, identity) == [state]


@pytest.mark.parametrize(
    ("path", "text", "state"),
    [
        ("lib/shop.py", 'class Missing(LookupError, ShopError):\n    def __init__(self, name: str, why: str = ""):\n'
         "        LookupError.__init__(self, name or why)\n", "drifted"),
        ("lib/shop.py", "class Missing:\n    pass\n", "gone"),
        ("lib/errors.py", LONG + "class Missing:\n    pass\n", "drifted"),
        ("lib/errors.py", "class Missing:\n    pass\n", "gone"),
    ],
)  # fmt: skip
def test_a_namesake_is_known_by_its_words_or_by_the_lines_around_it(muninn, path, text, state):
    missing = (
        "class Missing(ShopError):\n    def __init__(self, name, why):\n        LookupError.__init__(self, name)\n"
    )
    (muninn.root / "src" / "shop.py").write_text(LONG + missing)
    git(muninn.root, "add", ".")
    git(muninn.root, "commit", "-q", "-m", "Shop")
    identity = keep(muninn, files=["src/shop.py#Missing"])
    (muninn.root / "src" / "shop.py").unlink()
    (muninn.root / "lib").mkdir()
    (muninn.root / path).write_text(text)
    muninn.touch("src/shop.py", path)
    assert states(muninn, identity) == [state]


LOAD_GO = "func (s *Store) load(key string) int {\n\tfound := s.items[key]\n\treturn found\n}\n"


LOAD_JS = "Store.prototype.load = function (key) {\n  const found = this.items[key];\n  return found;\n};\n"


LOAD_PY = "    def load(self, key):\n        found = self.items[key]\n        count(found, key)\n        return found\n"


FUNCTION_GO = "package b\n\nfunc load({}) int {{\n\treturn 1\n}}\n"


MODIFY_C = (
    "static jv modify(jv t, jv k, jv v) {\n  int isnull = kind(t) == NULL;\n  if (kind(k) == STRING && isnull) {\n"
    "    t = object_set(object(), k, v);\n  } else {\n    t = array_set(t, number(k), v);\n    %s\n    %s\n    %s\n"
    "  }\n  return t;\n}\n"
)


SHOP_RB = "class Shop\n  def open(key)\n    @keys = [key]\n    count(key)\n  end\nend\n"


REOPENED_RB = (
    "  def open(key)\n    @keys = [key]\n    count(key)\n",
    "  TEXT = <<~END\nOpen it.\nEND\n\n  def open(*names)\n    start(names)\n",
)


PRINT_C = (
    "int {}(entry *e) {{\n  int total;\n  int size;\n  names = load_names();\n  kinds = load_kinds();\n"
    "  times = load_times();\n  users = load_users();\n  {}\n  total = print(e);\n  count(e, total);\n"
    "  return total;\n}}\n"
)


PRINT_ALL_C = (
    "int print_all(entry *e) {\n  int total;\n  int size;\n"
    "  total = print(e);\n  count(e, total);\n  return total;\n}\n"
)


VISIT_JS = "function check() {{\n  return {{\n    {},\n  }};\n}}\n"


NEW_GO = "func (s *Store) load() {\n\tpanic(s.reason)\n}\n"


@pytest.mark.parametrize(
    ("cited", "old", "now", "state"),
    [
        ("a/s.go#load", LOAD_GO, {"a/s.go": NEW_GO.replace("s *Store", "c *Cache")}, "gone"),
        ("a/s.go#load", "type Store struct{}\n\n" + LOAD_GO,
         {"a/s.go": "type store struct{}\n\n" + LOAD_GO.replace("Store", "store").replace("found\n}", "found + 1\n}")},
         "drifted a/s.go:3-6"),
        ("a/s.go#load", "type Store struct{}\n\n" + LOAD_GO,
         {"a/s.go": "type Cache struct{}\n\n" + NEW_GO.replace("s *Store", "c *Cache").replace("s.", "c.")}, "gone"),
        ("a/s.go#load", "type Store struct{}\n\n" + LOAD_GO,
         {"a/s.go": "type Store struct{}\n\ntype Cache struct{}\n\n" + LOAD_GO.replace("*Store", "*Cache")
          .replace("found\n}", "found + 1\n}")}, "gone"),
        ("a/s.go#load", LOAD_GO, {"a/s.go": None, "a/new.go": NEW_GO}, "drifted a/new.go:1-3"),
        ("a/s.go#load", LOAD_GO, {"a/s.go": None, "b/new.go": NEW_GO}, "gone"),
        ("a/s.go#load", LOAD_GO, {"a/s.go": None, "b/s.go": FUNCTION_GO.format("s *a.Store, key string")},
         "drifted b/s.go:3-5"),
        ("a/s.go#load", LOAD_GO, {"a/s.go": None, "b/s.go": FUNCTION_GO.format("s *a.Stores, key string")}, "gone"),
        ("s.rb#Store.load", "class Store\n  def load(key)\n    items[key]\n  end\nend\n",
         {"s.rb": "class Store\n  module Reading\n    def load(path)\n      File.read(path)\n    end\n  end\nend\n"},
         "drifted s.rb:3-5"),
        ("S.cs#A.Store.Load", "namespace A\n{\n  class Store\n  {\n    public int Load(int key)\n    {\n"
         "      return key;\n    }\n  }\n}\n",
         {"S.cs": "namespace A;\n\nclass Store\n{\n  public long Load(string name)\n  {\n    return Find(name);\n"
          "  }\n}\n"}, "drifted S.cs:5-8"),
        ("S.java#Store.Store", "class Store {\n  public Store(String key) {\n    this.key = key;\n  }\n}\n",
         {"S.java": None, "S.kt": "class Store(\n  val name: Name\n) : Base(name) {\n  fun load() = name\n}\n"},
         "drifted S.kt:1-5"),
        ("S.java#Store.Store", "class Store {\n  public Store(String key) {\n    this.key = key;\n  }\n}\n",
         {"S.java": None, "S.kt": "class Store {\n  fun load() = name\n}\n"}, "gone"),
        ("s.js#clean", "function clean(text) {\n  let spaces = text.match(blank)[1].length\n"
         "  let wanted = new RegExp(spaces, multiline)\n  return text.replace(wanted, '').replace(blank, nothing)\n}\n",
         {"s.js": "let none\n", "utils.js": "exports.clean = function (text) {\n  let kept = text.match(blank)[1]\n"
          "  let spaces = kept.length + given(option, default) - margin(first, last, other)\n"
          "  let wanted = new RegExp(join(spaces, tabs, marks), [multiline, global, sticky].join(separator))\n"
          "  let plain = text.replace(wanted, '').replace(prefix, suffix).replace(quotes, escaped)\n"
          "  return plain.replace(blank, nothing).trim().normalize(form)\n}\n"}, "drifted utils.js:1-7"),
        ("s.cpp#load", "int Store::load(int key) {\n  return items[key];\n}\n",
         {"s.cpp": "int Cache::load(int key) {\n  return find(key);\n}\n"}, "gone"),
        ("s.py#LIMIT", "LIMIT = make(\n    one,\n    two,\n)\n",
         {"s.py": "class Store:\n    LIMIT = (3, 4)\n"}, "drifted s.py:2"),
        ("s.c#modify", MODIFY_C % ("free(k);", "free(v);", "note(t, k);"),
         {"s.c": "int none;\n", "t.c": (MODIFY_C % ("stop();", "wait();", "leave();")).replace("modify", "set")
          .replace("jv k", "jv key").replace("int isnull = kind(t) == NULL", "int none = is_null(t)")},
         "drifted t.c:3-11"),
        ("s.scala#Store.expand", "object Store {\n  def expand(first: Path, base: Path) = {\n"
         "    val path = convert(first)\n    if (path.start == Home) Path(path, base) else Path(property(user), path)\n"
         "  }\n}\n",
         {"s.scala": "object A {\n}\n", "t.scala": "object All {\n  def expand(first: Path, base: Path = null) = {\n"
          "    val path: Path = convert(first)\n    if (path.start == Home)\n      Path(path, base)\n    else\n"
          "      Path(property(user), path)\n  }\n}\n"}, "drifted t.scala:2-8"),
        ("s.js#load", LOAD_JS, {"s.js": LOAD_JS.replace("Store", "Cache").replace("items", "all")}, "gone"),
        ("s.js#load", LOAD_JS, {"s.js": "Store.prototype.load = load;\n"}, "drifted s.js:1"),
        (
            "s.js#load",
            "function load(key) {\n  let found = ITEMS[key];\n  return found || missing(key);\n}\n",
            {"s.js": "var load = require('./load');\n", "load.ts": "export function load(key: string) {\n"
             "  const found = ITEMS[key];\n  return found || missing(key);\n}\n"},
            "drifted load.ts:1-4",
        ),
        ("S.java#Store.load", "class Store {\n  int load(String key) {\n    return items.get(key);\n  }\n}\n",
         {"S.java": None, "S.kt": "class Store {\n  fun load(name: Name) = found.getValue(name)\n}\n"},
         "drifted S.kt:2"),
        (
            "s.ts#Store.load",
            "class Store {\n  load(key) {\n    const found = this.items[key]\n    return found\n  }\n}\n",
            {"s.ts": "class Store {\n  load = (key: string): Item => {\n    return fetch(key)\n  }\n}\n"},
            "drifted s.ts:2-4",
        ),
        ("s.js#check.Field", VISIT_JS.format("Field(node) {\n      found = node;\n      count(node);\n    }"),
         {"s.js": VISIT_JS.format("Field: {\n      enter() {\n        reset();\n      },\n    }")}, "drifted s.js:3"),
        ("s.js#check.Field", VISIT_JS.format("Field(node) {\n      found = node;\n      count(node);\n    }"),
         {"s.js": VISIT_JS.format("Name: {\n      Field: {},\n    },\n    Kind: {\n      Field: {},\n    }")}, "gone"),
        ("s.rb#Store.load", "class Store\n  def load(key)\n    items[key]\n  end\nend\n",
         {"s.rb": "class Store\n  def self.load(key)\n    new.all(key)\n  end\nend\n"}, "gone"),
        ("s.py#Store.load", "class Store:\n" + LOAD_PY,
         {"s.py": "class Cache:\n    def load(other):\n        pass\n"}, "gone"),
        ("s.py#Store.load", "class Store:\n" + LOAD_PY, {"s.py": "class Cache:\n" + LOAD_PY.replace(", key)", ")")},
         "drifted s.py:2-5"),
        ("s.py#Store.load", "class Store:\n" + LOAD_PY,
         {"s.py": None, "t.py": "class Outer:\n  class Store:\n    def load(self, key, other):\n"
          "        found = self.items.get(key)\n        count(found, key, other)\n        return found or key\n"},
         "drifted t.py:3-6"),
        ("a.cpp#Store", "class Store\n{\n\tpublic:\n\t\tStore(int key);\n\n\t\tint load(int key);\n};\n",
         {"a.cpp": None, "b.cpp": LONG + "class Store\n{\npublic:\n\tStore(int key);\n\n\tint load(int key);\n};\n"},
         "moved"),
        ("s.cpp#Store", "Store::Store(int key)\n{\n  items = make(key);\n}\n",
         {"s.cpp": "Store::Store(int key) :\n  all(find(key))\n{\n  reset();\n}\n"}, "drifted s.cpp:1-5"),
        ("s.h#row", "struct row {\n  int key;\n  int size;\n};\n",
         {"s.h": "struct row;\n" + LONG, "s.c": "int none;\n\nstruct row {\n  int key;\n  int size;\n};\n"}, "moved"),
        ("s.ts#Store.constructor", "class Store {\n  constructor({ key, name }: Given) {\n    this.key = key\n  }\n}\n",
         {"s.ts": "class Store {\n  constructor({\n    key,\n    name,\n  }: Given) {\n    set(key)\n  }\n}\n"},
         "drifted s.ts:2-7"),
        ("f.php#Filter.tag",
         "<?php\nclass Filter\n{\n    public function tag()\n    {\n        return 'filter';\n    }\n}\n",
         {"f.php": None, "p.php": LONG + "interface Parser\n{\n    public function tag();\n}\n"}, "gone"),
        ("h.rb#Mock.initialize", "class Mock\n  def initialize(*lines)\n    @lines = lines\n    @at = 0\n  end\nend\n\n"
         "class Input\n  def initialize(*keys)\n    @keys = keys\n  end\nend\n",
         {"h.rb": "class Input\n  def initialize(*keys)\n    @keys = keys\n  end\nend\n"}, "gone"),
        ("h.rb#Shop.open", SHOP_RB, {"h.rb": SHOP_RB.replace(*REOPENED_RB)}, "drifted h.rb:6-8"),
        ("h.rb#Shop.open", SHOP_RB, {"h.rb": SHOP_RB.replace(*REOPENED_RB).replace("Shop", "Till")}, "gone"),
        ("one.c#old_print", PRINT_C.format("old_print", "wide = 1;\n  flag = 2;") + PRINT_ALL_C,
         {"one.c": PRINT_ALL_C + PRINT_C.format("print", "wide = size;\n  flag = size;")}, "drifted one.c:11-14"),
        ("s.py#load", "def load(key):\n    if key:\n      if known(key):\n        use(key)\n    for one in key:\n"
         "        use(one)\n",
         {"s.py": "def load(key):\n    if key:\n        if known(key):\n            use(key)\n    for one in key:\n"
          "        use(one)\n"}, "fresh"),
    ],
)  # fmt: skip
def test_a_definition_is_known_by_what_it_belongs_to(muninn, cited, old, now, state):
    path = cited.partition("#")[0]
    (muninn.root / path).parent.mkdir(exist_ok=True)
    (muninn.root / path).write_text(old)
    git(muninn.root, "add", ".")
    git(muninn.root, "commit", "-q", "-m", "Store")
    identity = keep(muninn, files=[cited])
    for name, text in now.items():
        (muninn.root / name).parent.mkdir(exist_ok=True)
        (muninn.root / name).unlink(missing_ok=True) if text is None else (muninn.root / name).write_text(text)
    muninn.touch(*now)
    (one,) = standing(muninn, identity)
    assert (f"{one.state} {one.place}" if one.state == "drifted" else one.state) == state


def test_a_function_inside_another_is_new_in_a_file_that_has_its_namesake(muninn):
    script = (
        "function {}(all) {{\n  function next(one) {{\n    if (one.done) {{\n      return {}\n    }}\n"
        "    return next(all.after(one))\n  }}\n}}\n"
    )
    (muninn.root / "one.js").write_text(script.format("scan", "all.found"))
    (muninn.root / "users.js").write_text(script.format("count", "all.number"))
    git(muninn.root, "add", ".")
    git(muninn.root, "commit", "-q", "-m", "Scan")
    identity = keep(muninn, files=["one.js#scan.next"])
    (muninn.root / "one.js").write_text("// none\n")
    (muninn.root / "users.js").write_text(script.format("count", "all.number") + script.format("scan", "all.users"))
    muninn.touch("one.js", "users.js")
    assert [(one.state, one.place) for one in standing(muninn, identity)] == [("drifted", "users.js:10-15")]


def test_a_file_that_moved_to_another_folder_is_not_new(muninn):
    missing = (
        'class Missing(ShopError):\n    def __init__(self, name):\n        LookupError.__init__(self, name, "{}")\n'
    )
    for folder in ("shop", "store"):
        (muninn.root / folder).mkdir()
        (muninn.root / folder / "errors.py").write_text((LONG if folder == "store" else "") + missing.format(folder))
    git(muninn.root, "add", ".")
    git(muninn.root, "commit", "-q", "-m", "Errors")
    identity = keep(muninn, files=["shop/errors.py#Missing"])
    (muninn.root / "lib").mkdir()
    git(muninn.root, "rm", "-q", "shop/errors.py")
    git(muninn.root, "mv", "store", "lib/store")
    git(muninn.root, "commit", "-q", "-m", "Move")
    muninn.touch("shop/errors.py", "lib/store/errors.py")
    assert states(muninn, identity) == ["gone"]


ASYNC = (
    "object {} {{\n  override def load(key: Key)\n                   (run: {}): Found = {{\n    super.load(key)(run)\n"
    "  }}\n}}\n"
)


LOCALE_JS = (
    "function build() {{\n  var months = {}\n  var days = {}\n  var halves = {}\n  var late = {}\n"
    "  return join(months, days, halves)\n}}\n"
)


MEMBER_JS = "  self.{} = function (names) {{\n    options.{}.push(names){}\n    return self{}\n  }}{}\n"


def members_js(owner, end, *names):
    """Return a function with members, each of which pushes to its option."""
    members = "".join(MEMBER_JS.format(name, name, end, end, end) for name in names)
    return f"function {owner}(given) {{\n{members}}}\n"


LOAD_CS = "  int Load(string key)\n  {\n    return Find(key);\n  }\n"


OVERLOADS_CS = "class Store\n{{\n{}  int Load(string key, int age)\n  {{\n    return Find(key, age);\n  }}\n}}\n"


def row_kt(given, body, *names):
    """Return a class with `set` and other methods."""
    others = "".join(f"    fun {name}() = all.{name}\n" for name in names)
    return f"class Row {{\n    fun set({given}) {{\n        {body}\n    }}\n{others}}}\n"


SET_KT = row_kt("key: Key, value: Any", "data[key] = value ?: error(missing)", "get", "copy", "create")


def set_kt(owner, value):
    """Return a class with a method `set` that stores a value, and other methods."""
    return row_kt("key: Key, value: Any", f"data[key] = {value}", "get", "copy", "create").replace("Row", owner)


def drink_py(name, *steps):
    """Return a function of these steps."""
    return f"def {name}():\n" + "".join(f"    {step}\n" for step in steps)


LICENCE = "".join(f"# Clause {n} of the licence.\n" for n in range(12)) + "\n"


STORE_TEST = (
    "class StoreTest(Case):\n    def test_make(self):\n        store = {}\n        self.assertEqual(store.host, host)\n"
    "        self.assertEqual(store.port, port)\n        self.assertEqual(store.user, user)\n"
)


MORE_TESTS = "".join(f"\n    def test_{n}(self):\n        self.step({n}, store.host)\n" for n in range(9))


def sum_ts(body):
    """Return a class with three methods, the second one with a body."""
    return (
        f"class Sum {{\n  next(value: number) {{\n    {body}\n  }}\n\n  error(why: Error) {{\n    stop(why)\n  }}\n\n"
        "  done() {\n    stop()\n  }\n}\n"
    )


def file_kt(owner, given, *names):
    """Return a class whose methods call something else with what is given."""
    methods = "".join(f"  fun {name}() {{\n    {name}_of({given})\n  }}\n" for name in names)
    return f"class {owner} {{\n{methods}}}\n"


REBUILT_KT = ("build() {\n    build_of(tags)", "build(name: Name) {\n    return Spec(name, tags)")


def brew_py(head, *names):
    """Return a function of nine lines, of which the first and four others, the longest, are given."""
    long = "".join(f"    bring_the_biggest_{name}_cup()\n" for name in names)
    return f"def {head}:\n    boil()\n    pour()\n    stir()\n    taste()\n    drink()\n{long}"


LOAD_PHP = "class {}\n{{\n    public function load({})\n    {{\n        return {};\n    }}\n}}\n"


@pytest.mark.parametrize(
    ("cited", "steps", "state"),
    [
        ("s.js#exports.load", [
            {"s.js": LONG + "module.exports = function (store) {\n  function load(key) {\n    let found = store[key]\n"
             "    return found || missing(key)\n  }\n}\n"},
            {"s.js": None, "s.ts": LONG + "export function shop(store) {\n  function load(key) {\n"
             "    let found = store[key]\n    return found || missing(key)\n  }\n}\n"},
            {"s.ts": "export function shop(store: Store) {\n  function load(name: Name) {\n    fetch(name)\n  }\n}\n"},
        ], "drifted s.ts:2-4"),
        ("shop.rb#Shop.load", [
            {"shop.rb": LONG + "class Shop\n  def load(key)\n    found = items[key]\n    count(found, key)\n  end\n"
             "end\n"},
            {"shop.rb": None, "market.rb": LONG + "class Market\n  def load(key)\n    found = items[key]\n"
             "    count(found, key)\n  end\nend\n"},
            {"shop.rb": "class Shop\n  def sell\n  end\nend\n",
             "market.rb": "class Market\n  def load(key, other)\n    found = items.fetch(key)\n    count(found)\n"
             "  end\nend\n"},
        ], "drifted market.rb:2-5"),
        ("a.scala#A.load", [
            {"a.scala": ASYNC.format("A", "Later"), "b.scala": ASYNC.format("B", "Soon")},
            {"a.scala": None, "b.scala": None, "new/c.scala": ASYNC.format("C", "Soon")},
        ], "gone"),
        ("el/f.js#build", [
            {"el/f.js": LOCALE_JS.format("'Ian'", "'Kyr'", "'pm'", "'mm'"),
             "de/f.js": LOCALE_JS.format("'Jan'", "'Son'", "'am'", "'pm'")},
            {"el/f.js": None, "de/f.js": None},
            {"sl/f.js": LOCALE_JS.format("'jan'", "'ned'", "'am'", "'pm'")},
        ], "gone"),
        ("index.js#Argv.check", [
            {"index.js": members_js("Argv", ";", "check", "count")},
            {"index.js": "let none\n", "yargs.js": members_js("Yargs", "", "check", "demand")},
        ], "drifted yargs.js:2-5"),
        ("index.js#Argv.config", [
            {"index.js": members_js("Argv", ";", "config", "count", "demand", "usage")},
            {"index.js": "let none\n", "yargs.js": members_js("Yargs", "", "count", "demand", "usage")
             .removesuffix("}\n") + "  self.config = function (names, other) {\n    if (other) return self\n"
             "    each(names, function (one) {\n      options.config[one] = other\n    })\n    return self\n  }\n}\n"},
        ], "drifted yargs.js:14-20"),
        ("setup.h#LOWER", [
            {"setup.h": "#define LOWER(x)  (lower((int)  x))\n\n#if defined(OLD)\n   typedef int flag;\n#endif\n"},
            {"setup.h": "// Up.\n#define LOWER(x) (lower((int)x))\n\n#if defined(OLD)\ntypedef int flag;\n#endif\n"},
        ], "moved"),
        ("S.cs:3-6", [
            {"S.cs": OVERLOADS_CS.format(LOAD_CS)},
            {"S.cs": OVERLOADS_CS.format("").replace("key, age", "key, age, false"),
             "T.cs": f"class More\n{{\n{LOAD_CS}}}\n"},
        ], "moved"),
        ("S.cs:3-6", [
            {"S.cs": OVERLOADS_CS.format(LOAD_CS)},
            {"S.cs": OVERLOADS_CS.format("").replace("key, age", "key, age, false"), "T.cs": "class More\n{\n}\n"},
        ], "drifted S.cs:3-6"),
        ("query.kt#Row.set", [
            {"query.kt": LONG + SET_KT},
            {"query.kt": None, "Row.kt": row_kt("name: Name", "other(name)", "get", "copy", "size")},
        ], "drifted Row.kt:2-4"),
        ("query.kt#Row.set", [
            {"query.kt": LONG + SET_KT},
            {"query.kt": None, "Row.kt": row_kt("name: Name", "other(name)", "draw", "paint", "size")},
        ], "gone"),
        ("a/f.py#drink", [
            {"a/f.py": LONG + drink_py("drink", *STEPS)},
            {"a/f.py": None, "b/f.py": LONG + drink_py("drink", *STEPS)},
            {"b/f.py": drink_py("have_tea", "boil()", *STEPS[:4]) + LONG},
        ], "drifted b/f.py:3-6"),
        ("near.py#Near.load", [
            {"near.py": LICENCE + "class Near:\n" + METHOD},
            {"near.py": "LIMIT = 1\n", "far.py": LICENCE + "class Far:\n    def load(self, key, other):\n"
             "        return self.others.fetch(key, other)\n"},
        ], "gone"),
        ("one.kt#One.set", [
            {"one.kt": set_kt("One", "value ?: error(missing)"), "two.kt": set_kt("Two", "value ?: throw absent()")},
            {"one.kt": None, "two.kt": None, "row.kt": set_kt("Row", "value ?: throw absent(key)").replace("Any", "V")},
        ], "gone"),
        ("k.kt#KFile.build", [
            {"k.kt": LONG + file_kt("KFile", "members", "build", "add", "show")},
            {"k.kt": None, "spec.kt": LONG + file_kt("Spec", "members", "build", "add", "show")},
            {"spec.kt": file_kt("Spec", "tags", "build", "add", "show").replace(*REBUILT_KT)},
        ], "drifted spec.kt:2-4"),
        ("k.kt#KFile.build", [
            {"k.kt": LONG + file_kt("KFile", "members", "build", "add", "show")},
            {"k.kt": None, "spec.kt": LONG + file_kt("Spec", "members", "build", "parse", "read")},
            {"spec.kt": file_kt("Spec", "tags", "build", "parse", "read").replace(*REBUILT_KT)},
        ], "gone"),
        ("one.ts#Sum.next", [
            {"one.ts": sum_ts("this.total += value"), "two.ts": "export function sum() {\n  return new Sum()\n}\n"},
            {"one.ts": None, "two.ts": "export function sum() {\n  return new Sum()\n}\n\n"
             + sum_ts("add(item)").replace("value: number", "item: Item")},
        ], "drifted two.ts:6-8"),
        ("one.ts#Sum.next", [
            {"one.ts": sum_ts("this.total += value"), "two.ts": sum_ts("count(value)")},
            {"one.ts": None, "two.ts": sum_ts("add(item)").replace("value: number", "item: Item")},
        ], "gone"),
        ("a.py#brew", [
            {"a.py": LONG + brew_py("brew(the_given_water)", "one", "two", "three", "four")},
            {"a.py": LONG, "b.py": brew_py("make_tea(water)", "six", "seven", "eight", "nine")},
        ], "drifted b.py:2-6"),
        ("near.php#Near.load", [
            {"near.php": "<?php\n\n" + LICENCE + LOAD_PHP.format("Near", "$key", "$this->items[$key]")},
            {"near.php": "<?php\n", "far.php": "<?php\n\n" + LICENCE
             + LOAD_PHP.format("Far", "$key", "$this->all[$key]")},
        ], "gone"),
        ("two.kt#Two.set", [
            {"one.kt": set_kt("One", "value ?: error(missing)"), "two.kt": set_kt("Two", "value ?: throw absent()")},
            {"one.kt": None, "two.kt": None, "row.kt": set_kt("Row", "value ?: throw absent(key)").replace("Any", "V")},
        ], "drifted row.kt:2-4"),
        ("a/old_test.py#StoreTest", [
            {"a/old_test.py": STORE_TEST.format("old_make(host, port, user)"),
             "a/unit_test.py": STORE_TEST.format("make(host, port, user)") + MORE_TESTS},
            {"a/old_test.py": None, "a/unit_test.py": None,
             "b/store_test.py": STORE_TEST.format("make(host, port, user, name)").replace("self", "this") + MORE_TESTS},
        ], "gone"),
    ],
)  # fmt: skip
def test_a_definition_is_followed_through_commits(muninn, cited, steps, state):
    for number, step in enumerate(steps):
        for name, text in step.items():
            file = muninn.root / name
            file.parent.mkdir(exist_ok=True)
            file.unlink(missing_ok=True) if text is None else file.write_text(text)
        git(muninn.root, "add", "-A", ".")
        git(muninn.root, "commit", "-q", "-m", "Step")
        if number == 0:
            identity = keep(muninn, files=[cited])
    muninn.touch(*{name for step in steps for name in step})
    (one,) = standing(muninn, identity)
    assert (f"{one.state} {one.place}" if one.state == "drifted" else one.state) == state


def test_a_file_that_was_translated_is_found_among_many_of_its_name(muninn):
    for number in range(MAX_ELSEWHERE + 1):
        folder = muninn.root / f"l{number:02}"
        folder.mkdir()
        (folder / "index.js").write_text(f"function week(key) {{\n  return all{number}[key]\n}}\n")
    git(muninn.root, "add", ".")
    git(muninn.root, "commit", "-q", "-m", "Weeks")
    last = f"l{MAX_ELSEWHERE:02}"
    identity = keep(muninn, files=[f"{last}/index.js#week"])
    for file in muninn.root.glob("l*/index.js"):
        file.with_suffix(".ts").write_text("function week(day: Day) {\n  const one = find(day)\n  return one\n}\n")
        file.unlink()
    muninn.touch(f"{last}/index.js", f"{last}/index.ts")
    assert [(one.state, one.place) for one in standing(muninn, identity)] == [("drifted", f"{last}/index.ts:1-4")]


@pytest.mark.parametrize(("cited", "now"), [("lib/store.py", "lib/storage.py"), ("old/shop/m.py", "new/shop/m2.py")])
def test_a_file_of_a_similar_path_is_searched_before_many_others(muninn, cited, now):
    load = "def load(key):\n    found = ITEMS[key]\n    return found or missing(key)\n"
    for folder in ("lib", "old/shop", "new/shop", "new/all"):
        (muninn.root / folder).mkdir(parents=True)
    (muninn.root / cited).write_text(load)
    git(muninn.root, "add", ".")
    git(muninn.root, "commit", "-q", "-m", "Load")
    identity = keep(muninn, files=[f"{cited}#load"])
    (muninn.root / cited).unlink()
    for number in range(MAX_ELSEWHERE + 1):
        for folder in ("lib", "new/all"):
            (muninn.root / folder / f"a{number}.py").write_text(f"def load():\n    return {number}\n")
    (muninn.root / now).write_text(LONG + load)
    muninn.touch(cited, now, *(f"{folder}/a{number}.py" for folder in ("lib", "new/all") for number in range(51)))
    assert [(one.state, one.place) for one in standing(muninn, identity)] == [("moved", f"{now}:31-33")]


def test_text_without_a_symbol_is_followed_into_another_file(muninn):
    (muninn.root / "steps.txt").write_text(LONG)
    git(muninn.root, "add", ".")
    git(muninn.root, "commit", "-q", "-m", "Steps")
    part = keep(muninn, files=["steps.txt:20-24"])
    lines = LONG.splitlines(keepends=True)
    (muninn.root / "steps.txt").write_text("".join(lines[:10]))
    (muninn.root / "more.txt").write_text("# More\n" + "".join(lines[15:]))
    muninn.touch("steps.txt", "more.txt")
    assert [(one.state, one.place) for one in standing(muninn, part)] == [("moved", "more.txt:6-10")]
