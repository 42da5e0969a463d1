"""The table of supported clients and the content of their files. Data only.

Formats: Claude Code 2.1, Codex CLI 0.169, OpenCode 1.18, Gemini CLI 0.61, Qwen Code 0.24, Copilot CLI 1.0 (all
tested with the program), the references of Cursor and VS Code (not tested). Another client is one more row.
"""

from __future__ import annotations

import re
from importlib.resources import files as resources
from typing import TYPE_CHECKING, Any

from muninn_core.model.value import Value
from muninn_hooks.connect.formats import Content
from muninn_hooks.connect.fragments import COMMAND, Block, Default, Entry, Item, Whole
from muninn_hooks.payload import CLAUDE_CODE, CODEX, COPILOT, CURSOR, GEMINI, OPENCODE, QWEN

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

SERVER = "muninn"
"""The name of the MCP server. Agents derive the names of its tools from it."""


class File(Value):
    """One file of a client. `{…}` in a path is a folder that `client_paths` resolves; "" stands for no such file.

    Without `here` the file is the same in all scopes. `names` are alternative file names; an existing file is
    preferred. `plain`: the client reads only JSON without comments and trailing commas, and ignores the whole file
    otherwise.
    """

    here: str
    everywhere: str
    content: Content
    shared: str = ""
    names: tuple[str, ...] = ()
    plain: bool = False


class Client(Value):
    """One client: its title, what it gets, its files, and what the user must do afterwards."""

    title: str
    gets: str
    files: tuple[File, ...] = ()
    snippet: str = ""
    target: str = ""
    then: str = ""


def snippet(name: str) -> str:
    """Return the text of a file in the package's folder `snippets`."""
    return (resources("muninn_hooks") / "snippets" / name).read_text("utf-8")


_TYPED = {"type": "stdio"}
"""The server's type, which Claude Code and VS Code expect before the command."""


def _server(table: str, args: tuple[str, ...] = ("mcp",), first: Mapping[str, Any] | None = None, **more: Any) -> Entry:
    """Return the MCP server as a member of a table; `first` and `more` are fields before and after its command."""
    return Entry(path=(table, SERVER), value={**(first or {}), "command": COMMAND, "args": [*args], **more})


Row = tuple[str, str | None, str, int]
"""The agent's event, the matcher, Muninn's event, and the timeout in seconds."""


def _grouped_hooks(agent: str, rows: tuple[Row, ...], unit: int = 1) -> tuple[Item, ...]:
    """Return hooks in the format of Codex, Gemini and Qwen Code, shell commands in groups; `unit` is a second of their
    timeout.
    """
    items = []
    for event, matcher, muninn_event, seconds in rows:
        command = f"{COMMAND} hook {muninn_event} --agent {agent}"
        handler = {"type": "command", "command": command, "timeout": seconds * unit}
        group = {**({"matcher": matcher} if matcher else {}), "hooks": [handler]}
        items.append(Item(path=("hooks", event), value=group))
    return tuple(items)


def _flat_hooks(agent: str, rows: tuple[Row, ...], first: Mapping[str, Any] | None = None) -> tuple[Item, ...]:
    """Return hooks in the format of Cursor and Copilot, without groups; `first` are fields before the command."""
    return tuple(
        Item(
            path=("hooks", event),
            value={
                **(first or {}),
                "command": f"{COMMAND} hook {muninn_event} --agent {agent}",
                **({"matcher": matcher} if matcher else {}),
                "timeout": seconds,
            },
        )
        for event, matcher, muninn_event, seconds in rows
    )


def _claude_hooks(agent: str, rows: tuple[tuple[str, str | None, str, int, str | None], ...]) -> tuple[Item, ...]:
    """Return hooks in Claude Code's format: program, arguments, and a condition on the tool."""
    items = []
    for event, matcher, muninn_event, seconds, condition in rows:
        handler = {
            "type": "command",
            "command": COMMAND,
            "args": ["hook", muninn_event, "--agent", agent],
            "timeout": seconds,
        }
        if condition:
            handler["if"] = condition
        group = {**({"matcher": matcher} if matcher else {}), "hooks": [handler]}
        items.append(Item(path=("hooks", event), value=group))
    return tuple(items)


