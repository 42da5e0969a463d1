"""Parsing the configuration: valid values apply, and an error has key, line and allowed values."""

from __future__ import annotations

import re

import pytest

from muninn_core.config import Config, ReviewConfig, load_config
from muninn_core.config.template import template_text


@pytest.fixture
def load(tmp_path):
    """A function that loads a text as a configuration file."""

    def read(text):
        path = tmp_path / "config.yaml"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return load_config(path)

    return read


def test_a_missing_empty_or_commented_file_is_the_defaults(load, tmp_path):
    assert load_config(tmp_path / "none.yaml") == (Config(), ())
    assert load("") == (Config(), ())
    assert load(template_text()) == (Config(), ())


def test_the_default_text_without_its_comment_signs_is_the_defaults(load):
    text = re.sub(r"^#(?! )|^#(?=  )", "", template_text(), flags=re.M)
    assert "\n  idle_seconds: 900" in text
    assert load(text) == (Config(), ())
    keys = set(re.findall(r"^ *(\w+):", text, flags=re.M))
    sections = set(Config.__struct_fields__)
    assert keys == sections | {name for each in sections for name in getattr(Config(), each).__struct_fields__}


def test_every_key_can_be_set(load):
    config, problems = load(
        "daemon: {idle_seconds: 5}\n"
        "index: {model: other/model, max_file_bytes: 10, exclude: ['*.gen.py', '!x.lock'], workers: 2}\n"
        "memory: {kinds: [runbook], secrets: ['tok-[0-9]+']}\n"
    )
    assert problems == ()
    assert config.daemon.idle_seconds == 5.0
    assert (config.index.model, config.index.max_file_bytes, config.index.workers) == ("other/model", 10, 2)
    assert config.index.exclude == ("*.gen.py", "!x.lock")
    assert (config.memory.kinds, config.memory.secrets) == (("runbook",), ("tok-[0-9]+",))


def test_an_unknown_key_is_named_with_its_line_and_the_nearest(load):
    config, (problem,) = load("# a comment\nindex:\n  workrs: 3\n  max_file_bytes: 10\n")
    assert (problem.key, problem.line) == ("index.workrs", 3)
    assert problem.hint == "Did you mean 'workers'?"
    assert config.index.max_file_bytes == 10
    _, (problem,) = load("xyzzy: 1\n")
    keys = "daemon, index, memory, ranking, check, prune, evolve, review, bridges, journal, mcp, skills"
    assert problem.hint == f"The keys here are {keys}."


@pytest.mark.parametrize(
    ("text", "key", "line", "allowed"),
    [
        ("index:\n  workers: many\n", "index.workers", 2, "a whole number from 0 to 64"),
        ("index:\n  workers: -1\n", "index.workers", 2, "a whole number from 0 to 64"),
        ("index:\n  workers: true\n", "index.workers", 2, "a whole number"),
        ("index:\n\n  exclude: x\n", "index.exclude", 3, "a list of strings"),
        ("index:\n  exclude: [1]\n", "index.exclude", 2, "a list of strings"),
        ("index:\n  exclude: ['ends in \\']\n", "index.exclude", 2, "a list of strings"),
        ("index:\n  model: [a]\n", "index.model", 2, "a string"),
        ("daemon: {idle_seconds: soon}\n", "daemon.idle_seconds", 1, "a number, 0 or more"),
        ("daemon: {idle_seconds: .nan}\n", "daemon.idle_seconds", 1, "a number, 0 or more"),
        ("memory: {secrets: ['(']}\n", "memory.secrets", 1, "a list of strings"),
        ("index:\n  model: !!python/object:os.system x\n", "index.model", 2, "a string"),
        ("index:\n  exclude: &a [*a]\n", "index.exclude", 2, "a list of strings"),
    ],
)
def test_a_wrong_value_is_named_with_its_line_and_what_is_allowed(load, text, key, line, allowed):
    config, (problem,) = load(text)
    assert (problem.key, problem.line) == (key, line)
    assert f"'{key}'" in problem.message
    assert problem.hint.startswith(f"It takes {allowed}")
    assert "the default is" in problem.hint
    assert config == Config()


