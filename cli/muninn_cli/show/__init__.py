"""Results for people: one function a verb, from the plain result to lines on the terminal.

They decide how things look; what they say was decided in the core. The order of the lines is that of the result.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from muninn_cli.screen import errors, line, output, sentence
from muninn_cli.show import (
    answers,
    backfill,
    bundles,
    changes,
    citations,
    code,
    contextfiles,
    contexts,
    health,
    memories,
    packs,
    places,
    privacy,
    reviews,
    skills,
    webs,
)

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Mapping

    from rich.console import Console

    from muninn_core.protocol.methods import Method

_VERBS: Mapping[str, Callable[[Console, dict[str, Any], argparse.Namespace], None]] = {
    "init": changes.init,
    "status": health.status,
    "index": health.index,
    "remember": memories.remember,
    "recall": answers.recall,
    "context": contexts.context,
    "why": contexts.why,
    "replay": contexts.replay,
    "symbols": code.symbols,
    "outline": code.outline,
    "graph": code.graph,
    "memories": memories.memories,
    "sessions": memories.sessions,
    "forget": memories.forget,
    "restore": memories.forget,
    "promote": memories.promote,
    "approve": memories.approve,
    "reject": memories.reject,
    "history": reviews.history,
    "links": webs.links,
    "overview": webs.overview,
    "update": webs.update,
    "consolidate": webs.consolidate,
    "diff": reviews.diff,
    "check": reviews.check,
    "seal": changes.seal,
    "reconcile": changes.reconcile,
    "undo": changes.undo,
    "prune": changes.prune,
    "conflicts": memories.conflicts,
    "resolve": memories.resolve,
    "redact": privacy.redact,
    "purge": privacy.purge,
    "export": bundles.export,
    "import": bundles.take,
    "pack.export": packs.export,
    "pack.add": packs.add,
    "pack.list": packs.listed,
    "skills.list": skills.listed,
    "skills.match": skills.matched,
    "pack.update": packs.update,
    "pack.remove": packs.remove,
    "render": contextfiles.render,
    "template.new": contextfiles.new,
    "template.list": contextfiles.templates,
    "lint": contextfiles.lint,
    "references": contextfiles.references,
    "backlinks": contextfiles.backlinks,
    "relink": contextfiles.relink,
    "names": contextfiles.names,
    "verify": citations.verify,
    "confirm": places.confirm,
    "annotate": places.annotate,
    "about": places.about,
    "document": places.document,
    "draft": places.draft,
    "brief": answers.brief,
    "remind": answers.remind,
    "capture": changes.capture,
    "backfill": backfill.backfill,
    "shutdown": changes.shutdown,
}


def show(method: Method, result: dict[str, Any], given: argparse.Namespace) -> None:
    """Print the result of a verb; `given` are the arguments that asked for it."""
    _VERBS[method.verb](output(), result, given)
    failure = result["saw"]["index"]["failure"] if method.searches else ""
    if failure:  # on stderr: a pack goes on to a program
        sentence(errors(), (f"The index can't be updated, so what is new may be missing here: {failure}", "warn"))
        line(errors(), ("`muninn doctor` says what to do.", "hint"))


def shown_verbs() -> tuple[str, ...]:
    """Return the verbs that have a look of their own: all of the catalogue."""
    return tuple(_VERBS)
