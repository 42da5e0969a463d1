"""Computes the signals of chunks, files and memories.

A chunk has signals for words, meaning and the names that it defines. A file's signals (its whole text, name and place)
count for each of its chunks. Signals for the file's other chunks count for its best chunk only.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from math import floor
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from muninn_core.retrieval import weights as w
from muninn_core.retrieval.decay import importance_and_recency
from muninn_core.retrieval.query.query_terms import Query, TermMatch, TermMatcher
from muninn_core.retrieval.results.signal import Given, Signal, points, signal, signals
from muninn_core.retrieval.signals.commit_votes import FileVote
from muninn_core.retrieval.signals.evolution import UNKNOWN, Evolution
from muninn_core.retrieval.signals.file_prior import FilePrior
from muninn_core.retrieval.text.name_words import file_words, is_file_name, words_of_name
from muninn_core.source.bridges.bridge import CLAUDE_MEMORY, bridge_of
from muninn_core.source.files.classify import path_traits

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from muninn_core.model.memory import Memory
    from muninn_core.retrieval.pool import ScoredChunk
    from muninn_core.retrieval.request import Focus
    from muninn_core.retrieval.results.ranking import DecisionLookup

    Column = NDArray[np.float64]


_AUXILIARY: frozenset[str] = frozenset({"vendored", "declared", "example"})
"""The traits of files that are seldom what is looked for."""


class MemoryWeights(NamedTuple):
    """The weights of a memory's signals. A project can set them in its config."""

    words: float = w.MEMORY_WORDS
    meaning: float = w.MEMORY_MEANING
    graph: float = w.GRAPH
    importance: float = w.IMPORTANCE
    recency: float = w.RECENCY


DEFAULT_WEIGHTS = MemoryWeights()
"""The weights of a project that sets none."""


class ScoringContext(NamedTuple):
    """The inputs of a question's signals.

    `files` is the match of whole files, `priors` are the file priors from memory, with the weight `prior_weight`, and
    `generated` are the paths of generated files. `votes` are those of earlier commits. `half_life` is in days.
    """

    query: Query
    matcher: TermMatcher
    now: datetime
    focus: Focus
    decisions: DecisionLookup
    half_life: float
    memory_weights: MemoryWeights
    files: Mapping[str, float]
    priors: Mapping[str, FilePrior]
    generated: Collection[str]
    prior_weight: float = w.REMEMBERED
    evolution: Evolution = UNKNOWN
    named: Collection[str] = ()
    votes: Mapping[str, FileVote] = {}


def match_of(found: ScoredChunk) -> list[Signal]:
    """Return the signals of a chunk's match by words and meaning, without those of value 0."""
    signals = []
    if found.words:
        signals.append(signal("words", found.words, w.WORDS))
    if found.meaning:
        signals.append(signal("meaning", meaning_values([found])[0], w.MEANING))
    return signals


def meaning_values(found: Sequence[ScoredChunk]) -> list[float]:
    """Return the values of `meaning`: the match to the power `MEANING_EXPONENT`, reduced where words match as well.

    Words and meaning partly measure the same.
    """
    return [meaning**w.MEANING_EXPONENT * (1 - w.MEANING_OVERLAP * words) for _, _, words, meaning in found]


def symbol_signals(context: ScoringContext, symbol: str) -> list[Signal]:
    """Return the signals `defines` (exact identifiers) and `symbol` (best match) of the names that a chunk defines."""
    same, best, answers = _symbol_values(context, symbol)
    found = []
    if same:
        share = len(same) / len(context.query.identifiers)
        found.append(signal("defines", share, _defines_weight(context), "defines " + ", ".join(sorted(same))))
    if best:
        found.append(signal("symbol", best, w.SYMBOL, answers))
    return found


