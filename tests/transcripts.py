"""Transcripts as Claude Code 2.1 writes them, line by line: the shapes are those of a real session."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


class Transcript:
    """A session in a folder; each method adds one turn's lines."""

    def __init__(self, folder: Path | str, session: str = "5e55-1") -> None:
        self.folder = str(folder)
        self.session = session
        self.lines: list[bytes] = []
        self._used = 0

    def said(self, role: str, text: str) -> Transcript:
        """A message of the user or the assistant."""
        content: Any = text if role == "user" else [{"type": "text", "text": text}]
        return self._add(role, {"role": role, "content": content})

    def ran(self, command: str, output: str = "", status: int = 0) -> Transcript:
        """A shell command and its outcome."""
        number = self._use("Bash", {"command": command})
        block = {"type": "tool_result", "tool_use_id": number, "content": output, "is_error": bool(status)}
        result: Any = {"stdout": output, "stderr": "", "interrupted": False, "isImage": False}
        if status:
            block["content"] = f"Exit code {status}\n{output}"
            result = f"Error: Exit code {status}\n{output}"
        return self._add("user", {"role": "user", "content": [block]}, toolUseResult=result)

    def refused(self, command: str, reason: str) -> Transcript:
        """A shell command that the user or a rule did not allow."""
        number = self._use("Bash", {"command": command})
        block = {"type": "tool_result", "tool_use_id": number, "content": reason, "is_error": True}
        return self._add("user", {"role": "user", "content": [block]}, toolUseResult=f"Error: {reason}")

    def edited(self, path: str, *, error: bool = False) -> Transcript:
        """An edit of a file, relative to the folder."""
        number = self._use("Edit", {"file_path": f"{self.folder}/{path}", "old_string": "a", "new_string": "b"})
        block = {"type": "tool_result", "tool_use_id": number, "content": "done", "is_error": error}
        return self._add("user", {"role": "user", "content": [block]}, toolUseResult={"filePath": path})

    def raw(self, line: bytes) -> Transcript:
        """Add a line unchanged."""
        self.lines.append(line)
        return self

    def save(self, path: Path) -> Path:
        """Write the file."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"".join(self.lines))
        return path

    def _use(self, tool: str, given: dict[str, Any]) -> str:
        self._used += 1
        number = f"toolu_{self._used:04}"
        block = {"type": "tool_use", "id": number, "name": tool, "input": given}
        self._add("assistant", {"role": "assistant", "content": [block]})
        return number

    def _add(self, role: str, message: dict[str, Any], **more: Any) -> Transcript:
        time = f"2026-02-03T10:{len(self.lines):02}:00.000Z"
        entry = {
            "type": role,
            "message": message,
            "timestamp": time,
            "cwd": self.folder,
            "sessionId": self.session,
            "version": "2.1.330",
            **more,
        }
        self.lines.append(json.dumps(entry).encode() + b"\n")
        return self
