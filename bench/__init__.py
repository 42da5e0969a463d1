"""Measures Muninn's time, memory and answer quality against its budgets, on the source of a large real package."""

import os

for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")  # as the daemon does, before numpy loads
