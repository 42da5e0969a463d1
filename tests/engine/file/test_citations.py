"""Citations are resolved when a memory is stored, and judged against the work tree when it is shown."""

from __future__ import annotations

import time

import pytest
from repositories import git

from muninn_core.errors import BadParams
from muninn_core.launch.repository_location import locate
from muninn_core.source.chunks.line_index import make_mark
from muninn_core.worktree.citations.citations import MAX_ELSEWHERE

pytest_plugins = ["engines"]

GET = 'def get_user_name(uid):\n    """Look up the display name of a user."""\n    return USERS[uid]["name"]\n'
LONG = "".join(f"STEP_{n} = {n}\n" for n in range(30))


def keep(muninn, **params):
    """Remember something that cites code, and return the id."""
    return muninn.call("remember", text=params.pop("text", "Names are looked up in a table."), **params).ids[0]


def standing(muninn, identity):
    """Return the current citations of a memory."""
    return muninn.call("memories", id=identity).citations.get(identity, ())


def states(muninn, identity):
    return [one.state for one in standing(muninn, identity)]


def users(muninn):
    return muninn.root / "src" / "users.py"


def rewrite(muninn, change):
    text = users(muninn).read_text()
    assert change(text) != text
    users(muninn).write_text(change(text))
    muninn.touch("src/users.py")


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


def test_a_definition_that_went_to_another_file_moves_it(muninn, cited):
    rewrite(muninn, lambda text: text.replace(GET, ""))
    (muninn.root / "src" / "names.py").write_text('"""Names."""\n\n' + GET)
    muninn.touch("src/names.py")
    (one,) = standing(muninn, cited)
    assert (one.state, one.place) == ("moved", "src/names.py:3-5")


def test_a_copy_that_was_there_before_is_no_new_home_of_what_was_deleted(muninn):
    (muninn.root / "src" / "copy.py").write_text(GET)
    git(muninn.root, "add", ".")
    git(muninn.root, "commit", "-q", "-m", "Copy")
    identity = keep(muninn, files=["src/users.py#get_user_name"])
    (muninn.root / "src" / "copy.py").write_text("import os\n" + GET)
    rewrite(muninn, lambda text: text.replace(GET, ""))
    muninn.touch("src/copy.py")
    assert states(muninn, identity) == ["gone"]


def test_a_definition_that_was_deleted_is_gone(muninn, cited):
    rewrite(muninn, lambda text: text.replace(GET, ""))
    (one,) = standing(muninn, cited)
    assert (one.state, one.place, one.was) == ("gone", "src/users.py:6-8", "")


def test_a_file_that_was_renamed_and_rewritten_since_is_followed_through_the_commits(muninn, cited):
    git(muninn.root, "mv", "src/users.py", "src/people.py")
    git(muninn.root, "commit", "-q", "-m", "Rename")
    lines = "".join(f"PERSON_{n} = {n}\n" for n in range(30))
    (muninn.root / "src" / "people.py").write_text(f"{lines}\n\ndef get_user_name(person):\n    return person.name\n")
    git(muninn.root, "commit", "-q", "-am", "Rewrite")
    muninn.touch("src/users.py", "src/people.py")
    (one,) = standing(muninn, cited)
    assert (one.state, one.place, one.was) == ("drifted", "src/people.py:33-34", "src/users.py:6-8")


METHOD = "    def load(self, key):\n        found = self.items[key]\n        return found or self.missing(key)\n"


def test_a_method_whose_text_went_to_another_file_is_not_its_namesake_in_the_old_one(muninn):
    stores = muninn.root / "stores.py"
    stores.write_text(f"class Near:\n{METHOD}\n\nclass Far:\n    def load(self, key):\n        return None\n")
    git(muninn.root, "add", ".")
    git(muninn.root, "commit", "-q", "-m", "Stores")
    identity = keep(muninn, files=["stores.py#Near.load"])
    (muninn.root / "near.py").write_text(f"class Near:\n{METHOD}")
    stores.write_text("class Far:\n    def load(self, key):\n        return None\n")
    muninn.touch("stores.py", "near.py")
    assert [(one.state, one.place) for one in standing(muninn, identity)] == [("moved", "near.py:2-4")]


