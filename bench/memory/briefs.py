"""Measures briefs: how many of the lines that a session is shown at its start are useful to it.

Each labelled prompt stands for a session on a branch that is named after the prompt. A line is useful when its memory
is labelled for the prompt, or is a rule: a constraint or a preference.
"""

from __future__ import annotations

import re
import subprocess
from collections import Counter

from bench.memory.data import Case, Question
from bench.memory.run import Opened

RULES = frozenset({"constraint", "preference"})

CHARS_PER_TOKEN = 4
"""The usual estimate for English."""

MAX_WORDS = 7
"""The most words of a prompt that its branch's name has."""


def brief(case: Case, opened: Opened) -> Counter[str]:
    """Return sums over the briefs of sessions whose work some memory is about, and of sessions without one."""
    types = {draft.key: str(draft.fields["type"]) for draft in case.drafts}
    counts: Counter[str] = Counter()
    for number, prompt in enumerate(case.prompts):
        _switch(opened, prompt)
        made = opened.repository.brief(session=f"brief-{number}")
        shown = {opened.keys[identity] for identity in made.ids if identity in opened.keys}
        kind = "brief" if prompt.right else "brief without subject"
        rules = {key for key in shown if types[key] in RULES}
        about = shown.intersection((*prompt.right, *prompt.allowed))
        counts[f"{kind}: sessions"] += 1
        counts[f"{kind}: lines"] += len(shown)
        counts[f"{kind}: useful lines"] += len(rules | about)
        counts[f"{kind}: right"] += bool(shown.intersection(prompt.right))
        counts[f"{kind}: tokens"] += len(made.text) // CHARS_PER_TOKEN
    return counts


def _switch(opened: Opened, prompt: Question) -> None:
    """Switch to a branch that is named after a prompt."""
    words = re.findall(r"[a-z0-9]+", prompt.text.casefold())[:MAX_WORDS]
    branch = f"refs/heads/feature/{'-'.join(words) or 'work'}"
    subprocess.run(["git", "symbolic-ref", "HEAD", branch], cwd=opened.repository.root, check=True)
