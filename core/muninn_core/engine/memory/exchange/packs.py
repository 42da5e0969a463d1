"""The verbs of knowledge packs: export, add, update, remove and list."""

from __future__ import annotations

import fnmatch
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from muninn_core.config import Config
from muninn_core.errors import NotFoundError, StorageError, UsageError
from muninn_core.protocol.families.exchange import (
    KnowledgePack,
    PackAddParams,
    PackAddResult,
    PackExportParams,
    PackExportResult,
    PackListResult,
    PackRemoveParams,
    PackRemoveResult,
    PackUpdateParams,
    PackUpdateResult,
)
from muninn_core.regular_file import read_regular
from muninn_core.source.documents import frontmatter
from muninn_core.source.documents.knowledge_readme import KNOWLEDGE_README
from muninn_core.source.private_spans import strip_private
from muninn_core.store.files.disk import move, remove_tree, write_atomic, write_tree
from muninn_core.store.files.layout import Layout
from muninn_core.store.pack.archive import is_archive, write_archive
from muninn_core.store.pack.installed import (
    InstalledPack,
    find_pack,
    install,
    installed_packs,
    recover,
    replace_pack,
    uninstall,
)
from muninn_core.store.pack.manifest import (
    MANIFEST,
    MAX_FILE_BYTES,
    Manifest,
    make_manifest,
    manifest_text,
    version_key,
)
from muninn_core.store.pack.source import Pack, read_pack
from muninn_core.store.secrets.masking import mask
from muninn_core.worktree.indexing.index_updater import IndexUpdater
from muninn_core.worktree.workspace import Workspace

SHOWN = 5
"""The most files that an error lists."""

SEARCHABLE_SECONDS = 1.0
"""The longest wait until the files are searchable; it is reached only while the index is built."""


def export(workspace: Workspace, params: PackExportParams) -> PackExportResult:
    """Write a pack of curated knowledge. Raises BadParams, NotFoundError, or UsageError for secrets and private
    spans.
    """
    contents = _chosen(workspace.layout.knowledge, params)
    if not contents:
        raise NotFoundError(
            "no knowledge matches", hint="A pack is made of .muninn/knowledge/**/*.md; leave a filter out."
        )
    manifest = make_manifest(
        contents,
        name=params.name,
        version=params.version,
        description=params.description.strip(),
        licence=params.licence.strip(),
        origin=params.origin.strip(),
    )
    metadata = {MANIFEST: "\n".join((manifest.description, manifest.licence, manifest.origin)).encode()}
    _refuse_secrets({**contents, **metadata}, workspace.config, "Take it out, then export again; nothing was written.")
    path = workspace.layout.root / params.path
    if not path.parent.is_dir():
        raise NotFoundError(f"there is no folder {path.parent}", hint="Make it first.")
    files = {MANIFEST: manifest_text(manifest), **contents}
    if is_archive(path):
        _write_archive(path, write_archive(path.name, manifest.name, files), force=params.force)
    else:
        _write_folder(path, files, force=params.force)
    return PackExportResult(
        pack=_pack_entry(manifest), path=str(path), contents=tuple(sorted(contents)), saw=workspace.read_state()
    )


def add(workspace: Workspace, params: PackAddParams) -> PackAddResult:
    """Install a pack. Raises what `read_pack` raises, and UsageError for an installed name."""
    recover(workspace.layout)
    pack = read_pack(workspace.layout.root, params.path)
    if not params.force:
        _refuse_secrets(pack.contents, workspace.config, "It would go into git. With --force it does so all the same.")
    install(workspace.layout, pack)
    _index(workspace.layout, workspace.updater, pack.manifest.name, pack.contents)
    return PackAddResult(pack=_pack_entry(pack.manifest), contents=tuple(pack.contents), saw=workspace.read_state())


