"""The index follows the disk: files that are saved, deleted, moved, ignored or unusual."""

from __future__ import annotations

import errno
import os
import shutil

import pytest
from repositories import git

from muninn_core.config.schema import schema_bytes
from muninn_core.errors import MuninnError
from muninn_core.index.writer import Writer
from muninn_core.worktree.indexing.index_failure import failure_of

pytest_plugins = ["engines"]

SAILS = "def hoist_mainsail(boat):\n    return boat.mainsail.hoist()\n"


def indexed(muninn):
    """Return the paths in the index."""
    from muninn_core.launch.repository_location import locate

    workspace = muninn.engine.open(locate(str(muninn.root)))
    return set(workspace.updater.wait_open(300).snapshot().files())


def test_a_saved_file_is_found(muninn):
    muninn.call("index")
    (muninn.root / "src" / "sails.py").write_text(SAILS)
    muninn.touch("src/sails.py")
    first = muninn.call("recall", query="hoist the mainsail").hits[0]
    assert (first.kind, first.path, first.start_line, first.end_line) == ("code", "src/sails.py", 1, 2)


def test_a_deleted_file_is_gone(muninn):
    muninn.call("index")
    (muninn.root / "src" / "users.py").unlink()
    muninn.touch("src/users.py")
    assert "src/users.py" not in indexed(muninn)
    assert "src/users.py" not in muninn.paths("get user name")


def test_a_renamed_file_is_found_under_its_new_name_only(muninn):
    muninn.call("index")
    (muninn.root / "src" / "users.py").rename(muninn.root / "src" / "people.py")
    muninn.touch("src/users.py", "src/people.py")
    assert indexed(muninn) >= {"src/people.py"}
    assert "src/users.py" not in indexed(muninn)


def test_a_deleted_folder_takes_its_files_along(muninn):
    muninn.call("index")
    shutil.rmtree(muninn.root / "src")
    muninn.touch("src")
    assert not any(path.startswith("src/") for path in indexed(muninn))


def test_a_folder_that_is_moved_in_brings_its_files(muninn, tmp_path):
    (tmp_path / "boats").mkdir()
    (tmp_path / "boats" / "sails.py").write_text(SAILS)
    muninn.call("index")
    (tmp_path / "boats").rename(muninn.root / "boats")
    muninn.touch("boats")
    assert "boats/sails.py" in indexed(muninn)


def test_a_branch_switch_is_one_batch(muninn, monkeypatch):
    written = []
    write = Writer.write

    def counted(writer, batch):
        written.append(len(batch))
        return write(writer, batch)

    monkeypatch.setattr(Writer, "write", counted)
    git(muninn.root, "checkout", "-q", "-b", "wide")
    (muninn.root / "many").mkdir()
    names = [f"many/part_{number}.py" for number in range(300)]
    for number, name in enumerate(names):
        (muninn.root / name).write_text(f"def part_{number}():\n    return {number}\n")
    git(muninn.root, "add", "many")
    git(muninn.root, "commit", "-q", "-m", "Many parts")
    git(muninn.root, "checkout", "-q", "main")
    muninn.call("index")
    written.clear()
    git(muninn.root, "checkout", "-q", "wide")
    muninn.touch(*names, ".git/HEAD")
    assert indexed(muninn) >= set(names)
    assert len(written) <= 2
    assert sum(written) >= len(names)
    assert muninn.call("status").saw.branch == "wide"
    git(muninn.root, "checkout", "-q", "main")
    muninn.touch(*names, ".git/HEAD")
    assert not indexed(muninn).intersection(names)


def test_a_changed_gitignore_counts_at_once(muninn):
    (muninn.root / "out.py").write_text(SAILS)
    assert "out.py" in muninn.paths("hoist mainsail")
    (muninn.root / ".gitignore").write_text("out.py\n")
    muninn.touch(".gitignore")
    assert "out.py" not in indexed(muninn)
    (muninn.root / ".gitignore").write_text("")
    muninn.touch(".gitignore")
    assert "out.py" in indexed(muninn)


