"""Fuzzing of every parser: guided by coverage with atheris, or with random mutations where it is not installed.

An input that makes a parser crash, hang or grow is kept in `corpus/PARSER`, and a test replays it from then on.
`pip install --group fuzz` installs atheris.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import os
import random
import re
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NoReturn

import psutil

from torture.campaign import Limit, Outcome, site
from torture.parsers import PARSERS, seeds

CORPUS = Path(__file__).parent / "corpus"
SECONDS_OF_AN_INPUT = 10
"""A parser that takes more processor time for an input of at most `LONGEST` bytes hangs."""

SECONDS_WITHOUT_ANSWER = 1800
"""Time on the clock after which libFuzzer ends an input. Code in C is not interrupted earlier."""

LOOK_SECONDS = 0.2

MEGABYTES = 2048
LONGEST = 16_384
CRASHES = 5
"""Crashes of one parser after which it is left: they tend to have one cause."""

_TOKENS = (
    b"\x00",
    b"\xff",
    b"\xed\xa0\x80",
    b"\n",
    b"\r",
    b"[" * 40,
    b"{",
    b'"',
    b"\\",
    b"---\n",
    b"null",
    b"1e999",
    b"-1",
)


class TooSlow(BaseException):
    """An input took more than SECONDS_OF_AN_INPUT. No handler of a parser's own may catch it."""


def run(seed: int, limit: Limit) -> Outcome:
    """Fuzz the parsers in turn. They share the seconds, which are processor time; a unit of the count is an input."""
    outcome = Outcome()
    guided = importlib.util.find_spec("atheris") is not None
    outcome.figures["guided by coverage"] = int(guided and limit.count is None)
    for parser in PARSERS:
        if limit.ended():
            break
        if guided and limit.count is None:
            _guide(parser, seed, limit, outcome)
        else:
            _mutate(parser, seed, limit, outcome)
    return outcome


def kept(parser: str) -> list[Path]:
    """Return the inputs of a parser that crashed it once."""
    return sorted((CORPUS / parser).glob("*"))


def mutations(parser: str, chance: random.Random) -> Iterator[bytes]:
    """Yield inputs without end: well-formed ones and former crashers, changed in some places."""
    sources = seeds(parser) + [path.read_bytes() for path in kept(parser)]
    while True:
        data = bytearray(chance.choice(sources))
        for _ in range(chance.randrange(1, 6)):
            start = chance.randrange(len(data) + 1)
            end = min(len(data), start + chance.choice((0, 1, 1, 4, 20)))
            other = chance.choice(sources)
            at = chance.randrange(len(other) + 1)
            data[start:end] = chance.choice(
                (
                    b"",
                    chance.choice(_TOKENS),
                    chance.randbytes(chance.randrange(4)),
                    other[at : at + 30],
                    bytes(data[:start]),
                )
            )
        yield bytes(data[:LONGEST])


def _mutate(parser: str, seed: int, limit: Limit, outcome: Outcome) -> None:
    done = crashes = 0
    end = time.process_time() + limit.seconds / len(PARSERS)
    for data in mutations(parser, random.Random(f"{parser}-{seed}")):
        spent = time.process_time() >= end or limit.ended() or done == limit.count
        if spent or crashes >= CRASHES:
            break
        problem = ""
        try:
            timed(PARSERS[parser])(data)
        except (Exception, TooSlow):  # any exception of a parser is the finding
            problem = traceback.format_exc().strip().rpartition("\n")[2]
        if problem:
            crashes += 1
            _keep(parser, data, problem, outcome)
        done += 1
    outcome.figures[f"inputs: {parser}"] = done


def timed(parser: Callable[[bytes], None]) -> Callable[[bytes], None]:
    """Return a parser that raises TooSlow for an input that takes too much processor time. Main thread only."""

    def measured(data: bytes) -> None:
        signal.setitimer(signal.ITIMER_PROF, SECONDS_OF_AN_INPUT)
        try:
            parser(data)
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)

    signal.signal(signal.SIGPROF, _interrupt)
    return measured


