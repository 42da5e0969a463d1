"""Exports memories as HTML: one article each, and a whole page with search that works from a file, without a network.

Every text is escaped. The page needs no script to be read; its only script searches the articles, and its policy
admits nothing else.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from types import MappingProxyType
from typing import Any

from muninn_core.model.title import own_title
from muninn_core.source.files.exported import PAGE_MARK

_FOLDER = Path(__file__).with_name("html_export_files")

STYLE = _FOLDER / "page.css"
"""The style sheet; the page of `muninn open` has the same."""

STATEMENT_CHARS = 200
"""A text of at most this length is shown whole as the statement, when its title is its beginning."""

SCRIPTS = (_FOLDER / "fitting.js", _FOLDER / "offline.js")
"""The parts of the page's script, which is a module. The page of `muninn open` imports the first part, too."""


def article(memory: Mapping[str, Any], places: Mapping[str, int] = MappingProxyType({})) -> str:
    """Return a memory, or a hit of recall about one, as an article: the statement first, then author and time.

    `places` are the numbers of the page's articles by id; links to them stand in `data-links`.
    """
    text, title = str(memory.get("text", "")), str(memory.get("title", ""))
    own = (len(text) > STATEMENT_CHARS and title) or own_title(title, text)
    statement = own or text
    rest = f"<p>{escape(text)}</p>" if own else ""
    cited = [cite["path"] for cite in memory.get("cites", ())]
    files = list(dict.fromkeys([*memory.get("files", ()), *cited])) or list(filter(None, [memory.get("path")]))
    tags = "".join(f" <span>#{escape(str(tag))}</span>" for tag in memory.get("tags", ()))
    about = "".join(f" <code>{escape(str(file))}</code>" for file in files)
    who = memory.get("author") or memory.get("agent") or memory.get("actor") or ""
    when = str(memory.get("updated") or memory.get("ts") or "")
    kind = escape(str(memory.get("type", "")).replace("_", " "))
    asked = "".join(f"<li>{escape(str(each))}</li>" for each in memory.get("questions", ()))
    answers = f'<details><summary>Answers</summary><ul class="plain-list">{asked}</ul></details>' if asked else ""
    links = [places[link["target"]] for link in memory.get("links", ()) if link["target"] in places]
    linked = f' data-links="{" ".join(map(str, links))}"' if links else ""
    return (
        f'<article{linked}><h2>{escape(statement)}</h2>{rest}<p class="meta"><em>{kind}</em> '
        f"<span>{escape(str(who))}</span> <time>{escape(when[:10])}</time>{tags}{about}</p>{answers}</article>"
    )


def page(name: str, memories: Sequence[Mapping[str, Any]], note: str) -> str:
    """Return one self-contained page with the memories in their order. `note` says what it shows and leaves out."""
    style, script = STYLE.read_text("utf-8"), "".join(part.read_text("utf-8") for part in SCRIPTS)
    policy = f"default-src 'none'; style-src {_source(style)}; script-src {_source(script)}; base-uri 'none'"
    kinds = sorted({str(memory["type"]) for memory in memories})
    places = {str(memory["id"]): number for number, memory in enumerate(memories)}
    options = "".join(f'<option value="{escape(kind)}">{escape(kind.replace("_", " "))}</option>' for kind in kinds)
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f"{PAGE_MARK}"
        f'<meta http-equiv="Content-Security-Policy" content="{escape(policy)}">'
        '<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">'
        f"<title>Memory of {escape(name)}</title><style>{style}</style></head><body>"
        f'<header><p class="brand"><strong>Muninn</strong> <span>{escape(name)}</span></p></header>'
        f'<main id="main"><h1>Memory</h1><p>{escape(note)}</p>'
        '<form class="search" role="search" hidden><label class="grow">Search <input type="search" name="q"></label>'
        f'<label>Type <select name="type"><option value="">any</option>{options}</select></label></form>'
        '<div id="timeline"></div><details id="graph" hidden><summary>Graph</summary><figure></figure></details>'
        '<p class="count" role="status"></p>'
        f'<div class="list">{"".join(article(each, places) for each in memories)}</div>'
        f'<p><button type="button" hidden>Show all</button></p></main>'
        f'<script type="module">{script}</script></body></html>\n'
    )


def _source(text: str) -> str:
    """Return the source expression of the policy that admits exactly this text (CSP 3, hash-source)."""
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"
