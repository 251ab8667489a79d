"""Shows pictures and links that make whoever opens the page call a server, or log out of the course.

Honest mark: 1 of 3.
"""

import json

HTML = """<img src="http://localhost:47113/seen.png"><img src="//localhost:47113/seen.png"><img src="/logout">
<a href="/logout">x</a><a href="//localhost/x">y</a><a href="http://localhost/z">z</a><q cite="http://localhost/q">q</q>"""
MARKDOWN = """![a](http://localhost:47113/seen.png) ![b](//localhost:47113/seen.png) ![c](/logout) [d](/logout) ![e][f] [g][f]
<http://localhost/auto> https://localhost/bare

[f]: /logout
> [h]: http://localhost/h

![i]( //localhost/i "title")
"""
ANSWER = f"""def square(x):
    return x * abs(x)
from IPython.display import HTML, Markdown, display
display(HTML({HTML!r}), Markdown({MARKDOWN!r}))
"""


def submission(notebook):
    notebook["cells"].append({"cell_type": "markdown", "metadata": {}, "source": MARKDOWN, "id": "own"})
    return json.dumps(notebook)
