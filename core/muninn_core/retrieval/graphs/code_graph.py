"""The graph of imports, calls, tests and definitions between the files and definitions of a repository.

It is computed on demand from the facts of each file, so it always agrees with the index. A call is resolved by name: to
a definition in the same file, in an imported file, in the package, or else the only one of that name and language. A
call that is still ambiguous is not resolved.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Container, Iterable, Iterator, Sequence
from typing import NamedTuple, Protocol

from muninn_core.index.manifest.code_facts import marks, may_refer_to, stem_of
from muninn_core.source.code.definition import SCOPES, Definition, Import
from muninn_core.source.code.resolve import FileIndex, resolve_import
from muninn_core.source.files.classify import language_of, path_traits

RELATIONS = ("definitions", "imports", "importers", "callers", "callees", "tests")
"""All relations, in the order of the results."""

_MAX_NODES = 150
"""The most nodes that are followed at each depth."""

_MAX_CALLERS = 400
"""The most files that are searched for callers of one name."""

_NOT_CALLED = frozenset({"key", "heading", "field", "variable", "constant", "property", "module", "impl"})
_PACKAGED = frozenset({"go", "java", "kotlin", "csharp", "php"})
"""Languages in which the files of a folder see each other's definitions without an import."""


_COMMON = re.compile(
    r"add|all|any|append|apply|call|clear|close|copy|count|create|delete|each|encode|decode|exists|extend|filter|find|flush|format|get|group|has|index|insert|items|join|"
    r"keys|len|list|lower|map|match|new|next|open|pop|print|push|put|read|remove|replace|reset|run|save|search|send|set|size|sort|split|start|stop|strip|"
    r"sub|test|then|update|upper|value|values|wait|write"
)
"""Common method names. A call of one is not resolved only because the repository has one definition of that name: the
standard library has many."""


_TESTS = (
    *("{}", "test_{}", "test-{}", "{}_test", "{}-test", "{}Test", "{}Tests", "Test{}"),
    *("{}_spec", "spec_{}", "{}Spec", "{}Specs", "{}_unittest"),
)
"""Patterns of test file names for a file's stem, without suffixes."""

_BY_NAME = "its name"
"""The `how` of tests found by file name. They come before tests that only import the file."""

_KIN = ({"c", "cpp"}, {"javascript", "typescript"}, {"java", "kotlin"})
"""Groups of languages whose tests may be written in another language of the group."""


class Named(Protocol):
    """A definition and the path of its file."""

    @property
    def path(self) -> str:
        """The path of its file."""

    @property
    def definition(self) -> Definition:
        """The definition."""


class Facts(FileIndex, Protocol):
    """The facts of each file: definitions, imports and calls."""

    def outline(self, path: str) -> Sequence[Definition]:
        """Return the definitions of a file by line."""

    def named(self, name: str) -> Sequence[Named]:
        """Return the definitions of a name, by path and line."""

    def imports(self, path: str) -> Sequence[Import]:
        """Return the imports of a file."""

    def importing(self, path: str) -> Sequence[tuple[str, Import]]:
        """Return (file, import) of the imports that could mean a file, by path and line."""

    def called(self, name: str) -> Sequence[tuple[str, tuple[int, ...]]]:
        """Return (path, lines) of the files that call a name."""

    def calls(self, path: str) -> Sequence[tuple[str, tuple[int, ...]]]:
        """Return (name, lines) of the calls in a file."""


class Node(NamedTuple):
    """A file, or a definition in it."""

    path: str
    definition: Definition | None = None

    @property
    def order(self) -> tuple[str, int, str]:
        """The sort key: path, first line, label."""
        return (self.path, self.definition.start if self.definition else 0, self.label)

    @property
    def label(self) -> str:
        """The name of the node: `path`, or `path#Class.method`. Overloads in one file share it."""
        return f"{self.path}#{self.definition.qualified}" if self.definition else self.path


class Edge(NamedTuple):
    """A relation from `origin` to `node`, `depth` steps from the start.

    `path` and `line` are the place of the import, call or definition. `how` is the rule that resolved it: `same file`,
    `import`, `package`, `only one of its name` or `its name`; "" where no rule is needed.
    """

    depth: int
    relation: str
    origin: Node
    node: Node
    path: str
    line: int
    how: str = ""


