"""Secrets are never stored, and private memories stay on this machine."""

from __future__ import annotations

import json

import pytest
from private_text import WORD, holders, key_of_chance
from repositories import git

from muninn_core.errors import BadParams

pytest_plugins = ["engines"]


def test_a_private_span_is_stored_nowhere(muninn):
    span = f"<private>{WORD}</private>"
    memory = muninn.call(
        "remember",
        text=f"Rollouts start at nine. {span}",
        title=f"Rollouts {span}",
        tags=["ops", span],
        files=["src/users.py", span],
        details={"why": f"because {span}", "who": span},
    ).memory
    assert (memory.text, memory.title) == ("Rollouts start at nine.", "Rollouts")
    assert (memory.tags, memory.files, memory.details) == (("ops",), ("src/users.py",), {"why": "because"})
    muninn.call("seal")
    assert holders(muninn.root) == []


def test_a_memory_that_is_all_private_is_refused_and_stored_nowhere(muninn):
    with pytest.raises(BadParams, match="nothing to remember"):
        muninn.call("remember", text=f"<private>{WORD}")
    assert holders(muninn.root) == []


def test_private_spans_of_commits_and_transcripts_are_not_captured(muninn, tmp_path):
    muninn.call("brief", session="s1")
    (muninn.root / "a.py").write_text("A = 1\n")
    git(muninn.root, "add", "a.py")
    message = f"feat!: replace the session store\n\nWe decided on Redis.\n<private>{WORD}\n"
    git(muninn.root, "commit", "-q", "-m", message)
    said = f"We decided to use Postgres for orders. <private>We decided that {WORD} pays.</private>"
    transcript = tmp_path / "talk.jsonl"
    line = {"type": "user", "message": {"role": "user", "content": said}}
    transcript.write_text(json.dumps(line) + "\n")
    assert muninn.call("capture", source="commit", session="s1").ids
    told = muninn.call("capture", source="transcript", session="s1", transcript=str(transcript))
    assert WORD not in told.note
    muninn.call("seal")
    assert holders(muninn.root) == []
    assert "Redis" in muninn.call("memories", text="session store").memories[0].text


def test_a_commit_whose_message_is_all_private_is_passed_over(muninn):
    muninn.call("brief", session="s1")
    git(muninn.root, "commit", "-q", "--allow-empty", "-m", f"<private>feat!: drop {WORD}")
    assert muninn.call("capture", source="commit", session="s1").ids == ()


def test_reasons_and_rewordings_are_looked_at_like_memories(muninn):
    (identity,) = muninn.call("remember", text="Sessions live in Redis.").ids
    secret = key_of_chance()
    muninn.call("forget", id=identity, reason=f"token = {secret} <private>{WORD}</private>")
    muninn.call("seal")
    assert holders(muninn.root) == holders(muninn.root, secret) == []
    assert "[masked:assigned]" in muninn.call("memories", id=identity).memories[0].details["archived_reason"]


def test_a_value_given_to_a_telling_name_is_masked_before_it_is_written(muninn):
    secret = key_of_chance()
    result = muninn.call("remember", text=f'The crawler has api_key = "{secret}".', details={"token": secret})
    assert result.masked == 2
    assert holders(muninn.root, secret) == []


def test_a_private_memory_is_recalled_and_labelled_but_never_sealed(muninn):
    memory = muninn.call("remember", text=f"My own {WORD} runs on port 7001.", private=True, session="s1").memory
    muninn.call("remember", text="Everybody's service runs on port 80.", session="s1")
    assert memory.private
    hit = muninn.call("recall", query=f"{WORD} port", kind="memory").hits[0]
    assert (hit.id, hit.private) == (memory.id, True)
    assert f"`{memory.id[-8:]}` (private)" in muninn.call("context", query=f"{WORD} port").text
    assert f"(insight, private, Test, just now) `{memory.id[-8:]}`" in muninn.call("brief").text
    assert muninn.call("status").log.unsealed == 1
    assert muninn.call("seal").records == 1
    muninn.call("reconcile")
    holding = {path.rpartition("/")[0] for path in holders(muninn.root) if "/cache/" not in path}
    assert holding == {".muninn/local/contexts", ".muninn/local/private"}
    git(muninn.root, "add", "-A")
    assert WORD not in git(muninn.root, "diff", "--cached")


def test_changes_of_a_private_memory_are_private_and_survive_a_restart(muninn, start):
    (identity,) = muninn.call("remember", text=f"My {WORD}.", private=True).ids
    muninn.call("forget", id=identity, reason="no longer mine")
    assert muninn.call("seal").records == 0
    muninn.engine.close()
    later = start(muninn.root)
    (memory,) = later.call("memories", id=identity).memories
    assert (memory.private, memory.archived) == (True, True)
    holding = [path for path in holders(muninn.root, identity) if not path.startswith(".muninn/cache/")]
    assert holding == [f".muninn/local/private/{memory.session}.jsonl"]  # the index of this machine may have it, too


def test_a_batch_may_mix_private_and_shared_memories(muninn):
    result = muninn.call("remember", batch=[{"text": f"Mine: {WORD}.", "private": True}, {"text": "Ours."}])
    assert [muninn.call("memories", id=each).memories[0].private for each in result.ids] == [True, False]
    assert muninn.call("seal").records == 1
