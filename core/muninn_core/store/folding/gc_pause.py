"""Creates very many values at once without repeated passes of the garbage collector.

Reading a log of 100,000 memories creates a million objects and no garbage. Python's cycle collector would traverse them
again and again: a third of the time to open, and half a second during some later, small change.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def gc_paused() -> Iterator[None]:
    """Disable the cycle collector for the body, and exclude all objects that exist afterwards from later passes.

    Reference counting still frees objects that are not in cycles.
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
