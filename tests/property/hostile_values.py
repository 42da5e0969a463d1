"""Hostile values: texts, paths, times and numbers that break careless programs, and records and parameters of them.

Every function takes the source of chance, so that a seed makes the same values again.
"""

from __future__ import annotations

import json
from random import Random
from typing import Any

from muninn_core.model.memory import KINDS, RELATIONS
from muninn_core.model.value import json_schema
from muninn_core.protocol.method import Method
from muninn_core.store.records.change import CHANGES
from muninn_core.store.records.fields import FIELDS
from muninn_core.store.records.record import ENVELOPE

LONE_SURROGATE = "\ud800"

TEXTS = (
    "",
    " ",
    "The session cache is in Redis.",
    "A fact about users: get_user_name raises KeyError.",
    "nul\0nul",
    f"lone {LONE_SURROGATE} surrogate",
    "\x1b]0;title\x07\x1b[31mred\x1b[0m\x9b2J",
    "bidi \u202e\u2066 override \u2069\u202c",
    "zero\u200bwidth\u200d\ufeff\u2060 joiners",
    "line\nbreaks\r\nand\u2028separators\u2029\x0b\x0c\x85",
    "<script>alert(1)</script> [click](command:workbench.action.quit) ![x](file:///etc/passwd)",
    "`````\n# heading\n---\n| table |\n```",
    "]]><![CDATA[ &amp; </memory> <!-- -->",
    "%s %d {} {0.__class__} $(id) `id` ; ' \" \\",
    "\ufdd0\uffff\U0010ffff 🧨👩‍👩‍👧 e\u0301\u0301\u0301",
    "a" * 5_000,
    "word " * 3_000,
    "@" * 300 + "[" * 300,
    "../../../../etc/passwd",
    "2026-13-45",
    "type:decision AND (NOT OR) \"unclosed tag:'",
)

PATHS = (
    "",
    " ",
    ".",
    "..",
    "/",
    "./",
    "~",
    "~root/x",
    "src",
    "src/",
    "src/users.py",
    "src/users.py:5",
    "src/users.py:5-99999999999999999999",
    "src/users.py#delete_user",
    "src//users.py",
    "./src/../src/users.py",
    "README.md",
    ".muninn",
    ".muninn/config.yaml",
    ".muninn/memory/main.jsonl",
    ".git/config",
    "../../../../../../etc/passwd",
    "../" * 3_000 + "etc/passwd",
    "src/../../outside.py",
    "/etc/passwd",
    "/dev/zero",
    "/dev/stdin",
    "/proc/self/mem",
    "C:\\Windows\\win.ini",
    "\\\\server\\share\\x",
    "file:///etc/passwd",
    "src/nul\0.py",
    "\0",
    "src/new\nline.py",
    "src/quo'te\".py",
    "src/*[a-z]?{x,y}.py",
    ":(glob)**",
    ":/src",
    "-rf",
    "--output=/tmp/x",
    f"src/{LONE_SURROGATE}.py",
    "src/\x1b[31m.py",
    "src/\u202eyp.resu",
    "src/" + "n" * 300 + ".py",
    "/".join(["deep"] * 10_000),
    "a/" * 2_500,
    "fifo",
    "socket",
    "link_out",
    "link_dangling",
    "link_loop",
    "link_folder/passwd",
    "strange/new\nline.md",
    "strange/\x1b[31mred.md",
    "strange/\u202etxt.md",
)
"""Paths, some of which `hostile_states.put_strange_files` creates."""

TIMES = (
    "2026-02-01T10:00:00.000Z",
    "2026-02-02T10:00:00+02:00",
    "0001-01-01T00:00:00.000Z",
    "9999-12-31T23:59:59.999Z",
    "0001-01-01T00:00:00+14:00",
    "9999-12-31T23:59:59-12:00",
    "1969-12-31T23:59:59.999Z",
    "2026-02-30T00:00:00.000Z",
    "2026-02-01",
    "２０２６-02-01T10:00:00.000Z",
    "",
    "yesterday",
)

NUMBERS: tuple[Any, ...] = (0, 1, 5, -1, -(10**9), 2**31, 2**53 + 1, 2**63, 2**64, 10**30, 0.5, -0.0, 1e308, 5e-324)

HASHES = ("", "x", "0123456789abcdef", "1:" + "f" * 32, "zz" * 40, "a\0b")

COMMITS = (
    "",
    "HEAD",
    "0" * 40,
    "f" * 40,
    "--help",
    "HEAD~99999",
    "main..x",
    "a\0b",
    "a\nb",
    "@{-1}",
    "^HEAD",
    "x" * 5_000,
)

IDS = (
    "one",
    "two",
    "three",
    "01kg0000000000000000000000",
    "a\0b",
    "a\nb",
    "../x",
    "*",
    "-",
    f"i{LONE_SURROGATE}",
    "i" * 3_000,
)