def symbol_points(context: ScoringContext, symbols: Sequence[str]) -> Column:
    """Return the sum of the contributions of `symbol_signals` of each symbol, in ten-thousandths."""
    values = [_symbol_values(context, symbol) for symbol in symbols]
    found = points(np.array([best for _, best, _ in values], np.float64), w.SYMBOL)
    if any(map(itemgetter(0), values)):
        shares = np.array([len(same) for same, _, _ in values]) / len(context.query.identifiers)
        found += points(shares, _defines_weight(context))
    return found


def _symbol_values(context: ScoringContext, symbol: str) -> tuple[Collection[str], float, str]:
    """Return the identifiers that a symbol defines, and the value and the name of the best match."""
    matcher, names = context.matcher, dict.fromkeys(symbol.split())
    same = context.query.identifiers.intersection(names)
    best, answers = 0.0, ""
    for name in filter(matcher.may_match, names):
        parts = words_of_name(name)
        if (matched := matcher.match(parts)) is not None:
            question, own, _ = matched
            value = (1 - w.SYMBOL_NAME_SHARE) * question * own + (w.SYMBOL_NAME_SHARE * own if len(parts) > 1 else 0.0)
            if value > best:
                best, answers = value, name
    return same, best, answers


def _defines_weight(context: ScoringContext) -> float:
    return w.DEFINES_OF_NAME if context.query.sought else w.DEFINES


def file_signals(context: ScoringContext, path: str, kind: str) -> list[Signal]:
    """Return the signals that all chunks of a file share, without those that contribute 0."""
    shared_signals = []
    bridge = bridge_of(path) if kind == "knowledge" else None
    if whole := context.files.get(path):
        shared_signals.append(signal("file", whole, w.FILE_WORDS_OF_CHANGE if context.query.change else w.FILE_WORDS))
    # The path of a folder outside the work tree is not related to its contents.
    name = path.rpartition("/")[2] if bridge is CLAUDE_MEMORY else path
    if matched := context.matcher.match(file_words(name)):
        question, own, shared = matched
        shared_signals.append(
            signal(
                "name", (1 - w.FILE_NAME_SHARE) * question + w.FILE_NAME_SHARE * own, w.NAME, ", ".join(sorted(shared))
            )
        )
    if _is_named(context, path, matched):
        shared_signals.append(signal("named", 1.0, w.NAMED_FILE, "in the question"))
    if context.focus.files:
        shared_signals += _focus_signals(context, path)
    if kind == "code" and (churn := context.evolution.churn.get(path)):
        shared_signals.append(signal("churn", churn, w.CHURN))
    if bridge is not None and bridge.trust == "agent":
        shared_signals.append(signal("agent", 1.0, w.AGENT, bridge.title))
    if kind == "code" and (vote := context.votes.get(path)) is not None:
        shared_signals.append(signal("history", vote.value, _history_weight(context.query), vote.note))
    prior = context.priors.get(path)
    if prior is not None:
        shared_signals.append(signal("remembered", prior.value, context.prior_weight, prior.note))
    kinds = path_traits(path) | {"generated"} if path in context.generated else path_traits(path)
    if kinds:
        if "test" in kinds and context.query.tests < 1:
            shared_signals.append(
                signal("test", (1 - context.query.tests) * (1 - (prior.value if prior else 0.0)), w.TEST)
            )
        if "generated" in kinds:
            shared_signals.append(signal("generated", 1.0, w.GENERATED))
        elif auxiliary := kinds & _AUXILIARY:
            shared_signals.append(signal("auxiliary", 1.0, w.AUXILIARY, ", ".join(sorted(auxiliary))))
    if kind == "knowledge":
        shared_signals += _decision(context.decisions, path)
    return shared_signals


