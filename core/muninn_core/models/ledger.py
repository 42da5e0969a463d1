"""The ledger of calls to models, and the budget. It belongs to the user, not to a repository.

A day in UTC has one file with a JSON object per line. What was spent on the day after today counts for today, too: the
clock was set back over midnight. A call first reserves what it may cost at most, under a lock that
all daemons of the user share; its result replaces the reservation. A call that ends without a result, because the
daemon was killed, keeps its reservation. What can't be recorded is not sent.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path

from muninn_core.config.model_settings import Budget
from muninn_core.errors import BusyError, ModelError
from muninn_core.launch.lock import FileLock
from muninn_core.model.value import Value, decoder_of, encode_json, replace
from muninn_core.store.files.disk import append, make_private_folder, translate_errors
from muninn_core.store.files.spool import ends_with_newline
from muninn_core.store.records.timestamps import timestamp

LOCK_ATTEMPTS = 500
"""How often the lock is tried, every 10 ms. A holder reads one file and writes one line."""

DAILY_LIMITS = ("tokens_day", "usd_day")
"""The limits without which no model is asked."""


class Entry(Value):
    """One call. `prompt` is a hash of what was sent. `state` is reserved, done or failed.

    `usd` is by the route's price, or what the program stated.
    """

    id: str
    ts: str
    state: str
    route: str
    model: str
    purpose: str
    session: str = ""
    repository: str = ""
    prompt: str = ""
    tokens_in: int = 0
    tokens_out: int = 0
    cached: int = 0
    usd: float = 0.0
    ms: int = 0
    error: str = ""

    @property
    def tokens(self) -> int:
        """Tokens in both directions."""
        return self.tokens_in + self.tokens_out


_decode = decoder_of(Entry)


class Ledger:
    """The calls of a user. Safe for several threads and processes."""

    def __init__(self, folder: Path, *, clock: Callable[[], datetime]) -> None:
        self._folder = folder
        self._clock = clock
        self._lock = FileLock(str(folder / "lock"))

    def reserve(self, entry: Entry, budget: Budget) -> None:
        """Record what a call may cost at most. Raises ModelError when a budget lacks or does not suffice."""
        check_call(entry, budget)
        with self._locked():
            moment = datetime.fromisoformat(entry.ts)  # the entry is written to its day, which may have just ended
            day = self._days(moment, 1)
            _check_sum(day, entry, budget.tokens_day, budget.usd_day, "day")
            if entry.session:
                recent = [each for each in self._days(moment, 2) if each.session == entry.session]
                _check_sum(recent, entry, budget.tokens_session, budget.usd_session, "session")
            self._write(entry)

    def settle(self, entry: Entry) -> None:
        """Record the result of a reserved call."""
        with self._locked():
            self._write(entry)

    def entries(self, days: int) -> list[Entry]:
        """Return the calls of the last days, today included, oldest first. Lines that can't be read are errors.

        Tomorrow's calls, made before the clock was set back over midnight, are included. Raises ModelError for a line
        that can't be read: a sum over a damaged file would be too low.
        """
        return self._days(self._clock(), days)

    def _days(self, moment: datetime, days: int) -> list[Entry]:
        """Return the calls of the days that end with that of `moment`, and of the day after it."""
        found: dict[str, Entry] = {}
        for back in reversed(range(-1, days)):
            for entry in self._read(self._path(moment - timedelta(days=back))):
                found[entry.id] = entry
        return sorted(found.values(), key=lambda entry: (entry.ts, entry.id))

    def _read(self, path: Path) -> Iterator[Entry]:
        with translate_errors(path):
            lines = path.read_bytes().split(b"\n") if path.exists() else []
        for number, line in enumerate(lines, 1):
            if line.strip():
                try:
                    yield _decode(line)
                except ValueError:
                    raise ModelError(
                        f"line {number} of the ledger {path} can't be read, so the budget is not known",
                        hint="Correct the line or move the file away.",
                    ) from None

    def _write(self, entry: Entry) -> None:
        path = self._path(datetime.fromisoformat(entry.ts))
        line = encode_json(entry) + b"\n"
        append(path, line if not path.exists() or ends_with_newline(path) else b"\n" + line)

    def _path(self, moment: datetime) -> Path:
        return self._folder / f"{moment:%Y-%m-%d}.jsonl"

    @contextmanager
    def _locked(self) -> Iterator[None]:
        lock = FileLock(self._lock.path)  # one for each thread
        with translate_errors(self._folder):
            make_private_folder(self._folder)
            for _ in range(LOCK_ATTEMPTS):
                if lock.acquire():
                    break
                time.sleep(0.01)
            else:
                raise BusyError(f"another process holds {lock.path}", hint="Try again.")
        try:
            yield
        finally:
            lock.release()


def check_call(entry: Entry, budget: Budget) -> None:
    """Raise ModelError when there is no budget, or when one call may exceed that of a call."""
    problem = budget_problem(budget)
    if problem:
        names = " and ".join(f"models.budget.{name}" for name in _missing(budget))
        raise ModelError(f"{problem}, so no model is asked", hint=f"Set {names} in ~/.config/muninn/config.yaml.")
    _check_sum([], entry, budget.tokens_call, budget.usd_call, "call")


def budget_problem(budget: Budget) -> str:
    """Return what the budget of a day lacks, "" for nothing."""
    missing = _missing(budget)
    return "no budget is set" if len(missing) > 1 else f"the budget has no {missing[0]}" if missing else ""


def _missing(budget: Budget) -> list[str]:
    return [name for name in DAILY_LIMITS if getattr(budget, name) is None]


def failed(entry: Entry, error: str, ms: int, *, billed: bool) -> Entry:
    """Return the result of a call that failed. One that the server may bill keeps its reserved cost."""
    kept = replace(entry, state="failed", error=error[:300], ms=ms)
    return kept if billed else replace(kept, tokens_in=0, tokens_out=0, usd=0.0)


def _check_sum(spent: list[Entry], entry: Entry, tokens: int | None, usd: float | None, span: str) -> None:
    used, paid = sum(each.tokens for each in spent), sum(each.usd for each in spent)
    if tokens is not None and used + entry.tokens > tokens:
        raise ModelError(
            f"the budget of a {span} is {tokens:,} tokens; {used:,} are used and this call may need {entry.tokens:,}",
            hint=f"`muninn models usage` shows the calls; models.budget.tokens_{span} is the limit.",
        )
    if usd is not None and paid + entry.usd > usd:
        raise ModelError(
            f"the budget of a {span} is {usd:g} USD; {paid:.4f} are spent and this call may cost {entry.usd:.4f}",
            hint=f"`muninn models usage` shows the calls; models.budget.usd_{span} is the limit.",
        )


def now_of(clock: Callable[[], datetime]) -> str:
    """Return the time of an entry."""
    return timestamp(clock())