def test_an_ignored_file_that_is_saved_stays_out(muninn):
    (muninn.root / ".gitignore").write_text("build/\n")
    muninn.call("index")
    (muninn.root / "build").mkdir()
    (muninn.root / "build" / "out.py").write_text(SAILS)
    muninn.touch("build", "build/out.py")
    assert "build/out.py" not in indexed(muninn)


def test_only_knowledge_and_packs_of_the_muninn_folder_are_indexed(muninn):
    (muninn.root / ".muninn" / "knowledge" / "sails.md").write_text("# Sails\n\nThe mainsail goes up first.\n")
    (muninn.root / ".muninn" / "packs" / "sea").mkdir(parents=True)
    (muninn.root / ".muninn" / "packs" / "sea" / "knots.md").write_text("# Knots\n\nA bowline holds.\n")
    muninn.call("remember", text="The mainsail is new.")
    muninn.call("seal")
    muninn.call("index")
    inside = {path for path in indexed(muninn) if path.startswith(".muninn")}
    assert inside == {".muninn/knowledge/sails.md", ".muninn/packs/sea/knots.md"}
    muninn.touch(".muninn/.gitignore", ".muninn/config.yaml", ".muninn/.gitattributes")
    assert {path for path in indexed(muninn) if path.startswith(".muninn")} == inside
    assert muninn.call("recall", query="mainsail goes up first").hits[0].kind == "knowledge"
    readme = muninn.root / ".muninn" / "knowledge" / "README.md"
    template = readme.read_text()
    for text, counts in ((template.replace("Knowledge", "knowledge", 1), True), (template, False)):
        readme.write_text(text)  # of the same length
        muninn.touch(".muninn/knowledge/README.md")
        assert (".muninn/knowledge/README.md" in indexed(muninn)) is counts


def test_a_huge_file_is_passed_over_and_counted(muninn):
    with (muninn.root / "huge.py").open("wb") as file:
        file.truncate(100_000_000)
    assert muninn.call("index").skipped["too large"] == 1
    assert "huge.py" not in indexed(muninn)


def test_invalid_utf8_is_indexed_as_far_as_it_can_be_read(muninn):
    (muninn.root / "latin.py").write_bytes("# Gr\xfc\xdfe an die Segel\ndef hoist_mainsail(): pass\n".encode("latin-1"))
    hits = muninn.call("index") and muninn.call("recall", query="hoist mainsail").hits
    assert hits[0].path == "latin.py"


def test_a_name_like_a_drive_and_a_full_disk_are_called_what_they_are(muninn):
    with pytest.raises(MuninnError, match=r"^'a:3\.py' begins like a drive of Windows$"):
        muninn.call("read", path="a:3.py")
    full = failure_of(OSError(errno.ENOSPC, "No space left on device"), muninn.root / "cache")
    assert full.message == f"{muninn.root / 'cache'} can't be written: No space left on device"
    assert "No memory is lost." in full.hint


def test_a_name_that_is_not_utf8_is_handled(muninn):
    with open(os.fsencode(muninn.root) + b"/caf\xe9.py", "w", encoding="utf-8") as file:
        file.write(SAILS)
    (muninn.root / "sails.py").write_text(SAILS)
    assert "sails.py" in muninn.paths("hoist mainsail")
    assert muninn.call("status").index.state == "ready"


def test_a_loop_of_links_and_a_link_that_leads_outside_are_not_followed(muninn, tmp_path):
    (tmp_path / "outside.py").write_text(SAILS)
    (muninn.root / "src" / "loop").symlink_to(muninn.root / "src")
    (muninn.root / "src" / "alias.py").symlink_to(tmp_path / "outside.py")
    (muninn.root / "src" / "away").symlink_to(tmp_path)
    muninn.call("index")
    before = indexed(muninn)
    assert before >= {"src/users.py"}
    assert not any("loop" in path or "alias" in path or "away" in path for path in before)
    muninn.touch("src/loop", "src/loop/users.py", "src/alias.py", "src/away/outside.py")
    assert indexed(muninn) == before
    assert muninn.call("status").index.state == "ready"


def test_a_file_deleted_before_it_is_read_is_skipped(muninn):
    muninn.call("index")
    muninn.touch("src/never.py", "nowhere/at/all.py")
    assert muninn.call("status").index.state == "ready"


