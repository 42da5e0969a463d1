from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from muninn_shell import COMMAND, Shell
from repositories import daemon_pid, git


def test_recall_answers_hits_with_their_place_score_and_reasons(shell: Shell) -> None:
    answer = shell.json("recall", "moor a ship to its berth", "--limit", "3", "--kind", "code")
    assert {"hits", "saw"} <= set(answer)
    best = answer["hits"][0]
    assert {"kind", "id", "path", "start_line", "end_line", "score", "why", "text"} <= set(best)
    assert (best["kind"], best["path"]) == ("code", "src/harbour.py")
    assert "moor_ship" in best["text"]
    assert best["why"]


def test_a_memory_is_listed_and_recalled(shell: Shell) -> None:
    text = "Berth numbers start at one because the harbour master's lists do."
    stored = shell.json("remember", text, "--type", "decision", "--file", "src/harbour.py", "--tag", "berth")
    (number,) = stored["ids"]
    listed = shell.json("memories", "--limit", "5", "--tag", "berth")["memories"]
    assert [(m["id"], m["text"], m["type"], m["files"], m["actor"]) for m in listed] == [
        (number, text, "decision", ["src/harbour.py"], "user")
    ]
    hits = shell.json("recall", "why do berth numbers start at one", "--kind", "memory")["hits"]
    assert hits[0]["id"] == number


def test_a_session_without_records_is_named_when_it_is_sealed(shell: Shell) -> None:
    shell.json("remember", "The bell rings at noon.")
    told = shell.run("seal", "--session", "nobody").stdout
    assert told == "Nothing to seal: the session nobody has no unsealed records.\n"


def test_the_records_of_a_private_memory_are_private_and_not_to_be_sealed(shell: Shell) -> None:
    identity = shell.json("remember", "My own note on the quay.", "--private")["ids"][0]
    newest = shell.run("log", "-n", "1").stdout.splitlines()[1]
    assert newest.endswith(f"  private  {identity}")
    assert shell.run("history", identity).stdout.rstrip().endswith(f"\n  private  {identity}")
    assert "not sealed" not in newest


def test_a_piped_text_has_no_byte_order_mark_and_no_carriage_returns(shell: Shell) -> None:
    stored = shell.json("remember", "-", stdin="\ufeffThe pilot boards at noon.\r\nThe tug waits.\r\n")
    assert stored["memory"]["text"] == "The pilot boards at noon.\nThe tug waits."


def test_remember_reads_a_text_from_stdin(shell: Shell) -> None:
    stored = shell.json("remember", "-", "--tag", "piped", stdin="The lighthouse blinks twice.\n")
    (found,) = shell.json("memories", "--id", stored["ids"][0])["memories"]
    assert found["text"] == "The lighthouse blinks twice."


def test_details_cites_and_links_arrive_as_they_were_given(shell: Shell) -> None:
    first = shell.json("remember", "Wind is measured in knots.")["ids"][0]
    words = [
        "--type",
        "attempt",
        "--details",
        "exit_status=1",
        "--details",
        "command=make wind",
        "--link",
        f"extends:{first}",
    ]
    stored = shell.json("remember", "Reading the wind from the web failed.", *words, "--cite", "src/weather.py:1-3")
    memory = stored["memory"]
    assert memory["details"]["exit_status"] == 1
    assert memory["details"]["command"] == "make wind"
    assert [(link["relation"], link["target"]) for link in memory["links"]] == [("extends", first)]
    assert [(cite["path"], cite["start"], cite["end"]) for cite in memory["cites"]] == [("src/weather.py", 1, 3)]


def test_context_keeps_to_its_budget_and_prints_its_markdown(shell: Shell) -> None:
    answer = shell.json("context", "moor a ship", "--budget", "300")
    assert answer["tokens"] <= answer["budget"] == 300
    done = shell.run("context", "moor a ship", "--budget", "300")
    assert done.stdout.strip() == answer["text"].strip()


def test_status_has_the_process_the_index_and_the_problems(shell: Shell) -> None:
    status = shell.json("status")
    assert status["pid"] > 1
    assert {"chunks", "files", "lag", "model"} <= set(status["index"])
    assert status["index"]["lag"] == 0
    assert status["index"]["chunks"] > 0
    assert status["problems"] == []


