"""Latency, processor time and memory."""
