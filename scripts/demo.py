"""The demo: Muninn on a clone of this project, from the shell, a plain JSON-RPC client and an agent's MCP client.

Every call is real. The clone is in .tools/demo, so that this checkout does not change. The script fails when two
clients do not get the same answer from the same process.
"""

from __future__ import annotations

import json
import shlex
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from rich.console import Console

from muninn_core import __version__
from muninn_core.launch.repository_location import locate
from muninn_core.protocol import wire

ROOT = Path(__file__).resolve().parent.parent
CLONE = ROOT / ".tools" / "demo" / "muninn"
MUNINN = str(Path(sys.executable).parent / "muninn")

QUESTION = "how does a client find or start the daemon"
MEMORY = (
    "One daemon serves all work trees of a repository, because the socket's name is a hash of the git common "
    "directory: a client needs no registry to find it."
)

console = Console(highlight=False)


def main() -> int:
    begun = time.monotonic()
    clone()
    try:
        show_shell()
        show_second_client()
    finally:
        title("Stop it")
        shell("daemon", "stop")
    console.print(f"\n[bold green]Done[/] in {time.monotonic() - begun:.0f} s. Try it in a project of yours: ", end="")
    console.print(f"[bold]{MUNINN} init[/]", soft_wrap=True)
    return 0


def clone() -> None:
    """Make a fresh clone. First stop the daemon that an earlier demo left running there."""
    if CLONE.exists():
        subprocess.run([MUNINN, "daemon", "stop", "--repo", str(CLONE)], capture_output=True, check=False)
        shutil.rmtree(CLONE)
    CLONE.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(CLONE)], check=True)


def show_shell() -> None:
    """Show init, index, remember, recall and context from the shell."""
    title("Initialise a repository")
    shell("init")
    title("Index the repository; the first client has started the daemon")
    shell("index", "--wait")
    title("Remember a decision, with the file that it is about")
    shell("remember", MEMORY, "--type", "decision", "--file", "core/muninn_core/launch/runtime.py")
    title("Recall: code, knowledge and memory, found by words and meaning")
    shell("recall", QUESTION, "--limit", "3", "--why")
    title("Context: items for a task, within a budget of tokens")
    shell("context", QUESTION, "--budget", "600")
    shell("status")


def show_second_client() -> None:
    """Ask the same question over JSON-RPC and over MCP, and require the same answer."""
    title("Other clients, the same daemon, the same answer")
    ours = json.loads(run("recall", QUESTION, "--limit", "3", "--json"))
    pid = json.loads(run("daemon", "status", "--json"))["pid"]
    their_pid, theirs = ask_by_socket()
    agent = ask_as_agent()
    console.print(f"  shell     pid {pid}  {len(ours['hits'])} hits, the first is {ours['hits'][0]['id']}")
    console.print(f"  JSON-RPC  pid {their_pid}  {len(theirs['hits'])} hits, the first is {theirs['hits'][0]['id']}")
    if pid != their_pid or ours["hits"] != theirs["hits"] or not same_order(ours["hits"], agent):
        sys.exit("The clients did not get the same answer from the same daemon.")
    console.print(f"  MCP       the same hits in the same order, as {len(agent):,} characters for a model")
    console.print("  [green]The same hits, scores and reasons from the same process.[/]")


def ask_by_socket() -> tuple[int, dict[str, Any]]:
    """Call as a plain JSON-RPC client: Unix socket, hello, call. Returns the daemon's pid and the answer."""
    path = json.loads(run("daemon", "status", "--json"))["socket"]
    location = locate(str(CLONE))
    hello = {"version": __version__, "root": location.root, "identity": location.identity, "client": "demo"}
    with socket.socket(socket.AF_UNIX) as sock:
        sock.connect(path)
        stream = sock.makefile("rb")
        sock.sendall(wire.request(1, wire.HELLO, hello))
        greeting = wire.read(stream.readline, stream.read)
        sock.sendall(wire.request(2, "muninn/recall", {"query": QUESTION, "limit": 3}))
        answer = wire.read(stream.readline, stream.read)
        stream.close()
    assert greeting is not None
    assert answer is not None
    return greeting["result"]["pid"], answer["result"]


def ask_as_agent() -> str:
    """Call as an agent: start `muninn mcp`, initialise, call the tool. Returns the text for the model."""
    client = {"name": "demo", "version": __version__}
    messages = [
        {
            "id": 1,
            "method": "initialize",
            "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client},
        },
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call", "params": {"name": "recall", "arguments": {"query": QUESTION, "limit": 3}}},
    ]
    command = [MUNINN, "mcp", "--repo", str(CLONE)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as agent:
        assert agent.stdin is not None
        assert agent.stdout is not None
        for message in messages:
            agent.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        agent.stdin.flush()
        answers = (json.loads(line) for line in agent.stdout)
        result = next(answer["result"] for answer in answers if answer.get("id") == 2)
        agent.stdin.close()
    return "\n".join(part["text"] for part in result["content"])


def same_order(hits: list[dict[str, Any]], text: str) -> bool:
    """Whether a text contains the hits in their order."""
    at = 0
    for hit in hits:
        at = text.find(hit["id"], at) + 1
        if at == 0:
            return False
    return True


def title(text: str) -> None:
    console.print(f"\n[bold cyan]▌ {text}[/]")


def shell(*words: str) -> None:
    """Print a command and run it in the clone."""
    console.print(f"[dim]$[/] [bold]muninn {shlex.join(words)}[/]", soft_wrap=True)
    subprocess.run([MUNINN, *words, "--repo", str(CLONE)], check=True)


def run(*words: str) -> str:
    """Run a command and return what it prints."""
    return subprocess.run([MUNINN, *words, "--repo", str(CLONE)], check=True, capture_output=True, text=True).stdout


if __name__ == "__main__":
    sys.exit(main())