def test_a_namesake_in_another_class_of_a_file_of_the_same_name_is_not_it(muninn):
    old = muninn.root / "old" / "stores.py"
    old.parent.mkdir()
    old.write_text(f"class Near:\n{METHOD}")
    git(muninn.root, "add", ".")
    git(muninn.root, "commit", "-q", "-m", "Stores")
    identity = keep(muninn, files=["old/stores.py#Near.load"])
    old.unlink()
    (muninn.root / "stores.py").write_text("class Far:\n    def load(self, key):\n        return self.other[key]\n")
    muninn.touch("old/stores.py", "stores.py")
    assert states(muninn, identity) == ["gone"]


STEPS = ("open_the_door()", "walk_to_the_table()", "take_the_glass()", "fill_the_glass()", "drink_the_water()")


def test_a_definition_with_another_name_in_another_file_is_known_by_its_lines(muninn):
    body = "".join(f"    {step}\n" for step in STEPS)
    (muninn.root / "water.py").write_text(f"LIMIT = 1\n\n\ndef drink():\n{body}")
    git(muninn.root, "add", ".")
    git(muninn.root, "commit", "-q", "-m", "Water")
    identity = keep(muninn, files=["water.py#drink"])
    (muninn.root / "water.py").write_text("LIMIT = 1\n")
    (muninn.root / "tea.py").write_text(f"import cups\n\n\ndef have_tea():\n    boil()\n{body}")
    muninn.touch("water.py", "tea.py")
    (one,) = standing(muninn, identity)
    assert (one.state, one.place, one.was) == ("drifted", "tea.py:6-10", "water.py:4-9")


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


@pytest.mark.parametrize(
    ("head", "now", "state"),
    [
        ("impl fmt::Display for Mode {", "impl fmt::Display for Mode {\n    // shown\n}\n", "drifted"),
        ("impl fmt::Display for Mode {", "impl<T> Default for Mode {\n    // one\n}\n", "gone"),
        ("impl Mode {", "impl Default for Mode {\n    // one\n}\n", "gone"),
    ],
)
def test_an_impl_of_another_trait_is_another_definition(muninn, head, now, state):
    enum = "pub enum Mode {\n    Fast,\n    Slow,\n}\n\n"
    body = "    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {\n        self.name().fmt(f)\n    }\n}\n"
    (muninn.root / "mode.rs").write_text(f"{enum}{head}\n{body}")
    git(muninn.root, "add", ".")
    git(muninn.root, "commit", "-q", "-m", "Mode")
    identity = keep(muninn, files=["mode.rs:6-10"])
    (muninn.root / "mode.rs").write_text(enum + now)
    muninn.touch("mode.rs")
    assert states(muninn, identity) == [state]


@pytest.mark.parametrize(
    ("path", "text", "state"),
    [
        ("lib/shop.py", 'class Missing(LookupError, ShopError):\n    def __init__(self, name: str, why: str = ""):\n'
         "        LookupError.__init__(self, name or why)\n", "drifted"),
        ("lib/shop.py", "class Missing:\n    pass\n", "gone"),
        ("lib/errors.py", LONG + "class Missing:\n    pass\n", "drifted"),
        ("lib/errors.py", "class Missing:\n    pass\n", "gone"),
    ],
)  # fmt: skip
def test_a_namesake_is_known_by_its_words_or_by_the_lines_around_it(muninn, path, text, state):
    missing = (
        "class Missing(ShopError):\n    def __init__(self, name, why):\n        LookupError.__init__(self, name)\n"
    )
    (muninn.root / "src" / "shop.py").write_text(LONG + missing)
    git(muninn.root, "add", ".")
    git(muninn.root, "commit", "-q", "-m", "Shop")
    identity = keep(muninn, files=["src/shop.py#Missing"])
    (muninn.root / "src" / "shop.py").unlink()
    (muninn.root / "lib").mkdir()
    (muninn.root / path).write_text(text)
    muninn.touch("src/shop.py", path)
    assert states(muninn, identity) == [state]