EXTRA_KEYS = (
    "details",
    "imported",
    "backfill",
    "redacted",
    "query",
    "pattern",
    "learnings",
    "files_touched",
    "relevance",
    "rationale",
    "command",
    "error",
    "outcome",
    "reason",
)

KEYS = (*FIELDS, *ENVELOPE[4:], *EXTRA_KEYS)
"""Fields of records, of this version and of older ones."""


def text(chance: Random) -> str:
    """Return a text, hostile or not."""
    return chance.choice(TEXTS)


def anything(chance: Random, depth: int = 0) -> Any:
    """Return a JSON value of any type."""
    kind = chance.randrange(9 if depth < 4 else 6)
    if kind < 2:
        return text(chance)
    if kind == 2:
        return chance.choice(NUMBERS)
    if kind == 3:
        return chance.choice((None, True, False))
    if kind == 4:
        return chance.choice(PATHS)
    if kind == 5:
        return chance.choice(TIMES)
    if kind == 6:
        return [anything(chance, depth + 1) for _ in range(chance.randrange(4))]
    if kind == 7:
        return {chance.choice((*KEYS, text(chance))): anything(chance, depth + 1) for _ in range(chance.randrange(4))}
    return nested(chance.choice((3, 60, 70, 200)))


def nested(levels: int) -> Any:
    """Return a list nested so many times."""
    value: Any = "deep"
    for _ in range(levels):
        value = [value]
    return value


def cite(chance: Random) -> Any:
    """Return a cite with the right types and hostile values, at times with wrong types."""
    made = {
        "path": chance.choice(PATHS),
        "start": chance.choice(NUMBERS),
        "end": chance.choice(NUMBERS),
        "symbol": chance.choice((None, text(chance))),
        "hash": chance.choice((None, *HASHES)),
        "commit": chance.choice((None, *COMMITS)),
    }
    if chance.random() < 0.7:  # msgspec refuses numbers outside of 64 bits, then the whole list is a detail
        made["start"], made["end"] = (chance.choice((0, 1, 5, -1, -99, 2**31, 2**62)) for _ in "ab")
    if chance.random() < 0.1:
        made[chance.choice(sorted(made))] = anything(chance)
    return made


def link(chance: Random) -> Any:
    """Return a link, perhaps to the memory itself or to nothing."""
    return {
        "relation": chance.choice((*RELATIONS, text(chance))),
        "target": chance.choice(IDS),
        "strength": chance.choice(NUMBERS),
        "reason": text(chance),
    }


_MAKERS: dict[str, Any] = {
    "tags": lambda chance: [text(chance) for _ in range(3)],
    "entities": lambda chance: [text(chance) for _ in range(3)],
    "questions": lambda chance: [text(chance) for _ in range(3)],
    "files": lambda chance: [chance.choice(PATHS) for _ in range(3)],
    "cites": lambda chance: [cite(chance) for _ in range(3)],
    "links": lambda chance: [link(chance) for _ in range(3)],
    "importance": lambda chance: chance.choice(NUMBERS),
    "confidence": lambda chance: chance.choice(NUMBERS),
    "expires": lambda chance: chance.choice(TIMES),
    "commit": lambda chance: chance.choice(COMMITS),
    "branch": lambda chance: chance.choice((*COMMITS, *TEXTS)),
    "pinned": lambda chance: True,
    "private": lambda chance: chance.choice((True, False)),
    "pending": lambda chance: chance.choice((True, False)),
    "scope": lambda chance: chance.choice(("session", "project", "global", "")),
    "details": lambda chance: {text(chance): anything(chance) for _ in range(3)},
    "backfill": lambda chance: chance.choice(("git", "transcripts", text(chance))),
    "actor": lambda chance: chance.choice(("user", "assistant", "hook", "tool", "import", text(chance))),
    "imported": lambda chance: {"trust": chance.choice(("keep", "outside", 5)), "by": anything(chance)},
}


def record(chance: Random) -> dict[str, Any]:
    """Return a record: a memory of a known or unknown kind, or a change."""
    made: dict[str, Any] = {"v": 1, "id": chance.choice(IDS), "ts": chance.choice(TIMES[:6])}
    if chance.random() < 0.5:
        made["id"] = f"m{chance.randrange(10**6)}"
    if chance.random() < 0.35:
        made |= _change(chance)
    else:
        made |= {"type": chance.choice((*KINDS, "unknown", text(chance))), "text": text(chance)}
    for name in chance.sample(KEYS, chance.randrange(10)):
        made[name] = _MAKERS.get(name, text)(chance) if chance.random() < 0.8 else anything(chance)
    if chance.random() < 0.1:
        made[chance.choice(("v", "id", "ts", "type", "text"))] = anything(chance)
    return made


