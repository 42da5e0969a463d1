"""Exported and imported bundles."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from muninn_cli.show.registry import renders
from muninn_cli.terminal.console import errors, line
from muninn_cli.terminal.safe_text import safe
from muninn_core.errors import StorageError, UsageError
from muninn_core.gitignore import EXPORT_LIST
from muninn_core.model.counting import number_of

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable

    from rich.console import Console


def bundle_text(result: dict[str, Any]) -> str:
    """Return the page, the files as JSON, or a bundle as JSON with one record per line, for readable diffs."""
    if result.get("files"):
        return json.dumps(result["files"], ensure_ascii=False, indent=1) + "\n"
    if result.get("page"):
        return str(result["page"])
    records = ",\n".join(_json(record) for record in result["records"])
    head = f'{{"version":{result["version"]},"exported":{_json(result["exported"])},"records":['
    return f"{head}\n{records}\n]}}\n" if records else f"{head}]}}\n"


def write_bundle(name: str, result: dict[str, Any]) -> None:
    """Write a bundle's file, or the files of a folder. Raises StorageError and UsageError.

    A file is replaced atomically and keeps its mode. Links, devices and pipes stay.
    """
    if result.get("files"):
        write_folder(Path(name), result["files"])
        return
    path = Path(name)
    if path.is_symlink():
        path = Path(os.path.realpath(path))
    fresh = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    text = bundle_text(result)
    try:
        if Path(name).exists() and not Path(name).is_file():
            Path(name).write_text(text, encoding="utf-8", newline="\n")
            return
        mode = path.stat().st_mode & 0o777 if path.exists() else None
        fresh.touch(0o666 if mode is None else 0o600)  # private memories are at no time readable by others
        fresh.write_text(text, encoding="utf-8", newline="\n")
        if mode is not None:
            fresh.chmod(mode)
        fresh.replace(path)
    except OSError as error:
        with suppress(OSError):
            fresh.unlink()
        hint = "Check the folder's permissions and the free disk space."
        if not path.parent.is_dir():
            hint = f"There is no folder {path.parent}: `mkdir -p {path.parent}` creates it."
        raise StorageError(f"{name} can't be written: {error.strerror}", hint=hint) from None


def write_folder(folder: Path, files: dict[str, str]) -> None:
    """Write the files of an export into a folder, and remove those of the export before.

    A list in the folder names the files of an export. Raises UsageError when another file is in the way, StorageError.
    """
    listed = folder / EXPORT_LIST
    try:
        before = set(json.loads(listed.read_text("utf-8"))) if listed.exists() else set()
        taken = sorted(path for path in files if path not in before and (folder / path).exists())
        if taken:
            raise UsageError(
                f"{folder / taken[0]} is there already and is no file of an export",
                hint="Export into a new folder. Nothing was written.",
            )
        folder.mkdir(parents=True, exist_ok=True)
        _write_list(listed, before.union(files))  # first: an export that is interrupted can be repeated
        for path, text in files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text, encoding="utf-8", newline="\n")
        for path in before - set(files):
            if is_inside(folder, path):
                (folder / path).unlink(missing_ok=True)
        _write_list(listed, files)
    except (OSError, ValueError, TypeError) as error:
        hint = "Check the folder's permissions and the free disk space."
        raise StorageError(f"{folder} can't be written: {error}", hint=hint) from None


def _write_list(listed: Path, paths: Iterable[str]) -> None:
    listed.write_text(json.dumps(sorted(paths), ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def is_inside(folder: Path, path: object) -> bool:
    """Whether a path from the list of an export names a file below the folder."""
    return isinstance(path, str) and (folder / path).resolve().is_relative_to(folder.resolve())


@renders("export")
def export(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """Print the bundle, or the name of its file. What was left out goes to stderr."""
    if options.out is None:
        text = bundle_text(result)
        console.file.write(safe(text) if console.is_terminal else text)
    else:
        memories = number_of(result["memories"], "memory", "memories")
        line(console, ("Exported ", "good"), (memories, "name"), (" to ", ""), (options.out, "path"))
    if result["private"]:
        line(errors(), (f"{number_of(result['private'], 'private memory', 'private memories')} left out.", "hint"))
    if result["masked"]:
        line(errors(), (f"{number_of(result['masked'], 'secret')} masked.", "warn"))


@renders("import")
def import_bundle(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """Print what another tool's memory holds, how many records were stored, and why others were not."""
    if result["tool"]:
        held = ", ".join(_counted(number, what) for what, number in result["contents"].items() if number)
        line(console, ("This is the memory of ", ""), (result["tool"], "name"), (f": {held or 'nothing'}.", ""))
    done = "Would import " if result["dry_run"] else "Imported "
    line(console, (done, "good"), (number_of(result["imported"], "record"), "name"))
    for number, what in (
        (result["replaced"], "replaced"),
        (result["known"], "already here"),
        (len(result["skipped"]), "different here, kept unchanged"),
        (
            len(result["withheld"]),
            "withheld: untrusted text can't change memories of this repository (--trust keep)",
        ),
        (result["masked"], "masked as secrets"),
        *(
            (number, f"{_counted(number, what).partition(' ')[2]} left out")
            for what, number in result["left_out"].items()
        ),
    ):
        if number:
            line(console, (f"  {number:,} ", "name"), (what, ""))


def _counted(number: int, plural: str) -> str:
    """Return a number with a noun, which is given in the plural."""
    stem, space, rest = plural.partition(" ")
    singular = f"{stem[:-3]}y" if stem.endswith("ies") else stem.removesuffix("s")
    return number_of(number, singular + space + rest, plural)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
