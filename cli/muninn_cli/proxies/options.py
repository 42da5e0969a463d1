"""The options of `muninn lsp`, `mcp`, `http`, `gateway` and `open`, read without argparse: editors and agents wait."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

USAGE = {
    "lsp": (
        "usage: muninn lsp [--repo DIR]\n\n"
        "Serve an editor on stdin and stdout. The repository's daemon answers, and is\n"
        "started if needed.\n"
        "\n"
        "example:\n"
        "  muninn lsp --repo ~/my/project\n"
    ),
    "mcp": (
        "usage: muninn mcp [--repo DIR] [--tools SET[,SET]]\n"
        "       muninn mcp --http [--port N] [--print-config] [--repo DIR]\n"
        "                  [--tools SET[,SET]]\n"
        "\n"
        "Serve an agent on stdin and stdout. The repository's daemon answers, and is\n"
        "started if needed.\n"
        "\n"
        "  --tools SET      core (the default), all, mnemosyne, events, hub,\n"
        "                   hub_underscore, kindling, team; several with commas\n"
        "  --http           serve HTTP on 127.0.0.1 until this command ends\n"
        "  --port N         the port to serve (default: the last one, or any free port)\n"
        "  --print-config   print a client's settings, with URL and token, and exit\n"
        "\n"
        "example:\n"
        "  muninn mcp --http --print-config\n"
    ),
    "http": (
        "usage: muninn http [--port N] [--repo DIR]\n"
        "       muninn http --print-config | --print-header [--repo DIR]\n"
        "\n"
        "Serve the HTTP API on 127.0.0.1 until this command ends: JSON-RPC, events,\n"
        "probes and metrics.\n"
        "\n"
        "  --port N         the port to serve (default: the last one, or any free port)\n"
        "  --print-config   print URL and token as JSON, and exit\n"
        "  --print-header   print the header with the token, for `curl -H @-`, and exit\n"
        "\n"
        "example:\n"
        "  muninn http --port 8765\n"
    ),
    "gateway": (
        "usage: muninn gateway [--port N] [--repo DIR]\n"
        "       muninn gateway --print-config | --print-header [--repo DIR]\n"
        "\n"
        "Serve the models of `muninn models list` on 127.0.0.1 until this command ends.\n"
        "Memory is added to requests where your own settings say so.\n"
        "\n"
        "  --port N         the port to serve (default: the last one, or any free port)\n"
        "  --print-config   print URL and token as JSON, and exit\n"
        "  --print-header   print the header with the token, for `curl -H @-`, and exit\n"
        "\n"
        "example:\n"
        "  muninn gateway --print-config\n"
    ),
    "open": (
        "usage: muninn open [--print] [--port N] [--repo DIR]\n"
        "\n"
        "Show memory in a browser. The page is on 127.0.0.1 until this command ends; its\n"
        "link works once.\n"
        "\n"
        "  --print   print the link, and open no browser\n"
        "  --port N  the port to serve (default: the last one, or any free port)\n"
        "\n"
        "example:\n"
        "  muninn open\n"
    ),
}


class Options:
    """The folder of the repository, the tool sets, and for HTTP the port and what to print instead of serving."""

    __slots__ = ("http", "port", "print_config", "print_header", "print_link", "repo", "tools")

    def __init__(self, repo: str) -> None:
        self.repo = repo
        self.tools: list[str] = []
        self.http = False
        self.port = 0
        self.print_config = False
        self.print_header = False
        self.print_link = False


def read_options(command: str, words: list[str], environ: Mapping[str, str]) -> Options:
    """Return the options of such a command. Raises ValueError for an unknown or incomplete one.

    The folder is `--repo`, else for agents the one that Claude Code names, else the current one. `--stdio` and
    `--json`, which some clients add, have no effect.
    """
    options = Options((environ.get("CLAUDE_PROJECT_DIR") if command == "mcp" else None) or ".")
    options.http = command in ("http", "gateway", "open")
    rest = iter(words)
    for word in rest:
        option, given, value = word.partition("=")
        if option == "--repo":
            options.repo = value if given else _value(rest, "--repo needs a folder")
        elif command == "mcp" and option == "--tools":
            names = value if given else _value(rest, "--tools needs the name of a tool set")
            options.tools += [name for name in names.split(",") if name]
        elif command != "lsp" and option == "--port":
            options.port = _port(value if given else _value(rest, "--port needs a number"))
        elif command == "mcp" and word == "--http":
            options.http = True
        elif command == "open" and word == "--print":
            options.print_link = True
        elif command in ("mcp", "http", "gateway") and word == "--print-config":
            options.print_config = True
        elif command in ("http", "gateway") and word == "--print-header":
            options.print_header = True
        elif word not in ("--stdio", "--json"):
            raise ValueError(f"there is no option '{word}'")
    if not options.http and (options.port or options.print_config):
        raise ValueError("--port and --print-config need --http")
    return options


def _value(rest: Iterator[str], missing: str) -> str:
    value = next(rest, None)
    if not value:
        raise ValueError(missing)
    return value


def _port(text: str) -> int:
    if not text.isdecimal() or not 0 < int(text) < 65536:
        raise ValueError(f"'{text}' is not a port: give a number from 1 to 65535")
    return int(text)
