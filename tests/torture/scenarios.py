"""The writing verbs for fault injection: how to prepare a repository, and the calls that a fault meets."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

Call = Callable[..., Any]
"""Calls a verb with parameters of JSON and returns its result."""

CONFIG = "review: {pending: [assistant]}\nprune: {max_bytes: 1, user: true}\n"


class Scenario(NamedTuple):
    """`prepare` runs without faults and returns what `act` needs, as JSON; `act` runs with one fault."""

    prepare: Callable[[Call, Path], Any]
    act: Callable[[Call, Path, Any], Any]
    completed: bool = False
    """Whether the next start may complete what failed with an error."""


def _remember(call: Call, text: str, **more: Any) -> str:
    return call("remember", text=text, session="s1", **more).ids[0]


def _two(call: Call, _root: Path) -> list[str]:
    return [_remember(call, "Sessions live in Redis."), _remember(call, "Sessions are stored in Redis.")]


def _equal(call: Call, _root: Path) -> list[str]:
    texts = ("The cache key contains the tenant id.", "The tenant id is contained in the cache key.")
    return [_remember(call, text) for text in texts]


def _sealed(call: Call, root: Path) -> list[str]:
    ids = _two(call, root)
    call("seal")
    return ids


def _reconciled(call: Call, root: Path) -> list[str]:
    ids = _sealed(call, root)
    call("reconcile")
    return ids


def _nothing(_call: Call, _root: Path) -> None:
    return None


def _verb(name: str, /, **params: Any) -> Callable[[Call, Path, Any], Any]:
    return lambda call, _root, _made: call(name, **params)


def _on_first(name: str, /, **params: Any) -> Callable[[Call, Path, Any], Any]:
    return lambda call, _root, made: call(name, id=made[0], **params)


def _note(call: Call, _root: Path) -> list[str]:
    return [_remember(call, "A note of this session.", scope="session")]


def _waiting(call: Call, _root: Path) -> list[str]:
    return [_remember(call, "Proposed by an agent.", actor="assistant", agent="probe/1")]


def _cited(call: Call, root: Path) -> list[str]:
    ids = [_remember(call, "Names are looked up here.", files=["src/users.py:6-8"])]
    users = root / "src" / "users.py"
    users.write_text("# moved\n\n" + users.read_text())
    return ids


def _contradiction(call: Call, _root: Path) -> list[str]:
    _remember(call, "Sessions must be stored in Redis.")
    _remember(call, "Sessions must not be stored in Redis.")
    call("reconcile")
    return [call("conflicts").conflicts[0].id]


def _inactive(call: Call, root: Path) -> None:
    ids = _sealed(call, root)
    call("forget", id=ids[0])
    call("reconcile")


def _forgotten(call: Call, root: Path) -> list[str]:
    ids = _sealed(call, root)
    call("forget", id=ids[0])
    return ids


def _pinned(call: Call, root: Path) -> list[str]:
    ids = _sealed(call, root)
    call("pin", id=ids[0])
    return ids


def _candidate(call: Call, _root: Path) -> list[str]:
    text = "Never log the e-mail addresses of customers, the auditor said."
    call("event.append", event_type="prompt", session_id="s1", payload={"text": text})
    call("candidate.distil", session_id="s1")
    return [each.id for each in call("candidate.list").candidates]


def _configured(call: Call, _root: Path) -> None:
    call("config.set", key="index.workers", value="2")


def _bundle(call: Call, root: Path) -> str:
    lines = [
        {
            "v": 1,
            "id": f"01imported{n}",
            "ts": "2026-01-01T00:00:00.000Z",
            "type": "insight",
            "session": "",
            "text": text,
        }
        for n, text in enumerate(("Imported one.", "Imported two."))
    ]
    path = root.parent / "bundle.json"
    path.write_text(json.dumps({"version": 1, "exported": lines[0]["ts"], "records": lines}))
    return str(path)


def _overwritten(call: Call, root: Path) -> str:
    path = _bundle(call, root)
    call("import", path=path, trust="keep")
    call("reconcile")
    changed = Path(path).read_text().replace("Imported", "Changed").replace("00:00.000Z", "00:01.000Z")
    Path(path).write_text(changed)
    return path


def _pack(call: Call, root: Path) -> str:
    page = root / ".muninn" / "knowledge" / "sessions.md"
    page.write_text("---\ntitle: Sessions\n---\n\nSessions live in Redis.\n")
    path = str(root.parent / "sessions.tar.gz")
    call("pack.export", name="sessions", path=path, version="1.0.0")
    return path


def _pack_added(call: Call, root: Path) -> str:
    path = _pack(call, root)
    call("pack.add", path=path)
    (root / ".muninn" / "knowledge" / "more.md").write_text("---\ntitle: More\n---\n\nMore of it.\n")
    newer = str(root.parent / "newer.tar.gz")
    call("pack.export", name="sessions", path=newer, version="2.0.0")
    return newer


def _given(name: str, /, **params: Any) -> Callable[[Call, Path, Any], Any]:
    return lambda call, _root, made: call(name, path=made, **params)


def _consolidate(decision: str) -> Callable[[Call, Path, Any], Any]:
    return lambda call, _root, made: call("consolidate", ids=made, decision=decision, text="Sessions: Redis.")


SCENARIOS: Mapping[str, Scenario] = {
    "remember": Scenario(_two, _verb("remember", text="Stored with a fault.", session="s1")),
    "remember batch": Scenario(_two, _verb("remember", session="s1", batch=[{"text": f"Fact {n}."} for n in "abc"])),
    "remember private": Scenario(_note, _verb("remember", text="Stays here.", private=True, session="s1")),
    "remember mixed": Scenario(
        _nothing, _verb("remember", session="s1", batch=[{"text": "Open."}, {"text": "Closed.", "private": True}])
    ),
    "remember global": Scenario(_nothing, _verb("remember", text="Everywhere.", scope="global", session="s1")),
    "update": Scenario(_sealed, _on_first("update", text="Reworded.", importance=9, pin=True, session="s1")),
    "forget": Scenario(_sealed, _on_first("forget", reason="Old.", session="s1")),
    "pin": Scenario(_sealed, _on_first("pin", reason="Needed.", session="s1")),
    "unpin": Scenario(_pinned, _on_first("unpin", session="s1")),
    "candidate.promote": Scenario(_candidate, _on_first("candidate.promote")),
    "restore": Scenario(_forgotten, _on_first("restore", session="s1")),
    "promote a note": Scenario(_note, _on_first("promote", session="s1")),
    "promote to global": Scenario(_two, _on_first("promote", scope="global", session="s1")),
    "consolidate: merge": Scenario(_sealed, _consolidate("merge")),
    "consolidate: supersede": Scenario(_two, _consolidate("supersede")),
    "confirm": Scenario(_cited, _on_first("confirm", session="s1")),
    "verify": Scenario(_cited, _verb("verify", fix=True, session="s1")),
    "approve": Scenario(_waiting, lambda call, _root, made: call("approve", ids=made)),
    "reject": Scenario(_waiting, lambda call, _root, made: call("reject", ids=made, reason="No.")),
    "capture commits": Scenario(_nothing, _verb("capture", source="commit", session="s1")),
    "capture a session": Scenario(_two, _verb("capture", source="session", session="s1")),
    "backfill": Scenario(_nothing, _verb("backfill", source="git", apply=True)),
    "seal": Scenario(_two, _verb("seal")),
    "reconcile": Scenario(_sealed, _verb("reconcile")),
    "reconcile into the archive": Scenario(_sealed, _verb("reconcile", archive=True)),
    "undo": Scenario(_reconciled, _verb("undo")),
    "prune": Scenario(_inactive, _verb("prune")),
    "evolve": Scenario(_equal, _verb("evolve", apply=True)),
    "resolve": Scenario(_contradiction, _on_first("resolve", keep="left", session="s1")),
    "import": Scenario(_bundle, _given("import")),
    "import over": Scenario(_overwritten, _given("import", trust="keep", on_conflict="overwrite")),
    "redact": Scenario(_reconciled, _on_first("redact"), completed=True),
    "redact in the spool": Scenario(_two, _on_first("redact"), completed=True),
    "pack.export": Scenario(
        _pack, lambda call, _root, made: call("pack.export", name="x", path=f"{made}.zip", version="9.0.0")
    ),
    "pack.add": Scenario(_pack, _given("pack.add")),
    "pack.update": Scenario(_pack_added, _given("pack.update")),
    "pack.remove": Scenario(_pack_added, _verb("pack.remove", name="sessions")),
    "template.new": Scenario(_nothing, _verb("template.new", name="feature")),
    "config.set": Scenario(_nothing, _verb("config.set", key="index.workers", value="2")),
    "config.unset": Scenario(_configured, _verb("config.unset", key="index.workers")),
    "init": Scenario(_nothing, _verb("init")),
    "draft": Scenario(_nothing, _verb("draft")),
    "context": Scenario(_two, _verb("context", query="sessions", session="s1")),
    "brief": Scenario(_two, _verb("brief", session="s1")),
    "index rebuild": Scenario(_two, _verb("index", rebuild=True)),
}
"""Every verb that writes, and the reading ones that keep notes of their own."""
