"""Runs `python -m bench` from any working folder: `python bench/run.py`."""

from __future__ import annotations

import os
import runpy
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

if __name__ == "__main__":
    sys.path[0] = ROOT
    os.chdir(ROOT)
    runpy.run_module("bench", run_name="__main__", alter_sys=True)