class _FileCache:
    """Caches file lookups: hundreds of imports look up the same files."""

    def __init__(self, world: FileIndex) -> None:
        self._world = world
        self._exists: dict[str, bool] = {}
        self._stems: dict[str, Sequence[str]] = {}
        self._folders: dict[str, Sequence[str]] = {}
        self._texts: dict[str, str] = {}

    def exists(self, path: str) -> bool:
        """Whether a file exists."""
        found = self._exists.get(path)
        if found is None:
            found = self._exists[path] = self._world.exists(path)
        return found

    def text(self, path: str) -> str:
        """Return the text of a file."""
        if path not in self._texts:
            self._texts[path] = self._world.text(path)
        return self._texts[path]

    def with_stem(self, stem: str) -> Sequence[str]:
        """Return the files with a stem, as imports name it, sorted."""
        if stem not in self._stems:
            self._stems[stem] = self._world.with_stem(stem)
        return self._stems[stem]

    def folder(self, path: str) -> Sequence[str]:
        """Return the files directly in a folder, sorted."""
        if path not in self._folders:
            self._folders[path] = self._world.folder(path)
        return self._folders[path]


Step = tuple[Node, str, int, str]
"""(target node, path, line, `how`) of an edge."""


class Graph:
    """The graph over one snapshot of facts. Lookups are cached for the lifetime of the object."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._world = _FileCache(facts)
        self._statements: dict[str, Sequence[Import]] = {}
        self._imported: dict[str, dict[str, int]] = {}
        self._targets: dict[tuple[str, str], tuple[Node, str] | None] = {}
        self._named: dict[str, list[Node]] = {}
        self._outlines: dict[str, Sequence[Definition]] = {}

    def around(self, start: Node, relations: Sequence[str], depth: int, limit: int) -> tuple[list[Edge], int]:
        """Return at most `limit` edges within `depth` steps of a node, and the number of omitted edges.

        Edges are ordered by depth, relation and place. Each node is expanded once.
        """
        edges: list[Edge] = []
        seen, level = {start.label}, [start]
        for step in range(1, depth + 1):
            found = [
                edge
                for node in level
                for relation in relations
                for edge in self._edges(node, relation, step)
                if edge.node.label not in seen or step == 1
            ]
            found.sort(
                key=lambda edge: (relations.index(edge.relation), edge.how != _BY_NAME, edge.node.order, edge.line)
            )
            level = []
            for edge in found:
                if edge.node.label not in seen:
                    seen.add(edge.node.label)
                    level.append(edge.node)
            edges += _distinct(found)
            level = level[:_MAX_NODES]
        return edges[:limit], max(len(edges) - limit, 0)

    def _edges(self, node: Node, relation: str, depth: int) -> Iterator[Edge]:
        found = _WALKS[relation](self, node)
        return (Edge(depth, relation, node, *each) for each in found)

    def _definitions(self, node: Node) -> Iterator[Step]:
        inside = node.definition.qualified if node.definition else ""
        for one in self._outline(node.path):
            if one.container == inside and one.kind != "key":
                yield Node(node.path, one), node.path, one.start, ""

    def _imports(self, node: Node) -> Iterator[Step]:
        for path, line in self.imported_files(node.path).items():
            yield Node(path), node.path, line, ""

    def _importers(self, node: Node) -> Iterator[Step]:
        previous = ""
        for path, one in self._facts.importing(node.path):
            if path != previous and node.path in resolve_import(path, language_of(path), one, self._world):
                previous = path
                yield Node(path), path, one.line, ""

    def _callees(self, node: Node) -> Iterator[Step]:
        qualified = node.definition.qualified if node.definition else ""
        own = [one for one in self._outline(node.path) if qualified and one.qualified == qualified]  # and its overloads
        for name, lines in self._facts.calls(node.path):
            line = next((at for at in lines if not own or any(one.start <= at <= one.end for one in own)), None)
            target = self._call_target(node.path, name, line) if line is not None else None
            if target is None or line is None or target[0].label == node.label:
                continue
            if own or target[0].path != node.path:
                yield target[0], node.path, line, target[1]

    def _callers(self, node: Node) -> Iterator[Step]:
        wanted = [node] if node.definition else [Node(node.path, one) for one in self._outline(node.path)]
        names = {each.definition.name for each in wanted if each.definition and each.definition.kind not in _NOT_CALLED}
        labels = {each.label for each in wanted}
        for one in [each.definition for each in wanted if each.definition and is_constructor(each.definition)]:
            # A call of a constructor is one of its class.
            made = [(each.definition, each.label) for each in self._callables(one.name)]
            labels |= {label for each, label in made if each and each.qualified == one.container}
        for name in sorted(names):
            for path, lines in self._facts.called(name)[:_MAX_CALLERS]:
                if not node.definition and path == node.path:
                    continue
                for line in lines:
                    target = self._call_target(path, name, line)
                    if target is None or target[0].label not in labels:
                        continue
                    caller = self._enclosing(path, line)
                    if caller.label != target[0].label:
                        yield caller, path, line, target[1]

    def _tests(self, node: Node) -> Iterator[Step]:
        if node.definition is not None:
            inside = node.definition.qualified if node.definition.kind in SCOPES else None
            members = [Node(node.path, one) for one in self._outline(node.path) if one.container == inside]
            yield from (step for each in (node, *members) for step in self._callers(each) if _is_test(step[0], step[1]))
            return
        own = [Node(node.path, one) for one in self._outline(node.path) if one.kind == "module"]
        yield from ((each, node.path, each.order[1], _BY_NAME) for each in own if _is_test(each, node.path))
        by_name = self._tests_by_name(node.path)
        yield from ((Node(path), path, 1, _BY_NAME) for path in sorted(by_name))
        for importer, path, line, _ in self._importers(node):
            if "test" in path_traits(path) and path not in by_name:
                yield importer, path, line, "import"

    def _tests_by_name(self, path: str) -> set[str]:
        """Return the tests named after a file. Among files of one name, the most common folders decide."""
        name, stem = posixpath.basename(path).partition(".")[0], stem_of(path)
        rivals = [
            each for each in self._world.with_stem(stem) if "test" not in path_traits(each) and _testable_by(each, path)
        ]
        found = set()
        for called in {name, stem}:
            for form in _TESTS:
                for test in self._world.with_stem(form.format(called)):
                    if "test" not in path_traits(test) or test == path or not _testable_by(test, path):
                        continue
                    # An `index.test.ts` in another folder belongs to another `index.ts`.
                    if called != stem and not test.startswith(posixpath.dirname(path) + "/"):
                        continue
                    if _shared(test, path) >= max((_shared(test, each) for each in rivals), default=0):
                        found.add(test)
        return found

    def imported_files(self, path: str) -> dict[str, int]:
        """Return {imported file: line of its first import}."""
        known = self._imported.get(path)
        if known is None:
            known, language = {}, language_of(path)
            for one in self._facts.imports(path):
                for target in resolve_import(path, language, one, self._world):
                    known.setdefault(target, one.line)
            self._imported[path] = known
        return known

    def _imports_one(self, path: str, wanted: Sequence[Node]) -> list[Node]:
        """Return the nodes of `wanted` whose files a file imports."""
        language = language_of(path)
        if language != "python" or path in self._imported:
            imported: Container[str] = self.imported_files(path)
        else:  # the names rule out most imports, which then need no resolution
            if path not in self._statements:
                self._statements[path] = self._facts.imports(path)
            last = frozenset().union(*(marks(each.path) for each in wanted))
            imported = {
                target
                for one in self._statements[path]
                if may_refer_to(one.module, one.names, last)
                for target in resolve_import(path, language, one, self._world)
            }
        return [each for each in wanted if each.path in imported]

    def _call_target(self, path: str, name: str, line: int) -> tuple[Node, str] | None:
        """Return (definition, how) that a call of a name at a line resolves to; None if it can't be resolved.

        Of several methods in the file, that of the innermost class around the line is the target. A parameter of the
        caller hides definitions of its name, and a function within another is known in that one only.
        """
        if not self._callables(name):
            return None
        caller = self._enclosing(path, line).definition
        if caller is not None and _is_parameter(name, caller.signature):
            return None
        around = f"{caller.qualified}." if caller else ""
        own = [
            each
            for each in self._callables(name)
            if each.path == path and (around.startswith(f"{_container(each)}.") or not self._is_local(each))
        ]
        if own:
            members = [each for each in own if around.startswith(f"{_container(each)}.")]
            inner = bool(members) and all(map(_container, own))
            return max(members, key=lambda each: len(_container(each))) if inner else own[0], "same file"
        key = (path, name)
        if key not in self._targets:
            self._targets[key] = self._resolve_call(path, name)
        return self._targets[key]

    def _resolve_call(self, path: str, name: str) -> tuple[Node, str] | None:
        """Return what a call of a name resolves to in other files."""
        known = [each for each in self._callables(name) if each.path != path]
        folder = posixpath.dirname(path)
        packaged = language_of(path) in _PACKAGED
        imported = next((each for each in self._imports_one(path, known) if not self._is_local(each)), None)
        if imported is not None:
            return imported, "import"
        beside = [each for each in known if packaged and posixpath.dirname(each.path) == folder]
        if beside:
            return beside[0], "package"
        same = [each for each in known if language_of(each.path) == language_of(path)]
        if len(same) != 1 or _COMMON.fullmatch(name) or self._is_local(same[0]):
            return None
        if "test" in path_traits(same[0].path) and "test" not in path_traits(path):
            return None  # code does not call its tests
        return same[0], "only one of its name"

    def _is_local(self, node: Node) -> bool:
        """Whether a function is within another one, and so unknown outside of it."""
        own = node.definition
        return (
            own is not None
            and own.kind == "function"
            and bool(own.container)
            and any(
                one.qualified == own.container
                and one.kind in ("function", "method")
                and one.start <= own.start <= one.end
                for one in self._outline(node.path)
            )
        )

    def _callables(self, name: str) -> list[Node]:
        """Return the definitions that a call of a name can resolve to; prototypes only if there are no others."""
        if name not in self._named:
            every = [Node(each.path, each.definition) for each in self._facts.named(name)]
            callable_ = [each for each in every if each.definition and each.definition.kind not in _NOT_CALLED]
            whole = [each for each in callable_ if each.definition and each.definition.kind != "prototype"]
            types = [each for each in whole if not is_constructor(each.definition)]
            self._named[name] = types or whole or callable_
        return self._named[name]

    def _enclosing(self, path: str, line: int) -> Node:
        """Return the innermost callable or type around a line, else the file."""
        around = [one for one in self._outline(path) if one.start <= line <= one.end and one.kind not in _NOT_CALLED]
        return Node(path, max(around, key=lambda one: (one.start, -one.end), default=None))

    def _outline(self, path: str) -> Sequence[Definition]:
        if path not in self._outlines:
            self._outlines[path] = self._facts.outline(path)
        return self._outlines[path]


def _is_parameter(name: str, signature: str) -> bool:
    """Whether a signature has a parameter of this name, in languages that name a parameter before its type."""
    return name in signature and re.search(rf"[(,*]\s*{re.escape(name)}\s*[?:,=)]", signature) is not None


def _container(node: Node) -> str:
    return node.definition.container if node.definition else ""


def is_constructor(one: Definition | None) -> bool:
    """Whether a definition is a constructor: a method with the name of its class."""
    return one is not None and one.kind in ("method", "prototype") and f".{one.container}".endswith(f".{one.name}")


def _is_test(node: Node, path: str) -> bool:
    """Whether a node is a test: in a test file, or in Rust in a module `test` or `tests`."""
    if "test" in path_traits(path):
        return True
    within = node.definition.qualified.split(".") if node.definition else ()
    return language_of(path) == "rust" and not {"test", "tests"}.isdisjoint(within)


def _testable_by(one: str, other: str) -> bool:
    languages = {language_of(one), language_of(other)}
    return len(languages) == 1 or any(languages <= kin for kin in _KIN)


def _shared(one: str, other: str) -> int:
    """Return the number of folder names that two paths share."""
    return len({*one.split("/")[:-1]} & {*other.split("/")[:-1]})


def _distinct(edges: Iterable[Edge]) -> list[Edge]:
    """Return the first edge for each relation, origin and node."""
    found: dict[tuple[str, str, str], Edge] = {}
    for edge in edges:
        found.setdefault((edge.relation, edge.origin.label, edge.node.label), edge)
    return list(found.values())


_WALKS = {
    "definitions": Graph._definitions,
    "imports": Graph._imports,
    "importers": Graph._importers,
    "callers": Graph._callers,
    "callees": Graph._callees,
    "tests": Graph._tests,
}
