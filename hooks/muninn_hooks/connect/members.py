"""Puts members and elements into a document of another program, finds them again, and takes them out.

Ours is what starts Muninn (`pieces.is_ours`), wherever it stands: an older installation, or one that its owner moved,
is found as well. What holds nothing any more because ours is gone goes with it; everything else keeps place and form.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from muninn_core.errors import UsageError
from muninn_hooks.connect.pieces import Default, Entry, Item, is_ours

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from muninn_hooks.connect.documents import Document
    from muninn_hooks.connect.pieces import Piece


def add(document: Document, pieces: Sequence[Piece]) -> None:
    """Put the pieces in. Raises UsageError for a foreign shape, and for another's member with our name."""
    for piece in pieces:
        if isinstance(piece, Default) and _get(document.data, piece.path) is None:
            document.put(piece.path, piece.value)
        elif isinstance(piece, Entry):
            _add_entry(document, piece)
    items = [piece for piece in pieces if isinstance(piece, Item)]
    lists = [_list(document.data, item.path) for item in items]
    there = sum(item.value in found for item, found in zip(items, lists, strict=True))
    if there == len(items) == sum(1 for root in _roots(items) for _ in _handlers(document.data, root)):
        return  # all there, and no other of ours; others may have been added behind them, and keep their places
    _remove_items(document, items)
    for item in items:
        document.put((*item.path, -1), item.value)


def remove(document: Document, pieces: Sequence[Piece]) -> None:
    """Take out what is ours. Raises UsageError for a foreign shape."""
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
            f"there is another '{'.'.join(entry.path)}', which does not start Muninn",
            hint="Rename or remove it, then try again.",
        )
    for name, value in entry.value.items():
        kept = _kept(found.get(name), value)
        if found.get(name) != kept:
            document.put((*entry.path, name), kept)


def _kept(found: Any, value: Any) -> Any:
    """Return a value with the arguments that somebody gave ours: `["mcp", "--tools", "all"]` stays."""
    if not isinstance(value, list) or not isinstance(found, list) or len(found) < len(value):
        return value
    return [*value, *found[len(value) :]]


def _remove_items(document: Document, items: list[Item]) -> None:
    for root in _roots(items):
        for path in reversed(list(_handlers(document.data, root))):
            document.cut(path)
            _prune(document, path[:-1])


def _roots(items: list[Item]) -> list[tuple[str, ...]]:
    """Return the tables that hold the lists."""
    return list(dict.fromkeys(item.path[:-1] for item in items))


def _handlers(data: dict[str, Any], root: tuple[str, ...]) -> Iterator[tuple[str | int, ...]]:
    """Yield the path of each handler of ours below a table of lists, alone or in a group of handlers."""
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
    """Take out what is empty now, upwards; a group of handlers is empty when it has none."""
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
    """Return what is at a path; None when it is not there. Raises UsageError when something above it is no table."""
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
