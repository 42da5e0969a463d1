"""Writes `products.onnx`: the product of two matrices of small integers, which numpy multiplies without BLAS.

The file is in the repository. Late interaction compares the tokens of a question and of memories by it
(`index/embedding/encoder.py`). Run it with the project's interpreter.
"""

from __future__ import annotations

import sys
from pathlib import Path

from onnx import TensorProto, helper
from onnx.checker import check_model

ROOT = Path(__file__).resolve().parents[2]
FILE = ROOT / "core" / "muninn_core" / "index" / "products.onnx"

OPSET = 13


def products() -> bytes:
    """Return the ONNX file: `rows` uint8 [m, k] and `columns` int8 [k, n] to `products` int32 [m, n]."""
    node = helper.make_node("MatMulInteger", ["rows", "columns"], ["products"])
    rows = helper.make_tensor_value_info("rows", TensorProto.UINT8, ["m", "k"])
    columns = helper.make_tensor_value_info("columns", TensorProto.INT8, ["k", "n"])
    found = helper.make_tensor_value_info("products", TensorProto.INT32, ["m", "n"])
    graph = helper.make_graph([node], "products", [rows, columns], [found])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=8)
    check_model(model)
    content: bytes = model.SerializeToString(deterministic=True)
    return content


if __name__ == "__main__":
    FILE.write_bytes(products())
    print(f"wrote {FILE.relative_to(ROOT)}")
    sys.exit(0)
