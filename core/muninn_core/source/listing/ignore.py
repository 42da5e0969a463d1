"""Which paths are left out of the index: by default, by `.gitignore` and by `.muninnignore`.

All patterns have the syntax of .gitignore. A `!pattern` in the configuration or in a `.muninnignore` brings back what
the built-in list leaves out.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from muninn_core.gitignore import EXPORT_LIST, IgnoreRules
from muninn_core.regular_file import read_regular

if TYPE_CHECKING:
    from pathlib import Path

IGNORE_FILE = ".muninnignore"

MAX_IGNORE_BYTES = 1_000_000
"""A larger ignore file is not read."""

NEVER_INDEXED: tuple[str, ...] = (".git", ".muninn")
"""Folders that are never indexed: git's data and Muninn's. Memories are indexed from the log, not from files."""

ALWAYS_INDEXED: tuple[str, ...] = (".muninn/knowledge", ".muninn/packs")
"""Folders below `NEVER_INDEXED` that are indexed, even where git ignores them."""

_SPECIAL = re.compile(r"[\\*?\[\]!# ]")
"""Characters with a meaning in a gitignore pattern."""

_PACK_INTERNAL = re.compile(r"\.muninn/packs/(\.|[^/]+/pack\.json$)")


def is_pack_internal(path: str) -> bool:
    """Whether a path is a pack's manifest, or part of a pack that is being written or removed."""
    return _PACK_INTERNAL.match(path) is not None


DEFAULT_EXCLUDE: tuple[str, ...] = (
    # Lock files: generated and large.
    *("package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lockb", "bun.lock", "deno.lock"),
    *("poetry.lock", "Pipfile.lock", "pdm.lock", "uv.lock", "Cargo.lock", "Gemfile.lock", "composer.lock", "go.sum"),
    *("gradle.lockfile", "packages.lock.json", "mix.lock", "pubspec.lock", "flake.lock", "Package.resolved"),
    # Minified and bundled code, source maps.
    *("*.min.js", "*.min.css", "*.min.mjs", "*.bundle.js", "*.map", "*-min.js", "*.chunk.js"),
    # Translation catalogues: the same phrases in every language.
    *("*.po", "*.pot", "*.mo", "*.xlf", "*.xliff", "*.resx"),
    # Data and pictures in text formats.
    *("*.svg", "*.csv", "*.tsv", "*.ipynb", "*.geojson", "*.jsonl", "*.ndjson", "*.log", "*.diff", "*.patch"),
    *("*.snap", "*.cast", "*.pem", "*.crt", "*.key", "*.asc", "*.eps", "*.ps", "*.dxf", "*.obj", "*.stl"),
    # Dependencies and build output, where they are committed or there is no git to ignore them.
    *("node_modules/", "bower_components/", ".venv/", "venv/", "__pycache__/", "site-packages/", ".tox/", ".nox/"),
    *(".mypy_cache/", ".ruff_cache/", ".pytest_cache/", ".hypothesis/", ".gradle/", ".idea/", ".hg/", ".svn/"),
    *(".terraform/", ".next/", ".nuxt/", "*.egg-info/"),
    # Files that `muninn install` writes for agents: settings of one machine, and backups.
    *("*.muninn-backup", "*.muninn-kept", ".claude/settings.local.json", ".opencode/plugins/muninn.ts"),
)
"""Gitignore patterns of files that are not indexed; a `!pattern` in `index.exclude` brings them back."""

_BINARY = """
png jpg jpeg gif bmp ico icns webp avif tif tiff psd mp3 mp4 m4a wav ogg webm mov avi mkv flac zip gz tgz bz2 xz zst 7z
rar tar jar war whl egg deb rpm apk dmg iso exe dll so dylib a o lib obj class pyc pyo wasm bin dat db sqlite sqlite3
pdf doc docx xls xlsx ppt pptx odt ods ttf otf woff woff2 eot npy npz pt onnx safetensors pkl gmo shp dbf shx sbn
"""

BINARY_SUFFIXES: frozenset[str] = frozenset(_BINARY.split())
"""Suffixes of files that are never opened."""


class IgnoreTree:
    """Decides for the paths below one root. Reads the ignore files of each folder once, when they are first needed.

    `names` are the ignore files that apply: without git both kinds, else those that git does not apply itself.
    `exclude` are patterns of the configuration, which add to `DEFAULT_EXCLUDE`.
    """

    def __init__(self, root: Path, names: tuple[str, ...], exclude: tuple[str, ...]) -> None:
        self._root = root
        self._names = names
        self._defaults = IgnoreRules([*DEFAULT_EXCLUDE, *exclude])
        self._rules: dict[str, IgnoreRules] = {}
        self._folders: dict[str, bool] = {"": False}
        self._decisions: dict[str, bool | None] = {"": None}

    def is_excluded(self, path: str) -> bool:
        """Whether the built-in list or the configuration leaves out a file, and no ignore file brings it back."""
        return self._defaults.excludes(path) and self._decide_around(path) is not False

    def is_ignored(self, path: str) -> bool:
        """Whether an ignore file leaves out a file or one of the folders that it is in."""
        return self.is_folder_ignored(path.rpartition("/")[0]) or bool(self._decide(path))

    def is_folder_ignored(self, folder: str) -> bool:
        """Whether an ignore file leaves out a folder ("" is the root); then nothing below it can come back."""
        known = self._folders.get(folder)
        if known is None:
            above = folder.rpartition("/")[0]
            known = self._folders[folder] = self.is_folder_ignored(above) or bool(self._decide(folder + "/"))
        return known

    def _decide(self, path: str) -> bool | None:
        """Return what the closest ignore file that names a path says: True out, False in, None for no file."""
        folder = path.rstrip("/").rpartition("/")[0]
        while True:
            decision = self._rules_of(folder).decide(path[len(folder) + 1 :] if folder else path)
            if decision is not None or not folder:
                return decision
            folder = folder.rpartition("/")[0]

    def _decide_around(self, path: str) -> bool | None:
        """Return what ignore files say of a file, or else of the closest folder around it that they name."""
        decision = self._decide(path)
        if decision is not None:
            return decision
        folder = path.rstrip("/").rpartition("/")[0]
        if folder not in self._decisions:
            self._decisions[folder] = self._decide_around(folder + "/")
        return self._decisions[folder]

    def _rules_of(self, folder: str) -> IgnoreRules:
        if folder not in self._rules:
            self._rules[folder] = self._load(folder)
        return self._rules[folder]

    def _load(self, folder: str) -> IgnoreRules:
        lines: list[str] = []
        for name in self._names:
            try:
                text = read_regular(self._root / folder / name, MAX_IGNORE_BYTES).decode("utf-8", "replace")
            except OSError:
                continue
            lines += text.removeprefix("\ufeff").split("\n")
        return IgnoreRules([*lines, *_exported(self._root / folder)])


def _exported(folder: Path) -> list[str]:
    """Return patterns for the files of an export into a folder; [] where there is none, or its list is damaged."""
    try:
        listed = json.loads(read_regular(folder / EXPORT_LIST, MAX_IGNORE_BYTES))
    except (OSError, ValueError, RecursionError):
        return []
    paths = [path for path in listed if isinstance(path, str)] if isinstance(listed, list) else []
    return ["/" + _SPECIAL.sub(r"\\\g<0>", path) for path in (*paths, EXPORT_LIST)]
