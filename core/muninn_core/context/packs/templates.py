"""Templates of context files: markdown for a kind of task, with questions that gather the rest.

A template contains `{title}`. Its hints are comments, which are not part of the rendered pack.
"""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from types import MappingProxyType

from muninn_core.model.value import Value


class Template(Value):
    """A template: a one-sentence summary and its text."""

    summary: str
    text: str


_HEAD = """\
---
title: {title}
budget: {budget}
---

# {heading}: {title}

<!-- References: an at sign and a path for a file, then a hash and a name for a definition; double square brackets
     for a memory or decision; a question mark at the start of a line for a search. `muninn context render` prints
     the result. -->
"""

_BODIES = {
    "api": (
        "An interface: its contract, its callers, its constraints.",
        "API",
        6000,
        """
## Contract

What callers can rely on: names, types, errors, versions.

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
        "A part of the system: its structure, its decisions and their reasons.",
        "Architecture",
        10000,
        """
## Purpose

What this part is for, and what it does not depend on.

## Structure

?{title} modules, layers and dependencies

## Decisions

?{title} decisions and their reasons

## Rejected alternatives

?{title} attempts that failed

## Risks

-
""",
    ),
    "bugfix": (
        "A bug: symptoms, earlier attempts, possible causes.",
        "Bug",
        6000,
        """
## Symptoms

Actual behaviour, expected behaviour, steps to reproduce.

## Possible causes

?{title} code and cause

## Earlier attempts

?{title} bugs, causes and attempts that failed

## Test

A test that fails today:

-
""",
    ),
    "feature": (
        "A new feature: its requirements and the existing code.",
        "Feature",
        8000,
        """
## Requirements

- Who needs it, and when is it complete?

## Existing code

?{title} existing code

## Decisions

?{title} decisions, constraints and preferences

## Conventions

?conventions for new code and tests

## Out of scope

-
""",
    ),
    "refactor": (
        "A change of structure: the behaviour to preserve, and its tests.",
        "Refactoring",
        8000,
        """
## Reason

What is hard today, and what becomes easier.

## Behaviour to preserve

?{title} behaviour, constraints and tests

## Dependents

?what uses {title}

## Earlier attempts

?{title} refactoring attempts and their outcome

## Steps

1.
""",
    ),
}

TEMPLATES: Mapping[str, Template] = MappingProxyType(
    {
        name: Template(
            summary=summary, text=_HEAD.replace("{heading}", heading).replace("{budget}", str(budget)) + body
        )
        for name, (summary, heading, budget, body) in sorted(_BODIES.items())
    }
)
"""The templates by name."""


def default_title(path: str) -> str:
    """Return the default title of a context file: the words of its file name."""
    return posixpath.basename(path).removesuffix(".md").replace("-", " ").replace("_", " ")


def fill_template(template: str, title: str) -> str:
    """Return the text of a new context file.

    Raises KeyError for an unknown template.
    """
    plain = " ".join(title.split())
    head, body = TEMPLATES[template].text.split("\n---\n", 1)
    quoted = "'" + plain.replace("'", "''") + "'"
    return head.replace("{title}", quoted) + "\n---\n" + body.replace("{title}", plain)
