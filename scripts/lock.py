"""Writes the locked requirements of CI: every distribution with its version and the hash of its file.

`make lock` renews the file of this system and this Python version; scripts/bootstrap.sh installs from it under CI=true.
The file names no index: pip takes the one that it is configured for, and refuses a file with another hash.
"""

from __future__ import annotations

import json
import platform
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HEAD = "# Made by `make lock`. scripts/bootstrap.sh installs it under CI=true.\n"


def lock_file() -> Path:
    """Return the path of the lock of this system and Python: another one may need other distributions or files."""
    version = "".join(platform.python_version_tuple()[:2])
    return ROOT / "requirements" / f"{sys.platform}-{platform.machine()}-py{version}.txt"


def main() -> int:
    if sys.argv[1:] == ["--path"]:
        print(lock_file())
        return 0
    if sys.argv[1:]:
        print("usage: scripts/lock.py [--path]", file=sys.stderr)
        return 2
    path = lock_file()
    path.parent.mkdir(exist_ok=True)
    path.write_text(render(resolve()))
    print(f"wrote {path.relative_to(ROOT)}")
    return 0


def resolve() -> dict[str, object]:
    """Return pip's report of what it would install into an empty environment, with tools and build backend."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        build = tomllib.load(file)["build-system"]["requires"]
    command = [sys.executable, "-m", "pip", "install", "--dry-run", "--ignore-installed", "--quiet", "--report", "-"]
    # Without isolation: the backend is in the environment, and its own requirements are locked with the others.
    command += ["--no-build-isolation", "--group", "dev", "--editable", ".", *build]
    report: dict[str, object] = json.loads(
        subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout
    )
    return report


def render(report: dict) -> str:
    """Return the requirements of a report of pip, sorted by name. The project itself has no file and no hash."""
    lines = []
    for item in report["install"]:
        info, metadata = item["download_info"], item["metadata"]
        if "dir_info" in info:
            continue
        digest = info["archive_info"]["hashes"]["sha256"]
        lines.append(f"{metadata['name'].lower().replace('_', '-')}=={metadata['version']} --hash=sha256:{digest}\n")
    return HEAD + "".join(sorted(lines))


if __name__ == "__main__":
    sys.exit(main())
