"""Types that the parameters and results of several families share."""

from __future__ import annotations

from typing import Annotated

from muninn_core.model.answer import ReadState
from muninn_core.model.value import Meta, Value

Text = Annotated[str, Meta(min_length=1)]


Names = Annotated[tuple[str, ...], Meta(max_length=1000)]
"""Words, names or paths. Each is compared with every candidate."""


SessionId = Annotated[
    str,
    Meta(
        pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$",
        description="The working session of the call: letters, digits, '.', '_' and '-'.",
    ),
]


MemoryId = Annotated[
    str, Meta(min_length=1, description="The memory's id, an unambiguous beginning of it, or its last characters.")
]

MemoryIds = Annotated[
    tuple[Text, ...], Meta(min_length=1, description="The memories' ids, or unambiguous prefixes of them.")
]

AtRevision = Annotated[str | None, Meta(description="Answer from git's objects as of this commit, branch or tag.")]

OtherBranches = Annotated[
    bool, Meta(description="Include memories that exist on other branches only, labelled with the branch names.")
]

OtherRepositories = Annotated[
    Names,
    Meta(description="Ask these other repositories of your list as well, by name; `all` is every one."),
]

CallingProgram = Annotated[str | None, Meta(description="The calling program, with its version.")]

TextOfFile = Annotated[
    str | None, Meta(description="The file's unsaved text in an editor. Without it the file is read from disk.")
]


class Result(Value):
    """The base of every result. `saw` is the state that the answer was computed from."""

    saw: ReadState
