"""Progress of a tool: in order, growing, and never after the result."""

from __future__ import annotations

import asyncio
from typing import Any

from muninn_core.worktree.call_context import Progress
from muninn_server.mcp.tool_handlers import ProgressReporter


class Agent:
    """Replaces the SDK's context of a request: records reports, slowly."""

    def __init__(self) -> None:
        self.session = self
        self.heard: list[tuple[float, float | None, str | None]] = []

    async def report_progress(self, progress: float, total: float | None, message: str | None) -> None:
        """Take one report."""
        await asyncio.sleep(0)
        self.heard.append((progress, total, message))


def step(percentage: int, kind: str = "report") -> Progress:
    return Progress(kind=kind, message=f"at {percentage}", percentage=percentage)


async def test_progress_arrives_in_order_and_only_when_it_grows() -> None:
    agent: Any = Agent()
    reporter = ProgressReporter(agent)
    for value in (step(0, "begin"), step(10), step(10), step(5), step(60), step(100, "end")):
        reporter.report(value)
    await reporter.finish()
    assert agent.heard == [(10, 100, "at 10"), (60, 100, "at 60")]


async def test_a_tool_without_progress_has_nothing_to_finish() -> None:
    agent: Any = Agent()
    await ProgressReporter(agent).finish()
    assert agent.heard == []
