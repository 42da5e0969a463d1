from __future__ import annotations

import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from clients import missing
from repositories import PATIENCE

from muninn_core.index.embedding.encoder import load_encoder

ROOT = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The sdist of this checkout, and the wheel that was built from the sdist."""
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def wheel_names(dist: Path) -> list[str]:
    (wheel,) = dist.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        return archive.namelist()


def sdist_names(dist: Path) -> list[str]:
    (sdist,) = dist.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        return [name.partition("/")[2] for name in archive.getnames()]


def test_the_wheel_installs_our_four_packages_and_nothing_beside_them(dist: Path) -> None:
    top = {name.split("/")[0] for name in wheel_names(dist)}
    info = {name for name in top if name.endswith((".dist-info", ".data"))}
    assert len(info) == 2
    assert top - info == {"muninn_core", "muninn_server", "muninn_cli", "muninn_hooks"}


def test_the_wheel_installs_the_manual_page(dist: Path) -> None:
    assert any(name.endswith(".data/data/share/man/man1/muninn.1") for name in wheel_names(dist))


def test_the_wheel_has_the_model_and_its_licences(dist: Path) -> None:
    names = wheel_names(dist)
    model = {path.name for path in (ROOT / "core/muninn_core/index/model").iterdir() if path.is_file()}
    assert {"model.safetensors", "tokenizer.json", "LICENSE", "NOTICE"} <= model
    assert {f"muninn_core/index/model/{name}" for name in model} <= set(names)
    assert "muninn_core/config/config.schema.json" in names
    licences = {name.partition("/licenses/")[2] for name in names if "/licenses/" in name}
    folders = ("core/muninn_core/index/model", "core/muninn_core/reconcile/language/thesaurus")
    ours = {f"{folder}/{name}" for folder in folders for name in ("LICENSE", "NOTICE")}
    assert licences == {"LICENSE", "core/muninn_core/index/minilm/NOTICE", *ours}
    assert "muninn_core/reconcile/language/thesaurus/words.txt" in names


def test_the_wheel_has_the_text_encoder_which_git_ignores(dist: Path) -> None:
    if load_encoder() is None:
        missing("text encoder", "`make encoder` builds it")
    encoder = {f"muninn_core/index/minilm/{name}" for name in ("adapted.onnx", "tokenizer.json", "NOTICE")}
    assert encoder <= set(wheel_names(dist))


def test_the_wheel_contains_the_files_for_clients(dist: Path) -> None:
    snippets = {path.name for path in (ROOT / "hooks/muninn_hooks/snippets").iterdir()}
    assert {"opencode.ts", "agents.md"} <= snippets
    assert {f"muninn_hooks/snippets/{name}" for name in snippets} <= set(wheel_names(dist))
    plugin = {str(path.relative_to(ROOT / "hooks")) for path in (ROOT / "hooks/muninn_hooks/neovim").rglob("*.*")}
    assert len(plugin) == 6
    assert plugin <= set(wheel_names(dist))


def test_every_module_and_type_marker_is_in_the_wheel(dist: Path) -> None:
    tracked = subprocess.run(
        ["git", "ls-files", "core", "lsp_server", "cli", "hooks"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    wanted = {
        name.partition("/")[2] for name in tracked if name.endswith((".py", "py.typed")) and (ROOT / name).exists()
    }
    assert len(wanted) > 50
    assert wanted - set(wheel_names(dist)) == set()


def test_the_plugin_of_claude_code_comes_whole_with_the_wheel(dist: Path) -> None:
    plugin = ROOT / "hooks" / "claude-code"
    files = {path.relative_to(plugin).as_posix() for path in plugin.rglob("*") if path.is_file()}
    assert {".claude-plugin/marketplace.json", "hooks/hooks.json", ".mcp.json", "lsp/.lsp.json"} <= files
    prefix = "muninn_hooks/claude_code/"
    assert {name.removeprefix(prefix) for name in wheel_names(dist) if name.startswith(prefix)} == files


def test_the_wheel_declares_the_command_and_its_python(dist: Path) -> None:
    (wheel,) = dist.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        info = next(name.split("/")[0] for name in archive.namelist() if ".dist-info/" in name)
        scripts = archive.read(f"{info}/entry_points.txt").decode()
        assert "muninn = muninn_cli.main:main" in scripts
        assert "muninn-memory = muninn_cli.main:main" in scripts
        metadata = archive.read(f"{info}/METADATA").decode()
    assert "Name: muninn-memory\n" in metadata
    assert "Requires-Python: >=3.11\n" in metadata
    assert "License-Expression: Apache-2.0\n" in metadata


def test_the_sdist_has_the_tests_and_nothing_that_was_built(dist: Path) -> None:
    names = sdist_names(dist)
    assert "tests/packaging/test_wheel.py" in names
    assert "scripts/generate.py" in names
    assert [name for name in names if "__pycache__" in name or "node_modules" in name] == []
