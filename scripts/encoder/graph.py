"""The network of all-MiniLM-L6-v2 as an ONNX graph, from its weights in the safetensors format and an adapter.

The network is BERT (Devlin et al. 2019) with 6 layers, 12 heads and 384 dimensions. A text's vector is the mean of its
tokens' last states, scaled to length 1. The graph takes the tokens of one text, `ids` int64 [n], and returns `vector`
float32 [384] and `states` float32 [n, 384]. One text at a time needs no padding, and its vector does not depend on the
texts beside it.

Weights have 7 bits and one scale per column: products of 7-bit weights with 8-bit activations do not overflow on
processors that add pairs of products with 16 bits. Rows of the vocabulary have 8 bits and a scale each. Activations are
quantised when the network runs.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from onnx.checker import check_model

Array = NDArray[np.float32]

DIM = 384
HEADS = 12
LAYERS = 6
MOST_TOKENS = 256
"""The tokens of a text that the model was trained on."""

EPSILON = 1e-12
"""Added to the variance by the layer normalisation, as in the model's config.json."""

OPSET = 20
"""The first version of the operators with Gelu."""

DENSE = tuple(
    f"encoder.layer.{layer}.{name}"
    for layer in range(LAYERS)
    for name in (
        "attention.self.query", "attention.self.key", "attention.self.value",
        "attention.output.dense", "intermediate.dense", "output.dense",
    )
)  # fmt: skip
"""The dense steps, each of which the adapter changes."""

WEIGHT_LIMIT = 63
ROW_LIMIT = 127


def network(safetensors: bytes, adapter: Mapping[str, NDArray[np.generic]]) -> bytes:
    """Return the ONNX file of the network with these weights and what the adapter adds to them.

    The adapter has two arrays for each of `DENSE`, `NAME.a` [rank, inputs] and `NAME.c` [outputs, rank], whose product
    c·a is added to the step's weight. Raises ValueError where it lacks one or has others.
    """
    wanted = {f"{adapter_key(name)}.{part}" for name in DENSE for part in "ac"}
    if adapter.keys() != wanted:
        raise ValueError(f"the adapter's arrays are not those of the network: {sorted(wanted ^ adapter.keys())[:4]}")
    graph = Graph(adapted(_tensors(safetensors), adapter))
    state = graph.embedded()
    for layer in range(LAYERS):
        state = graph.layer(state, layer)
    graph.add("Identity", [state], name="states")
    graph.add("ReduceMean", [state, graph.constant(np.array([0], np.int64))], name="mean", keepdims=0)
    graph.add("LpNormalization", ["mean"], name="vector", axis=-1, p=2)
    return graph.serialised()


