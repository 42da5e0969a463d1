"""Retrieval quality: the measures, the copies, and a lower bound for the project's own questions."""

from __future__ import annotations

import hashlib
import io
import json
import tarfile
from pathlib import Path

import pytest
from bench.quality.copies import Copies
from bench.quality.main import main as bench_quality
from bench.quality.peers import FTS5, PlainBM25
from bench.quality.questions import Data, Place, Question, load
from bench.quality.report import plain, tables
from bench.quality.run import run
from bench.quality.scoring import files_of, interval, mean, measure
from bench.quality.titles import questions_of
from repositories import git

DATA = Path(__file__).parents[2] / "bench" / "data" / "quality"
DROP = 0.01


def question(*relevant: Place, text: str = "x", source: str = "pypi:shop@1") -> Question:
    return Question(
        id="Q", dataset="T", repo="shop", language="python", source=source, root="", text=text, relevant=relevant
    )


@pytest.mark.slow
def test_our_own_questions_are_answered_as_well_as_when_the_baseline_was_written(tmp_path: Path) -> None:
    data = load(DATA, ["C1"])
    baseline = json.loads((DATA / "baseline.json").read_text("utf-8"))
    arms = run(data, Copies(data, tmp_path, Path(), DATA / "archives"), list(baseline["ndcg@10"]), tmp_path)
    found = plain(arms, answers=False)
    assert len(data.questions) == baseline["questions"]
    for name, wanted in baseline["ndcg@10"].items():
        assert found[name]["set"]["C1"]["ndcg@10"] >= wanted - DROP, found[name]["repository"]
    assert "C1 click" in tables(arms)


def test_a_list_is_cut_to_the_first_mention_of_each_file_of_code() -> None:
    listed = [Place("a.py", 5, 9), Place("README.md"), Place("a.py", 1, 4), Place("b.go"), Place("config.yaml")]
    assert files_of(listed) == ["a.py", "b.go"]


def test_the_measures_of_a_list_whose_second_file_answers() -> None:
    found = measure(question(Place("b.py", 10, 20)), [Place("a.py", 1, 5), Place("b.py", 20, 30)])
    assert found["ndcg@10"] == pytest.approx(0.6309, abs=1e-4)  # 1 / log2(3)
    assert (found["hit@1"], found["mrr"], found["recall@5"], found["span@5"]) == (0, 0.5, 1, 1)
    missed = measure(question(Place("c.py"), Place("b.py")), [Place("b.py", 1, 2)])
    assert missed["recall@10"] == 0.5
    assert missed["ndcg@10"] == pytest.approx(1 / (1 + 1 / 1.58496), abs=1e-4)
    assert "span@5" not in missed
    assert mean([{"mrr": 1.0}, {"mrr": 0.0, "span@5": 1.0}]) == {"mrr": 0.5, "span@5": 1.0}


def test_a_difference_that_every_question_shows_is_sure_and_one_of_a_single_question_is_not() -> None:
    assert interval([0.6] * 20, [0.5] * 20) == pytest.approx((0.1, 0.1, 0.1))
    change, low, high = interval([1.0] + [0.5] * 9, [0.0] + [0.5] * 9)
    assert (change, low) == (pytest.approx(0.1), 0)
    assert high > 0.1


def pack(folder: Path, files: dict[str, str]) -> tuple[str, str]:
    folder.mkdir(exist_ok=True)
    with tarfile.open(folder / "shop.tar.gz", "w:gz") as archive:
        for name, text in files.items():
            member = tarfile.TarInfo(f"shop-1/{name}")
            member.size = len(text.encode())
            archive.addfile(member, io.BytesIO(text.encode()))
    return "shop.tar.gz", hashlib.sha256((folder / "shop.tar.gz").read_bytes()).hexdigest()


def test_a_copy_has_the_lines_blanked_that_its_questions_were_taken_from(tmp_path: Path) -> None:
    entry = pack(tmp_path, {"a.py": "def pay():\n    '''Take\n    money.'''\n    return 1\n", "sub/b.py": "x = 1\n"})
    data = Data([question()], {"T": {"pypi:shop@1": {"a.py": [[2, 3]]}}}, {"pypi:shop==1": entry})
    copies = Copies(data, tmp_path / "cache", Path(), tmp_path)
    tree = copies.folder("T", "pypi:shop@1")
    assert (tree / "a.py").read_text() == "def pay():\n\n\n    return 1\n"
    assert (tree / "sub" / "b.py").read_text() == "x = 1\n"
    assert copies.folder("T", "pypi:shop@1") == tree