LOAD_GO = "func (s *Store) load(key string) int {\n\tfound := s.items[key]\n\treturn found\n}\n"
LOAD_JS = "Store.prototype.load = function (key) {\n  const found = this.items[key];\n  return found;\n};\n"
LOAD_PY = "    def load(self, key):\n        found = self.items[key]\n        count(found, key)\n        return found\n"
FUNCTION_GO = "package b\n\nfunc load({}) int {{\n\treturn 1\n}}\n"
MODIFY_C = (
    "static jv modify(jv t, jv k, jv v) {\n  int isnull = kind(t) == NULL;\n  if (kind(k) == STRING && isnull) {\n"
    "    t = object_set(object(), k, v);\n  } else {\n    t = array_set(t, number(k), v);\n    %s\n    %s\n    %s\n"
    "  }\n  return t;\n}\n"
)
NEW_GO = "func (s *Store) load() {\n\tpanic(s.reason)\n}\n"


@pytest.mark.parametrize(
    ("cited", "old", "now", "state"),
    [
        ("a/s.go#load", LOAD_GO, {"a/s.go": NEW_GO.replace("s *Store", "c *Cache")}, "gone"),
        ("a/s.go#load", LOAD_GO, {"a/s.go": None, "a/new.go": NEW_GO}, "drifted a/new.go:1-3"),
        ("a/s.go#load", LOAD_GO, {"a/s.go": None, "b/new.go": NEW_GO}, "gone"),
        ("a/s.go#load", LOAD_GO, {"a/s.go": None, "b/s.go": FUNCTION_GO.format("s *a.Store, key string")},
         "drifted b/s.go:3-5"),
        ("a/s.go#load", LOAD_GO, {"a/s.go": None, "b/s.go": FUNCTION_GO.format("s *a.Stores, key string")}, "gone"),
        ("s.rb#Store.load", "class Store\n  def load(key)\n    items[key]\n  end\nend\n",
         {"s.rb": "class Store\n  module Reading\n    def load(path)\n      File.read(path)\n    end\n  end\nend\n"},
         "drifted s.rb:3-5"),
        ("S.cs#A.Store.Load", "namespace A\n{\n  class Store\n  {\n    public int Load(int key)\n    {\n"
         "      return key;\n    }\n  }\n}\n",
         {"S.cs": "namespace A;\n\nclass Store\n{\n  public long Load(string name)\n  {\n    return Find(name);\n"
          "  }\n}\n"}, "drifted S.cs:5-8"),
        ("S.java#Store.Store", "class Store {\n  public Store(String key) {\n    this.key = key;\n  }\n}\n",
         {"S.java": None, "S.kt": "class Store(\n  val name: Name\n) : Base(name) {\n  fun load() = name\n}\n"},
         "drifted S.kt:1-5"),
        ("S.java#Store.Store", "class Store {\n  public Store(String key) {\n    this.key = key;\n  }\n}\n",
         {"S.java": None, "S.kt": "class Store {\n  fun load() = name\n}\n"}, "gone"),
        ("s.js#clean", "function clean(text) {\n  let spaces = text.match(blank)[1].length\n"
         "  let wanted = new RegExp(spaces, multiline)\n  return text.replace(wanted, '').replace(blank, nothing)\n}\n",
         {"s.js": "let none\n", "utils.js": "exports.clean = function (text) {\n  let kept = text.match(blank)[1]\n"
          "  let spaces = kept.length + given(option, default) - margin(first, last, other)\n"
          "  let wanted = new RegExp(join(spaces, tabs, marks), [multiline, global, sticky].join(separator))\n"
          "  let plain = text.replace(wanted, '').replace(prefix, suffix).replace(quotes, escaped)\n"
          "  return plain.replace(blank, nothing).trim().normalize(form)\n}\n"}, "drifted utils.js:1-7"),
        ("s.cpp#load", "int Store::load(int key) {\n  return items[key];\n}\n",
         {"s.cpp": "int Cache::load(int key) {\n  return find(key);\n}\n"}, "gone"),
        ("s.py#LIMIT", "LIMIT = make(\n    one,\n    two,\n)\n",
         {"s.py": "class Store:\n    LIMIT = (3, 4)\n"}, "drifted s.py:2"),
        ("s.c#modify", MODIFY_C % ("free(k);", "free(v);", "note(t, k);"),
         {"s.c": "int none;\n", "t.c": (MODIFY_C % ("stop();", "wait();", "leave();")).replace("modify", "set")
          .replace("jv k", "jv key").replace("int isnull = kind(t) == NULL", "int none = is_null(t)")},
         "drifted t.c:3-11"),
        ("s.scala#Store.expand", "object Store {\n  def expand(first: Path, base: Path) = {\n"
         "    val path = convert(first)\n    if (path.start == Home) Path(path, base) else Path(property(user), path)\n"
         "  }\n}\n",
         {"s.scala": "object A {\n}\n", "t.scala": "object All {\n  def expand(first: Path, base: Path = null) = {\n"
          "    val path: Path = convert(first)\n    if (path.start == Home)\n      Path(path, base)\n    else\n"
          "      Path(property(user), path)\n  }\n}\n"}, "drifted t.scala:2-8"),
        ("s.js#load", LOAD_JS, {"s.js": LOAD_JS.replace("Store", "Cache").replace("items", "all")}, "gone"),
        ("s.js#load", LOAD_JS, {"s.js": "Store.prototype.load = load;\n"}, "drifted s.js:1"),
        (
            "s.js#load",
            "function load(key) {\n  let found = ITEMS[key];\n  return found || missing(key);\n}\n",
            {"s.js": "var load = require('./load');\n", "load.ts": "export function load(key: string) {\n"
             "  const found = ITEMS[key];\n  return found || missing(key);\n}\n"},
            "drifted load.ts:1-4",
        ),
        ("S.java#Store.load", "class Store {\n  int load(String key) {\n    return items.get(key);\n  }\n}\n",
         {"S.java": None, "S.kt": "class Store {\n  fun load(name: Name) = found.getValue(name)\n}\n"},
         "drifted S.kt:2"),
        (
            "s.ts#Store.load",
            "class Store {\n  load(key) {\n    const found = this.items[key]\n    return found\n  }\n}\n",
            {"s.ts": "class Store {\n  load = (key: string): Item => {\n    return fetch(key)\n  }\n}\n"},
            "drifted s.ts:2-4",
        ),
        ("s.rb#Store.load", "class Store\n  def load(key)\n    items[key]\n  end\nend\n",
         {"s.rb": "class Store\n  def self.load(key)\n    new.all(key)\n  end\nend\n"}, "gone"),
        ("s.py#Store.load", "class Store:\n" + LOAD_PY,
         {"s.py": "class Cache:\n    def load(other):\n        pass\n"}, "gone"),
        ("s.py#Store.load", "class Store:\n" + LOAD_PY, {"s.py": "class Cache:\n" + LOAD_PY.replace(", key)", ")")},
         "drifted s.py:2-5"),
        ("s.py#Store.load", "class Store:\n" + LOAD_PY,
         {"s.py": None, "t.py": "class Outer:\n  class Store:\n    def load(self, key, other):\n"
          "        found = self.items.get(key)\n        count(found, key, other)\n        return found or key\n"},
         "drifted t.py:3-6"),
        ("s.py#load", "def load(key):\n    if key:\n      if known(key):\n        use(key)\n    for one in key:\n"
         "        use(one)\n",
         {"s.py": "def load(key):\n    if key:\n        if known(key):\n            use(key)\n    for one in key:\n"
          "        use(one)\n"}, "fresh"),
    ],
)  # fmt: skip
def test_a_definition_is_known_by_what_it_belongs_to(muninn, cited, old, now, state):
    path = cited.partition("#")[0]
    (muninn.root / path).parent.mkdir(exist_ok=True)
    (muninn.root / path).write_text(old)
    git(muninn.root, "add", ".")
    git(muninn.root, "commit", "-q", "-m", "Store")
    identity = keep(muninn, files=[cited])
    for name, text in now.items():
        (muninn.root / name).parent.mkdir(exist_ok=True)
        (muninn.root / name).unlink(missing_ok=True) if text is None else (muninn.root / name).write_text(text)
    muninn.touch(*now)
    (one,) = standing(muninn, identity)
    assert (f"{one.state} {one.place}" if one.state == "drifted" else one.state) == state


