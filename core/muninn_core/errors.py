"""Every error that a person or a program can meet, as a tree.

    MuninnError             has `code` (JSON-RPC), `kind` (for exit codes and tone) and a `hint`
    ├── UsageError          the request is wrong; repeating it will not help
    │   ├── UnknownVerb     -32601, names the nearest verb
    │   └── BadParams       -32602, names the field and the nearest name
    ├── NotFoundError       a memory, file or conflict that is not there
    ├── NotARepository      the folder is not there or can't be read
    ├── NotInitialised      no `.muninn` here yet
    ├── ReadOnlyError       the repository or the disk takes no writes
    ├── StorageError        a write failed: full disk, I/O error
    ├── BusyError           another process writes, or the index is being opened
    ├── Cancelled           the client asked to stop
    └── DaemonError         the daemon can't be started or reached
        └── Stopping        it is leaving; the next call finds its successor

The module imports nothing: the hooks load it on every event.
"""

from __future__ import annotations


class MuninnError(Exception):
    """The base of all errors with a message for people. `hint` says what to do about it."""

    code = -32000
    kind = "error"

    def __init__(self, message: str, *, hint: str = "", data: dict[str, object] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.data = data or {}

    @property
    def line(self) -> str:
        """What is wrong and what to do, in one line."""
        return f"{self.message}. {self.hint}" if self.hint else self.message

    def to_plain(self) -> dict[str, object]:
        """Return the JSON-RPC error object."""
        data: dict[str, object] = {"kind": self.kind, **self.data}
        if self.hint:
            data["hint"] = self.hint
        return {"code": self.code, "message": self.message, "data": data}


class UsageError(MuninnError):
    """The request itself is wrong."""

    code = -32602
    kind = "usage"


class UnknownVerb(UsageError):
    """No such method."""

    code = -32601
    kind = "unknown_verb"


class BadParams(UsageError):
    """A parameter is missing, misspelt or of the wrong type."""

    kind = "bad_params"


class NotFoundError(MuninnError):
    """The thing that was named is not there."""

    code = -32010
    kind = "not_found"


class NotARepository(MuninnError):
    """The folder does not exist or can't be read."""

    code = -32011
    kind = "not_a_repository"


class NotInitialised(MuninnError):
    """The repository has no `.muninn` folder."""

    code = -32012
    kind = "not_initialised"


class ReadOnlyError(MuninnError):
    """Nothing can be written here."""

    code = -32013
    kind = "read_only"


class StorageError(MuninnError):
    """A write failed; what was to be written was not acknowledged."""

    code = -32014
    kind = "storage"


class BusyError(MuninnError):
    """It can be had a little later: another process writes, or the index is being opened."""

    code = -32015
    kind = "busy"


class Cancelled(MuninnError):
    """The client cancelled the request (LSP's RequestCancelled)."""

    code = -32800
    kind = "cancelled"


class DaemonError(MuninnError):
    """The daemon can't be started, reached or understood."""

    code = -32020
    kind = "daemon"


class Stopping(DaemonError):
    """The daemon is leaving and takes no more requests; nothing of this one was done."""

    kind = "stopping"


def from_plain(error: dict[str, object]) -> MuninnError:
    """Rebuild the error that a daemon answered with."""
    raw = error.get("data")
    data: dict[str, object] = dict(raw) if isinstance(raw, dict) else {}
    kind = data.pop("kind", "error")
    hint = str(data.pop("hint", ""))
    cls = _BY_KIND.get(str(kind), MuninnError)
    result = cls(str(error.get("message", "the daemon answered with an error")), hint=hint, data=data)
    if cls is MuninnError:
        result.kind = str(kind)
    code = error.get("code")
    if isinstance(code, int):
        result.code = code
    return result


_BY_KIND: dict[str, type[MuninnError]] = {
    cls.kind: cls
    for cls in (
        MuninnError,
        UsageError,
        UnknownVerb,
        BadParams,
        NotFoundError,
        NotARepository,
        NotInitialised,
        ReadOnlyError,
        StorageError,
        BusyError,
        Cancelled,
        DaemonError,
        Stopping,
    )
}
