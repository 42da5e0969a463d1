"""Citations are resolved when a memory is stored, and judged against the work tree when it is shown."""

from __future__ import annotations

import time

import pytest
from cited_code import GET, LONG, STEPS, keep, rewrite, standing, states, users
from repositories import git

from muninn_core.errors import BadParams
from muninn_core.launch.repository_location import locate
from muninn_core.source.chunks.line_index import make_mark

pytest_plugins = ["engines"]


@pytest.fixture
def cited(muninn):
    return keep(muninn, files=["src/users.py#get_user_name"])


# --- what is cited ---


@pytest.mark.parametrize(
    ("place", "first", "last"),
    [("src/users.py:7", 7, 7), ("src/users.py:6-8", 6, 8), ("src/users.py#get_user_name", 6, 8)],
)
def test_a_file_may_name_a_place_and_is_kept_bare(muninn, place, first, last):
    memory = muninn.call("remember", text="Names come from a table.", files=[place]).memory
    (cite,) = memory.cites
    assert memory.files == ("src/users.py",)
    assert (cite.path, cite.start, cite.end, cite.symbol) == ("src/users.py", first, last, "get_user_name")
    assert cite.commit == git(muninn.root, "rev-parse", "HEAD").strip()
    assert cite.hash == make_mark(users(muninn).read_text().split("\n")[first - 1 : last])


def test_a_file_that_is_named_alone_is_not_cited(muninn):
    assert muninn.call("remember", text="About users.", files=["src/users.py"]).memory.cites == ()


def test_a_file_whose_name_looks_like_a_place_is_that_file(muninn):
    (muninn.root / "notes#one").write_text("x\n")
    memory = muninn.call("remember", text="About notes.", files=["notes#one"]).memory
    assert (memory.files, memory.cites) == (("notes#one",), ())


def test_an_entity_that_a_named_file_defines_is_cited(muninn):
    memory = muninn.call(
        "remember", text="Deleting is final.", files=["src/users.py"], entities=["delete_user()", "Redis"]
    ).memory
    assert [(cite.symbol, cite.start, cite.end) for cite in memory.cites] == [("delete_user", 11, 13)]


def test_an_entity_cites_only_the_first_line_of_a_large_definition(muninn):
    body = "".join(f"    def step_{n}(self):\n        return {n}\n" for n in range(100))
    (muninn.root / "src" / "large.py").write_text(f"class Large:\n{body}")
    memory = muninn.call("remember", text="Large is large.", files=["src/large.py"], entities=["Large"]).memory
    assert [(cite.start, cite.end) for cite in memory.cites] == [(1, 1)]


def test_an_explicit_cite_is_filled_in(muninn):
    memory = muninn.call("remember", text="Names.", cites=[{"path": "src/users.py", "start": 8, "end": 8}]).memory
    assert memory.cites[0].symbol == "get_user_name"
    assert memory.cites[0].hash


@pytest.mark.parametrize(
    ("place", "words", "hint"),
    [
        ("src/users.py:90-95", "has 13 lines", "Cite lines"),
        ("src/users.py#get_user_nam", "is not defined", "get_user_name"),
        ("src/users.py:9-3", "ends before it starts", "START-END"),
    ],
)
def test_a_place_that_is_not_there_is_refused(muninn, place, words, hint):
    with pytest.raises(BadParams, match=words) as error:
        keep(muninn, files=[place])
    assert hint in error.value.hint


# --- how it stands ---


def test_code_that_has_not_changed_is_fresh(muninn, cited):
    assert states(muninn, cited) == ["fresh"]


def test_an_edit_above_moves_it(muninn, cited):
    rewrite(muninn, lambda text: "import os\n\n" + text)
    (one,) = standing(muninn, cited)
    assert (one.state, one.place, one.was) == ("moved", "src/users.py:8-10", "src/users.py:6-8")


def test_an_edit_below_leaves_it_fresh(muninn, cited):
    rewrite(muninn, lambda text: text + "\n\nLAST = 1\n")
    assert states(muninn, cited) == ["fresh"]


