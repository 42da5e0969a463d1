"""Code actions: remember the selection, review stale memories, and fix problems in Muninn's files.

Actions on memories are commands and edit no text. `muninn.write` opens a draft for the user to write and save; an
extension may prompt for the text itself and send `muninn.remember`.
"""

from __future__ import annotations

import sys
from collections.abc import Container, Iterator
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from muninn_core.context.editor.markdown import address_part
from muninn_core.engine.file.uris import address
from muninn_server.lsp.lint import quick_fixes
from muninn_server.lsp.muninn_document import muninn_document

if TYPE_CHECKING:
    from muninn_core.model.note import Note
    from muninn_core.protocol.families.editor import AnnotateResult
    from muninn_server.lsp.editor import Editor

REMEMBER = "refactor.muninn"
REVIEW = "muninn.review"
"""The command of a client with a menu; its argument has the choices."""

MAX_MEMORIES = 3
"""Memories at one place that actions are offered for."""

_WRITE = (
    ("insight", "Remember this"),
    ("decision", "Record a decision about this"),
    ("attempt", "Mark an attempt as failed"),
)


OPTIONS = types.CodeActionOptions(code_action_kinds=[types.CodeActionKind.QuickFix, REMEMBER], resolve_provider=False)


async def code_action(editor: Editor, params: types.CodeActionParams) -> list[types.CodeAction]:
    """Return the actions for a selection; for a Muninn file also the fixes of its problems."""
    found = await _memory_actions(editor, params)
    file = muninn_document(editor.client, params.text_document.uri)
    only = params.context.only
    if file is not None and (not only or types.CodeActionKind.QuickFix in only):
        found += quick_fixes(file, params.context.diagnostics)
    return found


async def _memory_actions(editor: Editor, params: types.CodeActionParams) -> list[types.CodeAction]:
    uri = params.text_document.uri
    path = editor.client.source_path(uri)
    if path is None:
        return []
    document = editor.server.open_document(uri)
    lines = _lines(params.range, len(document.lines) if document is not None else None)
    only = params.context.only
    found: list[types.CodeAction] = []
    if _wanted(only, types.CodeActionKind.QuickFix) or _wanted(only, REMEMBER):
        known = await editor.annotations.complete(uri)
        menu = editor.client.capabilities.review_menu
        found += _reviewing(params, known, *lines, menu=menu) if known is not None else []
    if _wanted(only, REMEMBER) and _invoked(params):
        found += _remembering(path, *lines)
    return found


def _wanted(only: Any, kind: str) -> bool:
    return not only or any(kind == each or kind.startswith(f"{each}.") for each in only)


def _invoked(params: types.CodeActionParams) -> bool:
    """Whether the user asks for actions: a light bulb on every line that the cursor rests on would distract."""
    invoked = params.context.trigger_kind != types.CodeActionTriggerKind.Automatic
    return invoked or params.range.start != params.range.end


def _lines(selected: types.Range, count: int | None) -> tuple[int, int]:
    """Return the first and last line (1-based) of a selection, without a last line of which nothing is selected.

    `count` is the number of lines; a line past the end means the last one.
    """
    last = max(count, 1) if count is not None else sys.maxsize
    first, end = sorted((selected.start, selected.end), key=lambda one: (one.line, one.character))
    start, stop = min(first.line + 1, last), end.line + 1
    return start, min(stop - 1 if end.character == 0 and stop > start else stop, last)


def _remembering(path: str, start: int, end: int) -> Iterator[types.CodeAction]:
    for kind, title in _WRITE:
        argument = {"type": kind, "path": path, "start": start, "end": end}
        yield _action(title, REMEMBER, "muninn.write", argument)


def _reviewing(
    params: types.CodeActionParams, known: AnnotateResult, start: int, end: int, *, menu: bool
) -> Iterator[types.CodeAction]:
    """Yield actions on the memories here: those in doubt first, then those about the fewest lines.

    A memory in doubt has quick fixes. One that is not has refactorings, which the user asks for. With `menu` a memory
    has one action, whose command lets the user choose.
    """
    marked = {
        each.data["id"]: each
        for each in params.context.diagnostics
        if each.source == "muninn" and isinstance(each.data, dict) and "id" in each.data
    }
    matching = [note for note in known.notes if note.id and (note.id in marked or _meets(note, start, end))]
    matching.sort(key=lambda note: (not _in_doubt(note, marked), note.end - note.start if note.start else sys.maxsize))
    selected = params.range.start != params.range.end
    first: dict[str, Note] = {}
    for note in matching:
        first.setdefault(note.id, note)
    for note in list(first.values())[:MAX_MEMORIES]:
        doubt = _in_doubt(note, marked)
        kind = types.CodeActionKind.QuickFix if doubt else REMEMBER
        if not _wanted(params.context.only, kind) or not (doubt or _invoked(params)):
            continue
        choices = list(_of_note(note, known.path, start, end, selected=selected))
        if menu:
            offered = [{"title": title, "command": name, "argument": argument} for title, name, argument in choices]
            choices = [("Review memory", REVIEW, {"id": note.id, "title": note.title, "choices": offered})]
        for title, command, argument in choices:
            action = _action(f"{title}: {note.title}", kind, command, argument)
            action.diagnostics = [marked[note.id]] if note.id in marked else None
            yield action


def _in_doubt(note: Note, marked: Container[str]) -> bool:
    return note.stale or note.id in marked


def _of_note(
    note: Note, path: str, start: int, end: int, *, selected: bool
) -> Iterator[tuple[str, str, dict[str, Any]]]:
    if note.state in ("drifted", "moved"):
        yield "Confirm (it still holds)", "muninn.confirm", {"id": note.id}
    if note.stale and selected:
        cite = {"path": path, "start": start, "end": end}
        yield "Cite the selected lines", "muninn.confirm", {"id": note.id, "cites": [cite]}
    where = {"path": path, "start": note.start, "end": note.end} if note.state != "gone" else {"path": path}
    yield "Supersede", "muninn.write", {"type": note.type, "supersedes": note.id, **where}
    yield "Forget", "muninn.forget", {"id": note.id}
    why = address("memory", address_part(note.id, note.title))
    yield "Why is this shown", "muninn.show", {"uri": why, "path": path, "line": note.start}


def _meets(note: Note, start: int, end: int) -> bool:
    return note.state != "gone" and 0 < note.start <= end and start <= note.end


def _action(title: str, kind: str, command: str, argument: dict[str, Any]) -> types.CodeAction:
    return types.CodeAction(title, kind=kind, command=types.Command(title, command, arguments=[argument]))
