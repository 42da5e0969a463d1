"""The verbs of an organisation's memory: their parameters, and the functions that answer them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from muninn_core.errors import BadParams, UnknownVerb
from muninn_core.federation.importers import ImportersParams
from muninn_core.model.value import ValidationError, Value, from_plain
from muninn_core.org.answers import candidates, files, memories, search
from muninn_core.org.answers.question import Question
from muninn_core.protocol.families.code import GraphParams, OutlineParams, SymbolsParams
from muninn_core.protocol.families.editor import AboutParams
from muninn_core.protocol.families.files import FilesParams, ReadParams, TreeParams
from muninn_core.protocol.families.inspection import LinksParams, MemoriesParams, OverviewParams, ShowParams
from muninn_core.protocol.families.search import ContextParams, RecallParams


class Verb(NamedTuple):
    """The parameters of a verb, the function that answers it, and the names of the parameters that it takes.

    `takes` is empty for a verb of the daemons, which people and agents do not call.
    """

    params: type[Value]
    answer: Callable[[Question, Any], Value]
    takes: frozenset[str] = frozenset()


VERBS: Mapping[str, Verb] = MappingProxyType(
    {
        "recall": Verb(RecallParams, search.recall, search.OF_RECALL),
        "context": Verb(ContextParams, search.context, search.OF_CONTEXT),
        "memories": Verb(MemoriesParams, memories.memories, memories.OF_MEMORIES),
        "show": Verb(ShowParams, memories.show, memories.OF_SHOW),
        "links": Verb(LinksParams, memories.links, memories.OF_LINKS),
        "about": Verb(AboutParams, memories.about, memories.OF_ABOUT),
        "overview": Verb(OverviewParams, memories.overview, memories.OF_OVERVIEW),
        "symbols": Verb(SymbolsParams, files.symbols, files.OF_SYMBOLS),
        "outline": Verb(OutlineParams, files.outline, files.OF_OUTLINE),
        "graph": Verb(GraphParams, files.graph, files.OF_GRAPH),
        "read": Verb(ReadParams, files.read, files.OF_READ),
        "tree": Verb(TreeParams, files.tree, files.OF_TREE),
        "files": Verb(FilesParams, files.files, files.OF_FILES),
        "offer": Verb(RecallParams, candidates.best_candidates),
        "list_symbols": Verb(SymbolsParams, candidates.list_symbols),
        "list_memories": Verb(MemoriesParams, candidates.list_memories),
        "list_importers": Verb(ImportersParams, candidates.list_importers),
    }
)
"""All verbs by name."""

READING_VERBS: Mapping[str, Verb] = MappingProxyType({name: verb for name, verb in VERBS.items() if verb.takes})
"""The verbs of people and agents, with the parameters and results of the catalogue."""


_LOCAL_COMMAND = re.compile(rf"`muninn ({'|'.join(READING_VERBS)})\b")
_VERB = re.compile(rf"`({'|'.join(READING_VERBS)})\b")


def hint_of_verbs(hint: str) -> str:
    """Return a hint of code that daemons share. Commands for a repository become the verbs that clients ask here."""
    return _LOCAL_COMMAND.sub(r"`\1", hint)


def hint_of_commands(hint: str) -> str:
    """Return a hint of the server for the command line: its verbs become commands of `muninn org`."""
    return _VERB.sub(r"`muninn org \1", hint)


def verb_named(name: str) -> Verb:
    """Return the verb of a name. Raises UnknownVerb."""
    if name not in VERBS:
        raise UnknownVerb(
            f"an organisation's memory has no '{name[:60]}'",
            hint=f"It has {', '.join(READING_VERBS)}. It takes no writes.",
        )
    return VERBS[name]


def decoded(verb: Verb, plain: Any) -> Value:
    """Return the parameters of a verb from plain data. Raises BadParams."""
    try:
        return from_plain(plain if plain is not None else {}, verb.params)
    except ValidationError as error:
        raise BadParams(str(error)) from None
