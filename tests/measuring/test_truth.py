"""The ground truth of citations: each of its tests on a history of two or three commits."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from bench.accuracy.citations import DECISIONS, decisions
from bench.accuracy.truth import Truth
from repositories import git

from muninn_core.model.memory import Cite

LOAD = "def load(key):\n    found = ITEMS[key]\n    count(found)\n    return found or missing(key)\n"
SAVE = "def save(key, value):\n    ITEMS[key] = value\n    report(key)\n"
OTHER = "".join(f"OTHER_{number} = {number}\n" for number in range(12))


class History:
    """A repository whose files are put down commit by commit."""

    def __init__(self, root: Path) -> None:
        self.root = root
        git(root, "init", "-q", "-b", "main")

    def commit(self, **files: str | None) -> str:
        """Write files (None removes one; `__` is a slash) and return the commit."""
        for name, text in files.items():
            path = self.root / f"{name.replace('__', '/')}.py"
            path.parent.mkdir(exist_ok=True)
            path.unlink(missing_ok=True) if text is None else path.write_text(text)
        git(self.root, "add", "-A")
        git(self.root, "commit", "-q", "--allow-empty", "-m", "Step")
        return git(self.root, "rev-parse", "HEAD").strip()


@pytest.fixture
def history(tmp_path: Path) -> History:
    return History(tmp_path)


Became = Callable[..., str]


@pytest.fixture
def became(history: History) -> Became:
    """What becomes of `load` in `store.py`, lines 14 to 17, by some commits."""

    def judge(*steps: dict[str, str | None], early: str = OTHER + "\n" + LOAD + "\n" + SAVE, **beside: str) -> str:
        begin = history.commit(store=early, **beside)
        late = [history.commit(**step) for step in steps][-1]
        return Truth(history.root, begin, late).of(Cite(path="store.py", start=14, end=17, symbol="load", commit=begin))

    return judge


def test_unchanged_lines_are_fresh(became: Became) -> None:
    assert became({"other": "x = 1\n"}) == "fresh"


def test_lines_that_one_commit_shifts_or_relocates_have_moved(became: Became) -> None:
    assert became({"store": "import os\n" + OTHER + "\n" + LOAD}) == "moved"


def test_lines_that_went_to_another_file_have_moved(became: Became) -> None:
    assert became({"store": OTHER, "loads": LOAD}) == "moved"


def test_lines_that_were_changed_and_restored_are_fresh(became: Became) -> None:
    assert became({"store": OTHER + "\n" + LOAD.replace("found", "it")}, {"store": OTHER + "\n" + LOAD}) == "fresh"


def test_lines_removed_in_one_commit_and_added_in_another_have_moved(became: Became) -> None:
    assert became({"store": OTHER + "\n" + SAVE}, {"loads": LOAD}) == "moved"


def test_lines_copied_before_their_removal_have_moved(became: Became) -> None:
    assert became({"loads": LOAD}, {"store": OTHER + "\n" + SAVE}) == "moved"


def test_a_copy_that_was_there_before_is_no_new_home(became: Became) -> None:
    assert became({"store": OTHER + "\n" + SAVE}, loads=LOAD) == "gone"


def test_definitions_that_keep_their_name_or_half_their_lines_have_drifted(became: Became) -> None:
    assert became({"store": OTHER + "\n\ndef load(name):\n    return None\n"}) == "drifted"
    assert became({"store": OTHER + "\n" + LOAD.replace("load", "fetch") + "\n" + SAVE}) == "drifted"


def test_a_method_of_the_class_itself_is_known_by_its_name(became: Became) -> None:
    method = OTHER + "\ndef self.load(key)\n  found = ITEMS[key]\n  found || missing(key)\nend\n"
    assert became({"store": OTHER + "\ndef self.load(name)\n  nil\nend\n"}, early=method) == "drifted"
    assert became({"store": OTHER + "\nself.load(1)\nShop.load(2)\n"}, early=method) == "gone"


def test_a_name_in_a_file_that_was_renamed_on_the_way_has_drifted(became: Became) -> None:
    renamed = OTHER + "\n" + LOAD + "\n" + SAVE
    assert became({"store": None, "shop": renamed}, {"shop": "def load(name):\n    return None\n"}) == "drifted"


def test_a_new_definition_of_that_name_with_half_of_the_lines_has_drifted(became: Became) -> None:
    changed = LOAD.replace("count(found)", "tell(found)")
    assert became({"store": OTHER + "\n" + SAVE}, {"loads": changed}) == "drifted"


@pytest.mark.parametrize(("kept", "apart", "state"), [(3, "", "drifted"), (2, "", "gone"), (3, OTHER, "gone")])
def test_a_lost_bracket_is_no_lost_line_where_half_of_the_others_stand_together(
    history: History, kept: int, apart: str, state: str
) -> None:
    stay = [
        f'    option_{number}="enough letters for blame to follow each alone: {number}",\n' for number in range(kept)
    ]
    begin = history.commit(store=OTHER + "SHOP = Shop(\n" + "".join(stay) + "    key=KEY,\n" * (kept - 1) + ")\n")
    made = "def new_market(key):\n    return Market(\n" + stay[0] + apart + "".join(stay[1:]) + "        key,\n    )\n"
    late = history.commit(store=OTHER, market=made.replace("OTHER", "NEW"))
    cite = Cite(path="store.py", start=13, end=13 + 2 * kept, symbol="SHOP", commit=begin)
    assert Truth(history.root, begin, late).of(cite) == state


def test_a_namesake_elsewhere_a_variable_or_a_call_is_not_the_definition(became: Became) -> None:
    namesake = "def load(path):\n    return open(path)\n"
    assert became({"store": OTHER + "\n" + SAVE, "files": namesake}) == "gone"
    assert became({"store": OTHER + "\nload = None\nload(3)\n" + SAVE}) == "gone"


@pytest.mark.parametrize(
    ("now", "state"),
    [
        ("exports.load = function(key) {\n    found = ITEMS[key]\n    count(found)\n    other(key)\n}\n", "drifted"),
        ("load = async (key) => {\n    found = ITEMS.get(key);\n    return missing(key, count);\n}\n", "drifted"),
        ("load = function() {\n    return null;\n}\n", "gone"),
        ("# def load(key):\n#     return found\n", "gone"),
    ],
)
def test_a_definition_of_another_form_needs_its_words_or_lines(became: Became, now: str, state: str) -> None:
    assert became({"store": OTHER + "\n" + now}) == state


def test_a_trait_of_rust_is_part_of_the_head(history: History) -> None:
    head = "impl fmt::Display for Mode<'_> {\n"
    begin = history.commit(store=head + LOAD + "}\n")
    cite = Cite(path="store.py", start=1, end=6, symbol="Mode", commit=begin)
    other = history.commit(store="impl Default for Mode<'_> {\n    shown = 1\n}\n")
    assert Truth(history.root, begin, other).of(cite) == "gone"
    same = history.commit(store="impl Display for Mode {\n    shown = 1\n}\n")
    assert Truth(history.root, begin, same).of(cite) == "drifted"


def test_a_method_whose_type_changes_keeps_its_head(history: History) -> None:
    begin = history.commit(store="    public Reply load(\n        Key key) {\n        return one(key);\n    }\n")
    late = history.commit(store="    @Override public Answer<Row> load(Request asked) {\n        return null;\n    }\n")
    cite = Cite(path="store.py", start=1, end=4, symbol="load", commit=begin)
    assert Truth(history.root, begin, late).of(cite) == "drifted"
    late = history.commit(store="    return load(asked, () -> {\n        other();\n    });\n")
    assert Truth(history.root, begin, late).of(cite) == "gone"


@pytest.mark.parametrize(
    ("now", "state"),
    [
        ("class Cache:\n    def load(self):\n        return 1\n", "gone"),
        ("class Cache:\n    def load(self, key):\n        found = self.items[key]\n        return 1\n", "drifted"),
        ("class Store:\n    def load(self):\n        return 1\n", "drifted"),
    ],
)
def test_a_method_belongs_to_its_class(history: History, now: str, state: str) -> None:
    method = "    def load(self, key):\n        found = self.items[key]\n        return found or missing(key)\n"
    begin = history.commit(store=OTHER + "class Store:\n" + method)
    late = history.commit(store=OTHER + now)
    cite = Cite(path="store.py", start=14, end=16, symbol="Store.load", commit=begin)
    assert Truth(history.root, begin, late).of(cite) == state


@pytest.mark.parametrize(
    ("path", "head", "state"),
    [
        ("shop/new.go", "func (s *Store) load() {", "drifted"),
        ("shop/new.go", "func (c *Cache) load() {", "gone"),
        ("other/new.go", "func (s *Store) load() {", "gone"),
    ],
)
def test_a_function_of_go_belongs_to_its_folder_and_receiver(
    history: History, path: str, head: str, state: str
) -> None:
    for folder in ("shop", "other"):
        (history.root / folder).mkdir()
    (history.root / "shop/old.go").write_text("func (s *Store) load(key string) int {\n\treturn s.items[key]\n}\n")
    begin = history.commit(store=OTHER)
    (history.root / "shop/old.go").unlink()
    (history.root / path).write_text(f"{head}\n\tpanic(1)\n}}\n")
    late = history.commit(store=OTHER)
    cite = Cite(path="shop/old.go", start=1, end=3, symbol="load", commit=begin)
    assert Truth(history.root, begin, late).of(cite) == state


def test_a_module_of_elixir_is_known_by_its_whole_name(history: History) -> None:
    (history.root / "store.ex").write_text("defmodule Shop.Store do\n  use Items\n  plug :one\nend\n")
    begin = history.commit(store=OTHER)
    (history.root / "store.ex").write_text("defmodule Shop.Store do\n  alias Parts\n\n  defp load(key), do: key\nend\n")
    late = history.commit(store=OTHER)
    cite = Cite(path="store.ex", start=1, end=4, symbol="Shop.Store", commit=begin)
    assert Truth(history.root, begin, late).of(cite) == "drifted"
    cite = Cite(path="store.ex", start=1, end=4, symbol="Shop.Cache", commit=begin)
    assert Truth(history.root, begin, late).of(cite) == "gone"


@pytest.mark.parametrize(("name", "state"), [("manual.rst", "gone"), ("manual.py", "moved")])
def test_code_that_a_manual_quotes_is_gone(history: History, name: str, state: str) -> None:
    body = "".join(f"    step_{number} = prepare_the_step(step_{number - 1}, {number})\n" for number in range(1, 8))
    begin = history.commit(store=f"{OTHER}def load(step_0):\n{body}")
    (history.root / name).write_text(f"Manual\n\ndef load(step_0):\n{body}")
    late = history.commit(store=OTHER)
    cite = Cite(path="store.py", start=13, end=20, symbol="load", commit=begin)
    assert Truth(history.root, begin, late).of(cite) == state


def test_text_that_blame_loses_is_together_in_a_new_file(history: History) -> None:
    body = "".join(f"    step({number})\n    take(part_{number})\n" for number in range(6))
    begin = history.commit(store=f"{OTHER}def load():\n{body}")
    history.commit(store=OTHER)
    late = history.commit(shop=f"def fetch(key):\n{body.replace('step(5)', 'stop(5)')}")
    cite = Cite(path="store.py", start=13, end=25, symbol="load", commit=begin)
    assert Truth(history.root, begin, late).of(cite) == "drifted"


def test_a_decision_differs_from_git_and_has_a_reason() -> None:
    rows = [line.split("\t") for line in DECISIONS.read_text("utf-8").splitlines()]
    assert rows[0] == ["repository", "early", "late", "citation", "git", "decided", "reason"]
    for *_, git_state, state, reason in rows[1:]:
        assert git_state != state in {"fresh", "moved", "drifted", "gone"}
        assert reason
    assert len(decisions()) == len(rows) - 1
