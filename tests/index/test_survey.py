"""Files of a large tree are found by their words before they have been cut."""

import pytest
from states import answers, content, sync, write

from muninn_core.errors import Cancelled
from muninn_core.index import index as index_module
from muninn_core.index.extraction import jobs
from muninn_core.index.extraction import survey as survey_module
from muninn_core.index.extraction.extract import WordsJob, read_words
from muninn_core.index.extraction.survey import SurveyBuilder
from muninn_core.index.index import BULK
from muninn_core.index.manifest.memory_text import MemoryText
from muninn_core.source.identifiers import split_words

ROPE = "def splice(rope):\n    return rope.strands\n\n\n" + "x = 1\n" * 300 + "def bowline(end):\n    return end\n"
FILES = {
    "docs/knots.md": "# Knots\n\nThe bowline holds a load and unties easily.\n",
    "rig/rope.py": ROPE,
    "rig/mast.py": "def step(mast):\n    return mast.height\n",
}
FLEET = {f"boat_{number}.py": f"def launch_{number}(slip):\n    return slip.berth({number})\n" for number in range(80)}


@pytest.fixture
def surveyor(tmp_path, root):
    write(root, FILES)
    made = SurveyBuilder(tmp_path / "survey", root, 1_000_000)
    made.add(read_words(WordsJob(str(root), 1_000_000, tuple(sorted(FILES)))))
    yield made
    made.close()


def found(survey, question, kind=None, waiting=set):
    hits = survey.lexical(dict.fromkeys(split_words(question).split(), 1.0), 10, kind, waiting)
    chunks = survey.chunks([number for number, _ in hits])
    return [chunks[number] for number, _ in hits]


def test_the_part_of_a_file_that_holds_the_words_is_found_in_the_file_itself(surveyor):
    best = found(surveyor.read(), "bowline end")[0]
    assert best.path == "rig/rope.py"
    assert best.start > 250
    assert "def bowline(end):" in best.text


def test_a_kind_and_what_waits_bound_what_is_found(surveyor):
    survey = surveyor.read()
    assert {each.path for each in found(survey, "bowline", "knowledge")} == {"docs/knots.md"}
    assert {each.path for each in found(survey, "bowline", waiting=lambda _paths: {"rig/rope.py"})} == {"rig/rope.py"}
    assert found(survey, "bowline", waiting=lambda _paths: set()) == []
    assert found(survey, "spinnaker") == []


def test_files_and_words_that_must_be_held_bound_what_is_found(surveyor):
    survey = surveyor.read()
    numbers = survey.ids_of_files(["rig/mast.py", "rig/rope.py", "rig/none.py"])
    hits = survey.lexical({"return": 1.0}, 10, None, set, only=numbers[:1])
    assert {chunk.path for chunk in survey.chunks([number for number, _ in hits]).values()} == {"rig/mast.py"}
    assert survey.lexical({"return": 1.0}, 10, None, set, only=[]) == []
    hits = survey.lexical({"return": 1.0}, 10, None, set, every=["strand"])
    assert [chunk.start for chunk in survey.chunks([number for number, _ in hits]).values()] == [1]


def test_whole_files_are_found_by_words_and_by_their_path(surveyor):
    survey = surveyor.read()
    assert [path for path, _ in survey.whole_files(["mast"], 10)] == ["rig/mast.py"]
    assert {path for path, _ in survey.whole_files(["rig"], 10)} == {"rig/mast.py", "rig/rope.py"}
    rarities = survey.rarities(["splice", "return"])
    assert rarities["splice"] > rarities["return"]
    assert (survey.documents, survey.frequency("return")) == (3, 2)


def test_a_file_that_went_or_changed_meanwhile_is_answered_as_it_is_now(surveyor, root):
    survey = surveyor.read()
    (root / "rig/mast.py").unlink()
    assert found(survey, "mast height") == []
    (root / "docs/knots.md").write_text("Nothing is known of them.\n")
    assert {each.path for each in found(survey, "bowline")} == {"rig/rope.py"}


def test_a_question_reads_a_bounded_amount(surveyor, monkeypatch):
    survey = surveyor.read()
    assert len({each.path for each in found(survey, "def return bowline")}) == 3
    monkeypatch.setattr(survey_module, "_MAX_CHARACTERS", 10)
    assert len({each.path for each in found(survey, "def return bowline")}) == 1


def test_surveyed_files_are_read_again_for_a_late_question(surveyor, root, monkeypatch):
    survey = surveyor.read()
    ((first, _),) = survey.lexical({"mast": 1.0}, 10, None, set)
    kept = survey.chunks([first])
    (root / "rig/mast.py").write_text("mast = 2\n")
    assert survey.chunks([first]) == kept
    monkeypatch.setattr(survey_module, "_KEPT", 1)
    survey.lexical({"bowlin": 1.0}, 10, None, set)
    assert survey.chunks([first])[first].text == "mast = 2\n"
    (root / "rig/mast.py").unlink()
    assert survey.chunks([first]) == {}


def test_a_closed_survey_leaves_nothing_behind(tmp_path, root):
    write(root, FILES)
    made = SurveyBuilder(tmp_path / "survey", root, 1_000_000)
    made.add(read_words(WordsJob(str(root), 1_000_000, tuple(FILES))))
    survey = made.read()
    made.close()
    assert not (tmp_path / "survey").exists()
    assert survey.whole_files(["mast"], 10)  # who still reads it is not disturbed


