"""Exports memories as notes for Obsidian: one markdown file each, with links, and a canvas of the links.

Sources of the forms: Obsidian's help ("Properties", "Internal links"); JSON Canvas 1.0 (jsoncanvas.org/spec/1.0).
Texts are escaped, because Obsidian loads images and follows links of a note.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Sequence

from muninn_core.context.editor.markdown import escape, paragraphs
from muninn_core.model.memory import Memory

CANVAS = "Memory.canvas"

WIDTH, HEIGHT, GAP = 400, 240, 60
"""The size of a note on the canvas and the space between two, in pixels."""

_TITLE_CHARS = 60
_NAME_BYTES = 200
"""The most bytes of the name of a note about a file; file systems allow 255."""

_SAFE = re.compile(r"[^\w.,'() -]+")
"""Runs of characters that a file name or a wikilink may not contain."""


def vault(memories: Sequence[Memory]) -> dict[str, str]:
    """Return the files of a folder for Obsidian, by path: a note for each memory and each file, and the canvas."""
    names = {memory.id: note_path(memory) for memory in memories}
    files = {names[memory.id]: _note(memory, names) for memory in memories}
    about = sorted({file for memory in memories for file in memory.files})
    files |= {_file_path(file): f"# {escape(file)}\n\nThe memories about this file link here.\n" for file in about}
    files[CANVAS] = _canvas(memories, names)
    return files


def note_path(memory: Memory) -> str:
    """Return the path of a memory's note: its type, its title, and the end of its id."""
    title = _plain(memory.title or memory.text)[:_TITLE_CHARS].strip(" .") or "memory"
    return f"{_plain(memory.type)}/{title} {memory.id[-8:]}.md"


def _file_path(file: str) -> str:
    """Return the path of the note about a file of the repository. Its folders become one name; a long one is cut."""
    name = _plain(file.replace("/", " - "))
    if len(name.encode()) > _NAME_BYTES:
        digest = hashlib.sha256(file.encode("utf-8", "surrogateescape")).hexdigest()[:8]
        name = f"{name.encode()[-_NAME_BYTES:].decode('utf-8', 'ignore').strip()} {digest}"
    return f"files/{name}.md"


def _plain(text: str) -> str:
    return _SAFE.sub(" ", " ".join(text.split())).strip(" .") or "other"


def _link(path: str, shown: str = "") -> str:
    return f"[[{path.removesuffix('.md')}{f'|{_plain(shown)}' if shown else ''}]]"


def _note(memory: Memory, names: dict[str, str]) -> str:
    links = [f"- {_plain(each.relation)} {_link(names[each.target])}" for each in memory.links if each.target in names]
    files = [f"- {_link(_file_path(file), file)}" for file in memory.files]
    asked = [f"- {paragraphs(' '.join(each.split()))}" for each in memory.questions]
    parts = [_properties(memory), escape(memory.text)]
    parts += ["## Answers\n\n" + "\n".join(asked)] if asked else []
    parts += ["## Links\n\n" + "\n".join(links)] if links else []
    parts += ["## Files\n\n" + "\n".join(files)] if files else []
    return "\n\n".join(parts) + "\n"


def _properties(memory: Memory) -> str:
    """Return the properties of a note. JSON is YAML, so every value is written as JSON."""
    fields = {
        "id": memory.id,
        "type": memory.type,
        "importance": memory.importance,
        "trust": memory.trust,
        "author": memory.author or memory.agent or memory.actor,
        "created": memory.ts,
        "updated": memory.updated,
        "branch": memory.branch,
        "task": memory.task,
        "tags": [re.sub(r"[^\w/-]+", "-", tag) for tag in memory.tags],
    }
    rows = [f"{name}: {json.dumps(value, ensure_ascii=True)}" for name, value in fields.items() if value]
    return "\n".join(["---", *rows, "---"])


def _canvas(memories: Sequence[Memory], names: dict[str, str]) -> str:
    """Return a canvas with a column for each type, and an arrow for each link between two memories."""
    kinds = sorted({memory.type for memory in memories})
    rows = dict.fromkeys(kinds, 0)
    nodes = []
    for memory in memories:
        x, y = kinds.index(memory.type) * (WIDTH + GAP), rows[memory.type] * (HEIGHT + GAP)
        rows[memory.type] += 1
        node = {"id": memory.id, "type": "file", "file": names[memory.id]}
        nodes.append({**node, "x": x, "y": y, "width": WIDTH, "height": HEIGHT})
    return json.dumps({"nodes": nodes, "edges": list(_edges(memories, names))}, indent=1) + "\n"


def _edges(memories: Iterable[Memory], names: dict[str, str]) -> Iterable[dict[str, str]]:
    for memory in memories:
        for number, link in enumerate(memory.links):
            if link.target in names:
                identity = f"{memory.id}-{number}"
                yield {"id": identity, "fromNode": memory.id, "toNode": link.target, "label": link.relation}
