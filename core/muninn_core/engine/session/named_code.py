"""Finds the code that a captured statement names: files of the repository, and definitions that it has once.

The memory then cites these definitions, so that it is judged when they change, and is given for its files.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from muninn_core.engine.session.reminder_search import READY_SECONDS
from muninn_core.errors import MuninnError
from muninn_core.model.value import replace
from muninn_core.protocol.families.memory import MemoryDraft
from muninn_core.retrieval.query.mentioned_files import mentioned_files
from muninn_core.source.files.classify import path_traits
from muninn_core.worktree.workspace import Workspace

if TYPE_CHECKING:
    from muninn_core.index.snapshot import Snapshot

log = logging.getLogger("muninn.capture")

MAX_FILES = 10
"""The most files of a statement."""

MAX_NAMES = 4
"""The most definitions of a statement. One that names more is about none of them in particular."""

_MIN_NAME_LENGTH = 3
"""The least characters of a name. Shorter ones are abbreviations and variables."""

_APART = frozenset({"test", "vendored", "generated"})
"""The traits of code whose definitions are left out."""

_PATH = re.compile(r"[\w.-]+(?:/[\w.-]+)+")
"""A path. Its folders and its suffix are no names of definitions."""

_QUOTED = re.compile(r"`([^`\n]{2,80})`")
_NAME = re.compile(r"[^\W\d]\w*(?:(?:\.|::)[^\W\d]\w*)*")
_CODE_LIKE = re.compile(r"[^\W_]_[^\W_]|[a-z\d][A-Z]|\w(?:\.|::)\w")
"""An underscore or a capital within a word, or a name of a name: prose has none of these."""


def with_named_code(workspace: Workspace, drafts: Sequence[MemoryDraft]) -> list[MemoryDraft]:
    """Return drafts with the files and definitions that their texts name. Without an index they stay unchanged."""
    if not drafts:
        return []
    try:
        snapshot = workspace.updater.wait_open(READY_SECONDS).snapshot()
    except MuninnError as error:
        log.info("captured without places in the code: %s", error)
        return list(drafts)
    return [_placed(draft, snapshot) for draft in drafts]


def _placed(draft: MemoryDraft, snapshot: Snapshot) -> MemoryDraft:
    statement = draft.text.partition("\nContext: ")[0]
    files = list(dict.fromkeys((*draft.files, *mentioned_files(statement, (), snapshot))))
    defined = {name: places for name in names_in(statement) if (places := _places(name, snapshot))}
    once = {name: places[0] for name, places in defined.items() if len(places) == 1}
    if len(defined) <= MAX_NAMES:
        files += [path for path in once.values() if path not in files]
        entities = tuple(dict.fromkeys((*draft.entities, *once)))
        draft = replace(draft, entities=entities)
    return replace(draft, files=tuple(files[:MAX_FILES]))


def names_in(statement: str) -> list[str]:
    """Return the words of a statement that are written like names of definitions, or stand between backquotes."""
    statement = _PATH.sub("--", statement)
    quoted = [name for part in _QUOTED.findall(statement) for name in _NAME.findall(part)]
    plain = [name for name in _NAME.findall(_QUOTED.sub(" ", statement)) if _CODE_LIKE.search(name)]
    parts = [re.split(r"\.|::", name)[-1] for name in (*quoted, *plain)]
    return [part for part in dict.fromkeys(parts) if len(part) >= _MIN_NAME_LENGTH]


def _places(name: str, snapshot: Snapshot) -> list[str]:
    """Return the paths of the definitions of a name in the project's own code."""
    return [one.path for one in snapshot.code.named(name) if _APART.isdisjoint(path_traits(one.path))]