def test_another_archive_than_the_one_of_the_questions_is_refused(tmp_path: Path) -> None:
    name, _ = pack(tmp_path, {"a.py": "x = 1\n"})
    data = Data([question()], {}, {"pypi:shop==1": (name, "0" * 64)})
    with pytest.raises(ValueError, match="checksum differs"):
        Copies(data, tmp_path / "cache", Path(), tmp_path).folder("T", "pypi:shop@1")
    with pytest.raises(FileNotFoundError, match="--archives"):
        Copies(data, tmp_path / "cache", Path(), tmp_path / "elsewhere").folder("T", "pypi:shop@1")


def test_edits_that_belong_to_no_question_are_an_error(tmp_path: Path) -> None:
    line = {"id": "1", "repo": "r", "language": "go", "mirror": "pypi:a", "commit": "1", "query": "q", "relevant": []}
    (tmp_path / "T_questions.jsonl").write_text(json.dumps(line))
    (tmp_path / "T_edits.dev.json").write_text('{"pypi:a==1": {"a.py": [[1, 2]]}}')
    with pytest.raises(ValueError, match="pypi:a==1"):
        load(tmp_path, ["T"])
    with pytest.raises(FileNotFoundError, match="it has T"):
        load(tmp_path, ["U"])


@pytest.mark.parametrize("peer", [PlainBM25, FTS5])
def test_plain_peers_find_the_file_with_the_rare_word(peer: type[PlainBM25 | FTS5], tmp_path: Path) -> None:
    (tmp_path / "pay.py").write_text("def charge(card):\n    return gateway(card)\n")
    (tmp_path / "ship.py").write_text("def send(parcel):\n    return parcel\n")
    assert peer(tmp_path).ask('charge a "card')[0] == Place("pay.py", 1, 2)


COMMITS = (
    ("Begin the shop with a cart", {"src/cart.py": "CART = []\n", "README.md": "# Shop\n"}),
    ("fix(cart): handle an empty cart at checkout (#12)", {"src/cart.py": "CART = [1]\n", "tests/test_cart.py": ""}),
    ("Bump the version of everything that we need", {"src/cart.py": "CART = [2]\n"}),
    ("Handle the test of an empty cart here", {"tests/test_cart.py": "1\n"}),
    ("Fix it", {"src/cart.py": "CART = [3]\n"}),
    ("Add what is not there any more", {"src/gone.py": "1\n"}),
    ("Explain the shop and how to use it", {"README.md": "# The shop\n"}),
)


@pytest.fixture
def history(tmp_path: Path) -> Path:
    root = tmp_path / "shop"
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    for title, files in COMMITS:
        for path, text in files.items():
            (root / path).parent.mkdir(exist_ok=True)
            (root / path).write_text(text)
        git(root, "add", "-A")
        git(root, "commit", "-q", "-m", title)
    git(root, "rm", "-q", "src/gone.py")
    git(root, "commit", "-q", "-m", "Take away what nobody has used")
    return root


def test_a_history_asks_by_the_titles_of_what_changed_code_that_is_still_there(history: Path, tmp_path: Path) -> None:
    data = questions_of([history, history], 25)
    assert [(one.repo, one.text, one.files, one.language) for one in data.questions] == [
        (name, "handle an empty cart at checkout", {"src/cart.py"}, "python") for name in ("shop", "shop-2")
    ]
    tree = Copies(data, tmp_path / "cache", Path(), Path()).folder("titles", data.questions[1].source)
    assert (tree / "src" / "cart.py").read_text() == "CART = [3]\n"
    assert not (tree / ".git").exists()


def test_a_history_without_a_title_that_asks_is_said_and_so_is_no_history(history: Path, capsys) -> None:
    git(history, "checkout", "-q", "--orphan", "new")
    git(history, "commit", "-q", "-m", "Begin once more with all of it")
    for folder, wanted in ((history, "none of its newest"), (history.parent, "not a git repository")):
        with pytest.raises(SystemExit) as ended:
            bench_quality(["--repo", str(folder)])
        assert ended.value.code == 2
        assert wanted in capsys.readouterr().err
