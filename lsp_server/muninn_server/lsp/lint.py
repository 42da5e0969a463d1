"""Problems in an open Muninn file as diagnostics, and their quick fixes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from muninn_core.model.value import from_plain, to_plain
from muninn_core.protocol.families.reference import Fix, LintResult
from muninn_server.lsp.muninn_document import MuninnDocument, muninn_document

if TYPE_CHECKING:
    from muninn_server.lsp.client import EditorClient

_SEVERITY = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "information": types.DiagnosticSeverity.Information,
}


async def lint(client: EditorClient, uri: str) -> list[types.Diagnostic]:
    """Return the problems of a Muninn file; none if it is not open or `.muninn` does not exist."""
    file = muninn_document(client, uri)
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

    return await client.ask("lint", {"path": file.path, "text": file.text}, finish) or []


def quick_fixes(file: MuninnDocument, diagnostics: Iterable[types.Diagnostic]) -> list[types.CodeAction]:
    """Return the fixes that `lint` attached to diagnostics."""
    return [_action(file, each, line, fix) for each in diagnostics for line, fix in _fixes(each)]


def _fixes(diagnostic: types.Diagnostic) -> list[tuple[int, Fix]]:
    data: Any = diagnostic.data
    if diagnostic.source != "muninn" or not isinstance(data, dict) or "fixes" not in data:
        return []
    return [(int(data["line"]), from_plain(each, Fix)) for each in data["fixes"]]


def _action(file: MuninnDocument, diagnostic: types.Diagnostic, line: int, fix: Fix) -> types.CodeAction:
    action = types.CodeAction(fix.title, kind=types.CodeActionKind.QuickFix, diagnostics=[diagnostic])
    if fix.verb:
        action.command = types.Command(fix.title, f"muninn.{fix.verb}", arguments=[fix.params])
    else:
        edit = types.TextEdit(file.range(line, fix.column, fix.end), fix.text)
        action.edit = types.WorkspaceEdit(changes={file.document.uri: [edit]})
        action.is_preferred = True
    return action
