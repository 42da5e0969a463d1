"""Context files: renders them as packs within their budget, and creates them from templates
(docs/formats/context.md).
"""

from __future__ import annotations

import posixpath
import re
from datetime import datetime
from pathlib import Path

from muninn_core.config import Config
from muninn_core.context.packs.render import render_item
from muninn_core.context.packs.templates import TEMPLATES, default_title, fill_template
from muninn_core.context.packs.tokens import BYTES_PER_TOKEN, count_tokens
from muninn_core.engine.answer import recall
from muninn_core.engine.answer.search_context import with_work_and_origin
from muninn_core.engine.file.lint import names_of, text_of
from muninn_core.engine.file.reference_index import ReferenceIndex, ReferenceTarget
from muninn_core.errors import BadParams, NotFoundError, UsageError
from muninn_core.model.answer import Hit
from muninn_core.model.value import Value, replace
from muninn_core.near_match import NAMES, nearest
from muninn_core.protocol.families.context_file import (
    Rendered,
    RenderParams,
    RenderResult,
    Template,
    TemplateListResult,
    TemplateNewParams,
    TemplateNewResult,
)
from muninn_core.protocol.families.search import PackItem, RecallParams
from muninn_core.retrieval.decay import is_recallable
from muninn_core.retrieval.results.hits import memory_hit
from muninn_core.source.documents import frontmatter
from muninn_core.source.documents.markup import without_comments
from muninn_core.source.documents.muninn_file import CONTEXT_FOLDER, KINDS_WITH_REFERENCES, own_kind
from muninn_core.source.documents.references import Reference, find_references
from muninn_core.source.files.classify import classify
from muninn_core.source.files.path_containment import can_name_file
from muninn_core.store.files.disk import write_atomic
from muninn_core.store.secrets.masking import mask
from muninn_core.worktree.call_context import CallContext
from muninn_core.worktree.paths import relative_path
from muninn_core.worktree.workspace import Workspace

DEFAULT_BUDGET = 8000
"""The budget in tokens of a file that sets none."""
FOUND_BY_QUESTION = 6
"""The most hits of a question."""
MAX_REFERENCES = 200
"""The most references of a pack; further ones are reported as left out."""

_NEW_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}")
_HEADING = "\n## References\n"


class _Part(Value):
    """The items of a reference, the best first, or the problem that it has none."""

    items: tuple[PackItem, ...] = ()
    problem: str = ""
    title: str = ""


_TOO_MANY = _Part(problem=f"there are more than {MAX_REFERENCES} references in this file")


def render(workspace: Workspace, params: RenderParams, call: CallContext, now: datetime) -> RenderResult:
    """Render a context file: its prose, then the items of its references within the budget, those of questions last.

    Raises NotFoundError for a missing file, UsageError for one that is not a context file.
    """
    path = _path(workspace, params.path)
    if params.text is None and not (workspace.layout.root / path).exists():
        raise NotFoundError(f"{path} does not exist", hint=_missing_hint(workspace.layout.root, path))
    text = text_of(workspace.layout.root, path, params.text)
    fields, body = frontmatter.read_frontmatter(text)
    budget = params.budget or frontmatter.read_budget(fields.get("budget")) or DEFAULT_BUDGET
    prose, cut = _prose(mask(text, workspace.config.memory.secrets)[0], body, budget)
    names = names_of(workspace, call.buffers)
    found = [entry for entry in find_references(text, own_kind(path)) if entry.kind != "link"]
    parts: list[tuple[Reference, _Part]] = []
    for position, reference in enumerate(found):
        call.raise_if_cancelled()
        known = position < MAX_REFERENCES
        parts.append((reference, _part(workspace, names, reference, path, call, params, now) if known else _TOO_MANY))
    pack = _Pack(prose, budget, closed=cut)
    rendered = (_rendered(text, reference, part, pack) for reference, part in sorted(parts, key=_named_first))
    entries = [entry for entry in rendered if entry is not None]
    title = str(fields.get("title") or posixpath.basename(path).removesuffix(".md"))
    return RenderResult(
        path=path,
        title=title,
        text=pack.text,
        tokens=count_tokens(pack.text),
        budget=budget,
        references=tuple(sorted(entries, key=lambda entry: (entry.line, entry.column))),
        cut=cut,
        saw=workspace.read_state(),
    )


