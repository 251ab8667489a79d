"""What the panel asks a Jupyter server. Every request needs the server's token or cookie, and POST its XSRF check."""

import json
from pathlib import Path
from typing import Any

import msgspec
from jupyter_server.auth.decorator import authorized
from jupyter_server.base.handlers import APIHandler
from jupyter_server.utils import url_path_join
from tornado import web

from autograder.learner.gallery import gallery_near, models_in
from autograder.panel.desk import Desk, Refused


class _Handler(APIHandler):
    """A request about one notebook."""

    auth_resource = "contents"  # whoever may read and write notebooks may check them

    def initialize(self, desk: Desk) -> None:
        self.desk = desk

    def asked(self, name: str) -> str:
        """A field of the body. Raises an error 400 unless the body is a JSON object and the field a text."""
        try:
            fields = json.loads(self.request.body)
        except ValueError:
            fields = None
        value = fields.get(name) if isinstance(fields, dict) else None
        if not isinstance(value, str):
            raise self.refused(f"The request needs a JSON object with the text {name!r}.")
        return value

    def notebook(self, path: str) -> Path:
        try:
            return self.desk.notebook(path)
        except Refused as problem:
            raise self.refused(str(problem)) from None

    def refused(self, text: str) -> web.HTTPError:
        """An error 400 whose one line reaches the learner."""
        error = web.HTTPError(400, text.replace("%", "%%"))
        error.reason = "Bad Request"
        return error

    def write_error(self, status_code: int, **facts: Any) -> None:
        """The one line as JSON, without the traceback that Jupyter adds."""
        problem = facts.get("exc_info", (None, None, None))[1]
        text = problem.log_message if isinstance(problem, web.HTTPError) else None
        self.set_header("Content-Type", "application/json")
        self.finish(json.dumps({"message": (text or "The server failed; its log says why.").replace("%%", "%")}))


class CheckHandler(_Handler):
    """GET: what is known of a notebook. POST: check it, or a task; GET tells when it is done. DELETE: stop."""

    @web.authenticated
    @authorized
    async def get(self) -> None:
        state = await self.desk.state(self.notebook(self.get_query_argument("path", "")))
        self.finish(json.dumps(state.as_fields(), default=str))

    @web.authenticated
    @authorized
    async def post(self) -> None:
        state = await self.desk.start_check(self.notebook(self.asked("path")), self.asked("task"))
        self.finish(json.dumps(state.as_fields(), default=str))

    @web.authenticated
    @authorized
    async def delete(self) -> None:
        state = await self.desk.stop_check(self.notebook(self.get_query_argument("path", "")))
        self.finish(json.dumps(state.as_fields(), default=str))


class RevealHandler(_Handler):
    """POST: the course's answer to a task, the second time it is asked for."""

    @web.authenticated
    @authorized
    async def post(self) -> None:
        try:
            answer = await self.desk.reveal(self.notebook(self.asked("path")), self.asked("task"))
        except Refused as problem:
            raise self.refused(str(problem)) from None
        self.finish(json.dumps({"answer": answer}))


class GalleryHandler(_Handler):
    """GET: the models that the learner has made, the latest first."""

    @web.authenticated
    @authorized
    async def get(self) -> None:
        models, _ = models_in(gallery_near(self.notebook(self.get_query_argument("path", ""))))
        self.finish(msgspec.json.encode({"models": models}))


def add_handlers(server: Any) -> None:
    """Add them to a `jupyter_server.serverapp.ServerApp`, for the notebooks below its root."""
    place = {"desk": Desk(Path(server.root_dir))}
    base = server.web_app.settings["base_url"]
    handlers = [(url_path_join(base, "autograder/panel", name), kind, place) for name, kind in HANDLERS.items()]
    server.web_app.add_handlers(".*$", handlers)


HANDLERS = {"check": CheckHandler, "reveal": RevealHandler, "gallery": GalleryHandler}
