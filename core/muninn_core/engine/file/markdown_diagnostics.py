"""Faults of a markdown file: its frontmatter, references, merge markers and secrets.

Functions of a text and an index of names. `lint` and `check` share them, so their results agree.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from muninn_core.engine.file.pack_diagnostics import is_packed
from muninn_core.engine.file.reference_index import ReferenceIndex, ReferenceTarget
from muninn_core.errors import BadParams
from muninn_core.protocol.families.reference import Fault, Fix
from muninn_core.retrieval.query.filters import wrong_value
from muninn_core.retrieval.query.query_language import near_key, read_question
from muninn_core.source.documents import frontmatter
from muninn_core.source.documents.frontmatter import CONTEXT_KEYS, KEYS, FrontmatterProblem
from muninn_core.source.documents.muninn_file import OwnKind
from muninn_core.source.documents.references import Reference, find_references
from muninn_core.store.secrets.masking import mask

_BEGUN, _ENDED = re.compile(r"^<{7} ", re.M), re.compile(r"^>{7} ", re.M)
_MARKER = re.compile(r"^(?:<{7} |\|{7} |={7}\s*$|>{7} )")
SECRET_HINT = "Revoke it first: every clone contains it. Then remove it from the file and its history."


def markdown_faults(
    kind: OwnKind,
    path: str,
    text: str,
    names: ReferenceIndex,
    kinds: Sequence[str],
    cancelled: Callable[[], None] = lambda: None,
) -> list[Fault]:
    """Return the faults of a knowledge file, context file, agent's file or document, without secrets.

    `kinds` are the configured memory types and the types of pages. `cancelled` is called between references and stops
    the check by raising. The links of packs are not checked.
    """
    found = [*_frontmatter(kind, text), *marker_faults(text)]
    if kind != "document" and not is_packed(path):
        for reference in find_references(text, kind):
            cancelled()
            if reference.kind == "query":
                found += _question_faults(reference, names, kinds)
            else:
                found += _dangling(reference, path, names)
    if kind == "knowledge":
        found += _duplicate_id(path, text, names)
    return sorted(found, key=order)


def order(fault: Fault) -> tuple[int, int, str, str]:
    """Return the sort key of a fault within its file."""
    return (fault.line, fault.column, fault.rule, fault.message)


def marker_faults(text: str) -> Iterator[Fault]:
    """Yield git's merge markers; a line of equal signs alone is a heading."""
    if _BEGUN.search(text) and _ENDED.search(text):
        for number, line in enumerate(text.split("\n"), start=1):
            if _MARKER.match(line):
                message = "a merge marker of git: the file has both sides of a conflict"
                yield Fault(
                    rule="malformed", level="error", message=message, line=number, hint="Keep one side, or both."
                )


def secret_faults(text: str, patterns: Sequence[str]) -> Iterator[Fault]:
    """Yield a fault for each line with secrets."""
    if mask(text, patterns)[1]:
        for number, line in enumerate(text.split("\n"), start=1):
            if count := mask(line, patterns)[1]:
                yield secret_fault(number, count)


def secret_fault(line: int, count: int) -> Fault:
    """Return the fault of a line with `count` secrets."""
    message = f"{'a secret' if count == 1 else f'{count} secrets'} in a tracked file"
    return Fault(rule="secrets", level="error", message=message, line=line, hint=SECRET_HINT)


def replacing(title: str, column: int, end: int, text: str) -> Fix:
    """Return the fix that replaces a span; columns are 1-based and `end` is exclusive."""
    return Fix(title=title, column=column, end=end, text=text)


def _frontmatter(kind: OwnKind, text: str) -> Iterator[Fault]:
    problems: Iterable[FrontmatterProblem]
    if kind in ("knowledge", "context"):
        problems = frontmatter.check_frontmatter(text, CONTEXT_KEYS if kind == "context" else KEYS)
    else:
        problems = frontmatter.syntax_errors(text)
    for each in problems:
        fixes = (replacing(f"Change to `{each.near}`", each.column, each.end, each.near),) if each.near else ()
        yield Fault(
            rule="knowledge",
            level="warning",
            message=each.message,
            line=each.line,
            column=each.column,
            end=each.end,
            fixes=fixes,
        )


