"""The check that continuous integration runs: is what the repository carries whole, harmless, decided?

It reads files and writes none, opens no index and takes no lock, so that it can run anywhere, a fresh clone included.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from heapq import nsmallest
from pathlib import Path
from typing import Any

from muninn_core import git
from muninn_core.config import CheckConfig, Config, ConfigProblem, load_config
from muninn_core.engine.answer.documents import MOST_BYTES, Documents
from muninn_core.engine.file.faults import SECRET_HINT, markdown_faults, secret_faults
from muninn_core.engine.file.names import Names
from muninn_core.errors import NotInitialised, StorageError
from muninn_core.launch.place import Place
from muninn_core.model.answer import Saw
from muninn_core.model.value import replace
from muninn_core.protocol.params import CheckParams
from muninn_core.protocol.results import CheckResult, Finding
from muninn_core.source.ownfile import kind_of
from muninn_core.source.page import Page
from muninn_core.source.text import Text, read_text
from muninn_core.store.bulk import uncollected
from muninn_core.store.fold import State, fold
from muninn_core.store.layout import Layout
from muninn_core.store.lines import Lines, read_lines
from muninn_core.store.pack.manifest import MANIFEST
from muninn_core.store.pack.shelf import shelved
from muninn_core.store.record import ENVELOPE, Record
from muninn_core.store.secrets import mask
from muninn_core.store.spool import spools

_ENVELOPE = frozenset(ENVELOPE)
_NESTING = (list, dict)

MOST = 1_000
"""Findings of one rule beyond which only their number is told."""


def check(place: Place, layout: Layout, params: CheckParams, cancelled: Callable[[], None]) -> CheckResult:
    """Check a work tree by the rules of its config. Raises NotInitialised, StorageError for a file that can't be read.

    `cancelled` is called between files and stops the check by raising.
    """
    if not layout.muninn.is_dir():
        raise NotInitialised(f"there is no .muninn in {place.root}", hint="`muninn init` makes it.")
    config, problems = load_config(layout.config)
    found: list[Finding] = [*_config(layout, problems)]
    lines: list[Lines] = []
    files = 0
    with uncollected():
        for path in _record_files(layout):
            cancelled()
            content = _read(layout, path)
            files += 1
            shown = layout.relative(path)
            read = read_lines(content, shown)
            found += _malformed(read)
            if config.check.secrets != "off":
                found += _told(_secrets_of_records(content, read, config), shown)
            if path.parent != layout.archive:
                lines.append(read)
        records = [record for read in lines for record in read.records]
        state = fold(records)
    found += _dangling(state, Path(place.root)) if config.check.dangling != "off" else ()
    found += _conflicts(state)
    found += _pending(state, records)
    found += _unsealed(layout, lines)
    found += _packs(layout) if config.check.packs != "off" else ()
    names = _names(layout, state)
    written = [
        *layout.knowledge.rglob("*.md"),
        *layout.packs.glob("[!.]*/**/*.md"),
        *layout.context_files.rglob("*.md"),
    ]
    for path in sorted(written):
        cancelled()
        files += 1
        found += _written(layout, path, config, names)
    kept = _kept(found, config.check)
    errors = sum(1 for finding in kept if finding.level == "error")
    warnings = len(kept) - errors
    head = git.head(place)
    return CheckResult(
        ok=not (errors or (params.strict and warnings)),
        errors=errors,
        warnings=warnings,
        files=files,
        memories=state.active,
        findings=kept,
        saw=Saw(commit=head.commit, branch=head.branch, log=state.records),
    )


def _kept(found: Iterable[Finding], levels: CheckConfig) -> tuple[Finding, ...]:
    """Give findings their level, drop those of rules that are off, sort them, and shorten what is too long."""
    by_rule: dict[str, list[Finding]] = {}
    for finding in found:
        by_rule.setdefault(finding.rule, []).append(finding)
    kept: list[Finding] = []
    for rule, findings in by_rule.items():
        level = getattr(levels, rule)
        if level == "off":
            continue
        kept += [replace(finding, level=level) for finding in nsmallest(MOST, findings, key=_order)]
        if len(findings) > MOST:
            more = f"{len(findings) - MOST} more of this rule"
            kept.append(Finding(rule=rule, level=level, message=more))
    return tuple(sorted(kept, key=_order))


def _order(finding: Finding) -> tuple[str, int, str, str, str]:
    return (finding.path, finding.line, finding.rule, finding.id, finding.message)


def _record_files(layout: Layout) -> list[Path]:
    segments = [*layout.sessions.glob("*.jsonl"), *layout.archive.rglob("*.jsonl")]
    return [path for path in (layout.main, *sorted(segments)) if path.is_file()]


def _read(layout: Layout, path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise StorageError(
            f"can't read {layout.relative(path)}: {error.strerror or error}", hint="Check its permissions."
        ) from None


def _config(layout: Layout, problems: Iterable[ConfigProblem]) -> Iterator[Finding]:
    path = layout.relative(layout.config)
    for problem in problems:
        yield _finding("config", problem.message, path=path, line=problem.line, hint=problem.hint)


def _malformed(lines: Lines) -> Iterator[Finding]:
    for bad in lines.malformed:
        hint = "Mend or delete the line; until then it is skipped."
        yield _finding("malformed", bad.reason, path=bad.path, line=bad.line, hint=hint)


def _secrets_of_records(content: bytes, lines: Lines, config: Config) -> Iterator[tuple[int, int]]:
    """Yield (line, number of secrets in it). Line by line only where the file as a whole holds one: most hold none.

    What an author wrote is looked at, not JSON: the names of the record's own fields mean nothing.
    """
    patterns = config.memory.secrets
    whole = [text for record in lines.records for text in _texts(record.data)]
    whole += [raw.decode("utf-8", "replace") for raw in lines.raw]
    if not mask("\n".join(whole), patterns)[1]:
        return
    for number, line in enumerate(content.split(b"\n"), start=1):
        if line.strip():
            one = read_lines(line, "")
            texts = [text for record in one.records for text in _texts(record.data)]
            texts += [raw.decode("utf-8", "replace") for raw in one.raw]
            if count := mask("\n".join(texts), patterns)[1]:
                yield number, count


def _texts(data: Mapping[str, Any]) -> list[str]:
    """Return all texts of a record but those of its envelope, names of inner fields with their values."""
    found: list[str] = []
    waiting: list[Any] = []
    for name, value in data.items():  # what JSON gives is of these very types, and every record passes here
        if name not in _ENVELOPE:
            if type(value) is str:
                found.append(value)
            elif type(value) in _NESTING:
                waiting.append(value)
    while waiting:
        value = waiting.pop()
        if type(value) is list:
            for item in value:
                if type(item) is str:
                    found.append(item)
                elif type(item) in _NESTING:
                    waiting.append(item)
        else:
            for name, inner in value.items():
                if type(inner) is str:
                    found.append(f"{name}: {inner}")
                elif type(inner) in _NESTING:
                    waiting.append(inner)
    return found


def _told(found: Iterable[tuple[int, int]], shown: str) -> Iterator[Finding]:
    for number, count in found:
        said = "a secret" if count == 1 else f"{count} secrets"
        yield _finding("secrets", f"{said} in a tracked file", path=shown, line=number, hint=SECRET_HINT)


def _dangling(state: State, root: Path) -> Iterator[Finding]:
    there: dict[str, bool] = {}
    for memory in state.memories.values():
        if not memory.active:
            continue
        cited = {cite.path for cite in memory.cites} if memory.cites else ()
        for path in dict.fromkeys((*cited, *memory.files)):
            if path not in there:
                there[path] = os.path.lexists(root / path)
            if not there[path]:
                verb = "cites" if path in cited else "names"
                hint = "Was it moved or deleted? Update the memory, or forget it."
                yield _finding("dangling", f"a memory {verb} {path}, which is not there", identity=memory.id, hint=hint)


def _conflicts(state: State) -> Iterator[Finding]:
    for dispute in state.conflicts:
        said = f"{dispute.left} and {dispute.right} contradict each other: {dispute.reason}"
        yield _finding("conflicts", said, identity=dispute.id, hint=f"`muninn resolve {dispute.id} --keep …` decides.")


def _pending(state: State, records: Iterable[Record]) -> Iterator[Finding]:
    waiting = [memory for memory in state.memories.values() if memory.waits]
    if not waiting:
        return
    claimed = {record.data["target"] for record in records if record.type == "approve"}
    for memory in waiting:
        said = "a memory waits for approval"
        said += "; the approval that is there comes from its author and does not count" if memory.id in claimed else ""
        hint = f"`muninn approve {memory.id}` or `muninn reject {memory.id} --reason …` decides."
        yield _finding("pending", said, identity=memory.id, hint=hint)


def _unsealed(layout: Layout, sealed: Iterable[Lines]) -> Iterator[Finding]:
    waiting = spools(layout)
    known = {record.id for lines in sealed for record in lines.records} if waiting else set()
    for session, path in waiting.items():
        shown = layout.relative(path)
        records = read_lines(_read(layout, path), shown).records
        count = sum(1 for record in records if record.id not in known)
        if count:
            said = f"session {session} has {count} record{'s' if count > 1 else ''} that git can't carry yet"
            yield _finding("unsealed", said, path=shown, hint="`muninn seal` makes a file of them to commit.")


def _packs(layout: Layout) -> Iterator[Finding]:
    for pack in shelved(layout):
        folder = layout.relative(layout.packs / pack.name)
        if pack.problem:
            yield _finding("packs", pack.problem, path=f"{folder}/{MANIFEST}", hint="Take the pack in anew.")
            continue
        for path in pack.edited:
            said = f"this is not what the pack {pack.name} says: edited, deleted or added since"
            yield _finding(
                "packs", said, path=f"{folder}/{path}", hint="Keep changes of your own in .muninn/knowledge."
            )


def _names(layout: Layout, state: State) -> Names:
    """Return what files can refer to. No index is opened, so nothing is guessed for what is misspelt."""

    def page(path: str) -> Page | None:
        read = read_text(layout.root, path, MOST_BYTES)
        return Page(path, read.text) if isinstance(read, Text) else None

    library = Documents(layout.root).look()
    return Names(layout.root, state.memories, library, page=page, files=tuple)


def _written(layout: Layout, path: Path, config: Config, names: Names) -> Iterator[Finding]:
    """Yield what is wrong in a file of knowledge or a context file. Links in a pack are the affair of its author."""
    shown = layout.relative(path)
    content = _read(layout, path)
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        yield _finding("knowledge", "this is no UTF-8, so nothing of it is found", path=shown)
        return
    found = markdown_faults(kind_of(shown), shown, text, names)
    if config.check.secrets != "off":
        found += secret_faults(text, config.memory.secrets)
    for fault in found:
        foreign = fault.rule == "dangling" and path.is_relative_to(layout.packs)
        if fault.level != "information" and not foreign:
            yield _finding(fault.rule, fault.message, path=shown, line=fault.line, hint=fault.hint)


def _finding(rule: str, message: str, *, path: str = "", line: int = 0, identity: str = "", hint: str = "") -> Finding:
    return Finding(rule=rule, level="", message=message, path=path, line=line, id=identity, hint=hint)
