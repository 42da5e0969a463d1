"""Fuzzing of every parser: guided by coverage with atheris, or with random mutations where it is not installed.

An input that makes a parser crash, hang or grow is kept in `corpus/PARSER`, and a test replays it from then on.
`pip install --group fuzz` installs atheris.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import random
import re
import subprocess
import sys
import time
import traceback
from collections.abc import Iterator
from pathlib import Path

from torture.campaign import Limit, Outcome, site
from torture.parsers import PARSERS, seeds

CORPUS = Path(__file__).parent / "corpus"
SECONDS_OF_AN_INPUT = 10
"""A parser that takes longer for an input of at most `LONGEST` bytes hangs."""

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


def run(seed: int, limit: Limit) -> Outcome:
    """Fuzz the parsers in turn, sharing the time; a unit of the count is an input."""
    outcome = Outcome()
    guided = importlib.util.find_spec("atheris") is not None
    outcome.figures["guided by coverage"] = int(guided and limit.count is None)
    for parser in PARSERS:
        if guided and limit.count is None:
            _guide(parser, seed, limit.seconds / len(PARSERS), outcome)
        else:
            _mutate(parser, seed, Limit(limit.seconds / len(PARSERS), limit.count), outcome)
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
    for data in mutations(parser, random.Random(f"{parser}-{seed}")):
        if limit.reached(done) or crashes >= CRASHES:
            break
        begun = time.process_time()
        try:
            PARSERS[parser](data)
            slow = time.process_time() - begun > SECONDS_OF_AN_INPUT
            problem = f"took {time.process_time() - begun:.0f} s" if slow else ""
        except Exception:  # any exception of a parser is the finding
            problem = traceback.format_exc().strip().rpartition("\n")[2]
        if problem:
            crashes += 1
            _keep(parser, data, problem, outcome)
        done += 1
    outcome.figures[f"inputs: {parser}"] = done


def _keep(parser: str, data: bytes, problem: str, outcome: Outcome) -> None:
    path = CORPUS / parser / hashlib.sha256(data).hexdigest()[:12]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    outcome.violations.append(f"{parser}: {problem[:200]} (kept as {path.relative_to(CORPUS.parent)})")


def _guide(parser: str, seed: int, seconds: float, outcome: Outcome) -> None:
    """Run libFuzzer in processes of their own until the time is over: it ends with the first crash."""
    end = time.monotonic() + seconds
    inputs = crashes = 0
    with site("fuzz") as place:
        corpus, found = place.folder / "corpus", place.folder / "found"
        corpus.mkdir()
        found.mkdir()
        for number, data in enumerate([*seeds(parser), *(path.read_bytes() for path in kept(parser))]):
            (corpus / str(number)).write_bytes(data)
        while crashes < CRASHES and (left := end - time.monotonic()) >= 1:
            options = [f"-max_total_time={int(left)}", f"-seed={seed + crashes + 1}", f"-artifact_prefix={found}/"]
            options += [f"-timeout={SECONDS_OF_AN_INPUT}", f"-rss_limit_mb={MEGABYTES}", f"-max_len={LONGEST}"]
            done = subprocess.run(
                [sys.executable, "-m", "torture.fuzz", parser, *options, "-print_final_stats=1", str(corpus)],
                env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
                capture_output=True,
                text=True,
                errors="replace",
                check=False,
            )
            counted = re.search(r"number_of_executed_units: (\d+)", done.stderr)
            inputs += int(counted[1]) if counted else 0
            covered = re.findall(r"\bft: (\d+)", done.stderr)
            outcome.figures[f"features covered: {parser}"] = int(covered[-1]) if covered else 0
            crashers = [path for path in found.iterdir() if path.name.startswith(("crash-", "timeout-", "oom-"))]
            if done.returncode and not crashers:
                outcome.violations.append(f"{parser}: the fuzzer ended: {done.stderr[-300:]}")
                break
            for path in crashers:
                reason = re.search(
                    r"^\w*(?:Error|Exception|Exit|Interrupt)\b.*", done.stdout + done.stderr, re.MULTILINE
                )
                _keep(parser, path.read_bytes(), reason[0] if reason else path.name.split("-")[0], outcome)
                path.unlink()
                crashes += 1
    outcome.figures[f"inputs: {parser}"] = inputs


def _fuzz() -> None:
    """Be the process of libFuzzer: `python -m torture.fuzz PARSER OPTIONS… CORPUS`."""
    import atheris

    for name in [name for name in sys.modules if name.startswith(("muninn_", "torture.parsers"))]:
        del sys.modules[name]  # imported without instrumentation by this module
    with atheris.instrument_imports(include=["muninn_core", "muninn_server", "muninn_hooks", "yaml"]):
        from torture.parsers import PARSERS as INSTRUMENTED
    parser = INSTRUMENTED[sys.argv.pop(1)]
    atheris.Setup(sys.argv, parser)
    atheris.Fuzz()


if __name__ == "__main__":
    _fuzz()
