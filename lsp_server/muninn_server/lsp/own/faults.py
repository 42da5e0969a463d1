"""What is wrong in one of our files, as diagnostics, and the quick fixes that come with it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lsprotocol import types

from muninn_core.model.value import from_plain, to_plain
from muninn_core.protocol.reference import Fix, LintResult
from muninn_server.lsp.own.files import OwnFile, own_file

if TYPE_CHECKING:
    from muninn_server.lsp.editor import Editor
    from muninn_server.lsp.server import Server

_SEVERITY = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "information": types.DiagnosticSeverity.Information,
}


def register(editor: Editor, server: Server) -> None:
    """Answer for the fixes of what was found."""

    @server.provide(
        types.TEXT_DOCUMENT_CODE_ACTION,
        types.CodeActionOptions(code_action_kinds=[types.CodeActionKind.QuickFix], resolve_provider=False),
    )
    async def fixes(params: types.CodeActionParams) -> list[types.CodeAction]:
        file = own_file(editor, server, params.text_document.uri)
        only = params.context.only
        if file is None or (only and types.CodeActionKind.QuickFix not in only):
            return []
        return [_action(file, each, fix) for each in params.context.diagnostics for fix in _fixes(each)]


async def diagnostics(editor: Editor, server: Server, uri: str) -> list[types.Diagnostic]:
    """Return what is wrong in a file of ours; nothing for one that is not open, or where `.muninn` is not there yet."""
    file = own_file(editor, server, uri)
    if file is None:
        return []

    def finish(result: LintResult) -> list[types.Diagnostic]:
        return [
            types.Diagnostic(
                file.range(fault.line, fault.column, fault.end),
                f"{fault.message}. {fault.hint}" if fault.hint else fault.message,
                severity=_SEVERITY[fault.level],
                code=fault.rule,
                source="muninn",
                data={"line": fault.line, "fixes": to_plain(fault.fixes)} if fault.fixes else None,
            )
            for fault in result.faults
        ]

    return await editor.ask("lint", {"path": file.path, "text": file.text}, finish) or []


def _fixes(diagnostic: types.Diagnostic) -> list[tuple[int, Fix]]:
    data: Any = diagnostic.data
    if diagnostic.source != "muninn" or not isinstance(data, dict) or "fixes" not in data:
        return []
    return [(int(data["line"]), from_plain(each, Fix)) for each in data["fixes"]]


def _action(file: OwnFile, diagnostic: types.Diagnostic, found: tuple[int, Fix]) -> types.CodeAction:
    line, fix = found
    action = types.CodeAction(fix.title, kind=types.CodeActionKind.QuickFix, diagnostics=[diagnostic])
    if fix.verb:
        action.command = types.Command(fix.title, f"muninn.{fix.verb}", arguments=[fix.params])
    else:
        edit = types.TextEdit(file.range(line, fix.column, fix.end), fix.text)
        action.edit = types.WorkspaceEdit(changes={file.document.uri: [edit]})
        action.is_preferred = True
    return action
