"""The check for continuous integration: the config, records, citations, packs and written files of a repository.

It writes no file, opens no index and takes no lock, so it also runs in a fresh or read-only clone.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from heapq import nsmallest
from pathlib import Path

from muninn_core import git
from muninn_core.config import CheckConfig, Config, ConfigProblem, load_config
from muninn_core.engine.file.markdown_diagnostics import markdown_faults, secret_fault, secret_faults
from muninn_core.engine.file.pack_diagnostics import OWN_CHANGES_HINT, REINSTALL_HINT, edited_message, manifest_faults
from muninn_core.engine.file.record_diagnostics import (
    MISSING_HINT,
    Presence,
    duplicate_message,
    malformed_fault,
    missing_files,
    secrets_of_records,
)
from muninn_core.engine.file.reference_index import ReferenceIndex
from muninn_core.errors import StorageError
from muninn_core.launch.repository_location import RepositoryLocation
from muninn_core.model.answer import ReadState
from muninn_core.model.counting import number_of
from muninn_core.model.value import replace
from muninn_core.protocol.families.reference import Fault
from muninn_core.protocol.families.review import CheckParams, CheckResult, Finding
from muninn_core.source.chunks.line_index import LineIndex
from muninn_core.source.documents.muninn_file import own_kind
from muninn_core.source.files.text import Text, read_text
from muninn_core.store.files.layout import Layout
from muninn_core.store.files.lines import Lines, read_content, read_lines
from muninn_core.store.files.spool import list_spools
from muninn_core.store.folding.fold import State, fold
from muninn_core.store.folding.gc_pause import gc_paused
from muninn_core.store.pack.installed import installed_packs
from muninn_core.store.pack.manifest import MANIFEST, MAX_MANIFEST_BYTES
from muninn_core.store.records.record import Record
from muninn_core.worktree.knowledge.documents import MAX_BYTES, DocumentCache

MAX_FINDINGS = 1_000
"""The most findings of one rule that are listed; a last finding counts the others."""

REPLACE_HINT = "Replace it by a regular file, or delete it."


def check(
    location: RepositoryLocation, layout: Layout, params: CheckParams, cancelled: Callable[[], None]
) -> CheckResult:
    """Check a work tree by the rules of its config.

    Raises NotInitialised without `.muninn`, and StorageError for a file that cannot be read. `cancelled` is called
    between files and stops the check by raising.
    """
    if not layout.muninn.is_dir():
        raise location.not_initialised()
    config, problems = load_config(layout.config)
    found: list[Finding] = [*_config(layout, problems)]
    lines: list[Lines] = []
    files = 0
    with gc_paused():
        for path in _record_files(layout):
            cancelled()
            content = _read(layout, path)
            files += 1
            relative = layout.relative(path)
            read = read_lines(content, relative)
            found += _malformed(read, content)
            found += _duplicates(read, content, relative)
            if config.check.secrets != "off":
                counted = secrets_of_records(content, read, config.memory.secrets)
                found += [_of_fault(secret_fault(number, count), relative) for number, count in counted]
            if path.parent != layout.archive:
                lines.append(read)
        records = [record for read in lines for record in read.records]
        state = fold(records)
    if config.check.dangling != "off":
        found += _dangling(layout, state, records)
    found += _conflicts(layout, state)
    found += _pending(state, records)
    found += _unsealed(layout, lines)
    found += _packs(layout) if config.check.packs != "off" else ()
    listed = _tracked_files(layout.root)
    names = _names(layout, state, listed or ())
    for path in _written_files(layout, names, listed):
        cancelled()
        files += 1
        found += _markdown_findings(layout, path, config, names)
    findings = _with_levels(found, config.check)
    errors = sum(1 for finding in findings if finding.level == "error")
    warnings = len(findings) - errors
    head = git.read_head(location)
    return CheckResult(
        ok=not (errors or (params.strict and warnings)),
        errors=errors,
        warnings=warnings,
        files=files,
        memories=state.active,
        findings=findings,
        saw=ReadState(commit=head.commit, branch=head.branch, log=state.records),
    )


def _with_levels(found: Iterable[Finding], levels: CheckConfig) -> tuple[Finding, ...]:
    """Return the findings with their configured level, sorted and limited per rule; rules that are off are dropped."""
    by_rule: dict[str, list[Finding]] = {}
    for finding in found:
        by_rule.setdefault(finding.rule, []).append(finding)
    listed: list[Finding] = []
    for rule, findings in by_rule.items():
        level = getattr(levels, rule)
        if level == "off":
            continue
        listed += [replace(finding, level=level) for finding in nsmallest(MAX_FINDINGS, findings, key=_order)]
        if len(findings) > MAX_FINDINGS:
            more = f"{len(findings) - MAX_FINDINGS} more of this rule"
            listed.append(Finding(rule=rule, level=level, message=more))
    return tuple(sorted(listed, key=_order))


def _order(finding: Finding) -> tuple[str, int, str, str, str]:
    return (finding.path, finding.line, finding.rule, finding.id, finding.message)


def _record_files(layout: Layout) -> list[Path]:
    """Return the paths of records, also of what can't be read as a file: reading it reports that.

    Raises StorageError for a folder that can't be read.
    """
    for folder in (layout.sessions, layout.archive):
        try:
            os.scandir(folder).close()
        except FileNotFoundError:
            continue
        except OSError as error:  # `glob` would find nothing
            raise StorageError(
                f"can't read {layout.relative(folder)}: {error.strerror}", hint="It must be a folder that you can read."
            ) from None
    segments = [*layout.sessions.glob("*.jsonl"), *layout.archive.rglob("*.jsonl")]
    return [*([layout.main] if os.path.lexists(layout.main) else []), *sorted(segments)]


def _read(layout: Layout, path: Path) -> bytes:
    try:
        return read_content(path)
    except OSError as error:
        raise _unreadable(layout, path, error) from None


def _unreadable(layout: Layout, path: Path, error: OSError) -> StorageError:
    hint = "Check its permissions." if isinstance(error, PermissionError) else REPLACE_HINT
    return StorageError(f"can't read {layout.relative(path)}: {error.strerror or error}", hint=hint)


def _config(layout: Layout, problems: Iterable[ConfigProblem]) -> Iterator[Finding]:
    path = layout.relative(layout.config)
    for problem in problems:
        yield _finding("config", problem.message, path=path, line=problem.line, hint=problem.hint)


def _malformed(lines: Lines, content: bytes) -> Iterator[Finding]:
    last = content.count(b"\n") + 1
    for bad in lines.malformed:
        torn = bad.line == last and content.rpartition(b"\n")[2].lstrip().startswith(b"{")
        yield _of_fault(malformed_fault(bad.reason, bad.line, torn=torn), bad.path)


def _duplicates(lines: Lines, content: bytes, shown: str) -> Iterator[Finding]:
    """Yield the records of a file that repeat the id of an earlier record with other content."""
    seen: dict[str, Record] = {}
    for record in lines.records:
        first = seen.setdefault(record.id, record)
        if first is not record and not first.has_same_content(record):
            raw = content.split(b"\n")
            numbers = [
                next(at for at, line in enumerate(raw, start=1) if line.strip() == same.line)
                for same in (first, record)
            ]
            message = duplicate_message(record.id, numbers[0])
            yield _finding("malformed", message, path=shown, line=numbers[1], identity=record.id)


def _dangling(layout: Layout, state: State, records: Iterable[Record]) -> Iterator[Finding]:
    """Yield the memories that name missing files, at the records that created them. A change may wait in a spool."""
    places = _RecordLines(layout, (path for path in _record_files(layout) if path.parent != layout.archive))
    exists = Presence(layout.root)
    named = [(memory, missing) for memory in state.memories.values() for missing in missing_files(memory, exists)]
    here = fold([*records, *_spooled(layout)]).memories if named else {}
    for memory, missing in named:
        path, line = places.locate(memory.id)
        hint = MISSING_HINT
        if missing not in missing_files(here[memory.id], exists):
            hint = "The memory is changed here; `muninn seal` makes a file of the change to commit."
        yield _finding("dangling", missing.message, path=path, line=line, identity=memory.id, hint=hint)


class _RecordLines:
    """The lines of records. The files are read on the first look-up."""

    def __init__(self, layout: Layout, files: Iterable[Path]) -> None:
        self._layout = layout
        self._files = tuple(files)
        self._known: dict[str, tuple[str, int]] | None = None

    def locate(self, identity: str) -> tuple[str, int]:
        """Return path (relative to the root) and line of a record, ("", 0) for an unknown id."""
        if self._known is None:
            self._known = {}
            for path in self._files:
                shown = self._layout.relative(path)
                for number, line in enumerate(_read(self._layout, path).split(b"\n"), start=1):
                    for record in read_lines(line, shown).records:
                        self._known.setdefault(record.id, (shown, number))
        return self._known.get(identity, ("", 0))


def _conflicts(layout: Layout, state: State) -> Iterator[Finding]:
    """Yield the conflicts that are open for git. The decision of one may wait in a spool."""
    waiting = _spooled(layout) if state.conflicts else ()
    decided = {record.data["conflict"] for record in waiting if record.type == "resolve"}
    for dispute in state.conflicts:
        message = f"{dispute.left} and {dispute.right} contradict each other: {dispute.reason}"
        hint = f"`muninn resolve {dispute.id} --keep …` decides."
        if dispute.id in decided:
            hint = "It is decided here; `muninn seal` makes a file of the decision to commit."
        yield _finding("conflicts", message, identity=dispute.id, hint=hint)


def _pending(state: State, records: Iterable[Record]) -> Iterator[Finding]:
    waiting = [memory for memory in state.memories.values() if memory.waits]
    if not waiting:
        return
    claimed = {record.data["target"] for record in records if record.type == "approve"}
    for memory in waiting:
        message = "a memory waits for approval"
        message += "; the existing approval comes from its author and does not count" if memory.id in claimed else ""
        hint = f"`muninn approve {memory.id}` or `muninn reject {memory.id} --reason …` decides."
        yield _finding("pending", message, identity=memory.id, hint=hint)


def _spooled(layout: Layout) -> Iterator[Record]:
    """Yield the records that are not sealed."""
    for path in list_spools(layout).values():
        yield from read_lines(_read(layout, path), layout.relative(path)).records


def _unsealed(layout: Layout, sealed: Iterable[Lines]) -> Iterator[Finding]:
    waiting = list_spools(layout)
    known = {record.id for lines in sealed for record in lines.records} if waiting else set()
    for session, path in waiting.items():
        shown = layout.relative(path)
        records = read_lines(_read(layout, path), shown).records
        count = sum(1 for record in records if record.id not in known)
        if count:
            message = f"session {session} has {number_of(count, 'record')} in a file that git ignores"
            yield _finding("unsealed", message, path=shown, hint="`muninn seal` makes a file of them to commit.")


def _packs(layout: Layout) -> Iterator[Finding]:
    for pack in installed_packs(layout):
        folder = layout.relative(layout.packs / pack.name)
        if pack.problem:
            path = f"{folder}/{MANIFEST}"
            read = read_text(layout.root, path, MAX_MANIFEST_BYTES)
            faults = list(manifest_faults(path, read.text)) if isinstance(read, Text) else []
            yield _finding("packs", pack.problem, path=path, line=faults[0].line if faults else 0, hint=REINSTALL_HINT)
            continue
        for path in pack.edited:
            yield _finding("packs", edited_message(pack.name), path=f"{folder}/{path}", line=1, hint=OWN_CHANGES_HINT)


def _tracked_files(root: Path) -> list[str] | None:
    """Return the paths that git tracks or does not ignore; None when git fails."""
    try:
        return git.list_files(root)
    except git.GitError:  # untrusted owner or broken index: the other checks still run
        return None


def _names(layout: Layout, state: State, files: Iterable[str]) -> ReferenceIndex:
    """Return what files can refer to.

    No index is opened: a misspelt path is compared with `files`, the files of git.
    """

    def page(path: str) -> LineIndex | None:
        read = read_text(layout.root, path, MAX_BYTES)
        return LineIndex(path, read.text) if isinstance(read, Text) else None

    library = DocumentCache(layout.root).read()
    return ReferenceIndex(layout.root, state.memories, library, page=page, files=lambda: files)


def _written_files(layout: Layout, names: ReferenceIndex, files: Iterable[str] | None) -> list[Path]:
    """Return the markdown files to check, sorted: knowledge, packs, context files, agents' files and documents.

    Agents' files and documents count only when git tracks them or does not ignore them; `files` are those paths, None
    for unknown. Their links are left out: what one leads to is read under its own name. Links to pages and folders in
    knowledge are returned, since nothing reads them.
    """
    agents = (path for path in (layout.root / ".claude").glob("*.md") if not path.is_symlink())
    shared = [*agents, *(layout.root / each.path for each in names.library)]
    carried = None if files is None else set(files)
    own = [
        *layout.knowledge.rglob("*.md"),
        *(path for path in layout.knowledge.rglob("*") if path.is_symlink() and path.is_dir() and path.suffix != ".md"),
        *layout.packs.glob("[!.]*/**/*.md"),
        *layout.context_files.rglob("*.md"),
    ]
    written = (path for path in own if path.is_symlink() or not path.is_dir())
    return sorted([*written, *(path for path in shared if carried is None or layout.relative(path) in carried)])


def _markdown_findings(layout: Layout, path: Path, config: Config, names: ReferenceIndex) -> Iterator[Finding]:
    """Yield the findings of a markdown file, which may be a link or no regular file.

    Raises StorageError for a file that this user may not read.
    """
    shown = layout.relative(path)
    try:
        text = read_content(path).decode("utf-8")
    except PermissionError as error:
        raise _unreadable(layout, path, error) from None
    except OSError as error:
        problem = f"{error.strerror or error}, so it is not indexed"
        yield _finding("knowledge", problem, path=shown, hint=REPLACE_HINT)
        return
    except UnicodeDecodeError:
        yield _finding("knowledge", "the file is not UTF-8, so it is not indexed", path=shown)
        return
    found = markdown_faults(own_kind(shown), shown, text, names, config.memory.kinds)
    if config.check.secrets != "off":
        found += secret_faults(text, config.memory.secrets)
    for fault in found:
        if fault.level != "information":
            yield _of_fault(fault, shown)


def _of_fault(fault: Fault, path: str) -> Finding:
    return _finding(fault.rule, fault.message, path=path, line=fault.line, hint=fault.hint)


def _finding(rule: str, message: str, *, path: str = "", line: int = 0, identity: str = "", hint: str = "") -> Finding:
    return Finding(rule=rule, level="", message=message, path=path, line=line, id=identity, hint=hint)
