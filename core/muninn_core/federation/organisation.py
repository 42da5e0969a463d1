"""An organisation's server as one more source of a question: requests its candidates, and reports a failure.

Only the user's own settings name a server. It gets the question and its filters, and nothing of the repository.
"""

from __future__ import annotations

import os
import stat
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, cast
from urllib.parse import urlencode, urlsplit

from muninn_core import git
from muninn_core.config.org_settings import OrgSettings, load_org_settings
from muninn_core.errors import ModelError, MuninnError, RefusedError, from_plain
from muninn_core.federation.importers import ImportersParams
from muninn_core.federation.listing import Listing
from muninn_core.federation.reader import Part
from muninn_core.federation.registry import ListedRepository
from muninn_core.federation.remote_candidates import RemoteBranch, RemoteCandidates
from muninn_core.federation.remote_index import NO_TOTALS, RemoteSnapshot, WordTotals
from muninn_core.model.answer import AskedRepository
from muninn_core.model.citation import Citation
from muninn_core.model.memory import Memory
from muninn_core.model.value import ValidationError, Value, decode_json, encode_json, replace, to_plain
from muninn_core.model.value import from_plain as value_of
from muninn_core.protocol.families.code import SymbolsParams
from muninn_core.protocol.families.inspection import MemoriesParams

if TYPE_CHECKING:
    from muninn_core.index.snapshot import Snapshot

ORG = "org"
"""The name of the organisation in `repos`, and the beginning of the names of its repositories."""

PAUSE_SECONDS = 30.0
"""How long a server that did not answer is left alone."""

_LISTS: Mapping[type[Value], str] = {
    SymbolsParams: "list_symbols",
    MemoriesParams: "list_memories",
    ImportersParams: "list_importers",
}
"""The verbs of the server that list, by the type of the parameters. For other parameters the verb is `offer`."""

_MAX_TOKEN = 20_000
_REFUSED = (401, 403)


class NoAnswer(Exception):
    """The server did not answer in a form that can be read; the message says why."""


class RemoteRepository:
    """A repository of the organisation, with what answers ask of a repository of this machine."""

    def __init__(self, listed: ListedRepository, branch: RemoteBranch) -> None:
        self.listed = listed
        self._head = git.Head(commit=branch.commits[0], branch=branch.ref)

    @property
    def citations(self) -> RemoteRepository:
        """Judges citations: there are none, since no work tree of it is here."""
        return self

    @property
    def origins(self) -> RemoteRepository:
        """Names the packs that files come from: there are none."""
        return self

    def head(self) -> git.Head:
        """Return the commit and branch as they were pushed."""
        return self._head

    def checker(self) -> RemoteRepository:
        """Return itself."""
        return self

    def judge(self, _memory: Memory) -> Sequence[Citation]:
        """Return no citations."""
        return ()

    def origin_of(self, _path: str) -> str:
        """Return "": no file is from a pack."""
        return ""


class Answered(NamedTuple):
    """The repositories with candidates, and why the organisation was not asked.

    `more` counts the results of a list that its server left out, and `note` says what else the list lacks.
    """

    members: Sequence[RemoteRepository] = ()
    parts: Sequence[Part] = ()
    skipped: Sequence[AskedRepository] = ()
    more: int = 0
    note: str = ""


class Organisation:
    """The server that the user's settings name. Safe to use from several threads."""

    def __init__(self, settings_file: Path | None, environ: Mapping[str, str] = MappingProxyType({})) -> None:
        """With `settings_file` None no organisation is asked. `environ` may have the token."""
        self._file = settings_file
        self._environ = environ
        self._lock = threading.Lock()
        self._read: tuple[object, OrgSettings, str] = (None, OrgSettings(), "")
        self._away: tuple[float, str] = (0.0, "")

    def is_asked(self, names: Sequence[str]) -> bool:
        """Whether a question is put to the organisation that names these other repositories."""
        settings, problem = self._settings()
        return bool(settings.url or problem) and (settings.ask == "always" or ORG in names or "all" in names)

    def ask(self, question: Value, models: tuple[tuple[str, int], tuple[str, int]], roots: Iterable[Path]) -> Answered:
        """Return the candidates of a question in all repositories but those of `roots`, which are on this machine.

        `question` are parameters of recall or of a list; `models` are (name, dimension) of the embedder and the
        text encoder. When the server does not answer, or refuses the question, the reason is in `skipped`.
        """
        settings, problem = self._settings()
        if problem:
            return Answered(skipped=[_skipped(settings, problem, "Correct ~/.config/muninn/config.yaml.")])
        until, reason = self._away
        if time.monotonic() < until:
            return Answered(skipped=[_skipped(settings, reason, "It is asked again within half a minute.")])
        try:
            found = self._found(settings, question)
        except NoAnswer as error:
            reason = f"its server does not answer: {error}"
            with self._lock:
                self._away = (time.monotonic() + PAUSE_SECONDS, reason)
            return Answered(skipped=[_skipped(settings, reason, "This answer is from this machine alone.")])
        except MuninnError as error:
            return Answered(skipped=[_skipped(settings, error.message, error.hint)])
        if isinstance(found, Listing):
            return _listed(settings, found, roots)
        return _answered(settings, found, models, roots)

    def _settings(self) -> tuple[OrgSettings, str]:
        """Return the settings and what is wrong with them. The file is read again when it has changed."""
        if self._file is None:
            return OrgSettings(), ""
        try:
            status = self._file.stat()
        except OSError:
            return OrgSettings(), ""
        key = (status.st_mtime_ns, status.st_size, status.st_ino)
        if self._read[0] != key:
            found = load_org_settings(self._file)
            self._read = (key, found.settings, found.problem if found.problem.startswith("org:") else "")
            self._away = (0.0, "")
        return self._read[1:]

    def _found(self, settings: OrgSettings, question: Value) -> RemoteCandidates | Listing:
        verb = _LISTS.get(type(question), "offer")
        kind: type[RemoteCandidates | Listing] = RemoteCandidates if verb == "offer" else Listing
        query = urlencode([("repository", each) for each in settings.repositories])
        url = f"{settings.url.rstrip('/')}/rpc" + (f"?{query}" if query else "")
        message = {"jsonrpc": "2.0", "id": 1, "method": f"muninn/{verb}", "params": to_plain(question)}
        headers = {"authorization": f"Bearer {_token(settings, self._environ)}"}
        answer = _decoded(_post(url, headers, encode_json(message), settings.timeout_seconds))
        if "error" in answer:
            raise from_plain(answer["error"])
        try:
            return value_of(answer.get("result"), kind)
        except ValidationError as error:
            raise NoAnswer(f"its answer has another form than this version reads: {error}") from None


