"""The server of an organisation's memory: verbs for readers, pushes from CI, probes and metrics."""
