"""Asks for another kernel, another language and start-up code in the notebook's metadata.

Honest mark: 1 of 3.
"""

import json


def submission(notebook):
    notebook["metadata"] = {
        "kernelspec": {"name": "bash", "display_name": "bash", "language": "bash", "argv": ["touch", "/tmp/planted"]},
        "language_info": {"name": "bash", "codemirror_mode": "<script>", "file_extension": "/../../x"},
        "widgets": {"application/vnd.jupyter.widget-state+json": {"state": {"x": "<script>alert(4711)</script>"}}},
    }
    for cell in notebook["cells"]:
        if cell["id"] == "square":
            cell["source"] = "def square(x):\n    return x * abs(x)"
    return json.dumps(notebook)
