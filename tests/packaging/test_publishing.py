"""Published metadata: addresses from one setting, a README without relative links, and the files of a release."""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))

import publishing
import release_files

ROOT = Path(__file__).resolve().parents[2]
ADDRESS = "https://code.example.org/team/muninn"


@pytest.fixture(autouse=True)
def no_address(monkeypatch):
    monkeypatch.delenv("MUNINN_REPOSITORY", raising=False)


def metadata() -> dict:
    found: dict = {}
    publishing.PublishingHook(str(ROOT), {}).update(found)
    return found


@pytest.mark.parametrize("address", ["", ADDRESS, f"{ADDRESS}/"])
def test_the_readme_of_a_package_has_no_relative_link(monkeypatch, address):
    monkeypatch.setenv("MUNINN_REPOSITORY", address)
    text = metadata()["readme"]["text"]
    targets = re.findall(r"\]\(([^()\s]+)\)", text)
    relative = [target for target in targets if not target.startswith(("https://", "http://", "#"))]
    assert relative == []
    assert ("](" + ADDRESS + "/raw/HEAD/docs/images/terminal.svg)" in text) == bool(address)


def test_addresses_come_from_one_setting(monkeypatch):
    assert metadata()["urls"] == {}
    monkeypatch.setenv("MUNINN_REPOSITORY", ADDRESS)
    found = metadata()["urls"]
    assert found["Issues"] == f"{ADDRESS}/issues"
    assert all(url.startswith(ADDRESS) for url in found.values())
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert publishing.repository(ROOT) == ADDRESS
    monkeypatch.delenv("MUNINN_REPOSITORY")
    assert publishing.repository(ROOT) == project["tool"]["muninn"]["repository"]


def test_a_script_is_named_like_the_distribution():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["scripts"][project["name"]] == project["scripts"]["muninn"]


def test_formula_and_flake_name_the_wheel_and_its_digest(tmp_path):
    wheel = tmp_path / "muninn_memory-1.2.3-py3-none-any.whl"
    wheel.write_bytes(b"a wheel")
    written = release_files.files(wheel, ADDRESS)
    digest = hashlib.sha256(b"a wheel").hexdigest()
    for text in written.values():
        assert f"{ADDRESS}/releases/download/v1.2.3/{wheel.name}" in text
        assert digest in text
        assert text.count("{") == text.count("}")
    assert '"#{bin}/muninn --version"' in written["muninn-memory.rb"]
    assert "''${XDG_CACHE_HOME" in written["flake.nix"]


def test_without_an_address_no_release_file_is_written():
    done = subprocess.run(
        [sys.executable, ROOT / "scripts" / "release_files.py"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, "MUNINN_REPOSITORY" in done.stderr) == (2, True)


@pytest.mark.parametrize("name", ["tests", "release"])
def test_a_workflow_pins_its_permissions(name):
    import yaml

    workflow = yaml.safe_load((ROOT / f".github/workflows/{name}.yml").read_text())
    assert workflow["permissions"] == {"contents": "read"}
    steps = [step for job in workflow["jobs"].values() for step in job["steps"]]
    for step in steps:
        assert ("run" in step) != ("uses" in step)
        path = re.match(r"(\.ci/\S+|scripts/\S+)", step.get("run", ""))
        assert path is None or (ROOT / path[1]).exists()
