"""Lines, and how they are grouped into runs: the arithmetic below the cutting of code and prose.

Lines are those of an editor: only a newline ends one.
"""

from __future__ import annotations

LEAST = 500
"""Characters that a chunk has, unless its file has less."""

MOST = 1_600
"""Characters that a chunk never exceeds, but for a single longer line below `LONGEST_LINE`."""

LONGEST_LINE = 4_000
"""Characters: a line above it is cut into pieces of `MOST`, which share its line number."""


def split_lines(text: str) -> list[str]:
    """Split at newlines only, and keep them. The texts put together are the input."""
    lines = text.split("\n")
    last = lines.pop()
    kept = [line + "\n" for line in lines]
    return [*kept, last] if last else kept


def tile(sizes: list[int], merits: list[float]) -> list[tuple[int, int]]:
    """Group lines into runs of `LEAST` to `MOST` characters that begin where `merits` is highest.

    `sizes` are the lines' lengths, `merits[i]` says how good it is to begin a run at line i. Returns half-open
    ranges of line indexes that tile the file; a line above `LONGEST_LINE` is a run of its own.
    """
    runs: list[tuple[int, int]] = []
    start, count = 0, len(sizes)
    rest = sum(sizes)
    while start < count:
        if rest <= MOST or sizes[start] > LONGEST_LINE:
            end = count if rest <= MOST else start + 1
        else:
            end = _best_end(sizes, merits, start)
        rest -= sum(sizes[start:end])
        runs.append((start, end))
        start = end
    return runs


def _best_end(sizes: list[int], merits: list[float], start: int) -> int:
    size, best, best_merit = sizes[start], start + 1, -1e9
    for i in range(start + 1, len(sizes)):
        if size >= LEAST or i == start + 1 or sizes[i] > LONGEST_LINE:
            # A fuller chunk is better, all else equal: few large pieces rather than many small ones.
            merit = merits[i] + 25 * size / MOST - (60 if size < LEAST else 0)
            if merit >= best_merit:
                best, best_merit = i, merit
        if size + sizes[i] > MOST:
            break
        size += sizes[i]
    return best
