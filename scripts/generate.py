"""Writes the generated files: the reference in docs/, vscode-extension/src/protocol.ts, the package of verbs and the
digest of the catalogue.

With --check it writes nothing, lists stale files, and exits with 1 if there are any.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import api
import configuration
import digest
import manpage
import reference
import secret_kinds
import typescript
import weights

ROOT = Path(__file__).resolve().parent.parent


def main(argv: list[str]) -> int:
    check = argv == ["--check"]
    if argv and not check:
        print("usage: scripts/generate.py [--check]", file=sys.stderr)
        return 2
    wanted = files()
    stale = {path: text for path, text in wanted.items() if not _holds(path, text)}
    for path, text in stale.items():
        name = path.relative_to(ROOT)
        if check:
            print(f"{name}: stale, run make generate", file=sys.stderr)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
            print(f"wrote {name}")
    for path in orphans(wanted):
        name = path.relative_to(ROOT)
        if check:
            print(f"{name}: of no family, run make generate", file=sys.stderr)
        else:
            path.unlink()
            print(f"removed {name}")
        stale[path] = ""
    return 1 if check and stale else 0


def files() -> dict[Path, str]:
    """Return every generated file and its current text."""
    return {
        **{ROOT / "docs" / name: text for name, text in reference.pages().items()},
        ROOT / "docs" / manpage.PAGE: manpage.page(),
        ROOT / "docs" / weights.PAGE: weights.render(),
        ROOT / "docs" / secret_kinds.PAGE: secret_kinds.page(),
        ROOT / "vscode-extension" / "src" / "protocol.ts": typescript.render(),
        **{ROOT / "core" / "muninn_core" / "verbs" / name: text for name, text in api.render().items()},
        ROOT / "core" / "muninn_core" / "protocol" / "catalogue_digest.py": digest.render(),
        ROOT / "docs" / "configuration.md": configuration.page(),
        ROOT / "core" / "muninn_core" / "config" / "config.schema.json": configuration.schema(),
    }


def orphans(wanted: dict[Path, str]) -> list[Path]:
    """Return the existing reference pages and modules of verbs that belong to no family."""
    pages = (ROOT / "docs" / "methods").glob("*.md")
    modules = (ROOT / "core" / "muninn_core" / "verbs").glob("*.py")
    return sorted({*pages, *modules} - set(wanted))


def _holds(path: Path, text: str) -> bool:
    return path.exists() and path.read_text("utf-8") == text


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
