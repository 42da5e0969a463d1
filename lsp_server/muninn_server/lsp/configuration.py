"""Requests the editor's settings and follows their changes.

Settings arrive with the handshake (`initializationOptions`), from `workspace/configuration` (section `muninn`), and
with `workspace/didChangeConfiguration`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from lsprotocol import types

from muninn_server.lsp.settings import SECTION, Settings, settings_of

if TYPE_CHECKING:
    from muninn_server.lsp.client import EditorClient

Apply = Callable[[Settings], None]


async def request_settings(client: EditorClient, apply: Apply) -> None:
    """Request the settings from a client that supports `workspace/configuration`, and apply them."""
    workspace = client.server.client_capabilities.workspace
    if workspace is None or not workspace.configuration:
        return
    item = types.ConfigurationItem(section=SECTION)
    answer = await client.server.workspace_configuration_async(types.ConfigurationParams(items=[item]))
    apply(settings_of(answer[0] if answer else None, client.settings))


async def follow_settings(client: EditorClient, apply: Apply) -> None:
    """Request the settings, and register for changes of the section `muninn` if the client supports it."""
    await request_settings(client, apply)
    workspace = client.server.client_capabilities.workspace
    changes = workspace.did_change_configuration if workspace is not None else None
    if changes is not None and changes.dynamic_registration:
        registration = types.Registration(
            id="muninn-configuration",
            method=types.WORKSPACE_DID_CHANGE_CONFIGURATION,
            register_options={"section": SECTION},
        )
        await client.server.client_register_capability_async(types.RegistrationParams([registration]))
