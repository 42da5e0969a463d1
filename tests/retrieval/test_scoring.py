"""The scorer, on an index whose candidates are known: every signal, its sign, and the order it makes."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muninn_core.index.embedding.embed import Encoded
from muninn_core.index.embedding.token_states import packed
from muninn_core.index.file_list import FileList
from muninn_core.model.chunk import Chunk
from muninn_core.model.citation import Citation
from muninn_core.model.memory import Cite, Link, Memory
from muninn_core.retrieval import weights as w
from muninn_core.retrieval.candidates.generation import fuse
from muninn_core.retrieval.decay import is_recallable, recallable_among, recency
from muninn_core.retrieval.query.query_terms import parse_query
from muninn_core.retrieval.rankers.relevance import Relevance
from muninn_core.retrieval.request import Bounds, Focus, SearchRequest
from muninn_core.retrieval.results.ranking import settle
from muninn_core.retrieval.results.staleness import staleness
from muninn_core.retrieval.search import search
from muninn_core.retrieval.signals.commit_votes import CommitTitle, CommitVotes
from muninn_core.retrieval.signals.file_prior import FilePrior
from muninn_core.retrieval.signals.scoring import MemoryWeights
from muninn_core.source.identifiers import split_words

NOW = datetime(2026, 3, 1, tzinfo=UTC)
VECTOR = np.ones(4, np.float32)


class Known:
    """An index with preset results."""

    documents = 0

    def __init__(self, chunks, lexical=None, dense=(), whole=(), generated=()):
        self.generated = generated
        self.sources = (self,)
        self._chunks = dict(enumerate(chunks))
        self._whole = whole
        self._lexical = [(number, 1.0) for number in self._chunks] if lexical is None else lexical
        self._dense = dense

    def lexical(self, words, limit, kind=None):
        """Return what was given, best first."""
        return self._lexical[:limit]

    def dense(self, vector, limit, kind=None):
        """Return what was given, best first."""
        return self._dense[:limit]

    def whole_files(self, words, limit, kind=None):
        """Return what was given, best first."""
        return self._whole[:limit]

    def paths(self):
        """Return the files of the chunks."""
        files = {chunk.path: (chunk.path, chunk.kind, "python") for chunk in self._chunks.values()}
        return FileList(sorted(files.values()))

    def rarities(self, words):
        """Return that all words are equally rare."""
        return dict.fromkeys(words, 1.0)

    def chunks(self, ids):
        """Return the chunks of these ids."""
        return {number: self._chunks[number] for number in ids}

    def memories_of_numbers(self, ids):
        """Return those of these ids that are memories."""
        return {number: self._chunks[number].path for number in ids if self._chunks[number].kind == "memory"}

    def first_chunks(self, paths):
        """Return the first chunk of each of these files."""
        found = {}
        for chunk in self._chunks.values():
            if chunk.path in paths:
                found.setdefault(chunk.path, chunk)
        return found


def code(path="a.py", start=1, symbol="", kind="code"):
    return Chunk(kind=kind, path=path, start=start, end=start + 4, text=f"text of {path}", symbol=symbol)


def said(identity="m1", **more):
    data = {"id": identity, "type": "insight", "text": f"Fact {identity}.", "ts": "2026-03-01T00:00:00.000Z", **more}
    return Memory(**data)


def rank(reader, vector, memories, text, *, limit, kind=None, bounds=None, focus=None, **terms):
    return search(
        reader,
        SearchRequest(
            text,
            vector,
            memories,
            limit,
            NOW,
            terms=Relevance(**terms),
            kind=kind,
            bounds=bounds or Bounds(),
            focus=focus or Focus(),
        ),
    )


def recall(reader, vector, memories, text, *, limit, citations=lambda _memory: (), **given):
    decisions = given.get("decisions", lambda _path: None)
    return settle(rank(reader, vector, memories, text, limit=limit, **given), limit, citations, decisions)[0]


def ask(chunks, memories=(), text="question", limit=10, lexical=None, dense=(), **more):
    everything = [*chunks, *(Chunk(kind="memory", path=m.id, start=1, end=1, text=m.text) for m in memories)]
    return recall(Known(everything, lexical, dense), VECTOR, {m.id: m for m in memories}, text, limit=limit, **more)


def signals(hit):
    return {reason.signal: reason.contribution for reason in hit.why}


def test_the_best_by_words_and_by_meaning_both_get_the_whole_weight():
    first, second = ask([code("a.py"), code("b.py")], lexical=[(0, 8.0), (1, 4.0)], dense=[(0, 0.9), (1, 0.7)])
    # What words say already is no news when meaning says it.
    assert signals(first) == {"words": w.WORDS, "meaning": w.MEANING * (1 - w.MEANING_OVERLAP)}
    assert signals(second) == {"words": 0.5 * w.WORDS}
    assert (first.path, first.score) == ("a.py", w.WORDS + w.MEANING * (1 - w.MEANING_OVERLAP))


def test_without_a_vector_words_alone_decide():
    found = recall(Known([code()], dense=[(0, 0.9)]), None, {}, "x", limit=5)
    assert set(signals(found[0])) == {"words"}


def test_a_low_similarity_is_not_scaled_up():
    assert fuse([[]], [[(0, -0.1), (1, -0.1)]]) == [{}]
    assert fuse([[(0, 0.0)]], []) == [{}]


class TwoSources(Known):
    """An index of two sources that give the same ids to different chunks."""

    def __init__(self, first, second):
        super().__init__([])
        self.sources = (first, second)


def test_chunks_of_two_sources_with_the_same_id_are_both_found():
    reader = TwoSources(Known([code("a.py")], [(0, 4.0)], [(0, 0.9)]), Known([code("b.py")], [(0, 8.0)]))
    found = recall(reader, VECTOR, {}, "question", limit=5)
    assert {hit.path: signals(hit) for hit in found} == {
        "a.py": {"words": 0.5 * w.WORDS, "meaning": pytest.approx(w.MEANING * (1 - 0.5 * w.MEANING_OVERLAP), abs=1e-4)},
        "b.py": {"words": w.WORDS},
    }


def test_the_ids_that_may_be_found_are_those_of_their_source():
    reader = TwoSources(Allowing([code("a.py"), code("b.py")]), Allowing([code("c.py"), code("d.py")]))
    allowed = {"code": [[1], [0]], "knowledge": None, "memory": [[], []]}
    found = recall(reader, None, {}, "question", limit=5, bounds=Bounds(allowed=allowed))
    assert {hit.path for hit in found} == {"b.py", "c.py"}


class Allowing(Known):
    """An index of code that finds the given ids only."""

    def lexical(self, words, limit, kind=None, *, only=None, every=()):
        """Return what was given, best first, among the ids: several kinds are asked for at once."""
        assert kind is None
        assert only.kinds == ("knowledge",)
        return [hit for hit in self._lexical if any(hit[0] in ids for ids in only.ids)]


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 9), st.floats(0, 50)), max_size=12, unique_by=lambda pair: pair[0]),
    st.lists(st.tuples(st.integers(0, 9), st.floats(-1, 1)), max_size=12, unique_by=lambda pair: pair[0]),
    st.text(min_size=1, max_size=30),
)
def test_the_reasons_of_a_hit_add_up_to_its_score(lexical, dense, text):
    chunks = [code(f"tests/{number % 3}.py", number, symbol=text[:5]) for number in range(8)]
    memories = [said(f"m{number}", importance=number + 1) for number in range(2)]
    found = ask(chunks, memories, text, lexical=lexical, dense=dense)
    for hit in found:
        assert hit.score == pytest.approx(sum(reason.contribution for reason in hit.why), abs=1e-9)
        for reason in hit.why:
            assert reason.contribution == pytest.approx(reason.value * reason.weight, abs=1e-3)
    assert [hit.score for hit in found] == sorted((hit.score for hit in found), reverse=True)
    assert ask(chunks, memories, text, lexical=lexical, dense=dense) == found


def test_ties_are_broken_by_kind_path_line_and_id():
    chunks = [code("b.py", 9), code("b.md", 1, kind="knowledge"), code("a.py", 30), code("c.py", 5)]
    found = ask(chunks)
    assert [(hit.kind, hit.path) for hit in found] == [
        ("code", "a.py"),
        ("code", "b.py"),
        ("code", "c.py"),
        ("knowledge", "b.md"),
    ]
    assert ask(list(reversed(chunks))) == found


def test_the_order_does_not_depend_on_the_numbers_of_chunks_even_at_the_edge():
    chunks = [code(f"f{number:03}.py") for number in range(90)]
    assert ask(chunks, limit=5) == ask(list(reversed(chunks)), limit=5)


@pytest.mark.parametrize(
    "silent",
    [
        {"archived": True},
        {"redacted": True},
        {"superseded_by": "m9"},
        {"merged_into": "m9"},
        {"expires": "2026-02-28T23:59:59.000Z"},
    ],
)
def test_an_inactive_memory_is_never_shown(silent):
    assert [hit.id for hit in ask([], [said("m1", **silent), said("m2")])] == ["m2"]


def test_a_memory_that_has_not_expired_yet_speaks():
    memories = [said("m1", expires="2026-03-02T00:00:00.000Z"), said("m2", expires="one day")]
    assert {hit.id for hit in ask([], memories)} == {"m1", "m2"}


def test_a_memory_that_only_the_index_still_holds_is_left_out():
    assert ask([code("m1", kind="memory")]) == ()


def test_a_hit_of_a_memory_shows_what_it_says_now_and_where_it_points():
    cited = said("m1", cites=(Cite(path="a.py", start=3, end=7),), files=("b.py",), title="Title")
    old = Chunk(kind="memory", path="m1", start=1, end=1, text="Old words.")
    (hit,) = recall(Known([old]), None, {"m1": cited}, "x", limit=5)
    assert hit.text == "Fact m1."
    assert (hit.path, hit.start_line, hit.end_line, hit.title) == ("a.py", 3, 7, "Title")
    (hit,) = ask([], [said("m1", files=("b.py", "c.py"))])
    assert (hit.path, hit.start_line) == ("b.py", 0)


def test_importance_confidence_and_youth_raise_a_memory():
    plain = said("m1", importance=5, confidence=0.5, ts="2026-01-30T00:00:00.000Z")
    for better in ({"importance": 9}, {"confidence": 1.0}, {"ts": "2026-02-28T00:00:00.000Z"}):
        other = said(**{"identity": "m2", "importance": 5, "confidence": 0.5, "ts": plain.ts, **better})
        assert [hit.id for hit in ask([], [plain, other])] == ["m2", "m1"]


def test_an_update_makes_a_memory_young_again():
    old = said("m1", ts="2020-01-01T00:00:00.000Z")
    renewed = said("m2", ts="2020-01-01T00:00:00.000Z", updated="2026-02-28T00:00:00.000Z")
    assert ask([], [old, renewed])[0].id == "m2"


def test_recency_halves_and_never_fails():
    assert recency(NOW.isoformat(), NOW) == 1.0
    assert recency((NOW - timedelta(days=w.HALF_LIFE_DAYS)).isoformat(), NOW) == pytest.approx(0.5)
    assert recency((NOW + timedelta(days=5)).isoformat(), NOW) == 1.0
    assert recency("some day", NOW) == recency("2026-01-01T00:00:00", NOW) == 0.0


def test_a_chunk_that_defines_what_is_asked_for_goes_first():
    first, second = ask([code("a.py", symbol="other"), code("b.py", symbol="Shop get_user")], text="where is get_user")
    assert (first.path, signals(first)["defines"]) == ("b.py", w.DEFINES)
    assert {"defines", "symbol"}.isdisjoint(signals(second))
    assert next(reason.note for reason in first.why if reason.signal == "defines") == "defines get_user"
    assert next(reason.note for reason in first.why if reason.signal == "symbol") == "get_user"


@pytest.mark.parametrize("text", ["get_user", "Shop.get_user", "shop::get_user()", " get_user "])
def test_a_question_that_is_a_name_wants_its_definition_above_all(text):
    found = ask([code("a.py"), code("b.py", symbol="get_user")], text=text, lexical=[(0, 9.0), (1, 2.0)])
    assert found[0].path == "b.py"
    assert next(reason.weight for reason in found[0].why if reason.signal == "defines") == w.DEFINES_OF_NAME


def test_the_definition_of_a_name_comes_before_a_file_that_commits_and_memories_name_with_it():
    votes = CommitVotes([CommitTitle("c1", "2026-01-01T00:00:00Z", "Cache get_user", ("a.py",))])
    prior = {"a.py": FilePrior(1.0, "m1", {"m1": said()})}

    def first(text):
        reader = Known([code("a.py"), code("b.py", symbol="get_user")])
        found = recall(reader, None, {}, text, limit=2, votes=lambda: votes, file_priors=lambda _words: prior)
        return found[0].path, {reason.weight for hit in found for reason in hit.why if reason.signal == "history"}

    assert first("get_user") == ("b.py", {w.HISTORY_OF_NAME})
    assert first("cache of get_user") == ("a.py", {w.HISTORY})


def test_a_name_answers_by_its_words_also_by_abbreviations():
    chunks = [code("a.c", symbol="proc_kill"), code("b.c", symbol="open_file"), code("c.c", symbol="kill")]
    first, second, third = ask(chunks, text="kill a process")
    assert [hit.path for hit in (first, second, third)] == ["a.c", "c.c", "b.c"]
    assert signals(first)["symbol"] > signals(second)["symbol"]
    assert "symbol" not in signals(third)


def test_a_file_whose_name_answers_goes_first():
    first = ask([code("a.py"), code("session/store.py"), code("store/session/__init__.py")], text="session")[0]
    assert (first.path, signals(first)["name"]) == ("store/session/__init__.py", w.NAME)
    named = ask([code("a.py"), code("key-bindings.bash")], text="key bindings")[0]
    assert (named.path, signals(named)["name"]) == ("key-bindings.bash", w.NAME)


def test_the_words_of_a_whole_file_count_for_each_of_its_chunks():
    chunks = [code("a.py"), code("b.py", 1), code("b.py", 50)]
    whole = [("b.py", 8.0), ("a.py", 4.0)]
    found = recall(Known(chunks, whole=whole), None, {}, "x", limit=5)
    shares = {hit.id: signals(hit)["file"] for hit in found}
    assert shares == {"a.py:1-5": w.FILE_WORDS / 2, "b.py:1-5": w.FILE_WORDS, "b.py:50-54": w.FILE_WORDS}


def test_further_matching_chunks_raise_the_best_one_of_a_file():
    chunks = [code("a.py"), code("b.py", 1), code("b.py", 50), code("b.py", 90)]
    found = ask(chunks, lexical=[(0, 4.0), (1, 4.0), (2, 2.0), (3, 2.0)])
    assert found[0].id == "b.py:1-5"
    assert signals(found[0])["parts"] == pytest.approx(w.PARTS * (0.5 + w.PART_DECAY * 0.5), abs=1e-3)
    assert all("parts" not in signals(hit) for hit in found[1:])


def test_a_question_about_a_change_finds_files_with_many_matching_chunks():
    chunks = [code("a.py"), code("b.py", 1), code("b.py", 50), code("b.py", 90), code("test_b.py", 1), code("NEWS", 1)]
    chunks += [code("test_b.py", start) for start in (20, 40, 60)]
    lexical = [(0, 5.0), *((number, 4.5) for number in range(1, len(chunks)))]
    found = ask(chunks, text="Fix the parser", lexical=lexical)
    best = {hit.path: signals(hit).get("spread") for hit in reversed(found)}
    assert found[0].path == "b.py"
    third = pytest.approx(w.SPREAD / 3, abs=1e-3)
    assert best == {"a.py": third, "NEWS": third, "b.py": w.SPREAD, "test_b.py": w.SPREAD}
    assert sum("spread" in signals(hit) for hit in found) == len(best)
    assert not any("spread" in signals(hit) for hit in ask(chunks, text="where does it parse", lexical=lexical))
    assert "spread" not in signals(ask([code("a.md", kind="knowledge")], text="Fix the parser")[0])


def test_a_question_about_a_change_returns_more_files_with_less_weight_on_whole_files():
    chunks = [code("a.py", 1), code("a.py", 10), code("b.py", 1)]
    lexical = [(0, 4.0), (1, 4.0), (2, 2.7)]
    change, other = (
        recall(Known(chunks, lexical, whole=[("a.py", 4.0)]), None, {}, text, limit=5)
        for text in ("Fix parser", "parser")
    )
    assert signals(change[0])["file"] == w.FILE_WORDS_OF_CHANGE
    assert [hit.path for hit in change if "same_file" in signals(hit)] == ["a.py"]
    assert next(signals(hit)["same_file"] for hit in change if "same_file" in signals(hit)) == w.SAME_FILE_OF_CHANGE
    assert (signals(other[0])["file"], signals(other[1])["same_file"]) == (w.FILE_WORDS, w.SAME_FILE)


def test_a_link_to_what_the_question_finds_raises_a_memory_in_both_directions():
    linked = said("m3", links=(Link(relation="extends", target="m1", strength=0.5),))
    found = ask([], [said("m1"), said("m2"), linked], lexical=[(0, 4.0), (1, 4.0), (2, 4.0)])
    assert [signals(hit).get("graph") for hit in found] == [pytest.approx(w.GRAPH * 0.25)] * 2 + [None]
    assert {next(one.note for one in hit.why if one.signal == "graph") for hit in found[:2]} == {
        "extends m1", "m3 extends it",
    }  # fmt: skip


def test_a_project_chooses_how_the_signals_of_its_memories_weigh():
    young, important = said("m1", importance=1), said("m2", importance=9, ts="2020-01-01T00:00:00.000Z")
    assert [
        hit.id for hit in ask([], [young, important], memory_weights=MemoryWeights(importance=1.0), half_life=0)
    ] == ["m2", "m1"]
    assert [
        hit.id for hit in ask([], [young, important], memory_weights=MemoryWeights(importance=0.0), half_life=0)
    ] == ["m1", "m2"]


def test_tests_stand_back_unless_they_are_asked_for():
    chunks = [code("tests/test_store.py"), code("zz.py")]
    assert [hit.path for hit in ask(chunks, text="open it")] == ["zz.py", "tests/test_store.py"]
    assert signals(ask(chunks, text="open it")[1])["test"] == w.TEST
    assert ask(chunks, text="the test that opens it")[0].path == "tests/test_store.py"


def test_vendored_code_ranks_lower():
    found = ask([code("node_modules/x/index.js"), code("zz.js")], text="open it")
    assert found[0].path == "zz.js"
    assert signals(found[1])["auxiliary"] == w.AUXILIARY


def test_generated_files_rank_lower_by_path_or_header():
    chunks = [code("dist/shop.js"), code("a_string.go"), code("zz.go")]
    found = recall(Known(chunks, generated={"a_string.go"}), None, {}, "open it", limit=5)
    assert found[0].path == "zz.go"
    assert [signals(hit)["generated"] for hit in found[1:]] == [w.GENERATED] * 2


def test_each_further_chunk_of_a_file_is_marked_down_but_memories_are_not():
    chunks = [code("a.py", 1), code("a.py", 10), code("a.py", 20), code("b.py", 1)]
    found = ask(chunks)
    assert [(hit.path, hit.start_line) for hit in found] == [("a.py", 1), ("b.py", 1), ("a.py", 10), ("a.py", 20)]
    assert [signals(hit).get("same_file") for hit in found] == [None, None, w.SAME_FILE, 2 * w.SAME_FILE]
    memories = [said(f"m{number}", files=("a.py",)) for number in range(3)]
    assert all("same_file" not in signals(hit) for hit in ask([], memories))


@pytest.mark.parametrize(
    "focus",
    [Focus(files=["x.py"]), Focus(session="s1"), Focus(task="T-1")],
    ids=["file", "session", "task"],
)
def test_chunks_related_to_current_work_rank_higher(focus):
    memories = [said("m1"), said("m2", files=("x.py",), sessions=("s0", "s1"), task="T-1")]
    first, second = ask([], memories, focus=focus)
    assert (first.id, signals(first)["focus"]) == ("m2", w.FOCUS)
    assert "focus" not in signals(second)


def test_without_current_work_nothing_is_focused():
    assert not Focus().covers("a.py", said("m1", session=None, task=None))
    assert Focus(files=["a.py"]).covers("a.py", None)


def test_small_words_count_only_where_there_are_no_others():
    query = parse_query("How do we get the UserName of a user_name?")
    assert "the" not in query.words
    assert set(split_words("user name").split()) <= set(query.words)
    assert "user_name" in query.identifiers
    assert parse_query("how to do it").words
    assert parse_query("").words == ()
    assert parse_query("which tests fail").tests == 1
    assert parse_query("the latest contest").tests == 0
    assert 0 < parse_query("fix the order in which hooks of a plugin are called and add tests").tests < 1


@pytest.mark.parametrize(
    "text",
    ["Fix the order of hooks", "lexer: don't eat blanks", "Added a cache", "**fix** the parser", "do not stop early"],
)
def test_a_question_asks_for_a_change_as_the_title_of_one_does(text):
    assert parse_query(text).change


@pytest.mark.parametrize(
    "text",
    ["Adds an item to the list", "where do we add users", "fixture", "add_user", "Returns the fix", "used by x", ""],
)
def test_other_questions_ask_for_no_change(text):
    assert not parse_query(text).change


class Strange(Known):
    """An index with preset known words."""

    def __init__(self, known, strange, *rest):
        super().__init__(*rest)
        self._known = known
        self._strange = strange

    def rarities(self, words):
        """Return a low rarity for known words, and the number of documents for all others."""
        return {word: 6.0 if word in self._known else self._strange for word in words}


def crowd(known, cosine, text, strange=8.0, **more):
    """Rank 200 chunks, of which the nearest has a cosine, in an index that knows some words."""
    chunks = [code(f"f{number:03}.py") for number in range(200)]
    lexical = [(number, 2.0 - number / 1000) for number in range(200)]
    dense = [(number, cosine - number / 1000) for number in range(200)]
    return rank(Strange(known.split(), strange, chunks, lexical, dense), VECTOR, {}, text, limit=5, **more)


def test_a_question_of_unknown_words_without_near_vectors_finds_nothing_and_says_why():
    far = crowd("", 0.3, "red wine stain")
    assert far == []
    assert "cosine 0.30" in far.abstention
    assert crowd("grape", 0.3, "red wine stain").abstention


def test_words_or_meaning_alone_suffice_for_an_answer():
    for found in (crowd("red", 0.3, "red wine stain"), crowd("", 0.5, "red wine stain")):
        assert len(found) >= 5
        assert found.abstention == ""


def test_in_a_small_repository_a_word_that_is_missing_says_nothing():
    assert crowd("", 0.3, "red wine stain", strange=6.0).abstention == ""
    assert crowd("", 0.3, "red wine stain", strange=7.0).abstention


def test_among_a_few_there_is_no_doubt():
    found = rank(Known([code()], [(0, 0.1)], [(0, 0.1)]), VECTOR, {}, "red wine stains", limit=5)
    assert [each.chunk.path for each in found] == ["a.py"]
    assert crowd("", 0.3, "red wine stain", bounds=Bounds(required=[said("m1")]))


def stale(*states):
    return [Citation(path=f"{n}.py", start=1, end=2, state=state) for n, state in enumerate(states)]


@pytest.mark.parametrize(
    ("states", "value"),
    [
        ((), None),
        (("fresh", "moved", "unchecked"), None),
        (("drifted",), 0.5),
        (("gone", "fresh"), 0.5),
        (("gone",), 1),
    ],
)
def test_stale_citations_count_by_their_share(states, value):
    found = [(name, share) for name, share, *_ in staleness(stale(*states))]
    assert found == ([] if value is None else [("stale", value)])


def test_looking_at_the_best_only_gives_the_order_of_looking_at_all():
    memories = [said(f"m{n:02}", importance=1 + n % 10) for n in range(20)]
    judged = []

    def standing(memory):
        judged.append(memory.id)
        return stale("gone" if int(memory.id[1:]) % 3 == 0 else "fresh")

    every = [hit.id for hit in ask([], memories, limit=20, citations=standing)]
    judged.clear()
    assert [hit.id for hit in ask([], memories, limit=5, citations=standing)] == every[:5]
    assert len(judged) < 20
    assert len(judged) == len(set(judged))


def test_a_hit_of_a_memory_is_where_its_code_is_now():
    memory = said(cites=(Cite(path="old.py", start=1, end=2),))
    now = Citation(path="new.py", start=7, end=8, state="moved", was="old.py:1-2")
    (hit,) = ask([], [memory], citations=lambda _memory: (now,))
    assert (hit.path, hit.start_line, hit.end_line, hit.cites) == ("new.py", 7, 8, (now,))


def test_a_filter_finds_what_lies_behind_the_first_hundred():
    memories = [said(f"m{number:03}", task="T-2" if number == 390 else "T-1") for number in range(400)]
    lexical = [(number, 1000.0 - number) for number in range(400)]
    only = Bounds(admits=lambda _chunk, memory: memory is not None and memory.task == "T-2")
    assert [hit.id for hit in ask([], memories, lexical=lexical, bounds=only)] == ["m390"]
    assert ask([], memories, lexical=lexical, bounds=Bounds(admits=lambda _chunk, _memory: False)) == ()


def test_bounds_that_admit_all_files_decide_on_memories_only():
    asked = []
    bounds = Bounds(admits=lambda _chunk, memory: asked.append(memory) or memory is None, admits_files=True)
    hits = ask([code("a.py")], [said("m1")], lexical=[(0, 2.0), (1, 1.0)], bounds=bounds)
    assert [hit.path for hit in hits] == ["a.py"]
    assert [memory.id for memory in asked] == ["m1"]


def test_the_known_files_of_a_filter_pass_without_a_test_of_each():
    asked = []
    bounds = Bounds(admits=lambda chunk, _memory: asked.append(chunk.path), files=frozenset(["b.py"]))
    assert [hit.path for hit in ask([code("a.py"), code("b.py")], bounds=bounds)] == ["b.py"]
    assert not asked


def test_bounds_that_admit_the_project_decide_on_other_memories_only():
    asked = []
    bounds = Bounds(admits=lambda _chunk, memory: asked.append(memory.id) or memory.id == "m3", admits_project=True)
    memories = [said("m1"), said("m2", scope="global"), said("m3", scope="session")]
    hits = ask([], memories, lexical=[(0, 3.0), (1, 2.0), (2, 1.0)], bounds=bounds)
    assert sorted(hit.id for hit in hits) == ["m1", "m3"]
    assert asked == ["m2", "m3"]


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"archived": True},
        {"redacted": True},
        {"superseded_by": "m9"},
        {"merged_into": "m9"},
        {"review": "pending"},
        {"review": "rejected"},
        {"review": "approved"},
        {"type": "context_hit"},
        {"type": "context_hit", "private": True, "details": {"commit": "c1"}},
        {"expires": "2026-02-28T23:59:59.000Z"},
        {"expires": "2027-01-01T00:00:00.000Z"},
        {"expires": "one day"},
    ],
)
def test_filtering_many_memories_equals_filtering_each(fields):
    memory = said("m1", **fields)
    known = {"m1": memory}
    assert recallable_among(["m0", "m1"], known.get, NOW) == (known if is_recallable(memory, NOW) else {})


def test_a_certain_match_is_one_candidate_without_common_words():
    told, silent = said("m1"), said("m2")
    hits = ask([], [told, silent], lexical=[(0, 1.0)], bounds=Bounds(required=(told, silent)))
    assert [hit.id for hit in hits] == ["m1", "m2"]
    assert {reason.signal for reason in hits[1].why}.isdisjoint(("words", "meaning"))
    assert ask([], [told], lexical=[], bounds=Bounds(required=(told,)), kind="code") == ()


class KnownTokens(Known):
    """An index whose memories have one token each, nearer to the question for lower numbers."""

    def token(self, number):
        return np.array([[1.0, 0.02 * number]], np.float32)

    def nearest_encoded(self, vector, limit):
        return self.encoded_cosines(vector, list(self._chunks))[:limit]

    def encoded_cosines(self, vector, ids, limit=None):
        return [(number, 0.9 - 0.01 * number) for number in ids]

    def numbers_of_memories(self, identities):
        known = {chunk.path: number for number, chunk in self._chunks.items()}
        return {identity: known[identity] for identity in identities if identity in known}

    def encodings(self, ids):
        return {}

    def token_states(self, ids):
        return {number: packed(self.token(number)) for number in ids}


def test_a_certain_match_is_ranked_although_many_others_match_better():
    memories = [said(f"m{number:02}") for number in range(60)]
    reader = KnownTokens([Chunk(kind="memory", path=m.id, start=1, end=1, text=m.text) for m in memories], lexical=())
    for required in (), memories[-1:]:
        request = SearchRequest(
            "question",
            VECTOR,
            {m.id: m for m in memories},
            10,
            NOW,
            terms=Relevance(),
            kind="memory",
            bounds=Bounds(required=required),
            encoded=Encoded(VECTOR, reader.token(0)),
        )
        found = {hit.memory.id for hit in search(reader, request)}
        assert len(found) < len(memories)
        assert (memories[-1].id in found) == bool(required)


def test_a_decision_that_is_retired_comes_after_the_one_in_force_and_both_are_labelled():
    old, new = code("docs/adr/0001.md", kind="knowledge"), code("docs/adr/0002.md", kind="knowledge")
    stand = {"docs/adr/0001.md": (False, "superseded by ADR 2"), "docs/adr/0002.md": (True, "decided")}
    hits = ask([old, new, code("docs/guide.md", kind="knowledge")], decisions=stand.get)
    assert [(hit.path, hit.status) for hit in hits] == [
        ("docs/adr/0002.md", "decided"), ("docs/guide.md", ""), ("docs/adr/0001.md", "superseded by ADR 2"),
    ]  # fmt: skip
    for hit in hits:
        assert hit.score == pytest.approx(sum(reason.contribution for reason in hit.why))


def test_scopes_weigh_a_tenth_either_way():
    hits = ask([], [said("m1", scope="global"), said("m2"), said("m3", scope="session")])
    assert [hit.scope for hit in hits] == ["session", "project", "global"]
    assert hits[0].score - hits[1].score == pytest.approx(w.SESSION)
    assert hits[2].score - hits[1].score == pytest.approx(w.GLOBAL)
