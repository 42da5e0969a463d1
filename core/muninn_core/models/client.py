"""Asks a model: secrets are masked, the budget is checked, failures are retried, and every call is in the ledger."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from queue import Empty, SimpleQueue
from types import ModuleType
from typing import Any

from muninn_core.config.model_settings import COMMANDS, Budget, ModelSettings, Route
from muninn_core.errors import Cancelled, ModelError
from muninn_core.model.value import Value, replace
from muninn_core.models import anthropic, command, openai
from muninn_core.models.http import HttpFailure, posted
from muninn_core.models.keys import Keys
from muninn_core.models.ledger import Entry, Ledger, check_call, failed, now_of
from muninn_core.models.prompt import BYTES_PER_TOKEN, Answer, Prompt
from muninn_core.models.request import cost, masked, prompt_hash, route_of
from muninn_core.store.secrets.masking import mask

ATTEMPTS = 3
"""How often a call is tried."""

FIRST_WAIT = 0.5
"""Seconds before the second attempt; each further one waits twice as long, times a random factor from 0.5 to 1.5."""

MAX_WAIT_SECONDS = 30.0
"""Seconds. A server that names a longer time is not waited for."""

CANCEL_SECONDS = 0.1
"""How often a call is checked for its cancellation."""

RETRIED = frozenset((408, 409, 425, 429, 500, 502, 503, 504, 529))
"""Statuses that may change by themselves. 529 is Anthropic's `overloaded_error`."""

_DIALECTS: Mapping[str, ModuleType] = {"openai": openai, "anthropic": anthropic}


class BilledAnswer(Value):
    """An answer with what it cost."""

    answer: Answer
    entry: Entry


