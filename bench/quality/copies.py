"""Copies the measured repositories to plain folders without `.git`, and blanks the lines that the data lists.

Sources are repositories on this machine, bare git directories (`MIRRORS/OWNER+NAME/repo`) and published archives.
Nothing is downloaded.
"""

from __future__ import annotations

import hashlib
import io
import shutil
import subprocess
import tarfile
from pathlib import Path

from bench.harness.archive import guarded
from bench.quality.questions import Data

_DONE = ".laid-out"


class Copies:
    """The copies below `cache`, one per set and source, each created on first use."""

    def __init__(self, data: Data, cache: Path, mirrors: Path, archives: Path) -> None:
        self._data = data
        self._cache = cache
        self._mirrors = mirrors
        self._archives = archives

    def folder(self, dataset: str, source: str) -> Path:
        """Return the copy of a source for a set.

        Raises FileNotFoundError when the mirror or archive is missing, ValueError when the archive's checksum
        differs from that of the data.
        """
        edits = self._data.edits.get(dataset, {}).get(source, {})
        state = hashlib.sha256(repr((source, sorted(edits.items()))).encode()).hexdigest()[:12]
        folder = self._cache / "copies" / f"{dataset}-{state}"
        if (folder / _DONE).exists():
            return folder / "tree"
        shutil.rmtree(folder, ignore_errors=True)
        tree = folder / "tree"
        tree.mkdir(parents=True)
        if ":" in source:
            self._unpack(source, tree)
        else:
            self._check_out(source, tree)
        for path, spans in edits.items():
            _blank(tree / path, spans)
        (folder / _DONE).touch()
        return tree

    def _check_out(self, source: str, tree: Path) -> None:
        mirror, commit = source.rsplit("@", 1)
        place = self._data.repositories.get(mirror, self._mirrors / mirror / "repo")
        if not place.is_dir():
            raise FileNotFoundError(f"there is no mirror of {mirror} in {self._mirrors}: name its folder by --mirrors")
        packed = subprocess.run(
            ["git", "-C", str(place), "archive", "--format=tar", commit], check=True, capture_output=True
        ).stdout
        with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
            guarded(archive).extractall(tree)

    def _unpack(self, source: str, tree: Path) -> None:
        name, checksum = _archive_of(self._data.archives, source)
        file = self._archives / name
        if not file.is_file():
            raise FileNotFoundError(
                f"{name} is not in {self._archives}: `pip download --no-deps --no-binary :all:`, `npm pack` or "
                "`apt-get source --download-only` gets it; name its folder by --archives"
            )
        data = file.read_bytes()
        if hashlib.sha256(data).hexdigest() != checksum:
            raise ValueError(f"{file} is not the archive that the questions were made from: its checksum differs")
        with tarfile.open(fileobj=io.BytesIO(data)) as archive:
            guarded(archive)
            # An archive holds one top folder, whose name varies.
            for member in archive.getmembers():
                inner = member.name.partition("/")[2]
                if inner and member.isfile():
                    member.name = inner
                    archive.extract(member, tree)


def _archive_of(archives: dict[str, tuple[str, str]], source: str) -> tuple[str, str]:
    """Return (file name, sha256). The archive of a release without a version is keyed without one."""
    name, _, version = source.rpartition("@")
    for key in (f"{name}=={version}", f"{name}=="):
        if key in archives:
            return archives[key]
    raise FileNotFoundError(f"the data names no archive for {source}")


def _blank(file: Path, spans: list[list[int]]) -> None:
    """Empty the lines and keep their line ends, so that line numbers do not change."""
    lines = file.read_bytes().splitlines(keepends=True)
    for first, last in spans:
        for number in range(first - 1, min(last, len(lines))):
            line = lines[number]
            lines[number] = b"\r\n" if line.endswith(b"\r\n") else b"\n" if line.endswith(b"\n") else b""
    file.write_bytes(b"".join(lines))
