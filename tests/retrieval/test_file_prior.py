"""What memory says of files, for questions like one that is asked."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from muninn_core.model.memory import Cite, Memory
from muninn_core.retrieval.candidates.generation import memory_chunk
from muninn_core.retrieval.results.ranking import Candidate
from muninn_core.retrieval.signals.file_prior import FilePrior, FilePriors, with_matching

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def memory(number, title, *files, **fields):
    given = {"type": "insight", "text": title, "title": title, "ts": "2026-02-01T00:00:00Z", "files": files, **fields}
    return Memory(id=f"m{number}", **given)


PAST = {
    one.id: one
    for one in (
        memory(1, "Retry uploads when the bucket is busy", "upload.py", "retry.py"),
        memory(2, "Retry downloads", "download.py", "retry.py"),
        memory(3, "Colours of the terminal", "terminal.py"),
        memory(4, "Names of users", cites=(Cite(path="users.py", start=1, end=2),)),
        memory(5, "Retry everything", *(f"f{n}.py" for n in range(40))),
        memory(6, "Retry what is forgotten", "forgotten.py", archived=True),
        memory(7, "Retry what is over", "over.py", expires="2026-02-02T00:00:00Z"),
    )
}


def told(witnesses, *words, **how):
    return witnesses.lookup(words, NOW, **how)


@pytest.fixture
def witnesses():
    return FilePriors(lambda: PAST)


def test_files_of_memories_that_answer_to_a_question_are_told_the_best_first(witnesses):
    found = told(witnesses, "retry", "upload")
    assert sorted(found, key=lambda path: -found[path].value) == ["retry.py", "upload.py", "download.py"]
    assert all(0 < one.value < 1 for one in found.values())
    assert found["upload.py"].note == "m1 Retry uploads when the bucket is busy"


def test_a_memory_tells_its_files_once_by_the_best_of_its_questions():
    asked = memory(
        1, "Uploads end between two chunks", "upload.py", questions=("Why does ctrl-c take long?", "Stop it?")
    )
    witnesses = FilePriors(lambda: {"m1": asked})
    best, other = told(witnesses, "ctrl", "long"), told(witnesses, "ctrl", "long", "stop")
    assert best["upload.py"].value > other["upload.py"].value > 0
    witnesses.update({"m1": memory(1, "Uploads end between two chunks", "upload.py")})
    assert told(witnesses, "ctrl") == {}
    assert set(told(witnesses, "chunk")) == {"upload.py"}


def test_the_match_of_tokens_raises_the_files_of_memories_but_not_of_commits():
    matching = {
        "m1": (memory(1, "Uploads", "upload.py", "both.py"), 0.5),
        "m2": (memory(2, "Uploads", "upload.py", repository="team/other"), 0.6),
        "m3": (memory(3, "Uploads", "commit.py", details={"commit": "1f2e"}), 0.9),
        "m4": (memory(4, "Uploads", "far.py"), 0.39),
        "m5": (memory(5, "Uploads", "words.py"), None),
    }
    ranked = []
    for one, match in matching.values():
        candidate = Candidate(memory_chunk(one), one, [])
        candidate.interaction = match
        ranked.append(candidate)
    memories = {key: one for key, (one, _) in matching.items()}
    before = {"both.py": FilePrior(0.9, "m9", memories), "upload.py": FilePrior(0.1, "m9", memories)}
    found = with_matching(before, ranked, memories)
    assert set(found) == {"both.py", "upload.py", "//team:other/upload.py"}
    assert found["both.py"].value == 0.9
    assert (found["upload.py"].identity, round(found["upload.py"].value, 2)) == ("m1", 0.67)
    assert found["//team:other/upload.py"].value == 0.95


def test_cited_files_are_told_too_and_nothing_where_no_word_is_shared(witnesses):
    assert set(told(witnesses, "user")) == {"users.py"}
    assert told(witnesses, "nothing", "like", "it") == {}
    assert told(witnesses) == {}


def test_archived_expired_hidden_and_broad_memories_have_no_weight(witnesses):
    assert not {"forgotten.py", "over.py", "f1.py"} & set(told(witnesses, "retry"))
    assert set(told(witnesses, "retry", seen=lambda one: one.id == "m2")) == {"download.py", "retry.py"}


def test_an_older_memory_says_less():
    old = memory(8, "Retry uploads", "old.py", ts="2024-02-01T00:00:00Z")
    new = memory(9, "Retry uploads", "new.py")
    found = told(FilePriors(lambda: {"m8": old, "m9": new}), "retry", "upload")
    assert found["old.py"].value < found["new.py"].value


def test_following_changes_ends_where_looking_at_all_memories_begins():
    now = dict(PAST)
    witnesses = FilePriors(lambda: now)
    told(witnesses, "retry")
    changed = {"m1": None, "m2": memory(2, "Retry uploads", "upload.py"), "m9": memory(9, "Uploads", "new.py")}
    witnesses.update(changed)
    now.update(changed)
    del now["m1"]
    after = dict(now)
    assert told(witnesses, "retry", "upload") == told(FilePriors(lambda: after), "retry", "upload")


def test_memories_made_from_commits_that_vote_are_left_out_and_others_count():
    of_commits = [memory(n, "Retry uploads", f"{n}.py", details={"commit": sha}) for n, sha in ((8, "aa"), (9, "bb"))]
    now = {one.id: one for one in (*of_commits, memory(10, "Retry uploads", "10.py"))}
    priors = FilePriors(lambda: now)
    assert set(told(priors, "retry", counted=frozenset({"aa"}))) == {"9.py", "10.py"}
    now["m11"] = memory(11, "Retry uploads", "11.py", details={"commit": ["aa"]})
    priors.update({"m11": now["m11"]})
    assert set(told(priors, "retry", counted=frozenset({"aa", "bb"}))) == {"10.py", "11.py"}
    assert set(told(priors, "retry")) == {"8.py", "9.py", "10.py", "11.py"}
