"""Context files: items from references, omitted items, and templates of new files."""

from __future__ import annotations

import pytest

from muninn_core.context.packs.tokens import count_tokens
from muninn_core.errors import BadParams, NotFoundError, UsageError
from muninn_core.protocol.catalogue import METHODS
from muninn_core.source.documents.references import find_references

pytest_plugins = ["engines"]

TOKEN = "ghp_" + "a1B2c3D4e5" * 3 + "F6a7B8"


@pytest.fixture
def project(muninn):
    """A repository with code, knowledge, a decision and a memory."""
    files = {
        "src/users.py": 'def get_user(uid):\n    """Look one up."""\n    return 1\n\n\ndef delete(uid):\n    pass\n',
        "docs/adr/0007-sessions.md": "# 7. Sessions live in Redis\n\n## Status\n\nAccepted\n",
        ".muninn/knowledge/errors.md": "---\ntype: convention\n---\n\n# Errors\n\nName the culprit.\n",
    }
    for path, text in files.items():
        file = muninn.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    muninn.call("index")
    muninn.memory = muninn.call("remember", text="Users are never deleted for good.", type="constraint").ids[0]
    return muninn


def write(muninn, text, name="task"):
    file = muninn.root / ".muninn" / "context" / f"{name}.md"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return f".muninn/context/{name}.md"


def test_a_pack_is_the_prose_and_what_its_references_mean(project):
    path = write(project, f"# Users\n\nSee @src/users.py#get_user, [[{project.memory}]], [[ADR 7]] and [[errors]].\n")
    result = project.call("render", path=path)
    assert result.text.startswith("# Users\n\nSee @src/users.py#get_user")
    for said in ("Look one up", "never deleted for good", "Sessions live in Redis", "Name the culprit", ":1-3"):
        assert said in result.text
    assert "def delete" not in result.text
    assert [each.problem for each in result.references] == [""] * 4
    assert all(each.tokens > 0 for each in result.references)
    assert result.tokens == count_tokens(result.text)


def test_a_bare_name_is_that_of_a_file_in_the_folder_of_contexts(project):
    write(project, "---\ntitle: The users\n---\nHello\n", "users")
    result = project.call("render", path="users")
    assert (result.path, result.title, result.text) == (".muninn/context/users.md", "The users", "Hello\n")


def test_a_question_brings_what_recall_finds(project):
    result = project.call("render", path=write(project, "?deleting users for good\n"))
    assert "never deleted for good" in result.text
    assert result.references[0].title.endswith("found")


@pytest.mark.parametrize("budget", [50, 60, 80, 120, 200])
def test_a_pack_never_exceeds_its_budget(project, budget):
    text = "Some words that say what it is about, and more of them.\n" * 3 + "\n@src/users.py [[ADR 7]] [[errors]]\n"
    result = project.call("render", path=write(project, text), budget=budget)
    assert count_tokens(result.text) == result.tokens <= budget
    missing = [each for each in result.references if each.problem]
    assert missing or budget == 200
    assert all("budget" in each.problem for each in missing)


def test_the_budget_of_the_file_counts_unless_another_is_given(project):
    path = write(project, "---\nbudget: 77\n---\n@src/users.py\n")
    assert project.call("render", path=path).budget == 77
    assert project.call("render", path=path, budget=200).budget == 200


def test_an_unresolved_reference_is_reported_with_near_names(project):
    result = project.call("render", path=write(project, "@src/user.py @src/users.py#get_users [[eror]] @types/node\n"))
    assert [each.problem for each in result.references] == [
        "nothing has this name: did you mean 'src/users.py'?",
        "'get_users' is not defined in src/users.py",
        "nothing has this name: did you mean 'errors'?",
    ]


def test_the_same_thing_is_there_once(project):
    result = project.call("render", path=write(project, "@src/users.py and again @src/users.py\n"))
    assert result.text.count("### src/users.py") == 1
    assert [(each.problem, each.known) for each in result.references] == [("", False), ("", True)]


def test_references_come_before_results_of_questions(project):
    (project.root / "docs/long.md").write_text(
        "# Deleting users\n\n" + "Deleting users for good is a long story. " * 30
    )
    project.call("index")
    path = write(project, "?deleting users for good\n\n@src/users.py#delete\n")
    asked, named = project.call("render", path=path, budget=100).references
    assert (named.problem, named.tokens > 0) == ("", True)
    assert asked.line < named.line


def test_the_text_of_an_editor_counts_more_than_the_file(project):
    path = write(project, "old\n")
    assert project.call("render", path=path, text="new @src/users.py#delete\n").text.startswith("new")


def test_comments_are_no_part_of_a_pack_but_code_that_looks_like_one_is(project):
    text = "<!-- hint\n@src/users.py -->\n# T\n\n```\n<!-- kept -->\n```\n"
    assert project.call("render", path=write(project, text)).text == "# T\n\n```\n<!-- kept -->\n```\n"


def test_secrets_of_a_file_do_not_come_into_a_pack(project):
    (project.root / "env.py").write_text(f'GITHUB = "{TOKEN}"\n')
    result = project.call("render", path=write(project, f"@env.py and {TOKEN}\n"))
    assert "GITHUB" in result.text
    assert TOKEN not in result.text


def test_private_and_outside_files_cannot_be_referenced(project, tmp_path):
    (tmp_path / "secret.md").write_text("outside")
    (project.root / "link.md").symlink_to(tmp_path / "secret.md")
    (project.root / ".muninn" / "local").mkdir(exist_ok=True)
    (project.root / ".muninn" / "local" / "notes.md").write_text("private")
    text = "@../secret.md @./../../../secret.md @link.md @.muninn/local/notes.md @.git/config.md\n"
    result = project.call("render", path=write(project, text))
    assert "outside" not in result.text
    assert "private" not in result.text
    assert all(each.problem for each in result.references)


