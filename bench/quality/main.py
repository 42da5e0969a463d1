"""`python -m bench quality`: asks the questions of a data folder, prints tables and writes JSON."""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path

from bench.quality.arms import NAMES
from bench.quality.copies import Copies
from bench.quality.peers import PEERS, Semble
from bench.quality.questions import load
from bench.quality.report import plain, tables
from bench.quality.run import run
from bench.quality.titles import questions_of
from muninn_core.git.run import GitError

CACHE = Path(tempfile.gettempdir()) / "muninn-bench-quality"


def main(arguments: list[str]) -> int:
    """Run the requested arms on the requested sets, print tables and write JSON."""
    parser = argparse.ArgumentParser(prog="python -m bench quality", description="Measure how good retrieval is.")
    asked = parser.add_mutually_exclusive_group(required=True)
    asked.add_argument("--data", type=Path, help="the folder of questions")
    asked.add_argument(
        "--repo", action="append", type=Path, metavar="DIR", help="a repository whose history asks; may be repeated"
    )
    parser.add_argument("--questions", type=int, default=25, metavar="N", help="at most so many of each --repo")
    parser.add_argument("--sets", default="A1,B1,B2", help="sets of questions of --data, by commas")
    parser.add_argument("--arms", help=f"arms, by semicolons, of: {'; '.join(NAMES)}; default: all but ablations")
    parser.add_argument("--ablations", action="store_true", help="our arm with each signal taken away, too")
    parser.add_argument("--peers", action="store_true", help="other tools, too, where they are installed")
    parser.add_argument("--semble", default=Semble.PYTHON, metavar="PYTHON", help="the interpreter that has semble")
    parser.add_argument("--mirrors", type=Path, default=Path(), help="where OWNER+NAME/repo are, bare git directories")
    parser.add_argument("--archives", type=Path, default=CACHE / "archives", help="where published archives are")
    parser.add_argument(
        "--cache", type=Path, default=CACHE, help="where copies are laid out; outside of any repository"
    )
    parser.add_argument("--json", type=Path, help="the file to write")
    options = parser.parse_args(arguments)
    Semble.PYTHON = options.semble
    wanted = options.arms.split(";") if options.arms else [name for name in NAMES if not name.startswith("without ")]
    if options.ablations:
        wanted += [name for name in NAMES if name.startswith("without ")]
    if options.peers:
        wanted += [peer.name for peer in PEERS]
    names = [name.strip() for name in wanted]
    unknown = sorted(set(names) - {*NAMES, *(peer.name for peer in PEERS)})
    if unknown:
        parser.error(f"there is no arm '{unknown[0]}'")
    if options.repo:
        try:
            data = questions_of(options.repo, options.questions)
        except (GitError, ValueError) as error:
            parser.error(str(error))
    else:
        data = load(options.data, options.sets.split(","))
    arms = run(data, Copies(data, options.cache, options.mirrors, options.archives), names, options.cache)
    print(tables(arms))
    if options.json:
        options.json.parent.mkdir(parents=True, exist_ok=True)
        options.json.write_text(json.dumps(plain(arms), indent=1) + "\n", "utf-8")
    return 0