def test_a_function_inside_another_is_new_in_a_file_that_has_its_namesake(muninn):
    script = (
        "function {}(all) {{\n  function next(one) {{\n    if (one.done) {{\n      return {}\n    }}\n"
        "    return next(all.after(one))\n  }}\n}}\n"
    )
    (muninn.root / "one.js").write_text(script.format("scan", "all.found"))
    (muninn.root / "users.js").write_text(script.format("count", "all.number"))
    git(muninn.root, "add", ".")
    git(muninn.root, "commit", "-q", "-m", "Scan")
    identity = keep(muninn, files=["one.js#scan.next"])
    (muninn.root / "one.js").write_text("// none\n")
    (muninn.root / "users.js").write_text(script.format("count", "all.number") + script.format("scan", "all.users"))
    muninn.touch("one.js", "users.js")
    assert [(one.state, one.place) for one in standing(muninn, identity)] == [("drifted", "users.js:10-15")]


def test_a_file_that_moved_to_another_folder_is_not_new(muninn):
    missing = (
        'class Missing(ShopError):\n    def __init__(self, name):\n        LookupError.__init__(self, name, "{}")\n'
    )
    for folder in ("shop", "store"):
        (muninn.root / folder).mkdir()
        (muninn.root / folder / "errors.py").write_text((LONG if folder == "store" else "") + missing.format(folder))
    git(muninn.root, "add", ".")
    git(muninn.root, "commit", "-q", "-m", "Errors")
    identity = keep(muninn, files=["shop/errors.py#Missing"])
    (muninn.root / "lib").mkdir()
    git(muninn.root, "rm", "-q", "shop/errors.py")
    git(muninn.root, "mv", "store", "lib/store")
    git(muninn.root, "commit", "-q", "-m", "Move")
    muninn.touch("shop/errors.py", "lib/store/errors.py")
    assert states(muninn, identity) == ["gone"]


