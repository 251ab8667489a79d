"""Sphinx's settings for `autograder site`, which adds the title and the copyright.

Formulas become MathML: no script, no network, read aloud by readers.
"""

import re

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator

extensions = ["myst_nb"]
html_theme = "furo"
html_show_sphinx = False
html_static_path = ["static"]
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {"navigation_with_keys": False}
pygments_style = "a11y-high-contrast-light"
pygments_dark_style = "a11y-high-contrast-dark"
nb_execution_mode = "off"
nb_ipywidgets_js: dict[str, dict[str, str]] = {}  # no page has a widget
myst_enable_extensions = ["dollarmath", "amsmath"]
myst_heading_anchors = 4
# Notebooks begin their sections where they like; code in texts may be of any language or none.
suppress_warnings = ["myst.header", "misc.highlighting_failure", "mystnb.unknown_mime_type"]
html_math_renderer = "mathml"


LESS, GREATER = "\ue000", "\ue001"  # letters that no formula has


def mathml(formula: str, display: str = "inline") -> str:
    """The formula as MathML. `convert` leaves <s> within \\text{} as it is, which a browser takes for a tag."""
    kept = re.sub(r"\\text\w*\{[^{}]*\}", lambda found: found[0].replace("<", LESS).replace(">", GREATER), formula)
    return str(convert(kept, display=display)).replace(LESS, "&lt;").replace(GREATER, "&gt;")


def _inline(self: HTML5Translator, node: nodes.math) -> None:
    self.body.append(mathml(node.astext()))
    raise nodes.SkipNode


def _displayed(self: HTML5Translator, node: nodes.math_block) -> None:
    formula = mathml(node.astext(), "block")
    self.body.append(f'<div class="formula" tabindex="0" role="group" aria-label="Formula">{formula}</div>')
    raise nodes.SkipNode


def setup(app: Sphinx) -> None:
    app.add_html_math_renderer("mathml", (_inline, None), (_displayed, None))
    app.add_css_file("site.css")
