from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

from muninn_cli.exits import MEANINGS
from muninn_core.protocol.catalogue import METHODS

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def generate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The script, writing into an empty folder."""
    spec = importlib.util.spec_from_file_location("generate", ROOT / "scripts" / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "ROOT", tmp_path)
    return module


def test_what_was_generated_is_what_the_check_expects(generate: ModuleType) -> None:
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


def test_every_verb_has_a_section_in_the_reference(generate: ModuleType) -> None:
    sections = re.findall(r"^## ([\w.]+)$", generate.reference(), re.MULTILINE)
    assert sections == [*METHODS, "Values"]


def test_every_link_of_the_reference_leads_to_a_heading(generate: ModuleType) -> None:
    page = generate.reference()
    headings = {heading.lower().replace(".", "") for heading in re.findall(r"^#+ ([\w.]+)$", page, re.MULTILINE)}
    links = set(re.findall(r"\]\(#(\w+)\)", page))
    assert links - headings == set()
    assert len(links) > len(METHODS)


def test_the_exit_codes_of_the_guide_are_those_of_the_command() -> None:
    rows = re.findall(r"^\| (\d+) \| (.+) \|$", (ROOT / "docs" / "cli.md").read_text(), re.MULTILINE)
    assert {int(code): meaning.replace("`", "") for code, meaning in rows} == {
        code: meaning.replace("`", "") for code, meaning in MEANINGS.items()
    }
