"""The packs below `.muninn/packs`: installed, replaced and removed atomically.

A new pack is written to a hidden folder and renamed; the old one is renamed out of the way first. `recover` completes
what an interruption left between two renames. Hidden folders are neither indexed nor tracked.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from muninn_core.errors import BadParams, MuninnError, NotFoundError, StorageError, UsageError
from muninn_core.model.value import Value
from muninn_core.regular_file import FileTooLarge, read_regular
from muninn_core.store.files.disk import move, remove_tree, write_tree
from muninn_core.store.files.layout import Layout
from muninn_core.store.pack.manifest import (
    MANIFEST,
    MAX_MANIFEST_BYTES,
    Manifest,
    check_name,
    matching_content,
    read_manifest,
)
from muninn_core.store.pack.source import Pack

_NEW, _OLD = ".new.tmp", ".old.tmp"


class InstalledPack(Value):
    """An installed pack. `edited` are files that differ from the manifest: changed, missing or added.

    `manifest` is None when it can't be read; `problem` has the reason.
    """

    name: str
    manifest: Manifest | None
    edited: tuple[str, ...] = ()
    problem: str = ""


def installed_packs(layout: Layout) -> tuple[InstalledPack, ...]:
    """Return the packs of a work tree, sorted by name. Raises StorageError for a file that can't be read."""
    if not layout.packs.is_dir():
        return ()
    names = sorted(path.name for path in layout.packs.iterdir() if path.is_dir() and not path.name.startswith("."))
    return tuple(_inspect(layout, name) for name in names)


def find_pack(layout: Layout, name: str) -> InstalledPack:
    """Return one pack. Raises NotFoundError when it is not installed."""
    check_name(name)
    if not (layout.packs / name).is_dir():
        known = ", ".join(pack.name for pack in installed_packs(layout))
        raise NotFoundError(
            f"there is no pack '{name}' here",
            hint=f"Installed: {known}." if known else "No pack is installed. `muninn pack add PATH` adds one.",
        )
    return _inspect(layout, name)


def install(layout: Layout, pack: Pack) -> None:
    """Install a new pack. Raises UsageError when one of its name exists, StorageError or ReadOnlyError."""
    _check_no_link(layout)
    target = layout.packs / pack.manifest.name
    if os.path.lexists(target):
        raise UsageError(
            f"there is a pack '{pack.manifest.name}' already",
            hint="`muninn pack update PATH` installs another version.",
        )
    new_folder = _new_folder(layout, pack.manifest.name)
    remove_tree(new_folder)
    write_tree(new_folder, pack.files)
    move(new_folder, target)


def replace_pack(layout: Layout, pack: Pack) -> None:
    """Replace the installed pack of the same name. Raises StorageError or ReadOnlyError."""
    _check_no_link(layout)
    name = pack.manifest.name
    new_folder, old_folder = _new_folder(layout, name), _old_folder(layout, name)
    remove_tree(new_folder)
    remove_tree(old_folder)
    write_tree(new_folder, pack.files)
    try:
        move(layout.packs / name, old_folder)
        move(new_folder, layout.packs / name)
    except MuninnError:
        with suppress(MuninnError):  # the next operation or start tries again
            recover(layout)
        raise
    remove_tree(old_folder)


def uninstall(layout: Layout, name: str) -> None:
    """Remove a pack. Raises StorageError or ReadOnlyError."""
    _check_no_link(layout)
    # Use the name of a new pack: `recover` deletes a new one without an old one.
    remove_tree(_new_folder(layout, name))
    move(layout.packs / name, _new_folder(layout, name))
    remove_tree(_new_folder(layout, name))


def recover(layout: Layout) -> None:
    """Complete an interrupted operation: install a pack that was complete, and delete leftovers.

    Raises StorageError or ReadOnlyError.
    """
    if layout.packs.is_symlink() or not layout.packs.is_dir():
        return
    for old_folder in sorted(layout.packs.glob(f".*{_OLD}")):
        name = old_folder.name.removesuffix(_OLD)[1:]
        target, new_folder = layout.packs / name, _new_folder(layout, name)
        if not os.path.lexists(target):  # the new one is complete if the old one was renamed
            move(new_folder if new_folder.is_dir() else old_folder, target)
        remove_tree(old_folder)
    for new_folder in sorted(layout.packs.glob(f".*{_NEW}")):
        remove_tree(new_folder)


def _inspect(layout: Layout, name: str) -> InstalledPack:
    folder = layout.packs / name
    if folder.is_symlink():
        return InstalledPack(name=name, manifest=None, problem="it is a link, which is not followed")
    present = _files(folder)
    try:
        if MANIFEST not in present:
            raise BadParams(f"it has no {MANIFEST}")
        manifest = read_manifest(_read(folder / MANIFEST, MAX_MANIFEST_BYTES))
    except BadParams as error:
        return InstalledPack(name=name, manifest=None, edited=tuple(sorted(present)), problem=error.message)
    if manifest.name != name:
        return InstalledPack(
            name=name,
            manifest=manifest,
            edited=tuple(sorted(present)),
            problem=f"its manifest is that of '{manifest.name}'",
        )
    edited = present - {MANIFEST} - {file.path for file in manifest.files}
    for file in manifest.files:
        path = folder / file.path
        if (
            file.path not in present
            or path.is_symlink()
            or matching_content(_read(path, 2 * file.size + 1), file) is None
        ):
            edited.add(file.path)
    return InstalledPack(name=name, manifest=manifest, edited=tuple(sorted(edited)))


def _files(folder: Path) -> set[str]:
    """Return the paths of all files and links below a folder; links are not followed."""
    found: set[str] = set()
    for top, folders, names in os.walk(folder):
        links = [name for name in folders if (Path(top) / name).is_symlink()]
        found.update((Path(top) / name).relative_to(folder).as_posix() for name in (*names, *links))
    return found


def _read(path: Path, limit: int) -> bytes:
    try:
        return read_regular(path, limit)
    except FileTooLarge:
        return b""
    except OSError as error:
        raise StorageError(f"can't read {path}: {error.strerror}", hint="Check its permissions.") from None


def _check_no_link(layout: Layout) -> None:
    for folder in (layout.muninn, layout.packs):
        if folder.is_symlink():
            raise UsageError(f"{layout.relative(folder)} is a link; packs are written into the repository alone")


def _new_folder(layout: Layout, name: str) -> Path:
    return layout.packs / f".{name}{_NEW}"


def _old_folder(layout: Layout, name: str) -> Path:
    return layout.packs / f".{name}{_OLD}"
