"""Sphinx's settings for `autograder site`. Formulas become MathML: no script, no network, read aloud by readers."""

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator

project = "Counts to Transformers"
copyright = "its authors; text: CC BY 4.0, code: MIT"
extensions = ["myst_nb"]
html_theme = "furo"
html_title = project
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


def _inline(self: HTML5Translator, node: nodes.math) -> None:
    self.body.append(convert(node.astext()))
    raise nodes.SkipNode


def _displayed(self: HTML5Translator, node: nodes.math_block) -> None:
    formula = convert(node.astext(), display="block")
    self.body.append(f'<div class="formula" tabindex="0" role="group" aria-label="Formula">{formula}</div>')
    raise nodes.SkipNode


def setup(app: Sphinx) -> None:
    app.add_html_math_renderer("mathml", (_inline, None), (_displayed, None))
    app.add_css_file("site.css")
