"""A pytest plugin that names the suites whose real client is missing.

A skipped test is easy to miss among a thousand dots. A client that is not installed skips its whole suite.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from _pytest.terminal import TerminalReporter


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> object:
    """Note the client's name in the report, where it survives the way from a worker."""
    report = yield
    marker = item.get_closest_marker("client")
    if marker:
        report.user_properties.append(("client", str(marker.args[0]) if marker.args else "a real client"))
    return report


def pytest_terminal_summary(terminalreporter: TerminalReporter) -> None:
    """Name each suite that did not run, with the reason, in one line."""
    silent: dict[str, str] = {}
    for report in terminalreporter.stats.get("skipped", []):
        name = dict(report.user_properties).get("client")
        if name is not None:
            silent.setdefault(str(name), reason_of(report.longrepr))
    for name, reason in sorted(silent.items()):
        terminalreporter.write_line(f"did not run: the tests with {name}: {reason}", yellow=True)


def reason_of(longrepr: object) -> str:
    """Return why a test was skipped, in one line."""
    text = longrepr[2] if isinstance(longrepr, tuple) else str(longrepr)
    return " ".join(str(text).removeprefix("Skipped: ").split())
