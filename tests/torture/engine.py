"""The real engine in this process, on a repository whose daemon has ended."""

from __future__ import annotations

import functools
import gc
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from repositories import copy_plain_repo

from muninn_core.engine.engine import Engine
from muninn_core.index.embedding import embed
from muninn_core.index.embedding.embed import Embedder, load_bundled
from muninn_core.index.embedding.encoder import load_encoder
from muninn_core.launch.repository_location import locate
from muninn_core.protocol.catalogue import decode_params, lookup
from muninn_core.store.files.layout import initialise, layout_of
from muninn_core.worktree.call_context import CallContext
from muninn_core.worktree.user_folders import UserFolders


@functools.cache
def embedder() -> Embedder:
    """Return the bundled model, loaded once."""
    return load_bundled()


@contextmanager
def engine_on(root: Path, folder: Path, **options: Any) -> Iterator[tuple[Engine, Callable[..., Any]]]:
    """Open an engine on a work tree; yield it, and a function that calls a verb with parameters of JSON.

    `options` are a clock and a source of chance, where a run must repeat the same ids.
    """
    engine = Engine(
        version="torture",
        folders=UserFolders(folder / "spare", folder / "models", folder / "data" / "muninn" / "global"),
        load=lambda _name, _cache: embedder(),
        **options,
    )

    def call(verb: str, /, **params: Any) -> Any:
        method = lookup(verb)
        return engine.call(
            verb, decode_params(method, params), CallContext(location=locate(str(root)), client="torture")
        )

    try:
        yield engine, call
    finally:
        engine.close()


def warm() -> None:
    """Use an engine in this process, so that forked ones find all models, grammars and modules loaded."""
    embed.load_bundled = embedder
    encoder = load_encoder()
    if encoder is not None:
        encoder.embed_query("warm")
    with tempfile.TemporaryDirectory(prefix="mn-warm-") as folder:
        root = copy_plain_repo(Path(folder) / "repo")
        initialise(layout_of(root), "")
        with engine_on(root, Path(folder)) as (_engine, call):
            for text in ("Sessions live in Redis.", "Sessions are stored in Redis."):
                call("remember", text=text)
            for verb, params in (("index", {}), ("recall", {"query": "sessions"}), ("seal", {}), ("status", {})):
                call(verb, **params)
    gc.collect()
    gc.freeze()