def _post(url: str, headers: Mapping[str, str], body: bytes, seconds: float) -> str:
    """Return the body of an answer. Raises NoAnswer, and RefusedError for a token that the server refuses."""
    from muninn_core.models.http import HttpFailure, posted

    try:
        with posted(url, headers, body, seconds) as lines:
            return "".join(lines)
    except HttpFailure as error:
        if error.status in _REFUSED:
            raise RefusedError(
                "its server refuses the token",
                hint="`muninn org token create` creates one; put it into `org.token` of your settings.",
            ) from None
        raise NoAnswer(error.reason[:200]) from None
    except ModelError as error:
        raise NoAnswer(error.message) from None


def _decoded(text: str) -> dict[str, Any]:
    """Return a JSON object. Raises NoAnswer for anything else."""
    try:
        found = decode_json(text)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise NoAnswer("it sent no JSON object")
    return found


def _answered(
    settings: OrgSettings,
    found: RemoteCandidates,
    models: tuple[tuple[str, int], tuple[str, int]],
    roots: Iterable[Path],
) -> Answered:
    """Return the repositories of the candidates as parts of a search."""
    own = _on_this_machine(found.branches, roots)
    totals = WordTotals(found.documents, found.lengths, found.frequencies)
    members, parts = [], []
    for branch in found.branches:
        if branch.repository in own:
            continue
        name = f"{ORG}:{branch.repository.replace('/', ':')}"
        chunks = [
            each if found.encoder == models[1] else replace(each, encoding=None, states=None)
            for each in found.chunks
            if each.repository == branch.repository
        ]
        files = [each for each in found.files if each.repository == branch.repository]
        memories = {
            each.id: replace(each, repository=name) for each in found.memories if each.repository == branch.repository
        }
        # It has all that a search reads. Definitions and imports, which a search does not read, are not sent.
        snapshot = cast("Snapshot", RemoteSnapshot(chunks, files, totals, branch.generation))
        totals = NO_TOTALS
        members.append(RemoteRepository(ListedRepository(name=name, path=settings.url), branch))
        parts.append(Part(name, snapshot, memories, found.embedder == models[0]))
    return Answered(members, parts)


def _listed(settings: OrgSettings, listing: Listing, roots: Iterable[Path]) -> Answered:
    """Return the repositories of a list, with what it has of each and nothing to search."""
    own = _on_this_machine(listing.branches, roots)
    members, parts = [], []
    for branch in listing.branches:
        if branch.repository in own:
            continue
        name = f"{ORG}:{branch.repository.replace('/', ':')}"
        symbols = [each for each in listing.symbols if each.repository == branch.repository]
        memories = {
            each.id: replace(each, repository=name) for each in listing.memories if each.repository == branch.repository
        }
        importers = [each for each in listing.importers if each.repository == branch.repository]
        snapshot = cast("Snapshot", RemoteSnapshot([], [], NO_TOTALS, branch.generation, symbols, importers))
        members.append(RemoteRepository(ListedRepository(name=name, path=settings.url), branch))
        parts.append(Part(name, snapshot, memories))
    listed = len(listing.symbols) + len(listing.memories) + len(listing.importers)
    return Answered(members, parts, more=listing.total - listed, note=listing.note)


def _on_this_machine(branches: Sequence[RemoteBranch], roots: Iterable[Path]) -> set[str]:
    """Return the names of the repositories that are on this machine: those that have one of the pushed commits."""
    found: set[str] = set()
    for root in roots:
        left = [each for each in branches if each.repository not in found]
        known = git.known_commits(root, [commit for each in left for commit in each.commits])
        found.update(each.repository for each in left if known.intersection(each.commits))
    return found


def _token(settings: OrgSettings, environ: Mapping[str, str]) -> str:
    """Return the token. Raises RefusedError without one."""
    form, _, rest = settings.token.partition(":")
    if form == "env":
        found = environ.get(rest, "")
        if not found:
            raise RefusedError(f"there is no token in {rest}", hint=f"Set {rest} and restart the daemon.")
        return found
    path = Path(rest).expanduser()
    try:
        if os.name == "posix" and stat.S_IMODE(path.stat().st_mode) & 0o077:
            raise RefusedError(f"others can read {path}", hint=f"chmod 600 {path}")
        with path.open(encoding="ascii") as file:
            return file.read(_MAX_TOKEN).strip()
    except (OSError, ValueError) as error:
        raise RefusedError(
            f"the token in {path} can't be read: {error}", hint="Write it there, with mode 600."
        ) from None


def _skipped(settings: OrgSettings, reason: str, hint: str) -> AskedRepository:
    host = urlsplit(settings.url).hostname or ""
    return AskedRepository(name=ORG, path=host, skipped=reason, hint=hint)
