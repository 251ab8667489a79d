"""Writes script into Markdown cells of its own and into attachments, in every way that a page might obey.

Honest mark: 1 of 3.
"""

import json

EVIL = """<script>alert(4711)</script><img src=x onerror=alert(4711)> <svg/onload=alert(4711)>

[a](javascript:alert(4711)) [b](<javascript:alert(4711)>) [c](JaVaScRiPt:alert(4711)) [d](data:text/html,<script>)
[e](java&#115;cript:alert(4711)) [f][ref] ![g](attachment:evil.svg) ![i](&#97;ttachment:evil.svg) [j](javascript\\:alert(4711))
[k](javascript&colon;alert(4711)) [l](&#106avascript:alert(4711)) ![h](x "onerror=alert(4711)") <javascript:alert(4711)>

$\\href{javascript:alert(4711)}{x}$ and $$\\href{javascript:alert(4711)}{y}$$

\\begin{equation}\\href{javascript:alert(4711)}{z}\\end{equation}

```html"><script>alert(4711)</script>
x
```

<details open ontoggle=alert(4711)>

[ref]: javascript:alert(4711)
"""


def submission(notebook):
    for cell in notebook["cells"]:
        if cell["id"] == "square":
            cell["source"] = "def square(x):\n    return x * abs(x)\n# <script>alert(4711)</script>"
    attached = {"evil.svg": {"image/svg+xml": "<svg><script>alert(4711)</script></svg>"}}
    own = {"cell_type": "markdown", "metadata": {}, "source": EVIL, "id": "own", "attachments": attached}
    notebook["cells"].insert(0, own)
    notebook["cells"].append(own | {"cell_type": "raw", "id": "raw", "metadata": {"format": "text/html"}})
    return json.dumps(notebook)
