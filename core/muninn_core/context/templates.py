"""The templates of context files: what a person would gather for a kind of task, with questions that ask for the rest.

A template is markdown with `{title}`. Its hints stand in comments, which no reader of the pack sees.
"""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from types import MappingProxyType

from muninn_core.model.value import Value


class Draft(Value):
    """A template: what it is for, in a sentence, and its text."""

    summary: str
    text: str


_HEAD = """\
---
title: {title}
budget: {budget}
---

# {heading}: {title}

<!-- A file is named with an at sign and its path, a definition with a hash and its name behind that, a memory or
     decision in double square brackets; a line that begins with a question mark asks. `muninn context render` shows
     what becomes of it. -->
"""

_BODIES = {
    "api": (
        "An interface: its contract, who calls it, what may not change.",
        "API",
        6000,
        """
## Contract

What callers may rely on: names, types, errors, versions.

?{title} interface, parameters and errors

## Callers

?who calls {title}

## Constraints

?{title} compatibility constraints and decisions

## Open questions

-
""",
    ),
    "architecture": (
        "A part of the system: its structure, its decisions, and the reasons.",
        "Architecture",
        10000,
        """
## Purpose

What this part is for, and what it does not know.

## Structure

?{title} modules, layers and dependencies

## Decisions

?{title} decisions and their reasons

## Rejected ways

?{title} attempts that failed

## Risks

-
""",
    ),
    "bugfix": (
        "A bug: what is seen, what was tried, where it may come from.",
        "Bug",
        6000,
        """
## What happens

What is seen, what was expected, and how to see it again.

## Where it may be

?{title} code and cause

## Tried before

?{title} bugs, causes and attempts that failed

## How to know that it is fixed

A test that fails today:

-
""",
    ),
    "feature": (
        "A new feature: what it must do, what is there to build on.",
        "Feature",
        8000,
        """
## What it must do

- For whom, and when is it done?

## What is there

?{title} existing code

## What was decided

?{title} decisions, constraints and preferences

## Conventions

?conventions for new code and tests

## Out of scope

-
""",
    ),
    "refactor": (
        "A change of structure: what must stay as it is, and how that is known.",
        "Refactoring",
        8000,
        """
## Why

What is hard today, and what will be easier.

## What must stay as it is

?{title} behaviour, constraints and tests

## Who depends on it

?what uses {title}

## Tried before

?{title} refactoring attempts and their outcome

## Steps

1.
""",
    ),
}

TEMPLATES: Mapping[str, Draft] = MappingProxyType(
    {
        name: Draft(summary=summary, text=_HEAD.replace("{heading}", heading).replace("{budget}", str(budget)) + body)
        for name, (summary, heading, budget, body) in sorted(_BODIES.items())
    }
)
"""The templates by name."""


def title_of(path: str) -> str:
    """Return the title of a context file that nobody gave one: its name as words."""
    return posixpath.basename(path).removesuffix(".md").replace("-", " ").replace("_", " ")


def filled(template: str, title: str) -> str:
    """Return the text of a new context file. Raises KeyError for a template that is not there."""
    plain = " ".join(title.split())
    head, body = TEMPLATES[template].text.split("\n---\n", 1)
    quoted = "'" + plain.replace("'", "''") + "'"
    return head.replace("{title}", quoted) + "\n---\n" + body.replace("{title}", plain)
