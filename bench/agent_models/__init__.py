"""Scripted language models on loopback, for `bench.outcome` and for tests that run real agents."""
