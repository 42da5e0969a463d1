"""`python -m bench outcome`: does memory help? Tasks in pairs, with and without Muninn, with real agents.

Without `--model` the model is a scripted one on loopback. It does what it reads, so it proves the harness and shows
what memory delivers at best; it says nothing about real models. With `--model NAME` and a key in the environment the
task's session has the vendor's model. Agents run shell commands without a person: run this in a container.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from bench.outcome import history
from bench.outcome.clients import KNOWN, Agent, find
from bench.outcome.report import table
from bench.outcome.run import ARMS, Outcome, run
from bench.outcome.tasks import Task, load


def main(arguments: Sequence[str]) -> int:
    """Run the tasks and print the report."""
    options = _parser().parse_args(arguments)
    agents = [find(name, options.model or "", options.seconds) for name in options.agent or KNOWN]
    tasks = [task for task in _tasks(options) if not options.only or task.name in options.only]
    outcomes: list[Outcome] = []
    for task, agent, repeat, arm in order(tasks, agents, options.repeat, options.seed):
        outcome = run(task, agent, arm, repeat, scripted=options.model is None)
        outcomes.append(outcome)
        state = outcome.error or ("resolved" if outcome.resolved else "not resolved")
        print(f"{agent.name}, {task.name}, {arm}: {state}", file=sys.stderr, flush=True)
    print(table(outcomes))
    if options.json:
        options.json.parent.mkdir(parents=True, exist_ok=True)
        about = {"model": options.model or "scripted", "seed": options.seed}
        runs = [asdict(outcome) for outcome in outcomes]
        options.json.write_text(json.dumps({**about, "runs": runs}, indent=1) + "\n", "utf-8")
    return 0


def order(
    tasks: Sequence[Task], agents: Sequence[Agent], repeats: int, seed: int
) -> list[tuple[Task, Agent, int, str]]:
    """Return the runs in the order of a seed: tasks are shuffled, and of each pair the first arm is drawn."""
    chance = random.Random(seed)
    pairs = [(task, agent, repeat) for task in tasks for agent in agents for repeat in range(repeats)]
    chance.shuffle(pairs)
    return [(*pair, arm) for pair in pairs for arm in chance.sample(ARMS, len(ARMS))]


def _tasks(options: argparse.Namespace) -> list[Task]:
    found = [] if options.repo else load()
    for repository in options.repo:
        found += history.tasks(repository, options.commits, options.test, options.setup)
    return found


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench outcome", description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--agent", action="append", choices=tuple(KNOWN), help="may be repeated (default: all)")
    parser.add_argument("--model", help="the vendor's model for the tasks (default: the scripted model)")
    parser.add_argument("--only", action="append", metavar="TASK", help="the name of a task; may be repeated")
    parser.add_argument("--repeat", type=int, default=1, metavar="N", help="runs of each task in each arm")
    parser.add_argument("--seed", type=int, default=1, help="the seed of the order")
    parser.add_argument("--seconds", type=float, default=900, help="the limit of one run of an agent")
    parser.add_argument(
        "--repo", action="append", type=Path, default=[], metavar="PATH", help="take tasks from a repository's history"
    )
    parser.add_argument("--commits", type=int, default=100, metavar="N", help="the newest N commits of the history")
    parser.add_argument(
        "--test", default="python -m pytest -q {files}", metavar="COMMAND", help="runs the test files of a commit"
    )
    parser.add_argument("--setup", default="", metavar="COMMAND", help="prepares a copy of the repository for --test")
    parser.add_argument("--json", type=Path, help="the file to write")
    return parser
