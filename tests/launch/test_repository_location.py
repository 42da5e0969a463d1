"""Finding the repository of a folder."""

from __future__ import annotations

import os

import pytest
from repositories import git

from muninn_core.errors import NotARepository
from muninn_core.launch.repository_location import locate


def placed(path):
    location = locate(str(path))
    return location.root, location.identity, location.git_dir


def test_any_folder_of_a_work_tree_leads_to_its_top(plain_repo):
    top = str(plain_repo)
    for folder in (plain_repo, plain_repo / "src", plain_repo / ".git"):
        assert placed(folder) == (top, top + "/.git", top + "/.git")
    assert not locate(top).linked


def test_linked_work_trees_share_the_identity(plain_repo, tmp_path):
    git(plain_repo, "worktree", "add", "-q", str(tmp_path / "side"))
    side = locate(str(tmp_path / "side"))
    assert side.root == str(tmp_path / "side")
    assert side.identity == locate(str(plain_repo)).identity
    assert side.git_dir == str(plain_repo / ".git" / "worktrees" / "side")
    assert side.linked


def test_a_submodule_is_a_repository_of_its_own(plain_repo, tmp_path):
    outer = tmp_path / "outer"
    outer.mkdir()
    git(outer, "init", "-q")
    git(outer, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(plain_repo), "inner")
    inner = locate(str(outer / "inner" / "src"))
    assert inner.root == str(outer / "inner")
    assert inner.identity == str(outer / ".git" / "modules" / "inner")
    assert not inner.linked


def test_a_git_file_that_points_nowhere_is_no_repository(tmp_path):
    (tmp_path / "broken").mkdir()
    for content in (b"gitdir: /nowhere/at/all\n", b"nonsense", b"\xff\xff"):
        (tmp_path / "broken" / ".git").write_bytes(content)
        assert locate(str(tmp_path / "broken")).git_dir == ""


def test_a_bare_repository_is_refused_and_its_work_trees_are_not(plain_repo, tmp_path):
    git(tmp_path, "clone", "-q", "--bare", str(plain_repo), "bare.git")
    for folder in ("bare.git", "bare.git/refs", "bare.git/hooks"):
        with pytest.raises(NotARepository, match=r"bare\.git is a bare repository"):
            locate(str(tmp_path / folder))
    project = tmp_path / "project"
    project.mkdir()
    (project / ".git").write_text("gitdir: ../bare.git\n")
    with pytest.raises(NotARepository, match="project is a bare repository"):
        locate(str(project))
    git(tmp_path / "bare.git", "worktree", "add", "-q", str(project / "main"))
    assert locate(str(project / "main")).root == str(project / "main")
    assert locate(str(project / "main")).project == "bare"
    (tmp_path / "bare.git").rename(project / ".bare")
    git(project / ".bare", "worktree", "repair", str(project / "main"))
    assert locate(str(project / "main")).project == "project"


def test_a_repository_whose_git_folder_lies_elsewhere_is_one(tmp_path):
    git(tmp_path, "init", "-q", "--separate-git-dir", str(tmp_path / "apart"), str(tmp_path / "here"))
    assert placed(tmp_path / "here") == (str(tmp_path / "here"), str(tmp_path / "apart"), str(tmp_path / "apart"))


def test_no_folder_is_not_the_current_one():
    with pytest.raises(NotARepository, match="the folder's name is empty"):
        locate("")


def test_a_name_with_nul_is_no_folder():
    with pytest.raises(NotARepository, match="has a NUL"):
        locate("src/nul\x00.py")


def test_a_link_to_a_repository_is_the_repository(plain_repo, tmp_path):
    (tmp_path / "alias").symlink_to(plain_repo)
    assert placed(tmp_path / "alias" / "src") == placed(plain_repo)


def test_a_folder_without_git_is_its_own_root(tmp_path):
    assert placed(tmp_path) == (str(tmp_path), str(tmp_path), "")


def test_without_git_the_nearest_folder_with_memory_above_is_the_root(tmp_path):
    (tmp_path / ".muninn").mkdir()
    (tmp_path / "a" / "b" / ".muninn").mkdir(parents=True)
    (tmp_path / "a" / "b" / "c").mkdir()
    assert locate(str(tmp_path / "a" / "b" / "c")).root == str(tmp_path / "a" / "b")
    assert locate(str(tmp_path / "a")).root == str(tmp_path)


def test_within_git_a_folder_with_memory_further_down_is_not_the_root(plain_repo):
    (plain_repo / "src" / ".muninn").mkdir()
    assert locate(str(plain_repo / "src")).root == str(plain_repo)


def test_a_folder_that_is_missing_or_none_is_an_error(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(NotARepository, match="does not exist"):
        locate(str(tmp_path / "missing"))
    with pytest.raises(NotARepository, match="is not a folder"):
        locate(str(tmp_path / "file"))


@pytest.mark.skipif(os.name == "nt", reason="Windows keeps the working folder of a process")
def test_a_working_folder_that_was_removed_is_an_error(tmp_path, monkeypatch):
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    with pytest.raises(NotARepository, match="the working folder does not exist") as refused:
        locate(".")
    assert "--repo" in refused.value.hint


def test_a_folder_that_may_not_be_entered_is_an_error(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "access", lambda path, mode: False)  # a privileged user may enter every real folder
    with pytest.raises(NotARepository, match="can't be read") as error:
        locate(str(tmp_path))
    assert "permissions" in error.value.hint


def test_a_folder_that_claims_another_repository_is_refused(plain_repo, tmp_path):
    git(plain_repo, "worktree", "add", "-q", str(tmp_path / "side"))
    claims = tmp_path / "claims"
    (claims / ".git").mkdir(parents=True)
    (claims / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (claims / ".git" / "commondir").write_text(str(plain_repo / ".git"))
    pretends = tmp_path / "pretends"
    pretends.mkdir()
    (pretends / ".git").write_text((tmp_path / "side" / ".git").read_text())
    for folder in (claims, pretends):
        with pytest.raises(NotARepository, match="which does not list it"):
            locate(str(folder))


def test_a_linked_work_tree_that_was_moved_by_hand_is_one(plain_repo, tmp_path):
    git(plain_repo, "worktree", "add", "-q", str(tmp_path / "side"))
    (tmp_path / "side").rename(tmp_path / "moved")
    assert locate(str(tmp_path / "moved")).identity == locate(str(plain_repo)).identity
