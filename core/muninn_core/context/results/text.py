"""Results as compact text for a model, with the paths and ids that the next call needs.

There is one function per type of result. Front ends for models call `render`; the command line prints results in its
own way.
"""

from __future__ import annotations

from collections.abc import Sequence

from muninn_core.context.invisible_characters import name_hidden
from muninn_core.context.memory_summary import (
    AGENT,
    branch_facts,
    describe_mention,
    facts,
    headline,
    one_line,
    provenance,
    shorten,
)
from muninn_core.context.results import file_text  # noqa: F401 - registers its texts
from muninn_core.context.results.generic_text import result_text
from muninn_core.context.results.link_text import link_line
from muninn_core.context.staleness import describe_citation, warning
from muninn_core.model.answer import Hit, IndexState, ReadState
from muninn_core.model.citation import Citation, place, present_paths
from muninn_core.model.counting import number_of
from muninn_core.model.detail import detail_text
from muninn_core.model.memory import MANY_SESSIONS, MANY_STEPS, SHORT_ID, Memory
from muninn_core.model.sentence import unreconciled
from muninn_core.model.title import own_title
from muninn_core.model.value import Value, replace
from muninn_core.protocol.families.audit import AuditReplayResult
from muninn_core.protocol.families.context_file import RenderResult
from muninn_core.protocol.families.inspection import MemoriesResult, ShowResult
from muninn_core.protocol.families.memory import ForgetResult, RememberResult
from muninn_core.protocol.families.reconciliation import Conflict, ConflictsResult, ReconcileResult
from muninn_core.protocol.families.repository import Problem, StatusResult
from muninn_core.protocol.families.search import ContextResult, ExploreResult, RecallResult
from muninn_core.protocol.families.skill import SkillsMatchResult

SNIPPET_LINES = 14
"""The maximum number of lines of a hit. Its path and lines tell where the rest is."""

SNIPPET_CHARS = 900
LINE_CHARS = 200
"""The most characters of a line of a file. A paragraph of a memory is one line, which takes up to `SNIPPET_CHARS`."""

HEAD_CHARS = 100
"""The most characters of a headline."""

TEXT_CHARS = 40_000
"""After this many characters only headlines follow, because agents move longer results into a file."""


@result_text.register
def recall_text(result: RecallResult) -> str:
    """Return the hits, best first: place, score with its two strongest reasons, and a snippet.

    The memories that answer come first. They are not in the order of the scores, so they have none, and neither has a
    list.
    """
    notes = "".join(f"\n\n({note}.)" for note in result.notes)
    if not result.hits and not result.remembered:
        tried = "" if notes else " Try other words, or leave out `kind`."
        return f"Nothing found.{tried}{notes}" + _lag(result.saw)
    shown = {hit.id for hit in result.remembered}
    others = [hit for hit in result.hits if hit.id not in shown]
    told: dict[str, int] = {}
    parts = [f"Remembered:\n\n{_numbered(result.remembered, 1, told, scored=False)}"] if result.remembered else []
    if others:
        heading = "Other hits:\n\n" if result.remembered else ""
        parts.append(heading + _numbered(others, len(result.remembered) + 1, told, scored=result.ranked))
    more = f"\n\n(More with `page` {result.next}.)" if result.next else ""
    return "\n\n".join(parts) + notes + more + _lag(result.saw)


