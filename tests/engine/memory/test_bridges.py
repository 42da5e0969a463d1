"""Memory of other tools is read in place, labelled in every answer, and never written."""

from __future__ import annotations

import os
import re

import pytest
from repositories import git

from muninn_core.context.results.text import render
from muninn_core.launch.repository_location import locate
from muninn_core.protocol.families.search import RecallParams
from muninn_core.worktree.call_context import CallContext

pytest_plugins = ["engines"]

FILES = {
    "CLAUDE.md": "# Rules\n\nThe kraken module is never imported from the quay.\n",
    "src/AGENTS.md": "# Sources\n\nWrite a whelk test for each function.\n",
    "docs/adr/0001-use-limpets.md": "# 1. Use limpets\n\nLimpets hold. See `src/users.py` for who they hold.\n",
    "docs/adr/README.md": "# Records\n\nA list of limpet records.\n",
    ".metis/tasks/T-0042.md": "# Scrub the narwhal\n\nThe narwhal must be scrubbed.\n",
    ".serena/memories/style.md": "# Style\n\nAnemone names are plural.\n",
    ".cursor/rules/python.mdc": "---\ndescription: Python\nglobs: **/*.py,*.pyi\n---\n\nA walrus is never assigned.\n",
    ".github/instructions/docs.instructions.md": "---\napplyTo: 'docs/**'\n---\n\nWrite of one dolphin at a time.\n",
    ".cursorrules": "Prefer puffins to gannets in every module.\n",
    "memory-bank/progress.md": "# Progress\n\nThe lobster pots are counted.\n",
}

CURSOR = (".cursor/rules/python.mdc", ".cursorrules")


def write(root, files):
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)


@pytest.fixture
def bridged(muninn):
    """A repository in which other tools keep memory, indexed."""
    write(muninn.root, FILES)
    muninn.call("index")
    return muninn


def best(muninn, query, **params):
    return muninn.call("recall", query=query, kind="knowledge", **params).hits[0]


def auto_memory(root, home):
    """Return the folder that Claude Code keeps for a work tree."""
    folder = home / ".claude" / "projects" / re.sub(r"[^A-Za-z0-9]", "-", str(root)) / "memory"
    folder.mkdir(parents=True)
    return folder


def configure(muninn, text):
    (muninn.root / ".muninn" / "config.yaml").write_text(text)
    muninn.touch(".muninn/config.yaml")


@pytest.mark.parametrize(
    ("query", "path", "origin"),
    [
        ("kraken module imported from the quay", "CLAUDE.md", "CLAUDE.md"),
        ("whelk test for each function", "src/AGENTS.md", "AGENTS.md"),
        ("use limpets", "docs/adr/0001-use-limpets.md", "ADR"),
        ("scrub the narwhal", ".metis/tasks/T-0042.md", "Metis task"),
        ("anemone names are plural", ".serena/memories/style.md", "Serena memory"),
        ("walrus never assigned", ".cursor/rules/python.mdc", "Cursor rule"),
        ("one dolphin at a time", ".github/instructions/docs.instructions.md", "Copilot instructions"),
        ("prefer puffins to gannets", ".cursorrules", "Cursor rule"),
        ("lobster pots are counted", "memory-bank/progress.md", "Memory bank"),
        ("sessions expire after one hour", "README.md", ""),
    ],
)
def test_recall_says_which_tool_a_hit_is_from(bridged, query, path, origin):
    hit = best(bridged, query)
    trust = {"": None, "Serena memory": "agent", "Memory bank": "agent"}.get(origin, "user")
    assert (hit.path, hit.origin, hit.trust) == (path, origin, trust)


def test_agent_files_of_vendored_code_are_not_trusted_as_bridges(bridged):
    write(bridged.root, {"vendor/kelp/AGENTS.md": "# Kelp\n\nThe kelp is cut on Sundays. See `src/users.py`.\n"})
    bridged.touch("vendor/kelp/AGENTS.md")
    hit = best(bridged, "kelp is cut on Sundays")
    assert (hit.path, hit.origin, hit.trust) == ("vendor/kelp/AGENTS.md", "", None)
    mentions = bridged.call("memories", file="src/users.py").mentions
    assert "vendor/kelp/AGENTS.md" not in {mention.path for mention in mentions}


