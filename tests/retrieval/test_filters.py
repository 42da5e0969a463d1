"""What filters mean, of files and of memories."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from muninn_core.model.memory import KINDS, Cite, Memory
from muninn_core.retrieval.query.filters import compile_filters, language_named, wrong_value
from muninn_core.retrieval.query.query_language import read_question

NOW = datetime(2026, 3, 1, tzinfo=UTC)
MEMORY = Memory(
    id="m1",
    type="decision",
    text="Cache by commit.",
    ts="2026-01-10T00:00:00.000Z",
    updated="2026-02-20T00:00:00.000Z",
    tags=("Cache", "auth"),
    files=("src/cache.py",),
    cites=(Cite(path="lib/deep/x.ts"),),
    importance=7,
    actor="assistant",
    agent="claude-code 1.2",
    session="s1",
    sessions=("s1", "s2"),
    task="MUNI-T-0042",
    branch="feature/cache",
)


def sieve(text):
    return compile_filters(read_question(text, lambda key, value: wrong_value(key, value, KINDS)).filters, NOW)


@pytest.mark.parametrize(
    "passing",
    [
        *("type:decision", "kind:memory", "kind:decision", "kind:code,decision", "tag:cache", "tag:auth tag:cache"),
        *("tag:nope,auth", "path:src/**", "path:*.ts", "path:lib", "lang:python", "lang:ts", "author:assistant"),
        *("author:claude-code", 'author:"claude-code 1.2"', "importance:7", "importance:>=7", "importance:<8"),
        *("importance:5..8", "importance:>6", "since:2w", "since:2026-02-20", "until:2026-02-21", "until:3d"),
        *(
            "session:s2",
            "task:T-0042",
            "branch:feature",
            "branch:feature/*",
            "-tag:other",
            "-type:insight",
            "-since:1d",
        ),
    ],
)
def test_a_memory_passes(passing):
    assert sieve(passing).memory(MEMORY)


@pytest.mark.parametrize(
    "refusing",
    [
        *("type:insight", "kind:code", "tag:other", "tag:cache tag:other", "path:docs/**", "lang:go", "author:user"),
        *("importance:8", "importance:<=6", "importance:>7", "since:1d", "since:2026-02-21", "until:2026-02-20"),
        *("until:2m", "session:s3", "task:T-43", "branch:main", "branch:cache", "-tag:cache", "-path:src/**"),
    ],
)
def test_a_memory_is_refused(refusing):
    assert not sieve(refusing).memory(MEMORY)


@pytest.mark.parametrize(
    "passing", ["path:src/**", "lang:python", "lang:py", "kind:code", "-tag:x", "-since:1d", "-kind:memory"]
)
def test_a_file_passes(passing):
    assert sieve(passing).file("src/a.py", "code", "python")


@pytest.mark.parametrize(
    "refusing",
    ["path:docs", "lang:go", "kind:knowledge", "tag:x", "type:decision", "since:9y", "-path:src", "author:user"],
)
def test_a_file_is_refused_also_by_what_only_memories_have(refusing):
    assert not sieve(refusing).file("src/a.py", "code", "python")


def test_languages_are_known_by_name_and_by_suffix():
    assert [language_named(name) for name in ("Python", "py", ".rs", "c+", "yml")] == [
        "python",
        "python",
        "rust",
        "",
        "yaml",
    ]
    assert [language_named(name) for name in ("golang", "C++", "c#")] == ["go", "cpp", "csharp"]
