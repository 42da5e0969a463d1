"""Handlers of resources. A failure is an error of the protocol."""

from __future__ import annotations

import mcp_types as types

from muninn_server.mcp import resources
from muninn_server.mcp.client_state import Context, check_single_page, mcp_errors


async def list_resources(context: Context, params: types.PaginatedRequestParams | None) -> types.ListResourcesResult:
    """Return a page of the resources."""
    cursor = params.cursor if params is not None else None
    with mcp_errors(context, "resources/list"):
        page, following = await resources.listed(context.lifespan_context.session, cursor)
    return types.ListResourcesResult(
        resources=[
            types.Resource(
                uri=each.uri, name=each.name, title=each.title, description=each.description, mime_type=each.kind
            )
            for each in page
        ],
        next_cursor=following,
    )


async def list_templates(
    _context: Context, params: types.PaginatedRequestParams | None
) -> types.ListResourceTemplatesResult:
    """Return the resource templates."""
    check_single_page(params)
    return types.ListResourceTemplatesResult(
        resource_templates=[
            types.ResourceTemplate(
                uri_template=each.uri,
                name=each.name,
                title=each.title,
                description=each.description,
                mime_type=each.kind,
            )
            for each in resources.TEMPLATES
        ]
    )


async def read_resource(context: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
    """Return the text of a resource."""
    with mcp_errors(context, "resources/read", uri=params.uri):
        text, kind = await resources.read(context.lifespan_context.session, params.uri)
    return types.ReadResourceResult(contents=[types.TextResourceContents(uri=params.uri, mime_type=kind, text=text)])
