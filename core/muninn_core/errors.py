"""Every error that a person or a program can meet, as a tree.

    MuninnError             has `code` (JSON-RPC), `kind` (for exit codes and tone) and a `hint`
    ├── ParseError          -32700, the bytes are not a message
    ├── RequestError        -32600, the message is not a request that can be answered
    ├── InternalError       -32603, a bug in Muninn; the log has the trace
    ├── UsageError          the request is wrong; repeating it will not help
    │   ├── UnknownVerb     -32601, names the nearest verb
    │   └── BadParams       -32602, names the field and the nearest name
    ├── NotFoundError       a memory, file or conflict does not exist
    ├── NotARepository      the folder does not exist or can't be read
    ├── NotInitialised      the repository has no `.muninn`
    ├── ReadOnlyError       the repository or the disk takes no writes
    ├── StorageError        a write failed: full disk, I/O error
    ├── BusyError           another process writes, or the index is being opened
    ├── RefusedError        the caller may not do this; a person or another caller may
    ├── PreconditionError   a turn's token is missing or not valid; `data` names the failed precondition
    ├── ModelError          a language model was not asked, or its answer is not usable
    ├── Cancelled           the client asked to stop
    ├── DaemonError         the daemon can't be started or reached
    │   └── Stopping        the daemon is shutting down; the next call starts its successor
    └── RemoteError         the daemon answered with an error that this version does not have

Each class has one code and one kind; `RemoteError` has those that it received. The module imports nothing: the hooks
load it on every event.
"""

from __future__ import annotations


class MuninnError(Exception):
    """The base of all errors with a message for people. `hint` says what to do about it.

    `data` is JSON that is sent with the error.
    """

    code = -32000
    kind = "error"

    def __init__(self, message: str, *, hint: str = "", data: dict[str, object] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.data = data or {}

    @property
    def line(self) -> str:
        """The message and the hint in one line."""
        return f"{self.message}. {self.hint}" if self.hint else self.message

    def to_plain(self) -> dict[str, object]:
        """Return the JSON-RPC error object."""
        data: dict[str, object] = {"kind": self.kind, **self.data}
        if self.hint:
            data["hint"] = self.hint
        return {"code": self.code, "message": self.message, "data": data}


class ParseError(MuninnError):
    """The received bytes are not a message (JSON-RPC 2.0, section 5.1)."""

    code = -32700
    kind = "parse"


class RequestError(MuninnError):
    """The received message is not a valid request (JSON-RPC 2.0, section 5.1)."""

    code = -32600
    kind = "request"


class InternalError(MuninnError):
    """A bug in Muninn: an exception that no code expected."""

    code = -32603
    kind = "internal"


class UsageError(MuninnError):
    """The request can't be carried out as it was given."""

    code = -32602
    kind = "usage"


class UnknownVerb(UsageError):
    """No method has this name."""

    code = -32601
    kind = "unknown_verb"


class BadParams(UsageError):
    """A parameter is missing, misspelt or of the wrong type."""

    kind = "bad_params"


class NotFoundError(MuninnError):
    """The request names something that does not exist."""

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


def memory_deleted() -> NotInitialised:
    """Return the error of a work tree whose `.muninn` was there and was deleted."""
    return NotInitialised(
        "the folder .muninn was deleted",
        hint="`git restore .muninn` brings back what was committed; `muninn init` creates an empty one.",
    )


class ReadOnlyError(MuninnError):
    """The repository or the disk takes no writes."""

    code = -32013
    kind = "read_only"


class StorageError(MuninnError):
    """A read or write failed. A write that failed was not acknowledged."""

    code = -32014
    kind = "storage"


class BusyError(MuninnError):
    """A later attempt will succeed: another process writes, or the index is being opened."""

    code = -32015
    kind = "busy"


class RefusedError(MuninnError):
    """The request is right, but this caller may not do it: a person decides."""

    code = -32017
    kind = "refused"


class PreconditionError(MuninnError):
    """A protected call without a valid token. `data["precondition"]` names what failed; nothing was recorded."""

    code = -32016
    kind = "precondition"


class ModelError(MuninnError):
    """A language model was not asked (no key, no budget, a refused address), or its answer can't be used."""

    code = -32017
    kind = "model"


class Cancelled(MuninnError):
    """The client cancelled the request (LSP's RequestCancelled)."""

    code = -32800
    kind = "cancelled"


class DaemonError(MuninnError):
    """The daemon can't be started or reached, or its answer can't be read."""

    code = -32020
    kind = "daemon"


class Stopping(DaemonError):
    """The daemon is shutting down. It has done nothing of the request, which may be repeated."""

    kind = "stopping"


class RemoteError(MuninnError):
    """An error that a daemon of another version sent; `code` and `kind` are those that it gave."""

    def __init__(
        self,
        message: str,
        *,
        code: int = MuninnError.code,
        kind: str = MuninnError.kind,
        hint: str = "",
        data: dict[str, object] | None = None,
    ) -> None:
        super().__init__(message, hint=hint, data=data)
        self.code = code
        self.kind = kind


def from_plain(error: dict[str, object]) -> MuninnError:
    """Return the exception for a JSON-RPC error object: of the class of its kind, else RemoteError."""
    raw = error.get("data")
    data: dict[str, object] = dict(raw) if isinstance(raw, dict) else {}
    kind = str(data.pop("kind", MuninnError.kind))
    hint = str(data.pop("hint", ""))
    message = str(error.get("message", "the daemon answered with an error"))
    given = error.get("code")
    code = given if isinstance(given, int) else MuninnError.code
    known = MuninnError if (kind, code) == (MuninnError.kind, MuninnError.code) else _BY_KIND.get(kind)
    if known is not None:
        return known(message, hint=hint, data=data)
    return RemoteError(message, code=code, kind=kind, hint=hint, data=data)


_BY_KIND: dict[str, type[MuninnError]] = {
    cls.kind: cls
    for cls in (
        ParseError,
        RequestError,
        InternalError,
        UsageError,
        UnknownVerb,
        BadParams,
        NotFoundError,
        NotARepository,
        NotInitialised,
        ReadOnlyError,
        StorageError,
        BusyError,
        RefusedError,
        PreconditionError,
        ModelError,
        Cancelled,
        DaemonError,
        Stopping,
    )
}
