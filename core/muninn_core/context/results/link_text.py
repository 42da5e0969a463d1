"""Text for models of results about links and changes of memories."""

from __future__ import annotations

from muninn_core.context.memory_summary import facts, headline
from muninn_core.context.results.generic_text import result_text
from muninn_core.model.counting import number_of, number_of_kind
from muninn_core.model.memory import Memory
from muninn_core.model.sentence import ALL_KEPT, consolidated, kept_apart
from muninn_core.protocol.families.inspection import LinksResult, MemoryLink, OverviewResult
from muninn_core.protocol.families.memory import ConsolidateResult, UpdateResult


@result_text.register
def links_text(result: LinksResult) -> str:
    """Return the memories by their distance from the first, then the links between them."""
    start = result.memories[0]
    if len(result.memories) == 1:
        return f"{_head(start)}\n\nNothing is linked to it."
    lines = [f"from {_head(start)}"]
    for memory, depth in zip(result.memories[1:], result.depths[1:], strict=True):
        lines.append(f"{number_of(depth, 'link')} away: {_head(memory)}")
        if memory.text and memory.text != headline(memory):
            lines.append(f"   {memory.text.strip()[:400]}")
    lines += ["", *map(link_line, result.links)]
    if result.omitted:
        lines.append(f"({number_of(result.omitted, 'more memory', 'more memories')}; raise `limit`.)")
    return "\n".join(lines)


@result_text.register
def overview_text(result: OverviewResult) -> str:
    """Return the project, recent and important memories, links between them, and counts."""
    described = f": {result.project.description}" if result.project.description else ""
    lines = [f"project {result.project.name}{described}"]
    lines += [f"focus: {item.level} {item.code} {item.title} ({item.phase})" for item in result.focus.items]
    for name, memories in (("recent", result.recent), ("important", result.important)):
        lines += ["", f"{name}:", *(f"- {_head(memory)}" for memory in memories)] if memories else []
    lines += ["", "links:", *(f"- {link_line(link)}" for link in result.links)] if result.links else []
    lines += [f"- {identity} is: {wording}" for identity, wording in result.linked.items()]
    kinds = ", ".join(number_of_kind(number, kind) for kind, number in result.kinds.items())
    held = number_of(result.memories, "memory", "memories")
    lines += ["", f"{held} in all{f' ({kinds})' if kinds else ''}, {result.density:g} links each"]
    return "\n".join(lines)


@result_text.register
def update_text(result: UpdateResult) -> str:
    """Return the changed fields, the memory, and which of its files do not exist."""
    masked = f" {number_of(result.masked, 'secret')} masked: never store those." if result.masked else ""
    waits = " It waits for a person's approval now." if result.memory.waits else ""
    if not result.changed:
        return f"Nothing changed: {_head(result.memory)}"
    notices = "".join(f" {notice}" for notice in result.notices)
    return f"Updated {', '.join(result.changed)}: {_head(result.memory)}{waits}{masked}{notices}"


@result_text.register
def consolidate_text(result: ConsolidateResult) -> str:
    """Return the remaining memory, the merged or superseded ones, contradictions, and why the others are separate."""
    lines = [
        f"contradiction: {text}. Decide which one holds (`supersede` with `keep`)." for text in result.contradictions
    ]
    if result.kept is None:
        lines.append(ALL_KEPT)
    else:
        done = consolidated(result.decision, dry_run=result.dry_run)
        lines.append(f"{', '.join(result.gone)} {done} {_head(result.kept)}")
    lines += [f"{kept_apart(len(group.ids))}: {group.reason}. {', '.join(group.ids)}" for group in result.separate]
    return "\n".join(lines)


def _head(memory: Memory) -> str:
    return f"{memory.id} {headline(memory)} ({', '.join(facts(memory))}; importance {memory.importance})"


def link_line(link: MemoryLink) -> str:
    """Return a link on one line: source, relation, target, a strength other than 1, and the reason."""
    strength = "" if link.strength == 1 else f" ({link.strength:g})"
    return f"{link.source} {link.relation} {link.target}{strength}{f': {link.reason}' if link.reason else ''}"
