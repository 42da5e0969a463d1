"""The verbs of the family `repositories`."""

from __future__ import annotations

import contextlib
from pathlib import Path

from muninn_core.engine import reports
from muninn_core.engine.verbs.base import Verbs
from muninn_core.errors import BadParams, NotARepository, NotFoundError, NotInitialised
from muninn_core.federation.member import location_of
from muninn_core.federation.registry import REPOSITORIES, ListedRepository, check_name, proposed_name
from muninn_core.federation.scan import scan
from muninn_core.launch.repository_location import RepositoryLocation, locate
from muninn_core.protocol.families.repositories import (
    FoundRepository,
    ReposAddParams,
    ReposAddResult,
    ReposListParams,
    ReposListResult,
    ReposRemoveParams,
    ReposRemoveResult,
    ReposScanParams,
    ReposScanResult,
)
from muninn_core.worktree.call_context import CallContext


class RepositoriesVerbs(Verbs):
    """Keep the user's list of repositories. They work without `.muninn` in the repository that is asked."""

    def repos_add(self, params: ReposAddParams, call: CallContext) -> ReposAddResult:
        """Add a repository to the list."""
        try:
            location = locate(str(Path(call.location.root, params.path)))
        except NotARepository as error:
            raise NotARepository(error.message, hint="Give the path of a repository on this machine.") from None
        listed = self._listed(location)
        if params.name:
            check_name(params.name)
        name = params.name or (listed.name if listed is not None else self._free_name(location))
        entry = ListedRepository(name=name, path=location.root, rules=params.rules)
        if not Path(location.root, ".muninn").is_dir():
            raise NotInitialised(
                f"{location.root} has no .muninn", hint=f"`muninn init --repo {location.root}` creates it."
            )
        location_of(entry)
        self.repositories.registry.add(entry)
        return ReposAddResult(
            repository=self.repositories.state(entry, call.location),
            renamed=not params.name and name != location.project,
            saw=reports.bare_state(call.location),
        )

    def repos_list(self, _params: ReposListParams, call: CallContext) -> ReposListResult:
        """List the repositories with their states."""
        found = self.repositories.overview(call.location)
        return ReposListResult(repositories=found, list_file=REPOSITORIES, saw=reports.bare_state(call.location))

    def repos_remove(self, params: ReposRemoveParams, call: CallContext) -> ReposRemoveResult:
        """Remove a repository from the list."""
        gone = self.repositories.registry.remove(params.name)
        return ReposRemoveResult(name=gone.name, path=gone.path, saw=reports.bare_state(call.location))

    def repos_scan(self, params: ReposScanParams, call: CallContext) -> ReposScanResult:
        """Find the repositories below a folder."""
        folder = Path(call.location.root, params.path)
        is_folder = False
        with contextlib.suppress(OSError):  # the path is too long, for example
            is_folder = folder.is_dir()
        if not is_folder:
            raise NotFoundError(f"{folder} is not a folder", hint="Give the folder that has your repositories.")
        result = scan(folder, call.raise_if_cancelled)
        found = [self._found(location, add=params.add) for location in result.locations]
        return ReposScanResult(found=tuple(found), complete=result.complete, saw=reports.bare_state(call.location))

    def _found(self, location: RepositoryLocation, *, add: bool) -> FoundRepository:
        listed = self._listed(location)
        if listed is not None:
            return FoundRepository(name=listed.name, path=location.root, listed=True)
        name = self._free_name(location)
        if add:
            self.repositories.registry.add(ListedRepository(name=name, path=location.root))
        return FoundRepository(name=name, path=location.root, listed=add, added=add)

    def _listed(self, location: RepositoryLocation) -> ListedRepository | None:
        """Return the entry of a work tree, None when it is not in the list."""
        return next((each for each in self.repositories.registry.entries() if each.path == location.root), None)

    def _free_name(self, location: RepositoryLocation) -> str:
        try:
            return proposed_name(location.project, (each.name for each in self.repositories.registry.entries()))
        except StopIteration:
            raise BadParams(
                "the list has no room for another name", hint="`muninn repos remove NAME` takes one out."
            ) from None
