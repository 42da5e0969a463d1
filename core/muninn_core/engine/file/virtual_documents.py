"""`muninn:` documents: a memory, a file's notes, a commit or a pack as a page to read.

    muninn:/memory/ID.md            a memory: its text, citations and history; ID/TITLE is the same
    muninn:/knowledge/PATH.md       a file of .muninn/knowledge; packs/NAME/PATH is one of a pack
    muninn:/notes/PATH.md           what is remembered about a file
    muninn:/commit/SHA.md           a commit: its message and the files that it changed
    muninn:/context/PATH.md         the pack of a context file, with unsaved text
    muninn:/pack.md?query=TEXT      a pack; `&budget=TOKENS`

They are read-only views and exist in no file.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import NamedTuple
from urllib.parse import parse_qs, unquote, urlsplit

from muninn_core import git
from muninn_core.context.editor import memory_page
from muninn_core.context.editor.hover import entry
from muninn_core.context.editor.memory_card import Style, card, plain_card
from muninn_core.context.memory_summary import OUTSIDE, headline
from muninn_core.engine.answer import contexts
from muninn_core.engine.file import context_files, file_notes
from muninn_core.engine.file.about import whole_file
from muninn_core.engine.file.uris import SCHEME, linker
from muninn_core.engine.memory import lookup
from muninn_core.engine.memory.inspection.memory_history import history
from muninn_core.errors import BadParams, NotFoundError
from muninn_core.protocol.families.context_file import RenderParams
from muninn_core.protocol.families.editor import DocumentParams, DocumentResult
from muninn_core.protocol.families.search import ContextParams
from muninn_core.source.files.text import Text, read_text
from muninn_core.source.private_spans import strip_private
from muninn_core.worktree.call_context import CallContext
from muninn_core.worktree.citations.overlays import with_overlays
from muninn_core.worktree.paths import relative_path
from muninn_core.worktree.workspace import Workspace

HINT = (
    "The addresses are muninn:/memory/ID.md, muninn:/knowledge/PATH.md, muninn:/notes/PATH.md, muninn:/commit/SHA.md, "
    "muninn:/context/PATH.md, muninn:/pack.md?query=TEXT."
)


class _PageRequest(NamedTuple):
    """A page to make: what the address names behind its kind, and the form."""

    workspace: Workspace
    what: str
    form: str
    call: CallContext
    now: datetime


def document(workspace: Workspace, params: DocumentParams, call: CallContext, now: datetime) -> DocumentResult:
    """Return the page at an address. Raises BadParams for an invalid address, NotFoundError for an unknown target."""
    parts = urlsplit(params.uri)
    kind, _, rest = unquote(parts.path).removesuffix(".md").lstrip("/").partition("/")
    query = {name: values[-1] for name, values in parse_qs(parts.query).items()}
    if parts.scheme != SCHEME:
        raise BadParams(f"'{params.uri}' is not an address of Muninn", hint=HINT)
    if kind == "pack" and not rest:
        title, text = _pack(workspace, query, call, now)
    elif kind in _PAGES and rest:
        title, text = _PAGES[kind](_PageRequest(workspace, rest, params.form, call, now))
    else:
        raise BadParams(f"there is no '{parts.path}' among Muninn's documents", hint=HINT)
    return DocumentResult(uri=params.uri, title=title, text=text, saw=workspace.read_state())


def _pack(workspace: Workspace, query: dict[str, str], call: CallContext, now: datetime) -> tuple[str, str]:
    asked, budget = query.get("query", "").strip(), query.get("budget", "4000")
    if not asked or not budget.isdecimal() or not 50 <= int(budget) <= 200_000:
        raise BadParams("a pack needs a query, and a budget of 50 to 200000 tokens", hint=HINT)
    result = contexts.context(workspace, ContextParams(query=asked, budget=int(budget)), call, now)
    return f"Context: {asked}", memory_page.pack_page(asked, result)


def _memory(request: _PageRequest) -> tuple[str, str]:
    workspace, now = request.workspace, request.now
    memory = lookup.memory_of(workspace.memory.all(), request.what.partition("/")[0])
    (labelled,) = workspace.labelled([memory])
    shared = workspace.memory.shared if memory.scope == "global" else None
    records = shared.records if shared is not None else workspace.memory.log.records
    events = history(memory, tuple(records.values()), workspace.memory.log.sealed_ids())
    cited = with_overlays(workspace.citations, request.call.buffers).checker().judge(memory)
    link, against = linker(workspace.layout.root, virtual=True), workspace.memory.opponents().get(memory.id, ())
    if request.form == "plain":
        return headline(labelled), plain_card(labelled, cited, now, is_disputed=bool(against))
    if request.form == "card":
        parts = card(labelled, cited, link, now, Style(rich=True), against=against)
        return headline(labelled), "\n\n".join(parts) + "\n"
    known = workspace.memory.all()
    others = {link.target: known[link.target] for link in memory.links if link.target in known}
    others |= {each: known[each] for each in (memory.superseded_by, memory.merged_into) if each and each in known}
    rich = request.form == "page"
    page = memory_page.memory_page(labelled, cited, events, others, link, now, rich=rich, against=against)
    return headline(labelled), page


def _notes(request: _PageRequest) -> tuple[str, str]:
    workspace, now, rich = request.workspace, request.now, request.form in ("page", "card")
    found = file_notes.remembered(workspace, request.what, request.call, now)
    link = linker(workspace.layout.root, virtual=True)
    shown = whole_file(workspace, found)
    lines = [f"# What is remembered about `{found.path}`", ""]
    parts = [entry(each, link, now, rich=rich) for each in shown]
    return f"About {found.path}", "\n".join(lines) + "\n" + ("\n\n---\n\n".join(parts) or "Nothing yet.") + "\n"


def _knowledge(request: _PageRequest) -> tuple[str, str]:
    """Return a knowledge file without private spans; a pack's text is quoted below its origin."""
    workspace, what = request.workspace, request.what
    root = workspace.layout.root
    for folder in (".muninn/knowledge", ".muninn" if what.startswith("packs/") else ".muninn/knowledge"):
        try:
            path = relative_path(f"{folder}/{what}.md", root)
        except BadParams:
            continue  # it leads outside the work tree
        within = path.startswith((".muninn/knowledge/", ".muninn/packs/"))
        if not within or not (root / path).resolve().is_relative_to((root / ".muninn").resolve()):
            continue  # a symbolic link leads outside the repository
        read = read_text(root, path, workspace.config.index.max_file_bytes)
        if isinstance(read, Text):
            text, _ = strip_private(read.text)
            origin = workspace.origins.origin_of(path)
            return f"{what}.md", _quoted(text, f"{origin}; {OUTSIDE}") if origin else text
    raise NotFoundError(
        f"there is no knowledge '{what}.md'", hint="`muninn names --kinds knowledge` lists what there is."
    )


