"""The HTTP API on loopback: JSON-RPC, an event stream, probes and metrics."""
