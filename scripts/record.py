"""Records the README's terminal picture: a real session on a clone of this project, drawn as SVG.

usage: python scripts/record.py            writes docs/images/terminal.svg
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.text import Text

ROOT = Path(__file__).resolve().parent.parent
PICTURE = ROOT / "docs" / "images" / "terminal.svg"
MUNINN = Path(sys.executable).parent / "muninn"
WIDTH = 104

SESSION = (
    ("init",),
    (
        "remember",
        "FAISS is filled from SQLite when the daemon starts: a file of its own would not be in step after a crash.",
        "--type",
        "decision",
        "--file",
        "core/muninn_core/index/vectors/vector_index.py",
    ),
    ("recall", "why does FAISS have no file of its own", "--limit", "1", "--why"),
    ("context", "make vector search faster", "--budget", "400"),
)


def main() -> int:
    """Run the session and write the picture."""
    folder = Path(tempfile.mkdtemp(prefix="muninn-record-"))
    repo = folder / "muninn"
    runtime = folder / "run"
    runtime.mkdir(mode=0o700)
    environ = {
        **os.environ,
        "MUNINN_RUNTIME_DIR": str(runtime),
        "XDG_DATA_HOME": str(folder / "data"),
        "FORCE_COLOR": "1",
        "COLUMNS": str(WIDTH),
        "TERM": "xterm-256color",
    }
    console = Console(record=True, width=WIDTH, file=open(os.devnull, "w"), force_terminal=True)  # noqa: SIM115
    try:
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(repo)], check=True)
        subprocess.run(["git", "config", "user.name", "you"], cwd=repo, check=True)
        (repo / "scripts" / "record.py").unlink()  # it contains the session's texts, so recall would find it
        for command in SESSION:
            _record(console, command, repo, environ)
            if command == ("init",):
                subprocess.run([MUNINN, "index", "--wait"], cwd=repo, env=environ, check=True, capture_output=True)
    finally:
        subprocess.run([MUNINN, "daemon", "stop"], cwd=repo, env=environ, check=False, capture_output=True)
        shutil.rmtree(folder)
    svg = console.export_svg(title="muninn", unique_id="muninn")
    svg = re.sub(r"@font-face\s*{.*?}", "", svg, flags=re.DOTALL)  # use the viewer's monospace font
    PICTURE.parent.mkdir(parents=True, exist_ok=True)
    PICTURE.write_text("\n".join(line.rstrip() for line in svg.splitlines()) + "\n", "utf-8")
    print(f"wrote {PICTURE.relative_to(ROOT)}")
    return 0


def _record(console: Console, command: tuple[str, ...], repo: Path, environ: dict[str, str]) -> None:
    shown = " ".join(f'"{word}"' if " " in word else word for word in command)
    console.print(Text.assemble(("$ ", "bold green"), (f"muninn {shown}", "bold")))
    done = subprocess.run([MUNINN, *command], cwd=repo, env=environ, check=True, capture_output=True, text=True)
    console.print(Text.from_ansi(done.stdout.replace(f"{repo.parent}/", "~/").rstrip() + "\n"))


if __name__ == "__main__":
    sys.exit(main())