def test_status_names_the_project_where_its_folder_has_another_name(new_shell: Callable[[], Shell]) -> None:
    shell = new_shell()
    (shell.repo / "CLAUDE.md").write_text("# Harbour\n\nThe plan of the berths.\n", "utf-8")
    shell.run("init")
    assert "\n  project Harbour  The plan of the berths.\n" in shell.run("status").stdout


def test_a_list_shows_the_present_place_of_moved_code(new_shell: Callable[[], Shell]) -> None:
    shell = new_shell()
    shell.json("init")
    shell.json("remember", "Ships are moored at the bow.", "--cite", "src/harbour.py:1-2")
    shell.json("remember", "The harbour is small.", "--file", "src/harbour.py")
    git(shell.repo, "mv", "src/harbour.py", "src/port.py")
    shown = shell.run("memories").stdout
    assert "insight  src/port.py\n  The harbour is small." in shown
    assert "insight  src/port.py:1-2\n  Ships are moored" in shown


def test_a_history_says_once_that_a_memory_was_archived_pinned_and_updated(new_shell: Callable[[], Shell]) -> None:
    shell = new_shell()
    shell.json("init")
    identity = shell.json("remember", "The pier is made of wood.")["ids"][0]
    shell.json("forget", identity, "--reason", "It burned.")
    shell.json("restore", identity)
    shell.json("pin", identity)
    shell.json("update", identity, "--text", "The pier is made of stone.", "--importance", "7")
    told = shell.run("history", identity).stdout
    assert "  archived it: It burned.\n" in told
    assert "    - importance: 5\n    + importance: 7\n" in told
    assert [word for word in ("archived:", "details:", "pinned:") if word in told] == []


def test_init_twice_changes_nothing(shell: Shell) -> None:
    assert shell.json("init")["created"] == []


def test_options_of_every_verb_may_come_first_and_from_elsewhere(shell: Shell, tmp_path: Path) -> None:
    kept = shell.json("remember", "Options may stand anywhere on the line.")["ids"]
    done = shell.run("--json", "--repo", str(shell.repo / "src"), "memories", "--limit", "1", cwd=tmp_path)
    assert done.returncode == 0
    assert [memory["id"] for memory in json.loads(done.stdout)["memories"]] == kept


@pytest.mark.parametrize(
    "words",
    [
        ("status",),
        ("recall", "ship", "--why"),
        ("memories",),
        ("index",),
        ("init",),
        ("conflicts",),
        ("reconcile", "--dry-run"),
        ("brief",),
        ("seal",),
    ],
    ids=lambda words: words[0],
)
def test_results_for_people_are_plain_text_where_there_is_no_terminal(shell: Shell, words: tuple[str, ...]) -> None:
    done = shell.run(*words)
    assert done.returncode == 0, done.stderr
    assert "\x1b" not in done.stdout
    assert "{" not in done.stdout.splitlines()[0]


def test_foreign_text_cannot_control_the_terminal(shell: Shell) -> None:
    shell.json("remember", "\x1b[2JThe tide \x1b]0;title\x07 turns [bold]at noon[/bold].", "--tag", "escape")
    out = shell.run("memories", "--tag", "escape").stdout
    assert "\x1b" not in out
    assert "\x07" not in out
    assert "[bold]at noon[/bold]" in out


def test_people_see_a_memory_whole_with_what_it_is_linked_to(shell: Shell) -> None:
    older = shell.json("remember", "Buoys are painted in spring.")["ids"][0]
    newer = shell.json("remember", "Buoys are red.", "--tag", "buoys", "--link", f"extends:{older}")["ids"][0]
    out = shell.run("show", newer).stdout
    assert "Buoys are red." in out
    assert "tags  buoys" in out
    assert f"  extends Buoys are painted in spring  {older}" in out
    assert f"  Buoys are red extends this  {newer}\n" in shell.run("show", older).stdout


