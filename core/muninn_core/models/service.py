"""The models of a user for the verbs of one process: settings, keys, ledger, and a client once one is needed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from muninn_core.config.model_settings import ModelSettings, load_model_settings
from muninn_core.errors import ModelError
from muninn_core.models.keys import Keys
from muninn_core.models.ledger import Ledger

if TYPE_CHECKING:
    from muninn_core.models.client import ModelClient


class ModelService:
    """`settings_file` and `folder` are the user's own settings and data; None where there are none."""

    def __init__(
        self,
        *,
        settings_file: Path | None,
        folder: Path | None,
        environ: Mapping[str, str],
        clock: Callable[[], datetime],
        new_id: Callable[[], str],
    ) -> None:
        self.settings_file = settings_file
        self.keys = Keys(environ)
        self._ledger = Ledger(folder, clock=clock) if folder is not None else None
        self._environ = environ
        self._clock = clock
        self._new_id = new_id
        self._client: ModelClient | None = None
        self._settings: dict[str, tuple[tuple[int, int, int], ModelSettings]] = {}

    @property
    def has_settings(self) -> bool:
        """Whether the user has a file of own settings; only then they need to be read."""
        return self.settings_file is not None and self.settings_file.exists()

    def settings(self, root: str) -> ModelSettings:
        """Return the settings for the repository at `root`, as they are in the file now. Cheap while it is the same."""
        if self.settings_file is None:
            return ModelSettings()
        try:
            status = self.settings_file.stat()
        except OSError:
            return load_model_settings(self.settings_file, root)
        stamp = (status.st_mtime_ns, status.st_size, status.st_ino)
        known = self._settings.get(root)
        if known is None or known[0] != stamp:
            known = self._settings[root] = (stamp, load_model_settings(self.settings_file, root))
        return known[1]

    @property
    def ledger(self) -> Ledger:
        """The ledger. Raises ModelError where there is no place for it."""
        if self._ledger is None:
            raise ModelError("there is no folder for the ledger of models, so no model is asked")
        return self._ledger

    @property
    def client(self) -> ModelClient:
        """The client. Only the first use loads the HTTP library."""
        if self._client is None:
            from muninn_core.models.client import ModelClient

            self._client = ModelClient(
                ledger=self.ledger, keys=self.keys, environ=self._environ, clock=self._clock, new_id=self._new_id
            )
        return self._client
