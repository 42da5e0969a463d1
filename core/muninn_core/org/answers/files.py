"""Files and code of the branches that a caller may read: lists, lines, definitions and their relations.

Texts are those of the database, so that a purged content is in no answer.
"""

from __future__ import annotations

from muninn_core.engine.answer.code.code_map import IMPORTERS
from muninn_core.engine.answer.code.definitions import (
    check,
    checked_kind,
    checked_language,
    edges_around,
    find_node,
    last_part,
    meant,
    outlined,
    several,
    symbol_of,
)
from muninn_core.engine.answer.code.file_tree import as_tree, page_of, passing
from muninn_core.engine.answer.code.package_graph import WHOLE, Importing, Own, importing
from muninn_core.engine.answer.code.read_lines import lines_of
from muninn_core.errors import BadParams, NotFoundError
from muninn_core.federation.dependents import manifest_paths, packages
from muninn_core.federation.importers import ListedDependencies, ListedImporter, importers_params
from muninn_core.model.value import replace
from muninn_core.near_match import shorten
from muninn_core.org.answers.question import Question, ambiguous, plain_path, refuse_others
from muninn_core.org.reading.branch_code import BranchCode
from muninn_core.org.reading.branches import ReadBranch, repository_of
from muninn_core.org.reading.importers import importers
from muninn_core.org.reading.symbols import SymbolNames
from muninn_core.protocol.families.code import (
    GraphParams,
    GraphResult,
    OutlineParams,
    OutlineResult,
    SymbolsParams,
    SymbolsResult,
)
from muninn_core.protocol.families.files import FilesParams, FilesResult, ReadParams, ReadResult, TreeParams, TreeResult
from muninn_core.retrieval.graphs.code_graph import RELATIONS, Node
from muninn_core.retrieval.graphs.symbol_search import find
from muninn_core.source.files.qualified import bare, split

OF_SYMBOLS = frozenset(("query", "kind", "language", "path", "limit"))
OF_OUTLINE = frozenset(("path",))
OF_GRAPH = frozenset(("start", "relation", "depth", "limit"))
OF_READ = frozenset(("path", "start", "end", "limit"))
OF_TREE = frozenset(("path", "depth", "limit"))
OF_FILES = frozenset(("path", "lang", "kind", "limit", "offset"))
"""The parameters of each verb that an organisation's memory takes."""

_ROOT = ("", ".", "./")


def symbols(question: Question, params: SymbolsParams) -> SymbolsResult:
    """Find definitions by name. Raises BadParams."""
    refuse_others("symbols", params, OF_SYMBOLS)
    language, kind = checked_language(params.language), checked_kind(params.kind)
    names = SymbolNames(question.reader.stored, params.query)
    found, total = find(names, params.query, limit=params.limit, kind=kind, language=language, path=params.path)
    shown = (symbol_of(bare(each.path), each.definition, repository=repository_of(each.path)) for each in found)
    return SymbolsResult(symbols=tuple(shown), total=total, saw=question.saw)


def outline(question: Question, params: OutlineParams) -> OutlineResult:
    """Return the definitions of a file as a tree. Raises BadParams, NotFoundError."""
    held = question.file(params.path)
    stored = question.reader.stored
    syntax, name = stored.syntax([held.id])[held.id], question.branches.names[held.branch]
    found = outlined(held.path, syntax.definitions, stored.comment(held.id), question.saw, name)
    return replace(found, path=question.shown(held.branch, held.path))


def read(question: Question, params: ReadParams) -> ReadResult:
    """Return lines of a file as it was pushed. Raises BadParams, NotFoundError."""
    held = question.file(params.path)
    found = lines_of(
        held.path, lambda: question.reader.stored.texts([held.id]).get(held.id, ""), params, lambda: question.saw
    )
    return replace(found, path=question.shown(held.branch, held.path))


def tree(question: Question, params: TreeParams) -> TreeResult:
    """Return folders and files. Repositories are the folders of a question to several. Raises BadParams,
    NotFoundError.
    """
    branch, path = question.split(params.path)
    top = "" if path in _ROOT else plain_path(path)
    if branch is not None:
        name = question.branches.names[branch.id]
        return as_tree(question.paths(branch), top, params, question.saw, f"{name}:" if name else "")
    if top:
        raise BadParams(f"'{shorten(path)}' names no repository", hint="Write it as REPOSITORY:FOLDER.")
    known = [_below_root(each) for each, _, _ in question.reader.paths()]
    found = as_tree(known, "", params, question.saw)
    return replace(found, entries=tuple(replace(each, path=_with_colon(each.path)) for each in found.entries))


