"""Published metadata: addresses from one setting, a README without relative links, and the files of a release."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))

import publishing
import release_files

from muninn_core import __version__

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


def wheel_in(folder):
    """A file that is named like a wheel."""
    wheel = folder / "muninn_memory-1.2.3-py3-none-any.whl"
    wheel.write_bytes(b"a wheel")
    return wheel


def test_formula_and_flake_name_the_wheel_and_its_digest(tmp_path):
    wheel = wheel_in(tmp_path)
    written = release_files.files(wheel, ADDRESS)
    digest = hashlib.sha256(b"a wheel").hexdigest()
    for text in written.values():
        assert f"{ADDRESS}/releases/download/v1.2.3/{wheel.name}" in text
        assert digest in text
        assert text.count("{") == text.count("}")
    assert '"#{bin}/muninn --version"' in written["muninn-memory.rb"]
    assert "''${XDG_CACHE_HOME" in written["flake.nix"]


def test_ruby_reads_the_formula(tmp_path):
    if not (ruby := shutil.which("ruby")):
        pytest.skip("there is no ruby")
    formula = release_files.files(wheel_in(tmp_path), ADDRESS)["muninn-memory.rb"]
    done = subprocess.run([ruby, "-wc"], input=formula, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("Syntax OK\n", "")


def test_nix_evaluates_the_flake_and_its_program_runs_the_wheel(tmp_path):
    if not (nix := shutil.which("nix-instantiate")):
        pytest.skip("there is no nix")
    wheel = wheel_in(tmp_path)
    (tmp_path / "flake.nix").write_text(release_files.files(wheel, ADDRESS)["flake.nix"])
    expression = """
      let
        pkgs = { fetchurl = x: x.url; writeShellApplication = x: x; uv = "uv"; git = "git"; };
        genAttrs = names: f: builtins.listToAttrs (map (n: { name = n; value = f n; }) names);
        systems = [ "x86_64-linux" "aarch64-linux" "x86_64-darwin" "aarch64-darwin" ];
        nixpkgs = { lib.genAttrs = genAttrs; legacyPackages = genAttrs systems (_: pkgs); };
      in ((import ./flake.nix).outputs { self = { }; inherit nixpkgs; }).packages
    """
    places = {f"NIX_{name}_DIR": str(tmp_path / name.lower()) for name in ("STATE", "STORE", "LOG")}
    done = subprocess.run(
        [nix, "--eval", "--strict", "--json", "-E", expression],
        cwd=tmp_path, env=os.environ | places, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    packages = json.loads(done.stdout)
    assert sorted(packages) == ["aarch64-darwin", "aarch64-linux", "x86_64-darwin", "x86_64-linux"]
    (tmp_path / "uvx").write_text('#!/bin/sh\necho "$@"\n')
    (tmp_path / "uvx").chmod(0o755)
    environ = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "XDG_CACHE_HOME": str(tmp_path / "cache")}
    command = ["bash", "-euo", "pipefail", "-c", packages["x86_64-linux"]["default"]["text"], "muninn", "--version"]
    ran = subprocess.run(command, env=environ, capture_output=True, text=True, check=True)
    assert ran.stdout == f"--from {tmp_path}/cache/muninn-nix/{wheel.name} muninn --version\n"


def test_without_an_address_no_release_file_is_written():
    done = subprocess.run(
        [sys.executable, ROOT / "scripts" / "release_files.py"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, "MUNINN_REPOSITORY" in done.stderr) == (2, True)


@pytest.mark.parametrize(("tag", "code"), [(f"v{__version__}", 0), ("v9999.1", 1)])
def test_a_release_has_the_version_of_its_tag(tag, code):
    import yaml

    steps = yaml.safe_load((ROOT / ".github/workflows/release.yml").read_text())["jobs"]["build"]["steps"]
    (step,) = (step for step in steps if step.get("name") == "The tag names the version")
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
    assert subprocess.run(command, cwd=ROOT, env=os.environ | {"GITHUB_REF_NAME": tag}, check=False).returncode == code


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


def test_an_action_of_others_is_pinned_to_one_commit_and_keeps_no_credentials():
    files = [*(ROOT / ".github/workflows").glob("*.yml"), *(ROOT / ".github/actions").glob("*/action.yml")]
    uses = [match for file in files for match in re.findall(r"uses: (\S+)@(\S+)(?: # (\S+))?\n", file.read_text())]
    assert len(uses) >= 10
    commits = {}
    for name, commit, version in uses:
        assert re.fullmatch("[0-9a-f]{40}", commit), f"{name}@{commit} can change"
        assert re.fullmatch(r"v\d+\.\d+\.\d+", version)
        assert commits.setdefault(name, commit) == commit
    for file in files:
        text = file.read_text()
        assert text.count("persist-credentials: false") == text.count("actions/checkout@")
