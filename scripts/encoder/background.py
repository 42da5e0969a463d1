"""Encodes the background of reminders: prompts and statements of no project in particular.

`retrieval/signals/closeness.py` reads it. The texts are those of `bench/data`. Run this with the project's interpreter
after a change of the encoder.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from bench.capture.conversations import load  # noqa: E402

from muninn_core.index.embedding.encoder import ENCODER, load_encoder  # noqa: E402
from muninn_core.index.vectors.quantise import quantise  # noqa: E402
from muninn_core.retrieval.signals.closeness import FILE  # noqa: E402

DATA = ROOT / "bench" / "data"
WORDS = range(5, 61)
"""The number of words of a message that is a prompt of the background."""


def prompts() -> list[str]:
    """Return the labelled prompts and the messages of people in conversations."""
    said = [message for session in load(DATA / "conversations.txt") for message in session.messages]
    messages = [each.text for each in said if each.speaker == "user" and len(each.text.split()) in WORDS]
    return sorted({*(row["text"] for row in _rows("prompts.jsonl")), *messages})


def statements() -> list[str]:
    """Return both sides of all pairs of statements."""
    sides = {row[side]["text"] for row in _rows("pairs.jsonl") for side in ("left", "right")}
    return sorted(sides | {row[side] for row in _rows("statements.jsonl") for side in "ab"})


def _rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (DATA / name).read_text("utf-8").splitlines()]


def main() -> int:
    encoder = load_encoder()
    if encoder is None:
        print("The text encoder is missing; `make encoder` builds it.", file=sys.stderr)
        return 1
    rows = [quantise(encoder.embed(texts())) for texts in (prompts, statements)]
    np.savez_compressed(FILE, encoder=np.array(ENCODER), prompts=rows[0], statements=rows[1])
    print(f"wrote {FILE.relative_to(ROOT)}: {len(rows[0])} prompts, {len(rows[1])} statements")
    return 0


if __name__ == "__main__":
    sys.exit(main())