def test_notes_that_an_agent_wrote_rank_slightly_lower_with_that_reason(bridged):
    hit = best(bridged, "anemone names are plural")
    assert [(why.contribution, why.note) for why in hit.why if why.signal == "agent"] == [(-0.1, "Serena memories")]
    assert not [why for why in best(bridged, "use limpets").why if why.signal == "agent"]
    assert "(Serena memory; an agent's word)" in render(bridged.call("recall", query="anemone names"))


def test_a_pack_names_the_origin_of_its_knowledge(bridged):
    pack = bridged.call("context", query="use limpets for anemone names", budget=2000)
    assert {item.origin for item in pack.items} >= {"ADR", "Serena memory"}
    assert "### docs/adr/0001-use-limpets.md:1-3 — 1. Use limpets [ADR; decided; names src/users.py" in pack.text


def test_a_hover_shows_where_other_tools_speak_of_a_file_and_whose_rules_hold_there(bridged):
    result = bridged.call("memories", file="src/users.py")
    found = [(mention.origin, mention.path) for mention in result.mentions]
    assert found == [
        ("AGENTS.md", "src/AGENTS.md"),
        ("Cursor rule", ".cursor/rules/python.mdc"),
        ("ADR", "docs/adr/0001-use-limpets.md"),
    ]
    hover = bridged.call("about", file="src/users.py", line=1).text.replace("\\", "")
    assert "- AGENTS.md src/AGENTS.md:1-" in hover.partition("**Also in**")[2]
    assert "decision ADR 1 · decided" in hover
    assert "docs/adr/0001-use-limpets.md" not in hover.partition("**Also in**")[2]  # it is told of above
    assert bridged.call("memories", file="README.md").mentions == ()
    rules = bridged.call("memories", file="docs/adr/0001-use-limpets.md").mentions
    assert [mention.path for mention in rules] == [".github/instructions/docs.instructions.md"]
    rule = bridged.root / ".cursor/rules/python.mdc"
    rule.write_text(rule.read_text().replace("**/*.py", "lib/**"))
    bridged.touch(".cursor/rules/python.mdc")
    assert "Cursor rule" not in {mention.origin for mention in bridged.call("memories", file="src/users.py").mentions}


def test_status_counts_what_is_read_of_each_tool(bridged):
    bridges = {bridge.name: bridge for bridge in bridged.call("status").bridges}
    found = {name: (bridge.on, bridge.files, bridge.trust) for name, bridge in bridges.items()}
    assert {name: found[name] for name in found if found[name] != (True, 0, "user")} == {
        "instructions": (True, 2, "user"),
        "copilot": (True, 1, "user"),
        "cursor": (True, 2, "user"),
        "memory_bank": (True, 1, "agent"),
        "adr": (True, 1, "user"),
        "metis": (True, 1, "user"),
        "serena": (True, 1, "agent"),
        "claude_memory": (False, 0, "agent"),
    }


def test_a_changed_file_of_another_tool_is_found_at_once(bridged):
    (bridged.root / ".serena" / "memories" / "style.md").write_text("# Style\n\nBarnacle names are singular.\n")
    bridged.touch(".serena/memories/style.md")
    assert "Barnacle" in best(bridged, "barnacle names are singular").text
    (bridged.root / "CLAUDE.md").unlink()
    bridged.touch("CLAUDE.md")
    assert "CLAUDE.md" not in bridged.paths("kraken module")


def test_memory_of_other_tools_is_read_although_git_ignores_it(bridged):
    (bridged.root / ".gitignore").write_text("CLAUDE.local.md\n.serena/\nsrc/AGENTS.md\n.cursor/\n.cursorrules\n")
    (bridged.root / "CLAUDE.local.md").write_text("# Mine\n\nMy sextant is at the third mooring.\n")
    bridged.touch(".gitignore", "CLAUDE.local.md")
    assert best(bridged, "sextant at the third mooring").origin == "CLAUDE.local.md"
    assert best(bridged, "anemone names").origin == "Serena memory"
    assert best(bridged, "walrus never assigned").path == ".cursor/rules/python.mdc"
    assert best(bridged, "prefer puffins to gannets").path == ".cursorrules"
    assert "src/AGENTS.md" not in bridged.paths("whelk test for each function")
    (bridged.root / ".serena" / "memories" / "new.md").write_text("# New\n\nThe cuttlefish is shy.\n")
    bridged.touch(".serena", ".serena/memories/new.md")
    assert best(bridged, "the cuttlefish is shy").path == ".serena/memories/new.md"


