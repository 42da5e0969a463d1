"""The columns of candidates have the values of a loop over single ones."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from muninn_core.model.memory import Memory
from muninn_core.model.value import replace
from muninn_core.retrieval import weights as w
from muninn_core.retrieval.query.query_terms import TermMatcher, parse_query
from muninn_core.retrieval.rankers.relatedness import SURE, Relatedness, named_share
from muninn_core.retrieval.request import Focus
from muninn_core.retrieval.signals.commit_votes import CommitTitle, FileVote
from muninn_core.retrieval.signals.evolution import CommitFiles, Evolution
from muninn_core.retrieval.signals.file_prior import FilePrior
from muninn_core.retrieval.signals.scoring import (
    DEFAULT_WEIGHTS,
    ScoringContext,
    file_points,
    file_signals,
    symbol_points,
    symbol_signals,
)
from muninn_core.retrieval.signals.session_match import session_matches
from muninn_core.retrieval.text.name_words import words_of_name
from muninn_core.retrieval.text.word_containment import containing
from muninn_core.source.identifiers import split_words
from muninn_core.worktree.memories.session_order import SessionOrder

TEXTS = st.one_of(
    st.text(st.sampled_from("abcdeé_ .9ABC本"), max_size=12),
    st.lists(st.sampled_from(["fl", "y", "ies", "ed", "Ed", "es", "ing", "__", "_", " ", "7", "a" * 62])).map("".join),
)


def memory(place: int, session: str, text: str = "x") -> Memory:
    return Memory(id=f"m{place}", type="insight", text=text, ts="2026-01-01T00:00:00.000Z", session=session)


@settings(deadline=None)
@given(st.lists(TEXTS, max_size=6), st.lists(TEXTS, max_size=4))
def test_a_text_holds_the_words_that_splitting_it_gives(texts: list[str], asked: list[str]) -> None:
    words = list(dict.fromkeys(" ".join(map(split_words, asked)).split()))
    held = containing(texts, words)
    assert held.tolist() == [[word in split_words(text).split() for word in words] for text in texts]


@settings(deadline=None)
@given(TEXTS, st.lists(TEXTS, max_size=4))
@example("count_flies", ["fly"])
def test_a_name_that_is_ruled_out_has_no_word_that_matches(name: str, asked: list[str]) -> None:
    words = tuple(dict.fromkeys(" ".join(map(split_words, asked)).split()))
    matcher = TermMatcher(words, lambda some: dict.fromkeys(some, 1.0))
    assert matcher.may_match(name) or matcher.match(words_of_name(name)) is None


@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from("stu "), st.booleans(), st.floats(0, 2)), min_size=1, max_size=9))
def test_neighbours_count_by_their_distance(given_memories: list[tuple[str, bool, float]]) -> None:
    stored = {f"m{n}": memory(n, name.strip()) for n, (name, _, _) in enumerate(given_memories)}
    order = SessionOrder(lambda: stored)
    found = {f"m{n}": match for n, (_, chosen, match) in enumerate(given_memories) if chosen}
    memories = [stored[each] for each in found]
    asks = np.array([int(each.id[1:]) % 2 == 0 for each in memories], bool)
    values = session_matches(memories, np.array(list(found.values())), asks, (), {}, order)
    near = order.near(found, 2)
    for row, each in enumerate(found):
        beside = [(found.get(other, 0.0), distance, other) for other, distance in near.get(each, ())]
        assert values.nearby[row] == sum(
            value * (1.0 if distance == 1 else w.SECOND_NEIGHBOUR) for value, distance, _ in beside
        )
        before = [other for _, distance, other in beside if distance == 1 and other < each]
        asked = [other for other in before if other in found and int(other[1:]) % 2 == 0]
        assert values.answers[row] == (found[asked[0]] if asked else 0.0)


@pytest.mark.parametrize("details", [{"backfill": "git"}, {"imported_from": {"tool": "beads", "place": "b.jsonl:1"}}])
def test_memories_of_one_import_are_of_no_common_session(details: dict[str, Any]) -> None:
    said = [memory(n, "s", "cache") for n in range(2)]
    imported = [replace(memory(n, "import", "cache"), actor="import", details=details) for n in range(2, 5)]
    stored = {each.id: each for each in (*said, *imported)}
    asks, match = np.zeros(5, bool), np.ones(5)
    words = parse_query("cache").words
    order = SessionOrder(lambda: stored)
    values = session_matches((*said, *imported), match, asks, words, dict.fromkeys(words, 1.0), order)
    assert values.nearby.tolist() == [1.0, 1.0, 0.0, 0.0, 0.0]
    assert values.session[:2].tolist() == [1.0, 1.0]
    assert max(values.session[2:]) < 1.0


def test_a_named_file_counts_less_for_a_memory_of_many_files() -> None:
    files = [f"src/m{number}.py" for number in range(10)]
    assert named_share(["m0.py"], files[:2]) == 1.0
    assert named_share(["src/m0.py"], files) == 0.2
    assert named_share(["m11.py"], files) == 0.0
    relatedness = Relatedness(parse_query("rename m0.py"), lambda words: dict.fromkeys(words, 1.0))
    few, many = (relatedness.score("valves open", 0.4, named=share) for share in (1.0, 0.2))
    assert many < SURE < few


FILES = {
    "src/kill_process.py": "code",
    "kill.py": "code",
    "tests/test_kill.py": "code",
    "vendor/kill.js": "code",
    "dist/kill.js": "code",
    "docs/kill.py": "code",
    "docs/examples/kill.d.ts": "code",
    "docs/adr/0001-kill.md": "knowledge",
    ".serena/memories/kill.md": "knowledge",
    "/home/me/.claude/projects/kill/memory/kill.md": "knowledge",
}


@settings(deadline=None)
@given(st.sampled_from(["kill", "fix the kill of a process", "test of kill", "kill_process"]), st.data())
def test_points_of_files_and_names_are_those_of_their_signals(text: str, data: st.DataObject) -> None:
    paths = st.sets(st.sampled_from(list(FILES)))
    commit = CommitTitle("c1", "2026-01-01T00:00:00Z", "Kill it", ())
    query = parse_query(text)
    changed = tuple(sorted(data.draw(paths)))
    context = ScoringContext(
        query,
        TermMatcher(query.words, lambda words: {word: 1.0 + len(word) for word in words}),
        datetime(2026, 3, 1, tzinfo=UTC),
        Focus(data.draw(paths)),
        lambda path: (path in changed, "accepted") if "adr" in path else None,
        0.0,
        DEFAULT_WEIGHTS,
        dict.fromkeys(data.draw(paths), 0.3),
        {path: FilePrior(0.7, "m1", {"m1": memory(1, "s")}) for path in data.draw(paths)},
        data.draw(paths),
        evolution=Evolution([CommitFiles(0.0, changed)] * 5),
        named=data.draw(paths),
        votes={path: FileVote(0.45, commit) for path in data.draw(paths)},
    )
    signals = [file_signals(context, path, kind) for path, kind in FILES.items()]
    assert file_points(context, FILES).tolist() == [round(10_000 * sum(each[3] for each in some)) for some in signals]
    names = ["", "kill", "Process.kill_process kill", "other", "KILL test_kill"]
    signals = [symbol_signals(context, name) for name in names]
    assert symbol_points(context, names).tolist() == [round(10_000 * sum(each[3] for each in some)) for some in signals]
