"""Contexts: the working set comes first; each context has an id and can be explained and replayed."""

from __future__ import annotations

import json
import os
import stat

import pytest
from private_text import WORD, holders, key_of_chance
from repositories import copy_plain_repo, git

from muninn_core.context.packs.render import FORMATS
from muninn_core.context.packs.tokens import count_tokens
from muninn_core.errors import BadParams, NotFoundError
from muninn_core.launch.repository_location import locate
from muninn_core.model.memory import SHORT_ID

pytest_plugins = ["engines"]

LONG = "".join(
    f'def step_{name}(state):\n    """Take the {name} step."""\n'
    + "".join(f"    state[{number}] = '{name} {number}'\n" for number in range(30))
    + "\n\n"
    for name in ("alpha", "beta", "gamma", "delta")
)
"""A file of four definitions, each long enough to be its own chunk."""


@pytest.fixture
def steps(muninn):
    """A repository with a file of four steps."""
    return add_steps(muninn)


@pytest.fixture(scope="module")
def shared_steps(start_shared, tmp_path_factory):
    """The same for tests that change nothing."""
    muninn = start_shared(copy_plain_repo(tmp_path_factory.mktemp("steps") / "repo"))
    muninn.call("init")
    return add_steps(muninn)


@pytest.fixture(scope="module")
def pinned_steps(start_shared, tmp_path_factory):
    """The same with one pinned memory whose text has to be escaped."""
    muninn = start_shared(copy_plain_repo(tmp_path_factory.mktemp("pinned") / "repo"))
    muninn.call("init")
    add_steps(muninn).call("remember", text='Names & <tags> are never "empty".\n' * 20, pin=True)
    return muninn


def add_steps(muninn):
    (muninn.root / "src" / "steps.py").write_text(LONG)
    git(muninn.root, "add", "-A")
    git(muninn.root, "commit", "-q", "-m", "Steps")
    muninn.call("index")
    return muninn


def line_of(text, lines=LONG):
    return next(number for number, line in enumerate(lines.splitlines(), 1) if text in line)


def told(item):
    return {reason.signal: reason.note for reason in item.why}


# --- files in use ---


def test_the_code_around_the_cursor_comes_first_with_that_reason(shared_steps):
    line = line_of("def step_gamma") + 3
    pack = shared_steps.call("context", query="user names", cursor=f"src/steps.py:{line}:7")
    first = pack.items[0]
    assert (first.tier, first.path) == ("hand", "src/steps.py")
    assert first.start_line <= line <= first.end_line
    assert told(first)["cursor"] == f"the cursor is on line {line}"
    assert any(item.path == "src/users.py" for item in pack.items)


@pytest.mark.parametrize("cursor", ["src/steps.py", "src/steps.py:", ":3", "src/steps.py:0", "src/steps.py:x"])
def test_a_cursor_that_names_no_line_is_refused(shared_steps, cursor):
    with pytest.raises(BadParams, match="not a place in a file"):
        shared_steps.call("context", cursor=cursor)


def test_a_cursor_in_a_file_that_is_not_indexed_is_said(shared_steps):
    with pytest.raises(NotFoundError, match=r"there is no file src/none\.py"):
        shared_steps.call("context", cursor="src/none.py:3")


def test_without_a_query_the_question_is_derived_from_the_working_set(steps):
    asked = steps.call("context", cursor=f"src/steps.py:{line_of('def step_beta')}")
    assert "step_beta" in asked.question
    assert "users.py" in steps.call("context", files=["src/users.py"]).question
    misspelt = steps.call("context", query="users", files=["src/userz.py"])
    assert misspelt.saw.note == "src/userz.py does not exist here; did you mean src/users.py?"
    steps.call("remember", text="Nicknames are unique.", task="PROJ-T-0042")
    unknown = steps.call("context", query="users", task="PROJ-T-0043")
    assert unknown.saw.note == "nothing is known of the task PROJ-T-0043; did you mean PROJ-T-0042?"
    assert not steps.call("context", query="users", task="proj-t-0042").saw.note
    pack = steps.call("context", task="PROJ-T-0042")
    assert [item.text for item in pack.items if item.tier == "task"] == ["Nicknames are unique."]