def test_an_edit_inside_makes_it_drift(muninn, cited):
    rewrite(muninn, lambda text: text.replace('["name"]', '["display"]'))
    (one,) = standing(muninn, cited)
    assert (one.state, one.place) == ("drifted", "src/users.py:6-8")


def test_line_ends_and_blanks_and_depth_of_indentation_are_no_change(muninn, cited):
    text = users(muninn).read_text().replace("    ", "\t").replace("return ", "return  ").replace("\n", " \r\n")
    users(muninn).write_bytes(text.encode())
    muninn.touch("src/users.py")
    assert states(muninn, cited) == ["fresh"]


def test_a_line_that_is_indented_anew_within_it_is_a_change(muninn):
    (muninn.root / "a.py").write_text("def a(x):\n    if x:\n        b()\n        c()\n")
    identity = keep(muninn, files=["a.py#a"])
    (muninn.root / "a.py").write_text("def a(x):\n    if x:\n        b()\n    c()\n")
    assert states(muninn, identity) == ["drifted"]


def test_a_renamed_file_moves_it(muninn, cited):
    git(muninn.root, "mv", "src/users.py", "src/people.py")
    git(muninn.root, "commit", "-q", "-m", "Rename")
    muninn.touch("src/users.py", "src/people.py")
    (one,) = standing(muninn, cited)
    assert (one.state, one.path) == ("moved", "src/people.py")


def test_a_file_that_was_renamed_by_hand_moves_it(muninn, cited):
    users(muninn).rename(muninn.root / "src" / "people.py")
    muninn.touch("src/users.py", "src/people.py")
    assert [(one.state, one.path) for one in standing(muninn, cited)] == [("moved", "src/people.py")]


def test_a_definition_that_was_deleted_is_gone(muninn, cited):
    rewrite(muninn, lambda text: text.replace(GET, ""))
    (one,) = standing(muninn, cited)
    assert (one.state, one.place, one.was) == ("gone", "src/users.py:6-8", "")


def test_lines_that_stood_in_other_places_before_are_no_trace_of_what_was_deleted(muninn):
    body = "".join(f"    {step}\n" for step in STEPS)
    kept = f"def have_tea():\n{body}"
    (muninn.root / "water.py").write_text(f"def drink():\n{body}\n\n{kept}")
    (muninn.root / "juice.py").write_text(f"def have_juice():\n{body}")
    git(muninn.root, "add", ".")
    git(muninn.root, "commit", "-q", "-m", "Water")
    identity = keep(muninn, files=["water.py#drink"])
    (muninn.root / "water.py").write_text(f"import cups\n\n\n{kept}")
    (muninn.root / "juice.py").write_text(f"import cups\n\n\ndef have_juice():\n{body}")
    muninn.touch("water.py", "juice.py")
    assert states(muninn, identity) == ["gone"]


def test_brackets_are_nothing_that_is_left_of_a_definition(muninn):
    shown = "impl Default for {0} {{\n    fn default() -> Self {{\n        {0}::Never\n    }}\n}}\n"
    (muninn.root / "show.rs").write_text("fn first() {}\n\n" + shown.format("Paging"))
    git(muninn.root, "add", ".")
    git(muninn.root, "commit", "-q", "-m", "Show")
    identity = keep(muninn, files=["show.rs#Paging"])
    (muninn.root / "show.rs").write_text("fn first() {}\n\n" + shown.format("Wrapping"))
    muninn.touch("show.rs")
    assert states(muninn, identity) == ["gone"]


def test_a_deleted_file_is_gone(muninn, cited):
    users(muninn).unlink()
    muninn.touch("src/users.py")
    assert states(muninn, cited) == ["gone"]


def test_a_definition_of_another_name_with_most_of_its_lines_has_drifted(muninn, cited):
    rewrite(muninn, lambda text: text.replace("get_user_name", "name_of"))
    assert states(muninn, cited) == ["drifted"]


