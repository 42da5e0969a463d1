from __future__ import annotations

import importlib.util
import posixpath
import re
from pathlib import Path
from types import ModuleType

import pytest

from muninn_cli.exit_codes import MEANINGS
from muninn_core.config.keys import RankingConfig
from muninn_core.protocol.catalogue import FAMILIES, METHODS
from muninn_core.retrieval.weights import FILE_WORDS, FILE_WORDS_OF_CHANGE

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def script() -> ModuleType:
    """The script, whose texts are made once, because that takes seconds."""
    spec = importlib.util.spec_from_file_location("generate", ROOT / "scripts" / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    texts = {path.relative_to(module.ROOT): text for path, text in module.files().items()}
    module.files = lambda: {module.ROOT / path: text for path, text in texts.items()}  # type: ignore[attr-defined]
    return module


@pytest.fixture
def generate(script: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The script, writing into an empty folder."""
    monkeypatch.setattr(script, "ROOT", tmp_path)
    return script


def test_the_check_accepts_generated_files(generate: ModuleType) -> None:
    assert generate.main([]) == 0
    assert generate.main(["--check"]) == 0


def test_a_stale_file_is_named_and_left_alone(
    generate: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    generate.main([])
    page = tmp_path / "docs" / "methods.md"
    page.write_text("edited by hand")
    assert generate.main(["--check"]) == 1
    assert capsys.readouterr().err == "docs/methods.md: stale, run make generate\n"
    assert page.read_text() == "edited by hand"


def test_a_page_of_no_family_is_named_and_removed(
    generate: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    generate.main([])
    page = tmp_path / "docs" / "methods" / "former.md"
    page.write_text("a family that is gone")
    capsys.readouterr()
    assert generate.main(["--check"]) == 1
    assert capsys.readouterr().err == "docs/methods/former.md: of no family, run make generate\n"
    assert generate.main([]) == 0
    assert not page.exists()


def test_every_verb_has_a_section_on_its_familys_page(generate: ModuleType) -> None:
    pages = generate.reference.pages()
    for family in FAMILIES:
        sections = re.findall(r"^## ([\w.]+)$", pages[f"methods/{family.name}.md"], re.MULTILINE)
        assert [each for each in sections if each != "Values"] == [method.verb for method in family.methods]


def test_every_link_of_the_reference_leads_to_a_heading(generate: ModuleType) -> None:
    pages = generate.reference.pages()
    headings = {
        name: {heading.lower().replace(".", "") for heading in re.findall(r"^#+ ([\w.]+)$", page, re.MULTILINE)}
        for name, page in pages.items()
    }
    count = 0
    for name, page in pages.items():
        for path, anchor in re.findall(r"\]\(([\w./]*)(?:#(\w+))?\)", page):
            leads_to = posixpath.normpath(posixpath.join(posixpath.dirname(name), path)) if path else name
            assert anchor in headings[leads_to] or not anchor, (name, path, anchor)
            count += 1
    assert count > 2 * len(METHODS)


def test_the_exit_codes_of_the_guide_are_those_of_the_command() -> None:
    rows = re.findall(r"^\| (\d+) \| (.+) \|$", (ROOT / "docs" / "cli.md").read_text(), re.MULTILINE)
    assert {int(code): meaning.replace("`", "") for code, meaning in rows} == {
        code: meaning.replace("`", "") for code, meaning in MEANINGS.items()
    }


def test_the_ranking_page_has_the_weights_of_the_code(generate: ModuleType) -> None:
    page = generate.weights.render()
    assert f" | {FILE_WORDS:g}, {FILE_WORDS_OF_CHANGE:g} where a change is asked for |" in page
    for section in ("Code and knowledge", "Memories", "Contexts", "The profile mnemosyne"):
        assert generate.weights.weights_of(section)
    defaults = RankingConfig()
    for weight in generate.weights.weights_of("Memories"):
        if weight.key:
            assert weight.number == getattr(defaults, weight.key.removeprefix("ranking."))
