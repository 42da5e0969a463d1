"""Adds members and elements to another program's document, finds them again and removes them.

A value that starts Muninn (`fragments.is_ours`) is Muninn's, wherever it is, so that older or moved installations are
found as well. Containers that become empty are removed; everything else keeps its place and form.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from muninn_core.errors import UsageError
from muninn_hooks.connect.fragments import Default, Entry, Item, is_ours

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from muninn_hooks.connect.documents import Document
    from muninn_hooks.connect.fragments import Piece


def add(document: Document, pieces: Sequence[Piece]) -> None:
    """Add the pieces. Raises UsageError for an unexpected structure and for a foreign member with Muninn's name."""
    for piece in pieces:
        if isinstance(piece, Default) and _get(document.data, piece.path) is None:
            document.put(piece.path, piece.value)
        elif isinstance(piece, Entry):
            _add_entry(document, piece)
    items = [piece for piece in pieces if isinstance(piece, Item)]
    lists = [_list(document.data, item.path) for item in items]
    there = sum(item.value in found for item, found in zip(items, lists, strict=True))
    if there == len(items) == sum(1 for root in _roots(items) for _ in _handlers(document.data, root)):
        return  # complete and unchanged; elements that users added keep their places
    _remove_items(document, items)
    for item in items:
        document.put((*item.path, -1), item.value)


def remove(document: Document, pieces: Sequence[Piece]) -> None:
    """Remove Muninn's pieces. Raises UsageError for an unexpected structure."""
    _remove_items(document, [piece for piece in pieces if isinstance(piece, Item)])
    for piece in pieces:
        if isinstance(piece, Entry) and is_ours(_get(document.data, piece.path)):
            document.cut(piece.path)
            _prune(document, piece.path[:-1])
    defaults = {piece.path[0]: piece.value for piece in pieces if isinstance(piece, Default)}
    if document.data == defaults:  # nothing else is left in the file
        for name in defaults:
            document.cut((name,))


def _add_entry(document: Document, entry: Entry) -> None:
    found = _get(document.data, entry.path)
    if found is None:
        document.put(entry.path, entry.value)
        return
    if not is_ours(found):
        raise UsageError(
            f"'{'.'.join(entry.path)}' exists and does not start Muninn",
            hint="Rename or remove it, then try again.",
        )
    for name, value in entry.value.items():
        kept = _keep_arguments(found.get(name), value)
        if found.get(name) != kept:
            document.put((*entry.path, name), kept)


def _keep_arguments(found: Any, value: Any) -> Any:
    """Return a list with the arguments that the user appended: `["mcp", "--tools", "all"]` stays."""
    if not isinstance(value, list) or not isinstance(found, list) or len(found) < len(value):
        return value
    return [*value, *found[len(value) :]]


def _remove_items(document: Document, items: list[Item]) -> None:
    for root in _roots(items):
        for path in reversed(list(_handlers(document.data, root))):
            document.cut(path)
            _prune(document, path[:-1])


def _roots(items: list[Item]) -> list[tuple[str, ...]]:
    """Return the paths of the tables that hold the lists."""
    return list(dict.fromkeys(item.path[:-1] for item in items))


def _handlers(data: dict[str, Any], root: tuple[str, ...]) -> Iterator[tuple[str | int, ...]]:
    """Yield the path of each handler that starts Muninn below a table of lists, alone or in a group."""
    table = _get(data, root) or {}
    if not isinstance(table, dict):
        raise UsageError(f"'{'.'.join(root)}' is not an object", hint="Correct the file, then try again.")
    for event, found in table.items():
        for at, one in enumerate(found if isinstance(found, list) else ()):
            if is_ours(one):
                yield (*root, event, at)
            group = one.get("hooks") if isinstance(one, dict) else None
            for inner, handler in enumerate(group if isinstance(group, list) else ()):
                if is_ours(handler):
                    yield (*root, event, at, "hooks", inner)


def _prune(document: Document, path: Sequence[str | int]) -> None:
    """Remove empty containers upwards. A group without handlers counts as empty."""
    while path:
        found = _get(document.data, path)
        if found:
            return
        if found is not None:
            document.cut(path)
        path = path[:-1]
        if path and isinstance(path[-1], int) and not _get(document.data, path).get("hooks"):
            document.cut(path)
            path = path[:-1]


def _get(data: Any, path: Sequence[str | int]) -> Any:
    """Return the value at a path; None when it is missing. Raises UsageError when a parent is not an object."""
    for depth, step in enumerate(path):
        if isinstance(step, int):
            data = data[step]
            continue
        if not isinstance(data, dict):
            name = ".".join(str(one) for one in path[:depth])
            raise UsageError(f"'{name}' is not an object", hint="Correct the file, then try again.")
        if step not in data:
            return None
        data = data[step]
    return data


def _list(data: dict[str, Any], path: tuple[str, ...]) -> list[Any]:
    found = _get(data, path)
    if found is None:
        return []
    if not isinstance(found, list):
        raise UsageError(f"'{'.'.join(path)}' is not a list", hint="Correct the file, then try again.")
    return found