def test_people_see_both_sides_of_a_conflict_and_what_became_of_it(new_shell: Callable[[], Shell]) -> None:
    shell = new_shell()
    shell.json("init")
    ours = shell.json("remember", "We use lanterns for the night watch.", "--type", "decision")["ids"][0]
    theirs = shell.json("remember", "We do not use lanterns for the night watch.", "--type", "decision")["ids"][0]
    planned = shell.run("reconcile", "--dry-run").stdout
    assert f"We use lanterns for the night watch.  {ours}" in planned
    assert f"We do not use lanterns for the night watch.  {theirs}" in planned
    assert "muninn conflicts" not in planned
    assert "Sealed 2 records" in shell.run("seal").stdout
    waiting = "1 session is not reconciled: `muninn reconcile` also compares it.\n"
    assert shell.run("conflicts").stdout == f"No conflicts.\n{waiting}"
    done = shell.run("reconcile").stdout
    assert "1 conflict needs your decision" in done
    assert done.endswith("Commit .muninn/memory. `muninn undo` restores the files.\n")
    assert "Commit" not in shell.run("reconcile").stdout  # no file was changed
    listed = shell.json("conflicts")
    (conflict,) = listed["conflicts"]
    assert listed["unreconciled"] == 0
    shown = shell.run("conflicts").stdout
    assert "not reconciled" not in shown
    assert "left: decision\n  We use lanterns for the night watch." in shown
    assert "right: decision\n  We do not use lanterns for the night watch." in shown
    assert f"muninn resolve {conflict['id']}" in shown
    loser, winner = (conflict["left"]["id"], conflict["right"]["id"])
    assert {loser, winner} == {ours, theirs}
    resolved = shell.run("resolve", conflict["id"], "--keep", "right").stdout
    assert f"superseded by {winner}" in resolved
    assert resolved.endswith("`muninn seal` writes the decision to a file to commit.\n")
    assert "muninn seal" not in shell.run("resolve", conflict["id"], "--keep", "right").stdout  # it was decided so
    assert shell.run("conflicts").stdout == f"No conflicts.\n{waiting}"  # the decision is a record
    assert shell.json("conflicts", "--id", conflict["id"])["unreconciled"] == 0
    assert f"Archived {winner}" in shell.run("forget", winner, "--reason", "The lanterns are gone.").stdout
    assert f"Restored {winner}" in shell.run("forget", winner, "--restore").stdout


def test_people_see_why_memories_are_not_consolidated(new_shell: Callable[[], Shell]) -> None:
    shell = new_shell()
    shell.json("init")
    texts = ("Buoys are painted in spring.", "The buoys are painted in spring.", "The harbour closes at night.")
    ids = [shell.json("remember", text)["ids"][0] for text in texts]
    shown = " ".join(shell.run("consolidate", *ids, "--dry-run").stdout.split())
    assert f"1 memory kept: states something else, as far as the rules tell {ids[2]}" in shown
    kept = " ".join(shell.run("consolidate", ids[0], ids[2]).stdout.split())
    assert kept.startswith("All memories are kept. 2 memories kept: states something else")


def test_people_see_the_code_that_a_conflict_is_about_and_can_undo_the_reconcile(
    new_shell: Callable[[], Shell],
) -> None:
    shell = new_shell()
    shell.json("init")
    shell.json("remember", "The crew keeps watch for 4 hours.", "--type", "decision", "--cite", "src/harbour.py:1-2")
    shell.json("remember", "The crew keeps watch for 6 hours.", "--type", "decision", "--cite", "gone.py:3")
    assert "1 conflict needs your decision" in shell.run("reconcile").stdout
    shown = shell.run("conflicts").stdout
    heading = (shell.repo / "src" / "harbour.py").read_text("utf-8").splitlines()[0]
    assert f"  cites src/harbour.py:1-2\n    {heading}\n" in shown
    assert "  cites gone.py:3  vanished\n" in shown
    assert "trust user" in shown
    undone = shell.run("undo").stdout
    assert undone.startswith("Undone reconcile: 2 memories consolidated, 0 duplicates removed, 1 conflict\n")
    assert ".muninn/memory/main.jsonl" in undone
    assert shell.run("conflicts").stdout.startswith("No conflicts.\n1 session is not reconciled")
    assert shell.run("undo").returncode != 0


def test_people_see_what_pruning_would_do_before_it_is_done(new_shell: Callable[[], Shell]) -> None:
    shell = new_shell()
    (shell.repo / ".muninn").mkdir()
    (shell.repo / ".muninn" / "config.yaml").write_text("prune:\n  max_bytes: 1\n  user: true\n", "utf-8")
    shell.json("init")
    gone = shell.json("remember", "The old anchor is in the shed.")["ids"][0]
    shell.json("forget", gone)
    shell.json("reconcile")
    planned = shell.run("prune", "--dry-run").stdout
    assert planned.startswith("1 memory moved to the archive\n")
    assert planned.endswith("Nothing was changed.\n")
    done = shell.run("prune").stdout
    assert gone in done
    assert ".muninn/memory/archive/pruned-" in done
    assert shell.json("memories", "--archived")["total"] == 0
    shell.json("undo")
    assert shell.json("memories", "--archived")["total"] == 1


