"""The packs of a work tree, below `.muninn/packs`: put there, replaced, taken away, each in one step.

A new pack is written beside its place under a hidden name and renamed into it; the old one is renamed out of the way
first. `heal` ends what an interruption left between two renames. Hidden names are neither indexed nor kept by git.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from muninn_core.errors import BadParams, MuninnError, NotFoundError, StorageError, UsageError
from muninn_core.model.value import Value
from muninn_core.store.disk import move, remove_tree, write_tree
from muninn_core.store.layout import Layout
from muninn_core.store.pack.manifest import MANIFEST, MANIFEST_BYTES, Manifest, check_name, fits, read_manifest
from muninn_core.store.pack.source import Pack

_FRESH, _STALE = ".new.tmp", ".old.tmp"


class InstalledPack(Value):
    """A pack that is here. `edited` are files that are not as the manifest says: changed, gone or added.

    `manifest` is None for one whose manifest can't be read; `problem` says why.
    """

    name: str
    manifest: Manifest | None
    edited: tuple[str, ...] = ()
    problem: str = ""


def installed_packs(layout: Layout) -> tuple[InstalledPack, ...]:
    """Return the packs of a work tree by name. Raises StorageError for a file that can't be read."""
    if not layout.packs.is_dir():
        return ()
    names = sorted(path.name for path in layout.packs.iterdir() if path.is_dir() and not path.name.startswith("."))
    return tuple(_look(layout, name) for name in names)


def find(layout: Layout, name: str) -> InstalledPack:
    """Return one pack. Raises NotFoundError when it is not here."""
    check_name(name)
    if not (layout.packs / name).is_dir():
        known = ", ".join(pack.name for pack in installed_packs(layout))
        raise NotFoundError(
            f"there is no pack '{name}' here", hint=f"There are {known}." if known else "There is none."
        )
    return _look(layout, name)


def put(layout: Layout, pack: Pack) -> None:
    """Put a new pack on the shelf. Raises UsageError when one of its name is here, StorageError or ReadOnlyError."""
    _check_shelf(layout)
    place = layout.packs / pack.manifest.name
    if os.path.lexists(place):
        raise UsageError(
            f"there is a pack '{pack.manifest.name}' already",
            hint="`muninn pack update PATH` takes in another version.",
        )
    fresh = _fresh(layout, pack.manifest.name)
    remove_tree(fresh)
    write_tree(fresh, pack.files)
    move(fresh, place)


def exchange(layout: Layout, pack: Pack) -> None:
    """Put a pack in the place of the one of its name. Raises StorageError or ReadOnlyError."""
    _check_shelf(layout)
    name = pack.manifest.name
    fresh, stale = _fresh(layout, name), _stale(layout, name)
    remove_tree(fresh)
    remove_tree(stale)
    write_tree(fresh, pack.files)
    try:
        move(layout.packs / name, stale)
        move(fresh, layout.packs / name)
    except MuninnError:
        with suppress(MuninnError):  # the next verb, or the next start, tries again
            heal(layout)
        raise
    remove_tree(stale)


def take_away(layout: Layout, name: str) -> None:
    """Take a pack from the shelf. Raises StorageError or ReadOnlyError."""
    _check_shelf(layout)
    # Renamed to the fresh one's name: a fresh one without an old one beside it is what `heal` deletes.
    remove_tree(_fresh(layout, name))
    move(layout.packs / name, _fresh(layout, name))
    remove_tree(_fresh(layout, name))


def heal(layout: Layout) -> None:
    """End what an interrupted verb began: a pack that was on its way is put in its place, and leftovers go.

    Raises StorageError or ReadOnlyError.
    """
    if layout.packs.is_symlink() or not layout.packs.is_dir():
        return
    for stale in sorted(layout.packs.glob(f".*{_STALE}")):
        name = stale.name.removesuffix(_STALE)[1:]
        place, fresh = layout.packs / name, _fresh(layout, name)
        if not os.path.lexists(place):  # the fresh one is whole: the old one only made way for it after that
            move(fresh if fresh.is_dir() else stale, place)
        remove_tree(stale)
    for fresh in sorted(layout.packs.glob(f".*{_FRESH}")):
        remove_tree(fresh)


def _look(layout: Layout, name: str) -> InstalledPack:
    folder = layout.packs / name
    if folder.is_symlink():
        return InstalledPack(name=name, manifest=None, problem="it is a link, which is not followed")
    there = _files(folder)
    try:
        if MANIFEST not in there:
            raise BadParams(f"there is no {MANIFEST} in it")
        manifest = read_manifest(_read(folder / MANIFEST, MANIFEST_BYTES))
    except BadParams as error:
        return InstalledPack(name=name, manifest=None, edited=tuple(sorted(there)), problem=error.message)
    if manifest.name != name:
        return InstalledPack(
            name=name,
            manifest=manifest,
            edited=tuple(sorted(there)),
            problem=f"its manifest is that of '{manifest.name}'",
        )
    edited = there - {MANIFEST} - {file.path for file in manifest.files}
    for file in manifest.files:
        path = folder / file.path
        if file.path not in there or path.is_symlink() or fits(_read(path, 2 * file.size + 1), file) is None:
            edited.add(file.path)
    return InstalledPack(name=name, manifest=manifest, edited=tuple(sorted(edited)))


def _files(folder: Path) -> set[str]:
    """Return the paths of all that is no folder below a folder; links are not followed."""
    found: set[str] = set()
    for top, folders, names in os.walk(folder):
        links = [name for name in folders if (Path(top) / name).is_symlink()]
        found.update((Path(top) / name).relative_to(folder).as_posix() for name in (*names, *links))
    return found


def _read(path: Path, most: int) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(most + 1)
    except OSError as error:
        raise StorageError(f"can't read {path}: {error.strerror}", hint="Check its permissions.") from None


def _check_shelf(layout: Layout) -> None:
    for folder in (layout.muninn, layout.packs):
        if folder.is_symlink():
            raise UsageError(f"{layout.relative(folder)} is a link; packs are written into the repository alone")


def _fresh(layout: Layout, name: str) -> Path:
    return layout.packs / f".{name}{_FRESH}"


def _stale(layout: Layout, name: str) -> Path:
    return layout.packs / f".{name}{_STALE}"
