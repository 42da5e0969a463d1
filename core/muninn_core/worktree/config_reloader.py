"""The configuration of a work tree, reloaded when one of its files has changed."""

from __future__ import annotations

import threading
from contextlib import suppress
from pathlib import Path

from muninn_core.config import OWN_SETTINGS, Config, ConfigProblem, load_config, load_own_settings
from muninn_core.config.otel_settings import otel_problems
from muninn_core.config.schema import SCHEMA_NAME, schema_bytes
from muninn_core.errors import MuninnError
from muninn_core.launch.repository_location import RepositoryLocation
from muninn_core.regular_file import FileVersion, file_version
from muninn_core.store.files.disk import write_unflushed
from muninn_core.store.files.layout import Layout


class ConfigReloader:
    """`.muninn/config.yaml` with the user's own settings for the repository, from `home`. Safe for several threads."""

    config: Config
    problems: tuple[ConfigProblem, ...]
    own_problems: tuple[ConfigProblem, ...]
    """Those of the user's own settings."""

    def __init__(self, location: RepositoryLocation, layout: Layout, home: Path | None) -> None:
        self._location = location
        self._layout = layout
        self._own = home / OWN_SETTINGS.removeprefix("~/") if home is not None else None
        self._reading = threading.RLock()
        self.read()

    def follow(self) -> bool:
        """Read the files again if one has changed; return whether it has. It takes 5 µs where none has."""
        with self._reading:
            if self._files() == self._seen or not self._layout.muninn.is_dir():
                return False
            self.read()
            return True

    def read(self) -> None:
        """Read the files again."""
        with self._reading:
            self._seen = self._files()  # before they are read: a change meanwhile is read with the next call
            config, self.problems = load_config(self._layout.config)
            own_problems: tuple[ConfigProblem, ...] = ()
            if self._own is not None:
                config, own_problems = load_own_settings(self._own, self._location.root, config)
                own_problems += otel_problems(self._own)
            self.config, self.own_problems = config, own_problems

    def place_schema(self) -> None:
        """Put the JSON schema of this version where the first line of `config.yaml` names it."""
        path, wanted = self._layout.muninn / "cache" / SCHEMA_NAME, schema_bytes()
        with suppress(OSError, MuninnError):  # only editors of that file use it
            if not path.is_file() or path.read_bytes() != wanted:
                write_unflushed(path, [wanted])

    def _files(self) -> list[FileVersion | None]:
        """Return the versions of the files."""
        return [file_version(path) for path in (self._layout.config, self._own) if path is not None]