def test_a_context_without_task_and_files_is_refused(shared_steps):
    for given in ({}, {"query": "  \n"}, {"files": []}):
        with pytest.raises(BadParams, match="nothing to gather context for") as error:
            shared_steps.call("context", **given)
        assert "cursor and diff" in error.value.hint


def change(muninn):
    text = LONG.replace("'delta 7'", "make_delta_payload('delta 7')")
    (muninn.root / "src" / "steps.py").write_text(text)
    muninn.touch("src/steps.py")


def test_a_context_includes_the_changed_lines_of_the_work_tree(steps):
    change(steps)
    (steps.root / "src" / "fresh.py").write_text("def brand_new():\n    return 1\n")
    steps.touch("src/fresh.py")
    pack = steps.call("context", diff="HEAD")
    at_hand = {item.path: told(item)["changed"] for item in pack.items if item.tier == "hand"}
    line = line_of("delta 7")
    assert at_hand == {
        "src/steps.py": f"the change touches line {line}",
        "src/fresh.py": "the change touches lines 1-2",
    }
    assert "make_delta_payload" in pack.question
    assert pack.items[0].tier == "hand"


def test_a_range_and_a_patch_say_the_same_as_the_work_tree(steps):
    change(steps)
    patch = git(steps.root, "diff")
    by_patch = steps.call("context", diff=patch)
    git(steps.root, "commit", "-q", "-a", "-m", "Change")
    steps.call("index")
    by_range = steps.call("context", diff="HEAD~1..HEAD")
    assert by_range.question == by_patch.question
    assert [(item.id, told(item)) for item in by_range.items if item.tier == "hand"] == [
        (item.id, told(item)) for item in by_patch.items if item.tier == "hand"
    ]


def test_a_change_that_changes_nothing_is_said_unless_there_is_a_question(shared_steps):
    with pytest.raises(NotFoundError, match="no change to gather context for"):
        shared_steps.call("context", diff="HEAD")
    assert shared_steps.call("context", diff="HEAD", query="user names").items


@pytest.mark.parametrize(
    ("diff", "error", "words"),
    [
        ("no-such-branch", NotFoundError, "no commit 'no-such-branch'"),
        ("HEAD..no-such-branch", NotFoundError, "no commit 'no-such-branch'"),
        ("--output=/x", BadParams, "is not a revision"),
        ("some words\nin lines\n", BadParams, "not a patch, revision or range"),
        ("+++ b/a\n" * 200_000, BadParams, "characters"),
    ],
)
def test_a_change_that_can_not_be_read_is_refused(shared_steps, diff, error, words):
    with pytest.raises(error, match=words):
        shared_steps.call("context", diff=diff, query="x")


def test_a_question_about_the_past_has_no_cursor_and_no_change(shared_steps):
    for given in ({"cursor": "src/steps.py:1"}, {"diff": "HEAD"}):
        with pytest.raises(BadParams, match="exclude each other"):
            shared_steps.ask("context", query="x", at="HEAD", **given)


def test_files_that_are_open_or_changed_count_and_say_why(steps):
    change(steps)
    steps.engine.open_editors.update(locate(str(steps.root)).root, "editor", ["src/users.py"])
    pack = steps.call("context", query="step delta state and the display name of a user")
    notes = {item.path: told(item).get("focus") for item in pack.items if item.kind == "code"}
    assert notes["src/users.py"] == "open in an editor"
    assert notes["src/steps.py"] == "changed in the work tree"
    assert pack.inputs.open_files == ("src/users.py",)


def test_an_editor_that_leaves_takes_its_files_with_it(steps):
    root = locate(str(steps.root)).root
    steps.engine.open_editors.update(root, "one", ["a.py", "b.py"])
    steps.engine.open_editors.update(root, "two", ["b.py", "c.py"])
    assert steps.engine.open_editors.files(root, ["z.py"]) == ("z.py", "b.py", "c.py", "a.py")
    steps.engine.open_editors.update(root, "two", [])
    assert steps.engine.open_editors.files(root) == ("a.py", "b.py")
    steps.engine.open_editors.update(root, "one", [])
    assert steps.engine.open_editors.files(root) == ()