ASYNC = (
    "object {} {{\n  override def load(key: Key)\n                   (run: {}): Found = {{\n    super.load(key)(run)\n"
    "  }}\n}}\n"
)
LOCALE_JS = (
    "function build() {{\n  var months = {}\n  var days = {}\n  var halves = {}\n  var late = {}\n"
    "  return join(months, days, halves)\n}}\n"
)
MEMBER_JS = "  self.{} = function (names) {{\n    options.{}.push(names){}\n    return self{}\n  }}{}\n"


def members_js(owner, end, *names):
    """Return a function with members, each of which pushes to its option."""
    members = "".join(MEMBER_JS.format(name, name, end, end, end) for name in names)
    return f"function {owner}(given) {{\n{members}}}\n"


@pytest.mark.parametrize(
    ("cited", "steps", "state"),
    [
        ("s.js#exports.load", [
            {"s.js": LONG + "module.exports = function (store) {\n  function load(key) {\n    let found = store[key]\n"
             "    return found || missing(key)\n  }\n}\n"},
            {"s.js": None, "s.ts": LONG + "export function shop(store) {\n  function load(key) {\n"
             "    let found = store[key]\n    return found || missing(key)\n  }\n}\n"},
            {"s.ts": "export function shop(store: Store) {\n  function load(name: Name) {\n    fetch(name)\n  }\n}\n"},
        ], "drifted s.ts:2-4"),
        ("shop.rb#Shop.load", [
            {"shop.rb": LONG + "class Shop\n  def load(key)\n    found = items[key]\n    count(found, key)\n  end\n"
             "end\n"},
            {"shop.rb": None, "market.rb": LONG + "class Market\n  def load(key)\n    found = items[key]\n"
             "    count(found, key)\n  end\nend\n"},
            {"shop.rb": "class Shop\n  def sell\n  end\nend\n",
             "market.rb": "class Market\n  def load(key, other)\n    found = items.fetch(key)\n    count(found)\n"
             "  end\nend\n"},
        ], "drifted market.rb:2-5"),
        ("a.scala#A.load", [
            {"a.scala": ASYNC.format("A", "Later"), "b.scala": ASYNC.format("B", "Soon")},
            {"a.scala": None, "b.scala": None, "new/c.scala": ASYNC.format("C", "Soon")},
        ], "gone"),
        ("el/f.js#build", [
            {"el/f.js": LOCALE_JS.format("'Ian'", "'Kyr'", "'pm'", "'mm'"),
             "de/f.js": LOCALE_JS.format("'Jan'", "'Son'", "'am'", "'pm'")},
            {"el/f.js": None, "de/f.js": None},
            {"sl/f.js": LOCALE_JS.format("'jan'", "'ned'", "'am'", "'pm'")},
        ], "gone"),
        ("index.js#Argv.check", [
            {"index.js": members_js("Argv", ";", "check", "count")},
            {"index.js": "let none\n", "yargs.js": members_js("Yargs", "", "check", "demand")},
        ], "drifted yargs.js:2-5"),
        ("index.js#Argv.config", [
            {"index.js": members_js("Argv", ";", "config", "count", "demand", "usage")},
            {"index.js": "let none\n", "yargs.js": members_js("Yargs", "", "count", "demand", "usage")
             .removesuffix("}\n") + "  self.config = function (names, other) {\n    if (other) return self\n"
             "    each(names, function (one) {\n      options.config[one] = other\n    })\n    return self\n  }\n}\n"},
        ], "drifted yargs.js:14-20"),
    ],
)  # fmt: skip
def test_a_definition_is_followed_through_commits(muninn, cited, steps, state):
    for number, step in enumerate(steps):
        for name, text in step.items():
            file = muninn.root / name
            file.parent.mkdir(exist_ok=True)
            file.unlink(missing_ok=True) if text is None else file.write_text(text)
        git(muninn.root, "add", "-A", ".")
        git(muninn.root, "commit", "-q", "-m", "Step")
        if number == 0:
            identity = keep(muninn, files=[cited])
    muninn.touch(*{name for step in steps for name in step})
    (one,) = standing(muninn, identity)
    assert (f"{one.state} {one.place}" if one.state == "drifted" else one.state) == state