class Graph:
    """A graph under construction. Methods return the name of the value that they add."""

    def __init__(self, tensor: Callable[[str], Array]) -> None:
        self._tensor = tensor
        self._nodes: list[object] = []
        self._constants: list[object] = []
        self._quantised: dict[str, tuple[str, str, str]] = {}
        self._split = self.constant(np.array([0, HEADS, DIM // HEADS], np.int64))
        self._joined = self.constant(np.array([0, DIM], np.int64))
        self._scale = self.constant(np.float32(1 / np.sqrt(DIM // HEADS)))

    def add(self, kind: str, inputs: list[str], name: str = "", **options: object) -> str:
        """Add an operator with one output."""
        name = name or f"{kind.lower()}_{len(self._nodes)}"
        self._nodes.append(helper.make_node(kind, inputs, [name], **options))
        return name

    def constant(self, value: NDArray[np.generic] | np.float32) -> str:
        """Add a constant."""
        name = f"constant_{len(self._constants)}"
        self._constants.append(numpy_helper.from_array(np.ascontiguousarray(value).reshape(np.shape(value)), name))
        return name

    def embedded(self) -> str:
        """Add the sum of the vectors of words and positions, normalised. All tokens have the type 0."""
        words = self._tensor("embeddings.word_embeddings.weight")
        scales = np.abs(words).max(1, keepdims=True) / ROW_LIMIT
        rows = self.add("Gather", [self.constant(np.rint(words / scales).astype(np.int8)), "ids"])
        scale = self.add("Gather", [self.constant(scales.astype(np.float32)), "ids"])
        word = self.add("Mul", [self.add("Cast", [rows], to=TensorProto.FLOAT), scale])
        places = self._tensor("embeddings.position_embeddings.weight")[:MOST_TOKENS]
        places = places + self._tensor("embeddings.token_type_embeddings.weight")[0]
        length = self.add("Shape", ["ids"])
        place = self.add("Slice", [self.constant(places), self.constant(np.array([0], np.int64)), length])
        return self._normalised(self.add("Add", [word, place]), "embeddings.LayerNorm")

    def layer(self, state: str, number: int) -> str:
        """Add a layer: attention and two dense steps, each added to its input and normalised."""
        prefix = f"encoder.layer.{number}."
        mixed = self._dense(self._attention(state, f"{prefix}attention.self."), [f"{prefix}attention.output.dense"])
        state = self._normalised(self.add("Add", [mixed, state]), f"{prefix}attention.output.LayerNorm")
        inner = self.add("Gelu", [self._dense(state, [f"{prefix}intermediate.dense"])])
        outer = self._dense(inner, [f"{prefix}output.dense"])
        return self._normalised(self.add("Add", [outer, state]), f"{prefix}output.LayerNorm")

    def serialised(self) -> bytes:
        """Return the checked model as bytes."""
        ids = helper.make_tensor_value_info("ids", TensorProto.INT64, ["n"])
        vector = helper.make_tensor_value_info("vector", TensorProto.FLOAT, [DIM])
        states = helper.make_tensor_value_info("states", TensorProto.FLOAT, ["n", DIM])
        graph = helper.make_graph(self._nodes, "all-MiniLM-L6-v2", [ids], [vector, states], self._constants)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=9)
        check_model(model)
        content: bytes = model.SerializeToString(deterministic=True)
        return content

    def _attention(self, state: str, prefix: str) -> str:
        """Add the attention of all heads."""
        all_three = self._dense(state, [f"{prefix}{name}" for name in ("query", "key", "value")])
        parts = [f"{all_three}_{name}" for name in ("query", "key", "value")]
        self._nodes.append(helper.make_node("Split", [all_three], parts, axis=-1, num_outputs=3))
        query, key, value = (self.add("Reshape", [part, self._split]) for part in parts)
        query, value = (self.add("Transpose", [each], perm=[1, 0, 2]) for each in (query, value))
        key = self.add("Transpose", [key], perm=[1, 2, 0])
        shares = self.add("Softmax", [self.add("Mul", [self.add("MatMul", [query, key]), self._scale])], axis=-1)
        mixed = self.add("Transpose", [self.add("MatMul", [shares, value])], perm=[1, 0, 2])
        return self.add("Reshape", [mixed, self._joined])

    def _dense(self, state: str, names: list[str]) -> str:
        """Add the product with the weights of one or more dense steps, side by side, and their bias."""
        weights = np.concatenate([self._tensor(f"{name}.weight").T for name in names], axis=1)
        bias = np.concatenate([self._tensor(f"{name}.bias") for name in names])
        scales = np.abs(weights).max(0) / WEIGHT_LIMIT
        rounded = np.rint(weights / scales).astype(np.int8)
        value, scale, zero = self._quantise(state)
        zeros = self.constant(np.zeros(rounded.shape[1], np.int8))
        product = self.add("MatMulInteger", [value, self.constant(rounded), zero, zeros])
        both = self.add("Mul", [scale, self.constant(scales.astype(np.float32))])
        scaled = self.add("Mul", [self.add("Cast", [product], to=TensorProto.FLOAT), both])
        return self.add("Add", [scaled, self.constant(bias)])

    def _quantise(self, state: str) -> tuple[str, str, str]:
        """Add the quantisation of a state: (value, scale, zero point)."""
        if state not in self._quantised:
            names = (f"{state}_8", f"{state}_scale", f"{state}_zero")
            self._nodes.append(helper.make_node("DynamicQuantizeLinear", [state], list(names)))
            self._quantised[state] = names
        return self._quantised[state]

    def _normalised(self, state: str, prefix: str) -> str:
        """Add a layer normalisation."""
        weights = [self.constant(self._tensor(f"{prefix}.{name}")) for name in ("weight", "bias")]
        return self.add("LayerNormalization", [state, *weights], axis=-1, epsilon=EPSILON)


def adapted(tensor: Callable[[str], Array], adapter: Mapping[str, NDArray[np.generic]]) -> Callable[[str], Array]:
    """Return a function that reads a tensor of the adapted network by its name."""

    def read(name: str) -> Array:
        weight = tensor(name)
        if name.removesuffix(".weight") not in DENSE:
            return weight
        a, c = (adapter[f"{adapter_key(name.removesuffix('.weight'))}.{part}"].astype(np.float32) for part in "ac")
        changed: Array = weight + c @ a
        return changed

    return read


def adapter_key(name: str) -> str:
    """Return the name of a dense step in an adapter: without dots, which modules of PyTorch can't have."""
    return name.replace(".", "/")


def _tensors(content: bytes) -> Callable[[str], Array]:
    """Return a function that reads a float32 tensor of a safetensors file by its name."""
    start = 8 + int.from_bytes(content[:8], "little")
    header = json.loads(content[8:start])

    def tensor(name: str) -> Array:
        entry = header[name]
        if entry["dtype"] != "F32":
            raise ValueError(f"{name} is {entry['dtype']}, not F32")
        first, end = entry["data_offsets"]
        return np.frombuffer(content[start + first : start + end], np.float32).reshape(entry["shape"])

    return tensor
