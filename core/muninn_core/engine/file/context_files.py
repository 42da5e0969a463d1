"""Context files: rendered as a pack within their budget, and begun from templates (docs/formats/context.md)."""

from __future__ import annotations

import posixpath
import re
from datetime import datetime
from pathlib import Path

from muninn_core.config import Config
from muninn_core.context.render import render_item
from muninn_core.context.templates import TEMPLATES, default_title, fill_template
from muninn_core.context.tokens import BYTES_PER_TOKEN, count_tokens
from muninn_core.engine.answer import recall
from muninn_core.engine.answer.search_context import with_work_and_origin
from muninn_core.engine.file.lint import names_of, text_of
from muninn_core.engine.file.reference_index import ReferenceIndex, ReferenceTarget
from muninn_core.errors import BadParams, NotFoundError, UsageError
from muninn_core.model.answer import Hit
from muninn_core.model.value import Value, replace
from muninn_core.near_match import NAMES, nearest
from muninn_core.protocol.context_file import (
    Rendered,
    RenderParams,
    RenderResult,
    Template,
    TemplateListResult,
    TemplateNewParams,
    TemplateNewResult,
)
from muninn_core.protocol.search import PackItem, RecallParams
from muninn_core.retrieval.decay import is_recallable
from muninn_core.retrieval.hits import memory_hit
from muninn_core.source import frontmatter
from muninn_core.source.classify import classify
from muninn_core.source.markup import without_comments
from muninn_core.source.muninn_file import CONTEXT_FOLDER, KINDS_WITH_REFERENCES, own_kind
from muninn_core.source.references import Reference, find_references
from muninn_core.store.disk import write_atomic
from muninn_core.store.secrets import mask
from muninn_core.worktree.call import Call
from muninn_core.worktree.paths import relative_path
from muninn_core.worktree.workspace import Workspace

DEFAULT_BUDGET = 8000
FOUND_BY_QUESTION = 6
MOST = 200
"""References that a pack is made of; those behind them are told as left out."""

_NEW_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}")
_HEADING = "\n## References\n"


class _Part(Value):
    """What a reference brings: items by their worth, or why there are none."""

    items: tuple[PackItem, ...] = ()
    problem: str = ""
    title: str = ""


_TOO_MANY = _Part(problem=f"there are more than {MOST} references in this file")


def render(workspace: Workspace, params: RenderParams, call: Call, now: datetime) -> RenderResult:
    """Render a context file: its prose, then what its references mean while the budget lasts, questions at last.

    Raises NotFoundError for a file that is not there, UsageError for one that is no context file.
    """
    path = _path(workspace, params.path)
    if params.text is None and not (workspace.layout.root / path).exists():
        raise NotFoundError(f"{path} is not there", hint=_others(workspace.layout.root, path))
    text = text_of(workspace.layout.root, path, params.text)
    fields, body = frontmatter.read_frontmatter(text)
    budget = params.budget or frontmatter.read_budget(fields.get("budget")) or DEFAULT_BUDGET
    prose, cut = _prose(mask(text, workspace.config.memory.secrets)[0], body, budget)
    names = names_of(workspace, call.buffers)
    made = [each for each in find_references(text, own_kind(path)) if each.kind != "link"]
    parts: list[tuple[Reference, _Part]] = []
    for place, reference in enumerate(made):
        call.raise_if_cancelled()
        known = place < MOST
        parts.append((reference, _part(workspace, names, reference, path, call, params, now) if known else _TOO_MANY))
    pack = _Pack(prose, budget, closed=cut)
    rendered = (_rendered(text, reference, part, pack) for reference, part in sorted(parts, key=_named_first))
    told = [each for each in rendered if each is not None]
    title = str(fields.get("title") or posixpath.basename(path).removesuffix(".md"))
    return RenderResult(
        path=path,
        title=title,
        text=pack.text,
        tokens=count_tokens(pack.text),
        budget=budget,
        references=tuple(sorted(told, key=lambda each: (each.line, each.column))),
        cut=cut,
        saw=workspace.read_state(),
    )


def list_templates(workspace: Workspace) -> TemplateListResult:
    """Return the templates by name."""
    found = tuple(Template(name=name, summary=draft.summary) for name, draft in TEMPLATES.items())
    return TemplateListResult(templates=found, saw=workspace.read_state())


def new(workspace: Workspace, params: TemplateNewParams) -> TemplateNewResult:
    """Make a context file from a template. Raises BadParams, and UsageError when one of that name is there."""
    name = params.name.removesuffix(".md")
    if not all(_NEW_NAME.fullmatch(part) for part in name.split("/")):
        raise BadParams(
            f"'{params.name}' is no name for a file",
            hint="Use letters, digits, '.', '_' and '-', and '/' behind a folder.",
        )
    path = f"{CONTEXT_FOLDER}/{name}.md"
    file = workspace.layout.root / path
    if not file.resolve().is_relative_to(workspace.layout.root.resolve()):
        raise UsageError(f"{path} lies outside of the repository", hint="A folder above it is a link.")
    if file.exists():
        raise UsageError(f"{path} is there already", hint="Give the new one another name.")
    text = fill_template(params.template, params.title or default_title(path))
    write_atomic(file, text.encode())
    return TemplateNewResult(path=path, template=params.template, text=text, saw=workspace.read_state())


