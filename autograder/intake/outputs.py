"""What a student's cell showed, made fit to be stored: known kinds only, bounded, nothing that a browser would run."""

import base64
import binascii
import re
from typing import Any

import nh3
from nbformat import NotebookNode
from nbformat.v4 import new_output

MAX_OUTPUTS = 100
MAX_TEXT = 50_000  # characters of one output
MAX_PICTURE = 2 * 2**20  # bytes
ADDRESSES = {"href", "src", "cite"}  # attributes that a browser follows or loads
PICTURES = ("data:image/png;", "data:image/jpeg;", "data:image/gif;")
PNG = b"\x89PNG\r\n\x1a\n"


def clean_outputs(outputs: Any, room: int) -> list[NotebookNode]:
    """Outputs that may be stored in `room` characters of a notebook; whatever is not understood is left out."""
    cleaned: list[NotebookNode] = []
    for output in outputs[:MAX_OUTPUTS] if isinstance(outputs, list) else []:
        clean = _clean_output(output) if isinstance(output, dict) else None
        if clean is not None:
            room -= len(str(clean))
            if room < 0:
                cleaned.append(new_output("stream", text="What this cell shows is too long to be kept.\n"))
                break
            cleaned.append(clean)
    return cleaned


def clean_markdown(source: str) -> str:
    """Markdown in which raw HTML is shown instead of obeyed, and links and pictures lead nowhere but to this page.

    Whoever opens a student's page must not call a server by it, theirs or the course's own (`/logout`).
    """
    source = re.sub(r"&(?=#|[a-zA-Z][a-zA-Z0-9]*;)", "& ", source)  # entities could spell what follows
    source = re.sub(r"<(?=[a-zA-Z/!?])", "&lt;", source)
    # nbconvert gives up on a cell that names an attachment, and attachments are dropped.
    source = re.sub(r"(?i)\b(javascript|vbscript|data|file|attachment)\\?:(?=\S)", r"\1 :", source)
    source = re.sub(r"(?i)\b(https?|ftp):(?=//)", r"\1: ", source)
    source = re.sub(r"\](?=\((?!#)|:)", "] ", source)  # neither a link nor the definition of one
    return _without_linking_formulas(source)


def clean_html(text: str) -> str:
    """HTML in which nothing is run, sent or loaded; links lead to places on the same page."""
    clean = nh3.clean(text, attribute_filter=_harmless_attribute, url_schemes={*nh3.ALLOWED_URL_SCHEMES, "data"})
    return _without_linking_formulas(clean)


def _harmless_attribute(tag: str, name: str, value: str) -> str | None:
    if name not in ADDRESSES or (name == "src" and value.startswith(PICTURES)):
        return value
    return value if value.startswith("#") else None


def _without_linking_formulas(text: str) -> str:
    """MathJax makes links, styles and more out of these commands."""
    return re.sub(r"\\(href|url|style|class|cssId|require|unicode|data)(?![a-zA-Z])", r"\1", text)


def _clean_output(output: dict[str, Any]) -> NotebookNode | None:
    clean: NotebookNode
    kind = output.get("output_type")
    if not isinstance(kind, str):  # an array, say, which is neither equal nor unequal to a text
        return None
    if kind == "stream":
        clean = new_output(
            "stream", name="stderr" if output.get("name") == "stderr" else "stdout", text=_text(output.get("text"))
        )
        return clean
    if kind == "error":
        traceback = output.get("traceback")
        lines = [_text(line) for line in traceback[:100]] if isinstance(traceback, list) else []
        clean = new_output(
            "error", ename=_text(output.get("ename")), evalue=_text(output.get("evalue")), traceback=lines
        )
        return clean
    if kind in ("display_data", "execute_result") and isinstance(output.get("data"), dict):
        data = _clean_data(output["data"])
        if data:
            more = {"execution_count": None} if kind == "execute_result" else {}
            clean = new_output(kind, data=data, metadata={}, **more)
            return clean
    return None


def _clean_data(data: dict[str, Any]) -> dict[str, str]:
    cleaned = {}
    if isinstance(data.get("text/plain"), str):
        cleaned["text/plain"] = _text(data["text/plain"])
    if isinstance(data.get("text/html"), str):
        cleaned["text/html"] = clean_html(_text(data["text/html"]))
    picture = data.get("image/png")
    if isinstance(picture, (str, bytes)):
        try:
            raw = picture if isinstance(picture, bytes) else base64.b64decode(picture, validate=False)
        except (binascii.Error, ValueError):
            raw = b""
        if raw.startswith(PNG) and len(raw) <= MAX_PICTURE:
            cleaned["image/png"] = base64.b64encode(raw).decode()
    return cleaned


def storable(text: str) -> str:
    """The text without lone surrogates, which JSON allows and files do not."""
    return text.encode("utf-8", "replace").decode()


def _text(value: Any) -> str:
    return storable(value[:MAX_TEXT]) if isinstance(value, str) else ""