CLAUDE_CODE_HOOKS: tuple[tuple[str, str | None, str, int, str | None], ...] = (
    ("SessionStart", "startup|resume|clear|compact|fork", "session-start", 10, None),
    ("UserPromptSubmit", None, "user-prompt", 5, None),
    # A matcher sees the tool's name alone; `if` narrows by its arguments. `git -C x commit` must match, too.
    ("PostToolUse", "Bash", "post-commit", 10, "Bash(git *)"),
    ("PostToolUseFailure", "Bash", "post-failure", 5, None),
    ("PreCompact", None, "pre-compact", 20, None),
    ("Stop", None, "stop", 5, None),
    ("SessionEnd", None, "session-end", 5, None),
)
"""Event, matcher, Muninn's event, timeout in seconds, and the condition on the tool's arguments."""

_CODEX_HOOKS: tuple[Row, ...] = (
    ("SessionStart", None, "session-start", 10),
    ("UserPromptSubmit", None, "user-prompt", 5),
    ("PostToolUse", "Bash", "post-commit", 10),
    ("PreCompact", None, "pre-compact", 20),
    ("Stop", None, "stop", 5),
    ("SessionEnd", None, "session-end", 3),
)
"""Codex passes a command's output but no exit status to a hook, so post-failure is not used."""

_GEMINI_HOOKS: tuple[Row, ...] = (
    ("SessionStart", None, "session-start", 10),
    ("BeforeAgent", None, "user-prompt", 5),
    ("AfterTool", "run_shell_command", "post-commit", 10),
    ("AfterTool", "run_shell_command", "post-failure", 5),
    ("AfterAgent", None, "stop", 5),
    ("SessionEnd", None, "session-end", 5),
)

_QWEN_HOOKS: tuple[Row, ...] = (
    ("SessionStart", None, "session-start", 10),
    ("UserPromptSubmit", None, "user-prompt", 5),
    ("PostToolUse", "run_shell_command", "post-commit", 10),
    ("PostToolUseFailure", "run_shell_command", "post-failure", 5),
    ("PreCompact", None, "pre-compact", 20),
    ("Stop", None, "stop", 5),
    ("SessionEnd", None, "session-end", 5),
)

_CURSOR_HOOKS: tuple[Row, ...] = (
    ("sessionStart", None, "session-start", 10),
    ("beforeSubmitPrompt", None, "record", 5),
    ("postToolUse", "Shell", "post-commit", 10),
    ("postToolUseFailure", "Shell", "post-failure", 5),
    ("afterAgentResponse", None, "record", 5),
    ("stop", None, "stop", 5),
    ("sessionEnd", None, "session-end", 5),
)
"""Cursor's preCompact has no path of a transcript, so it is not used."""

_COPILOT_HOOKS: tuple[Row, ...] = (
    ("SessionStart", None, "session-start", 10),
    ("UserPromptSubmit", None, "user-prompt", 5),
    ("PostToolUse", "bash|powershell", "post-commit", 10),
    ("PostToolUse", "bash|powershell", "post-failure", 5),
    ("PreCompact", None, "pre-compact", 20),
    ("Stop", None, "stop", 5),
    ("SessionEnd", None, "session-end", 5),
)
"""Events with a capital letter have the fields of Claude Code and VS Code. For Copilot the tool also succeeded when its
command failed."""

_NEOVIM = ("plugin/muninn.lua", *(f"lua/muninn/{name}.lua" for name in ("init", "server", "commands", "health")))
"""The modules of the plugin, in the layout that plugin managers and Neovim's packages share."""


