"""Skills: folders with a SKILL.md that says when and how to do something, in a repository or the home folder.

Format: the frontmatter of Agent Skills (`name`, `description`, and Claude Code's `when_to_use`), then markdown. A
malformed file is read as far as possible, and `problems` lists its errors.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from muninn_core.model.value import Value
from muninn_core.source.documents import frontmatter

FILE = "SKILL.md"

MAX_FILES = 2000
"""The maximum number of files read; the largest public collections have some hundreds."""

MAX_FILE_BYTES = 200_000
"""The maximum size of a skill; a longer text does not fit into a context."""

DESCRIPTION_CHARS = 1024
"""The maximum length of a description in the format; matching cuts longer ones."""

_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_LINE = re.compile(r"(?m)^(name|description|when_to_use):[ \t]+([^\[{>|].*)$")
_SKIPPED = frozenset({".git", "node_modules", "__pycache__"})


class Skill(Value):
    """A skill. `path` is relative to the work tree for a local one; `text` is the whole file.

    `problems` are the errors of the file, with the line where known.
    """

    name: str
    description: str
    path: str
    local: bool
    text: str
    problems: tuple[str, ...] = ()


class SkillFile(Value):
    """A skill's file with the size and time that detect changes."""

    path: str
    local: bool
    size: int
    mtime_ns: int


def find_skills(root: Path, home: Path | None, paths: Sequence[str]) -> tuple[SkillFile, ...]:
    """Return the skill files in the order of `paths`, sorted within each. `~` is `home`; a path may contain `*`.

    Links are followed, but within a repository only to targets inside it. A folder reached twice is read once.
    """
    seen: set[tuple[int, int]] = set()
    found: list[SkillFile] = []
    for path in paths:
        local = not path.startswith(("~", "/")) and not Path(path).is_absolute()
        for folder in _folders(root, home, path):
            for file in _files(folder, seen, root.resolve() if local else None):
                status = os.stat(file)  # noqa: PTH116
                found.append(SkillFile(path=file, local=local, size=status.st_size, mtime_ns=status.st_mtime_ns))
                if len(found) == MAX_FILES:
                    return tuple(found)
    return tuple(found)


def _folders(root: Path, home: Path | None, path: str) -> list[Path]:
    if path.startswith("~"):
        if home is None:
            return []
        base, pattern = home, path[2:]
    else:
        base, pattern = (Path("/"), path[1:]) if path.startswith("/") else (root, path)
    try:
        return sorted(folder for folder in base.glob(pattern) if folder.is_dir())
    except (OSError, ValueError, NotImplementedError):
        return []


def _files(folder: Path, seen: set[tuple[int, int]], boundary: Path | None) -> Iterator[str]:
    """Yield the skill files below a folder, sorted. Folders outside `boundary` are skipped.

    A link in a repository must not read files of the person who clones it.
    """
    for folder_path, inner, names in os.walk(folder, followlinks=True):
        status = os.stat(folder_path)  # noqa: PTH116
        number = (status.st_dev, status.st_ino)
        if number in seen or (boundary is not None and not Path(folder_path).resolve().is_relative_to(boundary)):
            inner.clear()
            continue
        seen.add(number)
        inner[:] = sorted(name for name in inner if name not in _SKIPPED)
        path = Path(folder_path) / FILE
        if FILE in names and path.is_file() and (boundary is None or path.resolve().is_relative_to(boundary)):
            yield str(path)


def read_skill(path: str, text: str, *, local: bool) -> Skill:
    """Parse a skill. The name defaults to the folder's, the description to the first paragraph."""
    fields, body_start = frontmatter.read_frontmatter(text)
    problems = [f"line {one.line}: {one.message}" for one in frontmatter.syntax_errors(text)]
    if problems:  # mostly an unquoted colon in a description, which agents accept
        fields = {
            found[1]: found[2].strip("\"' \t") for found in _LINE.finditer("\n".join(text.split("\n")[:body_start]))
        }
    folder = path.replace("\\", "/").rpartition("/")[0].rpartition("/")[2]
    name, description = _field(fields, "name"), _field(fields, "description")
    if not problems:
        if not description:
            problems.append("it has no description, so agents do not know when to use it")
        elif len(description) > DESCRIPTION_CHARS:
            problems.append(f"its description has {len(description)} characters; {DESCRIPTION_CHARS} are allowed")
        if name and (not _NAME.fullmatch(name) or len(name) > 64):
            problems.append(f"its name '{name}' is not in lower case with hyphens, up to 64 characters")
    when = _field(fields, "when_to_use")
    described = description or _first_paragraph(text.split("\n")[body_start:])
    return Skill(
        name=name or folder,
        description=f"{described} {when}".strip(),
        path=path,
        local=local,
        text=text,
        problems=tuple(problems),
    )


def _field(fields: dict[str, object], name: str) -> str:
    value = fields.get(name)
    return " ".join(value.split()) if isinstance(value, str) else ""


def _first_paragraph(lines: Sequence[str]) -> str:
    paragraph: list[str] = []
    for line in lines:
        if line.strip() and not line.startswith("#"):
            paragraph.append(line.strip())
        elif paragraph:
            break
    return " ".join(paragraph)[:DESCRIPTION_CHARS]
