"""Skills are found in their folders and read as far as they can be understood."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from muninn_core.retrieval.rankers.skills import LOCAL, MIN_RELATEDNESS, distinct, match_skills
from muninn_core.source.documents.skill import Skill, find_skills, read_skill

NOW = datetime(2026, 3, 1, tzinfo=UTC)


class EqualWords:
    """A reader in which all words are equally rare."""

    sources = ()

    def rarities(self, words: Iterable[str]) -> dict[str, float]:
        """Return the same for every word."""
        return dict.fromkeys(words, 2.0)


def write(folder: Path, text: str = "---\nname: x\ndescription: It helps.\n---\n") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "SKILL.md").write_text(text)
    return folder / "SKILL.md"


def skill(name: str, *, local: bool = False, description: str = "It helps.", path: str = "") -> Skill:
    path = path or f"{'here' if local else '/home'}/{name}/SKILL.md"
    return Skill(name=name, description=description, path=path, local=local, text="…")


def found(root: Path, home: Path, *paths: str) -> list[tuple[str, bool]]:
    files = find_skills(root, home, paths)
    return [(file.path.removeprefix(str(root.parent)), file.local) for file in files]


def test_skills_are_found_below_every_folder_in_its_order(tmp_path: Path) -> None:
    root, home = tmp_path / "repo", tmp_path / "home"
    write(root / ".claude/skills/b")
    write(root / ".claude/skills/a/inner")
    write(home / ".claude/skills/c")
    write(home / ".claude/plugins/cache/m/p/1.0/skills/d")
    (root / ".claude/skills/notes.md").write_text("no skill")
    write(root / ".claude/skills/node_modules/e")
    paths = (".claude/skills", "~/.claude/skills", "~/.claude/plugins/cache/*/*/*/skills", "missing/skills")
    assert found(root, home, *paths) == [
        ("/repo/.claude/skills/a/inner/SKILL.md", True),
        ("/repo/.claude/skills/b/SKILL.md", True),
        ("/home/.claude/skills/c/SKILL.md", False),
        ("/home/.claude/plugins/cache/m/p/1.0/skills/d/SKILL.md", False),
    ]


def test_links_are_followed_at_home_and_in_a_repository_only_within_it(tmp_path: Path) -> None:
    root, home = tmp_path / "repo", tmp_path / "home"
    secret = write(tmp_path / "elsewhere/secret")
    write(root / ".agents/skills/mine")
    (root / ".claude").mkdir()
    (root / ".claude/skills").symlink_to(root / ".agents/skills")
    (root / ".agents/skills/out").symlink_to(secret.parent)
    (root / ".agents/skills/loop").symlink_to(root / ".agents/skills")
    (home / ".claude/skills").mkdir(parents=True)
    (home / ".claude/skills/linked").symlink_to(secret.parent)
    assert found(root, home, ".claude/skills", ".agents/skills", "~/.claude/skills") == [
        ("/repo/.claude/skills/mine/SKILL.md", True),
        ("/home/.claude/skills/linked/SKILL.md", False),
    ]


def test_without_a_home_only_the_repository_is_looked_at(tmp_path: Path) -> None:
    write(tmp_path / ".claude/skills/a")
    assert len(find_skills(tmp_path, None, (".claude/skills", "~/.claude/skills"))) == 1


def test_a_skill_says_its_name_and_when_it_helps() -> None:
    text = "---\nname: parsers\ndescription: >\n  Write\n  parsers.\nwhen_to_use: For grammars.\n---\n# How\n"
    one = read_skill("skills/parsers/SKILL.md", text, local=True)
    assert (one.name, one.description, one.problems) == ("parsers", "Write parsers. For grammars.", ())


def test_missing_fields_are_taken_from_the_folder_and_the_text() -> None:
    one = read_skill("skills/parsers/SKILL.md", "# Parsers\n\nWrite them\nby hand.\n\nMore.\n", local=True)
    assert (one.name, one.description) == ("parsers", "Write them by hand.")
    assert one.problems == ("it has no description, so agents do not know when to use it",)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("---\nname: api\ndescription: Design REST: errors.\n---\n", "line 3: not valid YAML"),
        ("---\nname: api\ndescription: Design REST: errors.\n", "the frontmatter is not closed"),
        ("---\nname: My Api\ndescription: Design.\n---\n", "its name 'My Api' is not in lower case"),
        (f"---\nname: api\ndescription: {'x' * 1100}\n---\n", "1100 characters; 1024 are allowed"),
    ],
)
def test_faults_of_a_skill_are_reported_and_do_not_hide_it(text: str, problem: str) -> None:
    one = read_skill("skills/api/SKILL.md", text, local=True)
    assert problem in one.problems[0]
    assert one.name in ("api", "My Api")


def test_a_colon_without_quotes_does_not_hide_the_description() -> None:
    one = read_skill("s/a/SKILL.md", "---\nname: api\ndescription: Design REST: errors.\n---\nText.\n", local=False)
    assert one.description == "Design REST: errors."


def test_the_local_skill_of_a_name_is_taken_else_the_first() -> None:
    skills = [skill("a", path="/1"), skill("a", local=True, path="2"), skill("b", path="/3"), skill("b", path="/4")]
    kept, hidden = distinct(skills)
    assert sorted(one.path for one in kept) == ["/3", "2"]
    assert [one.path for one in hidden] == ["/1", "/4"]


def test_a_local_skill_counts_a_tenth_more_and_the_reasons_add_up() -> None:
    skills = [skill("far", description="Write a parser."), skill("near", local=True, description="Write a parser.")]
    first, second = match_skills(EqualWords(), "write a parser", skills, [0.5, 0.5], NOW)
    assert [first.skill.name, second.skill.name] == ["near", "far"]
    assert first.score == pytest.approx(second.score * (1 + LOCAL), abs=0.001)
    for match in (first, second):
        assert round(sum(reason.contribution for reason in match.why), 4) == match.score >= MIN_RELATEDNESS
    assert [reason.signal for reason in first.why] == ["meaning", "words", "local"]


def test_skills_of_one_score_are_in_the_order_of_their_names() -> None:
    skills = [skill(name, description="Write a parser.") for name in ("c", "a", "b")]
    names = [match.skill.name for match in match_skills(EqualWords(), "write a parser", skills, [0.5] * 3, NOW)]
    assert names == ["a", "b", "c"]
