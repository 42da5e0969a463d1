"""Results about files as editors see them: notes, references, checks, templates, documents."""

from __future__ import annotations

from typing import Any

from muninn_core.model.note import Doubt, Lens, Note, Pointer
from muninn_core.model.value import Value, field
from muninn_core.protocol.results.base import Result


class Fix(Value):
    """A way to mend a fault: other text for a span of its line (as in `Fault`), or else a verb with its parameters."""

    title: str
    column: int = 0
    end: int = 0
    text: str = ""
    verb: str = ""
    params: dict[str, Any] = field(default_factory=dict)


class Fault(Value):
    """What is wrong in a file. `line` and `column` count from 1, in characters; `end` is the column behind it.

    `end` 0 is the end of the line. `level` is error, warning or information; `rule` is that of `check`.
    """

    rule: str
    level: str
    message: str
    line: int
    column: int = 1
    end: int = 0
    hint: str = ""
    fixes: tuple[Fix, ...] = ()


class LintResult(Result):
    """The faults of a file in the order of its lines; `kind` says as what it was read. `ok`: none is an error."""

    path: str
    kind: str
    ok: bool
    faults: tuple[Fault, ...]


class Meaning(Value):
    """What a reference means: a memory, document, knowledge, file, folder, symbol or question.

    `line` and `column` are the reference's, from 1; `path`, `start` and `end` (lines, 0: the whole) are where it leads.
    `markdown` is what to show of it. `problem` says what of it is not there; `near` what may have been meant.
    """

    kind: str
    text: str
    line: int
    column: int
    end: int
    title: str = ""
    path: str = ""
    start: int = 0
    last: int = 0
    id: str = ""
    markdown: str = ""
    problem: str = ""
    near: str = ""


class ReferencesResult(Result):
    """The references that a file makes, in its order."""

    path: str
    references: tuple[Meaning, ...]


class Backlink(Value):
    """A reference to something: where it stands (from 1; `end` exclusive), and its line's text.

    Of a memory `id` is set, and the place is that of its record, if that is in a file of the work tree.
    """

    path: str
    line: int
    column: int
    end: int
    text: str
    id: str = ""


class BacklinksResult(Result):
    """What refers to a file, document or memory, by path and line; memories come last, by id. `target` is its name."""

    target: str
    backlinks: tuple[Backlink, ...]


class Edit(Value):
    """Other text for a span of a line (from 1; `end` exclusive)."""

    path: str
    line: int
    column: int
    end: int
    text: str


class RelinkResult(Result):
    """The edits that keep links right when files get other names, by path, line and column."""

    edits: tuple[Edit, ...]


class Name(Value):
    """Something that can be named in a text: `insert` is how. `kind` is as in `Meaning`, or context or tag."""

    kind: str
    name: str
    insert: str
    detail: str = ""
    markdown: str = ""
    path: str = ""
    line: int = 0
    id: str = ""


class NamesResult(Result):
    """The names that match, best first; `more` says that there are others."""

    names: tuple[Name, ...]
    more: bool = False


class Rendered(Value):
    """What became of one reference of a context file: its tokens in the pack, or the problem why it is not there.

    `known`: what it means was there already, for another reference.
    """

    text: str
    line: int
    column: int
    title: str = ""
    tokens: int = 0
    problem: str = ""
    known: bool = False


class RenderResult(Result):
    """The pack of a context file as markdown; `tokens` counts all of it and never exceeds `budget`.

    `cut` says that not even the file's own text fits, so that its end is missing.
    """

    path: str
    title: str
    text: str
    tokens: int
    budget: int
    references: tuple[Rendered, ...]
    cut: bool = False


class Template(Value):
    """A template of context files."""

    name: str
    summary: str


class TemplateListResult(Result):
    """The templates by name."""

    templates: tuple[Template, ...]


class TemplateNewResult(Result):
    """The context file that was made, relative to the root."""

    path: str
    template: str
    text: str


class AnnotateResult(Result):
    """What is remembered about a file, in its places: notes by line and id, what to show above what, what is in doubt.

    `pointers` are where its text names memories and decisions; `omitted` counts memories that were not looked at,
    `pending` citations that there was no time to check: the next answer does.
    """

    path: str
    notes: tuple[Note, ...]
    lenses: tuple[Lens, ...]
    doubts: tuple[Doubt, ...]
    pointers: tuple[Pointer, ...] = ()
    omitted: int = 0
    pending: int = 0


class AboutResult(Result):
    """What is remembered about a place, as markdown, "" for nothing, and the ids of the memories that it shows."""

    text: str
    ids: tuple[str, ...]


class DocumentResult(Result):
    """A document for reading: its title, and its text as markdown."""

    uri: str
    title: str
    text: str


class DraftResult(Result):
    """A file to write a memory into: saved in an editor, it is remembered. `path` is that of the file, whole."""

    path: str
    text: str