def test_a_querys_filters_narrow_what_is_found_and_its_mistakes_are_told_by_their_column(steps):
    steps.call("remember", text="User names are never empty.", type="decision", tags=["auth"])
    steps.call("remember", text="User names are cached.", tags=["speed"])
    pack = steps.call("context", query="user names tag:auth")
    assert [item.text for item in pack.items] == ["User names are never empty."]
    assert (pack.question, pack.inputs.query) == ("user names", "user names tag:auth")
    only = steps.call("context", query="user names path:src/** kind:code")
    assert {item.kind for item in only.items} == {"code"}
    with pytest.raises(BadParams, match="column 12"):
        steps.call("context", query="user names kind:music")


def test_ten_thousand_words_are_a_question_like_any_other(shared_steps):
    pack = shared_steps.call("context", query="the display name of a user " * 2000, budget=500)
    assert pack.tokens <= 500
    assert any(item.path == "src/users.py" for item in pack.items)


# --- budgets and formats ---


@pytest.mark.parametrize("budget", [0, -1, 49, 10_000_000, 10**30])
def test_a_budget_that_makes_no_sense_is_refused_by_its_name(shared_steps, budget):
    with pytest.raises(BadParams, match=r"budget|int"):
        shared_steps.call("context", query="user names", budget=budget)


@pytest.mark.parametrize("style", FORMATS)
@pytest.mark.parametrize("budget", [50, 120, 1000, 200_000])
def test_every_budget_holds_in_every_format(pinned_steps, budget, style):
    pack = pinned_steps.call("context", query="user names and pinned_steps & <state>", budget=budget, format=style)
    assert pack.tokens == count_tokens(pack.text) <= budget
    assert pack.omitted == len(pack.left_out)


def test_the_items_that_fit_are_the_same_in_every_format(shared_steps):
    packs = [shared_steps.call("context", query="user names", format=style) for style in FORMATS]
    assert len({tuple(item.id for item in pack.items) for pack in packs}) == 1
    assert json.loads(packs[1].text)["bundle"] == packs[1].bundle
    assert f'bundle="{packs[2].bundle}"' in packs[2].text
    assert packs[0].bundle in packs[0].text


def test_a_thousand_pins_do_not_keep_the_answer_to_the_question_out(steps):
    steps.call("remember", batch=[{"text": f"Pin {n}: {'word ' * 40}{n}", "pin": True} for n in range(1000)])
    pack = steps.call("context", query="user names", budget=2000)
    assert pack.tokens <= 2000
    assert {"pin", "code"} <= {item.tier for item in pack.items}
    assert len(pack.items) + len(pack.left_out) < 500


# --- bundles ---


def test_the_same_question_on_the_same_state_has_the_same_id_and_bytes(steps):
    first = steps.call("context", query="user names")
    steps.clock.forward(seconds=30)
    again = steps.call("context", query="user names")
    assert (again.bundle, again.text) == (first.bundle, first.text)
    others = [
        steps.call("context", query="user names", **more)
        for more in ({"budget": 900}, {"format": "xml"}, {"files": ["README.md"]})
    ]
    assert len({first.bundle, *(other.bundle for other in others)}) == 4


def test_another_clone_with_another_daemon_gives_the_same_id_and_bytes(steps, start, tmp_path):
    steps.call("remember", text="Users are never cached.", files=["src/users.py"], session="s1")
    steps.call("seal")
    git(steps.root, "add", "-A")
    git(steps.root, "commit", "-q", "-m", "Memory")
    git(steps.root, "clone", "-q", ".", str(tmp_path / "clone"))
    other = start(tmp_path / "clone", clock=steps.clock)
    other.call("index", rebuild=True)
    steps.call("index")
    for style in FORMATS:
        asked = {"query": "are users cached", "format": style}
        here, there = steps.call("context", **asked), other.call("context", **asked)
        assert (here.bundle, here.text) == (there.bundle, there.text)


