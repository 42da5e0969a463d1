"""Packs below .muninn/packs: each verb is one step, wherever it is interrupted, and edits are seen."""

from __future__ import annotations

import os
import shutil

import pytest
from untrusted_packs import FILES, folder, manifest

from muninn_core.errors import NotFoundError, StorageError, UsageError
from muninn_core.store.files import disk
from muninn_core.store.files.layout import initialise, layout_of
from muninn_core.store.pack import installed
from muninn_core.store.pack.installed import find_pack, install, installed_packs, recover, replace_pack, uninstall
from muninn_core.store.pack.source import read_pack

NEWER = {"glossary.md": b"# Glossary\n\nA berth has a number.\n", "new.md": b"# New\n"}


class Killed(BaseException):
    """The process ends here."""


@pytest.fixture
def layout(tmp_path):
    made = layout_of(tmp_path / "repo")
    initialise(made, "# defaults\n")
    return made


@pytest.fixture
def pack(tmp_path):
    return read_pack(tmp_path, folder(tmp_path / "old").name)


@pytest.fixture
def newer(tmp_path):
    return read_pack(tmp_path, folder(tmp_path / "new", NEWER, manifest(NEWER, version="1.1.0")).name)


def contents(layout):
    place = layout.packs / "house-style"
    return {
        path.relative_to(place).as_posix(): path.read_bytes() for path in sorted(place.rglob("*.md")) if path.is_file()
    }


def test_a_pack_is_put_on_the_shelf_as_it_came(layout, pack):
    install(layout, pack)
    assert contents(layout) == FILES
    (found,) = installed_packs(layout)
    assert (found.name, found.manifest, found.edited, found.problem) == ("house-style", pack.manifest, (), "")
    assert [path.name for path in layout.packs.iterdir()] == ["house-style"]


def test_a_name_that_is_taken_is_refused_and_says_what_to_do(layout, pack):
    install(layout, pack)
    with pytest.raises(UsageError, match="already") as error:
        install(layout, pack)
    assert "update" in error.value.hint


def test_changed_deleted_and_added_files_are_edits_and_other_line_ends_are_not(layout, pack):
    install(layout, pack)
    place = layout.packs / "house-style"
    (place / "glossary.md").write_bytes(FILES["glossary.md"].replace(b"\n", b"\r\n"))
    assert find_pack(layout, "house-style").edited == ()
    (place / "glossary.md").write_text("Mine.\n")
    (place / "style" / "errors.md").unlink()
    (place / "style" / "extra.md").write_text("Mine, too.\n")
    assert find_pack(layout, "house-style").edited == ("glossary.md", "style/errors.md", "style/extra.md")


def test_a_link_in_the_place_of_a_file_is_an_edit(layout, pack, tmp_path):
    install(layout, pack)
    file = layout.packs / "house-style" / "glossary.md"
    shutil.move(file, tmp_path / "away.md")
    file.symlink_to(tmp_path / "away.md")
    assert find_pack(layout, "house-style").edited == ("glossary.md",)


@pytest.mark.parametrize("broken", ["", "{", "gone"])
def test_a_pack_without_a_readable_manifest_is_reported(layout, pack, broken):
    install(layout, pack)
    file = layout.packs / "house-style" / "pack.json"
    file.unlink() if broken == "gone" else file.write_text(broken)
    (found,) = installed_packs(layout)
    assert found.manifest is None
    assert "pack.json" in found.problem
    assert set(FILES) <= set(found.edited)


def test_a_pack_in_the_folder_of_another_name_is_a_problem(layout, pack):
    install(layout, pack)
    os.rename(layout.packs / "house-style", layout.packs / "renamed")
    assert "house-style" in find_pack(layout, "renamed").problem


def test_a_link_in_the_place_of_a_pack_is_not_followed_and_can_be_taken_away(layout, pack, tmp_path):
    folder(tmp_path / "precious")
    layout.packs.mkdir()
    (layout.packs / "house-style").symlink_to(tmp_path / "precious")
    (found,) = installed_packs(layout)
    assert (found.manifest, found.edited, "is a link" in found.problem) == (None, (), True)
    uninstall(layout, "house-style")
    assert installed_packs(layout) == ()
    assert (tmp_path / "precious" / "glossary.md").read_bytes() == FILES["glossary.md"]


def test_a_pack_that_is_not_here_names_those_that_are(layout, pack):
    install(layout, pack)
    with pytest.raises(NotFoundError) as error:
        find_pack(layout, "other")
    assert "house-style" in error.value.hint


def test_packs_are_not_written_through_a_link(layout, pack, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    layout.packs.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UsageError, match="is a link"):
        install(layout, pack)
    assert list((tmp_path / "elsewhere").iterdir()) == []


STEPS = {
    "put": (lambda layout, pack, newer: install(layout, newer), None, NEWER),
    "exchange": (lambda layout, pack, newer: replace_pack(layout, newer), FILES, NEWER),
    "take_away": (lambda layout, pack, newer: uninstall(layout, "house-style"), FILES, {}),
}


@pytest.mark.parametrize("verb", STEPS)
@pytest.mark.parametrize("ending", [Killed, OSError])
def test_interrupted_anywhere_a_verb_has_happened_or_not(layout, pack, newer, monkeypatch, verb, ending):
    run, before, after = STEPS[verb]
    seen = []
    for step in range(1, 60):
        shutil.rmtree(layout.packs, ignore_errors=True)
        if before is not None:
            install(layout, pack)
        left = [step]

        def dying(real, left=left):
            def operation(*arguments, **options):
                left[0] -= 1
                if left[0] == 0:
                    raise ending(28, "No space left on device")
                return real(*arguments, **options)

            return operation

        with monkeypatch.context() as patch:
            patch.setattr(os, "fsync", dying(os.fsync))
            patch.setattr(disk, "flush_folder", dying(disk.flush_folder))
            patch.setattr(os, "unlink", dying(os.unlink))
            patch.setattr(os, "rmdir", dying(os.rmdir))
            patch.setattr(installed, "move", dying(installed.move))
            try:
                run(layout, pack, newer)
                interrupted = False
            except (Killed, StorageError, OSError):
                interrupted = True
        recover(layout)
        found = contents(layout)
        assert found in ((before or {}), after), step
        assert {path.name for path in layout.packs.iterdir()} == ({"house-style"} if found else set())
        assert not found or find_pack(layout, "house-style").edited == ()
        seen.append(found)
        if not interrupted:
            break
    else:
        pytest.fail("the verb never came to its end")
    assert seen[0] == (before or {})
    assert seen[-1] == after
    assert len(seen) > 5
