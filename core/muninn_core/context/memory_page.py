"""Pages for reading: a memory with its life, a commit, a pack. Markdown; it knows no index and no editor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from muninn_core.context.about import Link, linked, plain, worth
from muninn_core.context.hover import headline
from muninn_core.context.staleness import told
from muninn_core.git import Commit
from muninn_core.model.citation import Citation
from muninn_core.model.memory import Memory
from muninn_core.protocol.context_file import RenderResult
from muninn_core.protocol.inspection import Event
from muninn_core.protocol.search import ContextResult

FILES = 100
"""Files of a commit that are listed."""


def memory_page(
    memory: Memory, citations: Sequence[Citation], events: Sequence[Event], others: Mapping[str, Memory], link: Link
) -> str:
    """Return a memory as a page: what it says and is worth, what it cites, what it has to do with, and its life.

    `others` are the memories that it names, by id. What it says is quoted: it is data.
    """
    parts = [f"# {plain(headline(memory))}", plain(" · ".join(worth(memory)))]
    parts += [
        "\n".join(f"> {plain(line)}".rstrip() for line in (memory.text or "(nothing: it was redacted)").split("\n"))
    ]
    rows = [
        ("id", f"`{memory.id}`"),
        ("importance", f"{memory.importance} of 10"),
        ("confidence", f"{memory.confidence}"),
    ]
    rows += [("task", plain(memory.task))] if memory.task else []
    rows += [("branch", plain(memory.branch))] if memory.branch else []
    rows += [("commit", linked(memory.commit[:12], link("commit", memory.commit)))] if memory.commit else []
    rows += [("tags", plain(", ".join(memory.tags)))] if memory.tags else []
    rows += [(plain(name), plain(str(value))) for name, value in sorted(memory.details.items())]
    parts.append("\n".join(f"- {name}: {value}" for name, value in rows))
    cited = [f"- {linked(told(one), link('file', one.path))}" for one in citations]
    cited += [
        f"- {linked(path, link('file', path))}" for path in memory.files if path not in {c.path for c in citations}
    ]
    parts += ["## Code", "\n".join(cited)] if cited else []
    bound = [(each.relation, each.target) for each in memory.links]
    bound += [("superseded by", memory.superseded_by)] if memory.superseded_by else []
    bound += [("merged into", memory.merged_into)] if memory.merged_into else []
    parts += (
        ["## Links", "\n".join(f"- {kind} {_other(target, others, link)}" for kind, target in bound)] if bound else []
    )
    life = [
        f"- {each.ts[:16].replace('T', ' ')} {plain(each.agent or each.actor)}: {plain(each.summary)}"
        for each in events
    ]
    parts += ["## Life", "\n".join(life)] if life else []
    return "\n\n".join(parts) + "\n"


def commit_page(commit: Commit, link: Link) -> str:
    """Return a commit as a page: message, author, files."""
    parts = [f"# {plain(commit.subject)}", f"`{commit.sha[:12]}` · {plain(commit.author)} · {commit.time}"]
    parts += ["\n".join(f"> {plain(line)}".rstrip() for line in commit.body.split("\n"))] if commit.body else []
    files = [f"- {linked(path, link('file', path))}" for path in commit.files[:FILES]]
    files += [f"- … {len(commit.files) - FILES} more"] if len(commit.files) > FILES else []
    parts += ["## Files", "\n".join(files)] if files else []
    return "\n\n".join(parts) + "\n"


def pack_page(query: str, result: ContextResult) -> str:
    """Return a pack as a page: what it was gathered for and how large it is, and its markdown as it is handed over."""
    head = (
        f"<!-- {result.tokens} of {result.budget} tokens, {len(result.items)} items, {result.omitted} left out; for: "
    )
    return f"{head}{query.replace('--', '- -')} -->\n\n{result.text.rstrip()}\n"


def _other(target: str, others: Mapping[str, Memory], link: Link) -> str:
    known = others.get(target)
    return linked(headline(known) if known is not None else target, link("memory", target))


def rendered_page(result: RenderResult) -> str:
    """Return the pack of a context file as it is, and behind a rule what it takes and what is not in it."""
    told = [
        f"- line {each.line}, `{each.text}`: {each.problem}"
        if each.problem
        else f"- line {each.line}, `{each.text}`: " + ("there already" if each.known else f"{each.tokens:,} tokens")
        for each in result.references
    ]
    head = f"*{result.tokens:,} of {result.budget:,} tokens{'; the end of the text is cut off' if result.cut else ''}*"
    return "\n".join([result.text.rstrip("\n"), "", "---", "", head, "", *told]) + "\n"
