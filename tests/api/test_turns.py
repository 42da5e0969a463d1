"""Python programs record turns, steps and the nodes of PocketFlow; the real daemon keeps them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pocketflow import AsyncFlow, AsyncNode, AsyncParallelBatchNode, BatchNode, Flow, Node
from repositories import Home, daemon_pid

from muninn_core import Repository, open_repository
from muninn_core.errors import PreconditionError, UsageError
from muninn_core.recording.pocketflow import recorded


@pytest.fixture(scope="module")
def repository(served: Home) -> Iterator[Repository]:
    """A repository whose daemon runs."""
    with open_repository(served.repo, environ=served.environ) as found:
        assert found.status().pid == daemon_pid(served.repo, served.environ)
        yield found


def told(repository: Repository, session: str, **where: Any) -> list[tuple[str, Any]]:
    """Return type and payload of a session's events, oldest first."""
    hits = repository.event_query(session_id=session, limit=200, **where).hits
    return [(hit.event.event_type, hit.event.payload) for hit in reversed(hits)]


def spans(repository: Repository, session: str, kind: Any = "turn") -> list[Any]:
    return list(reversed(repository.span_list(kind=kind, session_id=session).spans))


def test_a_turn_takes_two_lines(repository: Repository) -> None:
    with repository.turn("Fix the login.", agent="mine", session="two") as turn:
        turn.tool_call("shell", command="make test", exit_status=2, result="error: no bucket")
        turn.tool_call("search", {"query": "bucket", "odd": {1, 2}, "nan": float("nan")}, result="x" * 9_000)
        turn.usage(model="m", input_tokens=3)
        turn.answer("Done.")
    begun, prompt, failed, search, usage, answer, ended = told(repository, "two")
    assert (begun[0], ended) == ("muninn.turn.begun", ("muninn.turn.ended", {"outcome": "closed"}))
    assert prompt == ("prompt", {"text": "Fix the login."})
    assert failed[1] == {
        "tool": "shell", "command": "make test", "exit_status": 2, "failed": True,
        "result": "error: no bucket", "result_chars": 16,
    }  # fmt: skip
    assert search[1]["input"] == {"query": "bucket", "odd": [1, 2], "nan": "nan"}
    assert (search[1]["result_chars"], len(search[1]["result"])) == (9_000, 2_000)
    assert usage[1] == {"model": "m", "input_tokens": 3}
    assert answer[1] == {"text": "Done."}
    (span,) = spans(repository, "two")
    assert (span.status, span.project_id) == ("closed", repository.root.name)


def test_half_a_character_in_a_text_is_recorded_as_a_question_mark(repository: Repository) -> None:
    half = "half \ud83d"
    with repository.turn(half, session="half") as turn:
        turn.tool_call(half, {half: half}, half, command=half)
        with turn.step("node", half) as step:
            step.observe("value", half, half)
        turn.answer(half)
    found = dict(told(repository, "half"))
    call = found["tool_call"]
    assert {found["prompt"]["text"], call["tool"], call["command"], call["result"]} == {"half ?"}
    assert found["answer"]["text"] == "half ?"


def test_an_exception_is_recorded_and_raised_and_the_turn_is_incomplete(repository: Repository) -> None:
    with pytest.raises(ZeroDivisionError), repository.turn(session="bad") as turn, turn.step("task", "divide"):
        _ = 1 // 0
    (span,) = spans(repository, "bad")
    assert span.status == "incomplete"
    (error,) = [about for kind, about in told(repository, "bad") if kind == "error"]
    assert error["type"] == "ZeroDivisionError"
    (capsule,) = spans(repository, "bad", "capsule")
    assert (capsule.status, capsule.intent) == ("closed", "divide")


def test_a_turn_that_is_over_takes_no_event_and_no_id_is_used_twice(repository: Repository) -> None:
    with repository.turn(session="over", turn="t-1") as turn:
        turn.record("note", {"n": 1}, key="k-1")
        assert turn.record("note", {"n": 1}, key="k-1").payload == {"n": 1}
    with pytest.raises(PreconditionError):
        turn.record("note", {"n": 2})
    with pytest.raises(PreconditionError), repository.turn(session="over", turn="t-1"):
        raise AssertionError("the turn must not begin")
    assert [about for kind, about in told(repository, "over") if kind == "note"] == [{"n": 1}]


def tree(repository: Repository, session: str) -> list[tuple[str, str, str, list[tuple[str, Any]]]]:
    """Return (type, intent, parent's intent, observations) of each capsule of a session, in the order of opening."""
    found = spans(repository, session, "capsule")
    names = {span.id: span.intent for span in found}
    result = []
    for span in found:
        events = told(repository, session, stream_id=span.id)
        seen = [
            (about["kind"], about["details"].get("value", about["details"].get("type")))
            for kind, about in events
            if kind == "muninn.observation" and "turn_id" not in about["details"]
        ]
        assert span.status == "closed"
        result.append((span.type, span.intent, names.get(span.parent, ""), seen))
    return result


