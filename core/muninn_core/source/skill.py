"""Skills: folders with a SKILL.md that says when it helps and how a thing is done, in a repository or at home.

Format: the frontmatter of Agent Skills (`name`, `description`, and Claude Code's `when_to_use`), then markdown. A file
that does not keep to it is taken as far as it can be understood, and says what is wrong with it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from muninn_core.model.value import Value
from muninn_core.source import frontmatter

FILE = "SKILL.md"

MOST_FILES = 2000
"""Files that are read: the largest public collections have some hundreds."""

MOST_BYTES = 200_000
"""A longer file is no skill: nobody would want it in a context."""

DESCRIPTION_CHARS = 1024
"""What the format allows a description; what is longer is cut where a skill is matched."""

_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_LINE = re.compile(r"(?m)^(name|description|when_to_use):[ \t]+([^\[{>|].*?)[ \t]*$")
_SKIPPED = frozenset({".git", "node_modules", "__pycache__"})


class Skill(Value):
    """A skill. `path` is relative to the work tree for a local one; `text` is the whole file.

    `problems` say what is wrong with the file, with its line where it has one.
    """

    name: str
    description: str
    path: str
    local: bool
    text: str
    problems: tuple[str, ...] = ()


class SkillFile(Value):
    """A file that was found, and what tells whether it has changed."""

    path: str
    local: bool
    size: int
    mtime_ns: int


def find_skills(root: Path, home: Path | None, paths: Sequence[str]) -> tuple[SkillFile, ...]:
    """Return the skills' files in the order of the paths, below a path by their own. `~` is `home`.

    A path may have `*`. Links are followed, in a repository only within it. What is reached twice is read once.
    """
    seen: set[tuple[int, int]] = set()
    found: list[SkillFile] = []
    for path in paths:
        local = not path.startswith(("~", "/")) and not Path(path).is_absolute()
        for folder in _folders(root, home, path):
            for file in _files(folder, seen, root.resolve() if local else None):
                status = os.stat(file)  # noqa: PTH116
                found.append(SkillFile(path=file, local=local, size=status.st_size, mtime_ns=status.st_mtime_ns))
                if len(found) == MOST_FILES:
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


def _files(folder: Path, seen: set[tuple[int, int]], within: Path | None) -> Iterator[str]:
    """Yield the files below a folder by their paths. Nothing is read that lies `within` no more.

    A repository must not open files of whoever clones it, by a link.
    """
    for place, inner, names in os.walk(folder, followlinks=True):
        status = os.stat(place)  # noqa: PTH116
        number = (status.st_dev, status.st_ino)
        if number in seen or (within is not None and not Path(place).resolve().is_relative_to(within)):
            inner.clear()
            continue
        seen.add(number)
        inner[:] = sorted(name for name in inner if name not in _SKIPPED)
        path = Path(place) / FILE
        if FILE in names and path.is_file() and (within is None or path.resolve().is_relative_to(within)):
            yield str(path)


def read_skill(path: str, text: str, *, local: bool) -> Skill:
    """Read a skill. Its name is that of its folder, and its description the first paragraph, where it does not say."""
    fields, begin = frontmatter.read(text)
    problems = [f"line {one.line}: {one.message}" for one in frontmatter.faults(text)]
    if problems:  # mostly a colon in a description without quotes, which agents read all the same
        fields = {found[1]: found[2].strip("\"' ") for found in _LINE.finditer("\n".join(text.split("\n")[:begin]))}
    folder = path.replace("\\", "/").rpartition("/")[0].rpartition("/")[2]
    name, said = _field(fields, "name"), _field(fields, "description")
    if not problems:
        if not said:
            problems.append("it has no description: nobody is told when it helps")
        elif len(said) > DESCRIPTION_CHARS:
            problems.append(f"its description has {len(said)} characters; {DESCRIPTION_CHARS} are allowed")
        if name and (not _NAME.fullmatch(name) or len(name) > 64):
            problems.append(f"its name '{name}' is not in lower case with hyphens, up to 64 characters")
    when = _field(fields, "when_to_use")
    described = said or _first_paragraph(text.split("\n")[begin:])
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
