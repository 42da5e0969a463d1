"""Files of the work tree as compact text for a model."""

from __future__ import annotations

from muninn_core.context.results.generic_text import result_text
from muninn_core.model.citation import place
from muninn_core.model.counting import number_of
from muninn_core.protocol.families.files import FilesResult, GrepResult, ReadResult, TreeResult


@result_text.register
def grep_text(result: GrepResult) -> str:
    """Return `path:line: text` for each match, or `path: lines` for each file, and what was left out."""
    rows = [f"{each.path}: {each.lines}" for each in result.counts]
    for match in result.matches:
        first = match.line - len(match.before)
        rows += [f"{match.path}-{number}- {text}" for number, text in enumerate(match.before, first)]
        rows.append(f"{match.path}:{match.line}: {match.text}")
        rows += [f"{match.path}-{number}- {text}" for number, text in enumerate(match.after, match.line + 1)]
    lines, files = number_of(result.total, "line"), number_of(result.searched, "file")
    rows.append(f"({lines} in {result.files:,} of {files}.{_rest(result)})")
    return "\n".join(rows)


def _rest(result: GrepResult) -> str:
    omitted = (
        f" {number_of(result.omitted, 'line is', 'lines are')} left out: raise `limit` or narrow `path`."
        if result.omitted
        else ""
    )
    late = (
        f" {number_of(result.unsearched, 'file was', 'files were')} not searched in time: narrow `path`."
        if result.unsearched
        else ""
    )
    return omitted + late


@result_text.register
def read_text(result: ReadResult) -> str:
    """Return the lines with their numbers, below the path."""
    rows = [f"{place(result.path, result.start, result.end)} of {number_of(result.total, 'line')}"]
    rows += [f"{number}\t{text}" for number, text in enumerate(result.lines, result.start)]
    if result.omitted:
        rows.append(f"({number_of(result.omitted, 'more line')}: read from line {result.end + 1}.)")
    return "\n".join(rows)


@result_text.register
def tree_text(result: TreeResult) -> str:
    """Return the paths; a folder has its number of files."""
    rows = [f"{result.path}: {number_of(result.files, 'file')}"]
    rows += [each.path + (f" ({each.files:,})" if each.path.endswith("/") else "") for each in result.entries]
    if result.omitted:
        rows.append(
            f"({number_of(result.omitted, 'entry is', 'entries are')} left out: name a folder or less `depth`.)"
        )
    return "\n".join(rows)


@result_text.register
def files_text(result: FilesResult) -> str:
    """Return the paths, and how many more there are."""
    if not result.total:
        return "No file matches. A glob is like in .gitignore: src/**, *.py."
    more = [f"({result.omitted:,} more: raise `offset`.)"] if result.omitted else []
    return "\n".join([*(each.path for each in result.files), *more])