def _interrupt(*_signal: object) -> NoReturn:
    raise TooSlow(f"an input took {SECONDS_OF_AN_INPUT} s")


def _keep(parser: str, data: bytes, problem: str, outcome: Outcome) -> None:
    path = CORPUS / parser / hashlib.sha256(data).hexdigest()[:12]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    outcome.violations.append(f"{parser}: {problem[:200]} (kept as {path.relative_to(CORPUS.parent)})")


def _guide(parser: str, seed: int, limit: Limit, outcome: Outcome) -> None:
    """Run libFuzzer in processes of their own until the processor time is over: one ends with the first crash."""
    inputs = crashes = 0
    left = limit.seconds / len(PARSERS)
    with site("fuzz") as place:
        corpus, found = place.folder / "corpus", place.folder / "found"
        corpus.mkdir()
        found.mkdir()
        for number, data in enumerate([*seeds(parser), *(path.read_bytes() for path in kept(parser))]):
            (corpus / str(number)).write_bytes(data)
        while crashes < CRASHES and left > 0 and not limit.ended():
            options = [f"-seed={seed + crashes + 1}", f"-artifact_prefix={found}/", f"-max_len={LONGEST}"]
            options += [f"-timeout={SECONDS_WITHOUT_ANSWER}", f"-rss_limit_mb={MEGABYTES}", "-print_final_stats=1"]
            output = place.folder / "output"
            code, spent = _run_fuzzer([parser, *options, str(corpus)], output, left, limit)
            left -= spent
            outcome.figures[f"processor seconds: {parser}"] += round(spent)
            said = output.read_text(errors="replace")
            counted = re.search(r"number_of_executed_units: (\d+)", said)
            inputs += int(counted[1]) if counted else 0
            covered = re.findall(r"\bft: (\d+)", said)
            outcome.figures[f"features covered: {parser}"] = int(covered[-1]) if covered else 0
            crashers = [path for path in found.iterdir() if path.name.startswith(("crash-", "timeout-", "oom-"))]
            if code and not crashers:
                outcome.violations.append(f"{parser}: the fuzzer ended: {said[-300:]}")
                break
            for path in crashers:
                reason = re.search(r"^[\w.]*(?:Error|Exception|Exit|Interrupt|TooSlow)\b.*", said, re.MULTILINE)
                _keep(parser, path.read_bytes(), reason[0] if reason else path.name.split("-")[0], outcome)
                path.unlink()
                crashes += 1
    outcome.figures[f"inputs: {parser}"] = inputs


def _run_fuzzer(arguments: list[str], output: Path, seconds: float, limit: Limit) -> tuple[int, float]:
    """Run libFuzzer until its inputs have used so much processor time; return its exit status and what they used."""
    spent, start = 0.0, None
    with output.open("wb") as log:
        fuzzer = psutil.Popen(
            [sys.executable, "-m", "torture.fuzz", *arguments],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        while fuzzer.poll() is None:
            with contextlib.suppress(psutil.Error):  # it may have ended
                used = sum(fuzzer.cpu_times()[:2])
                if start is None and b"INITED" in output.read_bytes():  # before, imports are instrumented
                    start = used
                spent = 0.0 if start is None else used - start
            if spent >= seconds or (limit.ended() and start is not None):
                fuzzer.send_signal(signal.SIGUSR1)  # libFuzzer ends with its figures
            time.sleep(LOOK_SECONDS)
    return fuzzer.returncode, spent


def _fuzz() -> None:
    """Be the process of libFuzzer: `python -m torture.fuzz PARSER OPTIONS… CORPUS`."""
    import atheris

    for name in [name for name in sys.modules if name.startswith(("muninn_", "torture.parsers"))]:
        del sys.modules[name]  # imported without instrumentation by this module
    with atheris.instrument_imports(include=["muninn_core", "muninn_server", "muninn_hooks", "yaml"]):
        from torture.parsers import PARSERS as INSTRUMENTED
    parser = INSTRUMENTED[sys.argv.pop(1)]
    atheris.Setup(sys.argv, timed(parser))
    atheris.Fuzz()


if __name__ == "__main__":
    _fuzz()
