"""The page of `muninn open` and the exported page in a real Chromium; page_browser.mjs has the checks."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import clients
import pytest
from node import node_folder
from page_api import page_of
from repositories import MUNINN, PATIENCE, Home, copy_plain_repo, daemon_pid, git, kill_daemon
from transcripts import Transcript

from muninn_core import client

NAME = "Chromium"
TOOLS = Path(__file__).resolve().parents[2] / ".tools"
MODULES = TOOLS / "browser" / "node_modules"
CHROMIUM = TOOLS / "vscode" / "chromium"
SCRIPT = Path(__file__).with_name("page_browser.mjs")

HOSTILE = (
    '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>'
    """ "'>{{7*7}} <b>bold</b> javascript:alert(1) </p><style>*{display:none}</style>"""
)
CORPUS = (
    "<svg onload=window.hacked=1>",
    "<svg><animate onbegin=window.hacked=1 attributeName=x dur=1s>",
    "<iframe srcdoc='<script>parent.hacked=1</script>'></iframe>",
    "<a href='javascript:window.hacked=1'>here</a>",
    "<details open ontoggle=window.hacked=1>",
    "<math><mtext><table><mglyph><style><img src=x onerror=window.hacked=1>",
    "<input autofocus onfocus=window.hacked=1>",
    "<base href='http://localhost/'><meta http-equiv=refresh content='0; url=/'>",
    "<form action='javascript:window.hacked=1'><button>go</button></form>",
    "</textarea></title></style></script><body onload=window.hacked=1>",
    "<object data='data:text/html,<script>opener.hacked=1</script>'></object>",
    '&lt;img src=x onerror="window.hacked=1"&gt; &#60;script&#62;',
    "[click](javascript:window.hacked=1) ![x](x onerror=window.hacked=1)",
    "`${window.hacked=1}` {{constructor.constructor('window.hacked=1')()}}",
    "\u202e<\u200bscript>window.hacked=1</script>",
)
"""Texts that run a script where a page takes them for markup, each in its own way."""

NO_TEXT = {"toString": 1, "valueOf": 1}

ODD = (
    ("tool_call", {"tool": NO_TEXT, "command": NO_TEXT, "exit_status": NO_TEXT, "failed": True}),
    ("tool_call", {"files": "src/users.py", "result": NO_TEXT}),
    ("given", {"ids": "users", "verb": NO_TEXT, "tokens": NO_TEXT}),
    ("given", {"ids": [NO_TEXT], "withheld": "users"}),
    ("usage", {"model": NO_TEXT, "input_tokens": NO_TEXT}),
    ("prompt", {"text": NO_TEXT}),
)
"""Events of a program that knows the names of types, and not their payloads."""

FILE = 'src/<img src=x onerror="window.hacked=1">.py'

CHECKS = (
    "the link leads to the page, and no address keeps it",
    *(f"room {room}" for room in ("memory", "waiting", "sessions", "now", "code", "cost", "health")),
    "a room of an unknown name or of no encoding is the room Memory or an error",
    "the dark colours have enough contrast",
    "search shows the reasons of a rank",
    "a memory is edited, forgotten and restored",
    "a redaction needs the typed confirmation",
    "keys decide what waits",
    "a session shows its events in order",
    "a session shows what came of what was given",
    "a session of hooks shows turns, commits and what was kept",
    "hostile texts are texts",
    "events of one moment are in the order of the journal",
    "a page of another origin calls nothing and shows nothing",
    "events go on after the daemon is killed",
    "an hour of the page runs nothing",
    "another repository is listed, shown and followed",
    "no request names where it came from",
    "memory is listed without scripts",
    "the exported page searches without a network",
)

pytestmark = pytest.mark.client(NAME)


