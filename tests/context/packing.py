"""Hits and packs for tests of the selection and rendering of packs."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from muninn_core.context.packs.pack import TIERS, Pack
from muninn_core.context.packs.render import render_sheet
from muninn_core.context.packs.tokens import count_tokens
from muninn_core.model.answer import Hit

NAMES = [tier for tier, _ in TIERS]


def hit(
    text: str = "x = 1",
    kind: Any = "code",
    path: str = "a.py",
    start: int = 1,
    end: int = 0,
    identity: str | None = None,
    **more: Any,
) -> Hit:
    """Return a hit. Its span has the length of its text by default."""
    end = end or start + text.count("\n")
    fields: dict[str, Any] = {"score": 1.0, "why": (), **more}
    return Hit(
        kind=kind,
        id=identity or f"{path}:{start}-{end}",
        path=path,
        start_line=start,
        end_line=end,
        text=text,
        **fields,
    )


def text_of(pack: Pack, style: Any = "markdown") -> str:
    """Return the text of a pack in a format."""
    return render_sheet(pack.sheet, style)


def tokens_of(pack: Pack, style: Any = "markdown") -> int:
    """Return the tokens of the text of a pack."""
    return count_tokens(text_of(pack, style))


def reasons(pack: Pack) -> dict[str, str]:
    """Return why each candidate is left out, by its id."""
    return {each.id: each.reason for each in pack.left_out}


hits = st.builds(
    hit,
    text=st.text(max_size=2000),
    kind=st.sampled_from(["code", "knowledge", "memory"]),
    path=st.sampled_from(["a.py", "b/größer.md", "c.py"]),
    start=st.integers(1, 50),
    end=st.integers(50, 99),
    identity=st.uuids().map(str),
    title=st.text(max_size=60),
    score=st.floats(-1, 3).map(lambda value: round(value, 4)),
    trust=st.sampled_from([None, "user", "outside"]),
    origin=st.sampled_from(["", "pack house-style 1.0"]),
)
"""Any hit at all, markup, control characters and all."""
