"""Queries of git, on repositories in every state."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from repositories import git as run

from muninn_core import git
from muninn_core.git.log import CommitRange, read_log
from muninn_core.git.run import run as query
from muninn_core.launch.repository_location import locate


def commit(repo, message, **files):
    for name, text in files.items():
        (repo / name).write_text(text)
    run(repo, "add", "-A")
    run(repo, "commit", "-q", "--allow-empty", "-m", message)
    return run(repo, "rev-parse", "HEAD").strip()


def test_commits_come_oldest_first_and_with_their_paths(plain_repo):
    start = run(plain_repo, "rev-parse", "HEAD").strip()
    first = commit(plain_repo, "First\n\nWith a body.\n\nAnd more.", **{"a.py": "1"})
    second = commit(plain_repo, "Second", **{"b.py": "1", "a.py": "2"})
    found = git.list_commits(plain_repo, start, second, 10)
    assert [each.sha for each in found] == [first, second]
    assert (found[0].subject, found[0].body, found[0].author) == ("First", "With a body.\n\nAnd more.", "Test")
    assert [each.files for each in found] == [("a.py",), ("a.py", "b.py")]
    assert found[1].parents == (first,)
    assert found[0].time.endswith("Z")
    assert git.list_commits(plain_repo, second, second, 10) == ()


def test_at_most_the_newest_are_returned(plain_repo):
    start = run(plain_repo, "rev-parse", "HEAD").strip()
    shas = [commit(plain_repo, f"Number {number}") for number in range(4)]
    assert [each.sha for each in git.list_commits(plain_repo, start, "HEAD", 2)] == shas[2:]


def test_the_time_is_in_utc_wherever_the_commit_was_made(plain_repo):
    dates = {"GIT_COMMITTER_DATE": "2026-01-01T00:30:00+0200", "GIT_AUTHOR_DATE": "2020-01-01T00:00:00Z"}
    command = ["git", "-c", "user.name=T", "-c", "user.email=t@localhost", "commit", "-q", "--allow-empty", "-m", "x"]
    subprocess.run(command, cwd=plain_repo, check=True, env={**os.environ, **dates})
    assert git.list_commits(plain_repo, None, "HEAD", 1)[0].time == "2025-12-31T22:30:00Z"


def test_a_merge_names_what_it_brought_to_the_first_parent(plain_repo):
    start = run(plain_repo, "rev-parse", "HEAD").strip()
    run(plain_repo, "checkout", "-q", "-b", "topic")
    commit(plain_repo, "On the topic", **{"topic.py": "1"})
    run(plain_repo, "checkout", "-q", "main")
    commit(plain_repo, "On main", **{"main.py": "1"})
    run(plain_repo, "merge", "-q", "--no-ff", "-m", "Merge the topic", "topic")
    found = git.list_commits(plain_repo, start, "HEAD", 10)
    assert [(each.subject, each.files) for each in found] == [
        ("On main", ("main.py",)),
        ("Merge the topic", ("topic.py",)),
    ]
    assert len(found[1].parents) == 2


@pytest.mark.parametrize("setting", ["diff.renames=false", "diff.renames=copies", "log.showRoot=false"])
def test_a_rename_names_both_paths_however_the_user_has_set_git_up(plain_repo, setting):
    run(plain_repo, "config", *setting.split("="))
    run(plain_repo, "mv", "src/users.py", "people.py")
    run(plain_repo, "commit", "-q", "-m", "Rename")
    assert git.list_commits(plain_repo, None, "HEAD", 1)[0].files == ("people.py", "src/users.py")
    assert git.list_commits(plain_repo, None, "HEAD~1", 1)[0].files == ("README.md", "src/users.py")


def test_paths_and_messages_may_hold_any_character(plain_repo):
    names = ("größe.py", "new\nline.py", "\nfirst.py", 'quote".py', "tab\t.py", "star*.py")
    commit(plain_repo, "Odd \x1f names \x1e\n\na \x1f body", **dict.fromkeys(names, "1"))
    (found,) = git.list_commits(plain_repo, None, "HEAD", 1)
    assert found.files == tuple(sorted(names))
    assert found.body == "a \x1f body"
    assert set(git.list_files(plain_repo)) >= set(names)


def test_names_messages_and_times_that_json_can_not_have_are_replaced_or_left_out(plain_repo):
    (plain_repo / "good.py").write_text("1")
    Path(os.fsdecode(os.fsencode(plain_repo) + b"/caf\xe9.py")).write_text("1")
    run(plain_repo, "add", "-A")
    tree, parent = run(plain_repo, "write-tree").strip(), run(plain_repo, "rev-parse", "HEAD").strip()
    who = b"Ren\xe9 <r@localhost> 99999999999999 +0000"
    raw = (
        f"tree {tree}\nparent {parent}\n".encode()
        + b"author "
        + who
        + b"\ncommitter "
        + who
        + b"\n\nCaf\xe9\n\nd\xe9j\xe0 vu\n"
    )
    store = ["git", "hash-object", "-t", "commit", "-w", "--stdin", "--literally"]
    made = subprocess.run(store, cwd=plain_repo, input=raw, check=True, stdout=subprocess.PIPE).stdout.decode().strip()
    for name in ("a\u2028b", "c\u0085d"):  # Unicode's ends of lines are letters to git
        run(plain_repo, "branch", name, made)
    run(plain_repo, "pack-refs", "--all")
    (found,) = git.list_commits(plain_repo, parent, made, 10)
    assert (found.subject, found.body, found.author) == ("Caf\ufffd", "d\ufffdj\ufffd vu", "Ren\ufffd")
    assert (found.files, found.added, found.time) == (("good.py",), {"good.py"}, "9999-12-31T23:59:59Z")
    assert git.commit_time(plain_repo, made).year == 9999
    undated = raw.replace(b"99999999999999", b"never")
    done = subprocess.run(store, cwd=plain_repo, input=undated, check=True, stdout=subprocess.PIPE)
    (known,) = git.list_commits(plain_repo, parent, done.stdout.decode().strip(), 10)
    assert known.time == "1970-01-01T00:00:00Z"
    (logged,) = read_log(plain_repo, CommitRange(tip=made, base=parent))
    assert (logged.time, logged.files) == (found.time, ("good.py",))
    assert [ref.name for ref in git.list_refs(plain_repo, "refs/heads")] == ["a\u2028b", "c\u0085d", "main"]
    assert next(git.list_ref_blobs(plain_repo, "src"))[0] == "refs/heads/a\u2028b"
    run(plain_repo, "symbolic-ref", "HEAD", "refs/heads/a\u2028b")
    assert git.read_head(locate(str(plain_repo))).commit == made


def test_a_since_that_is_gone_leaves_the_newest_alone(plain_repo):
    sha = commit(plain_repo, "After the rewrite")
    assert [each.sha for each in git.list_commits(plain_repo, "0" * 40, sha, 10)] == [sha]


def test_an_until_that_is_not_there_is_an_error(plain_repo):
    with pytest.raises(git.GitError, match="git log failed"):
        git.list_commits(plain_repo, None, "nowhere", 1)


def test_files_are_the_tracked_and_the_new_but_not_the_ignored(plain_repo):
    (plain_repo / ".gitignore").write_text("*.log\n")
    (plain_repo / "new.py").write_text("1")
    (plain_repo / "x.log").write_text("1")
    run(plain_repo, "add", "-f", "x.log")
    (plain_repo / "y.log").write_text("1")
    assert git.list_files(plain_repo) == [".gitignore", "README.md", "new.py", "src/users.py", "x.log"]


def test_without_git_nothing_is_listed_and_nothing_ignored(tmp_path):
    (tmp_path / ".gitignore").write_text("*.log\n")
    (tmp_path / "x.log").write_text("1")
    assert git.list_files(tmp_path) is None
    assert git.ignored_paths(tmp_path, ["x.log"]) == set()


def test_a_repository_that_git_refuses_is_not_one_without_a_text(plain_repo, monkeypatch):
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    with pytest.raises(git.GitError, match="dubious ownership"):
        git.blob_changes(plain_repo, "src")
    with pytest.raises(git.GitError, match="dubious ownership"):
        list(git.list_ref_blobs(plain_repo, "src"))


def test_a_repository_of_another_owner_is_reported_with_the_command_that_trusts_it(plain_repo, monkeypatch):
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")  # git's own way to try it
    with pytest.raises(git.GitError, match="fatal: detected dubious ownership") as refused:
        git.list_files(plain_repo)
    assert f"`git config --global --add safe.directory {plain_repo}`" in refused.value.hint


def test_a_partial_clone_knows_its_paths_without_their_contents(plain_repo, tmp_path):
    commit(plain_repo, "Odd names", **{"new\nline": "1", "star*": "1"})
    run(plain_repo, "config", "uploadpack.allowFilter", "true")
    run(tmp_path, "clone", "-q", "--filter=blob:none", "--no-checkout", plain_repo.as_uri(), "partial")
    names = ["README.md", "absent", "new\nline", "src", "src/users.py", "star*", "star?"]
    held = {"README.md", "new\nline", "src/users.py", "star*"}
    assert git.existing_paths(tmp_path / "partial", "HEAD", names) == held


def test_a_partial_clone_knows_the_time_of_a_merge_and_says_how_to_fetch_contents(plain_repo, tmp_path):
    run(plain_repo, "checkout", "-q", "-b", "side")
    commit(plain_repo, "Side", **{"README.md": "1\n\n\n2\n"})
    run(plain_repo, "checkout", "-q", "main")
    commit(plain_repo, "Main", **{"README.md": "0\n\n\n1\n"})
    run(plain_repo, "merge", "-q", "--no-commit", "-s", "ours", "side")
    commit(plain_repo, "Merge", **{"README.md": "0\n\n\n2\n"})
    run(plain_repo, "config", "uploadpack.allowFilter", "true")
    run(tmp_path, "clone", "-q", "--filter=blob:none", "--no-checkout", plain_repo.as_uri(), "partial")
    partial = tmp_path / "partial"
    expected = int(run(partial, "rev-list", "--no-commit-header", "--max-count=1", "--format=%ct", "HEAD"))
    assert git.commit_time(partial, "HEAD").timestamp() == expected
    blob = run(partial, "rev-parse", "HEAD:README.md").strip()
    with pytest.raises(git.GitError, match="promisor") as refused:
        query(str(partial), "cat-file", "-p", blob)
    assert "git fetch --refetch --no-filter" in refused.value.hint


def test_a_broken_repository_is_an_error_and_no_empty_list(plain_repo):
    (plain_repo / ".git" / "index").write_bytes(b"no index")
    with pytest.raises(git.GitError, match="ls-files"):
        git.list_files(plain_repo)


def test_ignored_is_what_git_would_not_list(plain_repo):
    (plain_repo / ".gitignore").write_text("*.log\nbuild/\n")
    for folder in ("build", "empty", "inner", "brackets[1]"):
        (plain_repo / folder).mkdir()
    for name in ("x.log", "build/out.py", "new.py", "brackets[1]/a.py"):
        (plain_repo / name).write_text("1")
    run(plain_repo / "inner", "init", "-q")
    (plain_repo / "inner" / "a.py").write_text("1")
    (plain_repo / "link").symlink_to("src")
    paths = ["x.log", "build", "build/out.py", "new.py", "src", "src/users.py", "inner/a.py", "link/users.py"]
    paths += ["brackets[1]/a.py", "gone.py", "empty", *(f"many/{number}.py" for number in range(500))]
    assert git.ignored_paths(plain_repo, paths) == {
        *("x.log", "build", "build/out.py", "inner/a.py", "link/users.py", "empty"),
    }


def test_reading_commands_take_no_lock_of_git(plain_repo):
    (plain_repo / ".git" / "index.lock").write_text("")
    sha = run(plain_repo, "rev-parse", "HEAD").strip()
    assert git.list_files(plain_repo)
    assert git.list_commits(plain_repo, None, "HEAD", 1)[0].sha == sha
    assert git.read_head(locate(str(plain_repo))).commit == sha


def test_a_revision_is_a_commit_whatever_names_it(plain_repo):
    first = run(plain_repo, "rev-parse", "HEAD").strip()
    run(plain_repo, "tag", "-a", "v1", "-m", "One")
    second = commit(plain_repo, "Second", **{"a.txt": "a\n"})
    assert git.resolve_commit(plain_repo, "v1") == git.resolve_commit(plain_repo, "HEAD~1") == first
    assert git.resolve_commit(plain_repo, second[:10]) == second
    assert [(ref.name, ref.commit) for ref in git.list_refs(plain_repo)] == [("main", second), ("v1", first)]


def test_trees_and_contents_are_read_without_a_checkout(plain_repo):
    first = run(plain_repo, "rev-parse", "HEAD").strip()
    (plain_repo / "odd\nname.txt").write_bytes(b"two\n\nlines\n")
    second = commit(plain_repo, "Odd")
    entries = {entry.path: entry for entry in git.list_tree(plain_repo, second)}
    odd = entries["odd\nname.txt"]
    assert list(git.read_blobs(plain_repo, [odd.oid, odd.oid])) == [(odd.oid, b"two\n\nlines\n")] * 2
    assert odd.size == 11
    assert set(git.tree_ids(plain_repo, [first, second], "src")) == {first, second}
    assert git.tree_ids(plain_repo, [first], "nowhere") == {}


def test_an_object_that_is_not_here_is_an_error(plain_repo):
    with pytest.raises(git.GitError, match="not in this clone"):
        list(git.read_blobs(plain_repo, ["0" * 40]))


def test_changes_between_commits_name_renames_and_the_lines_that_went(plain_repo):
    before = commit(plain_repo, "Base", **{"lines.txt": "".join(f"line {n}\n" for n in range(20))})
    text = (plain_repo / "lines.txt").read_text().replace("line 3\n", "three\n").replace("line 9\n", "line 9\nnew\n")
    run(plain_repo, "mv", "README.md", "READ.md")
    after = commit(plain_repo, "Change", **{"lines.txt": text, "more.txt": "x\n"})
    changes = {(change.old_path, change.new_path): change for change in git.changed_files(plain_repo, before, after)}
    assert set(changes) == {("README.md", "READ.md"), ("lines.txt", "lines.txt"), (None, "more.txt")}
    lines = changes["lines.txt", "lines.txt"]
    assert git.changed_spans(plain_repo, lines.old_oid, lines.new_oid) == ((4, 4),)


def test_commits_without_a_tip_and_missing_commits_are_unreachable(plain_repo):
    first = run(plain_repo, "rev-parse", "HEAD").strip()
    run(plain_repo, "checkout", "-q", "-b", "side")
    aside = commit(plain_repo, "Aside")
    nobody = "1" * 40
    assert git.find_unreachable(plain_repo, [first, aside, nobody], [first]) == {aside, nobody}
    assert git.find_unreachable(plain_repo, [first, aside], [aside]) == set()


def test_changes_name_renames_and_what_is_new_or_changed_in_the_work_tree(plain_repo):
    first = commit(plain_repo, "Steps", steps="one\ntwo\nthree\n", other="1\n")
    run(plain_repo, "mv", "steps", "stairs")
    (plain_repo / "other").write_text("2\n")
    found = git.worktree_changes(plain_repo, first)
    assert found == git.WorktreeChanges(renamed={"steps": "stairs"}, changed=frozenset({"stairs", "other"}))


def test_hunks_say_which_lines_were_replaced_also_under_another_name(plain_repo):
    first = commit(plain_repo, "Steps", steps="".join(f"step {n}\n" for n in range(9)))
    run(plain_repo, "mv", "steps", "stairs")
    (plain_repo / "stairs").write_text("new\n" + "".join(f"step {n}\n" for n in range(9) if n != 4))
    assert git.diff_hunks(plain_repo, first, "steps", "stairs") == (
        git.Hunk(start=0, count=0, new_start=1, new_count=1),
        git.Hunk(start=5, count=1, new_start=5, new_count=0),
    )


def test_a_commit_that_is_not_there_has_no_changes_no_hunks_and_no_files(plain_repo):
    absent = "0" * 40
    assert git.worktree_changes(plain_repo, absent) is None
    assert git.diff_hunks(plain_repo, absent, "README.md", "README.md") is None
    assert git.read_blob(plain_repo, absent, "README.md") is None


def test_a_file_is_read_as_a_commit_has_it(plain_repo):
    first = commit(plain_repo, "Steps", steps="one\n")
    (plain_repo / "steps").write_text("two\n")
    assert git.read_blob(plain_repo, first, "steps") == b"one\n"
    assert git.read_blob(plain_repo, first, "stairs") is None


def test_untracked_files_and_those_that_name_a_word_are_listed(plain_repo):
    (plain_repo / "b.py").write_text("USERS = get_user_name\n")
    (plain_repo / "a.py").write_text("get_user_names\n")
    assert git.untracked_files(plain_repo) == ("a.py", "b.py")
    assert git.files_containing(plain_repo, ["get_user_name"], (".py",)) == ("b.py", "src/users.py")
    assert git.files_containing(plain_repo, ["nowhere"], (".py",)) == ()
    assert git.files_containing(plain_repo, ["nowhere", "get_user_names"], (".py",)) == ("a.py",)


@pytest.fixture
def objects(plain_repo):
    kept = git.ObjectReader(plain_repo)
    yield kept
    kept.close()


def follow(objects, repo, commit, path):
    """Return the name that a commit's file has at HEAD."""
    return git.RenameTrail(repo, objects, objects.resolve_commit("HEAD")).follow(objects.resolve_commit(commit), path)


