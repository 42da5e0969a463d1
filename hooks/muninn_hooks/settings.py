"""What Muninn adds to Claude Code's settings, as pure functions over parsed JSON: put in, find, take out.

Format: Claude Code 2.1, `hooks` in settings files (exec form: `command` with `args`, no shell) and `mcpServers`.
Whatever else the files hold is passed through in its order.
"""

from __future__ import annotations

import copy
from typing import Any

from muninn_core.errors import UsageError

Json = dict[str, Any]

SERVER = "muninn"
"""The name of the MCP server; its tools are `mcp__muninn__<verb>`."""

_HANDLERS: tuple[tuple[str, str | None, str, int, str | None], ...] = (
    ("SessionStart", "startup|resume|clear|compact|fork", "session-start", 10, None),
    ("UserPromptSubmit", None, "user-prompt", 5, None),
    # A matcher sees the tool's name alone; `if` narrows by its arguments. `git -C x commit` must match, too.
    ("PostToolUse", "Bash", "post-commit", 10, "Bash(git *)"),
    ("PostToolUseFailure", "Bash", "post-failure", 5, None),
    ("PreCompact", None, "pre-compact", 20, None),
    ("Stop", None, "stop", 5, None),
    ("SessionEnd", None, "session-end", 5, None),
)
"""Event, matcher, our event, timeout in seconds, and the condition on the tool's arguments."""


def with_hooks(settings: Json, command: str) -> Json:
    """Return the settings with our hooks, and with none of ours from before. Raises UsageError for a foreign shape."""
    result = without_hooks(settings)
    wanted = _groups(command)
    if result != settings and all(group in settings["hooks"].get(event, []) for event, group in wanted):
        return settings  # all there; others may have been added behind them, and keep their places
    hooks = result.setdefault("hooks", {})
    for event, group in wanted:
        hooks.setdefault(event, []).append(group)
    return result


def _groups(command: str) -> list[tuple[str, Json]]:
    """Return each event of the agent with the group of handlers that it gets."""
    groups = []
    for event, matcher, ours, timeout, condition in _HANDLERS:
        handler: Json = {"type": "command", "command": command, "args": ["hook", ours], "timeout": timeout}
        if condition:
            handler["if"] = condition
        groups.append((event, {**({"matcher": matcher} if matcher else {}), "hooks": [handler]}))
    return groups


def without_hooks(settings: Json) -> Json:
    """Return the settings without our hooks; what holds nothing any more because of that goes with them."""
    result = copy.deepcopy(settings)
    hooks = _table(result, "hooks")
    removed = False
    for event in list(hooks):
        groups = hooks[event]
        if not isinstance(groups, list):
            raise UsageError(f"'hooks.{event}' is not a list", hint="Correct the file, then try again.")
        left = [kept for group in groups if (kept := _without_ours(group)) is not None]
        if left != groups:
            removed = True
            hooks[event] = left
            if not left:
                del hooks[event]
    if removed and not hooks:
        del result["hooks"]
    return result


def with_server(settings: Json, command: str) -> Json:
    """Return the settings with our MCP server. Raises UsageError when another server has its name."""
    result = copy.deepcopy(settings)
    servers = _table(result, "mcpServers")
    if SERVER in servers and not _our_server(servers[SERVER]):
        raise UsageError(
            f"there is another MCP server with the name '{SERVER}'", hint="Rename or remove it, then try again."
        )
    # Without alwaysLoad the model sees only names, and the first request does not wait for the server.
    entry = {"type": "stdio", "command": command, "args": ["mcp"], "alwaysLoad": True}
    result.setdefault("mcpServers", {})[SERVER] = entry
    return result


def without_server(settings: Json) -> Json:
    """Return the settings without our MCP server."""
    result = copy.deepcopy(settings)
    servers = _table(result, "mcpServers")
    if SERVER in servers and _our_server(servers[SERVER]):
        del servers[SERVER]
        if not servers:
            del result["mcpServers"]
    return result


def _without_ours(group: Any) -> Any:
    """Return one group of handlers without ours; None when that leaves it without any."""
    if not isinstance(group, dict) or not isinstance(group.get("hooks"), list):
        return group
    left = [handler for handler in group["hooks"] if not _our_handler(handler)]
    if len(left) == len(group["hooks"]):
        return group
    return {**group, "hooks": left} if left else None


def _our_handler(handler: Any) -> bool:
    if not isinstance(handler, dict) or not _our_command(handler.get("command")):
        return False
    args = handler.get("args")
    return isinstance(args, list) and args[:1] == ["hook"]


def _our_server(entry: Any) -> bool:
    return isinstance(entry, dict) and _our_command(entry.get("command")) and entry.get("args") == ["mcp"]


def _our_command(command: Any) -> bool:
    if not isinstance(command, str):
        return False
    return command.replace("\\", "/").rpartition("/")[2].lower().removesuffix(".exe") == "muninn"


def _table(settings: Json, name: str) -> Json:
    """Return the table of that name, an empty one when there is none."""
    table = settings.get(name, {})
    if not isinstance(table, dict):
        raise UsageError(f"'{name}' is not an object", hint="Correct the file, then try again.")
    return table
