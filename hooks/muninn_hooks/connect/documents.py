"""JSON and TOML files with a common interface: their data, and in-place edits of their text.

Uses tomlkit, which keeps comments, blanks and order of a TOML file.
"""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Any, Protocol

from muninn_core.errors import UsageError
from muninn_hooks.connect import jsonc

if TYPE_CHECKING:
    from collections.abc import Sequence


class Document(Protocol):
    """An editable text. A path that ends in -1 means a new last element of the list above it."""

    text: str

    @property
    def data(self) -> dict[str, Any]:
        """The parsed text."""
        ...

    def put(self, path: Sequence[str | int], value: Any) -> None:
        """Set a member and create missing parents."""
        ...

    def cut(self, path: Sequence[str | int]) -> None:
        """Remove an existing element."""
        ...


class Json:
    """JSON with comments. Raises UsageError for anything else."""

    def __init__(self, text: str) -> None:
        self.text = text

    @property
    def data(self) -> dict[str, Any]:
        """The parsed text. Raises UsageError with line and column, also for a text that is not an object."""
        try:
            data = jsonc.parse(self.text).value
        except jsonc.JsoncError as error:
            where = f"line {error.line}, column {error.column}"
            raise UsageError(f"it is not JSON: {error.message} in {where}", hint=_HINT) from None
        except RecursionError:
            raise UsageError("it is nested too deeply", hint=_HINT) from None
        if not isinstance(data, dict):
            raise UsageError("it is not a JSON object", hint="Nothing was changed.")
        return data

    def put(self, path: Sequence[str | int], value: Any) -> None:
        """Set a member and create missing parents."""
        self.text = jsonc.put(self.text, path, value)

    def cut(self, path: Sequence[str | int]) -> None:
        """Remove an existing element."""
        self.text = jsonc.cut(self.text, path)


class Toml:
    """TOML 1.0. Raises UsageError for anything else."""

    def __init__(self, text: str) -> None:
        self.text = text

    @property
    def data(self) -> dict[str, Any]:
        """The parsed text. Raises UsageError with the position of a syntax error."""
        try:
            return tomllib.loads(self.text.replace("\r\n", "\n"))
        except tomllib.TOMLDecodeError as error:
            raise UsageError(f"it is not TOML: {error}", hint=_HINT) from None

    def put(self, path: Sequence[str | int], value: Any) -> None:
        """Set a member and create missing tables."""
        import tomlkit
        from tomlkit.items import InlineTable

        before = self.data
        document = tomlkit.parse(self.text)
        table: Any = document
        for step in path[:-1]:
            if step not in table:
                table[step] = tomlkit.table(is_super_table=True)
            table = table[step]
        inline = isinstance(table, InlineTable)
        if isinstance(value, dict):
            member: Any = tomlkit.inline_table() if inline else tomlkit.table()
            member.update(value)
        else:
            member = tomlkit.item(value)
        table[path[-1]] = member
        self._accept(tomlkit.dumps(document), _with(before, path, value))

    def cut(self, path: Sequence[str | int]) -> None:
        """Remove an existing member."""
        import tomlkit

        before = self.data
        document = tomlkit.parse(self.text)
        table: Any = document
        for step in path[:-1]:
            table = table[step]
        del table[path[-1]]
        self._accept(tomlkit.dumps(document), _without(before, path))

    def _accept(self, text: str, meant: dict[str, Any]) -> None:
        """Accept a new text if its data equals `meant`. tomlkit can misplace edits in split tables."""
        old, self.text = self.text, text.replace("\r\n", "\n").replace("\n", "\r\n") if "\r\n" in self.text else text
        if _without_empty_tables(self.data) != _without_empty_tables(meant):
            self.text = old
            raise UsageError("its tables can't be edited safely", hint="Nothing was changed. Edit it by hand.")


_HINT = "Nothing was changed. Correct the file, then try again."


def _with(data: Any, path: Sequence[str | int], value: Any) -> Any:
    if not path:
        return value
    return {**data, path[0]: _with(data.get(path[0], {}), path[1:], value)}


def _without_empty_tables(data: Any) -> Any:
    """Return the data without empty tables. A parent table disappears with its last child."""
    if not isinstance(data, dict):
        return data
    rest = {key: _without_empty_tables(one) for key, one in data.items()}
    return {key: one for key, one in rest.items() if one != {}}


def _without(data: Any, path: Sequence[str | int]) -> Any:
    if len(path) == 1:
        return {key: one for key, one in data.items() if key != path[0]}
    return {**data, path[0]: _without(data[path[0]], path[1:])}
