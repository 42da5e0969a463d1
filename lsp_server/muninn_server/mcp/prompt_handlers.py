"""Handlers of prompts and completions. A failure is an error of the protocol."""

from __future__ import annotations

import mcp_types as types

from muninn_server.mcp import prompts, resources
from muninn_server.mcp.client_state import Context, check_single_page, mcp_errors


async def complete(context: Context, params: types.CompleteRequestParams) -> types.CompleteResult:
    """Complete a variable of a prompt or resource template. An unknown variable has no completions.

    Raises MCPError with INVALID_PARAMS for an unknown prompt or template.
    """
    state, named, argument = context.lifespan_context, params.ref, params.argument
    values: list[str] = []
    more = False
    with mcp_errors(context, "completion/complete"):
        if isinstance(named, types.PromptReference):
            known = {each.name for each in prompts.prompt_of(state.verbs, named.name).arguments}
        else:
            known = resources.variables_of(named.uri)
        if argument.name in known:
            values, more = await resources.completed(state.session, argument.name, argument.value)
    return types.CompleteResult(completion=types.Completion(values=values, has_more=more))


async def list_prompts(context: Context, params: types.PaginatedRequestParams | None) -> types.ListPromptsResult:
    """Return the prompts."""
    check_single_page(params)
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
            for prompt in prompts.prompts_of(context.lifespan_context.verbs).values()
        ]
    )


async def get_prompt(context: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
    """Return the text of a prompt."""
    with mcp_errors(context, "prompts/get"):
        state = context.lifespan_context
        prompt, text = await prompts.render_prompt(state.session, state.verbs, params.name, params.arguments or {})
    content = types.TextContent(type="text", text=text)
    return types.GetPromptResult(
        description=prompt.description, messages=[types.PromptMessage(role="user", content=content)]
    )