def file_points(context: ScoringContext, kinds: Mapping[str, str]) -> Column:
    """Return the sum of the contributions of `file_signals` of each file, in ten-thousandths. `kinds` are by path."""
    query, churn, votes, priors = context.query, context.evolution.churn, context.votes, context.priors
    traits = [path_traits(path) for path in kinds]
    code = [kind == "code" for kind in kinds.values()]
    bridges = [None if own else bridge_of(path) for path, own in zip(kinds, code, strict=True)]
    matched = [
        context.matcher.match(file_words(path.rpartition("/")[2] if bridge is CLAUDE_MEMORY else path))
        for path, bridge in zip(kinds, bridges, strict=True)
    ]
    prior = [priors[path][0] if path in priors else 0.0 for path in kinds]
    generated = [path in context.generated or "generated" in each for path, each in zip(kinds, traits, strict=True)]
    auxiliary = [not (made or _AUXILIARY.isdisjoint(each)) for made, each in zip(generated, traits, strict=True)]
    columns: list[tuple[float, Sequence[float]]] = [
        (w.FILE_WORDS_OF_CHANGE if query.change else w.FILE_WORDS, [context.files.get(path, 0.0) for path in kinds]),
        (
            w.NAME,
            [
                0.0 if each is None else (1 - w.FILE_NAME_SHARE) * each[0] + w.FILE_NAME_SHARE * each[1]
                for each in matched
            ],
        ),
        (w.CHURN, [churn.get(path, 0.0) if own else 0.0 for path, own in zip(kinds, code, strict=True)]),
        (w.AGENT, [each is not None and each.trust == "agent" for each in bridges]),
        (
            _history_weight(query),
            [votes[path][0] if own and path in votes else 0.0 for path, own in zip(kinds, code, strict=True)],
        ),
        (context.prior_weight, prior),
        (w.GENERATED, generated),
        (w.AUXILIARY, auxiliary),
    ]
    if query.tests < 1:
        tests = [(1 - query.tests) * (1 - prior[row]) if "test" in each else 0.0 for row, each in enumerate(traits)]
        columns.append((w.TEST, tests))
    if context.named or query.sought:
        columns.append((w.NAMED_FILE, [_is_named(context, *each) for each in zip(kinds, matched, strict=True)]))
    weights, values = zip(*columns, strict=True)
    found: Column = np.floor(np.array(values, np.float64) * np.array(weights)[:, None] * 10_000 + 0.5).sum(axis=0)
    for row, (path, own) in enumerate(zip(kinds, code, strict=True)) if context.focus.files or not all(code) else ():
        further = _focus_signals(context, path) if context.focus.files else []
        if not own:
            further += _decision(context.decisions, path)
        found[row] += sum([floor(value * weight * 10_000 + 0.5) for _, value, weight, _, _ in further])
    return found


def _history_weight(query: Query) -> float:
    return w.HISTORY_OF_NAME if query.sought else w.HISTORY


def _is_named(context: ScoringContext, path: str, matched: TermMatch | None) -> bool:
    """Whether the question names a file. `matched` is the match of the file's name."""
    query = context.query
    return path in context.named or (matched is not None and query.sought and is_file_name(query.text, path))


def _focus_signals(context: ScoringContext, path: str) -> list[Signal]:
    """Return the signals `focus`, `folder` and `together` of a file relative to the files in focus."""
    focus = context.focus
    if path in focus.files:
        return [signal("focus", 1.0, w.FOCUS)]
    found = []
    if path.rpartition("/")[0] in focus.folders:
        found.append(signal("folder", 1.0, w.FOLDER, "beside a file in use"))
    if together := context.evolution.together(focus.files).get(path):
        found.append(signal("together", together.value, w.TOGETHER, f"changed with {together.file}"))
    return found


def parts_signal(matches: Sequence[float]) -> list[Signal]:
    """Return the `parts` signal of a file's best chunk. `matches` are those of its other chunks, best first."""
    value, share = 0.0, 1.0
    for match in matches[: w.MOST_PARTS]:
        value, share = value + share * match, share * w.PART_DECAY
    return [signal("parts", value, w.PARTS, f"{len(matches)} more")] if value > 0 else []


def spread_signal(count: int, most: int) -> Signal:
    """Return the `spread` signal of a file with `count` candidate chunks. `most` is the highest count of any file.

    It applies to change requests, which often concern several places of a file.
    """
    return signal("spread", min(1.0, count / most), w.SPREAD, f"{count} of {most}")


