"""What stands beside the code: notes gathered above the definitions that they are about, each in a few words.

Pure functions of notes and extents. It knows no editor and no index.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from muninn_core.model.note import Lens, Note
from muninn_core.source.extent import Extent, innermost_extent

TYPES = 3
"""How many kinds a title names; the rest is counted together."""

_PLURALS = {"memory": "memories", "bug_fix": "bug fixes", "entity": "entities", "session_summary": "session summaries"}
_FIRST = ("constraint", "decision", "pattern", "attempt")
"""What people want to know of first."""


def lenses(notes: Sequence[Note], extents: Sequence[Extent]) -> tuple[Lens, ...]:
    """Return one lens for the file, when anything is remembered about it, and one for each definition with notes.

    A note belongs to the innermost definition around its first line; one outside of all belongs to its lines. What
    begins on the first line, and has all of the file's notes, would say the same in the same place: it has no lens.
    """
    if not notes:
        return ()
    above: dict[tuple[int, int, str], list[Note]] = {}
    for note in notes:
        if note.start and note.state != "gone":
            around = innermost_extent(list(extents), note.start, note.start)
            key = (around.start, around.end, around.name) if around else (note.start, note.end, "")
            above.setdefault(key, []).append(note)
    whole = _lens((0, 0, ""), notes)
    placed = [_lens(key, found) for key, found in sorted(above.items())]
    return (whole, *(one for one in placed if one.start > 1 or (one.ids, one.paths) != (whole.ids, whole.paths)))


def title(notes: Iterable[Note]) -> str:
    """Return notes in a few words: "2 decisions, 1 attempt, 1 stale". A memory with several places counts once."""
    once = {note.id or note.path: note for note in sorted(notes, key=lambda note: note.stale)}
    counts = Counter(_word(note) for note in once.values())
    kinds = sorted(counts, key=lambda kind: (_FIRST.index(kind) if kind in _FIRST else len(_FIRST), kind))
    shown = kinds if len(kinds) <= TYPES else kinds[: TYPES - 1]
    parts = [counted(counts[kind], kind) for kind in shown]
    more = sum(counts[kind] for kind in kinds[len(shown) :])
    parts += [f"{more} more"] if more else []
    stale = sum(note.stale for note in once.values())
    return ", ".join([*parts, *([f"{stale} stale"] if stale else [])])


def counted(number: int, kind: str) -> str:
    """Return "1 decision", "2 bug fixes"."""
    word = kind.replace("_", " ")
    return f"{number} {word if number == 1 else _PLURALS.get(kind, word + 's')}"


def _word(note: Note) -> str:
    return "decision" if note.type == "adr" else note.type


def _lens(key: tuple[int, int, str], notes: Sequence[Note]) -> Lens:
    start, end, symbol = key
    return Lens(
        start=start,
        end=end,
        symbol=symbol,
        title=title(notes),
        ids=tuple(dict.fromkeys(note.id for note in notes if note.id)),
        paths=tuple(dict.fromkeys(note.path for note in notes if note.path)),
    )
