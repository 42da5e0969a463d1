"""Which paths are left out of the index: by default, by `.gitignore` and by `.muninnignore`.

The only importer of pathspec. All patterns have the syntax of .gitignore; the last one that matches decides, so that
a `!pattern` in the configuration or in a `.muninnignore` brings back what a default leaves out.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pathspec

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

IGNORE_FILE = ".muninnignore"

ALWAYS_OUT: tuple[str, ...] = (".git", ".muninn")
"""Folders that are never indexed: git's own, and ours, whose settings are no code; memories come from the log."""

ALWAYS_IN: tuple[str, ...] = (".muninn/knowledge", ".muninn/packs")
"""Folders in them that are indexed, even where git ignores them."""

_MACHINERY = re.compile(r"\.muninn/packs/(\.|[^/]+/pack\.json$)")


def is_pack_machinery(path: str) -> bool:
    """Whether a path is a pack's manifest, or belongs to a pack that is just being written or taken away."""
    return _MACHINERY.match(path) is not None


DEFAULT_EXCLUDE: tuple[str, ...] = (
    # Lock files: generated, large, and full of words that answer nothing.
    *("package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lockb", "bun.lock", "deno.lock"),
    *("poetry.lock", "Pipfile.lock", "pdm.lock", "uv.lock", "Cargo.lock", "Gemfile.lock", "composer.lock", "go.sum"),
    *("gradle.lockfile", "packages.lock.json", "mix.lock", "pubspec.lock", "flake.lock", "Package.resolved"),
    # Minified and bundled code, source maps.
    *("*.min.js", "*.min.css", "*.min.mjs", "*.bundle.js", "*.map", "*-min.js", "*.chunk.js"),
    # Translation catalogues, which hold each phrase once a language.
    *("*.po", "*.pot", "*.mo", "*.xlf", "*.xliff", "*.resx"),
    # Data and pictures that are text.
    *("*.svg", "*.csv", "*.tsv", "*.ipynb", "*.geojson", "*.jsonl", "*.ndjson", "*.log", "*.diff", "*.patch"),
    *("*.snap", "*.cast", "*.pem", "*.crt", "*.key", "*.asc", "*.eps", "*.ps", "*.dxf", "*.obj", "*.stl"),
    # Dependencies and output that somebody checked in, or that lies in a folder without git.
    *("node_modules/", "bower_components/", ".venv/", "venv/", "__pycache__/", "site-packages/", ".tox/", ".nox/"),
    *(".mypy_cache/", ".ruff_cache/", ".pytest_cache/", ".hypothesis/", ".gradle/", ".idea/", ".hg/", ".svn/"),
    *(".terraform/", ".next/", ".nuxt/", "*.egg-info/"),
    # What `muninn install` writes for agents: the wiring of tools on one machine, and copies of files that are there.
    *("*.muninn-backup", "*.muninn-kept", ".claude/settings.local.json", ".opencode/plugins/muninn.ts"),
)
"""What is left out unless the configuration says otherwise (`!pattern` there brings it back)."""

_BINARY = """
png jpg jpeg gif bmp ico icns webp avif tif tiff psd mp3 mp4 m4a wav ogg webm mov avi mkv flac zip gz tgz bz2 xz zst 7z
rar tar jar war whl egg deb rpm apk dmg iso exe dll so dylib a o lib obj class pyc pyo wasm bin dat db sqlite sqlite3
pdf doc docx xls xlsx ppt pptx odt ods ttf otf woff woff2 eot npy npz pt onnx safetensors pkl gmo shp dbf shx sbn
"""

BINARY_SUFFIXES: frozenset[str] = frozenset(_BINARY.split())
"""Suffixes that are not even opened."""


def compile_patterns(lines: Iterable[str]) -> pathspec.GitIgnoreSpec:
    """Compile lines of .gitignore syntax. Raises ValueError, which names the pattern, on one that can't be read."""
    return pathspec.GitIgnoreSpec.from_lines(lines)


class IgnoreTree:
    """Decides for the paths below one root; reads the ignore files of each folder once, when first asked.

    `names` are the ignore files in force: both kinds where git is not there to apply its own.
    """

    def __init__(self, root: Path, names: tuple[str, ...], exclude: tuple[str, ...]) -> None:
        self._root = root
        self._names = names
        self._defaults = compile_patterns([*DEFAULT_EXCLUDE, *filter(_readable, exclude)])
        self._specs: dict[str, pathspec.GitIgnoreSpec | None] = {}
        self._folders: dict[str, bool] = {"": False}

    def excluded_by_default(self, path: str) -> bool:
        """Whether the built-in list or the configuration leaves out a file, and no ignore file brings it back."""
        return bool(self._defaults.match_file(path)) and self._verdict(path) is not False

    def ignored(self, path: str) -> bool:
        """Whether an ignore file leaves out a file or one of the folders that it is in."""
        return self.folder_ignored(path.rpartition("/")[0]) or bool(self._verdict(path))

    def folder_ignored(self, folder: str) -> bool:
        """Whether an ignore file leaves out a folder ("" is the root), so that nothing below it can come back."""
        known = self._folders.get(folder)
        if known is None:
            above = folder.rpartition("/")[0]
            known = self._folders[folder] = self.folder_ignored(above) or bool(self._verdict(folder + "/"))
        return known

    def _verdict(self, path: str) -> bool | None:
        """Return what the nearest ignore file says of a path: True out, False brought back, None nothing."""
        folder = path.rstrip("/").rpartition("/")[0]
        while True:
            spec = self._spec(folder)
            if spec is not None:
                inner = path[len(folder) + 1 :] if folder else path
                include = spec.check_file(inner).include
                if include is not None:
                    return bool(include)
            if not folder:
                return None
            folder = folder.rpartition("/")[0]

    def _spec(self, folder: str) -> pathspec.GitIgnoreSpec | None:
        if folder not in self._specs:
            self._specs[folder] = self._load(folder)
        return self._specs[folder]

    def _load(self, folder: str) -> pathspec.GitIgnoreSpec | None:
        lines: list[str] = []
        for name in self._names:
            try:
                found = (self._root / folder / name).read_text("utf-8", "replace").splitlines()
            except OSError:
                continue
            lines += [line for line in found if _readable(line)]
        return compile_patterns(lines) if lines else None


def _readable(line: str) -> bool:
    """Whether a line of an ignore file or of the configuration is a pattern; git passes over others, and so do we."""
    try:
        compile_patterns([line])
    except ValueError:
        return False
    return True
