"""Parameters about what there is: the folder, the daemon, the index, and how they are."""

from __future__ import annotations

from typing import Annotated

from muninn_core.model.value import Meta, Value


class InitParams(Value):
    """Nothing to say: `init` writes the folder and its defaults."""


class StatusParams(Value):
    """Nothing to say."""


class ShutdownParams(Value):
    """Nothing to say."""


class IndexParams(Value):
    """What to bring up to date."""

    wait: Annotated[
        bool, Meta(description="Answer only when everything on disk is found, by words and by meaning.")
    ] = True
    rebuild: Annotated[bool, Meta(description="Throw the index away and build it from the files.")] = False
