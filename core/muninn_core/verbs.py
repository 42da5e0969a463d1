"""Every verb of the catalogue as a typed method. Made by scripts/api.py from muninn_core.protocol; do not edit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, cast

if TYPE_CHECKING:
    from muninn_core.model.memory import Cite, Link
    from muninn_core.model.value import Value
    from muninn_core.protocol.code import GraphResult, OutlineResult, SymbolsResult
    from muninn_core.protocol.context_file import RenderResult, TemplateListResult, TemplateNewResult
    from muninn_core.protocol.editor import AboutResult, AnnotateResult, DocumentResult, DraftResult
    from muninn_core.protocol.exchange import (
        ExportResult,
        ImportResult,
        PackAddResult,
        PackExportResult,
        PackListResult,
        PackRemoveResult,
        PackUpdateResult,
    )
    from muninn_core.protocol.inspection import (
        HistoryResult,
        LinksResult,
        MemoriesResult,
        OverviewResult,
        SessionsResult,
        ShowResult,
    )
    from muninn_core.protocol.memory import (
        ConsolidateResult,
        ForgetResult,
        MemoryDraft,
        PromoteResult,
        RememberResult,
        UpdateResult,
    )
    from muninn_core.protocol.privacy import PurgeResult, RedactResult
    from muninn_core.protocol.reconciliation import (
        ConflictsResult,
        PruneResult,
        ReconcileResult,
        ResolveResult,
        SealResult,
        UndoResult,
    )
    from muninn_core.protocol.reference import BacklinksResult, LintResult, NamesResult, ReferencesResult, RelinkResult
    from muninn_core.protocol.repository import IndexResult, InitResult, StatusResult
    from muninn_core.protocol.review import CheckResult, ConfirmResult, DiffResult, ReviewResult, VerifyResult
    from muninn_core.protocol.search import ContextResult, RecallResult, ReplayResult, WhyResult
    from muninn_core.protocol.session import BackfillResult, BriefResult, CaptureResult, RemindResult
    from muninn_core.protocol.skill import SkillsListResult, SkillsMatchResult


class Verbs:
    """The methods; whoever inherits them says how a verb is run."""

    def call(self, verb: str, **params: Any) -> Value:
        """Run a verb of the catalogue with plain parameters and return its result. Raises MuninnError."""
        raise NotImplementedError

    def recall(
        self,
        query: str = "",
        *,
        limit: int = 10,
        kind: Literal["code", "knowledge", "memory"] | None = None,
        type: Sequence[str] = (),
        tag: Sequence[str] = (),
        path: Sequence[str] = (),
        lang: Sequence[str] = (),
        phrase: Sequence[str] = (),
        author: Sequence[str] = (),
        min_importance: int = 0,
        since: str | None = None,
        until: str | None = None,
        branch: Sequence[str] = (),
        from_session: Sequence[str] = (),
        task: str | None = None,
        like: str | None = None,
        at_hand: Sequence[str] = (),
        by_file: bool = False,
        page: str | None = None,
        profile: Literal["muninn", "mnemosyne"] | None = None,
        depth: int = 2,
        plain: bool = False,
        scope: Literal["project", "session", "global"] | None = None,
        session: str | None = None,
        at: str | None = None,
        branches: bool = False,
    ) -> RecallResult:
        """Find code, knowledge and memories for a question, each with the reasons for its rank.

        `query`: Words, identifiers or a sentence; also "exact phrase" and filters: type:decision tag:auth path:src/**
            lang:python kind:code author:user importance:>=7 since:2w until:2026-01-31 session:ID task:ID branch:NAME
            at:REV; -KEY:VALUE excludes.
        `limit`: The most hits to return.
        `kind`: Only code, only knowledge or only memories.
        `type`: Only memories of these types.
        `tag`: Only memories with any of these tags.
        `path`: Only files that match any of these globs, as in .gitignore, and memories about them.
        `lang`: Only files in these languages: python, ts, go.
        `phrase`: Only results that contain these exact phrases.
        `author`: Only memories by these authors: user, assistant, tool, an agent's name.
        `min_importance`: Only memories of this importance or more; 0 admits all.
        `since`: Only memories changed since then: 12h, 3d, 2w, 2026-01-31.
        `until`: Only memories last changed before then: 2w, 2026-01-31.
        `branch`: Only memories made on these branches (globs).
        `from_session`: Only memories of these sessions.
        `task`: Only memories of this task, and its document; T-0042 finds MUNI-T-0042.
        `like`: Find results similar to this: FILE:LINE or a memory's id. Words in `query` count as well.
        `at_hand`: Files in use: files that changed together with them or are next to them rank higher.
        `by_file`: Return one hit per file: its best place, and how many of its chunks matched.
        `page`: The next page of an earlier answer: its `next`.
        `profile`: The ranking. muninn ranks everything; mnemosyne finds memories only, by words and links. Without it
            the configuration decides for questions about memories.
        `depth`: For the profile mnemosyne: how many links to follow from the matches.
        `plain`: Read the query as words only, without filters and phrases.
        `scope`: session: this session's notes only; project: project and global memory; global: all memory, including
            notes of other sessions. Without it: this session's notes, project and global memory.
        `session`: The working session of the call: letters, digits, '.', '_' and '-'.
        `at`: Answer from git's objects as of this commit, branch or tag.
        `branches`: Include memories that exist on other branches only, labelled with the branch names.
        """
        return cast(
            "RecallResult",
            self.call(
                "recall",
                query=query,
                limit=limit,
                kind=kind,
                type=type,
                tag=tag,
                path=path,
                lang=lang,
                phrase=phrase,
                author=author,
                min_importance=min_importance,
                since=since,
                until=until,
                branch=branch,
                from_session=from_session,
                task=task,
                like=like,
                at_hand=at_hand,
                by_file=by_file,
                page=page,
                profile=profile,
                depth=depth,
                plain=plain,
                scope=scope,
                session=session,
                at=at,
                branches=branches,
            ),
        )

    def context(
        self,
        query: str = "",
        *,
        budget: int = 4000,
        files: Sequence[str] = (),
        cursor: str | None = None,
        diff: str | None = None,
        open_files: Sequence[str] = (),
        task: str | None = None,
        scope: Literal["project", "session", "global"] | None = None,
        session: str | None = None,
        at: str | None = None,
        branches: bool = False,
        format: Literal["markdown", "json", "xml"] = "markdown",
        skills: bool = False,
    ) -> ContextResult:
        """Return a pack of what a task needs, within a token budget.

        `query`: The task or question. Without it, it is derived from the other parameters.
        `budget`: The token budget of the whole pack.
        `files`: Files in use; memories about them rank higher.
        `cursor`: The cursor: FILE:LINE or FILE:LINE:COL. The code around it comes first.
        `diff`: The current changes: a revision such as HEAD compares the work tree with it; A..B compares two
            revisions; or a patch in the format of `git diff`.
        `open_files`: Files open in the editor, the last used first.
        `task`: A task's id; its document and memories come first.
        `scope`: session: this session's notes only; project: project and global memory; global: all memory, including
            notes of other sessions. Without it: this session's notes, project and global memory.
        `session`: The working session of the call: letters, digits, '.', '_' and '-'.
        `at`: Answer from git's objects as of this commit, branch or tag.
        `branches`: Include memories that exist on other branches only, labelled with the branch names.
        `format`: The format of `text`; the items are the same in all formats.
        `skills`: Include matching skills, in at most 30 % of the budget.
        """
        return cast(
            "ContextResult",
            self.call(
                "context",
                query=query,
                budget=budget,
                files=files,
                cursor=cursor,
                diff=diff,
                open_files=open_files,
                task=task,
                scope=scope,
                session=session,
                at=at,
                branches=branches,
                format=format,
                skills=skills,
            ),
        )

    def why(self, bundle: str, *, item: str | None = None) -> WhyResult:
        """Explain what a context contains: inputs, the signals of each item, and what was left out.

        `bundle`: The `bundle` of an answer of `context`, or an unambiguous prefix of it.
        `item`: Only this item, included or left out: its id, a path, or a prefix of either.
        """
        return cast("WhyResult", self.call("why", bundle=bundle, item=item))

    def replay(self, bundle: str, *, fresh: bool = False) -> ReplayResult:
        """Return a context again, byte for byte, or gather it again and report the differences.

        `bundle`: The `bundle` of an answer of `context`, or an unambiguous prefix of it.
        `fresh`: Gather it again from the same parameters, and report the differences.
        """
        return cast("ReplayResult", self.call("replay", bundle=bundle, fresh=fresh))

    def symbols(
        self,
        query: str,
        *,
        kind: str | None = None,
        language: str | None = None,
        path: str | None = None,
        limit: int = 20,
    ) -> SymbolsResult:
        """Find classes, functions and other definitions by name.

        `query`: A name, its beginning, its capitals (`gUN` for getUserName), a part of it, or `Class.method`.
        `kind`: Only definitions of this kind: class, function, method, constant …
        `language`: Only in files of this language: python, typescript, go …
        `path`: Only in this folder, or in files that match this pattern: `src/*.py`.
        `limit`: The most definitions to return.
        """
        return cast(
            "SymbolsResult",
            self.call(
                "symbols",
                query=query,
                kind=kind,
                language=language,
                path=path,
                limit=limit,
            ),
        )

    def outline(self, path: str) -> OutlineResult:
        """Show the definitions of a file as a tree, with signatures and comments.

        `path`: A file, relative to the root.
        """
        return cast("OutlineResult", self.call("outline", path=path))

    def graph(self, start: str, relation: str = "neighbours", *, depth: int = 1, limit: int = 50) -> GraphResult:
        """Show what a file or definition imports and calls, and what imports, calls and tests it.

        `start`: A file, a definition (`name`, `Class.method`), or a definition in a file: `path#Class.method`.
        `relation`: The relation to follow: definitions, imports, importers, callers, callees, tests, or neighbours (all
            except definitions).
        `depth`: How many steps to follow.
        `limit`: The most edges to return.
        """
        return cast("GraphResult", self.call("graph", start=start, relation=relation, depth=depth, limit=limit))

    def skills_match(self, task: str, *, budget: int = 20000) -> SkillsMatchResult:
        """Find the skills that match a task: at most seven, within 30 % of a context's budget.

        `task`: The task, in a sentence.
        `budget`: The token budget of the whole context; skills take at most 30 % of it.
        """
        return cast("SkillsMatchResult", self.call("skills.match", task=task, budget=budget))

    def skills_list(self, *, problems: bool = False) -> SkillsListResult:
        """List the skills of this repository and of your home, with their problems.

        `problems`: Only skills with problems.
        """
        return cast("SkillsListResult", self.call("skills.list", problems=problems))

    def memories(
        self,
        *,
        id: str | None = None,
        type: str | None = None,
        tag: str | None = None,
        file: str | None = None,
        session: str | None = None,
        task: str | None = None,
        scope: Literal["project", "session", "global"] | None = None,
        text: str | None = None,
        min_importance: int = 0,
        since: str | None = None,
        order: Literal["newest", "importance"] = "newest",
        archived: bool = False,
        pending: bool = False,
        limit: int = 50,
        offset: int = 0,
        at: str | None = None,
        branches: bool = False,
    ) -> MemoriesResult:
        """List memories by type, tag, file, task, session, text or time.

        `id`: One memory, by its id or an unambiguous prefix of it.
        `type`: Only memories of this type.
        `tag`: Only memories with this tag.
        `file`: Only memories about this file, including its former names.
        `session`: The working session of the call: letters, digits, '.', '_' and '-'.
        `task`: Only memories of this task; T-0042 finds MUNI-T-0042.
        `scope`: Only memories of this scope; session shows the notes of every session.
        `text`: Only memories whose text or title contains this; case does not matter.
        `min_importance`: Only memories of this importance or more; 0 admits all.
        `since`: Only memories changed since then: 12h, 3d, 2w, 2026-01-31.
        `order`: The order; among equals the newer comes first.
        `archived`: Include archived, superseded, merged, rejected and expired memories.
        `pending`: Only memories that wait for approval.
        `limit`: The most memories to return.
        `offset`: How many results to skip.
        `at`: Answer from git's objects as of this commit, branch or tag.
        `branches`: Include memories that exist on other branches only, labelled with the branch names.
        """
        return cast(
            "MemoriesResult",
            self.call(
                "memories",
                id=id,
                type=type,
                tag=tag,
                file=file,
                session=session,
                task=task,
                scope=scope,
                text=text,
                min_importance=min_importance,
                since=since,
                order=order,
                archived=archived,
                pending=pending,
                limit=limit,
                offset=offset,
                at=at,
                branches=branches,
            ),
        )

    def show(self, id: str) -> ShowResult:
        """Show one memory whole, with its citations as they stand and its links in both directions.

        `id`: The memory's id or an unambiguous prefix of it.
        """
        return cast("ShowResult", self.call("show", id=id))

    def history(self, id: str) -> HistoryResult:
        """List every record about a memory: author, time, commit, and what it changed.

        `id`: The memory's id or an unambiguous prefix of it.
        """
        return cast("HistoryResult", self.call("history", id=id))

    def links(
        self,
        id: str,
        *,
        depth: int = 2,
        relation: Sequence[str] = (),
        archived: bool = False,
        limit: int = 50,
        session: str | None = None,
    ) -> LinksResult:
        """Show the memories linked to a memory, up to a number of steps.

        `id`: The memory's id or an unambiguous prefix of it.
        `depth`: How many links to follow in a row.
        `relation`: Only links of these relations.
        `archived`: Follow links of archived, superseded and expired memories, too.
        `limit`: The most memories to return.
        `session`: The working session of the call: letters, digits, '.', '_' and '-'.
        """
        return cast(
            "LinksResult",
            self.call(
                "links",
                id=id,
                depth=depth,
                relation=relation,
                archived=archived,
                limit=limit,
                session=session,
            ),
        )

    def overview(
        self,
        *,
        days: int = 7,
        importance: int = 8,
        limit: int = 10,
        session: str | None = None,
    ) -> OverviewResult:
        """Summarise the project's memory: recent and important memories, their links, and counts.

        `days`: Memories changed within this many days are recent.
        `importance`: Memories of this importance or more are important.
        `limit`: The most memories in each list.
        `session`: The working session of the call: letters, digits, '.', '_' and '-'.
        """
        return cast(
            "OverviewResult",
            self.call(
                "overview",
                days=days,
                importance=importance,
                limit=limit,
                session=session,
            ),
        )

    def sessions(
        self,
        *,
        session: str | None = None,
        open: bool = False,
        limit: int = 50,
        offset: int = 0,
    ) -> SessionsResult:
        """List the sessions that stored memories: state, time, branch and author.

        `session`: The working session of the call: letters, digits, '.', '_' and '-'.
        `open`: Only sessions with records that are not sealed.
        `limit`: The most sessions to return.
        `offset`: How many results to skip.
        """
        return cast("SessionsResult", self.call("sessions", session=session, open=open, limit=limit, offset=offset))

    def remember(
        self,
        text: str = "",
        *,
        type: str = "insight",
        title: str = "",
        tags: Sequence[str] = (),
        files: Sequence[str] = (),
        entities: Sequence[str] = (),
        cites: Sequence[Cite | Mapping[str, Any]] = (),
        importance: int = 5,
        confidence: float = 0.8,
        links: Sequence[Link | Mapping[str, Any]] = (),
        pin: bool = False,
        private: bool = False,
        scope: Literal["project", "session", "global"] = "project",
        session: str | None = None,
        task: str | None = None,
        actor: Literal["user", "assistant", "tool", "hook", "import"] = "user",
        agent: str | None = None,
        trust: Literal["user", "commit", "agent", "outside"] | None = None,
        expires: str | None = None,
        details: Mapping[str, Any] | None = None,
        key: str | None = None,
        batch: Sequence[MemoryDraft | Mapping[str, Any]] = (),
    ) -> RememberResult:
        """Store a memory; it is on disk when the answer arrives.

        `text`: What to remember, in whole sentences.
        `type`: decision, attempt, bug_fix, constraint, configuration, insight, pattern, preference, reference, entity,
            context_hit, session_summary, or a kind from the configuration.
        `title`: A headline; made from the text when absent.
        `tags`: Tags to filter by.
        `files`: Files that it is about, relative to the root; `path:START-END` or `path#symbol` cites code.
        `entities`: Symbols, services or people that it is about.
        `cites`: Spans of code that support it.
        `importance`: 1 (trivia) to 10 (never forget).
        `confidence`: How certain it is, 0 to 1.
        `links`: Links to other memories by id: extends, contradicts, implements, references, supersedes.
        `pin`: Include it in every context pack.
        `private`: Keep it on this machine: it is never sealed and never in git.
        `scope`: project: for everyone who works here; session: a note for this session only; global: for this user in
            every project. Only project memories get into git.
        `session`: The working session of the call: letters, digits, '.', '_' and '-'.
        `task`: The task's id, as in .metis/tasks. Without it the current task; none when empty.
        `actor`: The author.
        `agent`: The calling program, with its version.
        `trust`: The trust level; follows from the actor when absent, and never exceeds it.
        `expires`: When to stop recalling it: 30d, 2026-12-31, or an RFC 3339 time.
        `details`: Fields of its kind: rationale, status, alternatives; command, exit_status.
        `key`: An idempotency key: memories with the same key are stored once.
        `batch`: Several memories instead of `text`; each is stored durably.
        """
        return cast(
            "RememberResult",
            self.call(
                "remember",
                text=text,
                type=type,
                title=title,
                tags=tags,
                files=files,
                entities=entities,
                cites=cites,
                importance=importance,
                confidence=confidence,
                links=links,
                pin=pin,
                private=private,
                scope=scope,
                session=session,
                task=task,
                actor=actor,
                agent=agent,
                trust=trust,
                expires=expires,
                details=details or {},
                key=key,
                batch=batch,
            ),
        )

    def update(
        self,
        id: str,
        *,
        text: str = "",
        title: str = "",
        importance: int | None = None,
        confidence: float | None = None,
        tags: Sequence[str] = (),
        files: Sequence[str] = (),
        expires: str | None = None,
        pin: bool | None = None,
        links: Sequence[Link | Mapping[str, Any]] = (),
        unlink: Sequence[str] = (),
        details: Mapping[str, Any] | None = None,
        reason: str = "",
        agent: str | None = None,
        session: str | None = None,
    ) -> UpdateResult:
        """Change a memory's text, weight, files or links; its history keeps the old values.

        `id`: The memory's id or an unambiguous prefix of it.
        `text`: A new text, in whole sentences.
        `title`: A new headline.
        `importance`: 1 (trivia) to 10 (never forget).
        `confidence`: How certain it is, 0 to 1.
        `tags`: New tags, in place of the old ones.
        `files`: New files, in place of the old ones; `path:START-END` or `path#symbol` cites code.
        `expires`: When to stop recalling it: 30d, 2026-12-31; never removes the end.
        `pin`: Whether to include it in every context pack.
        `links`: Links to add, by id.
        `unlink`: Links to remove: RELATION:ID.
        `details`: Fields of its kind to change; null removes one.
        `reason`: The reason, kept in the memory's history.
        `agent`: The calling program, with its version.
        `session`: The working session of the call: letters, digits, '.', '_' and '-'.
        """
        return cast(
            "UpdateResult",
            self.call(
                "update",
                id=id,
                text=text,
                title=title,
                importance=importance,
                confidence=confidence,
                tags=tags,
                files=files,
                expires=expires,
                pin=pin,
                links=links,
                unlink=unlink,
                details=details or {},
                reason=reason,
                agent=agent,
                session=session,
            ),
        )

    def consolidate(
        self,
        ids: Sequence[str],
        *,
        decision: Literal["merge", "supersede", "keep_both"] | None = None,
        keep: str | None = None,
        text: str = "",
        reason: str = "",
        dry_run: bool = False,
        agent: str | None = None,
        session: str | None = None,
    ) -> ConsolidateResult:
        """Merge memories that say the same, or let one supersede the others.

        `ids`: Two or more ids, or unambiguous prefixes of them.
        `decision`: merge: one memory stands for all; supersede: one replaces the others; keep_both: nothing changes.
            Without it, duplicates are merged and the rest is kept.
        `keep`: The memory that stays. Without it the most trusted and oldest, or for supersede the newest.
        `text`: A new text for the memory that stays.
        `reason`: The reason, kept in the memories' history.
        `dry_run`: Report what would happen; change nothing.
        `agent`: The calling program, with its version.
        `session`: The working session of the call: letters, digits, '.', '_' and '-'.
        """
        return cast(
            "ConsolidateResult",
            self.call(
                "consolidate",
                ids=ids,
                decision=decision,
                keep=keep,
                text=text,
                reason=reason,
                dry_run=dry_run,
                agent=agent,
                session=session,
            ),
        )

    def forget(self, id: str, *, reason: str = "", restore: bool = False, session: str | None = None) -> ForgetResult:
        """Archive a memory: it is no longer recalled and can be restored.

        `id`: The memory's id or an unambiguous prefix of it.
        `reason`: The reason, kept with the memory.
        `restore`: Restore an archived memory.
        `session`: The working session of the call: letters, digits, '.', '_' and '-'.
        """
        return cast("ForgetResult", self.call("forget", id=id, reason=reason, restore=restore, session=session))

    def restore(self, id: str, *, reason: str = "", session: str | None = None) -> ForgetResult:
        """Restore an archived memory.

        `id`: The memory's id or an unambiguous prefix of it.
        `reason`: The reason, kept with the memory.
        `session`: The working session of the call: letters, digits, '.', '_' and '-'.
        """
        return cast("ForgetResult", self.call("restore", id=id, reason=reason, session=session))

    def promote(
        self,
        id: str,
        *,
        scope: Literal["project", "global"] = "project",
        session: str | None = None,
    ) -> PromoteResult:
        """Copy a session note to the project, or a memory to all of your projects.

        `id`: The memory's id or an unambiguous prefix of it.
        `scope`: project: the repository's memory; global: your memory of all projects.
        `session`: The working session of the call: letters, digits, '.', '_' and '-'.
        """
        return cast("PromoteResult", self.call("promote", id=id, scope=scope, session=session))

    def brief(
        self,
        *,
        session: str | None = None,
        task: str | None = None,
        source: Literal["startup", "resume", "clear", "compact", "fork"] = "startup",
        max_chars: int = 4000,
    ) -> BriefResult:
        """Summarise what a new session should know, in a few characters.

        `session`: The working session of the call: letters, digits, '.', '_' and '-'.
        `task`: The session's task; it is recorded with the memories of the session.
        `source`: How the session started; after `compact` the memories captured from it come first.
        `max_chars`: The most characters of the brief.
        """
        return cast("BriefResult", self.call("brief", session=session, task=task, source=source, max_chars=max_chars))

    def remind(
        self,
        prompt: str,
        *,
        session: str | None = None,
        max_chars: int = 1500,
        limit: int = 3,
    ) -> RemindResult:
        """Return memories about a prompt, if any are relevant; a session is told nothing twice.

        `prompt`: The prompt, unchanged.
        `session`: The working session of the call: letters, digits, '.', '_' and '-'.
        `max_chars`: The most characters of the reminder.
        `limit`: The most memories in the reminder.
        """
        return cast(
            "RemindResult",
            self.call(
                "remind",
                prompt=prompt,
                session=session,
                max_chars=max_chars,
                limit=limit,
            ),
        )

    def capture(
        self,
        source: Literal["commit", "transcript", "failure", "turn", "session"],
        *,
        session: str | None = None,
        transcript: str | None = None,
        command: str = "",
        error: str = "",
        agent: str | None = None,
    ) -> CaptureResult:
        """Store what a session shows: its commits, decisions from its transcript, failures, and its summary.

        `source`: commit: commits since the last capture; transcript: decisions and open points, before a compaction;
            failure: a failed command; turn: the end of a turn; session: summarise the session and seal it.
        `session`: The working session of the call: letters, digits, '.', '_' and '-'.
        `transcript`: The path of the agent's transcript (JSON lines).
        `command`: For failure: the command.
        `error`: For failure: its error output.
        `agent`: The calling program, with its version.
        """
        return cast(
            "CaptureResult",
            self.call(
                "capture",
                source=source,
                session=session,
                transcript=transcript,
                command=command,
                error=error,
                agent=agent,
            ),
        )

    def backfill(
        self,
        source: Literal["git", "transcripts"],
        paths: Sequence[str] = (),
        *,
        since: str | None = None,
        until: str | None = None,
        limit: int = 10000,
        elsewhere: bool = False,
        apply: bool = False,
    ) -> BackfillResult:
        """Make memories from significant commits or from transcripts; without `apply` they are only listed.

        `source`: The commits of this repository, or transcripts of an agent.
        `paths`: For transcripts: JSON lines files of Claude Code, or folders with them.
        `since`: For git: from this date (UTC), or commits that are not in this revision.
        `until`: For git: up to this date (UTC), or this revision.
        `limit`: For git: the most commits to read, newest first.
        `elsewhere`: For transcripts: include sessions in other folders than this repository's.
        `apply`: Store the memories. Without it they are only listed.
        """
        return cast(
            "BackfillResult",
            self.call(
                "backfill",
                source=source,
                paths=paths,
                since=since,
                until=until,
                limit=limit,
                elsewhere=elsewhere,
                apply=apply,
            ),
        )

    def diff(self, range: str, *, format: Literal["text", "markdown"] = "text") -> DiffResult:
        """Show which memories a branch adds, changes, contradicts and makes stale.

        `range`: A..B compares B with the merge base of A and B. A single revision is compared with HEAD.
        `format`: The format of `text`; markdown suits a pull request.
        """
        return cast("DiffResult", self.call("diff", range=range, format=format))

    def check(self, *, strict: bool = False) -> CheckResult:
        """Check the repository's memory files: malformed lines, secrets, dangling citations, open conflicts.

        `strict`: Treat warnings as errors.
        """
        return cast("CheckResult", self.call("check", strict=strict))

    def verify(self, id: str | None = None, *, fix: bool = False, session: str | None = None) -> VerifyResult:
        """Compare the citations of memories with the code: fresh, moved, drifted or gone.

        `id`: One memory, by its id or an unambiguous prefix of it. Without it all are checked.
        `fix`: Update citations of code that has moved to its new place.
        `session`: The working session of the call: letters, digits, '.', '_' and '-'.
        """
        return cast("VerifyResult", self.call("verify", id=id, fix=fix, session=session))

    def confirm(
        self,
        id: str,
        *,
        cites: Sequence[Cite | Mapping[str, Any]] = (),
        session: str | None = None,
    ) -> ConfirmResult:
        """Confirm that a memory still holds, and update its citations to the current code.

        `id`: The memory's id or an unambiguous prefix of it.
        `cites`: New citations in place of the stale ones. Without them the current places are cited.
        `session`: The working session of the call: letters, digits, '.', '_' and '-'.
        """
        return cast("ConfirmResult", self.call("confirm", id=id, cites=cites, session=session))

    def approve(
        self,
        ids: Sequence[str],
        *,
        note: str = "",
        actor: Literal["user", "assistant", "tool", "hook", "import"] = "user",
        agent: str | None = None,
        session: str | None = None,
    ) -> ReviewResult:
        """Approve waiting memories, so that they are recalled. An agent can't approve its own.

        `ids`: The memories' ids, or unambiguous prefixes of them.
        `note`: A note, kept with the memory.
        `actor`: Who approves.
        `agent`: The calling program, with its version.
        `session`: The working session of the call: letters, digits, '.', '_' and '-'.
        """
        return cast(
            "ReviewResult",
            self.call(
                "approve",
                ids=ids,
                note=note,
                actor=actor,
                agent=agent,
                session=session,
            ),
        )

    def reject(
        self,
        ids: Sequence[str],
        *,
        reason: str,
        actor: Literal["user", "assistant", "tool", "hook", "import"] = "user",
        agent: str | None = None,
        session: str | None = None,
    ) -> ReviewResult:
        """Reject waiting memories. They are not recalled; they are kept with the reason.

        `ids`: The memories' ids, or unambiguous prefixes of them.
        `reason`: The reason, kept with the memory.
        `actor`: Who rejects.
        `agent`: The calling program, with its version.
        `session`: The working session of the call: letters, digits, '.', '_' and '-'.
        """
        return cast(
            "ReviewResult",
            self.call(
                "reject",
                ids=ids,
                reason=reason,
                actor=actor,
                agent=agent,
                session=session,
            ),
        )

    def seal(self, *, session: str | None = None) -> SealResult:
        """Write the records of open sessions to new files that git can track.

        `session`: Only this session. Without it all sessions of the work tree are sealed.
        """
        return cast("SealResult", self.call("seal", session=session))

    def reconcile(
        self,
        *,
        dry_run: bool = False,
        archive: bool = False,
        session: str | None = None,
    ) -> ReconcileResult:
        """Seal all sessions and consolidate them in main.jsonl: merge duplicates, queue contradictions.

        `dry_run`: Report what would happen; change nothing.
        `archive`: Move the segments to memory/archive instead of deleting them.
        `session`: Only the segments of this session. Without it all are consolidated.
        """
        return cast("ReconcileResult", self.call("reconcile", dry_run=dry_run, archive=archive, session=session))

    def undo(self) -> UndoResult:
        """Undo the last reconcile or prune; every file is restored byte for byte."""
        return cast("UndoResult", self.call("undo"))

    def prune(self, *, dry_run: bool = False) -> PruneResult:
        """Move memories that are no longer recalled from main.jsonl to the archive, by the configured policy.

        `dry_run`: Report what would be moved; change nothing.
        """
        return cast("PruneResult", self.call("prune", dry_run=dry_run))

    def conflicts(self, *, id: str | None = None) -> ConflictsResult:
        """Show the contradictions that a person must resolve.

        `id`: One conflict, by its id or an unambiguous prefix of it.
        """
        return cast("ConflictsResult", self.call("conflicts", id=id))

    def resolve(
        self,
        id: str,
        *,
        keep: Literal["left", "right", "both"],
        text: str = "",
        session: str | None = None,
    ) -> ResolveResult:
        """Resolve a conflict: keep left, right or both.

        `id`: The conflict's id or an unambiguous prefix of it.
        `keep`: The side to keep.
        `text`: A new text for the side that is kept.
        `session`: The working session of the call: letters, digits, '.', '_' and '-'.
        """
        return cast("ResolveResult", self.call("resolve", id=id, keep=keep, text=text, session=session))

    def export(
        self,
        *,
        type: str | None = None,
        tag: str | None = None,
        session: str | None = None,
        task: str | None = None,
        scope: Literal["project", "session", "global"] = "project",
        since: str | None = None,
        until: str | None = None,
        private: bool = False,
    ) -> ExportResult:
        """Write memories to a bundle for another repository; it is checked for secrets again.

        `type`: Only memories of this type.
        `tag`: Only memories with this tag.
        `session`: The working session of the call: letters, digits, '.', '_' and '-'.
        `task`: Only memories of this task; T-0042 finds MUNI-T-0042.
        `scope`: project: the repository's memory; session: this machine's session notes; global: your memory of all
            projects.
        `since`: Only memories made at or after this RFC 3339 time or date (UTC).
        `until`: Only memories made before this RFC 3339 time or date (UTC).
        `private`: Include private memories.
        """
        return cast(
            "ExportResult",
            self.call(
                "export",
                type=type,
                tag=tag,
                session=session,
                task=task,
                scope=scope,
                since=since,
                until=until,
                private=private,
            ),
        )

    def import_(
        self,
        path: str,
        *,
        on_conflict: Literal["skip", "overwrite", "error"] = "skip",
        trust: Literal["outside", "keep"] = "outside",
        dry_run: bool = False,
        session: str | None = None,
    ) -> ImportResult:
        """Store the memories of a bundle, all or none; their text is not trusted.

        `path`: The bundle's file; a relative path starts at the root.
        `on_conflict`: What to do with a record whose content differs here; error stores nothing.
        `trust`: outside: the text is not trusted; keep: you vouch for the trust that its authors claim.
        `dry_run`: Report what would happen; change nothing.
        `session`: The working session of the call: letters, digits, '.', '_' and '-'.
        """
        return cast(
            "ImportResult",
            self.call(
                "import",
                path=path,
                on_conflict=on_conflict,
                trust=trust,
                dry_run=dry_run,
                session=session,
            ),
        )

    def pack_export(
        self,
        name: str,
        path: str,
        *,
        version: str,
        description: str = "",
        licence: str = "",
        origin: str = "",
        match: Sequence[str] = (),
        type: str | None = None,
        tag: str | None = None,
        domain: str | None = None,
        force: bool = False,
    ) -> PackExportResult:
        """Write curated knowledge to a versioned pack; a pack with secrets is refused.

        `name`: The pack's name: a-z, 0-9 and '-'.
        `path`: The pack to write: a .tar.gz or .zip, otherwise a folder. A relative path starts at the root.
        `version`: The version, in the form of Semantic Versioning: 1.2.0.
        `description`: One sentence about the pack.
        `licence`: Its licence, preferably an SPDX identifier.
        `origin`: Its origin, for readers: a project or an address.
        `match`: Only files in this folder or of this pattern, below .muninn/knowledge.
        `type`: Only files of this type (frontmatter).
        `tag`: Only files with this tag (frontmatter).
        `domain`: Only files of this domain (frontmatter).
        `force`: Replace an existing pack.
        """
        return cast(
            "PackExportResult",
            self.call(
                "pack.export",
                name=name,
                path=path,
                version=version,
                description=description,
                licence=licence,
                origin=origin,
                match=match,
                type=type,
                tag=tag,
                domain=domain,
                force=force,
            ),
        )

    def pack_add(self, path: str, *, force: bool = False) -> PackAddResult:
        """Add a pack from this machine after checking its checksums; its text is not trusted.

        `path`: A pack on this machine: a folder, .tar.gz or .zip. A relative path starts at the root.
        `force`: Add it although it seems to contain secrets.
        """
        return cast("PackAddResult", self.call("pack.add", path=path, force=force))

    def pack_list(self) -> PackListResult:
        """List the installed packs: version, origin, and files edited since."""
        return cast("PackListResult", self.call("pack.list"))

    def pack_update(self, path: str, *, force: bool = False, dry_run: bool = False) -> PackUpdateResult:
        """Replace a pack by another version, and show what changes.

        `path`: A pack on this machine: a folder, .tar.gz or .zip. A relative path starts at the root.
        `force`: Overwrite files that were edited here, and allow an older version.
        `dry_run`: Report what would change; change nothing.
        """
        return cast("PackUpdateResult", self.call("pack.update", path=path, force=force, dry_run=dry_run))

    def pack_remove(self, name: str, *, force: bool = False) -> PackRemoveResult:
        """Remove a pack and all of its files.

        `name`: The pack's name: a-z, 0-9 and '-'.
        `force`: Remove it although files of it were edited here.
        """
        return cast("PackRemoveResult", self.call("pack.remove", name=name, force=force))

    def render(
        self,
        path: str,
        *,
        text: str | None = None,
        budget: int = 0,
        session: str | None = None,
    ) -> RenderResult:
        """Return a context file with the content of its references, within its budget.

        `path`: A context file; a bare name is that of a file in .muninn/context, without .md.
        `text`: The file's unsaved text in an editor. Without it the file is read from disk.
        `budget`: The token budget; 0 takes the file's own, or 8000.
        `session`: The working session of the call: letters, digits, '.', '_' and '-'.
        """
        return cast("RenderResult", self.call("render", path=path, text=text, budget=budget, session=session))

    def template_new(
        self,
        name: str,
        *,
        template: Literal["api", "architecture", "bugfix", "feature", "refactor"] = "feature",
        title: str = "",
    ) -> TemplateNewResult:
        """Create a context file from a template; an existing file is not changed.

        `name`: The name of the new file in .muninn/context, without .md.
        `template`: The template.
        `title`: A one-line title; made from the name when absent.
        """
        return cast("TemplateNewResult", self.call("template.new", name=name, template=template, title=title))

    def template_list(self) -> TemplateListResult:
        """List the templates of context files."""
        return cast("TemplateListResult", self.call("template.list"))

    def lint(self, path: str, *, text: str | None = None) -> LintResult:
        """Check a file of .muninn or a context file: keys, links, citations, lines, secrets.

        `path`: A file of .muninn, a context file, or a decision record.
        `text`: The file's unsaved text in an editor. Without it the file is read from disk.
        """
        return cast("LintResult", self.call("lint", path=path, text=text))

    def references(self, path: str, *, text: str | None = None, line: int = 0) -> ReferencesResult:
        """Return the targets of the references in a context or knowledge file.

        `path`: A file of .muninn, a context file, or a decision record.
        `text`: The file's unsaved text in an editor. Without it the file is read from disk.
        `line`: Only references on this line (1-based); 0 is all.
        """
        return cast("ReferencesResult", self.call("references", path=path, text=text, line=line))

    def backlinks(self, target: str, *, path: str = "") -> BacklinksResult:
        """Find references to a target in knowledge, context files, documents and memories.

        `target`: A path, a memory's id, a decision's name, or a reference: [[ADR 7]], @src/a.py#f.
        `path`: The file that contains the target; paths may be relative to it.
        """
        return cast("BacklinksResult", self.call("backlinks", target=target, path=path))

    def relink(self, moves: Sequence[str]) -> RelinkResult:
        """Return the edits that keep links valid when files are renamed; nothing is changed.

        `moves`: Old and new path of each file or folder, alternating.
        """
        return cast("RelinkResult", self.call("relink", moves=moves))

    def names(self, text: str = "", *, kinds: Sequence[str] = (), file: str = "", limit: int = 50) -> NamesResult:
        """List names that a text can refer to: memories, documents, knowledge, context files, files, symbols, tags.

        `text`: Text that the name contains; case does not matter. Without it all names match.
        `kinds`: memory, document, knowledge, context, file, symbol or tag; the first four by default.
        `file`: For symbols: the file that defines them.
        `limit`: The most names to return.
        """
        return cast("NamesResult", self.call("names", text=text, kinds=kinds, file=file, limit=limit))

    def annotate(self, file: str) -> AnnotateResult:
        """Return the notes on a file by line, and the citations of it that are doubtful.

        `file`: The file, relative to the root.
        """
        return cast("AnnotateResult", self.call("annotate", file=file))

    def about(self, file: str, *, line: int = 0, name: str = "", links: bool = False) -> AboutResult:
        """Show what is remembered about a line or a name in the code, and how it is related.

        `file`: The file, relative to the root.
        `line`: The line (1-based); 0 is the whole file.
        `name`: The name at that place, to ask about it alone.
        `links`: Link memories as `muninn:` documents, for clients that can open them.
        """
        return cast("AboutResult", self.call("about", file=file, line=line, name=name, links=links))

    def document(self, uri: str) -> DocumentResult:
        """Return a memory, the notes on a file, a commit or a pack as a page to read.

        `uri`: muninn:/memory/ID.md, muninn:/notes/PATH.md, muninn:/commit/SHA.md, muninn:/context/PATH.md or
            muninn:/pack.md?query=TEXT&budget=TOKENS.
        """
        return cast("DocumentResult", self.call("document", uri=uri))

    def draft(
        self,
        *,
        type: str = "insight",
        path: str = "",
        start: int = 0,
        end: int = 0,
        supersedes: str = "",
    ) -> DraftResult:
        """Create a file to write a memory in; saving it in an editor that Muninn serves stores the memory.

        `type`: insight, decision, attempt, constraint or any other kind of memory.
        `path`: The file that the memory is about, relative to the root.
        `start`: The first line to cite; 0 cites none.
        `end`: The last line to cite.
        `supersedes`: The memory that it supersedes.
        """
        return cast(
            "DraftResult",
            self.call(
                "draft",
                type=type,
                path=path,
                start=start,
                end=end,
                supersedes=supersedes,
            ),
        )

    def redact(self, id: str, *, session: str | None = None) -> RedactResult:
        """Erase the content of a memory in every file and index of this work tree. This can't be undone.

        `id`: The memory's id or an unambiguous prefix of it.
        `session`: The working session of the call: letters, digits, '.', '_' and '-'.
        """
        return cast("RedactResult", self.call("redact", id=id, session=session))

    def purge(self, id: str, *, show_commits: bool = False) -> PurgeResult:
        """List the commits and branches that still contain a memory's text, and how to remove it from them.

        `id`: The memory's id or a prefix of it; the whole id when only other branches have it.
        `show_commits`: List the commits and blobs, not only their number.
        """
        return cast("PurgeResult", self.call("purge", id=id, show_commits=show_commits))

    def init(self) -> InitResult:
        """Create .muninn with its defaults; existing files are not changed."""
        return cast("InitResult", self.call("init"))

    def status(self) -> StatusResult:
        """Report the state of the daemon, the index and the log, and the problems that a person should fix."""
        return cast("StatusResult", self.call("status"))

    def index(self, *, wait: bool = True, rebuild: bool = False) -> IndexResult:
        """Compare every file with the index and index what changed.

        `wait`: Answer after all files on disk are searchable by words and by meaning.
        `rebuild`: Delete the index and build it again from the files.
        """
        return cast("IndexResult", self.call("index", wait=wait, rebuild=rebuild))
