"""Muninn's domain: the memory log, the index, retrieval and the engine. Independent of LSP, MCP, HTTP and terminals.

Python programs use `open_repository`. It is imported on first use, because hooks and proxies do not need it.
"""

__version__ = "0.1.0"

TYPE_CHECKING = False
if TYPE_CHECKING:
    from muninn_core.repository import Repository as Repository
    from muninn_core.repository import open_repository as open_repository

__all__ = ["Repository", "__version__", "open_repository"]


def __getattr__(name: str) -> object:
    """Load what a program asks for by name (PEP 562)."""
    if name in ("Repository", "open_repository"):
        from importlib import import_module

        return getattr(import_module("muninn_core.repository"), name)
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