def _change(chance: Random) -> dict[str, Any]:
    kind = chance.choice(sorted(CHANGES))
    ids = (*IDS, *(f"m{number}" for number in range(3)))
    made: dict[str, Any] = {"type": kind}
    for name, expected in CHANGES[kind].items():
        if name == "set":
            made[name] = {
                each: _MAKERS.get(each, text)(chance) if chance.random() < 0.8 else anything(chance)
                for each in chance.sample(KEYS, 4)
            }
        elif name == "sources":
            made[name] = [chance.choice(ids) for _ in range(3)]
        elif name == "keep" and kind == "resolve":
            made[name] = chance.choice(("left", "right", "both", "x"))
        else:
            made[name] = chance.choice((True, False)) if expected is bool else chance.choice(ids)
    return made


def line(chance: Random) -> bytes:
    """Return one line of a file of records, usually a record, at times damaged."""
    kind = chance.random()
    if kind < 0.9:
        ascii_only = chance.random() < 0.5
        # A lone surrogate only exists as an escape: as bytes it is not UTF-8, which is tested, too.
        return json.dumps(record(chance), ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")
    if kind < 0.93:
        return b'{"v":1,"id":"nan","ts":"2026-01-01T00:00:00Z","type":"insight","text":"x","confidence":NaN}'
    if kind < 0.96:
        return b'{"v":1,"ts":"2026-01-01T00:00:00Z","type":"insight","text":"big","importance":1e999}'
    return chance.choice(
        (
            b"<<<<<<< HEAD",
            b"{",
            b"\xff\xfe\0",
            b"[" * 5_000,
            b"[" * 200_000 + b"]" * 200_000,
            b"null",
            b'"text"',
            b"{}" * 3,
        )
    )


def parameters(method: Method, chance: Random, ids: list[str]) -> dict[str, Any]:
    """Return parameters of a method that fit its schema mostly, with hostile values. Nothing waits for others."""
    schema, definitions = json_schema(method.params)
    schema = _resolve(schema, definitions)
    made = _object(schema, definitions, chance, ids)
    if schema.get("properties", {}).get("wait", {}).get("type") == "number":
        made["wait"] = 0
    return made


def _object(schema: dict[str, Any], definitions: dict[str, Any], chance: Random, ids: list[str]) -> dict[str, Any]:
    made = {}
    for name, part in schema.get("properties", {}).items():
        if name in schema.get("required", ()) or chance.random() < 0.3:
            wrong = chance.random() < 0.03
            made[name] = anything(chance) if wrong else _fitting(name, part, definitions, chance, ids)
    return made


def _resolve(schema: dict[str, Any], definitions: dict[str, Any]) -> dict[str, Any]:
    while "$ref" in schema:
        schema = definitions[schema["$ref"].rpartition("/")[2]]
    return schema


def _fitting(name: str, schema: dict[str, Any], definitions: dict[str, Any], chance: Random, ids: list[str]) -> Any:
    schema = _resolve(schema, definitions)
    if "anyOf" in schema:
        schema = _resolve(chance.choice(schema["anyOf"]), definitions)
    if "enum" in schema:
        return chance.choice(schema["enum"])
    match schema.get("type"):
        case "null":
            return None
        case "boolean":
            return chance.choice((True, False))
        case "integer" | "number":
            low, high = schema.get("minimum", -(2**31)), schema.get("maximum", 2**62)
            return chance.choice((low, high, min(high, low + 1), min(high, max(low, 5))))
        case "array":
            items = schema.get("items") or schema.get("prefixItems", [{}])[0]
            return [_fitting(name, items, definitions, chance, ids) for _ in range(chance.choice((1, 1, 2, 5)))]
        case "object" if "properties" in schema:
            return _object(schema, definitions, chance, ids)
        case "object":
            return {text(chance): anything(chance) for _ in range(2)}
        case "string":
            return _text_for(name, chance, ids)
    return anything(chance)


def _text_for(name: str, chance: Random, ids: list[str]) -> str:
    if name in ("session", "from_session"):
        return chance.choice(("s1", "hostile", text(chance)))
    pools: list[Any] = [TEXTS]
    if name in ("id", "ids", "target", "like", "item", "supersedes", "unlink", "conflict", "links"):
        pools = [ids or IDS, IDS, PATHS]
    elif name in ("path", "paths", "file", "files", "open_files", "at_hand", "cursor", "transcript", "uri", "moves"):
        pools = [PATHS, PATHS, [f"muninn:memory/{one}" for one in ids] or IDS]
    elif name in ("since", "until", "expires"):
        pools = [TIMES, COMMITS, ("12h", "3d", "99999999999999d", "-1d", "0w")]
    elif name in ("at", "range", "commit", "diff", "branch"):
        pools = [COMMITS]
    return str(chance.choice(chance.choice([*pools, *pools, TEXTS])))
