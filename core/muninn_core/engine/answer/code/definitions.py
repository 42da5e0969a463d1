"""Definitions and their relations as answers have them: an outline as a tree, the node that a name means, its edges.

A repository's daemon and an organisation's server call these functions with the code of their own index.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

from muninn_core.errors import BadParams, NotFoundError
from muninn_core.model.answer import ReadState
from muninn_core.near_match import NAMES, did_you_mean, nearest, nearest_path
from muninn_core.protocol.families.code import CodeSymbol, GraphEdge, GraphParams, OutlineResult
from muninn_core.retrieval.graphs.code_graph import RELATIONS, Edge, Facts, Graph, Named, Node, is_constructor
from muninn_core.retrieval.query.filters import language_named
from muninn_core.source.code.definition import KINDS, Definition
from muninn_core.source.files.classify import LANGUAGES, language_of, path_traits

_SHOWN = 120
"""The most characters of a name that an error repeats."""

_CANDIDATES = 5
"""The most definitions that an error about an ambiguous name lists."""

_LESSER = frozenset({"prototype", "key", "heading", "field", "variable", "property"})
"""Kinds of definitions that a name means only when no other kind has it."""


class NamedCode(Facts, Protocol):
    """The code of one repository."""

    def names(self) -> Sequence[str]:
        """Return the distinct names of definitions."""


class Files(Protocol):
    """The files of one repository that are indexed."""

    def has(self, path: str) -> bool:
        """Whether a file is indexed."""

    def paths(self) -> Iterable[str]:
        """Return all paths."""


def checked_language(given: str | None) -> str | None:
    """Return the name of a language by its name or file suffix. Raises BadParams, with the nearest name."""
    language = language_named(given or "") or given
    check("language", language, sorted(set(LANGUAGES.values())))
    return language


def checked_kind(given: str | None) -> str | None:
    """Return a kind of definitions. Raises BadParams, with the nearest name."""
    check("kind", given, KINDS)
    return given


def check(name: str, value: str | None, known: Sequence[str]) -> None:
    """Raise BadParams for a value that is not known, with the nearest one."""
    if value is None or value in known:
        return
    raise BadParams(f"there is no {name} '{value}'", hint=did_you_mean(value, known, f"There are {', '.join(known)}."))


def outlined(
    path: str, definitions: Sequence[Definition], comment: str, saw: ReadState, repository: str = ""
) -> OutlineResult:
    """Return the definitions of a file as a tree. `comment` is that of the file's first chunk."""
    first = definitions[0].comment if definitions else ""
    return OutlineResult(
        path=path,
        language=language_of(path),
        symbols=_tree(path, definitions, repository),
        comment="" if not comment or comment == first else comment.partition("\n")[0],
        saw=saw,
    )


def edges_around(code: Facts, node: Node, params: GraphParams) -> tuple[list[GraphEdge], int]:
    """Return the edges around a node in its repository, and the number of those beyond the limit."""
    relations = [relation for relation in RELATIONS if params.relation in (relation, "neighbours")]
    if params.relation == "neighbours":
        relations.remove("definitions")
    if node.definition is not None and params.relation == "neighbours":
        relations = [relation for relation in relations if relation not in ("imports", "importers")]
    edges, omitted = Graph(code).around(node, relations, params.depth, params.limit)
    return list(map(_edge, edges)), omitted


def find_node(code: NamedCode, files: Files, target: str, plain: Callable[[str], str], prefix: str = "") -> Node:
    """Return the file or definition that a target means. `plain` returns a path as the index has it, or raises.

    `prefix` comes before the names that an error suggests. Raises NotFoundError with the nearest name,
    BadParams for a name with several definitions, with all of them.
    """
    path, mark, symbol = target.partition("#")
    if not mark and files.has(target.removeprefix("./")):
        return Node(target.removeprefix("./"))
    _, dot, last = target.rpartition(".")
    if not mark and ("/" in target or (dot and last in LANGUAGES and not code.named(last))):
        path = plain(target)
        if not files.has(path):
            raise no_file(path, files, prefix)
        return Node(path)
    if mark:
        path = plain(path)
        if not files.has(path):
            raise no_file(path, files, prefix)
    return _definition(code, path if mark else "", symbol if mark else target, prefix)


def meant(named: Iterable[Named], symbol: str) -> list[Node]:
    """Return the definitions that a name may mean, of those that are named by its last part."""
    wanted = symbol.replace("::", ".").removesuffix("()")
    nodes = [Node(each.path, each.definition) for each in named]
    known = [each for each in nodes if each.definition and f".{each.definition.qualified}".endswith(f".{wanted}")]
    matching = [each for each in known if each.definition and each.definition.kind not in _LESSER] or known
    return [each for each in matching if not is_constructor(each.definition)] or matching