def test_a_superseded_memory_names_the_one_that_replaces_it(project):
    newer = project.call(
        "remember",
        text="Users are deleted after a year.",
        links=[{"relation": "supersedes", "target": project.memory}],
    ).ids[0]
    result = project.call("render", path=write(project, f"[[{project.memory}]]\n"))
    assert result.references[0].problem == f"it is not active: {newer} replaces it"


def test_only_context_files_are_rendered(project):
    with pytest.raises(UsageError, match="not a context file"):
        project.call("render", path="src/users.py")
    with pytest.raises(NotFoundError, match="does not exist"):
        project.call("render", path="nothing")
    with pytest.raises(BadParams, match="outside"):
        project.call("render", path="../x.md")


@pytest.mark.parametrize("template", ["api", "architecture", "bugfix", "feature", "refactor"])
def test_every_template_makes_a_file_without_a_fault_that_asks_for_something(muninn, template):
    made = muninn.call("template.new", name="next-thing", template=template, title="it's: the #1 [thing]")
    assert made.path == ".muninn/context/next-thing.md"
    assert (muninn.root / made.path).read_text() == made.text
    assert muninn.call("lint", path=made.path).faults == ()
    asked = [each for each in find_references(made.text, "context") if each.kind == "query"]
    assert len(asked) >= 2
    rendered = muninn.call("render", path="next-thing")
    assert rendered.title == "it's: the #1 [thing]"
    assert rendered.tokens <= rendered.budget
    assert "<!--" not in rendered.text


def test_the_list_of_templates_is_that_of_the_catalogue(muninn):
    listed = [each.name for each in muninn.call("template.list").templates]
    assert listed == sorted(listed)
    for name in listed:
        muninn.call("template.new", name=name, template=name)
    assert METHODS["template.new"].words == "template new"


def test_a_new_file_never_takes_the_place_of_another(muninn):
    muninn.call("template.new", name="one")
    with pytest.raises(UsageError, match="there already"):
        muninn.call("template.new", name="one.md")
    with pytest.raises(BadParams):
        muninn.call("template.new", name="../one")


def test_the_page_of_a_context_file_is_its_pack_and_what_is_not_in_it(project):
    write(project, "# Users\n\n@src/users.py#delete and [[nobody]]\n")
    found = project.call("document", uri="muninn:/context/.muninn/context/task.md")
    assert found.title == "Pack: task"
    assert "def delete" in found.text
    assert "`[[nobody]]`: nothing has this name" in found.text
    with pytest.raises(UsageError, match="not a context file"):
        project.call("document", uri="muninn:/context/src/users.md")


def test_a_question_whose_filter_is_none_is_told_and_the_rest_is_there(project):
    result = project.call("render", path=write(project, "@src/users.py\n\n?since:neverday users\n"))
    assert "def delete" in result.text
    assert [bool(each.problem) for each in result.references] == [False, True]
    (hovered,) = project.call("references", path=result.path, line=3).references
    assert hovered.markdown == result.references[1].problem


def test_a_context_file_that_is_not_there_names_the_nearest_or_how_to_make_it(project):
    with pytest.raises(NotFoundError) as none:
        project.call("render", path="tokens")
    assert none.value.hint == "`muninn context new tokens` creates one."
    write(project, "Hello\n", "rotate-tokens")
    write(project, "Hello\n", "area/users")
    with pytest.raises(NotFoundError) as near:
        project.call("render", path="rotate-token")
    assert near.value.hint == "Did you mean 'rotate-tokens'?"
    with pytest.raises(NotFoundError) as far:
        project.call("render", path="nothing")
    assert "Context files here: area/users, rotate-tokens." in far.value.hint
    assert project.call("render", path="area/users").text == "Hello\n"


def test_a_new_file_can_lie_in_a_folder_but_not_outside(project, tmp_path):
    made = project.call("template.new", name="area/move-the-cart", template="bugfix")
    assert made.path == ".muninn/context/area/move-the-cart.md"
    assert "title: 'move the cart'" in made.text
    (project.root / ".muninn/context/out").symlink_to(tmp_path)
    for name in ("../x", "area/../../x", "/x", "area/", "out/x"):
        with pytest.raises(UsageError):
            project.call("template.new", name=name)
    assert not (tmp_path / "x.md").exists()


def test_context_files_are_among_the_names_with_what_they_are_about(project):
    write(project, "---\ntitle: Users\ndescription: Who they are\n---\n", "users")
    (name,) = project.call("names", text="users", kinds=["context"]).names
    assert (name.insert, name.detail, name.path) == ("users", "Users: Who they are", ".muninn/context/users.md")


def test_a_text_that_does_not_fit_by_itself_says_that_its_end_is_missing(project):
    path = write(project, "---\nbudget: 50\n---\n" + "Some words about users.\n" * 40)
    result = project.call("render", path=path)
    assert result.cut
    assert result.tokens <= 50
    page = project.call("document", uri="muninn:/context/.muninn/context/task.md").text
    assert "the end of the text is cut off" in page
    assert not project.call("render", path=path, budget=4000).cut


def test_a_file_named_as_a_template_is_made_from_it(muninn):
    assert muninn.call("template.new", name="api").template == "api"
    assert muninn.call("template.new", name="work/bugfix").template == "bugfix"
    assert muninn.call("template.new", name="login").template == "feature"
    assert muninn.call("template.new", name="refactor", template="api").template == "api"
