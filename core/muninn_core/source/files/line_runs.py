"""Splits text into lines and groups lines into runs; used to chunk code and prose. Only a newline ends a line."""

from __future__ import annotations

MIN_CHUNK = 500
"""The minimum characters of a chunk, except in a shorter file."""

MAX_CHUNK = 1_600
"""The maximum characters of a chunk, except for a longer single line up to `MAX_LINE_LENGTH`."""

MAX_LINE_LENGTH = 4_000
"""A line with more characters is cut into pieces of `MAX_CHUNK`, which share its line number."""


def split_lines(text: str) -> list[str]:
    """Split at newlines and keep them. The joined lines equal the text."""
    lines = text.split("\n")
    last = lines.pop()
    kept = [line + "\n" for line in lines]
    return [*kept, last] if last else kept


def group_lines(sizes: list[int], merits: list[float]) -> list[tuple[int, int]]:
    """Group lines into runs of `MIN_CHUNK` to `MAX_CHUNK` characters that begin at lines with high `merits`.

    `sizes` are the lengths of the lines, `merits[i]` is the score of a run that begins at line i. Returns half-open
    ranges of line indexes that tile the file; a line above `MAX_LINE_LENGTH` is a run of its own.
    """
    runs: list[tuple[int, int]] = []
    start, count = 0, len(sizes)
    rest = sum(sizes)
    while start < count:
        if rest <= MAX_CHUNK or sizes[start] > MAX_LINE_LENGTH:
            end = count if rest <= MAX_CHUNK else start + 1
        else:
            end = _best_end(sizes, merits, start)
        rest -= sum(sizes[start:end])
        runs.append((start, end))
        start = end
    return runs


def _best_end(sizes: list[int], merits: list[float], start: int) -> int:
    size, best, best_merit = sizes[start], start + 1, -1e9
    for i in range(start + 1, len(sizes)):
        if size >= MIN_CHUNK or i == start + 1 or sizes[i] > MAX_LINE_LENGTH:
            # Prefer few large chunks to many small ones.
            merit = merits[i] + 25 * size / MAX_CHUNK - (60 if size < MIN_CHUNK else 0)
            if merit >= best_merit:
                best, best_merit = i, merit
        if size + sizes[i] > MAX_CHUNK:
            break
        size += sizes[i]
    return best
