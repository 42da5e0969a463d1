"""Corrections in prompts that follow an agent's work: what demands something of it counts, other prompts do not."""

from __future__ import annotations

from muninn_core.capture.sessions.event_memories import find_memories
from muninn_core.model.event import Event

CORRECTIONS = [
    "No, the timeout belongs in the configuration, not in the code. Always read it from there.",
    "No. Don't mock the database in these tests.",
    "Wrong, the ids must stay strings.",
    "That's wrong, you should only count closed orders.",
    "Not like that: keep the old signature and add a new function.",
    "Stop adding comments to every line.",
    "Please don't rename public functions without asking.",
    "Don't touch the generated files under api/.",
    "I told you to use pathlib instead of os.path.",
    "I said never commit to main directly.",
    "Actually, use the existing retry helper rather than a new one.",
    "Use ruff instead of flake8 in this repository.",
    "Nope, revert that, we must support Python 3.9.",
    "Again: write the tests first, always.",
    "Wait, don't delete the migration, rename it.",
    "That's not what I asked, leave the README alone.",
]
OTHERS = [
    "Thanks, that looks right.",
    "No worries, continue.",
    "No, I have no further questions about it.",
    "No idea, what do you think?",
    "Now add a test for the empty list.",
    "Why did you use a set instead of a list?",
    "Can you use pathlib instead?",
    "What happens when the file is missing?",
    "Run the tests again please.",
    "Looks good, commit it.",
    "Actually fine as it is.",
    "Stop.",
    "No",
    "Wait a moment while I check the logs.",
    "The build fails with error 2, see below.",
    "How do I start the server?",
    "Explain what the function does.",
    "Yes, do that.",
    "Next, the documentation of the API.",
    "Wrong window, sorry.",
]


def event(number: int, kind: str, **payload: object) -> Event:
    return Event(
        position=number, event_id=f"e{number}", project_id="p", session_id="s", turn_id="", stream_id="session:s",
        stream_seq=number, event_type=kind, event_version=1, occurred_at="", recorded_at="", actor="user", source="",
        payload=payload, payload_hash="", hash="",
    )  # fmt: skip


def corrected(prompt: str) -> str:
    """Return the correction that a prompt makes after an answer, "" for none."""
    events = [event(1, "prompt", text="Go."), event(2, "answer", text="Done."), event(3, "prompt", text=prompt)]
    return next((found.text for found in find_memories(events, []) if found.kind == "correction"), "")


def test_corrections_are_found_and_nothing_else_counts_as_one() -> None:
    wrong = [prompt for prompt in OTHERS if corrected(prompt)]
    found = [prompt for prompt in CORRECTIONS if corrected(prompt)]
    assert wrong == []
    assert len(found) >= 0.85 * len(CORRECTIONS), set(CORRECTIONS) - set(found)


def test_a_correction_starts_with_what_is_demanded() -> None:
    assert corrected("I told you to use pathlib instead of os.path.") == "Use pathlib instead of os.path."
    assert corrected("No. Don't mock the database in these tests. Then push.") == (
        "Don't mock the database in these tests. Then push."
    )


def test_the_first_prompt_of_a_session_corrects_nothing() -> None:
    assert find_memories([event(1, "prompt", text="No, use tabs in the Makefile only.")], []) == []


def test_edits_of_another_form_are_no_edits() -> None:
    def found(files: object) -> list[str]:
        failed = event(1, "tool_call", command="make", failed=True, exit_status=2, result="error: no bucket")
        edit, passed = event(2, "tool_call", files=files), event(3, "tool_call", command="make", result="ok")
        return [path for each in find_memories([failed, edit, passed], ["/r"]) for path in each.files]

    assert found(["a.py", 5, None]) == ["a.py"]
    assert [found(files) for files in ("src/a.py", 5, {"a.py": 1}, [[]])] == [[], [], [], []]
