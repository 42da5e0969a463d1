"""A worker process: takes jobs from its standard input and answers on its standard output.

A `Job` is answered with its extracted files, a `WordsJob` with the words of its files, a list of texts with their
vectors. The first list of texts loads the model.

`workers.py` starts it as `python -I -m muninn_core.index.extraction.worker`. It exits when its input ends: when there
is no more work, or when the daemon has died. It opens no index and writes no file. A message is a pickle after its
length in 8 bytes, and comes only from the parent process.
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

    from muninn_core.index.embedding.embed import Embedder

FILE_SECONDS = 3.0
"""Processor seconds for one file. A parser that takes longer can't be interrupted, so its process is ended."""


def main() -> None:
    """Serve jobs until the input ends. Answers are ("done", result) or ("failed", text)."""
    # A worker uses one thread: other workers use the other cores. The parent has priority.
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "RAYON_NUM_THREADS"):
        os.environ[name] = "1"
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    if hasattr(os, "nice"):
        os.nice(5)
    # Imported here because numeric libraries read the thread counts when they are loaded.
    from muninn_core.index.extraction.extract import Job, WordsJob, extract, read_words

    # The output of libraries goes to stderr, so that it does not mix with the messages.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    embedder: Embedder | None = None
    answer: tuple[str, Any]
    while (task := receive(sys.stdin.buffer)) is not None:
        try:
            if isinstance(task, Job):
                answer = ("done", extract(task, None, _bounded))
            elif isinstance(task, WordsJob):
                answer = ("done", read_words(task))
            else:
                from muninn_core.index.embedding.embed import load_bundled
                from muninn_core.index.vectors.quantise import quantise

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
    """Read one message; None at the end of the input, even in the middle of a message."""
    head = stream.read(8)
    if len(head) < 8:
        return None
    size = int.from_bytes(head, "little")
    data = stream.read(size)
    return pickle.loads(data) if len(data) == size else None


@contextmanager
def _bounded() -> Iterator[None]:
    """End this process when the block takes more than FILE_SECONDS. Does nothing on systems without such timers."""
    if not hasattr(signal, "setitimer"):
        yield
        return
    signal.setitimer(signal.ITIMER_PROF, FILE_SECONDS)  # the signal has no handler, so it ends the process
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


if __name__ == "__main__":
    main()
