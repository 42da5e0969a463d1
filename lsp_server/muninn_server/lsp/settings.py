"""What an editor is set to: how lenses are shown, whether anything is underlined.

Settings come with the handshake (`initializationOptions`), from `workspace/configuration` (section `muninn`), and with
`workspace/didChangeConfiguration`; what is unknown or of the wrong type keeps its default.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from lsprotocol import types

from muninn_core.model.value import Value

if TYPE_CHECKING:
    from muninn_server.lsp.editor import Editor
    from muninn_server.lsp.server import Server

SECTION = "muninn"

LensMode = Literal["lens", "inlay", "off"]
_MODES: tuple[LensMode, ...] = ("lens", "inlay", "off")


class Settings(Value):
    """`lens`: code lenses, inlay hints in their place, or neither. `diagnostics`: whether source files have any."""

    lens: LensMode = "lens"
    diagnostics: bool = True


def settings_of(given: Any, before: Settings) -> Settings:
    """Return the settings that a client states, alone or below `muninn`; what it does not state stays."""
    plain = given.get(SECTION, given) if isinstance(given, dict) else {}
    if not isinstance(plain, dict):
        return before
    lens, diagnostics = plain.get("lens"), plain.get("diagnostics")
    mode = next((each for each in _MODES if each == lens), before.lens)
    return Settings(lens=mode, diagnostics=diagnostics if isinstance(diagnostics, bool) else before.diagnostics)


def register(editor: Editor, server: Server) -> None:
    """Hear of the settings."""

    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    async def changed(params: types.DidChangeConfigurationParams) -> None:
        given: Any = params.settings
        if isinstance(given, dict) and given.get(SECTION):
            editor.set(settings_of(given, editor.settings))
        else:
            await ask(editor, server)


async def ask(editor: Editor, server: Server) -> None:
    """Ask the client for its settings, if it can be asked."""
    workspace = server.client_capabilities.workspace
    if workspace is None:
        return
    if workspace.configuration:
        item = types.ConfigurationItem(section=SECTION)
        answer = await server.workspace_configuration_async(types.ConfigurationParams(items=[item]))
        editor.set(settings_of(answer[0] if answer else None, editor.settings))


async def follow(editor: Editor, server: Server) -> None:
    """Ask for the settings, and have a client that registers capabilities later tell of changes of our section."""
    await ask(editor, server)
    workspace = server.client_capabilities.workspace
    told = workspace.did_change_configuration if workspace is not None else None
    if told is not None and told.dynamic_registration:
        registration = types.Registration(
            id="muninn-configuration",
            method=types.WORKSPACE_DID_CHANGE_CONFIGURATION,
            register_options={"section": SECTION},
        )
        await server.client_register_capability_async(types.RegistrationParams([registration]))
