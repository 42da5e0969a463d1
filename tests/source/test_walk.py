import json
import os
import subprocess

import pytest
from repositories import git

from muninn_core.config import IndexConfig
from muninn_core.errors import NotARepository
from muninn_core.source.files.text import Text, read_text
from muninn_core.source.listing.walk import recheck, walk

SETTINGS = IndexConfig()


def write(root, files):
    for path, content in files.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content if isinstance(content, bytes) else content.encode())


def paths(root, settings=SETTINGS):
    return [f.path for f in walk(root, settings).files]


@pytest.fixture(params=["git", "no git"])
def tree(request, tmp_path):
    root = tmp_path / "tree"
    root.mkdir()
    if request.param == "git":
        subprocess.run(["git", "init", "-q", str(root)], check=True)
    return root


def test_files_come_sorted_with_their_stamps(tree):
    write(tree, {"b.py": "b = 1\n", "a/z.py": "z = 1\n"})
    found = walk(tree, SETTINGS)
    assert [f.path for f in found.files] == ["a/z.py", "b.py"]
    status = (tree / "b.py").stat()
    assert (found.files[1].size, found.files[1].mtime_ns) == (status.st_size, status.st_mtime_ns)


def test_gitignore_is_honoured_in_every_folder(tree):
    write(
        tree,
        {
            ".gitignore": "*.tmp.py\n/build/\n!keep.tmp.py\n",
            "x.tmp.py": "1",
            "keep.tmp.py": "1",
            "build/out.py": "1",
            "sub/build/in.py": "1",
            "sub/.gitignore": "local.py\n",
            "sub/local.py": "1",
            "local.py": "1",
        },
    )
    assert [p for p in paths(tree) if p.endswith(".py")] == ["keep.tmp.py", "local.py", "sub/build/in.py"]


def test_muninnignore_is_honoured_with_and_without_git(tree):
    write(tree, {".muninnignore": "secret/\n*.gen.go\n", "secret/a.py": "1", "x.gen.go": "1", "x.go": "1"})
    assert paths(tree) == [".muninnignore", "x.go"]


def test_the_files_of_an_export_are_left_out_and_others_in_their_folder_stay(tree):
    listed = ["insight/Why [not] #1!.md", "Memory.canvas"]
    notes = dict.fromkeys((f"vault/{each}" for each in listed), "text")
    write(tree, {**notes, "vault/.muninn-export.json": json.dumps(listed), "vault/insight/Why n.md": "1", "a.md": "1"})
    assert paths(tree) == ["a.md", "vault/insight/Why n.md"]
    (tree / "vault" / ".muninn-export.json").write_text("[damaged")
    assert "vault/Memory.canvas" in paths(tree)


def test_muninnignore_can_bring_back_what_a_default_leaves_out(tree):
    write(tree, {"yarn.lock": "a", "sub/yarn.lock": "a", "sub/.muninnignore": "!yarn.lock\n"})
    assert paths(tree) == ["sub/.muninnignore", "sub/yarn.lock"]


def test_an_unreadable_pattern_in_an_ignore_file_is_passed_over(tree):
    write(tree, {".muninnignore": "!\nout.py\n", "out.py": "1", "in.py": "1"})
    assert "out.py" not in paths(tree)
    assert "in.py" in paths(tree)


def test_lock_files_bundles_and_catalogues_are_left_out_and_counted(tree):
    write(
        tree,
        {"package-lock.json": "{}", "app.min.js": "x", "locale/de.po": "x", "node_modules/a.js": "x", "app.js": "x"},
    )
    found = walk(tree, SETTINGS)
    assert [f.path for f in found.files] == ["app.js"]
    # Without git, a folder that is left out is not even entered.
    assert found.skipped["excluded"] >= 3


def test_files_that_an_installation_writes_for_agents_are_not_code(tree):
    ours = (".claude/settings.local.json", ".mcp.json.muninn-backup", ".opencode/plugins/muninn.ts")
    write(tree, {**dict.fromkeys(ours, "{}"), ".claude/skills/a/SKILL.md": "# A", "app.js": "x"})
    assert paths(tree) == [".claude/skills/a/SKILL.md", "app.js"]


def test_the_configuration_can_bring_back_and_leave_out(tree):
    write(tree, {"package-lock.json": "{}", "data/a.py": "1", "a.py": "1"})
    settings = IndexConfig(exclude=("!package-lock.json", "/data/"))
    assert paths(tree, settings) == ["a.py", "package-lock.json"]


def test_knowledge_is_included_even_where_git_ignores_it(tree):
    write(
        tree,
        {
            ".gitignore": ".muninn/\n",
            ".muninn/knowledge/api.md": "# API",
            ".muninn/packs/p/x.md": "# P",
            ".muninn/cache/state.md": "x",
            ".muninn/local/spool/s.md": "x",
            ".muninn/memory/main.jsonl": "{}",
        },
    )
    assert paths(tree) == [".gitignore", ".muninn/knowledge/api.md", ".muninn/packs/p/x.md"]


def test_git_and_the_cache_are_never_indexed(tree):
    write(tree, {".muninn/cache/a.py": "1", ".muninn/memory/m.py": "1", "a.py": "1", ".git/hook.py": "1"})
    assert paths(tree) == ["a.py"]


def test_a_file_above_the_limit_is_counted_and_never_read(tree):
    with (tree / "huge.py").open("wb") as file:
        file.truncate(100 * 1024 * 1024)
    found = walk(tree, SETTINGS)
    assert (found.files, found.skipped) == ([], {"too large": 1})
    assert read_text(tree, "huge.py", SETTINGS.max_file_bytes) == "too large"


