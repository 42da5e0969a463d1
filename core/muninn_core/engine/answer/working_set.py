"""The working set of a context: files named or open, the code around the cursor, and the code that a change touches.

It records why each file belongs to it, and derives a question when none was asked. Weights are in `retrieval`.
"""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from muninn_core import git
from muninn_core.engine.answer.empty_results import unknown_task
from muninn_core.engine.answer.search_context import SearchContext
from muninn_core.engine.answer.unknown_file import unknown_file
from muninn_core.errors import BadParams, NotFoundError
from muninn_core.launch.repository_location import RepositoryLocation
from muninn_core.model.answer import Hit
from muninn_core.model.chunk import Chunk
from muninn_core.model.value import replace
from muninn_core.protocol.families.search import ContextParams
from muninn_core.retrieval.results.hits import hit_of
from muninn_core.retrieval.results.signal import Signal, reasons_of, signal
from muninn_core.retrieval.weights import BESIDE, CHANGED, CURSOR
from muninn_core.worktree.history.edited_files import EditedFiles

MAX_FILES = 100
"""The most files of a working set."""

MAX_PIECES = 40
"""The most chunks of a change; those with the most changed lines come first."""

MAX_PATCH = 1_000_000
"""The most characters of a patch; it is stored with the answer."""

QUESTION_CHARS = 400
"""The most characters of a derived question."""

_LAST_LINE = 1_000_000_000
_RANGE = re.compile(r"(?P<before>.*?)\.\.\.?(?P<after>.*)")
_CURSOR = re.compile(r"(?P<path>.+?):(?P<line>\d{1,9})(?::\d{1,9})?")
_NAME = re.compile(r"[^\W\d]\w{3,}")


class WorkingSet(NamedTuple):
    """Files with the reason why each belongs to the set, hits in them, and the names that a change adds.

    `lines` is {path: the cursor's line, or the first line that the change touches}, `edited` the files that differ from
    HEAD.
    """

    files: dict[str, str]
    pieces: tuple[Hit, ...] = ()
    names: tuple[str, ...] = ()
    lines: Mapping[str, int] = MappingProxyType({})
    edited: tuple[str, ...] = ()


def working_set_of(
    location: RepositoryLocation, edited_files: EditedFiles, params: ContextParams, searched: SearchContext
) -> WorkingSet:
    """Return the working set. Raises BadParams for an invalid cursor or diff, NotFoundError for an unknown file."""
    named = dict.fromkeys((rooted(location, file) for file in params.files), "named by the caller")
    if params.at is not None:
        _refuse_places(params)
        return WorkingSet(named)
    pieces: list[Hit] = []
    files: dict[str, str] = {}
    lines: dict[str, int] = {}
    if params.cursor is not None:
        path, line = _cursor(location, params.cursor)
        files[path], lines[path] = "the cursor is in it", line
        chunks = _chunks(searched, path)
        if not chunks:
            raise unknown_file(Path(location.root), path, (known for known, _, _ in searched.own.paths()))
        pieces += _around(chunks, line)
    changed = _changed(location, params.diff) if params.diff is not None else ()
    edited = edited_files.files()
    for each in changed:
        files.setdefault(each.path, "the change touches it")
        lines.setdefault(each.path, each.spans[0][0] if each.spans else 0)
    pieces += _touched(searched, changed)
    for path in (*named, *(rooted(location, each) for each in params.open_files), *edited):
        files.setdefault(path, named.get(path) or _ground(location, path, params))
    names = Counter(name for each in changed for line in each.added for name in _NAME.findall(line))
    common = sorted(names, key=lambda name: (-names[name], name))[:12]
    return WorkingSet(dict(list(files.items())[:MAX_FILES]), tuple(pieces), tuple(common), lines, edited)


def _ground(location: RepositoryLocation, path: str, params: ContextParams) -> str:
    is_open = path in {rooted(location, each) for each in params.open_files}
    return "open in an editor" if is_open else "changed in the work tree"


def question_of(params: ContextParams, searched: SearchContext, working_set: WorkingSet) -> str:
    """Return the query, or a question derived from task, cursor, change and files.

    Raises BadParams when the parameters name nothing, NotFoundError for an unknown task or an empty change.
    """
    if params.query.strip():
        return params.query
    document = searched.documents.with_code(params.task) if params.task else None
    parts = [document.title if document is not None else params.task or ""]
    parts += [name for hit in working_set.pieces[:MAX_PIECES] for name in hit.symbol.split()[:3]]
    parts += working_set.names
    if params.files or params.cursor is not None or params.diff is not None:
        grounds = ("named by the caller", "the cursor is in it", "the change touches it")
        for path in [path for path, ground in working_set.files.items() if ground in grounds][:10]:
            parts.append(posixpath.basename(path))
            parts += [name for chunk in _chunks(searched, path)[:6] for name in chunk.symbol.split()[:2]]
    question = " ".join(dict.fromkeys(part for part in parts if part))
    if params.task and question == params.task and unknown_task(params.task, searched):
        raise NotFoundError(
            f"nothing is known of the task '{params.task[:80]}'",
            hint="Give a query, or the id as the task's document has it.",
        )
    if question:
        return question if len(question) <= QUESTION_CHARS else question[:QUESTION_CHARS].rpartition(" ")[0]
    if params.diff is not None:
        raise NotFoundError("there is no change to gather context for", hint="Ask a query, or name a range A..B.")
    raise BadParams(
        "there is nothing to gather context for", hint="Give a query, or one of task, files, cursor and diff."
    )


