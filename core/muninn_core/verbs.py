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
        """Find code, knowledge and memories for a question, each with the reasons for its place.

        `query`: Words, identifiers or a sentence; also "exact phrase" and filters: type:decision tag:auth path:src/**
            lang:python kind:code author:user importance:>=7 since:2w until:2026-01-31 session:ID task:ID branch:NAME
            at:REV; -KEY:VALUE leaves out.
        `limit`: The most hits to return.
        `kind`: Only code, only knowledge or only memory.
        `type`: Only memories of any of these types.
        `tag`: Only memories with any of these tags.
        `path`: Only files that match any of these globs, as in .gitignore, and memories about them.
        `lang`: Only files in any of these languages: python, ts, go.
        `phrase`: Only what holds these words side by side.
        `author`: Only memories by any of these: user, assistant, tool, an agent's name.
        `min_importance`: Only memories of this importance or more; 0 is whatever importance.
        `since`: Only memories changed since: 12h, 3d, 2w, 2026-01-31.
        `until`: Only memories last changed before: 2w, 2026-01-31.
        `branch`: Only memories made on any of these branches (globs).
        `from_session`: Only memories of any of these sessions.
        `task`: Only what was learned on this task, and its document; T-0042 finds MUNI-T-0042.
        `like`: More like this: FILE:LINE, or a memory's id. Words in `query` count as well.
        `at_hand`: Files at hand: what changed together with them, or is beside them, counts more.
        `by_file`: One hit a file: its best place, and how many of its pieces were found.
        `page`: Further hits of an earlier answer: what it gave as `next`.
        `profile`: How hits are ranked. mnemosyne finds memories alone, by words and the links between them; muninn is
            the ranking of everything. Otherwise what the config says of questions for memories.
        `depth`: With the profile mnemosyne: how many links are followed from what words find.
        `plain`: Take the query as words alone: no filters, no phrases in it.
        `scope`: session: only this session's notes; project: project and global memory; global: all memory, other
            sessions' notes too. Otherwise this session's, the project's and the global one.
        `session`: The working session that this belongs to; letters, digits, '.', '_' and '-'.
        `at`: Answer as of this commit, branch or tag, from git's objects: what was remembered then.
        `branches`: Also what is remembered on other branches only; it is labelled with their names.
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
        """Make a pack of what matters for a task, within a token budget.

        `query`: The task or question at hand; follows from what else is given when absent.
        `budget`: The most tokens of the whole pack.
        `files`: Files at hand; what is remembered of them counts more.
        `cursor`: Where the work is: FILE:LINE or FILE:LINE:COL. The code around it comes first.
        `diff`: Changes at hand: HEAD or another revision for those of the work tree against it, A..B for those between
            two, or a patch as `git diff` writes it.
        `open_files`: Files that are open in the asker's editor, the last used first.
        `task`: A task's id; its document and memories come first.
        `scope`: session: only this session's notes; project: project and global memory; global: all memory, other
            sessions' notes too. Otherwise this session's, the project's and the global one.
        `session`: The working session that this belongs to; letters, digits, '.', '_' and '-'.
        `at`: Answer as of this commit, branch or tag, from git's objects: what was remembered then.
        `branches`: Also what is remembered on other branches only; it is labelled with their names.
        `format`: How `text` is written; the items are the same in all.
        `skills`: Also the skills that help with it, in at most 30 % of the budget.
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
        """Say why a context holds what it holds: inputs, the signals of each item, what was left out and why.

        `bundle`: The id that `context` gave its answer, or an unambiguous prefix of it.
        `item`: Only this item, taken or left out: its id, a path, or the beginning of either.
        """
        return cast("WhyResult", self.call("why", bundle=bundle, item=item))

    def replay(self, bundle: str, *, fresh: bool = False) -> ReplayResult:
        """Give a context once more, byte for byte; or gather it anew and say what differs.

        `bundle`: The id that `context` gave its answer, or an unambiguous prefix of it.
        `fresh`: Gather it anew from what it was asked with, and say what differs.
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

        `query`: A name, its beginning, its humps (`gUN` for getUserName) or a part; `Class.method`, too.
        `kind`: Only of this kind: class, function, method, constant …
        `language`: Only of this language: python, typescript, go …
        `path`: Only in this folder, or in files of this pattern: `src/*.py`.
        `limit`: The most definitions.
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
        """Show what a file defines, as a tree with heads and comments.

        `path`: A file, relative to the root.
        """
        return cast("OutlineResult", self.call("outline", path=path))

    def graph(self, start: str, relation: str = "neighbours", *, depth: int = 1, limit: int = 50) -> GraphResult:
        """Show what a file or definition imports, calls, is called by and is tested by.

        `start`: A file, a definition (`name`, `Class.method`), or one of a file: `path#Class.method`.
        `relation`: What to follow: definitions, imports, importers, callers, callees, tests, or neighbours, which are
            all but definitions.
        `depth`: How many steps to go.
        `limit`: The most edges.
        """
        return cast("GraphResult", self.call("graph", start=start, relation=relation, depth=depth, limit=limit))

    def skills_match(self, task: str, *, budget: int = 20000) -> SkillsMatchResult:
        """Find the skills that help with a task: the best seven within 30 % of a context's budget.

        `task`: What is to be done, in a sentence.
        `budget`: Tokens of the whole context; skills take at most 30 % of them.
        """
        return cast("SkillsMatchResult", self.call("skills.match", task=task, budget=budget))

    def skills_list(self, *, problems: bool = False) -> SkillsListResult:
        """List the skills of this repository and of your home, and what is wrong with them.

        `problems`: Only those with which something is wrong.
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
        """List, filter or get memories.

        `id`: One memory, by its id or an unambiguous prefix of it.
        `type`: Of this type.
        `tag`: With this tag.
        `file`: About this file, also under names that it had before.
        `session`: The working session that this belongs to; letters, digits, '.', '_' and '-'.
        `task`: Of this task; T-0042 finds MUNI-T-0042.
        `scope`: Of this scope; session shows every session's notes.
        `text`: Whose text or title contains this, whatever the case.
        `min_importance`: Of this importance or more; 0 is whatever.
        `since`: Changed since: 12h, 3d, 2w, 2026-01-31.
        `order`: What comes first; the newer one among equals.
        `archived`: Archived, superseded, merged, rejected and expired ones, too.
        `pending`: Only those that wait for an approval.
        `limit`: The most memories to return.
        `offset`: How many to leave out at the start.
        `at`: Answer as of this commit, branch or tag, from git's objects: what was remembered then.
        `branches`: Also what is remembered on other branches only; it is labelled with their names.
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
        """Tell every record about a memory: who, when, where HEAD was, and what it changed.

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
        """Show what a memory is linked to, and that in turn, up to a depth.

        `id`: The memory's id or an unambiguous prefix of it.
        `depth`: How many links to follow one after the other.
        `relation`: Only links of any of these relations.
        `archived`: Over archived, superseded and expired ones, too.
        `limit`: The most memories to return.
        `session`: The working session that this belongs to; letters, digits, '.', '_' and '-'.
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
        """Show the project's memory at a glance: recent, important, how it hangs together, how much there is.

        `days`: Recent is what changed in so many days.
        `importance`: Important is this much or more.
        `limit`: The most memories of each sort.
        `session`: The working session that this belongs to; letters, digits, '.', '_' and '-'.
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
        """List the sessions that wrote to the memory: open or sealed, when, on which branch, by whom.

        `session`: The working session that this belongs to; letters, digits, '.', '_' and '-'.
        `open`: Only those with something that is not sealed yet.
        `limit`: The most sessions to return.
        `offset`: How many to leave out at the start.
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
        """Store a memory; it is on disk when the answer comes.

        `text`: What is to be remembered, in whole sentences.
        `type`: decision, attempt, bug_fix, constraint, configuration, insight, pattern, preference, reference, entity,
            context_hit, session_summary, or a kind from the config.
        `title`: A headline; made from the text when absent.
        `tags`: Words to filter by.
        `files`: Paths that it is about, relative to the root; `path:START-END` or `path#symbol` cites code.
        `entities`: Symbols, services or people that it is about.
        `cites`: Spans of code that it rests on.
        `importance`: 1 (trivia) to 10 (never forget).
        `confidence`: How sure it is, 0 to 1.
        `links`: Relations to memories by id: extends, contradicts, implements, references, supersedes.
        `pin`: Always part of a context pack.
        `private`: Keep it on this machine: never sealed, never in git.
        `scope`: project: for everybody who works here; session: a working note for this session only; global: for this
            user in every project. The last two never get into git.
        `session`: The working session that this belongs to; letters, digits, '.', '_' and '-'.
        `task`: The task's id, as in .metis/tasks; the current one when absent, none when empty.
        `actor`: Who states it.
        `agent`: The program that acts, with its version.
        `trust`: Who vouches; follows from the actor when absent, and never exceeds it.
        `expires`: When it is no longer recalled: 30d, 2026-12-31, or an RFC 3339 time.
        `details`: Fields of the kind: rationale, status, alternatives; command, exit_status.
        `key`: An idempotency key: the same key is stored once, however often it is sent.
        `batch`: Many memories at once, in place of `text`; each is durable.
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
        """Change what a memory says, its weight, its places or its links; its history keeps what it was.

        `id`: The memory's id or an unambiguous prefix of it.
        `text`: A new wording, in whole sentences.
        `title`: A new headline.
        `importance`: 1 (trivia) to 10 (never forget).
        `confidence`: How sure it is, 0 to 1.
        `tags`: Words to filter by, in place of those it has.
        `files`: Paths that it is about, in place of those it has; `path:START-END` or `path#symbol` cites.
        `expires`: When it is no longer recalled: 30d, 2026-12-31; never takes the end away.
        `pin`: Whether it is always part of a context pack.
        `links`: Relations to other memories, beside those it has.
        `unlink`: Relations to take away: RELATION:ID.
        `details`: Fields of the kind that change; null takes one away.
        `reason`: Why; kept with the memory's history.
        `agent`: The program that acts, with its version.
        `session`: The working session that this belongs to; letters, digits, '.', '_' and '-'.
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
        """Let one of several memories speak for all of them, or stand in the place of the others.

        `ids`: The memories' ids or unambiguous prefixes of them, two or more.
        `decision`: merge: one speaks for all; supersede: one stands in the place of the others; keep_both: nothing
            changes. Otherwise what says the same is merged and the rest is kept.
        `keep`: The one that stays; otherwise the most trusted and oldest, or the newest that supersedes.
        `text`: A new wording for the one that stays.
        `reason`: Why; kept with the memories' history.
        `dry_run`: Say what would happen; change nothing.
        `agent`: The program that acts, with its version.
        `session`: The working session that this belongs to; letters, digits, '.', '_' and '-'.
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
        """Archive a memory: it is no longer recalled, and it is not lost.

        `id`: The memory's id or an unambiguous prefix of it.
        `reason`: Why; kept with the memory.
        `restore`: Bring an archived memory back.
        `session`: The working session that this belongs to; letters, digits, '.', '_' and '-'.
        """
        return cast("ForgetResult", self.call("forget", id=id, reason=reason, restore=restore, session=session))

    def restore(self, id: str, *, reason: str = "", session: str | None = None) -> ForgetResult:
        """Bring an archived memory back.

        `id`: The memory's id or an unambiguous prefix of it.
        `reason`: Why; kept with the memory.
        `session`: The working session that this belongs to; letters, digits, '.', '_' and '-'.
        """
        return cast("ForgetResult", self.call("restore", id=id, reason=reason, session=session))

    def promote(
        self,
        id: str,
        *,
        scope: Literal["project", "global"] = "project",
        session: str | None = None,
    ) -> PromoteResult:
        """Take a session's note to the project, or a memory to all of your projects.

        `id`: The memory's id or an unambiguous prefix of it.
        `scope`: project: the repository's memory; global: yours everywhere.
        `session`: The working session that this belongs to; letters, digits, '.', '_' and '-'.
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
        """Say what a session that starts should know, in few characters.

        `session`: The working session that this belongs to; letters, digits, '.', '_' and '-'.
        `task`: The task that the session is for; it is noted for what it will remember.
        `source`: How the session started; after `compact` what was captured from it comes first.
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
        """Say what is remembered about a prompt, if anything is; a session is told nothing twice.

        `prompt`: The prompt, as it was given.
        `session`: The working session that this belongs to; letters, digits, '.', '_' and '-'.
        `max_chars`: The most characters of the reminder.
        `limit`: The most memories that are told.
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
        """Remember what a session shows: commits, what its transcript decides, failures, its end.

        `source`: commit: commits since the last look; transcript: what was decided and left open, before a compaction;
            failure: a command that failed; turn: a turn has ended; session: sum it up and seal it.
        `session`: The working session that this belongs to; letters, digits, '.', '_' and '-'.
        `transcript`: Path of the agent's transcript (JSON lines).
        `command`: Of a failure: the command that failed.
        `error`: Of a failure: what it said.
        `agent`: The program that acts, with its version.
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
        """Remember what was there before: significant commits, or transcripts; a dry run unless applied.

        `source`: The commits of this repository, or transcripts of an agent.
        `paths`: Of transcripts: JSON lines files of Claude Code, or folders that hold them.
        `since`: Of git: from this date (UTC) on, or the commits that this revision lacks.
        `until`: Of git: up to this date (UTC), or this revision.
        `limit`: Of git: the most commits to look at, the newest of them.
        `elsewhere`: Of transcripts: also those of sessions in other folders than this repository's.
        `apply`: Store it; else only say what would be remembered.
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
        """Tell what memory a branch adds, changes, contradicts and makes stale.

        `range`: A..B: what B adds to A since they parted. One revision alone is compared with HEAD.
        `format`: How `text` is written; markdown suits a pull request.
        """
        return cast("DiffResult", self.call("diff", range=range, format=format))

    def check(self, *, strict: bool = False) -> CheckResult:
        """Check what the repository carries: malformed lines, secrets, dangling citations, open conflicts.

        `strict`: Count warnings as errors.
        """
        return cast("CheckResult", self.call("check", strict=strict))

    def verify(self, id: str | None = None, *, fix: bool = False, session: str | None = None) -> VerifyResult:
        """Check whether the code still says what memories cite: fresh, moved, drifted or gone.

        `id`: One memory, by its id or an unambiguous prefix of it.
        `fix`: Let memories whose code has moved cite the new place.
        `session`: The working session that this belongs to; letters, digits, '.', '_' and '-'.
        """
        return cast("VerifyResult", self.call("verify", id=id, fix=fix, session=session))

    def confirm(
        self,
        id: str,
        *,
        cites: Sequence[Cite | Mapping[str, Any]] = (),
        session: str | None = None,
    ) -> ConfirmResult:
        """Say that a memory still holds: it cites the code as it is now, or in the place that is given.

        `id`: The memory's id or an unambiguous prefix of it.
        `cites`: New places in the code, in place of those that are stale; else where the code is now.
        `session`: The working session that this belongs to; letters, digits, '.', '_' and '-'.
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
        """Let memories that wait for an approval speak; an agent can't approve what it made itself.

        `ids`: The memories' ids or unambiguous prefixes of them.
        `note`: A word on it; kept with the memory.
        `actor`: Who approves.
        `agent`: The program that acts, with its version.
        `session`: The working session that this belongs to; letters, digits, '.', '_' and '-'.
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
        """Decide that memories which wait for an approval are not recalled; they are kept with the reason.

        `ids`: The memories' ids or unambiguous prefixes of them.
        `reason`: Why; kept with the memory.
        `actor`: Who rejects.
        `agent`: The program that acts, with its version.
        `session`: The working session that this belongs to; letters, digits, '.', '_' and '-'.
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
        """Turn what the open sessions stored into new files that git can carry.

        `session`: Only this session; all sessions of the work tree when absent.
        """
        return cast("SealResult", self.call("seal", session=session))

    def reconcile(
        self,
        *,
        dry_run: bool = False,
        archive: bool = False,
        session: str | None = None,
    ) -> ReconcileResult:
        """Seal all sessions and consolidate them in main.jsonl: merge the same, queue what contradicts.

        `dry_run`: Say what would happen; change nothing.
        `archive`: Move the segments to memory/archive in place of deleting them.
        `session`: Only this session's segments; all of them when absent.
        """
        return cast("ReconcileResult", self.call("reconcile", dry_run=dry_run, archive=archive, session=session))

    def undo(self) -> UndoResult:
        """Take back the last reconcile or prune: every file as it was, byte for byte."""
        return cast("UndoResult", self.call("undo"))

    def prune(self, *, dry_run: bool = False) -> PruneResult:
        """Move what speaks no longer from main.jsonl to the archive, by the policy in the config.

        `dry_run`: Say what would leave; change nothing.
        """
        return cast("PruneResult", self.call("prune", dry_run=dry_run))

    def conflicts(self, *, id: str | None = None) -> ConflictsResult:
        """Show the contradictions that wait for a person.

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
        """Decide a conflict: keep left, right or both.

        `id`: The conflict's id or an unambiguous prefix of it.
        `keep`: Which side holds.
        `text`: A new wording for the side that is kept.
        `session`: The working session that this belongs to; letters, digits, '.', '_' and '-'.
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
        """Make a bundle of memories for another repository; it is checked for secrets once more.

        `type`: Of this type.
        `tag`: With this tag.
        `session`: The working session that this belongs to; letters, digits, '.', '_' and '-'.
        `task`: Of this task; T-0042 finds MUNI-T-0042.
        `scope`: project, this machine's session notes, or your global memory.
        `since`: Made at this RFC 3339 time or date (UTC), or later.
        `until`: Made before this RFC 3339 time or date (UTC).
        `private`: Private memories, too.
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
        """Take in the memories of a bundle, all or none; they count as text from outside.

        `path`: The bundle's file; a relative path is meant from the root.
        `on_conflict`: What to do with a record that has another content here; error stores nothing at all.
        `trust`: outside: it counts as text from outside; keep: you vouch for what its authors claim.
        `dry_run`: Say what would happen; change nothing.
        `session`: The working session that this belongs to; letters, digits, '.', '_' and '-'.
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
        """Write curated knowledge as a pack with a version; one that holds secrets is refused.

        `name`: The pack's name: a-z, 0-9 and '-'.
        `path`: Where to: a .tar.gz or .zip, else a folder; a relative path is meant from the root.
        `version`: The version, as in Semantic Versioning: 1.2.0.
        `description`: What the pack is, in a sentence.
        `licence`: Its licence, best as an SPDX identifier.
        `origin`: Where it comes from, for its readers: a project or an address.
        `match`: Only files of this folder or pattern below .muninn/knowledge.
        `type`: Only of this type (frontmatter).
        `tag`: Only with this tag (frontmatter).
        `domain`: Only of this domain (frontmatter).
        `force`: Replace a pack that is there.
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
        """Take in a pack from this machine, checked byte by byte; its text counts as text from outside.

        `path`: A pack on this machine: a folder, .tar.gz or .zip; relative ones from the root.
        `force`: Take it though it seems to hold secrets.
        """
        return cast("PackAddResult", self.call("pack.add", path=path, force=force))

    def pack_list(self) -> PackListResult:
        """List the packs that are here, with version, origin, and what was edited since."""
        return cast("PackListResult", self.call("pack.list"))

    def pack_update(self, path: str, *, force: bool = False, dry_run: bool = False) -> PackUpdateResult:
        """Put another version in the place of a pack, and say what that changes.

        `path`: A pack on this machine: a folder, .tar.gz or .zip; relative ones from the root.
        `force`: Overwrite what was edited here, and go back to older versions.
        `dry_run`: Say what would change; change nothing.
        """
        return cast("PackUpdateResult", self.call("pack.update", path=path, force=force, dry_run=dry_run))

    def pack_remove(self, name: str, *, force: bool = False) -> PackRemoveResult:
        """Remove a pack with all of its files.

        `name`: The pack's name: a-z, 0-9 and '-'.
        `force`: Remove it though files of it were edited here.
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
        """Make the pack of a context file: its text, and what its references mean, within its budget.

        `path`: A context file; a bare name is that of a file in .muninn/context, without its ending.
        `text`: The file's text, where an editor has it unsaved; else the file is read.
        `budget`: The most tokens; 0 is what the file says, or else 8000.
        `session`: The working session that this belongs to; letters, digits, '.', '_' and '-'.
        """
        return cast("RenderResult", self.call("render", path=path, text=text, budget=budget, session=session))

    def template_new(
        self,
        name: str,
        *,
        template: Literal["api", "architecture", "bugfix", "feature", "refactor"] = "feature",
        title: str = "",
    ) -> TemplateNewResult:
        """Make a context file from a template; one that is there stays as it is.

        `name`: The name of the new file in .muninn/context, without its ending.
        `template`: What it begins as.
        `title`: What it is about, on one line; made from the name when absent.
        """
        return cast("TemplateNewResult", self.call("template.new", name=name, template=template, title=title))

    def template_list(self) -> TemplateListResult:
        """List the templates of context files."""
        return cast("TemplateListResult", self.call("template.list"))

    def lint(self, path: str, *, text: str | None = None) -> LintResult:
        """Check one file of .muninn, or a context file: keys, links, citations, lines, secrets.

        `path`: A file of .muninn, a context file, or a decision record.
        `text`: The file's text, where an editor has it unsaved; else the file is read.
        """
        return cast("LintResult", self.call("lint", path=path, text=text))

    def references(self, path: str, *, text: str | None = None, line: int = 0) -> ReferencesResult:
        """Say what the references in a context or knowledge file mean.

        `path`: A file of .muninn, a context file, or a decision record.
        `text`: The file's text, where an editor has it unsaved; else the file is read.
        `line`: Only those on this line, from 1; 0 is all of them.
        """
        return cast("ReferencesResult", self.call("references", path=path, text=text, line=line))

    def backlinks(self, target: str, *, path: str = "") -> BacklinksResult:
        """Find the knowledge, context files, documents and memories that refer to something.

        `target`: A path, a memory's id, a decision's name, or a reference: [[ADR 7]], @src/a.py#f.
        `path`: The file that the target was written in; paths may be relative to it.
        """
        return cast("BacklinksResult", self.call("backlinks", target=target, path=path))

    def relink(self, moves: Sequence[str]) -> RelinkResult:
        """Say which edits keep links right when files get other names; nothing is changed.

        `moves`: Old and new path in turn, of files or folders.
        """
        return cast("RelinkResult", self.call("relink", moves=moves))

    def names(self, text: str = "", *, kinds: Sequence[str] = (), file: str = "", limit: int = 50) -> NamesResult:
        """List what a text can name: memories, documents, knowledge, context files, files, symbols, tags.

        `text`: What the name contains, whatever the case; nothing lists them all.
        `kinds`: memory, document, knowledge, context, file, symbol or tag; the first four by default.
        `file`: For symbols: the file that defines them.
        `limit`: The most names to return.
        """
        return cast("NamesResult", self.call("names", text=text, kinds=kinds, file=file, limit=limit))

    def annotate(self, file: str) -> AnnotateResult:
        """Say what is remembered about a file in the places of that file, and what of it is in doubt.

        `file`: The file, relative to the root.
        """
        return cast("AnnotateResult", self.call("annotate", file=file))

    def about(self, file: str, *, line: int = 0, name: str = "", links: bool = False) -> AboutResult:
        """Say what is remembered about a line or a name in the code, and why it has to do with it.

        `file`: The file, relative to the root.
        `line`: The line (1-based); 0 is the file as a whole.
        `name`: The name that stands there, if one is meant.
        `links`: Link records as `muninn:` documents, for a client that can open them.
        """
        return cast("AboutResult", self.call("about", file=file, line=line, name=name, links=links))

    def document(self, uri: str) -> DocumentResult:
        """Show a memory, what is known of a file, or a pack as a page for reading.

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
        """Make a file to write a memory into; saved in an editor that Muninn serves, it is remembered.

        `type`: insight, decision, attempt, constraint or any other kind of memory.
        `path`: The file that it is about, relative to the root.
        `start`: The first line that it cites; 0 cites none.
        `end`: The last line that it cites.
        `supersedes`: The memory that it takes the place of.
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
        """Blank what a memory says in every file and index of this work tree; nothing undoes it.

        `id`: The memory's id or an unambiguous prefix of it.
        `session`: The working session that this belongs to; letters, digits, '.', '_' and '-'.
        """
        return cast("RedactResult", self.call("redact", id=id, session=session))

    def purge(self, id: str, *, show_commits: bool = False) -> PurgeResult:
        """Say which commits and branches still hold what a memory said, and how to take it out of them.

        `id`: The memory's id; the whole of it when only other branches have it.
        `show_commits`: Name the commits and blobs, not only their number.
        """
        return cast("PurgeResult", self.call("purge", id=id, show_commits=show_commits))

    def init(self) -> InitResult:
        """Write .muninn with its defaults; what is there already stays as it is."""
        return cast("InitResult", self.call("init"))

    def status(self) -> StatusResult:
        """Say how the daemon, the index and the log are, and what needs a person."""
        return cast("StatusResult", self.call("status"))

    def index(self, *, wait: bool = True, rebuild: bool = False) -> IndexResult:
        """Compare every file with the index and take in what changed.

        `wait`: Answer only when everything on disk is found, by words and by meaning.
        `rebuild`: Throw the index away and build it from the files.
        """
        return cast("IndexResult", self.call("index", wait=wait, rebuild=rebuild))
