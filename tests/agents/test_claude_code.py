"""A real Claude Code, installed into a scratch repository by `muninn install claude-code`, with a scripted model.

Nothing leaves the machine: the model is on loopback, the home folder is the test's own.
"""

from __future__ import annotations

import json

import pytest
from bench.agent_models.messages import Call, Request
from claude_code import NAME, ClaudeCode

RULE = "Never log the e-mail addresses of customers."

pytestmark = [pytest.mark.client(NAME), pytest.mark.slow]


def test_the_brief_is_part_of_the_first_request(claude: ClaudeCode) -> None:
    run = claude.run([["Good."]], "Where do sessions live?")
    assert "Sessions live in Postgres, not in Redis." in run.model.of("turn")[0].text
    assert claude.failures() == []


def test_a_commit_that_the_model_makes_is_remembered_and_sealed(claude: ClaudeCode) -> None:
    subject = "Introduce quotas: a token bucket instead of a counter"
    command = f"echo '# bucket' >> src/users.py && git commit -qam '{subject}'"
    run = claude.run([["I commit.", Call("Bash", {"command": command})], ["Done."]], "Please commit.")
    (memory,) = claude.call("memories", tag="commit")["memories"]
    assert memory["title"] == subject
    assert (memory["type"], memory["trust"], memory["session"]) == ("decision", "commit", run.session)
    assert memory["files"] == ["src/users.py"]
    assert "Remembered: Introduce quotas" in run.model.of("turn")[1].text
    assert memory["sealed"]
    (turn,) = claude.turns(run.session)
    assert sorted(turn) == ["answer", "answer", "prompt", "tool_call", "usage", "usage"]
    (call,) = claude.call("event.query", event_type="tool_call", session_id=run.session)["hits"]
    assert (call["event"]["payload"]["command"], call["event"]["payload"]["exit_status"]) == (command, 0)
    (given, *_) = claude.call("event.query", event_type="given", session_id=run.session)["hits"]
    assert given["event"]["payload"]["verb"] == "brief"
    assert claude.failures() == []


def test_decisions_return_after_compaction(claude: ClaudeCode) -> None:
    def fills_up(request: Request) -> int:
        answers = sum(message["role"] == "assistant" for message in request.body["messages"])
        return 98_000 if request.kind == "turn" and answers >= 2 else 30_000

    steps = [[Call("Bash", {"command": f"echo step {number}"})] for number in range(4)]
    run = claude.run([*steps, ["Done."]], RULE, "--autocompact", "100000", input_tokens=fills_up)
    (asked, *_) = run.model.of("summary")
    assert "Keep in the summary: decisions with their reasons" in asked.text
    after = run.model.requests[run.model.requests.index(asked) + 1 :]
    following = next(request for request in after if request.kind == "turn")
    assert "step 0" not in following.text
    assert RULE in following.text
    (memory,) = claude.call("memories", session=run.session)["memories"]
    assert (memory["text"], memory["type"], memory["trust"]) == (RULE, "constraint", "user")
    assert claude.failures() == []


def test_compaction_on_demand_captures_too(claude: ClaudeCode) -> None:
    first = claude.run([["We decided to keep `users.py` small because it is read on every request."]], "Go.")
    claude.run([["Fine."]], "/compact keep the names", "--resume", first.session)
    (memory,) = claude.call("memories", tag="session")["memories"]
    assert (memory["type"], memory["trust"], memory["session"]) == ("decision", "agent", first.session)
    then = claude.run([["On."]], "Go on.", "--resume", first.session)
    assert "We decided to keep `users.py` small" in then.model.of("turn")[0].text
    assert claude.failures() == []


def test_the_model_can_call_recall_at_once_and_after_the_daemon_is_killed(claude: ClaudeCode) -> None:
    claude.warm_up()  # Claude Code waits five seconds for a server
    recall = Call("mcp__muninn__recall", {"query": "where do sessions live"})
    kill = Call("Bash", {"command": f"kill -9 {claude.call('status')['pid']}"})
    run = claude.run([[recall], [kill], [recall], ["In Postgres."]], "Where do sessions live?")
    first, *_, last = run.model.of("turn")
    assert "mcp__muninn__recall" in first.tools
    results = [
        block
        for message in last.body["messages"]
        if isinstance(message["content"], list)
        for block in message["content"]
        if block["type"] == "tool_result"
    ]
    assert [bool(result.get("is_error")) for result in results] == [False, False, False]
    for result in (results[0], results[2]):
        assert "Sessions live in Postgres" in json.dumps(result["content"])


def test_after_uninstalling_claude_code_the_model_gets_no_memory(claude: ClaudeCode) -> None:
    claude.muninn("uninstall", "claude-code")
    run = claude.run([["I don't know."]], "Where do sessions live?")
    (first,) = run.model.of("turn")
    assert "Postgres" not in first.text
    assert not any(name.startswith("mcp__muninn") for name in first.tools)


def test_before_it_stops_the_model_is_asked_once_to_remember_what_was_decided(claude: ClaudeCode) -> None:
    claude.muninn("config", "set", "memory.ask_agent", "true")
    decided = "We decided to keep quotas in `users.py` because every request reads it."
    stored = "Quotas are kept in src/users.py: every request reads that file."

    claude.warm_up()
    run = claude.run(
        [[decided], [Call("mcp__muninn__remember", {"text": stored, "type": "decision"})], ["Stored."]], RULE
    )
    assert len(run.model.of("turn")) == 3, claude.events()
    first, asked, last = run.model.of("turn")
    assert "Muninn asks once" not in first.text
    assert f"decision (assistant): {decided}" in asked.text
    # The rule is listed as well if Claude Code has written the prompt to its transcript by then.
    assert "Remembered as 0" in last.text
    kept = {memory["text"]: memory for memory in claude.call("memories")["memories"]}
    assert {RULE, stored} <= kept.keys()
    assert decided not in kept
    assert (kept[stored]["actor"], kept[RULE]["trust"]) == ("assistant", "user")
    again = claude.run([[decided]], "Go on.", "--resume", run.session)
    assert len(again.model.of("turn")) == 1
    assert claude.failures() == []