def test_a_file_is_followed_through_renames_and_rewrites(plain_repo, objects):
    first = commit(plain_repo, "Steps", steps="".join(f"step {n}\n" for n in range(9)))
    run(plain_repo, "mv", "steps", "stairs")
    commit(plain_repo, "Rename")
    commit(plain_repo, "Rewrite", stairs="".join(f"stair {n}\n" for n in range(9)))
    (plain_repo / "way").mkdir()
    run(plain_repo, "mv", "stairs", "way/up")
    commit(plain_repo, "Rename again")
    assert git.worktree_changes(plain_repo, first).renamed == {}
    assert follow(objects, plain_repo, first, "steps") == "way/up"


def test_a_file_that_was_renamed_back_and_away_again_is_followed(plain_repo, objects):
    first = commit(plain_repo, "Steps", steps="".join(f"step {n}\n" for n in range(9)))
    for number, (old, new) in enumerate([("steps", "a"), ("a", "steps"), ("steps", "b")]):
        run(plain_repo, "mv", old, new)
        commit(plain_repo, f"Rename {number}")
        for aside in range(number):
            commit(plain_repo, "Aside", other=f"{number} {aside}\n")
    assert follow(objects, plain_repo, first, "steps") == "b"


def test_a_file_that_was_renamed_on_a_branch_is_followed_through_the_merge(plain_repo, objects):
    main = run(plain_repo, "symbolic-ref", "--short", "HEAD").strip()
    first = commit(plain_repo, "Steps", steps="".join(f"step {n}\n" for n in range(9)))
    run(plain_repo, "checkout", "-q", "-b", "side")
    run(plain_repo, "mv", "steps", "stairs")
    commit(plain_repo, "Rename")
    run(plain_repo, "checkout", "-q", main)
    commit(plain_repo, "Meanwhile", other="1\n")
    run(plain_repo, "merge", "-q", "--no-edit", "side")
    assert follow(objects, plain_repo, first, "steps") == "stairs"


