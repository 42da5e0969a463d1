"""Links between the project's own markdown pages: every relative target and every anchor exists."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
LINK = re.compile(r"!?\[[^\]]*\]\(([^()\s]+)\)")
FENCE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`[^`\n]*`")
HEADING = re.compile(r"^#{1,6} +(.+?) *$", re.MULTILINE)
ANCHOR = re.compile(r'<a id="([^"]+)">')
CODE_PARTS = ("core", "lsp_server", "cli", "hooks")
LISTED = subprocess.run(["git", "-C", str(ROOT), "ls-files", "*.md"], capture_output=True, text=True, check=True)
PAGES = [ROOT / line for line in LISTED.stdout.splitlines() if not line.startswith("tests/")]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_of_a_page_leads_to_a_file_and_a_heading(page: Path) -> None:
    broken = [target for target in LINK.findall(prose(page)) if not resolves(page, target)]
    assert broken == []


def test_a_link_without_a_target_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# One two\n\n[a](#one-two) [b](#three) [c](missing.md) `[d](code.md)`\n")
    assert [target for target in LINK.findall(prose(page)) if not resolves(page, target)] == ["#three", "missing.md"]


def test_no_page_names_a_path_of_the_code_that_is_gone() -> None:
    named = {
        (page.relative_to(ROOT), path)
        for page in PAGES
        for path in re.findall(r"`((?:core|lsp_server|cli|hooks)/muninn_\w+[\w/.]*)`", page.read_text())
        if "FAMILY" not in path
    }
    assert len(named) > 100
    assert [(str(page), path) for page, path in sorted(named) if not (ROOT / path).exists()] == []


def test_the_code_map_names_every_package() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text()
    named = set(re.findall(r"`((?:core|lsp_server|cli|hooks)/[\w/.]+|vscode-extension)`", page))
    packages = {
        str(file.parent.relative_to(ROOT)) for part in CODE_PARTS for file in (ROOT / part).rglob("__init__.py")
    }
    assert packages - named == {"core/muninn_core"}


def resolves(page: Path, target: str) -> bool:
    """Tell whether a link's target exists; addresses of other hosts are not checked."""
    if re.match(r"[a-z]+:", target):
        return True
    path, _, anchor = target.partition("#")
    file = (page.parent / path).resolve() if path else page
    return file.exists() and (not anchor or anchor in anchors(file))


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page: its headings as GitHub names them, and explicit ones."""
    text = page.read_text()
    headings = {slug(heading) for heading in HEADING.findall(FENCE.sub("", text))}
    return headings | set(ANCHOR.findall(text))


def slug(heading: str) -> str:
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def prose(page: Path) -> str:
    return CODE.sub("", FENCE.sub("", page.read_text()))
