"""Traces of commits, which are never hits, and the votes of the commits themselves."""

from __future__ import annotations

from repositories import git

pytest_plugins = ["engines"]


def commit(muninn, message, **files):
    for name, text in files.items():
        path = muninn.root / "src" / f"{name}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        git(muninn.root, "add", str(path))
    git(muninn.root, "commit", "-q", "-m", message)


def begin(muninn):
    commit(muninn, "Begin", pump="def pump():\n    return 1\n", valve="def valve():\n    return 2\n")
    muninn.call("brief", session="s1")


def reasons(muninn, query, path):
    muninn.call("index")
    hits = muninn.call("recall", query=query, kind="code").hits
    return {one.signal: one for hit in hits if hit.path == path for one in hit.why}


def test_a_commit_raises_the_files_that_it_changed_once(muninn):
    begin(muninn)
    assert "history" not in reasons(muninn, "frobnicator stutters", "src/valve.py")
    commit(muninn, "The frobnicator no longer stutters", valve="def valve():\n    return 3\n")
    assert muninn.call("capture", source="commit", session="s1").ids == ()
    why = reasons(muninn, "frobnicator stutters", "src/valve.py")
    assert why["history"].note.endswith("The frobnicator no longer stutters")
    assert "remembered" not in why, "the trace of a commit that votes must not count as well"
    assert "history" not in reasons(muninn, "frobnicator stutters", "src/pump.py")


def test_a_trace_is_no_answer_is_not_listed_and_stays_on_this_machine(muninn):
    begin(muninn)
    commit(muninn, "The frobnicator no longer stutters", valve="def valve():\n    return 3\n")
    muninn.call("capture", source="commit", session="s1")
    assert muninn.call("memories").memories == ()
    assert muninn.call("recall", query="frobnicator stutters", kind="memory").hits == ()
    muninn.call("seal")
    written = b"".join(path.read_bytes() for path in (muninn.root / ".muninn" / "memory").rglob("*.jsonl"))
    assert b"frobnicator" not in written