def list_templates(workspace: Workspace) -> TemplateListResult:
    """Return the templates by name."""
    found = tuple(Template(name=name, summary=draft.summary) for name, draft in TEMPLATES.items())
    return TemplateListResult(templates=found, saw=workspace.read_state())


def new(workspace: Workspace, params: TemplateNewParams) -> TemplateNewResult:
    """Create a context file from a template. Raises BadParams for an invalid name, UsageError for an existing file."""
    name = params.name.removesuffix(".md")
    if not all(_NEW_NAME.fullmatch(part) for part in name.split("/")):
        raise BadParams(
            f"'{params.name}' is not a valid file name",
            hint="Use letters, digits, '.', '_' and '-', and '/' behind a folder.",
        )
    path = f"{CONTEXT_FOLDER}/{name}.md"
    file = workspace.layout.root / path
    if not file.resolve().is_relative_to(workspace.layout.root.resolve()):
        raise UsageError(f"{path} lies outside of the repository", hint="A folder above it is a link.")
    if file.exists():
        raise UsageError(f"{path} is there already", hint="Give the new one another name.")
    last = name.rpartition("/")[2]
    template = params.template or (last if last in TEMPLATES else "feature")
    text = fill_template(template, params.title or default_title(path))
    write_atomic(file, text.encode(), tracked=True)
    return TemplateNewResult(path=path, template=template, text=text, saw=workspace.read_state())


_NO_ROOM = "it does not fit into what is left of the budget"


class _Pack:
    """A text that grows within its budget, without duplicates. A `closed` one accepts no items."""

    def __init__(self, prose: str, budget: int, *, closed: bool) -> None:
        self.text = prose
        self._budget = budget
        self._closed = closed
        self._seen: set[tuple[str, str]] = set()

    def add(self, part: _Part) -> tuple[int, str, bool]:
        """Add the items that fit and are new. Return their tokens, the problem when none fits, and whether all were
        present.
        """
        before = count_tokens(self.text)
        taken, fresh = 0, 0
        for item in part.items:
            if (item.kind, item.id) in self._seen:
                continue
            fresh += 1
            grown = self.text + ("" if _HEADING in self.text else _HEADING) + render_item(item)
            if not self._closed and count_tokens(grown) <= self._budget:
                self.text = grown
                self._seen.add((item.kind, item.id))
                taken += 1
        return count_tokens(self.text) - before, _NO_ROOM if fresh and not taken else "", not fresh


def _named_first(pair: tuple[Reference, _Part]) -> tuple[bool, int, int]:
    """Return the sort key of a reference: named targets come before questions."""
    return (pair[0].kind == "query", pair[0].line, pair[0].start)


def _path(workspace: Workspace, given: str) -> str:
    root = workspace.layout.root
    bare = not given.endswith(".md") and not (can_name_file(given) and (root / given).is_file())
    path = relative_path(f"{CONTEXT_FOLDER}/{given}.md" if bare else given, root)
    if own_kind(path) not in KINDS_WITH_REFERENCES:
        raise UsageError(f"{path} is not a context file", hint=f"They are {CONTEXT_FOLDER}/**/*.md and .claude/*.md.")
    return path


def _missing_hint(root: Path, path: str) -> str:
    """Return a hint for a missing context file."""
    folder = root / CONTEXT_FOLDER
    known = sorted(file.relative_to(folder).as_posix().removesuffix(".md") for file in folder.rglob("*.md"))
    name = path.removeprefix(f"{CONTEXT_FOLDER}/").removesuffix(".md")
    near = nearest(name, known, NAMES)
    if near:
        return f"Did you mean '{near}'?"
    listing = f"Context files here: {', '.join(known[:20])}. " if known else ""
    return f"{listing}`muninn context new {name}` creates one."


