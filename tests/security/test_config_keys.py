"""What the configuration that a repository brings along causes: no endless match, no other folder, no flood."""

from __future__ import annotations

import os
import time

import pytest

from muninn_core.config import Config, load_config, load_own_settings, read_config
from muninn_core.expression import compile_expression
from muninn_core.store.secrets.masking import mask

HOSTILE = ["(a+)+$", "(a|a)*$", "(a|aa)+$", "(.*a){20}$", "^(([a-z])+.)+[A-Z]([a-z])+$"]


@pytest.mark.parametrize("pattern", HOSTILE)
def test_no_expression_holds_the_daemon(pattern: str):
    """With backtracking, 40 characters take minutes; the time here is that of the processor."""
    config, problems = read_config(f"memory:\n  secrets: ['{pattern}']\n")
    assert (problems, config.memory.secrets) == ((), (pattern,))
    start = time.process_time()
    mask("a" * 200_000 + "!", config.memory.secrets)
    assert time.process_time() - start < 20


def test_an_expression_masks_what_it_matches():
    assert mask("the key acme-0a1b and acme-ffff", ["acme-[0-9a-f]{4}"]) == (
        "the key [masked:custom] and [masked:custom]",
        2,
    )
    assert mask("schlüssel-ä \udcff schlüssel-ö", ["schlüssel-."]) == ("[masked:custom] \udcff [masked:custom]", 2)
    assert mask("nothing is empty", ["x*"]) == ("nothing is empty", 0)


@pytest.mark.parametrize("pattern", [r"(?=a)b", r"(a)\1", "(", "a{2000}", "((a{900}){900}){900}", "x" * 1001])
def test_an_expression_that_can_not_be_linear_is_a_problem_with_its_reason(pattern: str):
    config, (problem,) = read_config(f"memory:\n  secrets: ['{pattern}']\n")
    assert (problem.key, problem.line, config.memory.secrets) == ("memory.secrets", 2, ())
    assert "regular expression" in problem.message
    with pytest.raises(ValueError, match="regular expression"):
        compile_expression(pattern)


@pytest.mark.parametrize(
    "text",
    [
        "bridges:\n  claude_memory: ~/.claude/projects/other/memory\n",
        "bridges:\n  claude_memory: /srv/projects/other/memory\n",
        "skills:\n  paths: [/home/other/project/skills]\n",
        'skills:\n  paths: ["~/*/skills"]\n',
        "index:\n  workers: 100000\n",
    ],
)
def test_a_repository_can_not_set_what_is_its_readers(text: str):
    config, (problem,) = read_config(text)
    assert config == Config()
    assert problem.line == 2


def test_own_settings_hold_for_one_repository_and_only_what_a_repository_may_not_set(tmp_path):
    own = tmp_path / "config.yaml"
    own.write_text(
        "repositories:\n  /srv/shop:\n    skills: {paths: [/srv/common/skills]}\n    memory: {kinds: [runbook]}\n"
        "  /srv/other:\n    bridges: {claude_memory: auto}\n"
    )
    config, (problem,) = load_own_settings(own, "/srv/shop", Config())
    assert (config.skills.paths, config.memory.kinds, config.bridges.claude_memory) == (
        ("/srv/common/skills",),
        (),
        "off",
    )
    assert (problem.line, problem.message) == (4, "'memory.kinds' is a setting of repositories")
    assert load_own_settings(own, "/srv/third", Config()) == (Config(), ())
    assert load_own_settings(tmp_path / "none", "/srv/shop", Config()) == (Config(), ())
    for text in ("[1]", "memory: {}", "repositories: 3", "a: b: c"):
        own.write_text(text)
        config, problems = load_own_settings(own, "/srv/shop", Config())
        assert (config, len(problems)) == (Config(), 1)


def test_a_pipe_or_a_flood_as_config_is_a_problem(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    assert "not a regular file" in load_config(pipe)[1][0].message
    large = tmp_path / "large"
    large.write_bytes(b"#" * 1_000_001)
    assert "the limit is 1,000,000" in load_config(large)[1][0].message
    levels = "".join(f"  - &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 12))
    _, problems = read_config(f"bomb:\n  - &a0 [lol]\n{levels}index:\n  workers: *a11\n")
    assert {problem.key for problem in problems} == {"bomb", "index.workers"}
    assert max(len(problem.message) for problem in problems) < 200