def test_a_memory_that_is_asked_for_is_shown_in_full(shell: Shell) -> None:
    words = ["--type", "decision", "--title", "Quay of stone", "--importance", "9", "--details", "status=accepted"]
    number = shell.json("remember", "The quay is built of stone.", *words, "--cite", "src/harbour.py:1-2")["ids"][0]
    rows = dict(row.strip().split("  ", 1) for row in shell.run("memories", "--id", number).stdout.splitlines()[3:])
    assert rows["id"] == number
    assert rows["cites"] == "src/harbour.py:1-2 moor_ship fresh"
    assert rows["weight"].startswith("importance 9")
    assert rows["status"] == "accepted"


def test_people_see_which_memories_are_stale_and_can_let_them_follow_moved_code(new_shell: Callable[[], Shell]) -> None:
    shell = new_shell()
    root = shell.repo
    shell.run("init")
    (root / "src" / "crane.py").write_text(
        "def lift(load):\n    return load + 1\n\n\ndef lower(load):\n    return load - 1\n"
    )
    lift = shell.json("remember", "A crane lifts one ton at a time.", "--file", "src/crane.py#lift")["ids"][0]
    lower = shell.json("remember", "Lowering is as slow as lifting.", "--file", "src/crane.py:5-6")["ids"][0]
    assert "2 citations · 2 fresh" in shell.run("verify").stdout
    (root / "src" / "crane.py").write_text(
        "import os\n\n\ndef lift(load):\n    return load + 1\n\n\ndef lower(load):\n    return 0\n"
    )
    told = shell.run("verify").stdout
    assert "1 moved · 1 drifted" in told
    assert told.index(lower) < told.index(lift)
    assert "moved     src/crane.py:4-5 lift from src/crane.py:1-2" in told
    assert "`muninn verify --fix`" in told
    assert "code changed since: src/crane.py:5-6" in shell.run("recall", "lowering is slow", "--kind", "memory").stdout
    assert "1 memory cites the new places now." in shell.run("verify", "--fix").stdout
    assert "src/crane.py:4-5 lift fresh" in shell.run("memories", "--id", lift).stdout


class TestQueries:
    def test_one_line_answers_each_query_in_order(self, shell: Shell, tmp_path: Path) -> None:
        file = tmp_path / "questions.jsonl"
        file.write_text('{"id": "a", "query": "moor ship"}\n\n{"id": 2, "query": "wind speed"}\n')
        done = shell.run("recall", "--queries", str(file), "--limit", "1", "--json")
        answers = [json.loads(line) for line in done.stdout.splitlines()]
        assert [answer["id"] for answer in answers] == ["a", 2]
        assert [answer["hits"][0]["path"] for answer in answers] == ["src/harbour.py", "src/weather.py"]
        assert all(answer["ms"] > 0 and "commit" in answer["saw"] for answer in answers)

    def test_an_answer_has_the_fields_of_a_single_question(self, shell: Shell) -> None:
        shell.json("remember", "The lighthouse burns petroleum, as gas lines freeze in January.")
        question = "which fuel does the lighthouse burn"
        done = shell.run("recall", "--queries", "-", stdin=json.dumps({"id": 1, "query": question}))
        answer, single = json.loads(done.stdout), shell.json("recall", question)
        assert "petroleum" in answer["remembered"][0]["text"]
        assert answer.keys() == single.keys() | {"id", "ms"}

    def test_the_notes_of_an_answer_are_kept(self, shell: Shell) -> None:
        done = shell.run("recall", "--queries", "-", "--json", stdin='{"id": 1, "query": "ship path:nowhere/**"}\n')
        (note,) = json.loads(done.stdout)["notes"]
        assert "nowhere" in note

    def test_stdin_is_answered_as_it_comes(self, shell: Shell) -> None:
        done = shell.run("recall", "--queries", "-", stdin='{"id": 1, "query": "ship"}\n')
        assert json.loads(done.stdout)["id"] == 1

    def test_a_query_that_fails_does_not_stop_the_next(self, shell: Shell) -> None:
        lines = '{"id": 1, "query": ""}\n{"id": 2, "query": "ship"}\n'
        done = shell.run("recall", "--queries", "-", "--json", stdin=lines)
        bad, good = (json.loads(line) for line in done.stdout.splitlines())
        assert bad["error"]["data"]["kind"] == "bad_params"
        assert good["hits"]
        assert done.returncode == 2

    @pytest.mark.parametrize("line", ["not json", '{"query": "x"}', '{"id": 1}', "[1]"])
    def test_a_line_that_is_no_query_is_named_and_the_next_one_is_answered(self, shell: Shell, line: str) -> None:
        done = shell.run("recall", "--queries", "-", stdin=f'{line}\n{{"id": 2, "query": "ship"}}\n')
        bad, good = (json.loads(each) for each in done.stdout.splitlines())
        assert (done.returncode, bad["id"], bad["error"]["data"]["kind"]) == (2, None, "usage")
        assert done.stderr.startswith("stdin:1: ")
        assert (good["id"], bool(good["hits"])) == (2, True)

    def test_a_query_beside_the_file_is_refused(self, shell: Shell) -> None:
        assert shell.failure("recall", "ship", "--queries", "-")[0] == 2

    def test_a_file_that_is_not_there_is_told(self, shell: Shell) -> None:
        code, error = shell.failure("recall", "--queries", "missing.jsonl")
        assert code == 2
        assert "missing.jsonl" in error["message"]


