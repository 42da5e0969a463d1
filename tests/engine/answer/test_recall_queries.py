"""Filters, phrases, likeness and answers by files, on a tiny real repository."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from repositories import git

from muninn_core.errors import BadParams, NotFoundError
from muninn_core.retrieval import concurrent

if TYPE_CHECKING:
    from engines import Muninn

pytest_plugins = ["engines", "crowd"]


def paths(muninn: Muninn, query: str = "", **params: object) -> list[str]:
    return [hit.path for hit in muninn.call("recall", query=query, **params).hits]


def remembered(muninn: Muninn) -> dict[str, str]:
    """Store memories of several kinds and return their ids by text."""
    texts = {
        "Tokens expire after an hour.": {
            "type": "decision",
            "tags": ["auth"],
            "files": ["src/users.py"],
            "importance": 9,
        },
        "Tokens were tried in cookies.": {"type": "attempt", "tags": ["auth", "web"], "importance": 3},
        "Token names are upper case.": {"type": "pattern", "actor": "assistant", "agent": "claude-code 1.0"},
    }
    return {text: muninn.call("remember", text=text, **more).ids[0] for text, more in texts.items()}


def test_a_filter_finds_what_lies_behind_hundreds_of_better_candidates(crowded: Muninn) -> None:
    assert paths(crowded, "token bucket path:quiet/**/*.go") == ["quiet/deep/limits.go"]
    assert paths(crowded, "token bucket lang:go") == ["quiet/deep/limits.go"]
    assert paths(crowded, "token bucket", path=["*.go"]) == ["quiet/deep/limits.go"]
    assert set(paths(crowded, "token bucket -path:noise", limit=50)) <= {
        "quiet/deep/limits.go",
        "quiet/notes.md",
        "src/users.py",
        "README.md",
    }
    assert "quiet/notes.md" in paths(crowded, "token bucket kind:knowledge")
    assert all(path.startswith("noise") for path in paths(crowded, "token bucket path:noise", limit=200))


def test_a_filtered_hit_has_the_score_that_its_words_and_its_meaning_give_it(crowded: Muninn) -> None:
    (hit,) = crowded.call("recall", query="token bucket path:quiet/deep").hits
    assert {reason.signal for reason in hit.why} >= {"words", "meaning"}
    assert hit.score == pytest.approx(sum(reason.contribution for reason in hit.why))


def test_a_phrase_is_found_behind_texts_that_only_hold_its_words(crowded: Muninn) -> None:
    assert paths(crowded, '"drains the bucket"') == ["quiet/notes.md"]
    assert paths(crowded, "bucket", phrase=["drains the bucket"]) == ["quiet/notes.md"]
    assert set(paths(crowded, '"get user name"')) == {"src/users.py"}
    assert "quiet/notes.md" not in paths(crowded, 'bucket -"drains the bucket" path:quiet')


def test_a_filter_that_everything_passes_changes_no_score(own_crowded: Muninn) -> None:
    remembered(own_crowded)
    whole, filtered = (
        own_crowded.call("recall", query=f"drains hour rates {filters}", limit=30)
        for filters in ("", "-path:nowhere/**")
    )
    assert {hit.kind for hit in whole.hits} == {"code", "knowledge", "memory"}
    assert [(hit.id, hit.score) for hit in whole.hits] == [(hit.id, hit.score) for hit in filtered.hits]


def test_an_answer_without_hits_says_which_filter_left_them_out(own_crowded: Muninn) -> None:
    remembered(own_crowded)
    said = {
        "x path:quite/**": "no indexed file or memory matches path:quite/**; did you mean path:quiet/**?",
        "x tag:auht": "no memory or page of knowledge matches tag:auht; did you mean tag:auth?",
        "x branch:nowhere": "no memory matches branch:nowhere",
        "x lang:rust": "no indexed file or memory matches lang:rust",
        "x path:quiet/** tag:web": "nothing passes all of path:quiet/** tag:web",
        '"token of a pail"': 'no text holds "token of a pail"; without the quotation marks its words are searched',
    }
    for query, note in said.items():
        result = own_crowded.call("recall", query=query)
        assert (result.hits, result.notes) == ((), (note,))


def test_a_task_without_memories_or_document_is_reported(muninn: Muninn) -> None:
    remembered(muninn)
    for params in ({"query": "tokens task:T-9999"}, {"query": "tokens", "task": "T-9999"}):
        result = muninn.call("recall", **params)
        assert (result.hits, result.notes) == ((), ("no memory or document matches task:T-9999",))
    muninn.call("remember", text="The hull is painted in the spring.", task="HARB-T-0042")
    result = muninn.call("recall", query="hull task:HARB-T-42")
    near = "no memory or document matches task:HARB-T-42; did you mean task:HARB-T-0042?"
    assert (result.hits, result.notes) == ((), (near,))
    with pytest.raises(NotFoundError, match="nothing is known of the task 'T-9999'"):
        muninn.call("context", task="T-9999")
    assert muninn.call("context", task="T-9999", query="tokens").items


def test_a_question_that_names_a_task_says_how_to_see_its_memories(muninn: Muninn) -> None:
    for text in ("The hull is painted in the spring.", "The mast is checked for rot."):
        muninn.call("remember", text=text, task="HARB-T-0042")
    for named in ("HARB-T-0042", "T-0042", "harb-t-0042"):
        notes = muninn.call("recall", query=f"What did we learn while working on {named}?").notes
        assert "2 memories of the task HARB-T-0042; task:HARB-T-0042 finds them" in notes
    for query in ("What did we learn on HARB-T-0043?", "What did we learn on XHARB-T-0042?", "hull task:T-0042"):
        assert not any("of the task" in note for note in muninn.call("recall", query=query).notes)


ERRORS = """\
---
type: Convention
domain: error-handling
tags: [public, errors]
---
# Errors