def with_grounds(hits: Iterable[Hit], working_set: WorkingSet) -> list[Hit]:
    """Return the hits; those ranked for their file get the reason why it is in the working set."""
    found = []
    for hit in hits:
        ground = working_set.files.get(hit.path, "")
        if ground and any(reason.signal == "focus" and not reason.note for reason in hit.why):
            why = (replace(reason, note=ground) if reason.signal == "focus" else reason for reason in hit.why)
            hit = replace(hit, why=tuple(why))
        found.append(hit)
    return found


def _refuse_places(params: ContextParams) -> None:
    for name in ("cursor", "diff"):
        if getattr(params, name) is not None:
            raise BadParams(
                f"'at' and '{name}' exclude each other",
                hint="Code is searched in the work tree alone; leave one of them out.",
            )


def rooted(location: RepositoryLocation, path: str) -> str:
    """Return a path relative to the root, normalised; a path outside the root matches no file."""
    relative = path.removeprefix(location.root.rstrip("/") + "/").replace("\\", "/")
    return posixpath.normpath(relative) if relative else relative


def _cursor(location: RepositoryLocation, cursor: str) -> tuple[str, int]:
    found = _CURSOR.fullmatch(cursor)
    if found is None or not int(found["line"]):
        raise BadParams(
            f"'{cursor}' is not a place in a file", hint="It is FILE:LINE or FILE:LINE:COL, counted from 1."
        )
    return rooted(location, found["path"]), int(found["line"])


def _around(chunks: Sequence[Chunk], line: int) -> list[Hit]:
    """Return hits for the chunk at a line and its neighbours."""
    at = min(range(len(chunks)), key=lambda n: (max(chunks[n].start - line, line - chunks[n].end, 0), n))
    found = [_hit(chunks[at], signal("cursor", 1.0, CURSOR, f"the cursor is on line {line}"))]
    beside = [chunks[number] for number in (at - 1, at + 1) if 0 <= number < len(chunks)]
    return found + [_hit(chunk, signal("beside", 1.0, BESIDE, f"beside line {line}")) for chunk in beside]


def _changed(location: RepositoryLocation, diff: str) -> tuple[git.TouchedFile, ...]:
    """Return the files that a change touches. `diff` is a revision, a range, or the text of a patch."""
    if "\n" in diff:
        if len(diff) > MAX_PATCH:
            raise BadParams(
                f"the patch has {len(diff):,} characters; the limit is {MAX_PATCH:,}",
                hint="Name a range A..B in place of its text.",
            )
        found = git.read_patch(diff)
        if not found and diff.strip():
            raise BadParams("'diff' is not a patch, revision or range", hint="A patch is what `git diff` prints.")
        return found
    root = Path(location.root)
    span = _RANGE.fullmatch(diff)
    if span is not None:
        return git.read_diff(root, span["before"] or "HEAD", span["after"] or "HEAD")
    tracked = git.read_diff(root, diff or "HEAD")
    fresh = [path for path in git.untracked_files(root) if not path.startswith(".muninn/")]
    return (*tracked, *(git.TouchedFile(path=path, spans=((1, _LAST_LINE),), added=()) for path in fresh))


def _touched(searched: SearchContext, changed: Iterable[git.TouchedFile]) -> list[Hit]:
    """Return hits for the chunks that a change touches, those with the most changed lines first."""
    found = []
    for each in changed:
        for chunk in _chunks(searched, each.path) if each.spans else ():
            parts = [
                (max(a, chunk.start), min(b, chunk.end)) for a, b in each.spans if a <= chunk.end and b >= chunk.start
            ]
            if parts:
                lines = ", ".join(f"{a}-{b}" if b > a else str(a) for a, b in parts[:5])
                note = (
                    f"the change touches lines {lines}"
                    if "-" in lines or "," in lines
                    else f"the change touches line {lines}"
                )
                count = sum(b - a + 1 for a, b in parts)
                found.append((-count, each.path, chunk.start, _hit(chunk, signal("changed", 1.0, CHANGED, note))))
    return [hit for *_, hit in sorted(found, key=lambda entry: entry[:3])[:MAX_PIECES]]


def _chunks(searched: SearchContext, path: str) -> list[Chunk]:
    return sorted(searched.reader.chunks_of(path).values(), key=lambda chunk: (chunk.start, chunk.end))


def _hit(chunk: Chunk, reason: Signal) -> Hit:
    return hit_of(chunk, None, reasons_of([reason]))
