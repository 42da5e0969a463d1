"""Code lenses: notes grouped by the definition that they are about, with a short title each.

Pure functions of notes and extents; they use no editor and no index.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from muninn_core.model.counting import number_of_kind
from muninn_core.model.note import Lens, Note
from muninn_core.source.code.extent import Extent, innermost_extent

MAX_KINDS = 3
"""The maximum number of kinds in a title. Further kinds are counted together."""

_FIRST = ("constraint", "decision", "pattern", "attempt")
"""The kinds that come first in a title."""


def lenses(notes: Sequence[Note], extents: Sequence[Extent]) -> tuple[Lens, ...]:
    """Return one lens for the file and one for each definition with notes; nothing without notes.

    A note belongs to the innermost definition around its first line, else to its own lines. A lens on the first line
    that has the same notes as the file's lens is left out, because both would show the same text in the same place.
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
    """Return a summary of notes: "2 decisions, 1 attempt, 1 stale". A memory with several places counts once."""
    once = {note.id or note.path: note for note in sorted(notes, key=lambda note: note.stale)}
    counts = Counter(_word(note) for note in once.values())
    kinds = sorted(counts, key=lambda kind: (_FIRST.index(kind) if kind in _FIRST else len(_FIRST), kind))
    shown = kinds if len(kinds) <= MAX_KINDS else kinds[: MAX_KINDS - 1]
    parts = [number_of_kind(counts[kind], kind) for kind in shown]
    more = sum(counts[kind] for kind in kinds[len(shown) :])
    parts += [f"{more} more"] if more else []
    stale = sum(note.stale for note in once.values())
    return ", ".join([*parts, *([f"{stale} stale"] if stale else [])])


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