def _numbered(hits: Sequence[Hit], first: int, told: dict[str, int], *, scored: bool = True) -> str:
    """Return hits with numbers from `first` on; after many characters only their headlines.

    The words of a memory are not repeated: its headline stands alone when it is the whole text, and the text alone when
    it begins with the headline. `told` has the number of the first memory with a text; later ones refer to it.
    """
    parts: list[str] = []
    length = 0
    for number, hit in enumerate(hits, first):
        text = " ".join(hit.text.split())
        same = told.setdefault(text, number) if hit.kind == "memory" else number
        if same != number:
            part = f"{_hit_head(number, hit, titled=False, scored=scored)} — the same text as {same}"
        elif length >= TEXT_CHARS or (hit.kind == "memory" and text == hit.title and len(text) <= HEAD_CHARS):
            part = _hit_head(number, hit, scored=scored)
        else:
            titled = hit.kind != "memory" or bool(own_title(hit.title, text))
            head = _hit_head(number, hit, titled=titled, scored=scored)
            widest = SNIPPET_CHARS if hit.kind == "memory" else LINE_CHARS
            part = f"{head}\n{_indent(_snippet(hit.text, _snippet_line(hit), widest))}"
        parts.append(part)
        length += len(part)
    return "\n\n".join(parts)


@result_text.register
def context_text(result: ContextResult) -> str:
    """Return the pack's own text. Markdown gets a note about the index's lag; a note would invalidate JSON and
    XML.
    """
    if result.inputs.format != "markdown":
        return result.text
    return (result.text.rstrip() or "No context matches.") + _lag(result.saw)


_ORDERS = {"newest": "newest first", "importance": "most important first"}


@result_text.register
def memories_text(result: MemoriesResult) -> str:
    """Return the memories in the order of the result. A single memory is shown in full."""
    also = "".join(f"\n\nAlso in {describe_mention(mention)}" for mention in result.mentions)
    if not result.memories:
        none = (
            "No memory matches."
            if not result.total
            else f"No more: {number_of(result.total, 'memory matches', 'memories match')} in all."
        )
        return "\n".join((none, *result.notes)) + also
    if len(result.memories) == 1 and result.total == 1:
        (memory,) = result.memories
        return memory_text(memory, result.citations.get(memory.id, ())) + also
    parts = [f"{len(result.memories)} of {number_of(result.total, 'memory', 'memories')}, {_ORDERS[result.order]}"]
    length = 0
    for memory in result.memories:
        text = shorten(one_line(memory), SNIPPET_CHARS)
        told = length < TEXT_CHARS and text != headline(memory)
        title = own_title(memory.title, memory.text) if told else headline(memory)
        part = _memory_head(memory, result.citations.get(memory.id, ()), f"{memory.id[-SHORT_ID:]} {title}".rstrip())
        part += f"\n{_indent(text)}" if told else ""
        parts.append(part)
        length += len(part)
    return "\n\n".join(parts) + also + _lag(replace(result.saw, index=IndexState()))  # a list needs no index


def memory_text(memory: Memory, citations: Sequence[Citation] = ()) -> str:
    """Return one memory in full, with its citations as judged."""
    lines = [_memory_head(memory, citations)]
    if memory.text:
        lines += ["", _indent(memory.text)]
    rows = {
        "tags": ", ".join(memory.tags),
        "cites": ", ".join(
            [describe_citation(one) for one in citations] or [place(c.path, c.start, c.end) for c in memory.cites]
        ),
        "about": ", ".join(memory.entities),
        "answers": " | ".join(memory.questions),
        "links": ", ".join(f"{link.relation} {link.target}" for link in memory.links),
        "task": memory.task or "",
        "commit": (memory.commit or "")[:12],
        "superseded by": memory.superseded_by or "",
        "merged into": memory.merged_into or "",
        **{name: detail_text(value) for name, value in memory.details.items()},
    }
    lines += [f"{name}: {value}" for name, value in rows.items() if value]
    return "\n".join(lines)


@result_text.register
def show_text(result: ShowResult) -> str:
    """Return one memory in full, and each link with the headline of the linked memory."""
    lines = [memory_text(replace(result.memory, links=()), result.citations)]
    lines += [link_line(link) for link in result.links]
    lines += [f"{identity} is: {said}" for identity, said in result.linked.items()]
    counts = result.given
    if counts.shown:
        times = number_of(counts.shown, "time")
        lines.append(f"given to agents {times}, used {counts.used}, refuted {counts.refuted}")
    return "\n".join(lines)


