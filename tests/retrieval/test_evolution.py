"""What history says of files: how lively they are, and which go together."""

from muninn_core.retrieval.signals.evolution import MAX_FILES, CommitFiles, Evolution

DAY = 86_400.0


def made(*commits: tuple[float, str]) -> Evolution:
    """Return the evolution of commits, given as days ago and paths with blanks between."""
    return Evolution(CommitFiles(1_000 * DAY - ago * DAY, tuple(files.split())) for ago, files in commits)


def test_files_that_changed_together_go_together_by_the_share_of_commits():
    evolution = made((1, "a.py b.py"), (2, "a.py b.py"), (3, "a.py c.py"), (4, "d.py"))
    together = evolution.together(["a.py"])
    assert together["b.py"].value == 2 / 5
    assert together["c.py"].value == 1 / 5
    assert together["b.py"].file == "a.py"
    assert "d.py" not in together
    assert "a.py" not in together


def test_the_strongest_of_several_open_files_counts():
    evolution = made((1, "a.py x.py"), (2, "b.py x.py"), (3, "b.py x.py"))
    found = evolution.together(["a.py", "b.py"])["x.py"]
    assert found.file == "b.py"
    assert found.value == evolution.together(["b.py"])["x.py"].value


def test_two_changes_of_two_say_less_than_twenty_of_twenty():
    young = made((1, "a.py b.py"), (2, "a.py b.py"))
    old = made(*((day, "a.py b.py") for day in range(20)))
    assert young.together(["a.py"])["b.py"].value < old.together(["a.py"])["b.py"].value


def test_a_sweep_over_many_files_joins_nothing():
    sweep = " ".join(f"f{number}.py" for number in range(MAX_FILES + 1))
    evolution = made((1, sweep))
    assert evolution.together(["f0.py"]) == {}
    assert evolution.churn == {}


def test_frequent_recent_changes_give_high_activity():
    evolution = made((0, "new.py"), (1, "new.py"), (800, "old.py"), (801, "old.py"))
    assert 0 < evolution.churn["old.py"] < evolution.churn["new.py"] < 1


def test_age_counts_from_the_newest_commit_whatever_day_it_is():
    assert made((0, "a.py"), (30, "b.py")).churn == made((500, "a.py"), (530, "b.py")).churn


def test_without_history_no_files_change_together():
    assert Evolution().together(["a.py"]) == {}
    assert Evolution().churn == {}
