"""To which files the instructions of an agent apply, in the words of each tool."""

from __future__ import annotations

import time

import pytest

from muninn_core.source.bridges.rule_scope import MAX_PATTERNS, rule_scope, split_patterns

FILES = ("src/app.ts", "src/app.py", "src/web/form.tsx", "docs/guide.md", "notes.md", "web/src/app.ts")


def scope_of(path: str, head: str = ""):
    found = rule_scope(path, f"---\n{head}\n---\n\n# Rule\n" if head else "# Rule\n")
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("path", "head", "applied"),
    [
        # Cursor writes patterns without quotes, which is not YAML.
        (".cursor/rules/a.mdc", "description: Types\nglobs: **/*.ts,**/*.tsx\nalwaysApply: false", "025"),
        (".cursor/rules/a.mdc", "globs: *.py", "1"),
        (".cursor/rules/a.mdc", "globs:\n  - src/**/*.{ts,py}\n  - docs/**", "013"),
        (".cursor/rules/a.mdc", 'globs: ["src/web/**"]', "2"),
        ("web/.cursor/rules/a.mdc", "globs: src/**", "5"),
        ("web/.cursor/rules/a.mdc", "alwaysApply: true", "5"),
        (".github/instructions/a.instructions.md", 'applyTo: "**/*.ts,**/*.tsx"', "025"),
        (".github/instructions/a.instructions.md", "applyTo: '*.md'", "4"),
        (".claude/rules/a.md", "paths:\n  - 'src/**/*.{ts,tsx}'", "02"),
        (".claude/rules/a.md", 'paths: "*.md"', "4"),
        (".clinerules/a.md", "paths:\n  - src/**\n  - '*.md'", "0124"),
        (".windsurf/rules/a.md", "trigger: glob\nglobs: src/*.ts, docs/**", "03"),
        (".kiro/steering/a.md", "inclusion: fileMatch\nfileMatchPattern: ['src/web/**', '**/*.py']", "12"),
        (".continue/rules/a.md", "name: T\nglobs: ['src/**', '!src/web/**']", "01"),
        ("src/AGENTS.md", "", "012"),
        ("web/.junie/guidelines.md", "", "5"),
        ("web/CLAUDE.local.md", "", "5"),
    ],
)
def test_a_rule_applies_to_the_files_that_its_tool_says(path: str, head: str, applied: str) -> None:
    scope = scope_of(path, head)
    assert "".join(str(n) for n, file in enumerate(FILES) if scope.applies_to_part(file)) == applied


@pytest.mark.parametrize(
    ("path", "head"),
    [
        (".cursor/rules/a.mdc", "description: Types\nglobs: **/*.ts\nalwaysApply: true"),
        (".cursorrules", ""),
        (".github/copilot-instructions.md", ""),
        (".github/instructions/a.instructions.md", 'applyTo: "**"'),
        (".clinerules/a.md", ""),
        (".windsurf/rules/a.md", "trigger: always_on"),
        (".kiro/steering/product.md", ""),
        (".continue/rules/a.md", "name: Style"),
        (".amazonq/rules/a.md", ""),
        ("AGENTS.md", ""),
    ],
)
def test_a_rule_for_all_files_is_singled_out_for_none(path: str, head: str) -> None:
    scope = scope_of(path, head)
    assert scope.automatic
    assert not any(map(scope.applies_to_part, FILES))


@pytest.mark.parametrize(
    ("path", "head"),
    [
        (".cursor/rules/a.mdc", "description: The agent reads it when it needs it.\nglobs:\nalwaysApply: false"),
        (".cursor/rules/a.mdc", ""),
        (".github/instructions/a.instructions.md", "description: Forms"),
        (".clinerules/a.md", "paths: []"),
        (".clinerules/workflows/release.md", ""),
        (".windsurf/rules/a.md", "trigger: model_decision\ndescription: Forms"),
        (".kiro/steering/a.md", "inclusion: manual"),
        (".kiro/steering/a.md", "inclusion: auto\ndescription: Forms"),
        (".continue/rules/a.md", "alwaysApply: false\ndescription: Forms"),
        (".continue/rules/a.md", "invokable: true"),
        (".roo/rules-architect/plan.md", ""),
        (".cursor/rules/a.mdc", "globs: '['"),
    ],
)
def test_a_rule_that_is_asked_for_applies_to_no_file_by_itself(path: str, head: str) -> None:
    scope = scope_of(path, head)
    assert not scope.automatic
    assert not any(map(scope.applies_to_part, FILES))


@pytest.mark.parametrize(
    "path", ["docs/adr/0001-a.md", "memory-bank/progress.md", ".serena/memories/a.md", "README.md"]
)
def test_notes_and_records_are_no_instructions(path: str) -> None:
    assert rule_scope(path, "---\nglobs: src/**\n---\n") is None


def test_commas_in_braces_do_not_separate_patterns() -> None:
    assert split_patterns("src/**/*.{ts,tsx}, docs/{a,b{1,2}}.md") == (
        *("src/**/*.ts", "src/**/*.tsx"),
        *("docs/a.md", "docs/b1.md", "docs/b2.md"),
    )


def test_patterns_of_a_hostile_file_are_bounded() -> None:
    begun = time.process_time()
    assert len(split_patterns("{a,b}" * 200)) <= MAX_PATTERNS
    assert len(split_patterns(["x" + "{" * 5_000, ",".join(f"f{n}" for n in range(50_000))])) <= MAX_PATTERNS
    scope = scope_of(".cursor/rules/a.mdc", "globs: " + "a*" * 400 + "b")
    assert not scope.applies_to_part("a" * 5_000)
    assert time.process_time() - begun < 20