def test_a_file_that_was_translated_is_found_among_many_of_its_name(muninn):
    for number in range(MAX_ELSEWHERE + 1):
        folder = muninn.root / f"l{number:02}"
        folder.mkdir()
        (folder / "index.js").write_text(f"function week(key) {{\n  return all{number}[key]\n}}\n")
    git(muninn.root, "add", ".")
    git(muninn.root, "commit", "-q", "-m", "Weeks")
    last = f"l{MAX_ELSEWHERE:02}"
    identity = keep(muninn, files=[f"{last}/index.js#week"])
    for file in muninn.root.glob("l*/index.js"):
        file.with_suffix(".ts").write_text("function week(day: Day) {\n  const one = find(day)\n  return one\n}\n")
        file.unlink()
    muninn.touch(f"{last}/index.js", f"{last}/index.ts")
    assert [(one.state, one.place) for one in standing(muninn, identity)] == [("drifted", f"{last}/index.ts:1-4")]


def test_text_without_a_symbol_is_followed_into_another_file(muninn):
    (muninn.root / "steps.txt").write_text(LONG)
    git(muninn.root, "add", ".")
    git(muninn.root, "commit", "-q", "-m", "Steps")
    part = keep(muninn, files=["steps.txt:20-24"])
    lines = LONG.splitlines(keepends=True)
    (muninn.root / "steps.txt").write_text("".join(lines[:10]))
    (muninn.root / "more.txt").write_text("# More\n" + "".join(lines[15:]))
    muninn.touch("steps.txt", "more.txt")
    assert [(one.state, one.place) for one in standing(muninn, part)] == [("moved", "more.txt:6-10")]


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
