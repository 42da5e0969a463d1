"""Language models: routes, prompts, and what calls cost."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

from muninn_cli.show.formatting import moment
from muninn_cli.show.registry import renders
from muninn_cli.terminal.console import line, paragraph
from muninn_core.model.counting import number_of

if TYPE_CHECKING:
    import argparse

    from rich.console import Console


@renders("models.list")
def models_list(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """Print a line for each route, then the uses, the budget and the problems."""
    if not result["routes"]:
        line(console, ("No model is configured, and nothing needs one.", ""))
        line(console, (f"A route goes into {result['file']}, section `models`.", "hint"))
    for route in result["routes"]:
        where = f"{route['host']}, on this machine" if route["local"] else route["host"]
        line(console, (route["name"], "name"), (f"  {route['dialect']}  {route['model']}  ", ""), (where, "path"))
        if route["problem"]:
            paragraph(console, (route["problem"], "warn"), indent=2)
    for use, name in result["use"].items():
        line(console, (f"This repository: {use} by {name}", ""))
    if result["tokens_left"] is not None and result["usd_left"] is not None:
        line(console, (f"Left today: {result['tokens_left']:,} tokens, {result['usd_left']:.4f} USD", "faint"))
    for problem in result["problems"]:
        paragraph(console, (problem, "bad"))


@renders("models.test")
def models_test(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """Print the answer, whether tools work, and the cost; or the prompt."""
    if result["prompts"]:
        show_prompts(console, result["prompts"])
        return
    line(console, (f"{result['route']} answers", "good"), (f" as {result['model']} after {result['ms']} ms", ""))
    if result["text"]:
        paragraph(console, (result["text"], ""), indent=2)
    if result["tools"] is not None:
        told = (
            ("It calls tools.", "good")
            if result["tools"]
            else ("It did not call the tool that it was offered.", "warn")
        )
        line(console, told)
    show_spent(console, result["spent"])


@renders("models.usage")
def models_usage(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """Print the sums, and with --calls each call."""
    show_spent(console, result["total"])
    for title, sums in (("purpose", result["by_purpose"]), ("route", result["by_route"])):
        for name, spent in sums.items():
            line(console, (f"  {title} ", "faint"), (name, "name"), (f"  {_spent(spent)}", ""))
    for call in result["calls"]:
        style = "good" if call["state"] == "done" else "warn"
        told = f"  {call['route']}  {call['purpose']}  {call['tokens_in']:,}+{call['tokens_out']:,} tokens"
        line(console, (f"{moment(call['ts'])} ", "faint"), (call["state"], style), (told, ""))
        if call["error"]:
            paragraph(console, (call["error"], "warn"), indent=2)


@renders("models.key")
def models_key(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """Print where the key is."""
    place = "stored in the keychain" if result["place"] == "keychain" else "held until the daemon exits"
    line(console, (f"The key of {result['route']} is {place}.", "good"))


@renders("enrich")
def enrich(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """Print what each memory got, or why it got nothing."""
    if result["prompts"]:
        show_prompts(console, result["prompts"])
        return
    if not result["memories"]:
        line(console, ("There is nothing to enrich.", "good"))
    for each in result["memories"]:
        line(console, (each["id"], "name"), ("" if each["problem"] else f"  {each['summary']}", ""))
        if each["problem"]:
            paragraph(console, (f"The answer was not used: {each['problem']}", "warn"), indent=2)
        else:
            facts = f"{each['kind']}, importance {each['importance']}, tags {', '.join(each['tags'])}"
            paragraph(console, (facts, "faint"), indent=2)
            paragraph(console, (f"answers {' | '.join(each['questions'])}", "faint"), indent=2)
    show_spent(console, result["spent"])
    if result["left"]:
        line(console, (f"{number_of(result['left'], 'memory', 'memories')} left: run it again.", "hint"))


@renders("judge")
def judge(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """Print each pair with its verdict."""
    if result["prompts"]:
        show_prompts(console, result["prompts"])
        return
    if result["proposal"]:
        _show_proposal(console, result)
        return
    if not result["pairs"]:
        line(console, ("No similar memories wait for a verdict.", "good"))
    for pair in result["pairs"]:
        style = {"new": "good", "": "faint"}.get(pair["verdict"], "warn")
        told = f"  likeness {pair['likeness']:.2f}  {pair['reason'] or pair['problem']}"
        line(console, (pair["verdict"] or ("not asked" if result["dry_run"] else "no verdict"), style), (told, "faint"))
        for side in ("left", "right"):
            paragraph(console, (f"{pair[side]}  {pair[f'{side}_text']}", ""), indent=2)
    if not result["dry_run"]:
        show_spent(console, result["spent"])
        if any(pair["verdict"] not in ("", "new") for pair in result["pairs"]):
            line(console, ("`muninn reconcile` queues these pairs; `muninn resolve` decides them.", "hint"))
    if result["waiting"]:
        line(console, (f"{number_of(result['waiting'], 'pair')} more.", "hint"))


def _show_proposal(console: Console, result: dict[str, Any]) -> None:
    """Print a model's decision about two memories, and the command that carries it out."""
    proposal = result["proposal"]
    line(
        console,
        (proposal["decision"] or "no decision", "warn"),
        (f"  {proposal['reason'] or proposal['problem']}", "faint"),
    )
    if proposal["text"]:
        paragraph(console, (proposal["text"], ""), indent=2)
    show_spent(console, result["spent"])
    if proposal["keep"]:
        text = f" --text {shlex.quote(proposal['text'])}" if proposal["text"] else ""
        chosen = f"--decision {proposal['decision']} --keep {proposal['keep']}{text}"
        line(console, (f"muninn consolidate {proposal['keep']} {proposal['gone']} {chosen}", "name"))