def test_a_person_can_leave_it_out_by_muninnignore_and_by_the_configuration(bridged):
    (bridged.root / ".muninnignore").write_text(".serena/\n")
    configure(bridged, "bridges:\n  instructions: false\n  adr: false\n  cursor: false\n")
    words = "kraken limpets anemone narwhal walrus puffins lobster"
    found = {hit.path for hit in bridged.call("recall", query=words, limit=50).hits}
    assert not found.intersection({"CLAUDE.md", "src/AGENTS.md", "docs/adr/0001-use-limpets.md", *CURSOR})
    assert found >= {".metis/tasks/T-0042.md", "memory-bank/progress.md"}
    counts = {bridge.name: (bridge.on, bridge.files) for bridge in bridged.call("status").bridges}
    assert counts["adr"] == counts["instructions"] == counts["cursor"] == (False, 0)
    configure(bridged, "")
    assert "CLAUDE.md" in bridged.paths("kraken module")


def test_a_link_in_the_place_of_a_file_leads_nowhere(bridged, tmp_path):
    (tmp_path / "secret.md").write_text("# Secret\n\nThe anglerfish glows.\n")
    (bridged.root / "CLAUDE.local.md").symlink_to(tmp_path / "secret.md")
    (bridged.root / ".serena" / "memories" / "link.md").symlink_to(tmp_path / "secret.md")
    bridged.touch("CLAUDE.local.md", ".serena/memories/link.md")
    assert not any("anglerfish" in text for text in bridged.texts("the anglerfish glows"))


def test_the_folder_outside_is_read_only_when_it_is_configured(plain_repo, start, tmp_path):
    folder = auto_memory(plain_repo, tmp_path)
    (folder / "MEMORY.md").write_text("# Memory\n\nThe user likes octopus charts.\n")
    muninn = start(plain_repo, home=tmp_path)
    muninn.call("init")
    assert not any(path.startswith("/") for path in muninn.paths("octopus charts"))
    configure(muninn, "bridges: {claude_memory: auto}\n")
    hit = best(muninn, "octopus charts")
    assert (hit.path, hit.origin) == (f"{folder}/MEMORY.md", "Claude auto memory")
    assert {why.signal for why in hit.why}.isdisjoint({"test", "path"})
    bridge = muninn.call("status").bridges[-1]
    assert (bridge.on, bridge.files, bridge.folder) == (True, 1, str(folder))
    configure(muninn, "bridges: {claude_memory: off}\n")
    assert not any(path.startswith("/") for path in muninn.paths("octopus charts"))


def test_each_question_looks_at_the_folder_outside_first(plain_repo, start, tmp_path):
    folder = auto_memory(plain_repo, tmp_path)
    (folder / "MEMORY.md").write_text("# Memory\n\nThe user likes octopus charts.\n")
    muninn = start(plain_repo, home=tmp_path)
    muninn.call("init")
    configure(muninn, "bridges: {claude_memory: auto}\n")
    muninn.call("index")
    (folder / "debugging.md").write_text("# Debugging\n\nThe seahorse trace needs a flag.\n")
    assert best(muninn, "seahorse trace needs a flag").path == f"{folder}/debugging.md"
    (folder / "MEMORY.md").write_text("# Memory\n\nThe user likes manatee charts, of all charts.\n")
    assert "manatee" in best(muninn, "manatee charts").text
    (folder / "debugging.md").unlink()
    assert "seahorse" not in best(muninn, "seahorse trace needs a flag").text
    (folder / "link.md").symlink_to("/etc/hostname")
    (folder / "notes.txt").write_text("The stingray is grey.")
    assert {bridge.name: bridge.files for bridge in muninn.call("status").bridges}["claude_memory"] == 1


