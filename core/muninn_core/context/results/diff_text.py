"""A review of memory changes as text, and as markdown for a comment on a pull request.

Texts of memories are escaped: they stay on one line and can't close a list, open a link or mention a user.
"""

from __future__ import annotations

import re

from muninn_core.context.memory_summary import headline, shorten
from muninn_core.model.citation import place
from muninn_core.model.counting import number_of
from muninn_core.model.memory import Memory
from muninn_core.protocol.families.review import AffectedMemory, DiffResult

CHARS = 300
"""The maximum number of characters of a memory's text."""

PLACES = 4
"""The files and lines of a memory that are named."""

MAX_ENTRIES = 50
"""The maximum number of entries per section. Hosts of pull requests refuse longer comments."""

_MARKUP = re.compile(r"([\\`*_\[\]<>|~!&])")
_LINKED = re.compile(r"([@#]|:(?=//)|(?<=www)\.)")
_Line = tuple[str, str, str, str, str]
"""A mark, the memory's kind, its text, a remark, and the memory's id."""


def review_text(result: DiffResult, names: tuple[str, str]) -> str:
    """Return the review as plain text. `names` are the requested revisions."""
    lines = [f"Memory from {names[0]} to {names[1]} ({result.base[:12]}..{result.head[:12]}): {_summary(result)}"]
    for title, entries in _sections(result):
        lines += ["", f"{title} ({len(entries)})"]
        for mark, kind, words, remark, identity in entries[:MAX_ENTRIES]:
            lines.append(f"  {mark} {kind}  {words}  {identity}")
            lines += [f"      {remark}"] if remark else []
        lines += [f"  … {len(entries) - MAX_ENTRIES} more"] if len(entries) > MAX_ENTRIES else []
    return "\n".join(lines + ([f"\n{result.saw.note}"] if result.saw.note else [])) + "\n"


def review_markdown(result: DiffResult, names: tuple[str, str]) -> str:
    """Return the review as markdown (GitHub's, for folded sections). `names` are the requested revisions."""
    lines = [
        "### Memory",
        "",
        f"{_summary(result).capitalize()} From {_escaped(names[0])} to {_escaped(names[1])}, "
        f"`{result.base[:12]}..{result.head[:12]}`.",
    ]
    for title, entries in _sections(result):
        folded = len(entries) > 10
        lines += ["", f"<details><summary><b>{title}</b> ({len(entries)})</summary>" if folded else f"#### {title}", ""]
        for _, kind, words, remark, identity in entries[:MAX_ENTRIES]:
            lines.append(f"- **{_escaped(kind)}** {_escaped(words)} `{_escaped(identity)}`")
            lines += [f"  - {_escaped(remark)}"] if remark else []
        lines += [f"- … {len(entries) - MAX_ENTRIES} more"] if len(entries) > MAX_ENTRIES else []
        lines += ["", "</details>"] if folded else []
    note = _escaped(result.saw.note).replace(r"\`muninn seal\`", "`muninn seal`")
    return "\n".join(lines + (["", note] if note else [])) + "\n"


def _summary(result: DiffResult) -> str:
    counts = [
        (len(result.added), "added"),
        (len(result.changed), "changed"),
        (len(result.superseded), "superseded"),
        (len(result.pending), "waiting for approval"),
        (len(result.approved), "approved"),
        (len(result.archived), "archived"),
        (len(result.removed), "gone"),
        (len(result.contradicts), "in contradiction"),
        (len(result.stale), "possibly stale"),
    ]
    found = [f"{number} {what}" for number, what in counts if number]
    found += [f"{number_of(result.malformed, 'line')} malformed"] if result.malformed else []
    return (", ".join(found) or "nothing changes") + "."


def _sections(result: DiffResult) -> list[tuple[str, list[_Line]]]:
    sections = [
        ("Contradicts", [_line("!", affected.memory, _against(affected)) for affected in result.contradicts]),
        ("Added", [_line("+", memory, _place(memory)) for memory in result.added]),
        ("Waiting for approval", [_line("?", memory, _place(memory)) for memory in result.pending]),
        ("Approved", [_line("+", memory, _note(memory)) for memory in result.approved]),
        ("Changed", [_line("~", affected.memory, f"changed: {affected.reason}") for affected in result.changed]),
        ("Superseded", [_line(">", affected.memory, _by(affected)) for affected in result.superseded]),
        ("Archived", [_line("-", affected.memory, affected.reason) for affected in result.archived]),
        ("Gone", [_line("-", memory, "no longer in the tree: reverted or deleted") for memory in result.removed]),
        (
            "Possibly stale: the code that these memories are about changes",
            [_line("?", affected.memory, affected.reason) for affected in result.stale],
        ),
    ]
    return [(title, entries) for title, entries in sections if entries]


def _by(affected: AffectedMemory) -> str:
    return f"now: {_words(affected.by)} {affected.by.id}" if affected.by else affected.reason


def _against(affected: AffectedMemory) -> str:
    return f"against: {_words(affected.by)} ({affected.reason}) {affected.by.id}" if affected.by else affected.reason


def _line(mark: str, memory: Memory, remark: str) -> _Line:
    return mark, memory.type, _words(memory), " ".join(remark.split()), memory.id


def _words(memory: Memory) -> str:
    return shorten(" ".join((memory.text or headline(memory)).split()), CHARS)


def _place(memory: Memory) -> str:
    cited = {cite.path for cite in memory.cites}
    places = [place(cite.path, cite.start, cite.end) for cite in memory.cites]
    named = list(dict.fromkeys([*places, *(path for path in memory.files if path not in cited)]))
    more = f" and {len(named) - PLACES} more" if len(named) > PLACES else ""
    return ", ".join(named[:PLACES]) + more


def _note(memory: Memory) -> str:
    note = memory.details.get("approved_note")
    return note if isinstance(note, str) else ""


def _escaped(text: str) -> str:
    # Hosts turn mentions, numbers and addresses in the rendered text into links, even escaped ones. An empty comment
    # inside prevents that.
    return _LINKED.sub(r"\1<!-- -->", _MARKUP.sub(r"\\\1", text))
