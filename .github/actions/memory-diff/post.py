"""Posts what a pull request changes in memory as one comment, and updates it in later runs.

It needs the environment of GitHub Actions (GITHUB_API_URL, GITHUB_REPOSITORY, GITHUB_TOKEN) and BASE, HEAD and NUMBER
of the pull request. A pull request without changes of memory gets no comment; an earlier comment then says so.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import urllib.error
import urllib.request
from typing import Any

MARK = "<!-- muninn diff -->"
"""The first line of the comment, by which a later run finds it."""

MAX_CHARACTERS = 60_000
"""The most characters of a comment. GitHub takes 65,536."""


def main() -> int:
    """Post or update the comment. Returns the exit code."""
    base, head, number = (os.environ[name] for name in ("BASE", "HEAD", "NUMBER"))
    result = _diff(f"{base}..{head}")
    changed = any(result[name] for name in result if isinstance(result[name], list))
    comments = f"/repos/{os.environ['GITHUB_REPOSITORY']}/issues/{number}/comments"
    known = _known(comments)
    text = result["text"].strip() if changed else "This pull request changes no memory."
    if known is None and not changed:
        print("No memory is changed: nothing was posted.")
        return 0
    cut = "\n\n… `muninn diff` shows the rest." if len(text) > MAX_CHARACTERS else ""
    body = {"body": f"{MARK}\n{text[:MAX_CHARACTERS]}{cut}"}
    if known is None:
        _ask("POST", comments, body)
    else:
        _ask("PATCH", f"/repos/{os.environ['GITHUB_REPOSITORY']}/issues/comments/{known}", body)
    print("The comment was posted." if known is None else "The comment was updated.")
    return 0


def _diff(span: str) -> dict[str, Any]:
    command = ["muninn", "diff", span, "--format", "markdown", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"muninn diff failed: {done.stdout}{done.stderr}")
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def _known(comments: str) -> int | None:
    """Return the id of the comment of an earlier run."""
    page = 1
    while found := _ask("GET", f"{comments}?per_page=100&page={page}"):
        for comment in found:
            if comment["body"].startswith(MARK):
                return int(comment["id"])
        page += 1
    return None


def _ask(method: str, path: str, body: dict[str, str] | None = None) -> Any:
    request = urllib.request.Request(
        os.environ.get("GITHUB_API_URL", "https://api.github.com") + path,
        method=method,
        data=json.dumps(body).encode() if body is not None else None,
        headers={
            "Accept": "application/vnd.github+json",
            "Authorization": f"Bearer {os.environ['GITHUB_TOKEN']}",
            "Content-Type": "application/json",
        },
    )
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        if error.code == 403 and body is not None:
            _summarise(body["body"])
        told = error.read().decode("utf-8", "replace")[:500]
        sys.exit(f"GitHub answered {error.code} to {method} {path}: {told}. The job needs `pull-requests: write`.")


def _summarise(text: str) -> None:
    """Write the text into the run's summary and end the run: the token of a fork's pull request may not comment."""
    with open(os.environ["GITHUB_STEP_SUMMARY"], "a", encoding="utf-8") as summary:  # noqa: PTH123 (no import for one line)
        summary.write(text + "\n")
    print("The token may not comment. The text is in the summary of the run.")
    sys.exit(0)


if __name__ == "__main__":
    sys.exit(main())