def update(workspace: Workspace, params: PackUpdateParams) -> PackUpdateResult:
    """Replace a pack by another version; `dry_run` only reports the differences.

    Raises what `read_pack` raises, and NotFoundError for a pack that is not installed. Without `force` it raises
    UsageError for an older version, other content of the same version, or edited files.
    """
    layout = workspace.layout
    if not params.dry_run:
        recover(layout)
    pack = read_pack(layout.root, params.path)
    name = pack.manifest.name
    try:
        installed = find_pack(layout, name)
    except NotFoundError as error:
        raise NotFoundError(error.message, hint="`muninn pack add PATH` adds it.") from None
    if not params.force and not params.dry_run:
        _refuse_update(installed, pack)
        _refuse_secrets(pack.contents, workspace.config, "It would go into git. With --force it does so all the same.")
    before = {file.path: file.sha256 for file in installed.manifest.files} if installed.manifest else {}
    after = {file.path: file.sha256 for file in pack.manifest.files}
    same = bool(installed.manifest and installed.manifest.checksum == pack.manifest.checksum and not installed.edited)
    if not (params.dry_run or same):
        replace_pack(layout, pack)
        _index(workspace.layout, workspace.updater, name, {*before, *after, *installed.edited})
    return PackUpdateResult(
        pack=_pack_entry(pack.manifest),
        before=installed.manifest.version if installed.manifest else "",
        added=tuple(sorted(after.keys() - before.keys())),
        changed=tuple(sorted(path for path in after.keys() & before.keys() if after[path] != before[path])),
        removed=tuple(sorted(before.keys() - after.keys())),
        edited=installed.edited,
        older=installed.manifest is not None and _is_older(pack.manifest, installed.manifest),
        dry_run=params.dry_run,
        saw=workspace.read_state(),
    )


def remove(workspace: Workspace, params: PackRemoveParams) -> PackRemoveResult:
    """Uninstall a pack. Raises NotFoundError, or without `force` UsageError for edited files."""
    recover(workspace.layout)
    installed = find_pack(workspace.layout, params.name)
    if installed.edited and not params.force:
        raise _edited(installed, "Commit them elsewhere first; `--force` removes them with the pack.")
    uninstall(workspace.layout, installed.name)
    files = [file.path for file in installed.manifest.files] if installed.manifest else []
    _index(workspace.layout, workspace.updater, installed.name, {*files, *installed.edited})
    return PackRemoveResult(pack=_installed_entry(installed), saw=workspace.read_state())


def list_packs(workspace: Workspace) -> PackListResult:
    """List the installed packs with the files that were edited since."""
    return PackListResult(
        packs=tuple(map(_installed_entry, installed_packs(workspace.layout))), saw=workspace.read_state()
    )


def _chosen(knowledge: Path, params: PackExportParams) -> dict[str, bytes]:
    """Return {path: content} of the knowledge that passes every filter, with LF line ends. Symbolic links are
    left out.
    """
    found = {}
    for top, folders, names in os.walk(knowledge):
        folders.sort()
        for name in sorted(names):
            file = Path(top) / name
            path = file.relative_to(knowledge).as_posix()
            if file.suffix != ".md" or file.is_symlink() or not _matches(path, params.match):
                continue
            content = _read(file).replace(b"\r\n", b"\n")
            fields, _ = frontmatter.read_frontmatter(content.decode("utf-8", "replace"))
            if _passes(fields, params) and content != KNOWLEDGE_README.encode():
                found[path] = content
    return found


def _read(file: Path) -> bytes:
    try:
        return read_regular(file, MAX_FILE_BYTES)
    except OSError as error:
        raise StorageError(f"can't read {file}: {error.strerror}", hint="Check its permissions.") from None


def _matches(path: str, patterns: Sequence[str]) -> bool:
    plain = [pattern.removeprefix(".muninn/knowledge/").rstrip("/") for pattern in patterns]
    return not plain or any(path.startswith(f"{each}/") or fnmatch.fnmatchcase(path, each) for each in plain)


def _passes(fields: Mapping[str, object], params: PackExportParams) -> bool:
    tags = fields.get("tags")
    named = {str(tag) for tag in tags} if isinstance(tags, list) else {str(tags)}
    return (
        params.type in (None, fields.get("type"))
        and params.domain in (None, fields.get("domain"))
        and (params.tag is None or params.tag in named)
    )