def test_a_copy_elsewhere_does_not_hide_that_the_original_changed(muninn, cited):
    body = GET.replace("get_user_name", "copied")
    identity = keep(muninn, files=["src/users.py:7-8"])
    rewrite(muninn, lambda text: text.replace('return USERS[uid]["name"]', "return None") + "\n\n" + body)
    assert (states(muninn, cited), states(muninn, identity)) == (["drifted"], ["drifted"])


def test_lines_without_a_symbol_are_followed_by_gits_diff(muninn):
    (muninn.root / "steps.txt").write_text(LONG)
    git(muninn.root, "add", ".")
    git(muninn.root, "commit", "-q", "-m", "Steps")
    one, gone, kept = (keep(muninn, files=[f"steps.txt:{lines}"]) for lines in ("5-9", "20-24", "27"))
    text = LONG.replace("STEP_6 = 6\n", "STEP_6 = sixty\n")
    for number in range(19, 24):
        text = text.replace(f"STEP_{number} = {number}\n", "")
    (muninn.root / "steps.txt").write_text("# Steps\n" + text)
    muninn.touch("steps.txt")
    found = [(cite.state, cite.place) for identity in (one, gone, kept) for cite in standing(muninn, identity)]
    assert found == [("drifted", "steps.txt:6-10"), ("gone", "steps.txt:20-24"), ("moved", "steps.txt:23")]


def test_a_file_that_is_named_alone_may_change_but_not_vanish_unnoticed(muninn):
    whole = keep(muninn, files=["src/users.py"])
    rewrite(muninn, lambda text: text.replace("USERS", "PEOPLE"))
    assert states(muninn, whole) == []
    git(muninn.root, "mv", "src/users.py", "src/people.py")
    muninn.touch("src/users.py", "src/people.py")
    assert [(one.state, one.path) for one in standing(muninn, whole)] == [("moved", "src/people.py")]
    (muninn.root / "src" / "people.py").unlink()
    muninn.touch("src/people.py")
    assert states(muninn, whole) == ["gone"]


def test_files_that_became_binary_or_huge_are_not_compared(muninn, cited):
    users(muninn).write_bytes(b"\0\1\2" * 100)
    muninn.touch("src/users.py")
    (one,) = standing(muninn, cited)
    assert (one.state, one.note) == ("unchecked", "the file can't be compared: binary")
    users(muninn).write_text("x = 1\n" * 200_000)
    muninn.touch("src/users.py")
    (one,) = standing(muninn, cited)
    assert (one.state, one.note) == ("unchecked", "the file can't be compared: too large")


@pytest.mark.parametrize("bundle", [f"{GET}x = 1\n".encode() * 12_000, GET.encode() + b"\0"], ids=["large", "binary"])
def test_a_file_that_cannot_be_compared_is_left_out_of_the_search_for_deleted_code(muninn, cited, bundle):
    (muninn.root / "src" / "bundle.py").write_bytes(bundle)
    rewrite(muninn, lambda text: text.replace(GET, ""))
    (muninn.root / "src" / "names.py").write_text(GET)
    muninn.touch("src/bundle.py", "src/names.py")
    (one,) = standing(muninn, cited)
    assert (one.state, one.place) == ("moved", "src/names.py:1-3")
    (muninn.root / "src" / "names.py").unlink()
    muninn.touch("src/names.py")
    assert states(muninn, cited) == ["gone"]


def test_a_binary_file_can_be_cited_by_name_only(muninn):
    (muninn.root / "logo.png").write_bytes(b"\0PNG")
    memory = muninn.call("remember", text="The logo.", files=["logo.png"], entities=["PNG"]).memory
    assert memory.cites == ()


def test_a_cite_without_a_mark_is_compared_with_the_commit_that_it_names(muninn):
    commit = git(muninn.root, "rev-parse", "HEAD").strip()
    cite = {"path": "src/users.py", "start": 6, "end": 8, "symbol": "get_user_name", "commit": commit}
    identity = keep(muninn, cites=[cite])
    assert states(muninn, identity) == ["fresh"]
    rewrite(muninn, lambda text: text.replace('["name"]', '["display"]'))
    assert states(muninn, identity) == ["drifted"]


