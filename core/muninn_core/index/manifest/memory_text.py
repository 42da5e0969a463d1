"""The text of a memory as it is indexed."""

from __future__ import annotations

from dataclasses import dataclass

from muninn_core.index.manifest.reader import FileRow, memory_key
from muninn_core.model.chunk import Chunk
from muninn_core.source.files.text import digest


@dataclass(frozen=True, slots=True)
class MemoryText:
    """The indexed text of a memory. `extra` holds tags, entities and files, which are searched and not shown.

    `questions` has what the memory answers, a line each; the text encoder sees them between title and text.
    """

    id: str
    text: str
    title: str = ""
    extra: str = ""
    questions: str = ""

    def chunk(self, path: str) -> Chunk:
        """Return the chunk of the memory, with its key as `path`."""
        last = self.text.count("\n") + 1
        return Chunk(
            kind="memory", path=path, start=1, end=last, text=self.text, title=self.title, comment=self.questions
        )

    def digest(self) -> bytes:
        """Return the digest of the content."""
        asked = (self.questions,) if self.questions else ()
        return digest("\0".join((self.text, self.title, self.extra, *asked)).encode("utf-8", "replace"))

    def entry(self) -> tuple[FileRow, Chunk, str]:
        """Return the row, the chunk and the extra words of the memory."""
        key = memory_key(self.id)
        row = FileRow(key, len(self.text), 0, self.digest(), "memory", "text")
        return row, self.chunk(key), self.extra
