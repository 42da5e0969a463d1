"""Processes that pass a client's bytes to the daemon, or keep its HTTP services open."""