def last_part(symbol: str) -> str:
    """Return the last part of a name: `rename` of `User::rename()`."""
    return symbol.replace("::", ".").removesuffix("()").rpartition(".")[2]


def _definition(code: NamedCode, path: str, symbol: str, prefix: str) -> Node:
    name = last_part(symbol)
    matching = meant(_named(code, name, path), symbol)
    if not matching:
        raise _no_definition(code, path, symbol, name, prefix)
    labels = list(dict.fromkeys(prefix + each.label for each in matching))
    if len(labels) > 1:
        written = [each for each in matching if "test" not in path_traits(each.path)]
        if len({each.label for each in written}) != 1:
            raise several(symbol, labels)
        matching = written  # a test defines the same name for itself
    return max(matching, key=_length)  # overloads share a name: the one with a body shows what it is


def several(symbol: str, labels: Sequence[str]) -> BadParams:
    """Return the error for a name with several definitions."""
    shown = ", ".join(labels[:_CANDIDATES]) + (" …" if len(labels) > _CANDIDATES else "")
    return BadParams(
        f"'{symbol}' means {len(labels)} definitions", hint=f"Name one: {shown}", data={"candidates": list(labels)}
    )


def _named(code: NamedCode, name: str, path: str) -> list[Named]:
    return [one for one in code.named(name) if path in ("", one.path)]


def _length(node: Node) -> int:
    return node.definition.end - node.definition.start if node.definition else 0


def _no_definition(code: NamedCode, path: str, symbol: str, name: str, prefix: str) -> NotFoundError:
    """Return the error for an unknown definition. Its suggestions are names that `graph` takes."""
    names = {one.name for one in code.outline(path)} if path else set(code.names())
    near = name if name in names else nearest(name, sorted(names), NAMES)
    named = _named(code, near or "", path)
    labels = list(dict.fromkeys(prefix + Node(each.path, each.definition).label for each in named))
    few = ", ".join(f"'{each}'" for each in labels[:_CANDIDATES]) + (" …" if len(labels) > _CANDIDATES else "")
    return NotFoundError(
        f"'{symbol[:_SHOWN]}' is not defined in {prefix + path or 'this repository'}",
        hint=f"Did you mean {few}?" if labels else "`muninn symbols` finds definitions by parts of their names.",
        data={"nearest": labels[0], "candidates": labels} if labels else {},
    )


def no_file(path: str, files: Files, prefix: str = "") -> NotFoundError:
    """Return the error for a file that is not indexed, with the nearest path."""
    near = nearest_path(path, files.paths())
    near = near and prefix + near
    return NotFoundError(
        f"{prefix}{path} is not in the index",
        hint=f"Did you mean {near}?" if near else "`muninn status` says whether the index is complete.",
        data={"nearest": near} if near else {},
    )


def symbol_of(
    path: str, definition: Definition, children: tuple[CodeSymbol, ...] = (), repository: str = ""
) -> CodeSymbol:
    """Return a definition as answers have it."""
    return CodeSymbol(
        name=definition.name,
        kind=definition.kind,
        container=definition.container,
        path=path,
        start_line=definition.start,
        end_line=definition.end,
        signature=definition.signature,
        comment=definition.comment,
        children=children,
        repository=repository,
    )


def _tree(
    path: str, definitions: Sequence[Definition], repository: str, start: int = 0, end: int | None = None
) -> tuple[CodeSymbol, ...]:
    """Return definitions `start` to `end` as a tree: a definition within the lines of an earlier one is its child."""
    end = len(definitions) if end is None else end
    symbols: list[CodeSymbol] = []
    while start < end:
        definition, after = definitions[start], start + 1
        while (
            after < end
            and definitions[after].start <= definition.end
            and definitions[after].container.startswith(_inner(definition))
        ):
            after += 1
        children = _tree(path, definitions, repository, start + 1, after)
        symbols.append(symbol_of(path, definition, children, repository))
        start = after
    return tuple(symbols)


def _inner(definition: Definition) -> str:
    separator = " > " if definition.kind == "heading" else "."
    return f"{definition.container}{separator}{definition.name}" if definition.container else definition.name


def _edge(edge: Edge) -> GraphEdge:
    definition = edge.node.definition
    return GraphEdge(
        depth=edge.depth,
        relation=edge.relation,
        origin=edge.origin.label,
        path=edge.node.path,
        name=definition.qualified if definition else "",
        kind=definition.kind if definition else "",
        start_line=definition.start if definition else 0,
        end_line=definition.end if definition else 0,
        signature=definition.signature if definition else "",
        at_path=edge.path,
        at_line=edge.line,
        how=edge.how,
    )