def same_file_signal(position: int, weight: float) -> Signal:
    """Return the `same_file` penalty of a chunk at `position` (0 is the best) among those of its file."""
    return signal("same_file", position, weight)


def memory_signals(
    context: ScoringContext, memory: Memory, words: float, meaning: float, graph: Signal | None
) -> list[Signal]:
    """Return the signals of a memory, without those that contribute 0."""
    weights = context.memory_weights
    ((left, fresh),) = importance_and_recency([memory], context.now, context.half_life)
    faded = f"{memory.importance} of 10, faded to {10 * left:.1f}" if left < 0.99 * memory.importance / 10 else ""
    given: list[Given] = [
        ("words", words, weights.words, ""),
        ("meaning", meaning, weights.meaning, ""),
        ("importance", left, weights.importance, faded),
        ("recency", fresh, weights.recency, ""),
        ("confidence", memory.confidence, w.CONFIDENCE, ""),
    ]
    further: list[Given] = []
    if context.focus.given and context.focus.covers("", memory):
        further.append(("focus", 1.0, w.FOCUS, ""))
    if memory.scope != "project":
        further.append(("scope", 1.0, _weight_of_scope(memory), memory.scope))
    found = [*signals(given), *([graph] if graph is not None else ()), *signals(further)]
    return [one for one in found if one[3]]


def memory_points(
    context: ScoringContext, memories: Sequence[Memory], words: Column, meaning: Column, graph: Mapping[str, Signal]
) -> Column:
    """Return the sum of the contributions of `memory_signals` of each memory, in ten-thousandths."""
    weights = context.memory_weights
    left, fresh = np.array(importance_and_recency(memories, context.now, context.half_life)).reshape(-1, 2).T
    confidence = np.array([memory.confidence for memory in memories], np.float64)
    found = points(words, weights.words) + points(meaning, weights.meaning) + points(confidence, w.CONFIDENCE)
    found += points(left, weights.importance) + points(fresh, weights.recency)
    if context.focus.given:
        found += np.array(context.focus.among(memories), np.float64) * points(1.0, w.FOCUS)
    for row, memory in enumerate(memories):
        if memory.id in graph:
            _, value, weight, _, _ = graph[memory.id]
            found[row] += points(value, weight)
        if memory.scope != "project":
            found[row] += points(1.0, _weight_of_scope(memory))
    return found


def _weight_of_scope(memory: Memory) -> float:
    return w.SESSION if memory.scope == "session" else w.GLOBAL


def graph_signals(
    memories: Sequence[Memory], words: Column, meaning: Column, weights: MemoryWeights
) -> dict[str, Signal]:
    """Return {memory id: `graph` signal} of the memories that are linked to other candidates.

    The value is the maximum over links of strength times the other memory's mean match. Links count in both
    directions.
    """
    linked = [memory for memory in memories if memory.links]
    if not linked:
        return {}
    match = dict(zip([memory.id for memory in memories], ((words + meaning) / 2).tolist(), strict=True))
    best: dict[str, tuple[float, str]] = {}
    for memory in linked:
        for link in memory.links:
            if link.target not in match or link.target == memory.id:
                continue
            there, back = link.strength * match[link.target], link.strength * match[memory.id]
            best[memory.id] = max(best.get(memory.id, (0.0, "")), (there, f"{link.relation} {link.target}"))
            note = f"{memory.id} {link.relation} it"
            best[link.target] = max(best.get(link.target, (0.0, "")), (back, note))
    return {key: signal("graph", value, weights.graph, note) for key, (value, note) in best.items() if value > 0}


def _decision(decisions: DecisionLookup, path: str) -> list[Signal]:
    """Return the signal `decided` or `retired` of a decision record; [] for other files."""
    decision = decisions(path)
    if decision is None:
        return []
    in_force, status = decision
    return [signal("decided", 1.0, w.DECIDED, status) if in_force else signal("retired", 1.0, w.RETIRED, status)]
