"""A language model with random weights, as a GGUF file, and the program that serves it with llama.cpp.

`python tiny_model.py FILE` serves a model until standard input ends; its first line is the address.
Format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
"""

from __future__ import annotations

import os
import struct
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

WIDTH, LAYERS, HEADS, HIDDEN, CONTEXT = 32, 2, 2, 64, 16_384
ALIGNED = 32
UINT32, FLOAT32, STRING, ARRAY, INT32, BOOL = 4, 6, 8, 9, 5, 7

TOKENS = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256)), "\u2581"]
"""Each byte is a token, so that the model reads any text."""

KINDS = [2, 3, 3, *[6] * 256, 1]
"""Unknown, control, byte and normal tokens."""


def write_model(path: Path) -> None:
    """Write a llama of random weights, always the same."""
    import numpy as np

    chance = np.random.default_rng(7)
    shapes: dict[str, tuple[int, ...]] = {"token_embd": (len(TOKENS), WIDTH), "output": (len(TOKENS), WIDTH)}
    shapes["output_norm"] = (WIDTH,)
    for layer in range(LAYERS):
        for name in ("attn_q", "attn_k", "attn_v", "attn_output"):
            shapes[f"blk.{layer}.{name}"] = (WIDTH, WIDTH)
        for name in ("attn_norm", "ffn_norm"):
            shapes[f"blk.{layer}.{name}"] = (WIDTH,)
        for name, shape in (("gate", (HIDDEN, WIDTH)), ("up", (HIDDEN, WIDTH)), ("down", (WIDTH, HIDDEN))):
            shapes[f"blk.{layer}.ffn_{name}"] = shape
    facts = _facts()
    head = [b"GGUF", struct.pack("<IQQ", 3, len(shapes), len(facts)), *(_fact(*each) for each in facts.items())]
    data = b""
    for name, shape in shapes.items():
        values = np.ones(shape) if name.endswith("norm") else chance.standard_normal(shape) * 0.1
        head.append(_text(f"{name}.weight") + struct.pack(f"<I{len(shape)}Q", len(shape), *reversed(shape)))
        head.append(struct.pack("<IQ", 0, len(data)))
        data += _aligned(values.astype("<f4").tobytes())
    path.write_bytes(_aligned(b"".join(head)) + data)


def _facts() -> dict[str, tuple[int, Any]]:
    sizes = {"block_count": LAYERS, "context_length": CONTEXT, "embedding_length": WIDTH, "feed_forward_length": HIDDEN}
    sizes |= {"attention.head_count": HEADS, "rope.dimension_count": WIDTH // HEADS, "vocab_size": len(TOKENS)}
    return {
        "general.architecture": (STRING, "llama"),
        **{f"llama.{name}": (UINT32, value) for name, value in sizes.items()},
        "llama.attention.layer_norm_rms_epsilon": (FLOAT32, 1e-5),
        "tokenizer.ggml.model": (STRING, "llama"),
        "tokenizer.ggml.tokens": (ARRAY, (STRING, TOKENS)),
        "tokenizer.ggml.scores": (ARRAY, (FLOAT32, [0.0] * len(TOKENS))),
        "tokenizer.ggml.token_type": (ARRAY, (INT32, KINDS)),
        "tokenizer.ggml.unknown_token_id": (UINT32, 0),
        "tokenizer.ggml.bos_token_id": (UINT32, 1),
        "tokenizer.ggml.eos_token_id": (UINT32, 2),
        "tokenizer.ggml.add_bos_token": (BOOL, True),
    }


def _fact(name: str, typed: tuple[int, Any]) -> bytes:
    return _text(name) + struct.pack("<I", typed[0]) + _value(*typed)


def _value(kind: int, value: Any) -> bytes:
    if kind == STRING:
        return _text(value)
    if kind == ARRAY:
        inner, items = value
        return struct.pack("<IQ", inner, len(items)) + b"".join(_value(inner, item) for item in items)
    forms: Mapping[int, str] = {UINT32: "<I", FLOAT32: "<f", INT32: "<i", BOOL: "<?"}
    return struct.pack(forms[kind], value)


def _text(value: str) -> bytes:
    data = value.encode()
    return struct.pack("<Q", len(data)) + data


def _aligned(data: bytes) -> bytes:
    return data + bytes(-len(data) % ALIGNED)


def main() -> None:
    """Serve a model on a free port of loopback."""
    import xllamacpp  # type: ignore[import-not-found]

    params = xllamacpp.CommonParams()
    params.model.path = sys.argv[1]
    params.hostnames, params.port = ["127.0.0.1"], 0
    params.n_ctx, params.n_parallel, params.warmup = CONTEXT, 1, False
    params.cpuparams.n_threads = 1
    params.sampling.temp = 0.0
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)
    sys.stdin.read()
    os._exit(0)


if __name__ == "__main__":
    main()
