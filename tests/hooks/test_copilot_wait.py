"""The hook of a turn's end waits for the file in which Copilot CLI writes the turn."""

from __future__ import annotations

import json
import threading
from pathlib import Path

from muninn_hooks.copilot import wait_for_turn

EARLIER, ENDED = "2026-11-27T20:40:02.448Z", "2026-11-27T20:40:06.696Z"


def end_of_turn(time: str) -> str:
    return json.dumps({"type": "hook.start", "data": {"hookType": "agentStop"}, "timestamp": time}) + "\n"


def test_it_ends_when_the_turn_is_written_and_not_with_an_earlier_one(tmp_path: Path) -> None:
    file = tmp_path / "events.jsonl"
    file.write_text(end_of_turn(EARLIER) + '{"type":"assistant.message"}\n')
    waiting = threading.Thread(target=wait_for_turn, args=(str(file), ENDED, 600.0))
    waiting.start()
    waiting.join(0.2)
    assert waiting.is_alive()
    with file.open("a") as lines:
        lines.write(end_of_turn(ENDED) + '{"type":"hook.end"}\n')
    waiting.join(60)
    assert not waiting.is_alive()


def test_it_waits_for_the_file_of_a_session_that_has_just_begun(tmp_path: Path) -> None:
    file = tmp_path / "events.jsonl"
    waiting = threading.Thread(target=wait_for_turn, args=(str(file), ENDED, 600.0))
    waiting.start()
    waiting.join(0.2)
    assert waiting.is_alive()
    file.write_text(end_of_turn(ENDED))
    waiting.join(60)
    assert not waiting.is_alive()


def test_it_does_not_wait_for_an_unreadable_file_nor_longer_than_it_may(tmp_path: Path) -> None:
    wait_for_turn(str(tmp_path), ENDED, 600.0)
    wait_for_turn(str(tmp_path / "none.jsonl"), ENDED, 0.0)
    (tmp_path / "broken.jsonl").write_text('{"hook.start" "agentStop"\n')
    wait_for_turn(str(tmp_path / "broken.jsonl"), ENDED, 0.0)
