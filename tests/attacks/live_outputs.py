"""Shows script in every kind of output that a notebook page might obey.

Honest mark: 1 of 3.
"""

from IPython.display import HTML, SVG, Javascript, Latex, Markdown, display


def square(x):
    return x * abs(x)


EVIL = """<script>alert(4711)</script><img src=x onerror=alert(4711)><iframe src="javascript:alert(4711)"></iframe>
<a href="javascript:alert(4711)">x</a><svg onload=alert(4711)></svg><form action="javascript:alert(4711)"></form>
<style>@import "http://localhost/planted";</style><base href="http://localhost/"><object data="javascript:alert(4711)">
<p>$\\href{javascript:alert(4711)}{x}$ \\(\\href{javascript:alert(4711)}{x}\\)</p>"""
display(HTML(EVIL), Javascript("alert(4711)"), Markdown(EVIL), Latex("$\\href{javascript:alert(4711)}{x}$"))
display(SVG("<svg xmlns='http://www.w3.org/2000/svg'><script>alert(4711)</script></svg>"))
display({"application/javascript": "alert(4711)", "text/html": EVIL, "text/plain": EVIL}, raw=True)
display({"application/vnd.jupyter.widget-view+json": {"model_id": "x"}, "image/svg+xml": EVIL}, raw=True)
display({"text/markdown": EVIL, "text/latex": EVIL, "application/json": {"a": EVIL}}, raw=True)
print(EVIL)
