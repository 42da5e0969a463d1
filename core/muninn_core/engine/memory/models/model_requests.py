"""Requests about a work tree's memories to one route of the user's settings."""

from __future__ import annotations

from collections.abc import Callable

from muninn_core.config.model_settings import ModelSettings
from muninn_core.engine.memory.models.reports import sum_up
from muninn_core.models.client import BilledAnswer
from muninn_core.models.ledger import Entry
from muninn_core.models.prompt import Prompt
from muninn_core.models.service import ModelService
from muninn_core.protocol.families.models import Spent
from muninn_core.worktree.workspace import Workspace


class ModelRequests:
    """Asks one route, and sums up what the answers cost. Not safe for several threads.

    The ledger notes `session` ("" for none) with each request. Secrets of the repository's own patterns are masked.
    """

    def __init__(
        self, workspace: Workspace, models: ModelService, settings: ModelSettings, route: str, session: str
    ) -> None:
        self.workspace = workspace
        self.session = session
        self._models = models
        self._settings = settings
        self._route = route
        self._entries: list[Entry] = []

    def ask(self, prompt: Prompt, cancelled: Callable[[], bool]) -> BilledAnswer:
        """Return the model's answer. Raises what `ModelClient.ask` raises: ModelError or Cancelled."""
        answered = self._models.client.ask(
            self._settings,
            self._route,
            prompt,
            patterns=self.workspace.config.memory.secrets,
            repository=self.workspace.location.root,
            session=self.session,
            cancelled=cancelled,
        )
        self._entries.append(answered.entry)
        return answered

    @property
    def spent(self) -> Spent:
        """What the answers cost so far."""
        return sum_up(self._entries)