_NO_ROOM = "it does not fit into what is left of the budget"


class _Pack:
    """A text that grows while its budget lasts; nothing is in it twice. A `closed` one takes nothing."""

    def __init__(self, prose: str, budget: int, *, closed: bool) -> None:
        self.text = prose
        self._budget = budget
        self._closed = closed
        self._seen: set[tuple[str, str]] = set()

    def take(self, part: _Part) -> tuple[int, str, bool]:
        """Take the items that fit and are not there yet; return their tokens, why there are none, if all were there."""
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
    """What is named goes before what is only asked for, when the budget does not last for all."""
    return (pair[0].kind == "query", pair[0].line, pair[0].start)


def _path(workspace: Workspace, given: str) -> str:
    root = workspace.layout.root
    bare = not given.endswith(".md") and not (root / given).is_file()
    path = relative_path(f"{CONTEXT_FOLDER}/{given}.md" if bare else given, root)
    if own_kind(path) not in KINDS_WITH_REFERENCES:
        raise UsageError(f"{path} is no context file", hint=f"They are {CONTEXT_FOLDER}/**/*.md and .claude/*.md.")
    return path


def _others(root: Path, path: str) -> str:
    """Return what to say of a context file that is not there."""
    folder = root / CONTEXT_FOLDER
    known = sorted(each.relative_to(folder).as_posix().removesuffix(".md") for each in folder.rglob("*.md"))
    name = path.removeprefix(f"{CONTEXT_FOLDER}/").removesuffix(".md")
    near = nearest(name, known, NAMES)
    if near:
        return f"Did you mean '{near}'?"
    there = f"There are {', '.join(known[:20])}. " if known else ""
    return f"{there}`muninn context new {name}` makes one."


def _prose(text: str, body: int, budget: int) -> tuple[str, bool]:
    """Return the body of a file, and whether its end was cut off because not even that fits into the budget."""
    whole = without_comments("\n".join(text.split("\n")[body:])).strip("\n") + "\n"
    if count_tokens(whole) <= budget:
        return whole, False
    most = int((budget - 1) * BYTES_PER_TOKEN)
    begun = whole.encode("utf-8", "surrogatepass")[:most]
    return begun[: begun.rfind(b"\n") + 1].decode("utf-8", "surrogatepass"), True


def _part(
    workspace: Workspace,
    names: ReferenceIndex,
    reference: Reference,
    path: str,
    call: Call,
    params: RenderParams,
    now: datetime,
) -> _Part:
    """Return what a reference brings to the pack."""
    if reference.kind == "query":
        asked = RecallParams(query=reference.target, limit=FOUND_BY_QUESTION, session=params.session)
        try:
            hits = recall.recall(workspace, asked, call, now).hits
        except (UsageError, NotFoundError) as error:  # filters that are none: the rest of the pack is worth having
            return _Part(problem=error.message)
        found = tuple(_item(workspace.config, hit) for hit in hits if hit.path != path)
        return _Part(items=found, problem="" if found else "it finds nothing", title=f"{len(found)} found")
    found_one = names.find(reference, path)
    if found_one is None:
        near = names.nearest(reference, path)
        return _Part(problem="nothing answers to it" + (f": did you mean '{near}'?" if near else ""))
    if found_one.problem:
        return _Part(problem=found_one.problem, title=found_one.title)
    if found_one.kind == "memory":
        return _of_memory(workspace, names, found_one, now)
    return _of_file(workspace, names, found_one)


def _of_memory(workspace: Workspace, names: ReferenceIndex, found: ReferenceTarget, now: datetime) -> _Part:
    memory = names.memories[found.id]
    if not is_recallable(memory, now):
        by = memory.superseded_by or memory.merged_into
        return _Part(problem="it no longer speaks" + (f": {by} does" if by else ""), title=found.title)
    (hit,) = with_work_and_origin(
        workspace.origins,
        workspace.work_states,
        (memory_hit(memory, (), workspace.citations.checker().judge(memory)),),
        names.memories,
        None,
    )
    return _Part(items=(_item(workspace.config, hit),), title=found.title)


def _of_file(workspace: Workspace, names: ReferenceIndex, found: ReferenceTarget) -> _Part:
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
    """Put what a reference brings into the pack, and tell of it; None for prose that only looked like one."""
    if part.problem and not reference.certain:
        return None
    tokens, problem, known = pack.take(part) if part.items else (0, part.problem, False)
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
