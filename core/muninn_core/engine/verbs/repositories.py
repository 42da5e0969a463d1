"""The verbs of the family `repositories`."""

from __future__ import annotations

import contextlib
from pathlib import Path

from muninn_core.engine import reports
from muninn_core.engine.verbs.base import Verbs
from muninn_core.errors import BadParams, NotFoundError
from muninn_core.federation.member import place_of
from muninn_core.federation.registry import REPOSITORIES, ListedRepository, check_name, proposed_name
from muninn_core.federation.scan import scan
from muninn_core.launch.repository_location import RepositoryLocation, locate
from muninn_core.protocol.repositories import (
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
        place = locate(str(Path(call.place.root, params.path)))
        listed = self._listed(place)
        if params.name:
            check_name(params.name)
        name = params.name or (listed.name if listed is not None else self._free_name(place))
        entry = ListedRepository(name=name, path=place.root, rules=params.rules)
        place_of(entry)
        self.repositories.registry.add(entry)
        return ReposAddResult(
            repository=self.repositories.state(entry, call.place),
            renamed=not params.name and name != place.project,
            saw=reports.bare_state(call.place),
        )

    def repos_list(self, _params: ReposListParams, call: CallContext) -> ReposListResult:
        """List the repositories with their states."""
        found = self.repositories.overview(call.place)
        return ReposListResult(repositories=found, list_file=REPOSITORIES, saw=reports.bare_state(call.place))

    def repos_remove(self, params: ReposRemoveParams, call: CallContext) -> ReposRemoveResult:
        """Remove a repository from the list."""
        gone = self.repositories.registry.remove(params.name)
        return ReposRemoveResult(name=gone.name, path=gone.path, saw=reports.bare_state(call.place))

    def repos_scan(self, params: ReposScanParams, call: CallContext) -> ReposScanResult:
        """Find the repositories below a folder."""
        folder = Path(call.place.root, params.path)
        is_folder = False
        with contextlib.suppress(OSError):  # the path is too long, for example
            is_folder = folder.is_dir()
        if not is_folder:
            raise NotFoundError(f"{folder} is not a folder", hint="Give the folder that has your repositories.")
        result = scan(folder, call.raise_if_cancelled)
        found = [self._found(place, add=params.add) for place in result.places]
        return ReposScanResult(found=tuple(found), complete=result.complete, saw=reports.bare_state(call.place))

    def _found(self, place: RepositoryLocation, *, add: bool) -> FoundRepository:
        listed = self._listed(place)
        if listed is not None:
            return FoundRepository(name=listed.name, path=place.root, listed=True)
        name = self._free_name(place)
        if add:
            self.repositories.registry.add(ListedRepository(name=name, path=place.root))
        return FoundRepository(name=name, path=place.root, listed=add, added=add)

    def _listed(self, place: RepositoryLocation) -> ListedRepository | None:
        """Return the entry of a work tree, None when it is not in the list."""
        return next((each for each in self.repositories.registry.entries() if each.path == place.root), None)

    def _free_name(self, place: RepositoryLocation) -> str:
        try:
            return proposed_name(place.project, (each.name for each in self.repositories.registry.entries()))
        except StopIteration:
            raise BadParams("the list has no room for another name", hint="`muninn repos remove` some.") from None
