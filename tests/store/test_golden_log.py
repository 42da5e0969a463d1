"""The log of version 1 stays readable for ever: its lines give the state that is written beside them."""

import json
from pathlib import Path

from muninn_core.model.memory import KINDS
from muninn_core.model.value import to_plain
from muninn_core.store.files.lines import read_lines
from muninn_core.store.folding.fold import fold
from muninn_core.store.records.change import CHANGES
from muninn_core.store.records.record import encode_line, parse_line

GOLDEN = Path(__file__).parent.parent / "golden"
LINES = (GOLDEN / "log-v1.jsonl").read_bytes()
APPROVAL = (GOLDEN / "log-v1-approval.jsonl").read_bytes()
"""Lines of version 1 with later additions: waiting memories, and decisions about them."""


LATER = {
    "private": False,
    "elsewhere": (),
    "work": "",
    "review": "",
    "scope": "project",
    "expired": False,
    "author": "",
    "questions": (),
    "repository": "",
}
"""Fields added after the golden state was written, and their values for its memories."""


def _plain(memory):
    plain = to_plain(memory)
    assert {name: plain.pop(name) for name in LATER} == LATER
    return plain


def plain_state(content):
    lines = read_lines(content, "log-v1.jsonl")
    assert lines.malformed == ()
    state = fold(lines.records)
    return {
        "memories": [_plain(memory) for memory in state.memories.values()],
        "disputes": to_plain(state.disputes),
        "waiting": [record.id for record in state.unresolved],
        "records": state.records,
    }


def test_the_golden_log_gives_the_golden_state():
    assert json.loads(json.dumps(plain_state(LINES))) == json.loads((GOLDEN / "log-v1.state.json").read_text())


def test_the_golden_log_has_every_type_of_record():
    types = {json.loads(line)["type"] for line in (LINES + APPROVAL).splitlines()}
    assert types >= {*KINDS, *CHANGES}


def test_the_golden_log_survives_a_rewrite_in_another_order():
    records = [parse_line(line) for line in LINES.splitlines()]
    rewritten = b"".join(encode_line(record) for record in reversed(records))
    assert plain_state(rewritten) == plain_state(LINES)
    for before, after in zip(LINES.splitlines()[3:], reversed(rewritten.splitlines()[:-3]), strict=True):
        assert json.loads(before) == json.loads(after)


def test_the_oldest_lines_have_text_and_keep_what_they_said():
    hit, pattern, summary = (next(iter(fold([parse_line(line)]).memories.values())) for line in LINES.splitlines()[:3])
    assert (hit.type, hit.text, hit.confidence) == ("context_hit", "Relevant for query abc123: src/auth.py", 0.95)
    assert hit.details["query_hash"] == "abc123"
    assert (pattern.title, pattern.text) == ("auth_flow", "auth_flow: src/auth.py, src/middleware.py")
    assert pattern.entities == ("src/auth.py", "src/middleware.py")
    assert (summary.text, summary.task) == ("API uses FastAPI dependency injection", "MUNI-T-0042")
    assert summary.files == ("src/api.py",)


def test_the_golden_log_of_approvals_gives_its_golden_state():
    state = fold(read_lines(APPROVAL, "log-v1-approval.jsonl").records)
    found = [to_plain(memory) for memory in state.memories.values()]
    later = {
        "scope": "project",
        "expired": False,
        "author": "",
        "questions": (),
        "repository": "",
    }  # fields that came after this golden state, too
    assert [{name: memory.pop(name) for name in later} for memory in found] == [later] * len(found)
    assert json.loads(json.dumps(found)) == json.loads((GOLDEN / "log-v1-approval.state.json").read_text())
    assert [memory["review"] for memory in found] == ["pending", "approved", "rejected", "pending", "pending", ""]