@result_text.register
def status_text(result: StatusResult) -> str:
    """Return the state of index and memory, the project, its focus, and all problems."""
    index, log = result.index, result.log
    lines = [
        f"Muninn {result.version} for {result.root} ({result.mode})",
        f"index: {index.state}, {number_of(index.files, 'file')}, {number_of(index.chunks, 'chunk')}, "
        f"{number_of(index.lag, 'changed file')} behind, "
        f"model {index.model or 'none'}, encoder {index.encoder or 'none'}",
        f"memories: {log.memories}, records not sealed: {log.unsealed}, conflicts: {log.conflicts}, "
        f"waiting for approval: {log.pending}, malformed lines: {log.malformed}",
    ]
    if log.sessions >= MANY_SESSIONS:
        lines.append(
            f"{number_of(log.sessions, 'session is', 'sessions are')} not reconciled: a person runs `muninn reconcile`"
        )
    if log.upkeep >= MANY_STEPS:
        lines.append(
            f"{number_of(log.upkeep, 'step of upkeep waits', 'steps of upkeep wait')}: a person runs `muninn evolve`"
        )
    if log.reconcile:
        lines.append(f"reconcile in the background: {log.reconcile}")
    read = [f"{bridge.title} ({bridge.files})" for bridge in result.bridges if bridge.files]
    lines += [f"read from other tools, in files: {', '.join(read)}"] if read else []
    if result.project.name:
        described = f": {result.project.description}" if result.project.description else ""
        lines.insert(1, f"project: {result.project.name}{described}")
    for item in result.focus.items:
        current = ", current" if result.focus.task == item.code else ""
        aim = f": {item.summary}" if item.summary else ""
        memories = number_of(item.memories, "memory", "memories")
        lines.append(f"focus: {item.level} {item.code} {item.title} ({item.phase}{current}, {memories}){aim}")
    lines += [_problem(problem) for problem in result.problems]
    return "\n".join(lines)


@result_text.register
def remember_text(result: RememberResult) -> str:
    """Return the ids of the new memories, and how many secrets were masked."""
    count = f"{result.masked} secret" + ("s" if result.masked > 1 else "")
    masked = f" {count} masked: never store those." if result.masked else ""
    waits = " It waits for a person's approval and is not recalled before." if _waits(result.memory) else ""
    notices = "".join(f" {notice}" for notice in result.notices)
    return f"Remembered as {', '.join(result.ids)}.{waits}{masked}{notices}"


def _waits(memory: Memory | None) -> bool:
    return memory is not None and memory.waits


@result_text.register
def forget_text(result: ForgetResult) -> str:
    """Return whether the memory was archived or restored, or was so before."""
    memory = result.memory
    done = "Archived" if memory.archived else "Restored"
    before = "Archived before" if memory.archived else "In force already"
    return f"{done if result.changed else before}: {_memory_head(memory)}"


@result_text.register
def reconcile_text(result: ReconcileResult) -> str:
    """Return the summary, each merge and each new conflict, and whether anything was changed."""
    lines = [result.summary, *(f"- {m.kept} stands for {', '.join(m.merged)}: {m.reason}" for m in result.merges)]
    lines += [f"- {each.newer} supersedes {each.older}: {each.reason}" for each in result.superseded]
    lines += [f"- conflict, {each.reason}: {_quoted(each.left)} and {_quoted(each.right)}" for each in result.opened]
    if result.dry_run:
        lines.append("Nothing was changed.")
    elif result.opened:
        lines.append("`conflicts` shows both sides; a person decides with `muninn resolve`.")
    return "\n".join(lines)


def _quoted(memory: Memory) -> str:
    return f"{memory.id} “{headline(memory)}”"