def test_files_that_can_not_be_read_are_passed_over(root):
    write(root, {"a.py": "anchor = 1\n", "large.py": "anchor = 1\n" * 100})
    (root / "binary.py").write_bytes(b"anchor\0")
    paths = ("a.py", "binary.py", "gone.py", "large.py")
    assert [one.path for one in read_words(WordsJob(str(root), 100, paths))] == ["a.py"]


def paths_of(snapshot, terms):
    """Return the paths of the chunks that words find in all sources of a snapshot, best first."""
    hits = []
    for source in snapshot.sources:
        matches = source.lexical(terms, 5)
        chunks = source.chunks([number for number, _ in matches])
        hits += [(-score, chunks[number].path) for number, score in matches]
    return [path for _, path in sorted(hits)]


class Watching:
    """Looks at an index between the steps of a run."""

    def __init__(self, index):
        self.index = index
        self.seen = []

    def __call__(self, done, total):
        snapshot = self.index.snapshot()
        paths = [path for path, _ in snapshot.whole_files(["42"], 5)]
        self.seen.append((done, self.index.surveyed, paths_of(snapshot, ["launch", "42"]), paths))


@pytest.fixture
def surveying(monkeypatch):
    """Have small trees surveyed, too."""
    monkeypatch.setattr(index_module, "SURVEYED", BULK + 1)


def test_a_run_over_many_new_files_begins_with_a_survey(opened, root, tmp_path, embedder, surveying):
    write(root, FLEET)
    index = opened()
    watching = Watching(index)
    sync(index, root, progress=watching, meaning=False)
    done, surveyed, hits, files = next(each for each in watching.seen if each[1])
    assert (done, surveyed) == (0, len(FLEET))
    assert hits[0] == "boat_42.py"
    assert files == ["boat_42.py"]
    assert index.surveyed == 0
    assert not (tmp_path / "cache" / "survey").exists()
    assert len(index.snapshot().sources) == 1


def test_an_index_that_was_surveyed_is_that_of_a_run_without(opened, root, embedder, monkeypatch):
    write(root, FLEET)
    plain = opened("plain")
    sync(plain, root)
    monkeypatch.setattr(index_module, "SURVEYED", BULK + 1)
    surveyed = opened("surveyed")
    sync(surveyed, root)
    assert content(surveyed) == content(plain)
    assert answers(surveyed, embedder, ["launch 42", "berth"]) == answers(plain, embedder, ["launch 42", "berth"])


def test_fully_indexed_files_are_found_only_in_the_index(opened, root, surveying):
    write(root, {"old.py": "def launch_42_again(slip):\n    return slip\n"})
    index = opened()
    sync(index, root)
    write(root, FLEET)
    watching = Watching(index)
    sync(index, root, progress=watching, meaning=False)
    _, surveyed, hits, _ = next(each for each in watching.seen if each[1])
    assert surveyed == len(FLEET)
    assert sorted(hits[:2]) == ["boat_42.py", "old.py"]
    assert all(hits.count(path) == 1 for path in hits)


def test_each_file_is_either_cut_or_waits(opened, root, surveying, monkeypatch):
    monkeypatch.setattr(index_module, "_FIRST_CHUNKS", 5)
    monkeypatch.setattr(jobs, "_JOB_FILES", 5)
    write(root, FLEET)
    index = opened()
    shares = set()

    def progress(_done, _total):
        if not index.surveyed:
            return
        snapshot = index.snapshot()
        cut = snapshot.files()
        shares.add(len(cut))
        assert [path for path, _, _ in snapshot.paths()] == sorted(FLEET)
        for path in FLEET:
            indexed, uncut = (
                [chunk.path for chunk in source.chunks(source.ids_of_files([path])).values()]
                for source in snapshot.sources
            )
            assert (indexed, uncut) == (([path], []) if path in cut else ([], [path]))

    sync(index, root, progress=progress, meaning=False)
    assert any(0 < share < len(FLEET) for share in shares)


def test_memories_are_taken_in_and_found_while_files_wait(opened, root, surveying):
    write(root, FLEET)
    index = opened()
    texts = []

    def progress(_done, _total):
        if index.surveyed and not texts:
            index.put_memories([MemoryText("m1", "launch at high water")])
            snapshot = index.snapshot()
            numbers = [number for number, _ in snapshot.lexical(["launch"], 5, "memory")]
            texts.extend(chunk.text for chunk in snapshot.chunks(numbers).values())

    sync(index, root, progress=progress, meaning=False)
    assert texts == ["launch at high water"]


def test_a_run_that_is_ended_in_its_survey_leaves_none(opened, root, tmp_path, surveying):
    write(root, FLEET)
    index = opened()

    def check():
        if index.surveyed:
            raise Cancelled("enough")

    with pytest.raises(Cancelled):
        sync(index, root, check_cancel=check)
    assert index.surveyed == 0
    assert not (tmp_path / "cache" / "survey").exists()
    assert index.snapshot().lexical(["launch"], 5) == []
    sync(index, root)
    assert index.snapshot().counts()["files"] == len(FLEET)


def test_a_survey_that_a_crash_left_goes_with_the_next_opening(opened, root, tmp_path):
    left = tmp_path / "cache" / "survey"
    write(left, {"meta.json": "torn"})
    opened()
    assert not left.exists()
