"""Memory of other tools in an open work tree: which of their files are indexed, the external folder, and their status.

The external folder is not watched. Each question compares the sizes and times of its files.
"""

from __future__ import annotations

import os
import re
import stat
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from muninn_core.config import BridgesConfig, Config, IndexConfig
from muninn_core.index.snapshot import Snapshot
from muninn_core.launch.repository_location import RepositoryLocation
from muninn_core.model.value import replace
from muninn_core.protocol.families.inspection import Mention
from muninn_core.protocol.families.repository import BridgeStatus, Problem
from muninn_core.source.bridges.bridge import (
    BRIDGES,
    CLAUDE_MEMORY,
    Bridge,
    bridge_of,
    disabled_patterns,
    origin_of,
)
from muninn_core.source.bridges.rule_scope import RuleScope, has_scope, rule_scope
from muninn_core.source.listing.walk import FileStamp

MAX_OUTSIDE = 500
"""How many files of the external folder are read."""

MAX_MENTIONS = 5
"""How many mentions of one file are returned."""

MAX_RULES = 8
"""How many instruction files that apply to one file are returned."""

_NAMED = re.compile(r"[\w@+-][\w@+./-]*\.\w+")


def indexing(config: Config) -> IndexConfig:
    """Return the settings of the index, without the files of bridges that are switched off."""
    off = [name for name in BridgesConfig.__struct_fields__ if getattr(config.bridges, name) is False]
    return replace(config.index, exclude=(*disabled_patterns(off), *config.index.exclude)) if off else config.index


class ExternalFolder:
    """The folder outside the work tree that holds Claude Code's memory of it. `home` is the user's home."""

    def __init__(
        self, location: RepositoryLocation, home: Path | None, config: Callable[[], Config], most: Callable[[], int]
    ) -> None:
        self._location = location
        self._home = home
        self._config = config
        self._most = most
        self._looking = threading.Lock()
        self._seen = self.file_stamps()

    @property
    def folder(self) -> Path | None:
        """The folder; None when the bridge is off, the folder does not exist, or the home is unknown."""
        wanted = self._config().bridges.claude_memory
        if wanted == "off":
            return None
        if wanted != "auto":
            if wanted.startswith("~"):
                return self._home / wanted[2:] if self._home else None
            return Path(wanted)
        if self._home is None:
            return None
        projects = self._home / ".claude" / "projects"
        candidates = [projects / name / "memory" for name in self._names()]
        return next((folder for folder in candidates if folder.is_dir()), None)

    def _names(self) -> list[str]:
        """Return the folder names that Claude Code may use for this repository and for its main work tree."""
        roots = [self._location.root]
        if os.path.basename(self._location.identity) == ".git":  # noqa: PTH119 (a path of this system, as it is told)
            roots.append(os.path.dirname(self._location.identity))  # noqa: PTH120
        return [re.sub(r"[^A-Za-z0-9]", "-", root) for root in dict.fromkeys(roots)]

    def file_stamps(self) -> tuple[FileStamp, ...]:
        """Return the files to index, by absolute path. Links are not followed."""
        folder = self.folder
        if folder is None:
            return ()
        found = []
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    path = f"{folder.as_posix()}/{entry.name}"
                    if bridge_of(path) is CLAUDE_MEMORY:
                        status = entry.stat(follow_symlinks=False)
                        if stat.S_ISREG(status.st_mode) and status.st_size <= self._most():
                            found.append(FileStamp(path, status.st_size, status.st_mtime_ns))
        except OSError:
            return ()  # not there (any more): `problem` says so
        return tuple(sorted(found, key=lambda one: one.path)[:MAX_OUTSIDE])

    def changed_files(self) -> set[str]:
        """Return the paths that were added, removed or changed since the last call."""
        if self._config().bridges.claude_memory == "off" and not self._seen:
            return set()
        with self._looking:
            before, self._seen = self._seen, self.file_stamps()
            return {one.path for one in set(before) ^ set(self._seen)}

    def problem(self) -> Problem | None:
        """Return a problem when a configured folder does not exist, else None."""
        wanted = self._config().bridges.claude_memory
        if wanted in ("off", "auto"):
            return None
        folder = self.folder
        if folder is not None and folder.is_dir():
            return None
        hint = "Name it as Claude Code does, or write `claude_memory: auto` or `off`."
        return Problem(kind="bridges", message=f"there is no folder {folder or wanted}", hint=hint)