class Ask(Node):
    """Fails at its first attempt."""

    def prep(self, shared: dict[str, Any]) -> Any:
        return shared["question"]

    def exec(self, prep_res: Any) -> Any:
        if not self.cur_retry:
            raise ConnectionError("the model is away")
        return f"answer to {prep_res}"

    def post(self, shared: dict[str, Any], _prep_res: Any, exec_res: Any) -> str:
        shared["answer"] = exec_res
        return "grade"


class Grade(BatchNode):
    """Grades each word."""

    def prep(self, shared: dict[str, Any]) -> Any:
        return shared["answer"].split()[:2]

    def exec(self, prep_res: Any) -> Any:
        return len(prep_res)

    def post(self, shared: dict[str, Any], _prep_res: Any, exec_res: Any) -> None:
        shared["grades"] = exec_res


def test_the_nodes_of_a_flow_are_steps_with_inputs_outputs_and_errors(repository: Repository) -> None:
    ask, grade = Ask(max_retries=2), Grade()
    ask - "grade" >> grade
    inner = Flow(start=ask)
    outer, shared = Flow(start=inner), {"question": "why"}
    with repository.turn(session="flow") as turn, recorded(outer, turn):
        outer.run(shared)
        with pytest.raises(UsageError, match="already"), recorded(outer, turn):
            raise AssertionError("it must not begin")
    assert shared["grades"] == [6, 2]
    assert (type(ask), type(outer)) == (Ask, Flow)
    assert tree(repository, "flow") == [
        ("flow", "Flow", "", [("input", None)]),
        ("flow", "Flow", "Flow", [("input", None)]),
        ("node", "Ask", "Flow", [
            ("input", "why"), ("error", "ConnectionError"), ("output", "answer to why"), ("action", "grade"),
        ]),
        ("node", "Grade", "Flow", [("input", ["answer", "to"]), ("output", 6), ("output", 2), ("action", None)]),
    ]  # fmt: skip
    recorded_before = len(told(repository, "flow"))
    outer.run(shared)
    assert len(told(repository, "flow")) == recorded_before


def test_a_node_that_fails_for_good_ends_its_steps_and_the_turn(repository: Repository) -> None:
    flow = Flow(start=Ask())
    with pytest.raises(ConnectionError), repository.turn(session="fails") as turn, recorded(flow, turn):
        flow.run({"question": "why"})
    (outer, node) = tree(repository, "fails")
    assert outer[3] == [("input", None), ("error", "ConnectionError")]
    assert [kind for kind, _ in node[3]] == ["input", "error", "error", "error"]  # attempt, fallback, node
    assert [span.status for span in spans(repository, "fails")] == ["incomplete"]


class Fetch(AsyncNode):
    """Returns a list."""

    async def exec_async(self, _prep_res: Any) -> Any:
        await asyncio.sleep(0)
        return [1, 2]

    async def post_async(self, shared: dict[str, Any], _prep_res: Any, exec_res: Any) -> str:
        shared["items"] = exec_res
        return "default"


class Double(AsyncParallelBatchNode):
    """Doubles all items at once."""

    async def prep_async(self, shared: dict[str, Any]) -> Any:
        return shared["items"]

    async def exec_async(self, prep_res: Any) -> Any:
        await asyncio.sleep(0)
        return prep_res * 2


def test_asynchronous_nodes_are_recorded_too(repository: Repository) -> None:
    fetch, double = Fetch(), Double()
    fetch >> double
    flow = AsyncFlow(start=fetch)
    with repository.turn(session="async") as turn, recorded(flow, turn):
        asyncio.run(flow.run_async({}))
    flows, fetched, doubled = tree(repository, "async")
    assert (flows[1], fetched[1:3], doubled[1:3]) == ("AsyncFlow", ("Fetch", "AsyncFlow"), ("Double", "AsyncFlow"))
    assert fetched[3] == [("input", None), ("output", [1, 2]), ("action", "default")]
    assert doubled[3][0] == ("input", [1, 2])
    assert sorted(doubled[3][1:3]) == [("output", 2), ("output", 4)]


def test_only_nodes_of_pocketflow_are_taken(repository: Repository) -> None:
    with repository.turn() as turn, pytest.raises(UsageError, match="not a node"), recorded(object(), turn):
        raise AssertionError("it must not begin")


def test_without_a_daemon_the_turn_is_recorded_by_the_program_itself(plain_repo: Path, environ: dict[str, str]) -> None:
    with open_repository(plain_repo, environ=environ) as alone:
        alone.init()
        with alone.turn("Go.", session="alone") as turn:
            turn.tool_call("shell", command="make", exit_status=1, result="error: no bucket")
            turn.tool_call("Edit", {"file_path": "src/users.py"})
            turn.tool_call("shell", command="make", exit_status=0)
        assert daemon_pid(plain_repo, environ) is None
        (found,) = alone.candidate_distil("alone").candidates
        assert (found.kind, found.files) == ("fixed", ("src/users.py",))