def _quoted(text: str, origin: str) -> str:
    """Return foreign text as a quotation below its origin, so that no line of it appears as Muninn's own."""
    return f"{origin}\n\n" + "\n".join(f"> {line}".rstrip() for line in text.splitlines()) + "\n"


def _commit(request: _PageRequest) -> tuple[str, str]:
    root = Path(request.workspace.location.root)
    sha = git.resolve_commit(root, request.what)
    (found,) = git.list_commits(root, None, sha, 1) or (None,)
    if found is None:
        raise NotFoundError(f"there is no commit '{request.what}'", hint="It may be on a branch that is not here.")
    return f"Commit {sha[:8]}", memory_page.commit_page(found, linker(request.workspace.layout.root, virtual=True))


def _context(request: _PageRequest) -> tuple[str, str]:
    workspace, call = request.workspace, request.call
    path = f"{request.what}.md"
    unsaved = call.buffers.unsaved(workspace.citations) if call.buffers is not None else {}
    text = unsaved[path].text if path in unsaved else None
    result = context_files.render(workspace, RenderParams(path=path, text=text), call, request.now)
    return f"Pack: {result.title}", memory_page.rendered_page(result)


_PAGES: dict[str, Callable[[_PageRequest], tuple[str, str]]] = {
    "memory": _memory,
    "knowledge": _knowledge,
    "notes": _notes,
    "commit": _commit,
    "context": _context,
}