def test_files_of_a_repository_inside_this_one_stay_out_however_they_are_noticed(muninn):
    inner = muninn.root / "vendor" / "inner"
    inner.mkdir(parents=True)
    git(inner, "init", "-q")
    (inner / "sails.py").write_text(SAILS)
    muninn.call("index")
    assert "vendor/inner/sails.py" not in indexed(muninn)
    muninn.touch("vendor/inner/sails.py")
    git(inner, "add", ".")
    git(inner, "commit", "-q", "-m", "Inner")
    git(muninn.root, "add", "vendor")  # now it is one that git knows of
    muninn.touch("vendor/inner/sails.py", "src/users.py")
    status = muninn.call("status")
    assert (status.index.state, status.problems) == ("ready", ())
    assert "vendor/inner/sails.py" not in indexed(muninn)


def test_a_broken_pattern_in_the_configuration_does_not_stop_the_index(muninn):
    (muninn.root / ".muninn" / "config.yaml").write_text('index:\n  exclude: ["!"]\n')
    muninn.touch(".muninn/config.yaml")
    status = muninn.call("status")
    assert (status.index.state, status.index.lag) == ("ready", 0)
    assert any("index.exclude" in problem.message for problem in status.problems)


def test_the_schema_of_the_configuration_lies_where_the_first_line_of_the_file_names_it(muninn):
    muninn.call("index")
    folder = muninn.root / ".muninn"
    head = (folder / "config.yaml").read_text().splitlines()[0]
    schema = folder / head.partition("$schema=")[2]
    assert schema.read_bytes() == schema_bytes()
    schema.write_text("{}")  # as another version had it
    muninn.call("index", rebuild=True)
    assert schema.read_bytes() == schema_bytes()


def test_a_cache_that_is_deleted_under_us_is_made_anew(muninn):
    muninn.call("index")
    muninn.call("remember", text="The mainsail is new.")
    shutil.rmtree(muninn.root / ".muninn" / "cache")
    (muninn.root / "sails.py").write_text(SAILS)
    muninn.call("index")
    assert muninn.paths("hoist mainsail")[0] == "sails.py"
    assert muninn.texts("is the mainsail new", kind="memory") == ["The mainsail is new."]
    assert muninn.call("status").problems == ()


def test_a_memory_that_is_deleted_under_us_and_begun_again_is_indexed(muninn):
    muninn.call("index")
    shutil.rmtree(muninn.root / ".muninn")
    (muninn.root / "sails.py").write_text(SAILS)
    with pytest.raises(MuninnError, match=r"gone|deleted"):
        muninn.call("index")
    assert not (muninn.root / ".muninn").exists(), "the index does not bring back what somebody deleted"
    muninn.call("init")
    assert muninn.paths("hoist mainsail")[0] == "sails.py"
    assert muninn.call("status").problems == ()


@pytest.mark.parametrize("how", ["touched", "compared", "rebuilt"])
def test_answers_do_not_depend_on_the_history_of_the_index(muninn, start, how):
    muninn.call("index")
    muninn.call("remember", text="The mainsail is new.")
    (muninn.root / "sails.py").write_text(SAILS)
    (muninn.root / "README.md").unlink()
    if how == "touched":
        muninn.touch("sails.py", "README.md")
    else:
        muninn.call("index", rebuild=how == "rebuilt")
    queries = ("hoist mainsail", "user name", "sessions expire")
    hits = [hit for query in queries for hit in muninn.call("recall", query=query).hits]
    muninn.engine.close()
    shutil.rmtree(muninn.root / ".muninn" / "cache")
    fresh = start(muninn.root, clock=muninn.clock)
    fresh.call("index")
    again = [hit for query in queries for hit in fresh.call("recall", query=query).hits]
    assert [hit.id for hit in hits] == [hit.id for hit in again]
    # The words of what was deleted count in BM25's statistics until the word index is written anew.
    slack = 0.0 if how == "rebuilt" else 0.2
    assert [hit.score for hit in hits] == pytest.approx([hit.score for hit in again], abs=slack)