def test_without_git_files_and_symbols_are_still_judged(tmp_path, start):
    root = tmp_path / "plain"
    root.mkdir()
    (root / "users.py").write_text(GET)
    muninn = start(root)
    muninn.call("init")
    identity = keep(muninn, files=["users.py#get_user_name"])
    assert states(muninn, identity) == ["fresh"]
    (root / "users.py").write_text("\n\n" + GET)
    assert states(muninn, identity) == ["moved"]
    (root / "users.py").write_text("x = 1\n")
    assert states(muninn, identity) == ["gone"]


def test_each_work_tree_has_its_own_answer(muninn, cited, tmp_path):
    muninn.call("seal")
    git(muninn.root, "add", ".")
    git(muninn.root, "commit", "-q", "-m", "Memory")
    git(muninn.root, "worktree", "add", "-q", str(tmp_path / "other"), "-b", "other")
    other = tmp_path / "other"
    (other / "src" / "users.py").write_text("x = 1\n")
    assert [one.state for one in muninn.call("memories", at=other, id=cited).citations[cited]] == ["gone"]
    assert states(muninn, cited) == ["fresh"]


# --- where it shows ---


def test_stale_memories_are_ranked_down_and_say_why(muninn, cited):
    other = keep(muninn, files=["src/users.py#delete_user"])
    before = {hit.id: hit.score for hit in muninn.call("recall", query="where are names looked up", kind="memory").hits}
    rewrite(muninn, lambda text: text.replace(GET, ""))
    first, last = muninn.call("recall", query="where are names looked up", kind="memory").hits
    assert (first.id, last.id) == (other, cited)
    (reason,) = [reason for reason in last.why if reason.signal == "stale"]
    assert (reason.contribution, reason.note) == (-0.3, "src/users.py:6-8 gone")
    assert last.score == pytest.approx(before[cited] - 0.3)
    assert [one.state for one in last.cites] == ["gone"]


def test_a_hit_points_to_where_the_code_is_now(muninn, cited):
    rewrite(muninn, lambda text: "\n\n\n" + text)
    (hit,) = muninn.call("recall", query="where are names looked up", kind="memory").hits
    assert (hit.path, hit.start_line, hit.end_line) == ("src/users.py", 9, 11)


def test_packs_and_briefs_mark_what_is_stale(muninn, cited):
    rewrite(muninn, lambda text: text.replace('["name"]', '["display"]'))
    pack = muninn.call("context", query="where are names looked up")
    assert "[code changed since: src/users.py:6-8]" in pack.text
    assert "[code changed since: src/users.py:6-8]" in muninn.call("brief").text


def test_an_answer_without_time_says_so_and_the_next_one_continues(muninn):
    ids = [keep(muninn, text=f"Fact {n} is about names.", files=["src/users.py#get_user_name"]) for n in range(2)]
    (muninn.root / "src" / "other.py").write_text("def other():\n    return 1\n")
    ids.append(keep(muninn, text="Fact 3.", files=["src/other.py#other"]))
    memories = [muninn.call("memories", id=identity).memories[0] for identity in ids]
    found_out = muninn.engine.open(locate(str(muninn.root))).citations
    found_out._results.clear()
    look = found_out.checker(0.0)
    hurried = look.judge_all(memories)
    assert sorted(one.state for found in hurried.values() for one in found) == ["fresh", "unchecked", "unchecked"]
    assert {one for found in hurried.values() for one in found if one.state == "unchecked"} == look.late
    assert {one.note for one in look.late} == {"there was no time to look; the next answer does"}
    found_out.checker(0.0).judge_all(memories)
    again = found_out.checker(0.0).judge_all(memories)
    assert [one.state for found in again.values() for one in found] == ["fresh"] * 3


