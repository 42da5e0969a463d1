"""What a question reads: the work tree, with other branches or repositories if wanted, or a past commit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from muninn_core import git
from muninn_core.errors import BadParams
from muninn_core.federation.searched_repositories import NO_REPOSITORIES, SearchedRepositories
from muninn_core.index.embedding.embed import Embedder
from muninn_core.index.embedding.vocabulary import is_common
from muninn_core.index.snapshot import Snapshot
from muninn_core.launch.repository_location import RepositoryLocation
from muninn_core.model.answer import Hit, IndexState, ReadState
from muninn_core.model.byline import writer
from muninn_core.model.chunk import SOURCE_KINDS, SourceKind
from muninn_core.model.counting import number_of
from muninn_core.model.memory import SHORT_ID, Memory
from muninn_core.model.value import replace
from muninn_core.protocol.families.inspection import MemoriesParams
from muninn_core.protocol.families.search import ContextParams, RecallParams
from muninn_core.retrieval.decay import is_recallable
from muninn_core.retrieval.reader import Reader
from muninn_core.source.files.classify import classify
from muninn_core.source.files.path_containment import can_name_file
from muninn_core.source.identifiers import stem
from muninn_core.source.listing.ignore import ALWAYS_INDEXED, IGNORE_FILE, NEVER_INDEXED, IgnoreTree
from muninn_core.store.folding.fold import Dispute
from muninn_core.worktree.history.branches import WorkStates
from muninn_core.worktree.history.first_authors import FirstAuthors
from muninn_core.worktree.history.revisions import MemoryAtCommit, Revisions
from muninn_core.worktree.indexing.auxiliary_index import JoinedReader
from muninn_core.worktree.indexing.index_updater import IndexUpdater
from muninn_core.worktree.knowledge.documents import SteeringDocuments
from muninn_core.worktree.knowledge.origins import Origins
from muninn_core.worktree.workspace import Workspace

OPEN_SECONDS = 30.0
"""The longest wait for an index that is being opened."""

FIRST_SECONDS = 3.0
"""The longest wait of a question while a repository is indexed for the first time, until all files are found by their
words. Most are indexed in less; in a large one the answer covers what is indexed by then.
"""

FRESH_SECONDS = 15.0
"""The longest wait until earlier memories are searchable: usually milliseconds, more after the index was opened. After
it the answer reports the lag.
"""

Question = RecallParams | ContextParams | MemoriesParams


class SearchContext(NamedTuple):
    """The index, embedder, memories and documents of a question, the kinds to search, its time, and what it saw.

    `own` is the index of this repository alone, `others` are the other repositories.
    """

    reader: Reader
    embedder: Embedder
    memories: Mapping[str, Memory]
    documents: SteeringDocuments
    kinds: tuple[SourceKind, ...]
    now: datetime
    saw: ReadState
    own: Snapshot
    others: SearchedRepositories = NO_REPOSITORIES

    def is_word(self, word: str) -> bool:
        """Whether a lower-case word is in the dictionary or in the index of another repository."""
        return is_common(word) or (bool(self.others) and self.reader.frequency(stem(word)) > 0)


def search_context(
    workspace: Workspace,
    params: RecallParams | ContextParams,
    now: datetime,
    others: SearchedRepositories = NO_REPOSITORIES,
) -> SearchContext:
    """Return what a question reads; `others` are the repositories that `params.repos` names.

    Raises what `memories_of` raises.
    """
    _check_others(params)
    if params.at is not None:
        return _past(workspace, params, params.at)
    workspace.updater.wait_open(OPEN_SECONDS)
    if workspace.updater.is_first:
        workspace.updater.wait_first(FIRST_SECONDS)
    workspace.memory.publish_visible()
    workspace.updater.wait_memories(FRESH_SECONDS)
    index = workspace.updater.wait_open(OPEN_SECONDS)  # a damaged one was replaced in the meantime
    snapshot, embedder = index.snapshot(), workspace.embedder(index)
    memories, saw = memories_of(workspace, params)
    lacking = snapshot.unencoded_count if workspace.encoder is not None else 0
    saw = replace(saw, index=replace(saw.index, generation=snapshot.generation, unencoded=lacking))
    reader: Reader = snapshot
    if params.branches:
        elsewhere = [memory for memory in memories.values() if memory.elsewhere and is_recallable(memory, now)]
        key = tuple((memory.id, memory.updated, memory.text) for memory in elsewhere)
        ids = frozenset(memory.id for memory in elsewhere)
        reader = JoinedReader(snapshot, workspace.branch_index.snapshot(key, elsewhere)[0], ids)
    if others:
        others = others.without(memories)
        reader, memories = others.reader(snapshot), others.memories(memories)
    saw = others.noted(saw)
    library = workspace.documents.read()
    return SearchContext(reader, embedder, memories, library, SOURCE_KINDS, now, saw, snapshot, others)


def memories_of(workspace: Workspace, params: Question) -> tuple[Mapping[str, Memory], ReadState]:
    """Return the memories that a question reads, and what it saw.

    Raises BadParams for two of `at`, `branches` and `repos`, NotFoundError for an unknown revision or one without
    memory, GitError without git.
    """
    _check_others(params)
    if params.at is not None:
        moment = _moment(workspace.revisions, params, params.at)
        return moment.state.memories, _past_read_state(moment, params.at)
    state = workspace.memory.log.state
    saw = workspace.read_state(state=state)
    known = workspace.memory.all(state)
    if not params.branches:
        return known, saw
    elsewhere = workspace.other_branches.memories(workspace.memory.log)
    return {**known, **elsewhere}, replace(
        saw, note=_branches_note(workspace.location, workspace.revisions, len(elsewhere))
    )


def _check_others(params: Question) -> None:
    """Raise BadParams when other repositories are searched at a revision or other branches."""
    if params.repos and (params.at is not None or params.branches):
        other = "at" if params.at is not None else "branches"
        raise BadParams(
            f"'repos' and '{other}' exclude each other", hint="Other repositories are read as they are checked out."
        )


def with_work_and_origin(
    origins: Origins,
    work_states: WorkStates,
    hits: tuple[Hit, ...],
    memories: Mapping[str, Memory],
    commit: str | None = None,
) -> tuple[Hit, ...]:
    """Return the hits with the work state of memories, and the origin of files from packs, which become untrusted.

    Memories of other repositories have no work state here. `commit` is the past commit that the question names, None
    for the work tree.
    """
    found = {hit.id: memories[hit.id] for hit in hits if hit.kind == "memory" and not hit.repository}
    works = {memory.id: memory.work for memory in work_states.label(found.values())} if found else {}
    paths = dict.fromkeys([hit.path for hit in hits if hit.kind != "memory"])
    from_packs = {path: origin for path in paths if (origin := origins.origin_of(path, commit))}
    labelled = []
    for hit in hits:
        if works.get(hit.id):
            hit = replace(hit, work=works[hit.id])
        if hit.kind != "memory" and hit.path in from_packs:
            hit = replace(hit, origin=from_packs[hit.path], trust="outside")
        labelled.append(hit)
    return tuple(labelled)


def with_authors(first_authors: FirstAuthors, hits: Sequence[Hit], memories: Mapping[str, Memory]) -> tuple[Hit, ...]:
    """Return the hits. Memories without an author have that of the commit that first added them."""
    own = {hit.id: memories[hit.id] for hit in hits if hit.kind == "memory" and not hit.repository}
    wrote = {each.id: writer(each.author, each.actor, each.agent) for each in first_authors.label(own.values())}
    return tuple(
        replace(hit, author=wrote[hit.id]) if wrote.get(hit.id, hit.author) != hit.author else hit for hit in hits
    )


def with_disputes(hits: tuple[Hit, ...], disputes: Iterable[Dispute]) -> tuple[Hit, ...]:
    """Return the hits. The status of a hit in an open conflict names the memories that it contradicts."""
    against: dict[str, list[str]] = {}
    for dispute in disputes:
        against.setdefault(dispute.left, []).append(dispute.right)
        against.setdefault(dispute.right, []).append(dispute.left)
    return tuple(
        replace(hit, status=f"contradicts {', '.join(each[-SHORT_ID:] for each in sorted(against[hit.id]))}, undecided")
        if hit.kind == "memory" and hit.id in against
        else hit
        for hit in hits
    )


def _branches_note(location: RepositoryLocation, revisions: Revisions, count: int) -> str:
    shallow = location.git_dir and git.is_shallow(revisions.root)
    only = " This clone is shallow: it may not have every branch." if shallow else ""
    counted = number_of(count, "memory is", "memories are") if count else "no memories are"
    return f"{counted} on other branches only.{only}"


def _moment(revisions: Revisions, params: Question, rev: str) -> MemoryAtCommit:
    if params.branches:
        raise BadParams(
            "'at' and 'branches' exclude each other", hint="A revision has no other branches; leave one of them out."
        )
    return revisions.at(rev)


def _past_read_state(moment: MemoryAtCommit, rev: str) -> ReadState:
    note = f"As of {rev} ({moment.commit[:12]})."
    return ReadState(commit=moment.commit, log=len(moment.records), note=note)


def _past(workspace: Workspace, params: RecallParams | ContextParams, rev: str) -> SearchContext:
    if isinstance(params, RecallParams) and params.kind == "code":
        raise BadParams(
            f"code is not searched as of '{rev}': only memory and knowledge are",
            hint="`git worktree add DIR REV` gives a folder in which Muninn finds the code of a revision.",
        )
    moment = _moment(workspace.revisions, params, rev)
    settings = workspace.updater.settings
    recallable = [memory for memory in moment.state.memories.values() if is_recallable(memory, moment.time)]
    snapshot, embedder = workspace.revision_index.snapshot(
        (moment.commit, settings),
        recallable,
        lambda: _knowledge(workspace.updater, workspace.location, moment.commit),
        lambda oids: git.read_blobs(workspace.revisions.root, oids),
        settings.max_file_bytes,
    )
    note = f"As of {rev} ({moment.commit[:12]}): memory and knowledge of that commit; code is not searched there."
    lacking = snapshot.unencoded_count if workspace.encoder is not None else 0
    state = IndexState(generation=snapshot.generation, unencoded=lacking)
    saw = replace(_past_read_state(moment, rev), index=state, note=note)
    library = workspace.documents.read()
    memories = moment.state.memories
    return SearchContext(snapshot, embedder, memories, library, ("knowledge", "memory"), moment.time, saw, snapshot)


def _knowledge(updater: IndexUpdater, location: RepositoryLocation, commit: str) -> dict[str, str]:
    """Return {path: blob id} of a commit's knowledge, by the work tree's ignore rules."""
    root, settings = Path(location.root), updater.settings
    ignore = IgnoreTree(root, (IGNORE_FILE,), settings.exclude)
    found = {}
    for entry in git.list_tree(root, commit):
        path = entry.path
        if entry.mode == "120000" or entry.size > settings.max_file_bytes or classify(path)[0] != "knowledge":
            continue
        own = path.startswith(tuple(f"{folder}/" for folder in ALWAYS_INDEXED))
        internal = path.startswith(tuple(f"{folder}/" for folder in NEVER_INDEXED)) and not own
        # A tree that was made with `git hash-object --literally` may name any path, even an absolute one.
        if not path.isprintable() or not can_name_file(path) or internal:
            continue
        if own or not (ignore.is_ignored(path) or ignore.is_excluded(path)):
            found[path] = entry.oid
    return found