def files(question: Question, params: FilesParams) -> FilesResult:
    """Return files by glob, language or kind, by path. Raises BadParams."""
    page = page_of(passing(question.reader.paths(), params.path, params.lang, params.kind), params, question.saw)
    shown = (replace(each, path=_with_repository(each.path)) for each in page.files)
    return replace(page, files=tuple(shown))


def graph(question: Question, params: GraphParams) -> GraphResult:
    """Return the relations of a file or definition, and its importers in the other repositories of the question.

    Raises BadParams, also for a name with several definitions, with all of them; NotFoundError.
    """
    refuse_others("graph", params, OF_GRAPH)
    check("relation", params.relation, ("neighbours", *RELATIONS))
    branch, target = _start(question, params.start)
    code, name = BranchCode(question.reader.stored, branch.id), question.branches.names[branch.id]
    node = None if target == WHOLE else find_node(code, code, target, plain_path, f"{name}:" if name else "")
    edges, omitted = edges_around(code, node, params) if node is not None else ([], 0)
    edges = [replace(each, repository=name) for each in edges]
    across, more = _across(question, code, node, params)
    edges += across.edges
    omitted += max(0, len(edges) - params.limit)
    saw = question.saw
    return GraphResult(
        target=question.shown(branch.id, node.label if node is not None else across.names),
        symbol=symbol_of(node.path, node.definition, repository=name) if node is not None and node.definition else None,
        relation=params.relation,
        edges=tuple(edges[: params.limit]),
        omitted=omitted,
        saw=replace(saw, note=" ".join(filter(None, (saw.note, across.note if node is None else "", more)))),
    )


def _across(question: Question, code: BranchCode, node: Node | None, params: GraphParams) -> tuple[Importing, str]:
    """Return the importers in the other repositories of the question, and what their list lacks."""
    if params.relation not in IMPORTERS or (node is not None and len(question.branches) == 1):
        return Importing([], WHOLE), ""
    paths = code.paths()
    texts = code.texts(manifest_paths(paths))
    own = Own(packages(texts.items(), paths), code, paths)
    wanted = importers_params(own.packages)
    found, note = importers(question.reader.stored, wanted) if wanted is not None else ([], "")
    listed: dict[str, list[ListedImporter]] = {}
    for each in found:
        listed.setdefault(each.repository, []).append(each)
    return importing(own, node, {name: ListedDependencies(each) for name, each in listed.items()}), note


def _start(question: Question, given: str) -> tuple[ReadBranch, str]:
    """Return the branch of a file or definition, and its name there. Raises BadParams, NotFoundError."""
    branch, target = question.split(given)
    if branch is not None:
        return branch, target
    path, mark, _ = target.partition("#")
    by_id = {each.id: each for each in question.branches}
    held = question.reader.stored.at(path.removeprefix("./"))
    if not held and (mark or "/" in target):
        return by_id[question.file(path).branch], target
    if len(held) == 1:
        return by_id[held[0].branch], target
    if held:
        raise ambiguous(target, [question.branches.names[each.branch] for each in held])
    nodes = meant(question.reader.stored.named(last_part(target)), target)
    found = {repository_of(each.path) for each in nodes}
    if len(found) > 1:
        raise several(target, [_label(each) for each in nodes])
    if not found:
        raise NotFoundError(
            f"'{shorten(target)}' is not defined in the repositories that you may read",
            hint="`symbols` finds definitions by parts of their names.",
        )
    return question.branches.by_repository[found.pop()], target


def _label(node: Node) -> str:
    """Return the name of a node as a question to several repositories takes it."""
    return f"{repository_of(node.path)}:{split(node.path)[1]}{node.label.removeprefix(node.path)}"


def _with_repository(path: str) -> str:
    """Return a path of a search as `team/shop:src/a.py`."""
    name = repository_of(path)
    return f"{name}:{bare(path)}" if name else path


def _below_root(path: str) -> str:
    """Return a path of a search with its repository as one folder: `team:shop:/src/a.py` for `team/shop`."""
    name, rest = split(path)
    return f"{name}:/{rest}" if name else path


def _with_colon(path: str) -> str:
    """Return `team/shop:src/a.py` for `team:shop:/src/a.py`; the root is `team/shop:/`."""
    name, mark, rest = path.partition(":/")
    return f"{name.replace(':', '/')}:{rest or '/'}" if mark else path
