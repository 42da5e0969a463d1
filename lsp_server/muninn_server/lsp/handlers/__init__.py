"""One module per request: a handler takes the `Editor` and the typed parameters and returns the typed result.

A handler that serves both source files and Muninn's own files branches on the kind of the document. The content of an
answer is decided in the core.
"""