def test_a_gone_citation_stays_gone_when_time_runs_out(muninn, cited):
    fact = keep(muninn, text="Another fact.", files=["src/users.py:1-2"])
    rewrite(muninn, lambda text: text.replace(GET, ""))
    memories = [muninn.call("memories", id=identity).memories[0] for identity in (fact, cited)]
    found_out = muninn.engine.open(locate(str(muninn.root))).citations
    assert found_out.checker().judge_all(memories)[cited][0].state == "gone"
    rewrite(muninn, lambda text: text + "\n# the end\n")
    look = found_out.checker(0.0)
    first, last = (look.judge(memory)[0] for memory in memories)
    assert (first.state, last.state) == ("fresh", "gone")
    assert last.note == "when last checked: there was no time to look; the next answer does"
    assert last in look.late


def test_lines_of_a_definition_that_are_all_replaced_are_gone_from_it(muninn):
    body = "".join(f"    step_{n} = prepare(step_{n - 1}, {n})\n" for n in range(1, 30))
    (muninn.root / "src" / "plan.py").write_text(f"def plan(step_0):\n{body}    return step_29\n")
    git(muninn.root, "add", ".")
    git(muninn.root, "commit", "-q", "-m", "Plan")
    part, head = (keep(muninn, files=[f"src/plan.py:{lines}"]) for lines in ("10-13", "1-4"))
    lines = (muninn.root / "src" / "plan.py").read_text().split("\n")
    lines[9:13] = ["    step_12 = all_at_once(step_8)"]
    lines[1:4] = ["    step_3 = begin(step_0)"]
    (muninn.root / "src" / "plan.py").write_text("\n".join(lines))
    muninn.touch("src/plan.py")
    (gone,), (drifted,) = standing(muninn, part), standing(muninn, head)
    assert (gone.state, gone.place, gone.note) == ("gone", "src/plan.py:10-13", "was in plan at src/plan.py:1-26")
    assert drifted.state == "drifted"


@pytest.mark.parametrize(
    ("file", "head", "place"),
    [("plan.py", "def rest(step_9):\n", "src/plan.py:15-18"), ("rest.py", "def rest(step_9):\n", "src/rest.py:2-5")],
    ids=["same file", "another file"],
)
def test_lines_that_left_their_definition_verbatim_have_moved(muninn, file, head, place):
    body = [f"    step_{n} = prepare(step_{n - 1}, {n})\n" for n in range(1, 14)]
    plan = muninn.root / "src" / "plan.py"
    plan.write_text("".join(("def plan(step_0):\n", *body)))
    git(muninn.root, "add", ".")
    git(muninn.root, "commit", "-q", "-m", "Plan")
    part = keep(muninn, files=["src/plan.py:11-14"])
    plan.write_text("".join(("def plan(step_0):\n", *body[:9], "    return rest(step_9)\n\n\n")))
    with (muninn.root / "src" / file).open("a") as target:
        target.write("".join((head, *body[9:])))
    muninn.touch("src/plan.py", f"src/{file}")
    assert [(one.state, one.place) for one in standing(muninn, part)] == [("moved", place)]


def test_a_formatter_that_changes_blanks_alone_changes_nothing(muninn):
    script = muninn.root / "src" / "plan.js"
    script.write_text("function plan(step) {\n  if (step) {\n    begin(step);\n  }\n  return step;\n}\n")
    git(muninn.root, "add", ".")
    git(muninn.root, "commit", "-q", "-m", "Plan")
    whole, part = keep(muninn, files=["src/plan.js#plan"]), keep(muninn, files=["src/plan.js:2-4"])
    script.write_text("\n" + script.read_text().replace("if (", "if(").replace("(step);", "( step );"))
    muninn.touch("src/plan.js")
    assert [(one.state, one.place) for one in standing(muninn, whole)] == [("moved", "src/plan.js:2-7")]
    assert [(one.state, one.place) for one in standing(muninn, part)] == [("moved", "src/plan.js:3-5")]