def _neovim() -> Client:
    """Return Neovim with the plugin as a package of the user, which Neovim loads by itself."""
    plugin = resources("muninn_hooks") / "neovim"
    texts = {name: plugin.joinpath(name).read_text("utf-8") for name in (*_NEOVIM, "doc/muninn.txt")}
    texts["doc/tags"] = _help_tags(texts["doc/muninn.txt"])
    package = "{neovim}/site/pack/muninn/start/muninn"
    return Client(
        title="Neovim",
        gets="plugin, language server",
        files=tuple(
            File(here="", everywhere=f"{package}/{name}", content=Content(pieces=(Whole(text=text),)))
            for name, text in texts.items()
        ),
        then="restart Neovim; `:help muninn` describes the commands, `:checkhealth muninn` finds problems",
    )


def _help_tags(text: str) -> str:
    """Return the index of a help file, which Neovim's `:helptags` would write."""
    names = sorted(re.findall(r"(?<!\S)\*([^\s*|]+)\*(?!\S)", text))
    first = "!_TAG_FILE_ENCODING\tutf-8\t//Written by `muninn install neovim`\n"
    return first + "".join(f"{name}\tmuninn.txt\t/*{name}*\n" for name in names)


_PLACES = ("MUNINN_RUNTIME_DIR", "XDG_DATA_HOME")
"""Variables that Codex passes to the server, which needs them to find the daemon and the user's global memory."""

_FOLDER = ("mcp", "--repo", "${workspaceFolder}")
"""Editors start servers in any folder and provide the open one as a variable."""