def test_a_file_whose_name_has_two_lines_is_shown_in_one(new_shell: Callable[[], Shell]) -> None:
    shell = new_shell()
    (shell.repo / "new\nline.py").write_text("def hoist_lantern(): pass\n")
    shell.json("init")
    shell.json("index")
    done = shell.run("recall", "hoist lantern", "--limit", "1", "--kind", "code")
    assert "new\N{REPLACEMENT CHARACTER}line.py:1" in done.stdout.splitlines()[0]


@pytest.mark.parametrize("words", [("recall", "caf\udce9"), ("remember", "caf\udce9"), ("remember", "-")])
def test_bytes_that_are_no_text_are_refused(shell: Shell, words: tuple[str, ...]) -> None:
    done = subprocess.run(
        [*COMMAND, *words], input=b"caf\xe9", capture_output=True, cwd=shell.repo, env=shell.environ, check=False
    )
    assert done.returncode == 2
    assert done.stderr.startswith(b"error: the text or a name is not UTF-8\n")


class TestBatch:
    def test_a_mark_of_the_byte_order_is_passed_over_and_other_bytes_are_told(
        self, shell: Shell, tmp_path: Path
    ) -> None:
        file = tmp_path / "memories.jsonl"
        file.write_bytes(b'\xef\xbb\xbf{"text": "Marked."}\n{"text": "caf\xe9"}\n')
        code, error = shell.failure("remember", "--batch", str(file))
        assert (code, error["data"]["lines"]) == (2, [f"{file}:2: the line is not UTF-8"])

    def test_all_memories_of_a_file_are_stored_in_one_call(self, shell: Shell, tmp_path: Path) -> None:
        file = tmp_path / "memories.jsonl"
        drafts = [{"text": f"Buoy {number} is red.", "tags": ["buoy"]} for number in range(30)]
        file.write_text("".join(json.dumps(draft) + "\n" for draft in drafts))
        stored = shell.json("remember", "--batch", str(file))
        listed = shell.json("memories", "--tag", "buoy", "--limit", "100")["memories"]
        assert len(set(stored["ids"])) == 30
        assert {memory["id"] for memory in listed} == set(stored["ids"])

    def test_bad_lines_are_named_and_nothing_is_stored(self, shell: Shell, tmp_path: Path) -> None:
        file = tmp_path / "memories.jsonl"
        lines = ['{"text": "Good.", "tags": ["never"]}', "{", '{"text": "x", "titel": ""}', '[{"text": "x"}]']
        file.write_text("\n".join(lines))
        code, error = shell.failure("remember", "--batch", str(file))
        assert code == 2
        assert [line.rpartition(":")[0] and line.split(": ")[0] for line in error["data"]["lines"]] == [
            f"{file}:{number}" for number in (2, 3, 4)
        ]
        assert "did you mean `title`" in error["data"]["lines"][1]
        assert "`jq -c '.[]'` writes those of an array" in error["data"]["lines"][2]
        assert shell.json("memories", "--tag", "never")["memories"] == []

    def test_an_empty_file_is_an_error(self, shell: Shell) -> None:
        assert shell.failure("remember", "--batch", "-")[0] == 2

    def test_a_key_that_was_given_is_kept(self, shell: Shell) -> None:
        line = '{"text": "The ferry leaves at nine.", "key": "ferry"}\n'
        first = shell.json("remember", "--batch", "-", stdin=line)
        assert shell.json("remember", "--batch", "-", stdin=line)["ids"] == first["ids"]