def _prose(text: str, body: int, budget: int) -> tuple[str, bool]:
    """Return the body of a file within the budget, and whether it was cut."""
    whole = without_comments("\n".join(text.split("\n")[body:])).strip("\n") + "\n"
    if count_tokens(whole) <= budget:
        return whole, False
    most = int((budget - 1) * BYTES_PER_TOKEN)
    start = whole.encode("utf-8", "surrogatepass")[:most]
    return start[: start.rfind(b"\n") + 1].decode("utf-8", "surrogatepass"), True


def _part(
    workspace: Workspace,
    names: ReferenceIndex,
    reference: Reference,
    path: str,
    call: CallContext,
    params: RenderParams,
    now: datetime,
) -> _Part:
    """Return the items of a reference."""
    if reference.kind == "query":
        asked = RecallParams(query=reference.target, limit=FOUND_BY_QUESTION, session=params.session)
        try:
            hits = recall.recall(workspace, asked, call, now).hits
        except (UsageError, NotFoundError) as error:  # an invalid query must not fail the other references
            return _Part(problem=error.message)
        found = tuple(_item(workspace.config, hit) for hit in hits if hit.path != path)
        return _Part(items=found, problem="" if found else "it finds nothing", title=f"{len(found)} found")
    target = names.find(reference, path)
    if target is None:
        near = names.nearest(reference, path)
        return _Part(problem="nothing has this name" + (f": did you mean '{near}'?" if near else ""))
    if target.problem:
        return _Part(problem=target.problem, title=target.title)
    if target.kind == "memory":
        return _memory_part(workspace, names, target, now)
    return _file_part(workspace, names, target)


def _memory_part(workspace: Workspace, names: ReferenceIndex, found: ReferenceTarget, now: datetime) -> _Part:
    memory = names.memories[found.id]
    if not is_recallable(memory, now):
        by = memory.superseded_by or memory.merged_into
        return _Part(problem="it is not active" + (f": {by} replaces it" if by else ""), title=found.title)
    (hit,) = with_work_and_origin(
        workspace.origins,
        workspace.work_states,
        (memory_hit(memory, (), workspace.citations.checker().judge(memory)),),
        names.memories,
        None,
    )
    return _Part(items=(_item(workspace.config, hit),), title=found.title)


def _file_part(workspace: Workspace, names: ReferenceIndex, found: ReferenceTarget) -> _Part:
    if found.kind == "folder":
        return _Part(problem="it is a folder: name the files", title=found.title)
    page = names.page(found.path)
    if page is None:
        return _Part(problem="it has no text", title=found.title)
    start, end = found.start or 1, found.end or page.length
    document = names.library.at_path(found.path)
    title = "" if found.title == found.path else found.title
    hit = Hit(
        kind=classify(found.path)[0],
        id=f"{found.path}:{start}-{end}",
        path=found.path,
        start_line=start,
        end_line=end,
        score=0.0,
        why=(),
        text="\n".join(page.span(start, end)),
        title=title,
        status=document.status_text if document is not None else "",
    )
    (labelled_hit,) = with_work_and_origin(workspace.origins, workspace.work_states, (hit,), names.memories, None)
    return _Part(items=(_item(workspace.config, labelled_hit),), title=found.title)


def _item(config: Config, hit: Hit) -> PackItem:
    shared = {name: getattr(hit, name) for name in PackItem.__struct_fields__ if name in Hit.__struct_fields__}
    text, _ = mask(hit.text, config.memory.secrets)
    tier = "memory" if hit.kind == "memory" else "knowledge" if hit.kind == "knowledge" else "code"
    item = PackItem(**{**shared, "tier": tier, "title": hit.title or hit.symbol, "text": text, "tokens": 0})
    return replace(item, tokens=count_tokens(render_item(item)))


def _rendered(text: str, reference: Reference, part: _Part, pack: _Pack) -> Rendered | None:
    """Add the items of a reference to the pack and return its entry; None for prose that only resembles a reference."""
    if part.problem and not reference.certain:
        return None
    tokens, problem, known = pack.add(part) if part.items else (0, part.problem, False)
    line = text.split("\n")[reference.line]
    return Rendered(
        text=line[reference.start : reference.end],
        line=reference.line + 1,
        column=reference.start + 1,
        title=part.title,
        tokens=tokens,
        problem=problem,
        known=known,
    )
