"""Entry point of `python -m bench memory`. The numeric libraries of its process use one thread."""

from __future__ import annotations

import os
import sys

# Set before the libraries load: threads that spin distort the processor time of a short question.
for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS"):
    os.environ[_name] = "1"
os.environ["TOKENIZERS_PARALLELISM"] = "false"

if __name__ == "__main__":
    from bench.memory.main import main

    sys.exit(main(sys.argv[1:]))
