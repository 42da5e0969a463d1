import subprocess

from muninn_core.store.files.layout import initialise, layout_of


def test_init_writes_what_is_missing_and_never_overwrites(tmp_path):
    layout = layout_of(tmp_path)
    layout.muninn.mkdir()
    layout.config.write_text("mine: true\n")
    assert initialise(layout, "# defaults\n") == (
        ".muninn/.gitignore",
        ".muninn/.gitattributes",
        ".muninn/knowledge/README.md",
    )
    assert layout.config.read_text() == "mine: true\n"
    assert initialise(layout, "# defaults\n") == ()


def test_git_ignores_the_private_part_and_unites_records(tmp_path):
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    initialise(layout_of(tmp_path), "")

    def git(*arguments):
        return subprocess.run(["git", "-C", tmp_path, *arguments], capture_output=True, text=True).stdout

    paths = [
        ".muninn/cache/x",
        ".muninn/local/spool/s.jsonl",
        ".muninn/memory/main.jsonl.tmp",
        ".muninn/memory/main.jsonl",
    ]
    assert git("check-ignore", *paths).split() == paths[:3]
    for path in (".muninn/memory/main.jsonl", ".muninn/memory/sessions/s.jsonl"):
        assert git("check-attr", "merge", path).strip().endswith("merge: union")
    assert git("check-attr", "merge", "other.jsonl").strip().endswith("unspecified")


def test_a_linked_worktree_keeps_its_private_part_elsewhere(tmp_path):
    layout = layout_of(tmp_path / "tree", local=tmp_path / "main" / "local")
    assert layout.spool == tmp_path / "main" / "local" / "spool"
    assert layout.relative(layout.main) == ".muninn/memory/main.jsonl"
    assert layout.relative(layout.spool) == str(layout.spool)