def _refuse_secrets(contents: Mapping[str, bytes], config: Config, hint: str) -> None:
    """Raise UsageError with the places of secrets and private spans, if there are any."""
    patterns = config.memory.secrets
    places: list[str] = []
    for path, content in contents.items():
        text = content.decode("utf-8", "replace")
        if mask(text, patterns)[1]:
            lines = [number for number, line in enumerate(text.split("\n"), 1) if mask(line, patterns)[1]]
            places.append(f"{path}:{lines[0] if lines else 1} a secret")
        if strip_private(text)[1]:
            places.append(f"{path} a private span")
    if places:
        more = f" and {len(places) - SHOWN} more" if len(places) > SHOWN else ""
        raise UsageError(f"the pack holds what may not be in one: {', '.join(places[:SHOWN])}{more}", hint=hint)


def _write_archive(path: Path, content: bytes, *, force: bool) -> None:
    if path.is_dir() or (path.exists() and not force):
        raise _taken(path)
    write_atomic(path, content, tracked=True)


def _write_folder(path: Path, files: Mapping[str, bytes], *, force: bool) -> None:
    """Write a folder, which appears whole. `force` replaces one that is a pack or empty: it is removed just before."""
    if os.path.lexists(path):
        replaceable = (
            path.is_dir() and not path.is_symlink() and (not any(path.iterdir()) or (path / MANIFEST).is_file())
        )
        if not (force and replaceable):
            raise _taken(path)
    fresh = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        write_tree(fresh, files)
        if os.path.lexists(path):
            remove_tree(path)
        move(fresh, path)
    finally:
        remove_tree(fresh)


def _taken(path: Path) -> UsageError:
    return UsageError(
        f"{path} is there already", hint="`--force` replaces a pack; give another name for anything else."
    )


def _refuse_update(installed: InstalledPack, pack: Pack) -> None:
    if installed.edited:
        raise _edited(
            installed, "Commit them elsewhere first; `--force` overwrites them, `--dry-run` shows what changes."
        )
    old, new = installed.manifest, pack.manifest
    if old is None:
        raise UsageError(f"{installed.name} is not a valid pack: {installed.problem}", hint="`--force` replaces it.")
    if _is_older(new, old):
        raise UsageError(
            f"{new.name} {new.version} is older than {old.version}, which is here",
            hint="`--force` installs the older version.",
        )
    if version_key(new.version) == version_key(old.version) and new.checksum != old.checksum:
        raise UsageError(
            f"{new.name} {new.version} has another content than the {old.version} that is here",
            hint="Its author should have raised the version; `--force` installs it anyway.",
        )


def _is_older(new: Manifest, old: Manifest) -> bool:
    return version_key(new.version) < version_key(old.version)


def _edited(installed: InstalledPack, hint: str) -> UsageError:
    more = f" and {len(installed.edited) - SHOWN} more" if len(installed.edited) > SHOWN else ""
    return UsageError(
        f"files of {installed.name} were edited here: {', '.join(installed.edited[:SHOWN])}{more}",
        hint=hint,
        data={"edited": list(installed.edited)},
    )


def _index(layout: Layout, updater: IndexUpdater, name: str, paths: Iterable[str]) -> None:
    folder = layout.relative(layout.packs / name)
    ticket = updater.update_files({f"{folder}/{path}" for path in paths})
    updater.wait_files(ticket, SEARCHABLE_SECONDS)


def _pack_entry(manifest: Manifest) -> KnowledgePack:
    return KnowledgePack(
        name=manifest.name,
        version=manifest.version,
        description=manifest.description,
        licence=manifest.licence,
        origin=manifest.origin,
        files=len(manifest.files),
        bytes=sum(file.size for file in manifest.files),
        checksum=manifest.checksum,
    )


def _installed_entry(installed: InstalledPack) -> KnowledgePack:
    if installed.manifest is None:
        return KnowledgePack(name=installed.name, edited=installed.edited, problem=installed.problem)
    entry = _pack_entry(installed.manifest)
    return KnowledgePack(
        **{
            **{name: getattr(entry, name) for name in entry.__struct_fields__},
            "name": installed.name,
            "edited": installed.edited,
            "problem": installed.problem,
        }
    )