def show_prompts(console: Console, prompts: list[dict[str, Any]]) -> None:
    """Print what would be sent."""
    for prompt in prompts:
        told = f"  {prompt['purpose']}, about {number_of(prompt['tokens'], 'token')}, at most {prompt['usd']:.4f} USD"
        line(console, (f"To {prompt['route']}", "name"), (told, "faint"))
        for message in prompt["messages"]:
            line(console, (f"  {message['role']}:", "hint"))
            for row in message["text"].splitlines():
                line(console, (f"    {row}", ""))


def show_spent(console: Console, spent: dict[str, Any]) -> None:
    """Print a sum of calls."""
    line(console, (_spent(spent), "faint"))


def _spent(spent: dict[str, Any]) -> str:
    failed = f" ({spent['failed']} failed)" if spent["failed"] else ""
    tokens = f"{spent['tokens_in']:,} tokens in, {spent['tokens_out']:,} out"
    return f"{number_of(spent['calls'], 'call')}{failed}, {tokens}, {spent['usd']:.4f} USD"


@renders("link")
def link(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """Print each link with its strength and reason, and what became of it."""
    if result["prompts"]:
        show_prompts(console, result["prompts"])
        return
    for each in result["links"]:
        if each["target"]:
            head = f"  {each['relation']} {each['strength']:.2f}  "
            titles = result["titles"]
            line(console, (titles.get(each["source"], ""), "name"), (f"  {each['source']}", "faint"))
            line(console, (head, "code"), (titles.get(each["target"], ""), "name"), (f"  {each['target']}", "faint"))
            paragraph(console, (f"{each['reason']}  ({each['by']})", "faint"), indent=2)
        else:
            line(console, (each["source"], "name"))
        if each["problem"]:
            paragraph(console, (each["problem"], "warn"), indent=2)
    links = number_of(sum(bool(each["target"]) for each in result["links"]), "link")
    if result["undone"]:
        line(console, (f"{links} {'removed' if options.apply else 'would be removed; --apply removes them'}", "state"))
    elif options.apply:
        line(console, (f"{result['recorded']} of {links} recorded; `muninn link --undo` shows them", "state"))
    else:
        line(
            console,
            (f"{links} for {number_of(result['compared'], 'memory', 'memories')}; --apply records them", "state"),
        )
    if result["spent"]["calls"]:
        show_spent(console, result["spent"])
