from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from muninn_shell import Shell


def test_a_bundle_goes_to_stdout_or_to_a_file_and_is_the_same(shell: Shell, tmp_path: Path) -> None:
    shell.json("remember", "Buoys are painted in May.", "--tag", "buoys")
    shell.json("remember", "My locker has the number 7.", "--private")
    file = tmp_path / "memories.json"
    done = shell.run("export", "--tag", "buoys", "--out", str(file))
    assert done.returncode == 0
    assert "Exported 1 memory" in done.stdout
    assert shell.run("export", "--tag", "buoys").stdout == file.read_text()
    assert [record["text"] for record in json.loads(file.read_text())["records"]] == ["Buoys are painted in May."]
    assert "1 private memory left out." in shell.run("export").stderr


def test_an_export_keeps_the_mode_of_a_file_and_writes_through_links_and_into_pipes(
    shell: Shell, tmp_path: Path
) -> None:
    shell.json("remember", "Buoys are painted in May.")
    bundle = shell.run("export").stdout
    kept, link, pipe = tmp_path / "kept.json", tmp_path / "link.json", tmp_path / "pipe"
    kept.write_text("old")
    kept.chmod(0o600)
    link.symlink_to("kept.json")
    os.mkfifo(pipe)
    assert shell.run("export", "--out", str(link)).returncode == 0
    assert (link.is_symlink(), kept.read_text(), kept.stat().st_mode & 0o777) == (True, bundle, 0o600)
    with subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE, text=True) as reader:
        assert shell.run("export", "--out", str(pipe)).returncode == 0
        if not pipe.is_fifo():
            reader.kill()
        assert reader.communicate()[0] == bundle
    status, error = shell.failure("export", "--out", str(kept / "inner.json"))
    assert (status, error["message"]) == (5, f"{kept}/inner.json can't be written: Not a directory")
    assert sorted(path.name for path in tmp_path.glob("*.tmp")) == []


def test_a_bundle_is_named_from_the_current_folder(shell: Shell, tmp_path: Path) -> None:
    record = {"id": "b1", "type": "insight", "ts": "2026-01-01T00:00:00Z", "text": "Elsewhere buoys are blue."}
    (tmp_path / "theirs.json").write_text(json.dumps({"version": 1, "records": [record]}))
    done = shell.run("import", "theirs.json", "--repo", str(shell.repo), cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "Imported 1 record\n")
    assert "1 already here" in shell.run("import", "theirs.json", "--repo", str(shell.repo), cwd=tmp_path).stdout
    assert shell.json("memories", "--id", "b1")["memories"][0]["trust"] == "outside"
    assert "  imported  actor import, trust outside\n" in shell.run("show", "b1").stdout


def test_the_memory_of_another_tool_is_named_and_counted(shell: Shell, tmp_path: Path) -> None:
    entity = {"type": "entity", "name": "Lamp", "entityType": "thing", "observations": ["It is lit", "It is red"]}
    (tmp_path / "memory.jsonl").write_text(json.dumps(entity) + "\n")
    done = shell.run("import", "memory.jsonl", "--repo", str(shell.repo), cwd=tmp_path)
    said = "This is the memory of the MCP memory server: 1 entity, 2 observations.\n"
    assert done.stdout == f"{said}Imported 2 records\n"
    again = shell.run("import", "memory.jsonl", "--repo", str(shell.repo), cwd=tmp_path)
    assert again.stdout == f"{said}Imported 0 records\n  2 already here\n"
    (tmp_path / "memory.jsonl").write_text(json.dumps(entity) + "\n{\n")
    status, error = shell.failure("import", str(tmp_path / "memory.jsonl"))
    assert (status, error["message"].partition(": ")[0]) == (2, "memory.jsonl:2")


def test_redact_and_purge_say_what_to_do_next(shell: Shell) -> None:
    identity = shell.json("remember", "The beacon's door code is on the wall.")["ids"][0]
    assert "not redacted yet" in shell.run("purge", identity).stdout
    done = shell.run("redact", identity, "--yes")
    assert done.returncode == 0
    assert f"muninn purge {identity}" in done.stdout
    assert "No commit contains it." in shell.run("purge", identity).stdout
    assert "redacted" in shell.run("memories", "--id", identity).stdout
    private = shell.run("remember", "My own beacon.", "--private").stdout
    assert "private" in private
    assert "not sealed yet" not in private


