"""Writes what package managers need for a release into dist/: a Homebrew formula and a Nix flake.

usage: python scripts/release_files.py     after `make package`, with the address of the repository set

Both install the released wheel, named with its digest. The formula belongs into a tap.
"""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import publishing

ROOT = Path(__file__).resolve().parent.parent

_FORMULA = """\
class MuninnMemory < Formula
  include Language::Python::Virtualenv

  desc "Memory of a repository, kept in the repository"
  homepage "{address}"
  url "{address}/releases/download/v{version}/{wheel}", using: :nounzip
  version "{version}"
  sha256 "{digest}"
  license "Apache-2.0"

  depends_on "python@3.13"

  def install
    virtualenv_create(libexec, "python3.13")
    system "python3.13", "-m", "pip", "--python=#{{libexec}}/bin/python", "install", "{wheel}"
    bin.install_symlink libexec/"bin/muninn"
    man1.install_symlink libexec/"share/man/man1/muninn.1"
  end

  test do
    assert_match version.to_s, shell_output("#{{bin}}/muninn --version")
  end
end
"""

_FLAKE = """\
{{
  description = "Muninn: the memory of a repository, kept in the repository";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs = {{ self, nixpkgs }}:
    let
      systems = [ "x86_64-linux" "aarch64-linux" "x86_64-darwin" "aarch64-darwin" ];
      forEach = nixpkgs.lib.genAttrs systems;
      package = pkgs:
        let
          wheel = pkgs.fetchurl {{
            url = "{address}/releases/download/v{version}/{wheel}";
            sha256 = "{digest}";
          }};
        in
        pkgs.writeShellApplication {{
          name = "muninn";
          runtimeInputs = [ pkgs.uv pkgs.git ];
          # A store path begins with a digest; uv wants the name of the wheel.
          text = ''
            folder="''${{XDG_CACHE_HOME:-$HOME/.cache}}/muninn-nix"
            mkdir -p "$folder"
            ln -sf ${{wheel}} "$folder/{wheel}"
            exec uvx --from "$folder/{wheel}" muninn "$@"
          '';
        }};
    in
    {{
      packages = forEach (system: {{ default = package nixpkgs.legacyPackages.${{system}}; }});
    }};
}}
"""


def main() -> int:
    address = publishing.repository(ROOT)
    if not address:
        print("set tool.muninn.repository in pyproject.toml, or MUNINN_REPOSITORY", file=sys.stderr)
        return 2
    wheels = sorted((ROOT / "dist").glob("muninn_memory-*.whl"))
    if len(wheels) != 1:
        print(f"dist/ has {len(wheels)} wheels, not one: run `make package` in a clean checkout", file=sys.stderr)
        return 1
    for name, text in files(wheels[0], address).items():
        (ROOT / "dist" / name).write_text(text, "utf-8")
        print(f"wrote dist/{name}")
    return 0


def files(wheel: Path, address: str) -> dict[str, str]:
    """Return the files by their names, for a wheel and the address of the repository."""
    facts = {
        "address": address,
        "version": wheel.name.split("-")[1],
        "wheel": wheel.name,
        "digest": hashlib.sha256(wheel.read_bytes()).hexdigest(),
    }
    return {"muninn-memory.rb": _FORMULA.format(**facts), "flake.nix": _FLAKE.format(**facts)}


if __name__ == "__main__":
    sys.exit(main())
