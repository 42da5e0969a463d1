"""Questions and the places that answer them, read from the data files. Independent of indexes and scores.

A data folder holds `NAME_*.dev.jsonl` (one question a line), `NAME_edits.dev.json` (lines to blank in the copies, so
that no question is answered by the comment that it was taken from) and `NAME_archives.dev.json` (published archives
and their checksums). `docs/ranking.md` has the format.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from muninn_core.source.files.classify import PROSE, language_of

Edits = dict[str, dict[str, list[list[int]]]]
"""{source: {path: [[first line, last line], …]}}; lines count from 1, both ends are blanked."""

NOT_CODE = PROSE | {"text", "json", "yaml", "toml", "ini", "xml", "html", "css", "docker", "make"}


@dataclass(frozen=True)
class Place:
    """A file, or lines of it (1-based, inclusive); `end` 0 is the whole file."""

    path: str
    start: int = 0
    end: int = 0

    def overlaps(self, other: Place) -> bool:
        """Whether both places share a line."""
        return self.path == other.path and self.start <= other.end and other.start <= self.end


@dataclass(frozen=True)
class Question:
    """One question. `source` names the copy that it is about: `mirror@commit`, or `pypi:name@version`."""

    id: str
    dataset: str
    repo: str
    language: str
    source: str
    root: str
    text: str
    relevant: tuple[Place, ...]

    @property
    def files(self) -> frozenset[str]:
        """The files that answer it."""
        return frozenset(place.path for place in self.relevant)


@dataclass(frozen=True)
class Data:
    """Questions, and the sources of the trees that they are about.

    `archives` are {source: (file, checksum)}; `repositories` are folders by name, for sources that are not mirrors.
    """

    questions: list[Question]
    edits: dict[str, Edits]
    archives: dict[str, tuple[str, str]]
    repositories: dict[str, Path] = field(default_factory=dict)

    def copies(self) -> list[tuple[str, str]]:
        """Return the (set, source) pairs that questions are about: one copy each, since edits differ by set."""
        return sorted({(one.dataset, one.source) for one in self.questions})


def load(folder: Path, sets: list[str]) -> Data:
    """Read the sets. Raises FileNotFoundError for a missing set, ValueError for edits of an unused copy."""
    questions: list[Question] = []
    edits: dict[str, Edits] = {}
    archives: dict[str, tuple[str, str]] = {}
    for name in sets:
        files = sorted(folder.glob(f"{name}_*.jsonl"))
        if not files:
            known = ", ".join(sorted({file.name.split("_")[0] for file in folder.glob("*.jsonl")}))
            raise FileNotFoundError(f"{folder} has no set {name}; it has {known or 'none'}")
        for file in files:
            lines = file.read_text("utf-8").splitlines()
            questions += [_question(json.loads(line), name) for line in lines if line.strip()]
        for file in folder.glob(f"{name}_edits*.json"):
            edits.setdefault(name, {}).update(json.loads(file.read_text("utf-8")))
        for file in folder.glob(f"{name}_archives*.json"):
            archives |= {key: (entry[0], entry[1]) for key, entry in json.loads(file.read_text("utf-8")).items()}
    sources = {one.source for one in questions}
    for name, edited in edits.items():
        if unknown := sorted(set(edited) - sources):
            raise ValueError(f"the edits of {name} are of {unknown[0]}, which no question is about")
    return Data(questions, edits, archives)


def is_code(path: str) -> bool:
    """Whether a file is code. Prose, data and markup are removed from the results of every arm."""
    return language_of(path) not in NOT_CODE


def _question(line: dict[str, Any], dataset: str) -> Question:
    places = [Place(one) if isinstance(one, str) else _place(one) for one in line["relevant"]]
    return Question(
        id=line["id"],
        dataset=dataset,
        repo=line["repo"],
        language=line["language"],
        source=f"{line['mirror']}@{line['commit']}",
        root=line.get("root", ""),
        text=line["query"],
        relevant=tuple(places),
    )


def _place(one: dict[str, Any]) -> Place:
    return Place(one["path"], one["start_line"], one["end_line"])
