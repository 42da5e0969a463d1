"""Writes docs/licences.md: the runtime dependencies and their licences, from the metadata of what is installed.

`make lock` runs it; a test compares the page with the installed distributions.
"""

from __future__ import annotations

import re
import sys
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "licences.md"
PROJECT = "muninn-memory"
_SHORT = 60
"""Characters. A longer `License` field is the text of the licence and not its name."""

_HEAD = """\
# Licences of dependencies

Muninn has the licence Apache-2.0. Its thesaurus is derived from WordNet 3.0, which has
[its own licence](../core/muninn_core/reconcile/language/thesaurus/LICENSE). Muninn installs these distributions,
directly or through others; `make lock` writes the list from their metadata.

| distribution | licence |
|---|---|
"""


def main() -> int:
    PAGE.write_text(render(), "utf-8")
    print(f"wrote {PAGE.relative_to(ROOT)}")
    return 0


def render() -> str:
    """Return the page."""
    return _HEAD + "".join(f"| {name} | {licence} |\n" for name, licence in sorted(licences().items()))


def licences() -> dict[str, str]:
    """Return the licence of each runtime dependency that is installed here, by canonical name."""
    found: dict[str, str] = {}
    waiting = [(PROJECT, "")]
    seen: set[tuple[str, str]] = set()
    while waiting:
        name, extra = waiting.pop()
        try:
            installed = distribution(name)
        except PackageNotFoundError:
            continue  # an optional part that nothing here needs
        if name != PROJECT:
            found[name] = licence(installed)
        for requirement in map(Requirement, installed.requires or ()):
            if requirement.marker is None or requirement.marker.evaluate({"extra": extra}):
                wanted = canonicalize_name(requirement.name)
                new = {(wanted, each) for each in ("", *requirement.extras)} - seen
                seen |= new
                waiting += new
    return found


def licence(installed: Distribution) -> str:
    """Return the licence that a distribution states.

    That is its expression, a short field, its classifiers, or the first line of its licence file, in this order.
    """
    metadata = installed.metadata
    classifiers = [one for one in metadata.get_all("Classifier") or [] if one.startswith("License :: ")]
    names = " and ".join(re.sub(r"^.*:: ", "", one) for one in classifiers if not one.endswith("OSI Approved"))
    field = (metadata.get("License") or "").strip()
    short = field if len(field) <= _SHORT and field != "UNKNOWN" else ""
    return metadata.get("License-Expression") or short or names or _first_line(installed) or "not stated"


def _first_line(installed: Distribution) -> str:
    for path in installed.files or ():
        if re.match(r"(?i)(licen[cs]e|copying)", path.name):
            return next((line.strip() for line in path.read_text().splitlines() if line.strip()), "")
    return ""


if __name__ == "__main__":
    sys.exit(main())
