"""The locked requirements of CI and the list of licences match the project and what is installed."""

from __future__ import annotations

import importlib.util
import re
import sys
import tomllib
from pathlib import Path
from types import ModuleType

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
LOCKS = sorted((ROOT / "requirements").glob("*.txt"))
_LINE = re.compile(r"(?P<name>[a-z0-9.-]+)==(?P<version>[^ ]+) --hash=sha256:[0-9a-f]{64}")


def _script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "scripts" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _locked(path: Path) -> dict[str, str]:
    found = {}
    for line in path.read_text().splitlines()[1:]:
        match = _LINE.fullmatch(line)
        assert match, line
        found[canonicalize_name(match["name"])] = match["version"]
    return found


def test_there_is_a_lock() -> None:
    assert LOCKS


@pytest.mark.parametrize("path", LOCKS, ids=lambda path: path.stem)
def test_every_requirement_is_locked_in_a_version_that_it_accepts(path: Path) -> None:
    locked = _locked(path)
    version = re.search(r"py(\d)(\d+)$", path.stem)
    assert version
    environment = {"python_version": f"{version[1]}.{version[2]}", "sys_platform": path.stem.split("-")[0]}
    named = [*PROJECT["project"]["dependencies"], *PROJECT["dependency-groups"]["dev"]]
    for requirement in map(Requirement, [*named, *PROJECT["build-system"]["requires"]]):
        if requirement.marker is None or requirement.marker.evaluate(environment):
            name = canonicalize_name(requirement.name)
            assert name in locked, f"{name} is not locked: run make lock"
            assert requirement.specifier.contains(locked[name]), f"{name} {locked[name]}: run make lock"


@pytest.mark.parametrize("path", LOCKS, ids=lambda path: path.stem)
def test_a_lock_names_no_index(path: Path) -> None:
    text = path.read_text()
    assert "://" not in text
    assert "index" not in text


def test_a_report_of_pip_becomes_lines_with_hashes_without_the_project_itself() -> None:
    digest = "0" * 64
    report = {
        "install": [
            {"metadata": {"name": "muninn-memory", "version": "1"}, "download_info": {"dir_info": {}}},
            {
                "metadata": {"name": "Other_Name", "version": "2.1"},
                "download_info": {"archive_info": {"hashes": {"sha256": digest}}, "url": "file:///x"},
            },
        ]
    }
    lines = _script("lock").render(report).splitlines()
    assert lines[1:] == [f"other-name==2.1 --hash=sha256:{digest}"]


def _listed() -> dict[str, str]:
    rows = (ROOT / "docs" / "licences.md").read_text().splitlines()
    cells = [row.strip("|").split("|") for row in rows if row.startswith("| ") and "---" not in row][1:]
    return {name.strip(): licence.strip() for name, licence in cells}


def test_the_licence_of_every_installed_dependency_is_listed() -> None:
    listed = _listed()
    assert {name: listed.get(name) for name in _script("licences").licences()} == _script("licences").licences()
    assert "" not in listed.values()
    assert "not stated" not in listed.values()


def test_no_licence_is_listed_of_what_is_not_a_dependency_any_more() -> None:
    lock = _script("lock").lock_file()
    if not lock.exists():
        pytest.skip(f"there is no lock for {sys.platform} and this Python")
    assert _listed().keys() <= _locked(lock).keys()
