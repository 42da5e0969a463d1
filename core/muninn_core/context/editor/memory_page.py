"""Markdown pages for reading: a memory with its history, a commit, a pack. They use no index and no editor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from muninn_core.context.editor.markdown import Link, escape, folded, markdown_link, quoted
from muninn_core.context.editor.memory_card import Style, card, details
from muninn_core.context.memory_summary import headline
from muninn_core.git import Commit
from muninn_core.model.byline import writer
from muninn_core.model.citation import Citation
from muninn_core.model.counting import number_of
from muninn_core.model.memory import Memory
from muninn_core.protocol.families.context_file import RenderResult
from muninn_core.protocol.families.inspection import Event
from muninn_core.protocol.families.search import ContextResult

FILES = 100
"""The maximum number of files of a commit that are listed."""


def memory_page(
    memory: Memory,
    citations: Sequence[Citation],
    events: Sequence[Event],
    others: Mapping[str, Memory],
    link: Link,
    now: datetime,
    *,
    rich: bool = False,
    against: Sequence[Memory] = (),
) -> str:
    """Return a memory as a page: its card, links, history and details.

    `others` maps the ids of linked memories to these memories; `against` are those that it is in conflict with. The
    text is quoted, because it is data. With `rich`, actions are `command:` links, and history and details are folded
    with HTML.
    """
    parts = card(memory, citations, link, now, Style(rich=rich, page=True), against=against)
    targets = [(each.relation, each.target) for each in memory.links]
    targets += [("superseded by", memory.superseded_by)] if memory.superseded_by else []
    targets += [("merged into", memory.merged_into)] if memory.merged_into else []
    linked = "\n".join(f"- {kind} {_other(target, others, link)}" for kind, target in targets)
    parts += ["## Links", linked] if linked else []
    history = "\n".join(_event_line(each) for each in events)
    for title, text in (("History", history), ("Details", details(memory, link))):
        parts += [] if not text else [folded(title, text)] if rich else [f"## {title}", text]
    return "\n\n".join(parts) + "\n"


def _event_line(event: Event) -> str:
    by = writer(event.author, event.actor, event.agent)
    return f"- {event.ts[:16].replace('T', ' ')} {escape(by)}: {escape(event.summary)}"


def commit_page(commit: Commit, link: Link) -> str:
    """Return a commit as a page: message, author, files."""
    parts = [
        f"# {escape(commit.subject)}",
        f"`{commit.sha[:12]}` · {escape(commit.author)} · {commit.time}",
    ]
    parts += [quoted(commit.body)] if commit.body else []
    files = [f"- {markdown_link(path, link('file', path))}" for path in commit.files[:FILES]]
    files += [f"- … {len(commit.files) - FILES} more"] if len(commit.files) > FILES else []
    parts += ["## Files", "\n".join(files)] if files else []
    return "\n\n".join(parts) + "\n"


def pack_page(query: str, result: ContextResult) -> str:
    """Return a pack as a page: a comment with its query and size, then its markdown unchanged."""
    head = (
        f"<!-- {result.tokens} of {number_of(result.budget, 'token')}, {number_of(len(result.items), 'item')}, "
        f"{result.omitted} left out; for: "
    )
    return f"{head}{query.replace('--', '- -')} -->\n\n{result.text.rstrip()}\n"


def _other(target: str, others: Mapping[str, Memory], link: Link) -> str:
    known = others.get(target)
    return markdown_link(headline(known) if known is not None else target, link("memory", target))


def rendered_page(result: RenderResult) -> str:
    """Return the pack of a context file, followed by the size of each reference and the problems."""
    references = [
        f"- line {each.line}, `{each.text}`: {each.problem}"
        if each.problem
        else f"- line {each.line}, `{each.text}`: "
        + ("already included" if each.known else number_of(each.tokens, "token"))
        for each in result.references
    ]
    head = f"*{result.tokens:,} of {result.budget:,} tokens{'; the end of the text is cut off' if result.cut else ''}*"
    return "\n".join([result.text.rstrip("\n"), "", "---", "", head, "", *references]) + "\n"
