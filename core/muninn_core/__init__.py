"""Muninn's domain: the memory log, the index, retrieval and the engine. Knows no LSP, MCP, HTTP or terminal."""

__version__ = "0.1.0"