def _dangling(reference: Reference, path: str, names: ReferenceIndex) -> Iterator[Fault]:
    found = names.find(reference, path)
    if found is not None and not found.problem:
        yield from _inactive(reference, found, names)
    elif found is not None:
        yield _target_fault(reference, found)
    elif reference.certain or reference.kind == "value":
        named = reference.kind in ("name", "value") and reference.key != "files"
        many = names.several(reference.target) if named else ""
        near = names.nearest(reference, path) if not many else ""
        place = (reference.at + 1, reference.to + 1)
        what = f"{'nothing is called' if named else 'there is no'} '{reference.target}'"
        yield Fault(
            rule="dangling",
            level="warning" if reference.certain else "information",
            message=many or what + (f": did you mean '{near}'?" if near else ""),
            line=reference.line + 1,
            column=reference.start + 1,
            end=reference.end + 1,
            fixes=(replacing(f"Change to '{near}'", *place, reference.with_target(near)),) if near else (),
        )


def _question_faults(reference: Reference, names: ReferenceIndex, kinds: Sequence[str]) -> Iterator[Fault]:
    """Yield the error of a question: an unknown filter, or an invalid value."""

    def check(key: str, value: str) -> str:
        known = names.kinds.union(kinds) if key in ("kind", "type") else ()
        return wrong_value(key, value, known)

    try:
        read_question(reference.target, check)
    except BadParams as error:
        column, length = error.data["column"], error.data["length"]
        assert isinstance(column, int)
        assert isinstance(length, int)
        wrong = reference.target[column - 1 : column - 1 + length]
        near = near_key(wrong)
        at = reference.at + column
        yield Fault(
            rule="knowledge",
            level="warning",
            message=error.message.removeprefix(f"column {column}: "),
            line=reference.line + 1,
            column=at,
            end=at + length,
            hint=error.hint,
            fixes=(replacing(f"Change to `{near}`", at, at + length, near),) if near else (),
        )


def _inactive(reference: Reference, found: ReferenceTarget, names: ReferenceIndex) -> Iterator[Fault]:
    """Yield the fault of a reference to a memory that is not active, with the memory that replaces it."""
    memory = names.memories.get(found.id)
    if memory is None or memory.active:
        return
    by = memory.superseded_by or memory.merged_into or ""
    state = "waits for approval" if memory.waits else "is not active"
    yield Fault(
        rule="dangling",
        level="information",
        message=f"the memory '{reference.target}' {state}" + (f": {by} replaces it" if by else ""),
        line=reference.line + 1,
        column=reference.start + 1,
        end=reference.end + 1,
        fixes=(replacing(f"Change to '{by}'", reference.at + 1, reference.to + 1, by),) if by else (),
    )


def _target_fault(reference: Reference, found: ReferenceTarget) -> Fault:
    near = f": did you mean '{found.near}'?" if found.near else ""
    fix = replacing(
        f"Change to '{found.near}'", reference.end + 1 - len(reference.symbol), reference.end + 1, found.near
    )
    return Fault(
        rule="dangling",
        level="information" if reference.kind == "link" else "warning",  # sites build the slugs of headings differently
        message=f"{found.problem}{near}",
        line=reference.line + 1,
        column=reference.start + 1,
        end=reference.end + 1,
        fixes=(fix,) if found.near else (),
    )


def _duplicate_id(path: str, text: str, names: ReferenceIndex) -> Iterator[Fault]:
    """Yield a fault for an `id` that another knowledge file has too."""
    own = next((entry for entry in frontmatter.list_entries(text) if entry.key == "id" and entry.value.strip()), None)
    others = [other for other in names.declared.get(own.value, ()) if other != path] if own else []
    if own and others:
        yield Fault(
            rule="knowledge",
            level="warning",
            message=f"the id '{own.value}' is also that of {others[0]}",
            line=own.line + 1,
            column=own.start + 1,
            end=own.end + 1,
        )