def test_lines_of_a_renamed_definition_have_drifted_while_one_is_left(muninn):
    body = "".join(f"    step_{n} = prepare(step_{n - 1}, {n})\n" for n in range(1, 14))
    plan = muninn.root / "src" / "plan.py"
    plan.write_text(f"def plan(step_0):\n{body}")
    git(muninn.root, "add", ".")
    git(muninn.root, "commit", "-q", "-m", "Plan")
    part = keep(muninn, files=["src/plan.py:10-13"])
    lines = plan.read_text().replace("def plan(", "def scheme(").split("\n")
    lines[9:12] = ["    step_11 = all_at_once(step_8)"]
    plan.write_text("\n".join(lines))
    muninn.touch("src/plan.py")
    assert [one.state for one in standing(muninn, part)] == ["drifted"]


def test_lines_whose_place_begins_with_a_blank_line_now_have_moved(muninn):
    (muninn.root / "src" / "sum.py").write_text(
        "import os\n\ndef total(each):\n    found = 0\n\n    return found + each\n"
    )
    git(muninn.root, "add", ".")
    git(muninn.root, "commit", "-q", "-m", "Sum")
    identity = keep(muninn, files=["src/sum.py:3-6"])
    (muninn.root / "src" / "sum.py").write_text(
        "import os\n\n\ndef total(each):\n    found = 0\n    return found + each\n"
    )
    muninn.touch("src/sum.py")
    assert [(one.state, one.place) for one in standing(muninn, identity)] == [("moved", "src/sum.py:4-6")]


def test_a_judgement_costs_less_than_two_milliseconds_once_a_file_was_read(muninn):
    body = "".join(f"def step_{n}(x):\n    y = x + {n}\n    return y\n\n\n" for n in range(100))
    (muninn.root / "steps.py").write_text(body)
    keeping = [{"text": f"Step {n}.", "files": [f"steps.py#step_{n}"]} for n in range(100)]
    ids = muninn.call("remember", batch=keeping).ids
    (muninn.root / "steps.py").write_text("import os\n" + body)
    begun = time.process_time()
    result = muninn.call("verify")
    spent = time.process_time() - begun
    assert result.states["moved"] == len(ids)
    assert spent / len(ids) < 0.002 * 5  # of processor time; the machine may be five times slower


# --- verify ---


def test_verify_counts_states_and_lists_what_needs_a_look_worst_first(muninn, cited):
    gone = keep(muninn, text="Deleting is final.", files=["src/users.py#delete_user"])
    keep(muninn, text="No code here.")
    assert muninn.call("verify").states["fresh"] == 2
    rewrite(muninn, lambda text: "import os\n" + text[: text.index("def delete_user")])
    result = muninn.call("verify")
    assert {state: count for state, count in result.states.items() if count} == {"moved": 1, "gone": 1}
    assert [one.id for one in result.found] == [gone, cited]
    assert result.memories == 3
    assert [one.id for one in muninn.call("verify", id=cited).found] == [cited]


def test_verify_alone_writes_nothing(muninn, cited):
    rewrite(muninn, lambda text: "import os\n" + text)
    before = muninn.call("status").log.records
    assert muninn.call("verify").fixed == 0
    assert muninn.call("status").log.records == before


def test_fix_lets_memories_cite_the_new_places_and_leaves_the_rest(muninn, cited):
    git(muninn.root, "mv", "src/users.py", "src/people.py")
    muninn.touch("src/users.py", "src/people.py")
    result = muninn.call("verify", fix=True)
    assert (result.fixed, [one.fixed for one in result.found]) == (1, [True])
    memory = muninn.call("memories", id=cited).memories[0]
    assert (memory.files, memory.cites[0].path, memory.trust) == (("src/people.py",), "src/people.py", "user")
    assert states(muninn, cited) == ["fresh"]
    assert muninn.call("verify", fix=True).fixed == 0


def test_fix_does_not_touch_what_has_drifted(muninn, cited):
    rewrite(muninn, lambda text: text.replace('["name"]', '["display"]'))
    assert muninn.call("verify", fix=True).fixed == 0
    assert states(muninn, cited) == ["drifted"]