@result_text.register
def conflicts_text(result: ConflictsResult) -> str:
    """Return both sides of each conflict, and how many sessions are not reconciled."""
    listed = [
        f"Conflict {conflict.id}: {conflict.reason}\n"
        f"left: {memory_text(conflict.left, result.citations.get(conflict.left.id, ()))}\n"
        f"right: {memory_text(conflict.right, result.citations.get(conflict.right.id, ()))}" + _cited(conflict)
        for conflict in result.conflicts
    ]
    waiting = unreconciled(result.unreconciled)
    return "\n\n".join([*(listed or ["No conflicts."]), *([waiting] if waiting else [])])


def _cited(conflict: Conflict) -> str:
    """Return the code that both sides cite, which often decides the conflict."""
    return "".join(
        f"\n\n{code.side} cites {place(code.path, code.start, code.end)}"
        + (f": {code.problem}" if code.problem else "")
        + (f"\n{_indent(_snippet(code.text))}" if code.text else "")
        for code in conflict.code
    )


@result_text.register
def skills_text(result: SkillsMatchResult) -> str:
    """Return the matching skills in full, and the names of those that did not fit."""
    if not result.skills and not result.left_out:
        return "No skill matches."
    parts = [
        f"{number}. {one.name} ({one.path}) [{one.score:.2f}]\n\n{one.text.strip()}\n"
        for number, one in enumerate(result.skills, 1)
    ]
    parts += [f"Left out: {one.name} ({one.path}), {one.reason}" for one in result.left_out]
    return "\n".join(parts)


@result_text.register
def replay_text(result: AuditReplayResult) -> str:
    """Return the number of events, their digest and the next page, then the events, one a line."""
    more = f"; the next page is `after` {result.next}" if result.next is not None else ""
    return "\n".join((f"{number_of(result.count, 'event')}, sha256 {result.digest}{more}", *result.lines))


@result_text.register
def rendered_text(result: RenderResult) -> str:
    """Return the pack of a context file, and its references that could not be included."""
    missing = [
        f"Not in it: {each.text} (line {each.line}): {each.problem}" for each in result.references if each.problem
    ]
    missing += ["The end of the file is cut off: it does not fit into the budget."] if result.cut else []
    return "\n".join([result.text.rstrip("\n"), *(["", *missing] if missing else [])])


def render(result: Value) -> str:
    """Return the text of a verb's result, with hidden characters named. Importing this module registers the texts."""
    return name_hidden(result_text(result))


def _hit_head(number: int, hit: Hit, *, titled: bool = True, scored: bool = True) -> str:
    where = hit.id[-SHORT_ID:] if hit.kind == "memory" else hit.id
    limit = hit.scope if hit.scope != "project" else "private" if hit.private else ""
    what = " ".join(part for part in (limit, hit.kind, hit.type, where) if part)
    about = shorten(": ".join(part for part in (hit.title if titled else "", hit.symbol) if part), HEAD_CHARS)
    known = [hit.author, hit.ts[:10]] if hit.kind == "memory" else []
    known += [AGENT] if hit.trust == "agent" and not hit.origin else []
    known += [f"about {place(hit.path, hit.start_line, hit.end_line)}"] if hit.kind == "memory" and hit.path else []
    known += [hit.status, *branch_facts(hit.elsewhere, hit.work), *provenance(hit.trust, hit.origin)]
    known += [f"in the repository {hit.repository}"] if hit.repository else []
    known += [f"{hit.chunks} pieces found"] if hit.chunks > 1 else []
    known += [f"newer: {hit.newer[-SHORT_ID:]}"] if hit.newer else []
    given = "; ".join(fact for fact in known if fact)
    files = f" ({given})" if given else ""
    strongest = sorted(hit.why, key=lambda reason: (-reason.contribution, reason.signal))[:2]
    why = ", ".join(f"{reason.signal} {reason.contribution:.2f}" for reason in strongest)
    score = f" [{hit.score:.2f}{f': {why}' if why else ''}]" if scored else ""
    return f"{number}. {what}{files}{f' — {about}' if about else ''}{score}{_stale(hit.cites)}"


