"""Resources, prompts and completions on the wire. What fails is an error of the protocol: a program asked for it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import mcp_types as types

from muninn_server.mcp import prompts, resources
from muninn_server.mcp.peer import Context, refusal, whole
from muninn_server.session import error_of


@contextlib.contextmanager
def _answering(context: Context, method: str, **about: str) -> Iterator[None]:
    """Turn every failure into an answer of the protocol; `error_of` logs what is not ours."""
    try:
        yield
    except Exception as error:
        raise refusal(context, error_of(error, method), **about) from None


async def list_resources(context: Context, params: types.PaginatedRequestParams | None) -> types.ListResourcesResult:
    """Answer `resources/list` with a page."""
    cursor = params.cursor if params is not None else None
    with _answering(context, "resources/list"):
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
    """Answer `resources/templates/list`."""
    whole(params)
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
    """Answer `resources/read`."""
    with _answering(context, "resources/read", uri=params.uri):
        text, kind = await resources.read(context.lifespan_context.session, params.uri)
    return types.ReadResourceResult(contents=[types.TextResourceContents(uri=params.uri, mime_type=kind, text=text)])


async def complete(context: Context, params: types.CompleteRequestParams) -> types.CompleteResult:
    """Complete a variable that names something; what a prompt or address does not have is completed by nothing."""
    named, argument = params.ref, params.argument
    if isinstance(named, types.PromptReference):
        prompt = prompts.PROMPTS.get(named.name)
        known = {each.name for each in prompt.arguments} if prompt is not None else set()
    else:
        known = {argument.name} if named.uri in {each.uri for each in resources.TEMPLATES} else set()
    values: list[str] = []
    more = False
    if argument.name in known:
        with _answering(context, "completion/complete"):
            values, more = await resources.completed(context.lifespan_context.session, argument.name, argument.value)
    return types.CompleteResult(completion=types.Completion(values=values, has_more=more))


async def list_prompts(_context: Context, params: types.PaginatedRequestParams | None) -> types.ListPromptsResult:
    """Answer `prompts/list`."""
    whole(params)
    return types.ListPromptsResult(
        prompts=[
            types.Prompt(
                name=prompt.name,
                title=prompt.title,
                description=prompt.description,
                arguments=[
                    types.PromptArgument(name=each.name, description=each.description, required=each.required)
                    for each in prompt.arguments
                ],
            )
            for prompt in prompts.PROMPTS.values()
        ]
    )


async def get_prompt(context: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
    """Answer `prompts/get`."""
    with _answering(context, "prompts/get"):
        prompt, text = await prompts.made(context.lifespan_context.session, params.name, params.arguments or {})
    content = types.TextContent(type="text", text=text)
    return types.GetPromptResult(
        description=prompt.description, messages=[types.PromptMessage(role="user", content=content)]
    )
