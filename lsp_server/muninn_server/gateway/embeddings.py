"""`/v1/embeddings` from the bundled table: offline and without a key.

Fields: https://platform.openai.com/docs/api-reference/embeddings
"""

from __future__ import annotations

import base64
from typing import Annotated, Literal

from muninn_core.config.keys import BUNDLED_MODEL
from muninn_core.engine.engine import Engine
from muninn_core.errors import ModelError
from muninn_core.model.value import Meta, ValidationError, Value, from_plain
from muninn_core.models.prompt import BYTES_PER_TOKEN
from muninn_server.gateway.errors import error_reply
from muninn_server.gateway.routing import OPENAI
from muninn_server.http.asgi_messages import Reply, json_reply
from muninn_server.rpc import Unreadable, decode_body

MAX_TEXTS = 2_048


class EmbeddingRequest(Value):
    """The body of a request. `dimensions` can only be the table's; `user` has no meaning here."""

    input: str | Annotated[tuple[str, ...], Meta(min_length=1, max_length=MAX_TEXTS)]
    model: str
    encoding_format: Literal["float", "base64"] = "float"
    dimensions: int | None = None
    user: str = ""


def embedding_reply(engine: Engine, body: bytes) -> Reply:
    """Answer a request. Raises ModelError for one that can't be answered."""
    try:
        request = from_plain(decode_body(body), EmbeddingRequest)
    except (Unreadable, ValidationError) as error:
        raise ModelError(f"the request can't be read: {error}", hint="`input` is a text or a list of texts.") from None
    if request.model != BUNDLED_MODEL:
        return error_reply(
            OPENAI, 404, f"embeddings come from the model '{BUNDLED_MODEL}', not '{request.model[:100]}'"
        )
    texts = [request.input] if isinstance(request.input, str) else list(request.input)
    vectors = engine.trees.embedder(BUNDLED_MODEL).embed(texts)
    if request.dimensions not in (None, vectors.shape[1]):
        raise ModelError(f"the model has {vectors.shape[1]} dimensions, not {request.dimensions}")
    data = []
    for number, vector in enumerate(vectors):
        told = base64.b64encode(vector.astype("<f4").tobytes()).decode() if _is_base64(request) else vector.tolist()
        data.append({"object": "embedding", "index": number, "embedding": told})
    tokens = sum(len(text.encode()) for text in texts) // BYTES_PER_TOKEN
    usage = {"prompt_tokens": tokens, "total_tokens": tokens}
    return json_reply({"object": "list", "data": data, "model": BUNDLED_MODEL, "usage": usage})


def _is_base64(request: EmbeddingRequest) -> bool:
    return request.encoding_format == "base64"
