"""The verbs of the family `repository`."""

from __future__ import annotations

import os
import time

from muninn_core import git
from muninn_core.config.template import template_text
from muninn_core.engine import metrics, readiness, reports
from muninn_core.engine.file import config_settings
from muninn_core.engine.memory.exchange.backfill import memorable_commits
from muninn_core.engine.metrics import Metric
from muninn_core.engine.verbs.base import Verbs
from muninn_core.errors import NotInitialised
from muninn_core.protocol.families.repository import (
    ConfigGetParams,
    ConfigListParams,
    ConfigListResult,
    ConfigResult,
    ConfigSetParams,
    ConfigUnsetParams,
    IndexParams,
    IndexResult,
    InitParams,
    InitResult,
    MetricsParams,
    MetricsResult,
    ReadyParams,
    ReadyResult,
    ShutdownParams,
    ShutdownResult,
    StatusParams,
    StatusResult,
)
from muninn_core.store.files.layout import initialise, prepare_memory
from muninn_core.worktree.call_context import CallContext
from muninn_core.worktree.local.private_layout import layout_at
from muninn_core.worktree.workspace import Workspace

COMMITS_READ = 1_000
"""The newest commits that `init` reads to tell what a backfill would remember."""


class RepositoryVerbs(Verbs):
    """Set up Muninn in a repository, and inspect its daemon and index."""

    def init(self, _params: InitParams, call: CallContext) -> InitResult:
        """Write `.muninn` and open it."""
        layout = layout_at(call.location)
        if any(path.startswith(".muninn/") for path in git.left_out_files(layout.root)):
            raise NotInitialised(
                f"the sparse checkout of {layout.root} leaves .muninn out",
                hint="`git sparse-checkout add .muninn` brings the memory of this repository.",
            )
        deleted = self.trees.get(call.location) if not layout.muninn.is_dir() else None
        if deleted is not None:
            deleted.follow()  # read the deletion, so that deleted memories do not come back with the folder
        with self.trees.opening():
            created = initialise(layout, template_text()) + prepare_memory(layout)
            workspace = self.trees.open(call.location)
        looked, memorable = memorable_commits(workspace, call, COMMITS_READ) if created else (0, 0)
        return InitResult(
            root=call.location.root,
            created=created,
            looked=looked,
            memorable=memorable,
            repositories=git.nested_repositories(workspace.layout.root) if created else (),
            saw=workspace.read_state(),
        )

    def status(self, _params: StatusParams, call: CallContext) -> StatusResult:
        """Report on daemon and work tree; works without `.muninn`."""
        try:
            workspace = self._reading(call)
        except NotInitialised as error:
            workspace, problem = None, error
        if workspace is None:
            return reports.bare_status(call.location, self._process(), problem)
        journal = reports.journal_status(self.journals, call.location)
        return reports.status(workspace, self._process(), journal, self.background_reconcile.state(workspace))

    def _process(self) -> reports.Process:
        return reports.Process(
            version=self.version,
            uptime_seconds=round(time.monotonic() - self._begun, 3),
            clients=self._clients(),
            longest_stall_ms=round(self._longest_stall * 1000, 1),
        )

    def ready(self, _params: ReadyParams, call: CallContext) -> ReadyResult:
        """Check memory, index, journal and projections; works without `.muninn`."""
        checks = tuple(readiness.checks(lambda: self._reading(call), lambda: self.journals.open(call.location)))
        workspace = self.trees.get(call.location)
        return ReadyResult(
            ok=all(check.ok for check in checks),
            checks=checks,
            saw=reports.bare_state(call.location) if workspace is None else workspace.read_state(),
        )

    def metrics(self, _params: MetricsParams, call: CallContext) -> MetricsResult:
        """Return the metrics of the daemon, the work tree and the journal."""
        workspace = self._reading(call)
        return MetricsResult(text=metrics.exposition(self.measure(workspace)), saw=workspace.read_state())

    def measure(self, workspace: Workspace) -> list[Metric]:
        """Return the same as values."""
        return metrics.measure(self.meter, self._process(), workspace, lambda: self.journals.get(workspace.location))

    def index(self, params: IndexParams, call: CallContext) -> IndexResult:
        """Compare the files with the index; with `wait`, answer when all of them are searchable."""
        workspace = self.trees.open(call.location)
        return reports.update_index(workspace, params, call)

    def config_list(self, params: ConfigListParams, call: CallContext) -> ConfigListResult:
        """List the settings."""
        return config_settings.list_settings(self._reading(call), params)

    def config_get(self, params: ConfigGetParams, call: CallContext) -> ConfigResult:
        """Show a setting."""
        return config_settings.show_setting(self._reading(call), params.key)

    def config_set(self, params: ConfigSetParams, call: CallContext) -> ConfigResult:
        """Set a key of the configuration."""
        return config_settings.set_setting(self._writing(call), params.key, params.value)

    def config_unset(self, params: ConfigUnsetParams, call: CallContext) -> ConfigResult:
        """Remove a key from the configuration."""
        return config_settings.unset_setting(self._writing(call), params.key)

    def shutdown(self, _params: ShutdownParams, _call: CallContext) -> ShutdownResult:
        """Return the process id; the daemon stops after this answer."""
        return ShutdownResult(pid=os.getpid())