def test_a_context_is_explained_item_by_item(shared_steps):
    pack = shared_steps.call("context", query="user names", budget=400)
    why = shared_steps.call("why", bundle=pack.bundle[:10])
    assert (why.bundle, why.inputs.query, why.question, why.then) == (pack.bundle, "user names", "user names", pack.saw)
    assert (why.items, why.left_out) == (pack.items, pack.left_out)
    for item in pack.items:
        assert item.score == pytest.approx(sum(reason.contribution for reason in item.why))
        assert item.id in why.text
    assert all(f"{each.reason}, {each.tokens} tokens" in why.text for each in pack.left_out)
    one = shared_steps.call("why", bundle=pack.bundle, item="src/users.py")
    assert {item.path for item in (*one.items, *one.left_out)} == {"src/users.py"}


def test_the_short_id_in_a_pack_names_its_memory(pinned_steps):
    pack = pinned_steps.call("context", query="user names")
    (pinned,) = [item for item in pack.items if item.tier == "pin"]
    short = pinned.id[-SHORT_ID:]
    assert f"(insight, Test, {pinned.ts[:10]}) `{short}`" in pack.text
    assert pinned_steps.call("show", id=short).memory.id == pinned.id
    assert [item.id for item in pinned_steps.call("why", bundle=pack.bundle, item=short).items] == [pinned.id]


def test_explaining_an_unknown_context_is_an_error(shared_steps):
    bundle = shared_steps.call("context", query="user names").bundle
    with pytest.raises(NotFoundError, match="was no candidate"):
        shared_steps.call("why", bundle=bundle, item="src/none.py")
    with pytest.raises(NotFoundError, match="is stored here"):
        shared_steps.call("why", bundle="c-0000000000000000")
    for wrong in ("../../x", "c-", "c-zz", "users"):
        with pytest.raises(BadParams, match="not a context id"):
            shared_steps.call("replay", bundle=wrong)


def test_a_replay_gives_the_same_bytes_whatever_happened_since(steps):
    pack = steps.call("context", query="user names")
    (steps.root / "src" / "users.py").write_text("def get_user_name():\n    return None\n")
    steps.touch("src/users.py")
    steps.call("remember", text="User names are cached.")
    steps.call("index", rebuild=True)
    replayed = steps.call("replay", bundle=pack.bundle)
    assert replayed.context == pack
    assert (replayed.source, replayed.same) == ("kept", True)
    assert any("the log had" in words for words in replayed.moved)


def test_a_context_outlives_its_daemon(steps, start):
    pack = steps.call("context", query="user names")
    steps.engine.close()
    assert start(steps.root).call("replay", bundle=pack.bundle).context == pack


def test_gathering_anew_on_the_same_state_gives_the_same_text(steps):
    steps.call("remember", text="User names are never empty.")
    pack = steps.call("context", query="user names")
    steps.clock.forward(days=40)
    fresh = steps.call("replay", bundle=pack.bundle, fresh=True)
    assert (fresh.source, fresh.same, fresh.differs, fresh.moved) == ("fresh", True, (), ())
    assert fresh.context.text == pack.text


def test_gathering_anew_says_what_differs_and_that_the_state_is_another(steps):
    old = steps.call("remember", text="User names are never empty.").ids[0]
    pack = steps.call("context", query="user names")
    steps.call("forget", id=old)
    new = steps.call("remember", text="User names may be empty now.").ids[0]
    (steps.root / "src" / "users.py").write_text("def get_user_name():\n    return None\n")
    git(steps.root, "commit", "-q", "-a", "-m", "Change")
    steps.touch("src/users.py")
    steps.call("index")
    fresh = steps.call("replay", bundle=pack.bundle, fresh=True)
    assert not fresh.same
    assert any(old[-SHORT_ID:] in words and words.startswith("gone: ") for words in fresh.differs)
    assert any(new[-SHORT_ID:] in words and words.startswith("new: ") for words in fresh.differs)
    assert any(words.startswith("HEAD was ") for words in fresh.moved)
    assert any(words.startswith("the log had ") for words in fresh.moved)


