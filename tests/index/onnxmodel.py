"""A real ONNX model in a cache of the Hugging Face Hub, made of the bundled table.

It stands where fastembed looks for all-MiniLM-L6-v2 and has its interface: token ids and a mask in, a vector of 384
components per token out. Its first 256 components are those of the bundled table, so that the mean of a text points
where the bundled model's vector points.
"""

import json
import shutil
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from muninn_core.index.embedding import embed

DIM = 384
INPUTS = ("input_ids", "attention_mask")
BUNDLED_MODEL = Path(embed.__file__).parents[1] / "model"


def write_onnx_model(cache):
    """Write the model into a cache folder, as a download leaves it, and return the ONNX file."""
    folder = cache / "models--Qdrant--all-MiniLM-L6-v2-onnx"
    (folder / "refs").mkdir(parents=True)
    (folder / "refs" / "main").write_text("0" * 40)
    snapshot = folder / "snapshots" / ("0" * 40)
    snapshot.mkdir(parents=True)
    for name in ("tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "config.json"):
        shutil.copy(BUNDLED_MODEL / name, snapshot)
    path = snapshot / "model.onnx"
    onnx.save(_model(), path)
    return path


def _model():
    rows, scales = _table()
    inputs = [helper.make_tensor_value_info(name, TensorProto.INT64, ["b", "s"]) for name in INPUTS]
    output = helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, ["b", "s", DIM])
    nodes = [
        helper.make_node("Gather", ["rows", "input_ids"], ["whole"]),
        helper.make_node("Cast", ["whole"], ["numbers"], to=TensorProto.FLOAT),
        helper.make_node("Gather", ["scales", "input_ids"], ["scale"]),
        helper.make_node("Mul", ["numbers", "scale"], ["last_hidden_state"]),
    ]
    constants = [numpy_helper.from_array(rows, "rows"), numpy_helper.from_array(scales, "scales")]
    graph = helper.make_graph(nodes, "table", inputs, [output], constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    return model


def _table():
    """Return int8 [tokens, 384] and float32 [tokens, 1] of the bundled table."""
    raw = (BUNDLED_MODEL / "model.safetensors").read_bytes()
    start = 8 + int.from_bytes(raw[:8], "little")
    header = json.loads(raw[8:start])
    (tokens, dim), (first, end) = header["embeddings"]["shape"], header["embeddings"]["data_offsets"]
    rows = np.frombuffer(raw[start + first : start + end], np.int8).reshape(tokens, dim)
    first, end = header["weights"]["data_offsets"]
    scales = np.frombuffer(raw[start + first : start + end], np.float32)
    return np.pad(rows, ((0, 0), (0, DIM - dim))), scales[:, None]