class ModelClient:
    """Asks the models of a user. `wait(seconds)` returns True to stop; `chance()` is from 0 to 1."""

    def __init__(
        self,
        *,
        ledger: Ledger,
        keys: Keys,
        environ: Mapping[str, str],
        clock: Callable[[], datetime],
        new_id: Callable[[], str],
        chance: Callable[[], float] = random.random,
        wait: Callable[[float], object] = time.sleep,
    ) -> None:
        self.ledger = ledger
        self.keys = keys
        self._environ = environ
        self._clock = clock
        self._new_id = new_id
        self._chance = chance
        self._wait = wait
        self._asking = threading.Semaphore(4)

    def ask(
        self,
        settings: ModelSettings,
        name: str,
        prompt: Prompt,
        *,
        patterns: Sequence[str] = (),
        repository: str = "",
        session: str = "",
        on_text: Callable[[str], None] = lambda _text: None,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> BilledAnswer:
        """Ask a route of the settings. `patterns` are the repository's own expressions of secrets.

        Raises ModelError when the route, its key, its price or a budget lacks, or for an unusable answer; Cancelled.
        """
        route = route_of(settings, name)
        clean = masked(prompt, patterns)
        reserved = self._reservation(settings.budget, name, route, clean, repository, session)
        key = self.keys.of(name, route) if route.dialect not in COMMANDS else ""

        def attempt() -> BilledAnswer:
            entry = replace(reserved, id=self._new_id())
            return self._once(settings.budget, entry, route, clean, key, on_text)

        return _cancellable(lambda: self._attempts(name, attempt, key, cancelled), cancelled)

    def _attempts(
        self, name: str, attempt: Callable[[], BilledAnswer], key: str, cancelled: Callable[[], bool]
    ) -> BilledAnswer:
        failure = HttpFailure("not tried")
        with self._asking:
            for number in range(ATTEMPTS):
                if number and not self._pause(number, failure):
                    break
                if cancelled():
                    raise Cancelled("the request was cancelled")
                try:
                    return attempt()
                except HttpFailure as error:
                    failure = error
        raise ModelError(_failed_text(name, failure, key), hint=_failed_hint(name, failure))

    def _once(
        self, budget: Budget, entry: Entry, route: Route, prompt: Prompt, key: str, on_text: Callable[[str], None]
    ) -> BilledAnswer:
        entry = replace(entry, ts=now_of(self._clock))
        self.ledger.reserve(entry, budget)
        begun = time.monotonic()
        try:
            answer = send(route, prompt, key, self._environ, on_text)
        except (HttpFailure, ModelError) as error:
            billed = error.billed if isinstance(error, HttpFailure) else True
            ms = round((time.monotonic() - begun) * 1000)
            self.ledger.settle(failed(entry, _without(str(error), key), ms, billed=billed))
            raise
        tokens_in = entry.tokens_in if answer.tokens_in is None else answer.tokens_in
        tokens_out = len(answer.text.encode()) // BYTES_PER_TOKEN if answer.tokens_out is None else answer.tokens_out
        usd = answer.usd if answer.usd is not None else cost(route, tokens_in, tokens_out)
        counted: dict[str, Any] = {
            "tokens_in": tokens_in,
            "tokens_out": tokens_out,
            "cached": answer.cached,
            "usd": usd,
        }
        done = replace(entry, state="done", ms=round((time.monotonic() - begun) * 1000), **counted)
        self.ledger.settle(done)
        return BilledAnswer(answer=answer, entry=done)

    def _reservation(
        self, budget: Budget, name: str, route: Route, prompt: Prompt, repository: str, session: str
    ) -> Entry:
        entry = Entry(
            id="",
            ts=now_of(self._clock),
            state="reserved",
            route=name,
            model=route.model,
            purpose=f"{prompt.purpose}/{prompt.version}",
            session=session,
            repository=repository,
            prompt=prompt_hash(prompt),
            tokens_in=prompt.size,
            tokens_out=route.max_output,
            usd=cost(route, prompt.size, route.max_output),
        )
        check_call(entry, budget)
        return entry

    def _pause(self, attempt: int, failure: HttpFailure) -> bool:
        """Wait before an attempt. Returns False when waiting is of no use."""
        if failure.status not in RETRIED and failure.billed:
            return False  # a second call might be billed, too
        if failure.status and failure.status not in RETRIED:
            return False
        seconds = failure.wait if failure.wait is not None else FIRST_WAIT * 2 ** (attempt - 1)
        if seconds > MAX_WAIT_SECONDS:
            return False
        self._wait(seconds * (0.5 + self._chance()) if failure.wait is None else seconds)
        return True


def _cancellable(run: Callable[[], BilledAnswer], cancelled: Callable[[], bool]) -> BilledAnswer:
    """Run a call on a thread of its own, and return when it ends or is cancelled.

    A cancelled call goes on until its answer or its time ends, and is then in the ledger. A process that ends does not
    wait for it; its reservation stays.
    """
    outcome: SimpleQueue[BilledAnswer | BaseException] = SimpleQueue()

    def work() -> None:
        try:
            outcome.put(run())
        except BaseException as error:  # raised again for the caller
            outcome.put(error)

    threading.Thread(target=work, name="model", daemon=True).start()
    while True:
        try:
            found = outcome.get(timeout=CANCEL_SECONDS)
        except Empty:
            if cancelled():
                raise Cancelled("the request was cancelled") from None
            continue
        if isinstance(found, BaseException):
            raise found
        return found


def send(route: Route, prompt: Prompt, key: str, environ: Mapping[str, str], on_text: Callable[[str], None]) -> Answer:
    """Send a prompt once. Raises HttpFailure or ModelError."""
    if route.dialect in COMMANDS:
        return command.ask(prompt, route, environ)
    dialect = _DIALECTS[route.dialect]
    url = address(route, dialect.PATH)
    with posted(url, dialect.headers(key), dialect.encode(prompt, route), route.timeout_seconds) as lines:
        answer: Answer = dialect.read(lines, on_text)
        return answer


def address(route: Route, path: str) -> str:
    """Return the URL of a path such as `/v1/messages` of a route. Its `url` may end with `/v1`."""
    return route.url.rstrip("/").removesuffix("/v1") + path


def _without(text: str, key: str) -> str:
    """Return a text without a key: some servers repeat it in their errors."""
    return mask(text.replace(key, "[key]") if key else text)[0]


def _failed_text(name: str, failure: HttpFailure, key: str) -> str:
    said = _without(failure.reason, key)
    status = f" with the status {failure.status}" if failure.status else ""
    return f"the route '{name}' failed{status}: {said}"


def _failed_hint(name: str, failure: HttpFailure) -> str:
    if failure.status in (401, 403):
        return f"The key was refused; `muninn models key {name}` takes another one."
    return f"`muninn models test {name}` tries the route."