_Rules = tuple[tuple[RuleScope, Mention], ...]
"""The instruction files that apply to some files only."""


class BridgeCounts:
    """How many files of other tools are indexed, computed once per generation of the index."""

    def __init__(self) -> None:
        self._counted: tuple[int, dict[str, int]] = (-1, {})
        self._mentioned: tuple[int, _Rules, dict[str, tuple[Mention, ...]]] = (-1, (), {})

    def counts(self, snapshot: Snapshot) -> dict[str, int]:
        """Return the number of indexed files per bridge key."""
        if self._counted[0] != snapshot.generation:
            bridges = (bridge_of(path) for path, row in snapshot.files().items() if row.kind == "knowledge")
            self._counted = (snapshot.generation, dict(Counter(bridge.key for bridge in bridges if bridge)))
        return self._counted[1]

    def mentions(self, snapshot: Snapshot, file: str) -> tuple[Mention, ...]:
        """Return the instruction files that apply to a file, and where other tools' memory names it by its path.

        Instructions for all files are left out.
        """
        mentioned = self._mentioned
        if mentioned[0] != snapshot.generation:
            paths = sorted(path for path, row in snapshot.files().items() if row.kind == "knowledge")
            known = [(path, bridge) for path in paths if (bridge := bridge_of(path)) is not None]
            mentioned = (snapshot.generation, _scoped_rules(snapshot, known), _mentioned(snapshot, known))
            self._mentioned = mentioned
        rules = [mention for scope, mention in mentioned[1] if mention.path != file and scope.applies_to_part(file)]
        applied = {rule.path for rule in rules}
        others = [mention for mention in mentioned[2].get(file, ()) if mention.path not in applied]
        return (*rules[:MAX_RULES], *others[: max(0, MAX_MENTIONS - len(rules))])


def _mentioned(snapshot: Snapshot, known: Sequence[tuple[str, Bridge]]) -> dict[str, tuple[Mention, ...]]:
    rows = snapshot.files()
    found: dict[str, dict[str, Mention]] = {}
    for path, bridge in known:
        for chunk in snapshot.chunks_of(path).values():
            mention = _mention(path, bridge, chunk.start, chunk.end, chunk.title)
            for name in set(_NAMED.findall(chunk.text)):
                name = name.removeprefix("./")
                if name in rows and name != path:
                    found.setdefault(name, {}).setdefault(path, mention)
    return {name: tuple(mentions.values()) for name, mentions in found.items()}


def _mention(path: str, bridge: Bridge, start: int, end: int, title: str) -> Mention:
    return Mention(origin=origin_of(path), trust=bridge.trust, path=path, start_line=start, end_line=end, title=title)


def _scoped_rules(snapshot: Snapshot, known: Sequence[tuple[str, Bridge]]) -> _Rules:
    """Return the instruction files that apply to some files only, in the order of `_nearest_first`."""
    found = []
    for path, bridge in known:
        if not has_scope(bridge) or not (chunks := list(snapshot.chunks_of(path).values())):
            continue
        scope = rule_scope(path, "".join(chunk.text for chunk in chunks))
        if scope is not None and scope.is_partial:
            found.append((scope, _mention(path, bridge, chunks[0].start, chunks[-1].end, chunks[0].title)))
    return tuple(sorted(found, key=_nearest_first))


def _nearest_first(rule: tuple[RuleScope, Mention]) -> tuple[int, bool, str]:
    """Order instructions: those of inner folders first, of a folder those with patterns first."""
    scope, mention = rule
    return (-len(Path(scope.folder).parts), not scope.matches, mention.path)


def statuses(config: Config, outside: ExternalFolder, counts: dict[str, int]) -> tuple[BridgeStatus, ...]:
    """Return each bridge with its switch and the number of its files in the index."""
    folder = outside.folder
    return tuple(
        BridgeStatus(
            name=bridge.key,
            title=bridge.title,
            on=getattr(config.bridges, bridge.key) not in (False, "off"),
            files=counts.get(bridge.key, 0),
            trust=bridge.trust,
            folder=folder.as_posix() if bridge is CLAUDE_MEMORY and folder else "",
        )
        for bridge in BRIDGES
    )
