"""Completion in Muninn's files: keys and values of frontmatter and configuration, and names in references.

Any other file has none: completing code is the task of the language's own server.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable
from typing import TYPE_CHECKING

from lsprotocol import types

from muninn_core.context.editor.cursor_slot import Slot, slot_at
from muninn_core.context.packs.templates import TEMPLATES, default_title, fill_template
from muninn_core.engine.file.reference_index import rooted
from muninn_core.source.documents.references import quote_path
from muninn_server.lsp.muninn_document import MuninnDocument, muninn_document

if TYPE_CHECKING:
    from muninn_core.protocol.families.reference import Name, NamesResult
    from muninn_server.lsp.editor import Editor
    from muninn_server.lsp.server import Server

_Documenting = Callable[[str], types.MarkupContent | str | None]

MAX_ITEMS = 100
"""Items of one response. A longer one is marked incomplete, and the client requests it again as more is typed."""

_KINDS = {
    "memory": types.CompletionItemKind.Event,
    "document": types.CompletionItemKind.Reference,
    "knowledge": types.CompletionItemKind.Text,
    "context": types.CompletionItemKind.Module,
    "file": types.CompletionItemKind.File,
    "symbol": types.CompletionItemKind.Function,
    "tag": types.CompletionItemKind.Keyword,
}


OPTIONS = types.CompletionOptions(trigger_characters=["@", "[", "#", "/", ":", "?"], resolve_provider=False)


async def completion(editor: Editor, params: types.CompletionParams) -> types.CompletionList | None:
    """Return the completions at a position of a Muninn file."""
    file = muninn_document(editor.client, params.text_document.uri)
    if file is None:
        return None
    column = file.column(params.position)
    templates = _templates(file, params.position) if file.kind == "context" else []
    if templates:
        return types.CompletionList(is_incomplete=False, items=templates)
    slot = slot_at(file.kind, file.text, params.position.line, column)
    if slot is None:
        return None
    place = file.range(params.position.line + 1, slot.start + 1, column + 1)
    documented = _documenting(editor.server)
    items = _choices(slot, place, documented)
    if not slot.kinds:
        return types.CompletionList(is_incomplete=False, items=items)
    wanted = _wanted(file, slot)
    given = {"text": wanted, "kinds": list(slot.kinds), "limit": MAX_ITEMS, "file": _target(file, slot)}

    def finish(result: NamesResult) -> types.CompletionList:
        known = {each.path for each in result.names if each.kind in ("document", "knowledge", "context")}
        names = [each for each in result.names if each.kind != "file" or each.path not in known]
        found = [(each, _shown(each, file, slot)) for each in names]
        fitting = [pair for pair in found if wanted == slot.typed or pair[1].startswith(slot.typed)]
        named = [_item(*pair, number, slot, place, documented) for number, pair in enumerate(fitting)]
        return types.CompletionList(is_incomplete=result.more, items=[*items, *named])

    return await editor.client.ask("names", given, finish)


def _target(file: MuninnDocument, slot: Slot) -> str:
    return rooted(slot.file, file.path) if slot.file else ""


def _relative(slot: Slot) -> bool:
    """Whether the typed path is relative to the folder of the file."""
    return slot.kinds == ("file",) and slot.typed.startswith(("./", "../"))


def _wanted(file: MuninnDocument, slot: Slot) -> str:
    """Return the text that names must contain: the typed text, or a relative path's folder from the root."""
    if not _relative(slot):
        return slot.typed
    folder = rooted(slot.typed.rpartition("/")[0], file.path)
    return f"{folder}/" if folder else ""


def _shown(name: Name, file: MuninnDocument, slot: Slot) -> str:
    """Return a name as it is written in the file: a path relative to the file's folder if one is typed."""
    if not _relative(slot):
        return name.insert
    shown = posixpath.relpath(name.insert, posixpath.dirname(file.path) or ".")
    return shown if shown.startswith("../") else f"./{shown}"


def _templates(file: MuninnDocument, position: types.Position) -> list[types.CompletionItem]:
    """Return the templates for a context file that is empty or holds the beginning of a template's name."""
    typed = file.text.strip()
    alone = file.text.startswith(typed) and len(file.document.lines) <= 1
    place = types.Range(types.Position(0, 0) if typed else position, position)
    return [
        types.CompletionItem(
            name,
            kind=types.CompletionItemKind.Snippet,
            detail=draft.summary,
            text_edit=types.TextEdit(place, fill_template(name, default_title(file.path))),
        )
        for name, draft in TEMPLATES.items()
        if name.startswith(typed) and (alone or not typed)
    ]


def _documenting(server: Server) -> _Documenting:
    """Return a function that formats documentation as the client supports it."""
    document = server.client_capabilities.text_document
    item = document.completion.completion_item if document and document.completion else None
    formats = item.documentation_format if item is not None else None

    def documented(text: str) -> types.MarkupContent | str | None:
        markdown = bool(formats) and types.MarkupKind.Markdown in (formats or ())
        return None if not text else types.MarkupContent(types.MarkupKind.Markdown, text) if markdown else text

    return documented


def _choices(slot: Slot, place: types.Range, documented: _Documenting) -> list[types.CompletionItem]:
    return [
        types.CompletionItem(
            choice.text,
            kind=types.CompletionItemKind.Property if slot.closing else types.CompletionItemKind.EnumMember,
            detail=choice.detail or None,
            documentation=documented(choice.markdown),
            text_edit=types.TextEdit(place, choice.text + slot.closing),
        )
        for choice in slot.choices
    ]


def _item(
    name: Name, shown: str, number: int, slot: Slot, place: types.Range, documented: _Documenting
) -> types.CompletionItem:
    """Return an item. Clients filter items as more is typed, so the filter text includes a memory's title."""
    return types.CompletionItem(
        shown if name.kind in ("file", "symbol", "tag") else name.name,
        kind=_KINDS[name.kind],
        detail=name.detail or None,
        documentation=documented(name.markdown),
        sort_text=f"{number:04}",
        filter_text=shown if name.name in shown else f"{shown} {name.name}",
        text_edit=types.TextEdit(place, (quote_path(shown) if slot.plain else shown) + slot.closing),
    )
