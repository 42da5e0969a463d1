"""Work trees full of hostile records and files, and every verb of the catalogue on them.

`run(seed, count)` is the entry for long runs: it returns what went wrong, with the seed that shows it again.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import random
import signal
import socket
import tempfile
import threading
import time
import traceback
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hostile_values import line, parameters
from repositories import copy_plain_repo, git

from muninn_cli.command import show_error
from muninn_cli.show import show
from muninn_core.context.results.text import render
from muninn_core.errors import InternalError, MuninnError
from muninn_core.git import GitError
from muninn_core.index.embedding.embed import Embedder, load_bundled
from muninn_core.model.value import decode_json, encode_json
from muninn_core.protocol.catalogue import METHODS, decode_params
from muninn_core.protocol.method import Method
from muninn_core.worktree.call_context import CallContext

if TYPE_CHECKING:
    from engines import Muninn

MOST_CPU_SECONDS = 20.0
"""Processor time of one call. A call takes milliseconds, so only one that grows with a hostile value needs it."""

HANGS_SECONDS = 300
"""Time after which a call counts as blocked."""

_OBEYED = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
"""Categories of characters that a terminal obeys or hides."""

_SHOWN = "\n\t\u200c\u200d"

ENDLESS = ("shutdown",)
"""Verbs that only concern the process."""


@dataclass(frozen=True)
class Violation:
    """A call that broke: `run(seed, 1)` makes it again."""

    seed: int
    verb: str
    parameters: dict[str, Any]
    what: str

    def __str__(self) -> str:
        return f"run({self.seed}, 1): {self.verb} {str(self.parameters)[:500]}\n{self.what}"


class Blocked(BaseException):
    """A call did not return."""


def run(seed: int, count: int, *, calls: int = 3, embedder: Embedder | None = None) -> list[Violation]:
    """Make `count` states from the seeds `seed`, `seed` + 1 …, and call every verb `calls` times on each."""
    embedder = embedder or load_bundled()
    found: list[Violation] = []
    for each in range(seed, seed + count):
        with tempfile.TemporaryDirectory(prefix="mn-hostile-") as folder:
            found += _try_state(Path(folder), each, calls, embedder)
    return found


def _try_state(folder: Path, seed: int, calls: int, embedder: Embedder) -> list[Violation]:
    from engines import opening  # not above: pytest loads the module as a plugin, which must come first

    chance = random.Random(seed)
    root = copy_plain_repo(folder / "repo")
    with opening(folder, embedder) as begin:
        begin(root).call("init")
    write_records(root, chance)
    put_strange_files(root, folder)
    with opening(folder, embedder) as begin:
        muninn = begin(root)
        try:
            ids = [memory.id for memory in muninn.call("memories", limit=10_000, archived=True).memories]
        except Exception:  # any failure of a verb is the finding
            return [Violation(seed, "memories", {"limit": 10_000, "archived": True}, _trace())]
        todo = [method for method in METHODS.values() if method.verb not in ENDLESS for _ in range(calls)]
        chance.shuffle(todo)
        violations = []
        for method in todo:
            given = parameters(method, chance, ids)
            what = try_call(muninn, method, given)
            if what:
                violations.append(Violation(seed, method.verb, given, what))
        muninn.call("index", wait=True)
        failure = muninn.call("status").saw.index.failure
        return [*violations, Violation(seed, "index", {}, failure)] if failure else violations


def _trace() -> str:
    """Return the trace of the present exception, with paths relative to the project."""
    return traceback.format_exc().replace(f"{Path(__file__).resolve().parents[2]}/", "")


def write_records(root: Path, chance: random.Random) -> None:
    """Write records as a consolidated file, committed segments and open spools."""
    memory, local = root / ".muninn" / "memory", root / ".muninn" / "local"
    files = {
        memory / "main.jsonl": 20,
        memory / "sessions" / "pulled-0123456789ab.jsonl": 20,
        local / "spool" / "s1.jsonl": 20,
        local / "private" / "s1.jsonl": 5,
    }
    for path, count in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"".join(line(chance) + b"\n" for _ in range(count)))
    git(root, "add", ".muninn")
    git(root, "commit", "-q", "-m", "Pull \x1b[31mrecords\u202e")


def put_strange_files(root: Path, folder: Path) -> None:
    """Create the files that `hostile_values.PATHS` names and that are no ordinary files."""
    os.mkfifo(root / "fifo")
    os.mkfifo(root / "src" / "fifo.py")
    with socket.socket(socket.AF_UNIX) as bound, contextlib.chdir(root):
        bound.bind("socket")
    (root / "link_out").symlink_to("/etc/passwd")
    (root / "link_dangling").symlink_to(folder / "nothing")
    (root / "link_loop").symlink_to("link_loop")
    (root / "link_folder").symlink_to("/etc")
    strange = root / "strange"
    strange.mkdir()
    for name in ("new\nline.md", "\x1b[31mred.md", "\u202etxt.md", "n" * 250 + ".md"):
        (strange / name).write_text("# Users\n\nA strange page about users.\n")
    with contextlib.suppress(OSError):  # some file systems refuse it
        (strange / os.fsdecode(b"\xff\xfe.md")).write_text("# Bytes\n")


def try_call(muninn: Muninn, method: Method, given: dict[str, Any]) -> str:
    """Call a verb, and print its result for people and for models. Return what went wrong, "" for nothing."""
    begun = time.thread_time()
    try:
        with _limited():
            call = CallContext(location=muninn.location, client="test")
            result = muninn.engine.call(method.verb, decode_params(method, given), call)
            plain = decode_json(encode_json(result))
            shown = {"terminal": _on_terminal(method, plain), "model": render(result)}
    except InternalError:
        return _trace()
    except GitError:  # a message of git's about an argument is no answer
        return _trace()
    except MuninnError as error:
        stream = _Terminal()
        with contextlib.redirect_stderr(stream):
            show_error(error, as_json=False)
        shown = {"terminal": stream.getvalue()}
    except (Exception, Blocked):
        return _trace()
    used = time.thread_time() - begun
    if used > MOST_CPU_SECONDS:
        return f"it took {used:.1f} s of processor time"
    return _find_controls(shown)


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class _Given(argparse.Namespace):
    """The arguments of a command line that gives no option."""

    def __getattr__(self, name: str) -> None:
        return None


def _on_terminal(method: Method, plain: Any) -> str:
    """Return what the command line prints on a terminal without colours."""
    stream = _Terminal()
    with contextlib.redirect_stdout(stream), contextlib.redirect_stderr(stream):
        show(method, plain, _Given())
    return stream.getvalue()


def _find_controls(shown: dict[str, str]) -> str:
    """Return the first character that a terminal would obey or not show, and where it is; "" for none."""
    text = shown.get("terminal", "")
    for at, char in enumerate(text):
        if unicodedata.category(char) in _OBEYED and char not in _SHOWN:
            return f"the terminal gets U+{ord(char):04X} in {text[max(0, at - 60) : at + 20]!r}"
    return ""


@contextlib.contextmanager
def _limited() -> Iterator[None]:
    """Raise Blocked in a body that does not return, where this is the main thread."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(_number: int, _frame: object) -> None:
        raise Blocked

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(HANGS_SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
