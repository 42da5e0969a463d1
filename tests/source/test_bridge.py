"""Whose memory a file is, by its path."""

from __future__ import annotations

import pytest

from muninn_core.gitignore import IgnoreRules
from muninn_core.source.bridges.bridge import BRIDGES, bridge_of, disabled_patterns, is_read_if_ignored, origin_of

LABELS = {
    "CLAUDE.md": "CLAUDE.md",
    "AGENTS.md": "AGENTS.md",
    "CLAUDE.local.md": "CLAUDE.local.md",
    ".claude/CLAUDE.md": "CLAUDE.md",
    "services/billing/AGENTS.md": "AGENTS.md",
    "docs/adr/0001-use-postgres.md": "ADR",
    "docs/decisions/0001-use-postgres.md": "ADR",
    "doc/adr/0001-record-decisions.md": "ADR",
    "adr/ADR-7.rst": "ADR",
    "services/billing/docs/adr/storage/0001.adoc": "ADR",
    "docs/architecture-decisions/1.markdown": "ADR",
    ".metis/vision.md": "Metis vision",
    ".metis/tasks/MUNI-T-0042.md": "Metis task",
    ".metis/initiatives/MUNI-I-0001/initiative.md": "Metis initiative",
    ".metis/initiatives/MUNI-I-0001/tasks/MUNI-T-0042.md": "Metis task",
    ".metis/strategies/MUNI-S-0001/initiatives/MUNI-I-0001/tasks/MUNI-T-0042.md": "Metis task",
    ".metis/adrs/001.md": "Metis ADR",
    ".metis/notes.md": "Metis document",
    ".serena/memories/conventions.md": "Serena memory",
    ".claude/rules/frontend/forms.md": "Claude rule",
    "GEMINI.md": "GEMINI.md",
    "services/billing/GEMINI.md": "GEMINI.md",
    ".github/copilot-instructions.md": "Copilot instructions",
    ".github/instructions/web/forms.instructions.md": "Copilot instructions",
    "web/.github/copilot-instructions.md": "Copilot instructions",
    ".cursor/rules/base.mdc": "Cursor rule",
    "services/billing/.cursor/rules/decisions/money.mdc": "Cursor rule",
    ".cursorrules": "Cursor rule",
    ".windsurf/rules/base.md": "Windsurf rule",
    ".devin/rules/base.md": "Windsurf rule",
    ".windsurfrules": "Windsurf rule",
    ".clinerules": "Cline rule",
    ".clinerules/01-style.md": "Cline rule",
    ".clinerules/notes.txt": "Cline rule",
    ".cline/rules/style.md": "Cline rule",
    ".roo/rules/style.md": "Roo rule",
    ".roo/rules-architect/plan.txt": "Roo rule",
    ".roorules": "Roo rule",
    ".junie/guidelines.md": "Junie guidelines",
    ".kiro/steering/product.md": "Kiro steering",
    ".continue/rules/style.md": "Continue rule",
    ".amazonq/rules/security.md": "Amazon Q rule",
    "CONVENTIONS.md": "CONVENTIONS.md",
    "memory-bank/progress.md": "Memory bank",
    "/home/me/.claude/projects/-src-app/memory/MEMORY.md": "Claude auto memory",
    "C:/Users/me/.claude/projects/-src-app/memory/debugging.md": "Claude auto memory",
}
NOBODYS = (
    "docs/decisions/README.md",
    "docs/adr/adr-template.md",
    "docs/adr/index.md",
    "src/decisions/tree.py",
    "docs/claude.md",
    "docs/CLAUDE.md.txt",
    ".metis/metis.db",
    ".serena/project.yml",
    ".serena/cache/x.md",
    "/home/me/notes/secret.md",
    "/home/me/.claude/projects/-src-app/memory/old/MEMORY.md",
    "projects/x/memory/MEMORY.md",
    ".muninn/packs/strangers/CLAUDE.md",
    ".muninn/packs/strangers/decisions/0001.md",
    "vendor/library/AGENTS.md",
    "vendor/library/.cursor/rules/base.mdc",
    ".cursor/rules/picture.png",
    ".cursor/mcp.json",
    ".github/workflows/ci.yml",
    ".github/instructions/notes.md",
    ".clinerules/hooks/run.sh",
    ".kiro/specs/login/design.md",
    ".continue/config.yaml",
    "docs/CONVENTIONS.md",
    "docs/memory-bank/progress.md",
    "docs/gemini.md",
    "third_party/library/docs/adr/0001.md",
)


@pytest.mark.parametrize(("path", "label"), LABELS.items())
def test_a_file_of_another_tool_has_its_label(path: str, label: str) -> None:
    assert origin_of(path) == label


@pytest.mark.parametrize("path", NOBODYS)
def test_other_files_have_none(path: str) -> None:
    assert (bridge_of(path), origin_of(path)) == (None, "")


def test_notes_of_an_agent_are_trusted_less_than_notes_that_people_curate() -> None:
    trust = {path: bridge.trust for path in LABELS if (bridge := bridge_of(path))}
    agents = {"Serena memory", "Claude auto memory", "Memory bank"}
    assert {LABELS[path] for path in trust if trust[path] == "agent"} == agents
    assert trust["CLAUDE.md"] == trust["docs/adr/0001-use-postgres.md"] == trust[".metis/vision.md"] == "user"


@pytest.mark.parametrize("path", [path for path in LABELS if path[0] != "/" and path[1] != ":"])
def test_the_patterns_of_a_bridge_are_those_of_its_files(path: str) -> None:
    mine = bridge_of(path)
    assert mine is not None
    for bridge in BRIDGES:
        closed = IgnoreRules(disabled_patterns([bridge.key])).excludes(path)
        assert closed is (bridge is mine) or (bridge.key == "adr" and path == ".metis/adrs/001.md")


def test_only_what_tools_keep_at_known_places_is_read_against_gitignore() -> None:
    kept = ("CLAUDE.local.md", ".claude/CLAUDE.md", ".serena/memories/a.md", ".metis/tasks/1.md", ".cursor/rules/a.mdc")
    kept += (".clinerules", ".clinerules/a.txt", ".roo/rules-code/a.md", ".junie/guidelines.md", "memory-bank/a.md")
    others = ("src/CLAUDE.md", "docs/adr/1.md", ".serena/project.yml", ".metis/metis.db", ".cursor/mcp.json")
    others += (".cursor/rules/a.png", ".roo/mcp.json", "src/.cursor/rules/a.mdc", "CONVENTIONS.md")
    assert [path for path in kept if not is_read_if_ignored(path)] == []
    assert [path for path in others if is_read_if_ignored(path)] == []
