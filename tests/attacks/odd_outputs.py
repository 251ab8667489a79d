"""Puts outputs of impossible kinds among those of a cell: arrays for texts, texts for dicts, pictures that are none.

Honest mark: 1 of 3.
"""

import sys

import numpy as np


def square(x):
    return x * abs(x)


sys.stdout.sink.outputs += [
    {"output_type": np.arange(3), "data": np.arange(3)},
    {"output_type": ["stream"], "text": 4},
    {"output_type": "error", "ename": np.arange(2), "evalue": [1], "traceback": "none"},
    {"output_type": "display_data", "data": {"text/plain": np.arange(9), "image/png": b"\x89PNG\r\n\x1a\n<script>"}},
    {"output_type": "display_data", "data": {1: 2}, "metadata": 7},
    {"output_type": "execute_result", "data": {"text/plain": "3.0"}},
    np.arange(3),
    None,
]
