"""A worker process: takes jobs from its standard input and answers on its standard output.

A `Job` is answered with its extracted files, a `Glance` with the words of its files, a list of texts with their
vectors; the model is loaded with the first.

Started by `crew.py` as `python -I -m muninn_core.index.worker`, and gone as soon as its input ends, be it that the
daemon has no more work or is no more. It opens no index and writes no file. Messages are pickles with a length before
them; they come from the parent process and from nowhere else.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from muninn_core.index.embed import Embedder

FILE_SECONDS = 3.0
"""Of the processor, for one file: a parser that takes longer is not interrupted, its process ends."""


def main() -> None:
    """Serve jobs until the input ends. Answers are ("done", result) or ("failed", text)."""
    # A worker is one thread wide; its parent has the other cores for its other workers, and goes first.
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "RAYON_NUM_THREADS"):
        os.environ[name] = "1"
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    if hasattr(os, "nice"):
        os.nice(5)
    # Only now: numeric libraries read the counts when they are loaded.
    from muninn_core.index.extract import Glance, Job, extract, glance

    # Whatever a library prints must not get between the messages.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    embedder: Embedder | None = None
    answer: tuple[str, Any]
    while (task := receive(sys.stdin.buffer)) is not None:
        try:
            if isinstance(task, Job):
                answer = ("done", extract(task, None, _bounded))
            elif isinstance(task, Glance):
                answer = ("done", glance(task))
            else:
                from muninn_core.index.embed import load_bundled
                from muninn_core.index.quantise import quantise

                embedder = embedder or load_bundled()
                answer = ("done", quantise(embedder.embed(task)))
        except Exception as error:
            answer = ("failed", f"{type(error).__name__}: {error}")
        send(answers, answer)


def send(stream: IO[bytes], message: Any) -> None:
    """Write one message."""
    data = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
    stream.write(len(data).to_bytes(8, "little"))
    stream.write(data)
    stream.flush()


def receive(stream: IO[bytes]) -> Any:
    """Read one message; None at the end of the input, be it in the middle of a message."""
    head = stream.read(8)
    if len(head) < 8:
        return None
    size = int.from_bytes(head, "little")
    data = stream.read(size)
    return pickle.loads(data) if len(data) == size else None


@contextmanager
def _bounded() -> Iterator[None]:
    """End this process when what is inside takes too long, whatever library it is in; where the system can do that."""
    if not hasattr(signal, "setitimer"):
        yield
        return
    signal.setitimer(signal.ITIMER_PROF, FILE_SECONDS)  # nobody handles its signal, which ends a process then
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


if __name__ == "__main__":
    main()