class TestExitCodes:
    @pytest.mark.parametrize(
        ("words", "code", "kind"),
        [
            (("recall",), 2, "bad_params"),
            (("recall", "x", "--limit", "many"), 2, "usage"),
            (("recall", "x", "--limit", "0"), 2, "bad_params"),
            (("recall", "x", "--kind", "all"), 2, "usage"),
            (("remember",), 2, "usage"),
            (("remember", "-"), 2, "usage"),
            (("recal", "x"), 2, "unknown_verb"),
            (("forget", "no-such-memory"), 3, "not_found"),
            (("status", "--repo", "no-such-folder"), 4, "not_a_repository"),
        ],
        ids=lambda value: " ".join(value) if isinstance(value, tuple) else None,
    )
    def test_the_kind_of_an_error_decides(self, shell: Shell, words: tuple[str, ...], code: int, kind: str) -> None:
        found, error = shell.failure(*words)
        assert (found, error["data"]["kind"]) == (code, kind)

    def test_a_repository_without_memory_says_how_to_start_one(self, new_shell: Callable[[], Shell]) -> None:
        code, error = new_shell().failure("remember", "Something.")
        assert (code, error["data"]["kind"]) == (4, "not_initialised")
        assert "muninn init" in error["data"]["hint"]

    @pytest.mark.parametrize(
        "words",
        [
            ("recall", "x"),
            ("memories",),
            ("index",),
            ("check",),
            ("recall", "--queries", "-"),
            ("edit", "abcd1234"),
            ("watch", "--plain"),
        ],
        ids=" ".join,
    )
    def test_no_daemon_is_started_for_a_memory_that_does_not_exist(
        self, new_shell: Callable[[], Shell], words: tuple[str, ...]
    ) -> None:
        bare = new_shell()
        code, error = bare.failure(*words)
        assert (code, error["data"]["kind"]) == (4, "not_initialised")
        assert error["data"]["hint"].startswith("`muninn init`")
        assert daemon_pid(bare.repo, bare.environ) is None

    def test_no_page_is_opened_for_a_memory_that_does_not_exist(self, new_shell: Callable[[], Shell]) -> None:
        bare = new_shell()
        done = bare.run("open", "--print")
        assert (done.returncode, done.stdout) == (4, "")
        assert "`muninn init` creates it" in done.stderr
        assert daemon_pid(bare.repo, bare.environ) is None

    def test_people_get_the_error_and_its_hint_on_stderr(self, shell: Shell) -> None:
        done = shell.run("recall", "x", "--lmit", "3")
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.splitlines() == [
            "error: muninn recall: there is no option '--lmit'",
            "Did you mean '--limit'?",
        ]

    def test_a_runtime_directory_that_others_may_enter_is_refused(self, shell: Shell, tmp_path: Path) -> None:
        (tmp_path / "open").mkdir(mode=0o777)
        (tmp_path / "open").chmod(0o777)
        exposed = Shell(shell.repo, {**shell.environ, "MUNINN_RUNTIME_DIR": str(tmp_path / "open")})
        done = exposed.run("daemon", "status", "--json")
        assert done.returncode == 6
        assert "can be entered by others" in json.loads(done.stdout)["error"]["message"]


def test_a_file_is_named_as_it_is_seen_from_the_current_folder(shell: Shell) -> None:
    below = shell.repo / "src"
    done = shell.run("remember", "Berths are numbered from one.", "--file", "harbour.py", "--json", cwd=below)
    assert done.returncode == 0, done.stderr
    for name, folder in (("harbour.py", below), ("src/harbour.py", below), ("src/harbour.py", shell.repo)):
        listed = shell.run("memories", "--file", name, "--text", "Berths are numbered", "--json", cwd=folder)
        assert [memory["files"] for memory in json.loads(listed.stdout)["memories"]] == [["src/harbour.py"]]


def test_readiness_and_metrics_are_printed(shell: Shell) -> None:
    shell.json("index")
    shell.json("event", "append", "step")
    lines = shell.run("ready").stdout.splitlines()
    assert [line.split()[:2] for line in lines] == [
        ["ok", each] for each in ("memory", "index", "journal", "projections")
    ]
    assert 'muninn_turns{status="open"} 0\n' in shell.run("metrics").stdout