def test_a_bundle_of_capsules_is_piped_into_another_project(shell: Shell) -> None:
    capsule = shell.json("capsule", "open", "task", "moor the ship", "--project-id", "port")["capsule"]["id"]
    shell.json("capsule", "observe", capsule, "The berth is taken.", "--project-id", "port")
    bundle = shell.run("capsule", "export", "--project-id", "port").stdout
    longer_than_a_request = bundle + " " * 17_000_000
    done = shell.json("capsule", "import", "-", "--project-id", "quay", stdin=longer_than_a_request)
    assert (done["imported"], done["known"]) == (2, 0)
    assert shell.run("capsule", "export", "--project-id", "quay").stdout == bundle
    again = shell.json("capsule", "import", "-", "--project-id", "quay", "--on-conflict", "error", stdin=bundle)
    assert (again["imported"], again["known"]) == (0, 2)
    for given, said in (
        ("not JSON", "standard input is not JSON: Expecting value: line 1 column 1 (char 0)"),
        ("[]", "standard input is not a bundle"),
        ("", "there is no bundle on standard input"),
    ):
        status, error = shell.failure("capsule", "import", "-", stdin=given)
        assert (status, error["message"]) == (2, said)


def test_a_folder_for_obsidian_is_replaced_and_other_files_stay(shell: Shell, tmp_path: Path) -> None:
    folder = tmp_path / "vault"
    shell.json("remember", "Lanterns hang on the pier.")
    assert shell.run("export", "--obsidian", str(folder)).returncode == 0
    (note,) = (path for path in folder.rglob("*.md") if path.name.startswith("Lanterns hang"))
    (folder / "mine.md").write_text("mine")
    shell.json("forget", shell.json("memories", "--text", "Lanterns hang")["memories"][0]["id"])
    shell.json("remember", "Nets dry on the pier.")
    assert shell.run("export", "--obsidian", str(folder)).returncode == 0
    assert not note.exists()
    assert (folder / "mine.md").read_text() == "mine"
    (folder / ".muninn-export.json").unlink()
    failed = shell.run("export", "--obsidian", str(folder))
    assert "no file of an export" in failed.stderr
    assert failed.returncode != 0


def test_an_export_for_obsidian_that_was_interrupted_can_be_repeated(shell: Shell, tmp_path: Path) -> None:
    folder = tmp_path / "vault"
    shell.json("remember", "Lanterns hang on the pier.")
    (folder / "Memory.canvas" / "inner").mkdir(parents=True)  # ends the export when it writes this file
    listed = folder / ".muninn-export.json"
    listed.write_text('["Memory.canvas"]')
    assert "can't be written" in shell.run("export", "--obsidian", str(folder)).stderr
    assert [path for path in folder.rglob("*.md") if path.name.startswith("Lanterns hang")]
    shutil.rmtree(folder / "Memory.canvas")
    again = shell.run("export", "--obsidian", str(folder))
    assert again.returncode == 0, again.stderr
    assert "Memory.canvas" in json.loads(listed.read_text())


def test_notes_for_obsidian_in_the_repository_are_no_second_hits(shell: Shell) -> None:
    identity = shell.json("remember", "Fog horns sound twice a minute.")["ids"][0]
    assert shell.run("export", "--obsidian", "vault").returncode == 0
    shell.json("index", "--wait")
    found = shell.json("recall", "how often do fog horns sound")
    assert [hit["id"] for hit in found["remembered"]] == [identity]
    assert not [hit["path"] for hit in found["hits"] if hit["path"].startswith("vault/")]
    shutil.rmtree(shell.repo / "vault")


@pytest.mark.parametrize("option", ["--html", "--out"])
def test_a_page_or_a_bundle_in_the_repository_is_no_second_hit(shell: Shell, option: str) -> None:
    shell.json("remember", "The breakwater was rebuilt in stone.")
    file = shell.repo / ("breakwater.html" if option == "--html" else "breakwater.json")
    file.write_text("the breakwater of the harbour")
    shell.json("index", "--wait")
    assert file.name in [hit["path"] for hit in shell.json("recall", "breakwater")["hits"]]
    assert shell.run("export", option, str(file)).returncode == 0
    shell.json("index", "--wait")
    found = shell.json("recall", "breakwater rebuilt in stone")
    assert "The breakwater was rebuilt in stone." in [hit["text"] for hit in found["remembered"]]
    assert file.name not in [hit["path"] for hit in found["hits"]]
    file.unlink()
