"""Traces and metrics over OTLP: a real receiver in this process, and a real daemon whose user names it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import clients
import pytest
from repositories import PATIENCE, copy_plain_repo, stop_daemon

from muninn_core import client
from muninn_core.errors import MuninnError

QUESTION = "where do the gulls nest"


class Receiver(ThreadingHTTPServer):
    """Keeps what is sent, by path, and sets `metrics` when metrics came."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.bodies: dict[str, list[bytes]] = {}
        self.metrics = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        server = self.server
        assert isinstance(server, Receiver)
        assert self.headers["content-type"] == "application/x-protobuf"
        assert "authorization" not in self.headers
        server.bodies.setdefault(self.path, []).append(self.rfile.read(int(self.headers["content-length"])))
        if self.path == "/v1/metrics":
            server.metrics.set()
        self.send_response(200)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_about: object) -> None:
        """Print nothing."""


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    server = Receiver()
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def protocol() -> tuple[Any, Any]:
    """The messages of OTLP. Without the extra the tests are listed as missing."""
    try:
        from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
        from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
    except ImportError as error:
        clients.missing("OpenTelemetry", f"the extra 'otel' is not installed: {error}")
    return ExportTraceServiceRequest, ExportMetricsServiceRequest


def plain(attributes: Any) -> dict[str, str]:
    return {each.key: each.value.string_value for each in attributes}


@pytest.mark.daemon
def test_calls_are_traced_and_metrics_sent_without_any_text(
    protocol: tuple[Any, Any], receiver: Receiver, environ: dict[str, str], tmp_path: Path
) -> None:
    traces, metrics = protocol
    repo = copy_plain_repo(tmp_path / "repo")
    settings = tmp_path / "home" / ".config" / "muninn" / "config.yaml"
    settings.parent.mkdir(parents=True)
    settings.write_text(f"opentelemetry: {{url: '{receiver.url}', metrics_seconds: 1}}\n")
    environ = {
        **environ,
        "HOME": str(tmp_path / "home"),
        "OTEL_EXPORTER_OTLP_HEADERS": "authorization=Bearer of-another-program",
        "OTEL_SDK_DISABLED": "false",
        "HTTP_PROXY": "http://127.0.0.1:9",
    }
    try:
        with client.connect(str(repo), environ, name="probe") as muninn:
            muninn.call("init")
            assert receiver.metrics.wait(PATIENCE)
            muninn.call("recall", {"query": QUESTION})
            with pytest.raises(MuninnError):
                muninn.call("show", {"id": "01k0000000000000000000000000"})
    finally:
        stop_daemon(repo, environ)
    sent = [traces.FromString(body) for body in receiver.bodies["/v1/traces"]]
    groups = [group for each in sent for group in each.resource_spans]
    spans = {span.name: span for group in groups for scope in group.scope_spans for span in scope.spans}
    about = plain(groups[0].resource.attributes)
    assert (about["service.name"], about["muninn.repository"]) == ("muninn", "repo")
    assert plain(spans["recall"].attributes) == {
        "rpc.system": "jsonrpc", "rpc.service": "muninn", "rpc.method": "recall", "muninn.client": "probe",
    }  # fmt: skip
    assert spans["recall"].end_time_unix_nano > spans["recall"].events[0].time_unix_nano
    assert (spans["show"].status.code, spans["show"].status.message) == (2, "not_found")
    last = metrics.FromString(receiver.bodies["/v1/metrics"][-1]).resource_metrics[0].scope_metrics[0].metrics
    found = {each.name: each for each in last}
    assert found["muninn_resident_memory_bytes"].gauge.data_points[0].as_double > 1e6
    assert found["muninn_resident_memory_bytes"].unit == "By"
    times = {plain(point.attributes)["verb"]: point for point in found["muninn_verb_seconds"].histogram.data_points}
    assert times["recall"].count == sum(times["recall"].bucket_counts) == 1
    assert not times["recall"].HasField("max")
    assert found["muninn_verb_errors_total"].sum.data_points[0].as_double == 1
    assert QUESTION.encode() not in b"".join(body for bodies in receiver.bodies.values() for body in bodies)


def test_a_receiver_that_is_away_costs_a_line_in_the_log(
    protocol: tuple[Any, Any], receiver: Receiver, caplog: pytest.LogCaptureFixture
) -> None:
    from muninn_server import telemetry

    away = telemetry.Receiver("http://127.0.0.1:9")
    assert not away.take("traces", b"")
    assert not away.take("traces", b"")
    assert [record.levelname for record in caplog.records if record.name == "muninn.telemetry"] == ["WARNING"]
    assert telemetry.Receiver(f"{receiver.url}/").take("traces", b"")