def test_a_question_about_a_branch_is_replayed_from_the_commit_that_it_stood_for(steps):
    steps.call("remember", text="User names are never empty.", session="s1")
    steps.call("seal")
    git(steps.root, "add", "-A")
    git(steps.root, "commit", "-q", "-m", "Memory")
    pack = steps.ask("context", query="user names", at="main")
    steps.call("remember", text="User names may be empty now.", session="s1")
    steps.call("seal")
    git(steps.root, "add", "-A")
    git(steps.root, "commit", "-q", "-m", "More memory")
    assert steps.ask("context", query="user names", at="main").text != pack.text
    fresh = steps.call("replay", bundle=pack.bundle, fresh=True)
    assert (fresh.same, fresh.context.text) == (True, pack.text)


# --- privacy ---


def test_kept_contexts_are_private_files_that_git_ignores(steps):
    git(steps.root, "add", "-A")
    git(steps.root, "commit", "-q", "--allow-empty", "-m", "Init")
    steps.call("context", query="user names")
    (kept,) = (steps.root / ".muninn" / "local" / "contexts").iterdir()
    assert git(steps.root, "status", "--porcelain") == ""
    if os.name != "nt":
        assert stat.S_IMODE(kept.stat().st_mode) == 0o600
        assert stat.S_IMODE(kept.parent.stat().st_mode) == 0o700


def test_a_secret_or_private_span_in_what_is_asked_gets_into_no_file(steps):
    key = key_of_chance()
    change(steps)
    patch = git(steps.root, "diff").replace("make_delta_payload", f"api_key = '{key}'")
    for given in (
        {"query": f"user names, api_key = '{key}' <private>{WORD}</private>"},
        {"query": "user names", "diff": patch},
    ):
        pack = steps.call("context", **given)
        assert key not in pack.text
        assert pack.items
    assert holders(steps.root, key) == []
    assert holders(steps.root) == []


def test_redacting_a_memory_removes_the_contexts_that_hold_it_and_no_other(steps):
    identity = steps.call("remember", text=f"The {WORD} account has a shared login.").ids[0]
    held = steps.call("context", query="which account has a shared login")
    asked = steps.call("context", query=f"The {WORD} account has a shared login.", scope="session")
    other = steps.call("context", query="user names", scope="session")
    assert WORD in held.text
    steps.call("redact", id=identity)
    assert holders(steps.root) == []
    for bundle in (held.bundle, asked.bundle):
        with pytest.raises(NotFoundError, match="is stored here"):
            steps.call("replay", bundle=bundle)
    assert steps.call("replay", bundle=other.bundle).same


def test_a_redaction_that_comes_by_git_removes_contexts_as_well(steps, start, tmp_path):
    identity = steps.call("remember", text=f"The {WORD} account has a shared login.", session="s1").ids[0]
    steps.call("seal")
    git(steps.root, "add", "-A")
    git(steps.root, "commit", "-q", "-m", "Memory")
    git(steps.root, "clone", "-q", ".", str(tmp_path / "clone"))
    other = start(tmp_path / "clone", clock=steps.clock)
    bundle = other.call("context", query="which account has a shared login").bundle
    steps.call("redact", id=identity)
    steps.call("seal")
    git(steps.root, "add", "-A")
    git(steps.root, "commit", "-q", "-m", "Redact")
    git(tmp_path / "clone", "pull", "-q")
    with pytest.raises(NotFoundError):
        other.call("replay", bundle=bundle)
    assert not [path for path in holders(tmp_path / "clone") if "/contexts/" in path]


def test_a_repository_that_can_not_be_written_answers_and_keeps_nothing(steps, start):
    other = start(steps.root)
    pack = other.call("context", query="user names")
    assert pack.items
    with pytest.raises(NotFoundError) as error:
        other.call("why", bundle=pack.bundle)
    assert "read-only repository stores none" in error.value.hint