@pytest.fixture(scope="module")
def outcomes(served: Home, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What is wrong, by check; one browser runs them all."""
    if not (MODULES / "axe-core").exists() or not CHROMIUM.exists():
        clients.missing(NAME, "it or its driver is not in .tools; scripts/install-clients.sh installs them")
    node = Path(node_folder(NAME)) / "node"
    exported = tmp_path_factory.mktemp("page") / "memory.html"
    with client.connect(str(served.repo), served.environ) as muninn:
        ids = fill(muninn, served.repo)
    work(served, tmp_path_factory.mktemp("transcript"))
    other = copy_plain_repo(tmp_path_factory.mktemp("page") / "<b>depot")
    with client.connect(str(other), served.environ) as muninn:
        muninn.call("init")
        muninn.call("remember", {"text": "The other harbour has two cranes."})
    command = [MUNINN, "export", "--html", str(exported), "--repo", str(served.repo)]
    subprocess.run(command, env=served.environ, check=True, capture_output=True, timeout=PATIENCE)
    try:
        with page_of(served.repo, served.environ) as server:
            given: dict[str, Any] = {
                "link": server.link,
                "repo": str(served.repo),
                "muninn": MUNINN,
                "exported": str(exported),
                "chromium": os.path.realpath(CHROMIUM),
                "modules": str(MODULES),
                "file": FILE,
                "other": other.name,
                "pid": daemon_pid(served.repo, served.environ),
                **ids,
            }
            done = subprocess.run(
                [str(node), str(SCRIPT)],
                env={**served.environ, "PAGE": json.dumps(given)},
                capture_output=True,
                text=True,
                timeout=PATIENCE * 6,
                check=False,
            )
    finally:
        kill_daemon(other, served.environ)
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert found, done.stderr
    return {each["name"]: each["problem"] for each in found}


def fill(muninn: client.Client, repo: Path) -> dict[str, Any]:
    """Store memories of all kinds, hostile ones among them; return the ids that the checks name."""
    (repo / FILE).write_text("def lamp():\n    return 1\n")
    git(repo, "add", ".")
    git(repo, "commit", "-q", "-m", HOSTILE)
    git(repo, "checkout", "-q", "-b", "<img/src=x/onerror=window.hacked=1>")

    def remember(text: str, **more: Any) -> str:
        stored: str = muninn.call("remember", {"text": text, **more})["memory"]["id"]
        return stored

    remember("The lamp of the lighthouse burns oil.", type="decision", files=["src/users.py#get_user_name"])
    hostile = remember(HOSTILE, title=HOSTILE, tags=["<b>"], files=[FILE], agent=HOSTILE, questions=[HOSTILE])
    for number, text in enumerate(CORPUS):
        remember(f"{text} {number}", title=text, tags=["hostile"], agent=text)
    edited = remember("The lamp turns once in nine seconds.", questions=["How fast is the beam?"])
    redacted = remember("The keeper's telephone number is known.")
    remember("Ships report to the harbour by radio.", type="decision")
    remember("The widest letters fit.", title="WM" * 40, type="decision", files=["src/users.py"])
    remember(
        "Ships never report to the harbour by radio.",
        type="decision",
        links=[{"relation": "contradicts", "target": redacted}],
    )
    key = muninn.call("agent.register", {"name": "keeper", "task": HOSTILE, "seconds": 3600})["agent_key"]
    muninn.call("lease.claim", {"files": [FILE]})
    muninn.call("agent.handoff", {"text": HOSTILE, "agent_key": key})
    muninn.call("index")
    muninn.call("recall", {"query": "lighthouse lamp oil", "session": "s-page", "limit": 1})
    assert len(muninn.call("given", {"session": "s-page"})["answers"]) == 1
    muninn.call("reconcile")
    for kind, payload in (
        ("prompt", {"text": HOSTILE}),
        ("tool_call", {"tool": HOSTILE, "command": HOSTILE, "failed": True, "result": HOSTILE}),
        ("answer", {"text": "Done."}),
    ):
        muninn.call("event.append", {"event_type": kind, "payload": payload, "session_id": "s-page"})
    for kind, payload in ODD:
        muninn.call("event.append", {"event_type": kind, "payload": payload, "session_id": "s-odd"})
    used = {"event_type": "usage", "payload": {"model": "m", "input_tokens": 5}, "session_id": "s-odd"}
    muninn.call("event.redact", {"id": muninn.call("event.append", used)["event"]["event_id"], "reason": "a key"})
    for text in CORPUS:
        muninn.call("event.append", {"event_type": "note", "payload": {text: text, "text": text, "title": text}})
    return {"hostile": hostile, "edited": edited, "redacted": redacted}


def work(home: Home, folder: Path) -> None:
    """Run the hooks of a session of Claude Code, which runs a test and commits."""
    transcript = Transcript(home.repo, "s-hooks")
    transcript.said("user", "Does the lamp of the lighthouse burn oil?").ran("make lamp", "dark", 2).edited(
        "src/users.py"
    )
    transcript.ran("make lamp").said("assistant", "It burns gas now.")
    about = {
        "session_id": "s-hooks",
        "cwd": str(home.repo),
        "transcript_path": str(transcript.save(folder / "t.jsonl")),
    }

    def fire(event: str, **more: Any) -> None:
        command = [MUNINN, "hook", event, "--agent", "claude-code"]
        given = json.dumps({**about, **more})
        environ = {**home.environ, "MUNINN_HOOK_SECONDS": "30"}
        subprocess.run(command, input=given, env=environ, text=True, check=True, capture_output=True, timeout=PATIENCE)

    fire("session-start", source="startup")
    fire("user-prompt", prompt="Does the lamp of the lighthouse burn oil?")
    file = home.repo / "src" / "users.py"
    file.write_text(f"{file.read_text()}# gas\n")
    git(home.repo, "commit", "-q", "-a", "-m", "Burn gas in the lamp")
    fire("stop")
    fire("session-end", reason="exit")


@pytest.mark.parametrize("name", CHECKS)
def test_the_page_in_a_browser(outcomes: dict[str, str], name: str) -> None:
    assert outcomes.pop(name) == ""