def test_a_linked_work_tree_reads_the_memory_of_its_main_one(plain_repo, start, tmp_path):
    folder = auto_memory(plain_repo, tmp_path)
    (folder / "MEMORY.md").write_text("# Memory\n\nThe user likes octopus charts.\n")
    git(plain_repo, "worktree", "add", "-q", str(tmp_path / "linked"))
    muninn = start(tmp_path / "linked", home=tmp_path)
    muninn.call("init")
    configure(muninn, "bridges: {claude_memory: auto}\n")
    assert best(muninn, "octopus charts").origin == "Claude auto memory"


def own_settings(home, root, folder):
    """Write the user's own settings: another folder of Claude Code's memory for one repository."""
    path = home / ".config/muninn/config.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"repositories:\n  {root}:\n    bridges:\n      claude_memory: {folder}\n")


def test_a_folder_that_is_named_and_not_there_is_a_problem_and_nothing_fails(plain_repo, start, tmp_path):
    own_settings(tmp_path, plain_repo, f"{tmp_path}/projects/none/memory")
    muninn = start(plain_repo, home=tmp_path)
    muninn.call("init")
    (problem,) = muninn.call("status").problems
    assert (problem.kind, problem.path) == ("bridges", "~/.config/muninn/config.yaml")
    assert f"{tmp_path}/projects/none/memory" in problem.message
    assert muninn.call("recall", query="get user name").hits


def test_only_the_users_own_settings_name_a_folder_outside(plain_repo, start, tmp_path):
    folder = tmp_path / ".claude/projects/another/memory"
    folder.mkdir(parents=True)
    (folder / "MEMORY.md").write_text("# Memory\n\nThe other project likes octopus charts.\n")
    muninn = start(plain_repo, home=tmp_path)
    muninn.call("init")
    configure(muninn, f"bridges:\n  claude_memory: {folder}\n")
    (problem,) = muninn.call("status").problems
    assert (problem.path, problem.line) == (".muninn/config.yaml", 2)
    assert "lies outside of the repository, and only ~/.config/muninn/config.yaml can name such" in problem.message
    assert not any(path.startswith("/") for path in muninn.paths("octopus charts"))
    own_settings(tmp_path, plain_repo, folder)
    configure(muninn, "{}\n")
    assert best(muninn, "octopus charts").path == f"{folder}/MEMORY.md"
    assert not muninn.call("status").problems


@pytest.mark.parametrize("folder", ["~/.ssh", "/etc", "notes", "~/.claude/projects/x/memory/../../../..", "true"])
def test_a_repository_can_not_open_any_other_folder_of_its_reader(muninn, folder):
    configure(muninn, f"bridges:\n  claude_memory: {folder}\n")
    (problem,) = muninn.call("status").problems
    assert (problem.kind, problem.line) == ("config", 2)
    assert "off, auto or a path" in problem.hint


def test_nothing_of_another_tool_is_ever_written(plain_repo, start, tmp_path):
    folder = auto_memory(plain_repo, tmp_path)
    (folder / "MEMORY.md").write_text("# Memory\n\nThe user likes octopus charts.\n")
    write(plain_repo, FILES)
    muninn = start(plain_repo, home=tmp_path)
    muninn.call("init")
    configure(muninn, "bridges: {claude_memory: auto}\n")
    paths = [*(plain_repo / path for path in FILES), folder / "MEMORY.md"]
    before = [(path.read_bytes(), os.stat(path).st_mtime_ns) for path in paths]
    muninn.call("remember", text="The octopus is on a chart.", files=["CLAUDE.md"])
    muninn.call("index", rebuild=True)
    muninn.call("reconcile")
    muninn.engine.close()
    assert [(path.read_bytes(), os.stat(path).st_mtime_ns) for path in paths] == before
    assert sorted(os.listdir(folder)) == ["MEMORY.md"]


def test_knowledge_of_another_revision_has_its_origin_too(bridged):
    git(bridged.root, "add", ".")
    git(bridged.root, "commit", "-q", "-m", "Records")
    (bridged.root / "docs" / "adr" / "0001-use-limpets.md").unlink()
    bridged.touch("docs/adr/0001-use-limpets.md")
    params = RecallParams(query="use limpets", at="HEAD")
    hit = bridged.engine.recall(params, CallContext(location=locate(str(bridged.root)))).hits[0]
    assert (hit.path, hit.origin) == ("docs/adr/0001-use-limpets.md", "ADR")
