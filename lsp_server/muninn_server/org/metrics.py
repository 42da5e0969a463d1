"""The metrics of the server, in the text format of Prometheus. They name verbs and outcomes, and no repository.

Source: prometheus.io, "Exposition formats".
"""

from __future__ import annotations

from itertools import accumulate

from muninn_core.org.service import SECONDS, Service


def exposition(service: Service, queue: tuple[int, int, float] | None) -> str:
    """Return all metrics. `queue` are the numbers of due and failed jobs and the seconds of the oldest.

    It is None while the database does not answer.
    """
    rows = _head("calls_total", "counter", "Calls of verbs by outcome.")
    for (verb, outcome), count in sorted(service.counts().items()):
        rows.append(f'muninn_org_calls_total{{verb="{verb}",outcome="{outcome}"}} {count}')
    rows += _head("call_seconds", "histogram", "Times of calls.")
    for verb, (counts, spent) in sorted(service.times().items()):
        sums = list(accumulate(counts))
        bounds = [*map(str, SECONDS), "+Inf"]
        rows += [
            f'muninn_org_call_seconds_bucket{{verb="{verb}",le="{bound}"}} {total}'
            for bound, total in zip(bounds, sums, strict=True)
        ]
        rows.append(f'muninn_org_call_seconds_sum{{verb="{verb}"}} {spent:.6f}')
        rows.append(f'muninn_org_call_seconds_count{{verb="{verb}"}} {sums[-1]}')
    rows += _head("audits_waiting", "gauge", "Entries of the audit that are not written yet.")
    rows.append(f"muninn_org_audits_waiting {service.audits_waiting()}")
    return "".join(f"{row}\n" for row in [*rows, *_queue(queue)])


def _queue(queue: tuple[int, int, float] | None) -> list[str]:
    if queue is None:
        return [*_head("database_up", "gauge", "Whether the database answers."), "muninn_org_database_up 0"]
    due, failed, oldest = queue
    return [
        *_head("database_up", "gauge", "Whether the database answers."),
        "muninn_org_database_up 1",
        *_head("jobs_due", "gauge", "Pushes that wait for a worker."),
        f"muninn_org_jobs_due {due}",
        *_head("jobs_failed", "gauge", "Pushes that failed for good."),
        f"muninn_org_jobs_failed {failed}",
        *_head("oldest_job_seconds", "gauge", "How long the oldest due push waits."),
        f"muninn_org_oldest_job_seconds {oldest:.1f}",
    ]


def _head(name: str, kind: str, about: str) -> list[str]:
    return [f"# HELP muninn_org_{name} {about}", f"# TYPE muninn_org_{name} {kind}"]
