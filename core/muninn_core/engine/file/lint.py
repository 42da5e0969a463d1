"""Checks one file with its unsaved text in an editor, by the kind of file.

`markdown_diagnostics`, `record_diagnostics` and `pack_diagnostics` find the faults; this module reads the work tree.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from muninn_core.config import CheckConfig, read_config
from muninn_core.engine.file.markdown_diagnostics import markdown_faults, order, replacing, secret_fault, secret_faults
from muninn_core.engine.file.pack_diagnostics import edited_faults, is_packed, manifest_faults
from muninn_core.engine.file.record_diagnostics import (
    Missing,
    Presence,
    missing_files,
    record_faults,
    secrets_of_records,
)
from muninn_core.engine.file.reference_index import ReferenceIndex, quiet
from muninn_core.errors import BadParams, NotFoundError
from muninn_core.model.citation import Citation
from muninn_core.model.value import replace
from muninn_core.protocol.families.reference import Fault, LintParams, LintResult
from muninn_core.source.documents.muninn_file import OwnKind, own_kind
from muninn_core.source.files.text import Text, read_text
from muninn_core.store.files.lines import read_lines
from muninn_core.worktree.call_context import CallContext
from muninn_core.worktree.citations.overlays import Overlays, with_overlays
from muninn_core.worktree.paths import relative_path
from muninn_core.worktree.workspace import Workspace

MAX_BYTES = 4_000_000
"""The largest text that is checked while editing; `muninn check` checks any."""

CITES_SECONDS = 0.3
"""The time limit for judging the citations of a file of records."""
_LOCAL = ".muninn/local/"
_LEVELS = {"error": "error", "warn": "warning"}


def lint(workspace: Workspace, params: LintParams, call: CallContext) -> LintResult:
    """Check a file or its unsaved text. Raises NotFoundError for an unreadable file, BadParams for another kind of
    file.
    """
    path = relative_path(params.path, workspace.layout.root)
    kind = own_kind(path)
    text = text_of(workspace.layout.root, path, params.text)
    if len(text) > MAX_BYTES:
        message = f"{len(text):,} characters are too many to check while editing"
        found = [Fault(rule="malformed", level="information", message=message, line=1, hint="`muninn check` reads it.")]
    else:
        found = list(_faults(workspace, kind, path, text, call))
    ok = all(fault.level != "error" for fault in found)
    return LintResult(path=path, kind=kind, ok=ok, faults=tuple(sorted(found, key=order)), saw=workspace.read_state())


def text_of(root: Path, path: str, given: str | None) -> str:
    """Return a file's unsaved text if given, else its text on disk. Raises NotFoundError without text."""
    if given is not None:
        return given
    read = read_text(root, path, MAX_BYTES)
    if not isinstance(read, Text):
        what = "does not exist" if read == "vanished" else f"has no text to read: {read}"
        raise NotFoundError(f"{path} {what}", hint="Name a file relative to the root of the repository.")
    return read.text


def names_of(workspace: Workspace, buffers: Overlays | None = None) -> ReferenceIndex:
    """Return the index of names in the work tree, with the unsaved texts of `buffers`."""
    index = workspace.updater.index
    return ReferenceIndex(
        workspace.layout.root,
        workspace.memory.all(),
        workspace.documents.read(),
        page=quiet(with_overlays(workspace.citations, buffers).page),
        files=(lambda: index.snapshot().files()) if index is not None else tuple,
    )


def _faults(workspace: Workspace, kind: OwnKind, path: str, text: str, call: CallContext) -> Iterable[Fault]:
    patterns = workspace.config.memory.secrets
    match kind:
        case "":
            raise BadParams(
                f"{path} is not a file that Muninn checks", hint="It checks .muninn, .claude/*.md, Metis and ADRs."
            )
        case "config":
            return [*_config(text), *secret_faults(text, patterns)]
        case "records":
            checker = with_overlays(workspace.citations, call.buffers).checker(CITES_SECONDS)
            known = workspace.memory.all()

            def citations(identity: str) -> Iterable[Citation]:
                memory = known.get(identity)
                return checker.judge(memory) if memory is not None and memory.active else ()

            def missing(identity: str) -> Iterable[Missing]:
                memory = known.get(identity)
                return missing_files(memory, exists) if memory is not None else ()

            exists = Presence(workspace.layout.root)
            records = workspace.memory.log.records
            kinds = workspace.config.memory.kinds
            found = record_faults(
                text, lambda identity: identity in records or identity in known, kinds, citations, missing
            )
            if not path.startswith(_LOCAL):
                content = text.encode("utf-8", "surrogatepass")
                counted = secrets_of_records(content, read_lines(content, path), patterns)
                found += [secret_fault(number, count) for number, count in counted]
        case "manifest":
            found = list(manifest_faults(path, text))
        case _:
            kinds = (
                *workspace.config.memory.kinds,
                *(page.type.casefold() for page in workspace.pages.read().values()),
            )
            found = markdown_faults(kind, path, text, names_of(workspace, call.buffers), kinds, call.raise_if_cancelled)
            if is_packed(path):
                found += edited_faults(workspace.layout.root, path, text)
    if kind != "records":
        found += secret_faults(text, patterns)
    if path.startswith(_LOCAL):
        return found  # levels of the config apply to tracked files
    return [fault for each in found for fault in _leveled(each, workspace.config.check)]


def _leveled(fault: Fault, levels: CheckConfig) -> Iterator[Fault]:
    """Yield a fault with the configured level of its rule; nothing for a rule that is off. Information stays
    information.
    """
    level = getattr(levels, fault.rule)
    if level != "off":
        yield fault if fault.level == "information" else replace(fault, level=_LEVELS[level])


def _config(text: str) -> Iterator[Fault]:
    lines = text.split("\n")
    for problem in read_config(text)[1]:
        line = lines[min(max(problem.line, 1), len(lines)) - 1]
        at = line.find(problem.word) if problem.word else len(line) - len(line.lstrip())
        end = at + len(problem.word) + 1 if problem.word and at >= 0 else 0
        column = max(at, 0) + 1
        fix = replacing(f"Change to `{problem.near}`", column, end, problem.near)
        yield Fault(
            rule="config",
            level="error",
            message=problem.message,
            line=max(problem.line, 1),
            column=column,
            end=end,
            hint=problem.hint,
            fixes=(fix,) if problem.near and end else (),
        )