def test_one_wrong_key_leaves_the_rest_of_the_file_in_force(load):
    config, problems = load("index:\n  workers: many\n  model: m\nmemory: 5\ndaemon:\n  idle_seconds: 7\n")
    assert (config.index.model, config.daemon.idle_seconds) == ("m", 7.0)
    assert [(problem.key, problem.line) for problem in problems] == [("index.workers", 2), ("memory", 4)]


def test_a_table_whose_keys_are_all_commented_out_is_no_problem(load):
    assert load("daemon:\n#  idle_seconds: 5\n") == (Config(), ())


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("index:\n  model: 'open\n", 3),
        ("a: b: c\n", 1),
        ("\tindex: 1\n", 1),
        ("- index\n", 1),
        ("just words\n", 1),
        ("index: {}\n---\nindex: {}\n", 2),
    ],
)
def test_invalid_yaml_gives_the_defaults_and_a_problem_with_its_line(load, text, line):
    config, (problem,) = load(text)
    assert config == Config()
    assert problem.line == line
    assert problem.message


def test_a_file_that_is_no_text_or_is_nested_beyond_reason_is_a_problem(load):
    for text in (b"\xff\xfe\x00", b"[" * 100_000):
        config, problems = load(text)
        assert config == Config()
        assert len(problems) == 1


def test_a_name_that_is_no_actor_and_no_kind_can_not_hold_anything_back_and_is_told(load):
    config, (problem,) = load("memory: {kinds: [runbook]}\nreview:\n  pending: [asistant, runbook]\n")
    assert (problem.key, problem.line) == ("review.pending", 3)
    assert problem.hint == "Did you mean 'assistant'?"
    assert config.review.holds("hook", "runbook")


@pytest.mark.parametrize(
    ("names", "actor", "kind", "held"),
    [
        ((), "assistant", "decision", False),
        (("assistant",), "assistant", "insight", True),
        (("assistant",), "hook", "insight", False),
        (("decision",), "hook", "decision", True),
        (("decision",), "user", "decision", False),
        (("user",), "user", "insight", True),
    ],
)
def test_actors_and_kinds_decide_whose_memories_wait(names, actor, kind, held):
    assert ReviewConfig(pending=names).holds(actor, kind) is held


def test_weights_of_memories_are_numbers_up_to_ten(load):
    config, problems = load("ranking:\n  graph: 2\n  recency: 11\n  importance: .inf\n")
    assert (config.ranking.graph, config.ranking.recency, config.ranking.importance) == (2.0, 0.1, 0.2)
    assert [(one.key, one.line) for one in problems] == [("ranking.recency", 3), ("ranking.importance", 4)]
    assert problems[0].message == "'ranking.recency' can't be '11'"
    assert problems[0].hint == "It takes a number from 0 to 10; the default is 0.1."


def test_the_profile_of_ranking_is_one_that_there_is(load):
    assert load("ranking: {profile: mnemosyne}\n")[0].ranking.profile == "mnemosyne"
    config, (problem,) = load("ranking: {profile: best, words: 2}\n")
    assert (config.ranking.profile, config.ranking.words) == ("muninn", 2.0)
    assert problem.hint == "It takes muninn or mnemosyne; the default is muninn."


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [("index:\n  a: 1\n\tb: [\n", 3, "not YAML"), (b"# fine\n\xff\xfe", 2, "it is not UTF-8")],
)
def test_an_unreadable_file_gives_the_defaults_and_a_problem(load, text, line, said):
    config, (problem,) = load(text)
    assert (config, problem.line) == (Config(), line)
    assert said in problem.message
    assert problem.hint == "Every key has its default until you correct it."


def test_a_folder_in_the_place_of_the_file_is_told_in_words(tmp_path):
    _, (problem,) = load_config(tmp_path)
    assert problem.message == "the file can't be read: it is a folder"
