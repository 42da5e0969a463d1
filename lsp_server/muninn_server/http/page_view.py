"""The page of `muninn open` as HTML, readable without scripts: search and a list of memories.

Every text is escaped: memories may come from anyone who can commit.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from pathlib import PurePath
from typing import Any, NamedTuple

from muninn_core.engine.memory.exchange.html_export import STYLE, article
from muninn_core.model.counting import number_of
from muninn_core.model.memory import KINDS

__all__ = ["SHOWN", "STYLE", "Question", "document", "forward", "message"]

SHOWN = 50
"""The most memories of a list."""

ROOMS = ("Memory", "Waiting", "Sessions", "Now", "Code", "Cost", "Health")
"""The rooms of the page; each is a script of the same name."""


SCRIPTS = (*map(str.lower, ROOMS), "api", "dom", "card", "happening", "repositories", "drawing", "fitting")
"""The modules that `page.js` imports. The browser loads them at the same time as `page.js`."""


_CURRENT = ' aria-current="true"'


class Question(NamedTuple):
    """What a reader asks for: words, a type of memory, and the key of a repository; each may be empty."""

    text: str = ""
    type: str = ""
    at: str = ""

    def types(self, *, many: bool = False) -> dict[str, Any]:
        """Return the parameter of a verb that selects the type."""
        return {"type": [self.type] if many else self.type} if self.type else {}


def forward(folder: str) -> bytes:
    """Return a page that leads on to the folder, from its own origin: so the browser sends the new cookie there."""
    at = escape(folder)
    return _html("Muninn", f'<main><p><a href="{at}">Open the page</a></p></main>', folder)


def message(text: str) -> bytes:
    """Return a page with one paragraph."""
    return _html("Muninn", f"<main><h1>Muninn</h1><p>{escape(text)}</p></main>")


def document(
    root: str,
    token: str,
    asked: Question,
    found: Mapping[str, Any],
    repositories: Sequence[Mapping[str, str]],
) -> bytes:
    """Return the page: its rooms, a search form and the memories `found`, a result of `recall` or of `memories`.

    `repositories` are those that it can show, this daemon's own one first, with the key "".
    """
    name = PurePath(root).name
    rooms = "".join(f'<a href="#{room.lower()}" data-room="{room.lower()}">{room}</a>' for room in ROOMS)
    body = (
        '<a class="skip" href="#main">Skip to the content</a>'
        f'<header><div class="brand"><strong>Muninn</strong> {_repositories(root, asked.at, repositories)}</div>'
        f'<nav aria-label="Rooms">{rooms}</nav>'
        '<p id="live" role="status"></p></header>'
        f'<main id="main" tabindex="-1"><h1>Memory</h1>{_form(asked)}{_list(asked, found)}'
        "<noscript><p>The other rooms, and changes of memory, need scripts. "
        "The command <code>muninn help</code> lists what a terminal can do.</p></noscript></main>"
    )
    return _html(f"Memory of {name}", body, token=token)


def _repositories(root: str, at: str, repositories: Sequence[Mapping[str, str]]) -> str:
    """Return the name of the shown repository; with others, it opens their list."""
    links = "".join(
        f'<li><a href="?at={escape(each["key"])}" title="{escape(each["root"])}"'
        f"{_CURRENT if each['key'] == at else ''}>{escape(each['name'])}</a></li>"
        for each in repositories
    )
    return (
        f'<details class="repositories" data-at="{escape(at)}"><summary><span>{escape(PurePath(root).name)}</span>'
        f'</summary><ul aria-label="Repositories">{links}</ul></details>'
    )


def _html(title: str, body: str, leads_to: str = "", token: str = "") -> bytes:
    head = ""
    if leads_to:
        at = escape(leads_to)
        head = f'<meta http-equiv="refresh" content="0; url={at}"><link rel="icon" href="{at}icon.svg">'
    if token:
        head += f'<meta name="token" content="{token}"><link rel="stylesheet" href="page.css">'
        head += '<link rel="icon" href="icon.svg">'
        head += "".join(f'<link rel="modulepreload" href="{name}.js">' for name in SCRIPTS)
        head += '<script type="module" src="page.js"></script>'
    text = (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">'
        f"<title>{escape(title)}</title>{head}</head><body>{body}</body></html>"
    )
    return text.encode("utf-8", "replace")


def _form(asked: Question) -> str:
    here = f'<input type="hidden" name="at" value="{escape(asked.at)}">' if asked.at else ""
    types = "".join(
        f'<option value="{kind}"{" selected" if kind == asked.type else ""}>{kind.replace("_", " ")}</option>'
        for kind in KINDS
    )
    return (
        f'<form class="search" role="search">{here}<label class="grow">Search memory '
        f'<input type="search" name="q" value="{escape(asked.text)}"></label>'
        f'<label>Type <select name="type"><option value="">any</option>{types}</select></label>'
        "<button>Search</button></form>"
    )


def _list(asked: Question, found: Mapping[str, Any]) -> str:
    if "error" in found:
        return f'<p role="alert">{escape(found["error"]["message"])}</p>'
    shown: Iterable[Mapping[str, Any]] = found.get("memories", found.get("hits", ()))
    rows = [article(each) for each in shown]
    total = found.get("total", len(rows))
    what = "Nothing answers this search." if asked.text else "There is no memory yet."
    if not rows:
        return f"<p>{what}</p>"
    memories = number_of(total, "memory", "memories")
    return f'<p class="count">{len(rows):,} of {memories}</p><div class="list">{"".join(rows)}</div>'
