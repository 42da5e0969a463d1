"""How chunks of code are scored: definitions, names, whole files, changes, tests, and current work."""

from __future__ import annotations

import pytest
from preset_index import PresetIndex, ask, code, recall, signals, stored_memory

from muninn_core.retrieval import weights as w
from muninn_core.retrieval.query.query_terms import parse_query
from muninn_core.retrieval.request import Focus
from muninn_core.retrieval.signals.commit_votes import CommitTitle, CommitVotes
from muninn_core.retrieval.signals.file_prior import FilePrior
from muninn_core.source.identifiers import split_words


def test_a_chunk_that_defines_what_is_asked_for_goes_first():
    first, second = ask([code("a.py", symbol="other"), code("b.py", symbol="Shop get_user")], text="where is get_user")
    assert (first.path, signals(first)["defines"]) == ("b.py", w.DEFINES)
    assert {"defines", "symbol"}.isdisjoint(signals(second))
    assert next(reason.note for reason in first.why if reason.signal == "defines") == "defines get_user"
    assert next(reason.note for reason in first.why if reason.signal == "symbol") == "get_user"


@pytest.mark.parametrize("text", ["get_user", "Shop.get_user", "shop::get_user()", " get_user "])
def test_the_definition_comes_first_for_a_question_that_is_a_name(text):
    found = ask([code("a.py"), code("b.py", symbol="get_user")], text=text, lexical=[(0, 9.0), (1, 2.0)])
    assert found[0].path == "b.py"
    assert next(reason.weight for reason in found[0].why if reason.signal == "defines") == w.DEFINES_OF_NAME


def test_the_definition_of_a_name_comes_before_a_file_that_commits_and_memories_name_with_it():
    votes = CommitVotes([CommitTitle("c1", "2026-01-01T00:00:00Z", "Cache get_user", ("a.py",))])
    prior = {"a.py": FilePrior(1.0, "m1", {"m1": stored_memory()})}

    def first(text):
        reader = PresetIndex([code("a.py"), code("b.py", symbol="get_user")])
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
    found = recall(PresetIndex(chunks, whole=whole), None, {}, "x", limit=5)
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
        recall(PresetIndex(chunks, lexical, whole=[("a.py", 4.0)]), None, {}, text, limit=5)
        for text in ("Fix parser", "parser")
    )
    assert signals(change[0])["file"] == w.FILE_WORDS_OF_CHANGE
    assert [hit.path for hit in change if "same_file" in signals(hit)] == ["a.py"]
    assert next(signals(hit)["same_file"] for hit in change if "same_file" in signals(hit)) == w.SAME_FILE_OF_CHANGE
    assert (signals(other[0])["file"], signals(other[1])["same_file"]) == (w.FILE_WORDS, w.SAME_FILE)


def test_tests_rank_lower_unless_the_question_names_them():
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
    found = recall(PresetIndex(chunks, generated={"a_string.go"}), None, {}, "open it", limit=5)
    assert found[0].path == "zz.go"
    assert [signals(hit)["generated"] for hit in found[1:]] == [w.GENERATED] * 2


def test_each_further_chunk_of_a_file_is_marked_down_but_memories_are_not():
    chunks = [code("a.py", 1), code("a.py", 10), code("a.py", 20), code("b.py", 1)]
    found = ask(chunks)
    assert [(hit.path, hit.start_line) for hit in found] == [("a.py", 1), ("b.py", 1), ("a.py", 10), ("a.py", 20)]
    assert [signals(hit).get("same_file") for hit in found] == [None, None, w.SAME_FILE, 2 * w.SAME_FILE]
    memories = [stored_memory(f"m{number}", files=("a.py",)) for number in range(3)]
    assert all("same_file" not in signals(hit) for hit in ask([], memories))


@pytest.mark.parametrize(
    "focus",
    [Focus(files=["x.py"]), Focus(session="s1"), Focus(task="T-1")],
    ids=["file", "session", "task"],
)
def test_chunks_related_to_current_work_rank_higher(focus):
    memories = [stored_memory("m1"), stored_memory("m2", files=("x.py",), sessions=("s0", "s1"), task="T-1")]
    first, second = ask([], memories, focus=focus)
    assert (first.id, signals(first)["focus"]) == ("m2", w.FOCUS)
    assert "focus" not in signals(second)


def test_without_current_work_nothing_is_focused():
    assert not Focus().covers("a.py", stored_memory("m1", session=None, task=None))
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