def test_binary_files_are_known_by_name_or_by_a_nul(tree):
    write(tree, {"a.png": "not really", "b": b"x = 1\0", "c": b"#" * 9000 + b"\0", "d.py": b"x = 1\0"})
    found = walk(tree, SETTINGS)
    # In c the NUL comes after the first 8 KiB, where git too would not look; whether d.py is code its reader will tell.
    assert [f.path for f in found.files] == ["c", "d.py"]
    assert found.skipped == {"binary": 2}
    assert read_text(tree, "d.py", SETTINGS.max_file_bytes) == "binary"


def test_links_are_not_followed(tree, tmp_path):
    write(tmp_path, {"outside/secret.py": "s = 1"})
    write(tree, {"real/a.py": "1"})
    (tree / "file.py").symlink_to(tmp_path / "outside" / "secret.py")
    (tree / "folder").symlink_to(tmp_path / "outside")
    (tree / "loop").symlink_to(tree)
    (tree / "real" / "self").symlink_to(tree / "real")
    found = walk(tree, SETTINGS)
    assert [f.path for f in found.files] == ["real/a.py"]
    assert found.skipped["link"] >= 3


def test_a_tracked_folder_that_became_a_link_is_not_entered(tmp_path):
    root = tmp_path / "tree"
    write(root, {"a/x.py": "1"})
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    subprocess.run(["git", "-C", str(root), "add", "."], check=True)
    (root / "a").rename(tmp_path / "elsewhere")
    (root / "a").symlink_to(tmp_path / "elsewhere")
    found = walk(root, SETTINGS)
    assert found.files == []
    assert found.skipped["link"] >= 1


def test_a_tracked_file_that_vanished_is_counted(tmp_path):
    write(tmp_path, {"a.py": "1", "b.py": "1"})
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    subprocess.run(["git", "-C", str(tmp_path), "add", "."], check=True)
    (tmp_path / "a.py").unlink()
    found = walk(tmp_path, SETTINGS)
    assert ([f.path for f in found.files], found.skipped) == (["b.py"], {"vanished": 1})
    assert read_text(tmp_path, "a.py", 1000) == "vanished"


def test_a_pipe_is_no_file_and_is_never_waited_for(tree):
    os.mkfifo(tree / "pipe.py")
    assert paths(tree) == []
    assert read_text(tree, "pipe.py", 1000) == "not a file"


def test_paths_outside_the_root_are_refused(tree, tmp_path):
    write(tmp_path, {"outside.py": "1"})
    found = recheck(tree, ["../outside.py", str(tmp_path / "outside.py"), "a/../../outside.py", ""], SETTINGS)
    assert (found.files, found.skipped) == ([], {"outside the root": 4})


def test_changed_paths_are_judged_as_a_walk_would(tree):
    write(tree, {".gitignore": "out/\n", "out/a.py": "1", "in.py": "1", "yarn.lock": "1"})
    found = recheck(tree, ["out/a.py", "in.py", "yarn.lock", "gone.py"], SETTINGS)
    assert [f.path for f in found.files] == ["in.py"]
    assert found.skipped == {"excluded": 1, "ignored": 1, "vanished": 1}


def test_bytes_that_are_no_utf8_are_replaced_and_a_mark_is_dropped(tmp_path):
    write(tmp_path, {"latin.py": b"name = 'M\xfcller'\n", "mark.py": b"\xef\xbb\xbfx = 1\n"})
    latin, mark = read_text(tmp_path, "latin.py", 1000), read_text(tmp_path, "mark.py", 1000)
    assert isinstance(latin, Text)
    assert latin.text == "name = 'M\ufffdller'\n"
    assert isinstance(mark, Text)
    assert mark.text == "x = 1\n"


def test_a_link_put_in_a_files_place_is_not_read(tmp_path):
    write(tmp_path, {"secret.py": "1"})
    (tmp_path / "a.py").symlink_to(tmp_path / "secret.py")
    assert read_text(tmp_path, "a.py", 1000) == "unreadable"


def test_a_file_with_a_strange_name_is_listed(tree):
    write(tree, {"with blank.py": "1", "ünï.py": "1", "new\nline.py": "1"})
    assert paths(tree) == sorted(["with blank.py", "ünï.py", "new\nline.py"])


def test_a_root_that_is_not_there_is_an_error(tmp_path):
    with pytest.raises(NotARepository, match="can't be read"):
        walk(tmp_path / "nowhere", SETTINGS)


def test_a_known_file_is_not_opened_again(tmp_path):
    write(tmp_path, {"a": b"\0"})
    status = (tmp_path / "a").stat()
    known = {"a": (status.st_size, status.st_mtime_ns)}
    assert walk(tmp_path, SETTINGS).files == []
    assert len(walk(tmp_path, SETTINGS, known).files) == 1


def test_a_folder_in_the_place_of_a_tracked_file_is_no_other_repository(tmp_path):
    git(tmp_path, "init", "-q", "-b", "main")
    (tmp_path / "a").write_text("x\n")
    git(tmp_path, "add", "a")
    git(tmp_path, "commit", "-q", "-m", "Add")
    (tmp_path / "a").unlink()
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "b.py").write_text("y = 1\n")
    found = walk(tmp_path, SETTINGS)
    assert ([file.path for file in found.files], found.repositories) == (["a/b.py"], ())
    assert found.skipped == {"not a file": 1}