def test_a_file_that_came_by_a_branch_is_followed_from_a_commit_of_that_branch(plain_repo, objects):
    main = run(plain_repo, "symbolic-ref", "--short", "HEAD").strip()
    run(plain_repo, "checkout", "-q", "-b", "side")
    aside = commit(plain_repo, "Steps", steps="".join(f"step {n}\n" for n in range(9)))
    run(plain_repo, "checkout", "-q", main)
    commit(plain_repo, "Meanwhile", other="1\n")
    run(plain_repo, "merge", "-q", "--no-edit", "side")
    run(plain_repo, "mv", "steps", "stairs")
    commit(plain_repo, "Rename")
    assert follow(objects, plain_repo, aside, "steps") == "stairs"


def test_a_file_that_was_deleted_or_never_there_leads_nowhere(plain_repo, objects):
    first = commit(plain_repo, "Steps", steps="one\n")
    run(plain_repo, "rm", "-q", "steps")
    commit(plain_repo, "Delete")
    assert follow(objects, plain_repo, first, "steps") is None
    assert follow(objects, plain_repo, first, "nothing") is None


def test_kept_processes_answer_what_single_ones_do_and_start_again_when_they_were_ended(plain_repo, objects):
    first = commit(plain_repo, "Steps", steps="one\n", other="1\n")
    run(plain_repo, "mv", "steps", "a name with blanks")
    second = commit(plain_repo, "Rename", other="2\n")
    for _ in range(2):
        assert objects.resolve_commit("HEAD").sha == second
        assert objects.resolve_commit("0" * 40) is None
        assert objects.read_blob(first, "steps") == b"one\n"
        assert objects.read_blob(second, "a name with blanks") == b"one\n"
        assert objects.read_blob(second, "steps") is None
        assert objects.read_blob(first, "src") is None
        assert objects.has_file(first, "steps")
        assert not objects.has_file(second, "steps")
        assert not objects.has_file(first, "src")
        assert objects.changed_files(first, second).changed == {"a name with blanks", "other"}
        assert objects.changed_files(second, second) == (frozenset(), frozenset())
        assert objects.renamed_files(first, second) == {"steps": "a name with blanks"}
        objects.close()


def test_a_question_that_ends_a_kept_process_is_an_error_and_the_next_one_is_answered(plain_repo, objects):
    first = commit(plain_repo, "Steps", steps="one\n")
    second = commit(plain_repo, "More", steps="two\n")
    with pytest.raises(git.GitError, match="diff-tree ended"):
        objects.changed_files("0" * 40, second)
    assert objects.changed_files(first, second).changed == {"steps"}


def test_a_reused_process_sees_new_commits(plain_repo, objects):
    assert objects.read_blob("HEAD", "steps") is None
    commit(plain_repo, "Steps", steps="one\n")
    assert objects.read_blob("HEAD", "steps") == b"one\n"
    run(plain_repo, "gc", "-q")
    assert objects.read_blob("HEAD", "steps") == b"one\n"