def _memory_head(memory: Memory, citations: Sequence[Citation] = (), name: str = "") -> str:
    """Return the first line of a memory: its `name`, which is its id and its headline by default, facts and files."""
    paths = present_paths(memory.files, citations)
    files = f" — {', '.join(paths[:5])}" if paths else ""
    return f"{name or f'{memory.id} {headline(memory)}'} ({', '.join(facts(memory))}){files}{_stale(citations)}"


def _stale(citations: Sequence[Citation]) -> str:
    """Return a warning that the memory may no longer hold."""
    stale = warning(citations)
    return f" [STALE? {stale}; check before you rely on it]" if stale else ""


def _problem(problem: Problem) -> str:
    where = f" {problem.path}{f':{problem.line}' if problem.line else ''}" if problem.path else ""
    return f"problem:{where} {problem.message}{f'. {problem.hint}' if problem.hint else ''}"


def _snippet_line(hit: Hit) -> int:
    """Return the line of a hit's text, from 0, where its snippet begins; 0 when it has none."""
    first = 1 if hit.kind == "memory" else hit.start_line
    return max(0, hit.snippet[0].line - first) if hit.snippet else 0


def _snippet(text: str, telling: int = 0, widest: int = LINE_CHARS) -> str:
    """Return the beginning of a text; else its first line and the lines around `telling`, each at most so wide."""
    lines = text.strip("\n").splitlines()
    telling -= len(text) - len(text.lstrip("\n"))
    if telling + 3 <= SNIPPET_LINES or len(lines) <= SNIPPET_LINES:
        return _rows(lines, SNIPPET_LINES, widest)
    start = min(telling - 1, len(lines) - SNIPPET_LINES + 2)
    between = number_of(start - 1, "line")
    return f"{lines[0][:widest].rstrip()}\n… ({between})\n{_rows(lines[start:], SNIPPET_LINES - 2, widest)}"


def _rows(lines: Sequence[str], most: int, widest: int) -> str:
    kept: list[str] = []
    length = 0
    for line in lines:
        short = line.rstrip()
        short = short if len(short) <= widest else short[: widest - 1] + "…"
        if len(kept) == most or length + len(short) > SNIPPET_CHARS:
            kept.append(f"… ({number_of(len(lines) - len(kept), 'more line')})")
            break
        kept.append(short)
        length += len(short)
    return "\n".join(kept)


def _indent(text: str) -> str:
    return "\n".join(f"   {line}" if line else "" for line in text.splitlines())


def _lag(saw: ReadState) -> str:
    surveyed, missing = saw.index.surveyed, saw.index.unembedded
    by_words = number_of(surveyed, "of them is found by its words", "of them are found by their words")
    found = f"; {by_words} alone" if surveyed else ""
    lag = f"\n\n(The index is {number_of(saw.index.lag, 'changed file')} behind{found}.)" if saw.index.lag else ""
    chunks = number_of(missing, "chunk is found by its words", "chunks are found by their words")
    meaning = f"\n\n({chunks} only so far, not by meaning.)" if missing else ""
    unencoded = saw.index.unencoded
    meaning += f"\n\n({number_of(unencoded, 'memory is', 'memories are')} not encoded yet.)" if unencoded else ""
    failure = saw.index.failure
    broken = f"\n\n(The index can't be updated, so recent changes may be missing: {failure}.)" if failure else ""
    return lag + meaning + broken + (f"\n\n({saw.note})" if saw.note else "")


@result_text.register
def explore_text(result: ExploreResult) -> str:
    """Return the model's words with the places that it named, then the pack."""
    if result.context is None or result.context.explored is None:
        return result.prompt
    explored, items = result.context.explored, result.context.items
    rows = [f"- {item.id}: {item.why[0].note}" for item in items if item.tier == "explored" and item.why]
    end = "" if explored.complete else f"The exploration is incomplete: {explored.ended}.\n"
    words = f"A model's words, not checked:\n{explored.answer}\n" if explored.answer else ""
    return f"{end}{words}{chr(10).join(rows)}\n\n{result.context.text}".strip()