Each failure of the crane has a code and a hint.
"""


def test_pages_of_knowledge_are_filtered_by_their_frontmatter(muninn: Muninn) -> None:
    remembered(muninn)
    folder = muninn.root / ".muninn/knowledge/style"
    folder.mkdir()
    (folder / "errors.md").write_text(ERRORS)
    (folder / "crane.md").write_text("# Crane\n\nEach failure of the crane is logged.\n")
    muninn.call("remember", text="The crane fails in frost.", details={"domain": "error-handling"})
    muninn.touch(".muninn/knowledge/style/errors.md", ".muninn/knowledge/style/crane.md")
    page = ".muninn/knowledge/style/errors.md"

    def found(query: str, **more: Any) -> set[str]:
        return {hit.path or hit.text for hit in muninn.call("recall", query=query, **more).hits}

    for query in ("crane type:convention", "crane tag:public", "crane tag:x,ERRORS", "tag:public"):
        assert found(query) == {page}
    assert found("crane domain:error-handling") == {page, "The crane fails in frost."}
    assert found("crane", domain=["error-handling"], kind="knowledge") == {page}
    assert page not in found("crane -domain:error-handling")
    assert ".muninn/knowledge/style/crane.md" in found("crane -type:convention")
    assert found("crane domain:error-handling type:insight") == {"The crane fails in frost."}
    assert page in muninn.call("context", query="crane type:convention").text
    assert muninn.call("recall", query="crane domain:error-handlin").notes == (
        "no memory or page of knowledge matches domain:error-handlin; did you mean domain:error-handling?",
    )
    with pytest.raises(BadParams, match="there is no kind of memory 'conventio'; did you mean 'convention'"):
        muninn.call("recall", query="crane type:conventio")
    (folder / "errors.md").write_text(ERRORS.replace("Convention", "guide"))
    assert found("crane type:guide") == {page}
    (folder / "errors.md").unlink()
    with pytest.raises(BadParams, match="there is no kind of memory 'convention'"):
        muninn.call("recall", query="crane type:convention")


def test_an_empty_list_names_the_nearest_tag_task_and_session(muninn: Muninn) -> None:
    muninn.call("remember", text="The hull is painted.", tags=["paint"], task="HARB-T-0042", session="spring-1")
    said = {
        ("tag", "piant"): "no memory has the tag 'piant'; did you mean 'paint'?",
        ("task", "HARB-T-42"): "no memory has the task 'HARB-T-42'; did you mean 'HARB-T-0042'?",
        ("session", "spring-2"): "no memory has the session 'spring-2'; did you mean 'spring-1'?",
        ("tag", "zzzz"): "no memory has the tag 'zzzz'",
    }
    for (name, value), note in said.items():
        result = muninn.call("memories", **{name: value})
        assert (result.memories, result.notes) == ((), (note,))
    assert muninn.call("memories", tag="paint", task="T-0042", type="decision").notes == ()
    assert muninn.call("memories", tag="paint").notes == ()


def test_memories_are_filtered_by_what_they_are(muninn: Muninn) -> None:
    remembered(muninn)
    assert muninn.texts("tokens type:decision") == ["Tokens expire after an hour."]
    assert muninn.texts("tokens tag:auth -tag:web") == ["Tokens expire after an hour."]
    assert muninn.texts("tokens", tag=["web"], type=["attempt", "pattern"]) == ["Tokens were tried in cookies."]
    assert muninn.texts("tokens author:claude-code") == ["Token names are upper case."]
    assert muninn.texts("tokens", author=["claude-code"]) == ["Token names are upper case."]
    assert muninn.texts("tokens importance:>=7") == muninn.texts("tokens", min_importance=7)
    assert muninn.texts("tokens path:src/** kind:memory") == ["Tokens expire after an hour."]
    assert muninn.texts("tokens kind:attempt") == ["Tokens were tried in cookies."]


def test_a_time_filter_selects_memories_and_the_answer_says_so(muninn: Muninn) -> None:
    muninn.call("remember", text="Old tokens.")
    muninn.clock.forward(days=30)
    muninn.call("remember", text="New tokens.")
    result = muninn.call("recall", query="tokens since:2w")
    assert [hit.text for hit in result.hits] == ["New tokens."]
    assert result.notes == ("since:2w: only memories have a time; code and knowledge are left out",)
    assert muninn.texts("tokens", until="2w") == ["Old tokens."]
    assert muninn.texts("tokens", since="2026-03-15", kind="memory") == ["New tokens."]
    assert muninn.call("recall", query="tokens since:2w", kind="memory").notes == ()


def test_filters_alone_list_what_passes_them(muninn: Muninn) -> None:
    remembered(muninn)
    assert muninn.texts("type:decision,attempt") == ["Tokens expire after an hour.", "Tokens were tried in cookies."]
    muninn.call("index")
    assert set(paths(muninn, "path:src")) == {"src/users.py"}
    assert paths(muninn, "lang:python kind:code") == ["src/users.py"]


def test_a_list_has_the_documented_order_and_no_scores(muninn: Muninn) -> None:
    for name in ("tests/a.py", "src/z.py", "vendor/b.py", "zoo.py"):
        (muninn.root / name).parent.mkdir(exist_ok=True)
        (muninn.root / name).write_text("def moor():\n    return 1\n")
        muninn.touch(name)
    muninn.call("index")
    stale = muninn.call("remember", text="Ships moor once.", files=["zoo.py:1-2"], importance=1).ids[0]
    first = muninn.call("remember", text="Ships have names.", files=["zoo.py"], importance=9).ids[0]
    (muninn.root / "zoo.py").write_text("def unmoor(ship, quay):\n    return ship, quay\n")
    muninn.touch("zoo.py")
    muninn.call("index")
    listed = muninn.call("recall", query="lang:python", limit=3)
    assert not listed.ranked
    rest = muninn.call("recall", page=listed.next, limit=20)
    assert not rest.ranked
    hits = [*listed.hits, *rest.hits]
    assert [hit.id for hit in hits[:2]] == [first, stale]
    found = [hit.path for hit in hits[2:]]
    assert found == sorted(found)
    assert {"src/users.py", "tests/a.py", "vendor/b.py"} <= set(found)
    assert muninn.call("recall", query="moor lang:python").ranked
    by_file = muninn.call("recall", query="lang:python", by_file=True).hits
    assert [hit.path for hit in by_file] == sorted(hit.path for hit in by_file)
    assert {hit.total for hit in by_file} == {0.0}


def test_parameters_and_the_query_both_hold(crowded: Muninn) -> None:
    assert paths(crowded, "token path:quiet", lang=["go"]) == ["quiet/deep/limits.go"]
    assert paths(crowded, "token kind:knowledge", kind="code") == []


def test_a_plain_question_is_searched_unchanged(muninn: Muninn) -> None:
    muninn.call("remember", text="The type decision is made once.")
    with pytest.raises(BadParams):
        muninn.call("recall", query="type:desicion")
    assert "The type decision is made once." in muninn.texts("type:decision", plain=True)


def test_a_slip_of_the_pen_is_searched_as_what_it_was_most_likely_meant_as_and_said(crowded: Muninn) -> None:
    found = crowded.call("recall", query="where is the quiet buckte drained")
    assert found.notes == ('"buckte" occurs nowhere; "bucket" was searched as well',)
    assert "bucket" in found.hits[0].text
    marked = [line.text[mark.start : mark.end] for line in found.hits[0].snippet for mark in line.marks]
    assert "bucket" in {each.lower() for each in marked}
    assert "bucket" in crowded.call("context", query="whoever drains the buckte").text
    of_a_word = crowded.call("recall", query="the token of a racket")
    assert not any("occurs nowhere" in note for note in of_a_word.notes)


def test_a_revision_can_be_asked_about_in_the_query(muninn: Muninn) -> None:
    muninn.call("remember", text="Tokens expire.")
    muninn.call("seal")
    git(muninn.root, "add", ".")
    git(muninn.root, "commit", "-qm", "Remember")
    result = muninn.call("recall", query="tokens at:HEAD")
    assert [hit.text for hit in result.hits if hit.kind == "memory"] == ["Tokens expire."]
    assert result.saw.note.startswith("As of HEAD")
    with pytest.raises(BadParams, match="two revisions"):
        muninn.call("recall", query="tokens at:HEAD at:main")
    with pytest.raises(BadParams, match="no question beside the revision"):
        muninn.call("recall", query="at:HEAD")


@pytest.mark.parametrize("query", ["", "   \n\t", "🚀", "👍🏽 ✅", "?!", '"…"'])
def test_a_question_without_a_word_is_an_error(muninn: Muninn, query: str) -> None:
    with pytest.raises(BadParams, match=r"no question|no word"):
        muninn.call("recall", query=query)


def test_a_question_of_ten_thousand_words_is_answered_by_its_rarest(crowded: Muninn) -> None:
    letters = "bcdfghjklmnpqrstvwxz"
    unknown = [f"{a}{b}q{c}{d}" for a in letters for b in letters for c in letters for d in letters][:10_000]
    result = crowded.call("recall", query=" ".join([*unknown, "drains", "bucket", "waits"]))
    assert result.hits[0].path == "quiet/notes.md"
    assert "10,003 distinct words" in result.notes[0]


@pytest.mark.parametrize("glob", ["**/**/**/a*a*a*a*", "**/" * 40 + "x", r"\[" * 200, "*" * 999])
def test_a_bomb_of_a_glob_is_answered(crowded: Muninn, glob: str) -> None:
    assert crowded.call("recall", query="token", path=[glob], kind="code").notes != () or glob == "*" * 999


def test_a_glob_whose_set_has_no_end_is_refused(crowded: Muninn) -> None:
    with pytest.raises(BadParams, match="no ']' ends"):
        crowded.call("recall", query="token bucket", path=("[" * 200,))


def test_a_glob_that_matches_no_file_gives_no_hits_and_a_note(crowded: Muninn) -> None:
    result = crowded.call("recall", query="token path:nowhere/**", kind="code")
    assert result.hits == ()
    assert any("nowhere/**" in note for note in result.notes)


def found_or_error(muninn: Muninn, query: str) -> tuple[int, str]:
    """Return the number of hits of a question, or its error."""
    try:
        return len(muninn.call("recall", query=query).hits), ""
    except BadParams as error:
        return 0, str(error)


BOMBS = ["(a+)+$ " + "a" * 5_000, "(.*)*" * 500, "[" * 2_000, "a{1,99999}{1,99999}", "\\" * 3_001, "^(?:(?:a|a)*)*b"]


@pytest.mark.parametrize("bomb", BOMBS)
def test_an_expression_that_would_never_end_is_only_words(crowded: Muninn, bomb: str) -> None:
    assert found_or_error(crowded, f"bucket {bomb}")[0] > 0


QUOTED = {
    'token "bucket': "no partner",
    "token 'bucket": "",
    'token "" bucket"': "",
    "token \u201cbucket": "",
    "token `bucket": "",
}


@pytest.mark.parametrize("query", QUOTED)
def test_a_quotation_mark_without_a_partner_is_answered_or_pointed_at(crowded: Muninn, query: str) -> None:
    count, said = found_or_error(crowded, query)
    assert QUOTED[query] in said
    assert bool(count) == (not said)


def test_wrong_values_of_parameters_name_the_parameter(muninn: Muninn) -> None:
    for name, value in {"type": ["desicion"], "since": "soon", "lang": ["pyhton"], "path": [".."], "tag": [""]}.items():
        with pytest.raises(BadParams, match=f"'{name}'"):
            muninn.call("recall", query="x", **{name: value})


def test_more_like_a_place_is_found_and_not_the_place_itself(crowded: Muninn) -> None:
    found = crowded.call("recall", like="noise/token_007.py:4", limit=5).hits
    assert "noise/token_007.py" not in [hit.path for hit in found]
    assert all(hit.path.startswith("noise/") for hit in found)
    assert paths(crowded, "path:quiet", like="noise/token_007.py:1")[0].startswith("quiet")


def test_more_like_a_memory_is_found_by_its_id(muninn: Muninn) -> None:
    ids = remembered(muninn)
    found = muninn.texts("", like=ids["Tokens expire after an hour."], kind="memory")
    assert set(found) == {"Tokens were tried in cookies.", "Token names are upper case."}


@pytest.mark.parametrize(
    ("like", "said", "hint"),
    [
        ("src/userz.py:3", "there is no file src/userz", "src/users.py"),
        ("src/users.py:900", "no line 900", "13"),
        ("src/users.py", "there is no memory", "FILE:LINE"),
        ("01nothing", "there is no memory", "FILE:LINE"),
    ],
)
def test_likeness_to_what_is_not_there_is_an_error(muninn: Muninn, like: str, said: str, hint: str) -> None:
    muninn.call("index")
    with pytest.raises(NotFoundError, match=said) as error:
        muninn.call("recall", like=like)
    assert hint in error.value.hint


def test_an_answer_by_files_has_each_file_once_with_its_best_place(muninn: Muninn) -> None:
    body = "\n\n".join(f"def session_{i}():\n" + f"    return session + {i}\n" * 30 for i in range(8))
    (muninn.root / "src" / "session.py").write_text(body)
    muninn.call("remember", text="Sessions expire.")
    muninn.call("index")
    hits = muninn.call("recall", query="session", by_file=True).hits
    assert len({hit.path for hit in hits}) == len(hits)
    assert all(hit.kind != "memory" for hit in hits)
    (long,) = (hit for hit in hits if hit.path == "src/session.py")
    assert long.chunks > 1
    assert long.total > long.score
    assert all(hit.total == hit.score for hit in hits if hit.chunks == 1)


def test_an_answer_by_files_says_that_memories_are_no_files(muninn: Muninn) -> None:
    remembered(muninn)
    result = muninn.call("recall", query="type:decision", by_file=True)
    assert (result.hits, result.notes) == ((), ("no file passes the filters, and with `files` memories are left out",))


def test_hits_show_the_lines_that_hold_the_words(muninn: Muninn) -> None:
    muninn.call("index")
    hit = muninn.call("recall", query="display name of a user", kind="code").hits[0]
    (line,) = (line for line in hit.snippet if "display name" in line.text)
    assert (muninn.root / hit.path).read_text().split("\n")[line.line - 1] == line.text
    assert "name" in [line.text[mark.start : mark.end] for mark in line.marks]


@pytest.mark.parametrize(
    "query",
    ["token bucket", "who waits for a token", "token path:quiet/**", "bucket kind:memory", '"token bucket" kind:code'],
)
def test_searches_that_run_at_once_find_what_they_find_one_after_the_other(
    with_attempt: Muninn, monkeypatch: pytest.MonkeyPatch, query: str
) -> None:
    before = with_attempt.call("recall", query=query).hits
    monkeypatch.setattr(concurrent, "LARGE", 0)
    assert before
    assert with_attempt.call("recall", query=query).hits == before
