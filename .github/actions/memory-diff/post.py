"""Posts what a pull request changes in memory as one comment, and updates it in later runs.

It needs the environment of GitHub Actions (GITHUB_API_URL, GITHUB_GRAPHQL_URL, GITHUB_REPOSITORY, GITHUB_TOKEN) and
BASE, HEAD and NUMBER of the pull request. A pull request without changes of memory gets no comment; an earlier comment
then says so.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import urllib.error
import urllib.request
from typing import Any, NoReturn

MARK = "<!-- muninn diff -->"
"""The first line of the comment, by which a later run finds it."""

MAX_CHARACTERS = 60_000
"""The most characters of a comment. GitHub takes 65,536."""


def main() -> int:
    """Post or update the comment. Returns the exit code."""
    base, head, number = (os.environ.get(name, "") for name in ("BASE", "HEAD", "NUMBER"))
    if not (base and head and number):
        _fail("This event has no pull request. Run the action `on: pull_request`.")
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
        _fail(f"muninn diff failed: {_reason(done.stdout) or done.stdout + done.stderr}")
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def _reason(answer: str) -> str:
    """Return message and hint of an error in JSON, "" for another text."""
    try:
        error = json.loads(answer)["error"]
        return f"{error['message']}. {error['data'].get('hint', '')}"
    except (ValueError, KeyError, TypeError):
        return ""


def _known(comments: str) -> int | None:
    """Return the id of the comment of an earlier run. A comment of somebody else is none, whatever it says."""
    page, me = 1, None
    while found := _ask("GET", f"{comments}?per_page=100&page={page}"):
        for comment in found:
            if not comment["body"].startswith(MARK):
                continue
            me = me or _author()
            if comment["user"]["login"].removesuffix("[bot]") == me:
                return int(comment["id"])
        page += 1
    return None


def _author() -> str:
    """Return the name under which the token writes comments. Only GraphQL tells it to the token of a job."""
    url = os.environ.get("GITHUB_GRAPHQL_URL", "https://api.github.com/graphql")
    answer = _ask("POST", url, {"query": "{ viewer { login } }"})
    return str(answer["data"]["viewer"]["login"]).removesuffix("[bot]")


def _ask(method: str, path: str, body: dict[str, str] | None = None) -> Any:
    request = urllib.request.Request(
        path if ":" in path else os.environ.get("GITHUB_API_URL", "https://api.github.com") + path,
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
        if error.code == 403 and body is not None and "body" in body:
            _summarise(body["body"])
        told = error.read().decode("utf-8", "replace")[:500]
        _fail(f"GitHub answered {error.code} to {method} {path}: {told}. The job needs `pull-requests: write`.")
    except OSError as error:
        _fail(f"GitHub cannot be reached: {error}. Run the job again.")


def _fail(message: str) -> NoReturn:
    """End the step with an error that the page of the run shows."""
    print("::error title=Memory diff::" + message.strip().replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A"))
    sys.exit(1)


def _summarise(text: str) -> NoReturn:
    """Write the text into the run's summary and end the run: the token of a fork's pull request may not comment."""
    with open(os.environ["GITHUB_STEP_SUMMARY"], "a", encoding="utf-8") as summary:  # noqa: PTH123 (no import for one line)
        summary.write(text + "\n")
    print("The token may not comment. The text is in the summary of the run.")
    sys.exit(0)


if __name__ == "__main__":
    sys.exit(main())
