"""Traces of calls and the metrics, sent over OTLP to the receiver of the user's own settings.

The only importer of OpenTelemetry's SDK, which the extra `otel` installs; without a receiver this module is not loaded.
A span has a verb, a client and the kind of an error, and nothing of parameters and results. Requests go out through
`muninn_core.models.http`: no proxy, header or certificate of the environment is used, and no redirect is followed.

Sources of the form: OTLP 1.9, "OTLP/HTTP"; OpenTelemetry's semantic conventions for RPC and for JSON-RPC.
"""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise

from opentelemetry.exporter.otlp.proto.common.metrics_encoder import encode_metrics
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.sdk.metrics import export
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.sdk.trace.sampling import ALWAYS_ON
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from opentelemetry.trace import SpanKind, Status, StatusCode

from muninn_core.engine.metrics import BOUNDS, Metric
from muninn_core.errors import ModelError
from muninn_core.models.http import HttpFailure, posted
from muninn_server.session import CallTrace, error_of

SECONDS = 5.0
"""How long a receiver may take for an answer. What it does not take is dropped; the daemon keeps nothing for it."""

FLUSH_MS = 2000
"""How long the end of the daemon waits for the last spans."""

log = logging.getLogger("muninn.telemetry")


class Receiver:
    """Where everything is sent. A failure is logged once until it works again."""

    def __init__(self, url: str) -> None:
        self._url = url.rstrip("/")
        self._failed = False

    def take(self, signal: str, body: bytes) -> bool:
        """Send an encoded request; return whether the receiver took it."""
        try:
            with posted(f"{self._url}/v1/{signal}", {"content-type": "application/x-protobuf"}, body, SECONDS) as lines:
                for _ in lines:
                    pass
        except (HttpFailure, ModelError) as error:
            if not self._failed:
                log.warning("%s does not take %s: %s", self._url, signal, error)
            self._failed = True
            return False
        self._failed = False
        return True


class Spans(SpanExporter):
    """Sends spans."""

    def __init__(self, receiver: Receiver) -> None:
        self._receiver = receiver

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Send a batch."""
        taken = self._receiver.take("traces", encode_spans(spans).SerializeToString())
        return SpanExportResult.SUCCESS if taken else SpanExportResult.FAILURE


class Telemetry:
    """Traces calls, and sends `read()` every `seconds`. `close` sends what is left."""

    def __init__(self, url: str, seconds: float, about: dict[str, str], read: Callable[[], Iterable[Metric]]) -> None:
        self._receiver = Receiver(url)
        self._resource = Resource({"service.name": "muninn", **about})
        self._scope = InstrumentationScope("muninn", about.get("service.version"))
        self._read = read
        self._begun = time.time_ns()
        self._ending = threading.Event()
        self._provider = TracerProvider(resource=self._resource, sampler=ALWAYS_ON, shutdown_on_exit=False)
        self._provider.add_span_processor(BatchSpanProcessor(Spans(self._receiver), export_timeout_millis=FLUSH_MS))
        self._tracer = self._provider.get_tracer("muninn", about.get("service.version"))
        self._thread = threading.Thread(target=self._run, args=(seconds,), name="metrics", daemon=True)
        self._thread.start()

    @contextlib.contextmanager
    def call(self, verb: str, client: str) -> Iterator[CallTrace]:
        """Trace a call of a verb while the context lasts. The event `begun` is its start on a thread."""
        attributes = {"rpc.system": "jsonrpc", "rpc.service": "muninn", "rpc.method": verb, "muninn.client": client}
        span = self._tracer.start_span(verb, kind=SpanKind.SERVER, attributes=attributes)
        try:
            yield lambda: span.add_event("begun")
        except BaseException as error:
            kind = error_of(error, verb).kind
            span.set_attribute("error.type", kind)
            span.set_status(Status(StatusCode.ERROR, kind))
            raise
        finally:
            span.end()

    def close(self) -> None:
        """Send the last spans and metrics, and end."""
        self._ending.set()
        self._thread.join(SECONDS)
        self._provider.force_flush(FLUSH_MS)
        self._provider.shutdown()

    def _run(self, seconds: float) -> None:
        while not self._ending.wait(seconds):
            self._send()
        self._send()

    def _send(self) -> None:
        try:
            metrics = list(self._read())
            if metrics:
                self._receiver.take("metrics", self._encoded(metrics))
        except Exception:  # nothing waits for the metrics, so the log is the only place for the error
            log.exception("the metrics could not be sent")

    def _encoded(self, metrics: Iterable[Metric]) -> bytes:
        now = time.time_ns()
        found = [
            export.Metric(each.name, each.about, _unit(each.name), _data(each, self._begun, now)) for each in metrics
        ]
        scope = export.ScopeMetrics(self._scope, found, "")
        resource = export.ResourceMetrics(self._resource, [scope], "")
        body: bytes = encode_metrics(export.MetricsData([resource])).SerializeToString()
        return body


def _unit(name: str) -> str:
    """Return the unit that ends a metric's name, as UCUM."""
    parts = name.removesuffix("_total").rsplit("_", 1)
    return {"seconds": "s", "bytes": "By"}.get(parts[-1], "1")


def _data(metric: Metric, begun: int, now: int) -> export.DataT:
    if metric.kind == "histogram":
        points = [_distribution(labels, rows, begun, now) for labels, rows in _by_labels(metric)]
        return export.Histogram(points, export.AggregationTemporality.CUMULATIVE)
    numbers = [export.NumberDataPoint(dict(labels), begun, now, float(value)) for _, labels, value in metric.samples]
    if metric.kind == "counter":
        return export.Sum(numbers, export.AggregationTemporality.CUMULATIVE, is_monotonic=True)
    return export.Gauge(numbers)


def _by_labels(metric: Metric) -> Iterator[tuple[dict[str, str], dict[str, list[float]]]]:
    """Yield the labels of each histogram without the bound, and its values by suffix."""
    found: dict[tuple[tuple[str, str], ...], dict[str, list[float]]] = {}
    for suffix, labels, value in metric.samples:
        key = tuple((name, text) for name, text in labels.items() if name != "le")
        found.setdefault(key, {}).setdefault(suffix, []).append(value)
    for key, rows in found.items():
        yield dict(key), rows


def _distribution(
    labels: dict[str, str], rows: dict[str, list[float]], begun: int, now: int
) -> export.HistogramDataPoint:
    totals = [int(each) for each in rows["_bucket"]]
    return export.HistogramDataPoint(
        attributes=labels,
        start_time_unix_nano=begun,
        time_unix_nano=now,
        count=totals[-1],
        sum=rows["_sum"][0],
        bucket_counts=[high - low for low, high in pairwise([0, *totals])],
        explicit_bounds=list(BOUNDS),
        min=None,  # type: ignore[arg-type]  # optional in OTLP; the counts know no extremes
        max=None,  # type: ignore[arg-type]
    )