CLIENTS: dict[str, Callable[[], Client]] = {
    CLAUDE_CODE: lambda: Client(
        title="Claude Code",
        gets="hooks and MCP server",
        files=(
            File(
                here="{root}/.claude/settings.local.json",
                shared="{root}/.claude/settings.json",
                everywhere="{claude}/settings.json",
                content=Content(pieces=_claude_hooks(CLAUDE_CODE, CLAUDE_CODE_HOOKS)),
                plain=True,
            ),
            File(
                here="{root}/.mcp.json",
                everywhere="{claude_json}",
                # Without alwaysLoad the model sees only names, and the first request does not wait for the server.
                content=Content(pieces=(_server("mcpServers", first=_TYPED, alwaysLoad=True),)),
                plain=True,
            ),
        ),
        then="Claude Code reads it when its next session starts, and asks once about a server of .mcp.json",
    ),
    CODEX: lambda: Client(
        title="Codex CLI",
        gets="hooks and MCP server",
        files=(
            File(
                here="{main}/.codex/hooks.json",  # in a linked work tree Codex reads the main checkout's
                everywhere="{codex}/hooks.json",
                content=Content(pieces=_grouped_hooks(CODEX, _CODEX_HOOKS)),
                plain=True,
            ),
            File(
                here="{root}/.codex/config.toml",
                everywhere="{codex}/config.toml",
                content=Content(toml=True, pieces=(_server("mcp_servers", env_vars=[*_PLACES]),)),
            ),
        ),
        then="Codex asks once to trust the folder, and its hooks with /hooks",
    ),
    OPENCODE: lambda: Client(
        title="OpenCode",
        gets="plugin and MCP server",
        files=(
            File(
                here="{root}/opencode.json",
                everywhere="{config}/opencode/opencode.json",
                names=("opencode.jsonc",),
                content=Content(
                    pieces=(
                        Default(
                            path=("$schema",), value="https://opencode.ai/config.json"
                        ),  # OpenCode adds this itself
                        Entry(path=("mcp", SERVER), value={"type": "local", "command": [COMMAND, "mcp"]}),
                    )
                ),
            ),
            File(
                here="{root}/.opencode/plugins/muninn.ts",
                everywhere="{config}/opencode/plugins/muninn.ts",
                content=Content(pieces=(Whole(text=snippet("opencode.ts")),)),
            ),
        ),
    ),
    CURSOR: lambda: Client(
        title="Cursor",
        gets="hooks and MCP server",
        files=(
            File(
                here="{root}/.cursor/hooks.json",
                everywhere="{home}/.cursor/hooks.json",
                content=Content(pieces=(Default(path=("version",), value=1), *_flat_hooks(CURSOR, _CURSOR_HOOKS))),
            ),
            File(
                here="{root}/.cursor/mcp.json",
                everywhere="{home}/.cursor/mcp.json",
                content=Content(pieces=(_server("mcpServers", _FOLDER),)),
            ),
        ),
    ),
    GEMINI: lambda: Client(
        title="Gemini CLI",
        gets="hooks and MCP server",
        files=(
            File(
                here="{root}/.gemini/settings.json",
                everywhere="{home}/.gemini/settings.json",
                content=Content(pieces=(_server("mcpServers"), *_grouped_hooks(GEMINI, _GEMINI_HOOKS, unit=1000))),
            ),
        ),
        then="Gemini CLI runs the hooks of trusted folders only",
    ),
    QWEN: lambda: Client(
        title="Qwen Code",
        gets="hooks and MCP server",
        files=(
            File(
                here="{root}/.qwen/settings.json",
                everywhere="{home}/.qwen/settings.json",
                content=Content(pieces=(_server("mcpServers"), *_grouped_hooks(QWEN, _QWEN_HOOKS, unit=1000))),
            ),
        ),
        then="Qwen Code runs the hooks of trusted folders only",
    ),
    COPILOT: lambda: Client(
        title="Copilot CLI",
        gets="hooks and MCP server",
        files=(
            File(
                here="{root}/.github/hooks/muninn.json",
                everywhere="{copilot}/hooks/muninn.json",
                content=Content(
                    # VS Code, which reads the same file, needs the type.
                    pieces=(
                        Default(path=("version",), value=1),
                        *_flat_hooks(COPILOT, _COPILOT_HOOKS, {"type": "command"}),
                    )
                ),
                plain=True,
            ),
            File(
                here="{root}/.github/mcp.json",
                everywhere="{copilot}/mcp-config.json",
                content=Content(pieces=(_server("mcpServers", first={"type": "local"}, tools=["*"]),)),
                plain=True,
            ),
        ),
        then="Copilot CLI asks once to trust the folder",
    ),
    "vscode": lambda: Client(
        title="VS Code's agent mode",
        gets="MCP server",
        files=(
            File(
                here="{root}/.vscode/mcp.json",
                everywhere="{vscode}/mcp.json",
                content=Content(pieces=(_server("servers", _FOLDER, _TYPED),)),
            ),
        ),
        then="not needed with Muninn's extension, which registers the server",
    ),
    "agents-md": lambda: Client(
        title="AGENTS.md",
        gets="a paragraph for any agent",
        files=(
            File(
                here="{root}/AGENTS.md",
                everywhere="",
                content=Content(pieces=(Block(text=snippet("agents.md")),)),
            ),
        ),
    ),
    "mcp": lambda: Client(title="any MCP client", gets="MCP server", snippet="mcp.json", target="its configuration"),
    "neovim": _neovim,
    "emacs": lambda: Client(title="Emacs", gets="language server", snippet="emacs.el", target="muninn.el"),
    "helix": lambda: Client(title="Helix", gets="language server", snippet="helix.toml", target="languages.toml"),
    "sublime": lambda: Client(
        title="Sublime Text", gets="language server", snippet="sublime.json", target="LSP.sublime-settings"
    ),
    "jetbrains": lambda: Client(
        title="JetBrains' editors", gets="language server", snippet="jetbrains.json", target="a template of LSP4IJ"
    ),
    "zed": lambda: Client(title="Zed", gets="MCP server", snippet="zed.json", target="settings.json"),
}
"""All clients by the name on the command line. Values are functions, because some read a snippet."""
