"""The other repositories that a query searches, open for reading until it is answered."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from muninn_core.federation.dependents import Dependencies, IndexedDependencies
from muninn_core.federation.reader import JoinedRepositories, Part
from muninn_core.federation.remote_index import RemoteSnapshot
from muninn_core.model.answer import AskedRepository, Hit, ReadState
from muninn_core.model.value import replace
from muninn_core.retrieval.results.ranking import no_citations
from muninn_core.source.files.qualified import shown, split

if TYPE_CHECKING:
    from muninn_core.federation.member import Member
    from muninn_core.federation.organisation import RemoteRepository
    from muninn_core.index.manifest.reader import FileRow
    from muninn_core.index.snapshot import Snapshot
    from muninn_core.model.citation import Citation
    from muninn_core.model.memory import Memory

Judge = Callable[["Memory"], Sequence["Citation"]]


class SearchedRepositories:
    """The other repositories of a query, and the parts of those that could be read."""

    def __init__(
        self,
        members: Sequence[Member | RemoteRepository] = (),
        parts: Sequence[Part] = (),
        skipped: Sequence[AskedRepository] = (),
        more: int = 0,
        note: str = "",
    ) -> None:
        """`more` counts the results of a list that an organisation's server left out, and `note` says what it lacks."""
        self.parts = parts
        self.more = more
        self._note = note
        self._members = {member.listed.name: member for member in members}
        self._judges: dict[str, Judge] = {}
        self._skipped = skipped

    def __bool__(self) -> bool:
        """Whether any other repository is read."""
        return bool(self.parts)

    @property
    def repositories(self) -> tuple[AskedRepository, ...]:
        """The state of each repository, by name; that of a skipped one is the reason."""
        read = [
            AskedRepository(
                name=part.name,
                path=member.listed.path,
                commit=head.commit,
                branch=head.branch,
                generation=part.snapshot.generation,
            )
            for part in self.parts
            for member in (self._members[part.name],)
            for head in (member.head(),)
        ]
        return tuple(sorted([*read, *self._skipped], key=lambda each: each.name))

    def noted(self, saw: ReadState) -> ReadState:
        """Return a state whose note says what was skipped, is not indexed whole, or was searched by words only."""
        skipped = (f"{each.name} was not read: {each.skipped}. {each.hint}".rstrip() for each in self._skipped)
        words = (
            f"{part.name} was searched by words only: its index was made with another model."
            for part in self.parts
            if not part.meaning
        )
        first = (
            f"{part.name} is not indexed whole yet: `muninn --repo {self.root(part.name)} index --wait` waits for it."
            for part in self.parts
            if part.unfinished
        )
        return replace(saw, note=" ".join(filter(None, (saw.note, *skipped, *first, *words, self._note))))

    def root(self, name: str) -> Path:
        """Return the root of a repository that is read."""
        return Path(self._members[name].listed.path)

    def dependencies(self) -> dict[str, Dependencies]:
        """Return what each repository that is read imports, declares and publishes, by name."""
        return {
            part.name: part.snapshot.dependencies
            if isinstance(part.snapshot, RemoteSnapshot)
            else IndexedDependencies(part.snapshot, self.root(part.name))
            for part in self.parts
        }

    def reader(self, own: Snapshot) -> JoinedRepositories:
        """Return the reader of this repository's snapshot and the others."""
        return JoinedRepositories([Part("", own, None), *self.parts])

    def without(self, own: Mapping[str, Memory]) -> SearchedRepositories:
        """Return the same without the memories that this repository has: clones share their memories."""
        parts = [
            part._replace(memories={key: each for key, each in (part.memories or {}).items() if key not in own})
            for part in self.parts
        ]
        return SearchedRepositories(list(self._members.values()), parts, self._skipped, self.more, self._note)

    def closed(self) -> SearchedRepositories:
        """Return what further pages of the answer need: the repositories without their indexes."""
        return SearchedRepositories(list(self._members.values()))

    def memories(self, own: Mapping[str, Memory]) -> Mapping[str, Memory]:
        """Return the memories of this repository and those of the others."""
        if not self.parts:
            return own
        return ChainMap(dict(own), *(dict(part.memories or {}) for part in self.parts))

    def judging(self, own: Judge) -> Judge:
        """Return a function that judges the citations of a memory in the work tree of its repository."""
        return lambda memory: self._judge(memory.repository)(memory) if memory.repository else own(memory)

    def judge_all(self, memories: Iterable[Memory]) -> dict[str, tuple[Citation, ...]]:
        """Return the citations of the memories of other repositories that have any, by id."""
        found = {each.id: tuple(self._judge(each.repository)(each)) for each in memories if each.repository}
        return {identity: citations for identity, citations in found.items() if citations}

    def _judge(self, name: str) -> Judge:
        if name not in self._judges:
            member = self._members.get(name)
            self._judges[name] = member.citations.checker().judge if member is not None else no_citations
        return self._judges[name]

    def outdated(self, hits: Iterable[Hit]) -> tuple[str, ...]:
        """Return a sentence for each repository of which shown files have changed since they were indexed."""
        shown: dict[str, set[str]] = {}
        for hit in hits:
            if hit.repository and hit.kind != "memory":
                shown.setdefault(hit.repository, set()).add(hit.path)
        found = []
        for part in self.parts:
            root = self.root(part.name)
            changed = sorted(path for path in shown.get(part.name, ()) if _changed(part.snapshot.file(path), root))
            if changed:
                found.append(
                    f"{part.name}: {', '.join(changed)} changed after it was indexed; `muninn --repo {root} index` "
                    "updates the index"
                )
        return tuple(found)

    def labelled(self, hit: Hit) -> Hit:
        """Return a hit of a file with its repository; one from a pack there is from outside. Its path stays."""
        name, path = split(hit.path)
        if not name:
            return hit
        member = self._members.get(name)  # none on a further page with a repository of the organisation
        origin = member.origins.origin_of(path) if member is not None else ""
        hit = replace(hit, repository=name, id=f"{shown(hit.path)}:{hit.start_line}-{hit.end_line}")
        return replace(hit, origin=origin, trust="outside") if origin else hit

    def localised(self, hit: Hit) -> Hit:
        """Return a hit with its repository, and with the path in it."""
        name, path = split(hit.path)
        return replace(self.labelled(hit), path=path) if name else hit


def _changed(row: FileRow | None, root: Path) -> bool:
    """Whether a file is not as it was indexed."""
    if row is None:
        return False
    try:
        status = (root / row.path).stat()
    except OSError:
        return True
    return (status.st_size, status.st_mtime_ns) != (row.size, row.mtime_ns)


NO_REPOSITORIES = SearchedRepositories()
"""A query of this repository alone."""
