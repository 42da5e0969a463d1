"""The fields of knowledge pages' frontmatter that filters compare: type, domain and tags."""

from __future__ import annotations

from typing import NamedTuple

from muninn_core.source.documents.frontmatter import read_frontmatter

PAGE_FOLDERS = (".muninn/knowledge", ".muninn/packs")
"""The folders of pages."""


class Page(NamedTuple):
    """The type, domain and tags of a page, as written; "" and () for what it does not say."""

    type: str = ""
    domain: str = ""
    tags: tuple[str, ...] = ()


def read_page(text: str) -> Page:
    """Return what a page's frontmatter says; of a malformed one nothing."""
    fields, _ = read_frontmatter(text)
    tags = fields.get("tags")
    listed = tags if isinstance(tags, list) else [tags] if tags else []
    return Page(_text(fields.get("type")), _text(fields.get("domain")), tuple(map(_text, listed)))


def _text(value: object) -> str:
    return "" if value is None else str(value).strip()
