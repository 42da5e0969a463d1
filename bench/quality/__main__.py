"""What `python -m bench quality` runs, in a process whose numeric libraries use one thread."""

from __future__ import annotations

import os
import sys

# Before anything loads them: a question is too short for threads, and those that spin distort what it costs.
for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS"):
    os.environ[_name] = "1"
os.environ["TOKENIZERS_PARALLELISM"] = "false"

if __name__ == "__main__":
    from bench.quality.main import main

    sys.exit(main(sys.argv[1:]))
