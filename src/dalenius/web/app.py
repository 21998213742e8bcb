"""The application: which address leads to which page, behind the guard."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.resources import files
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from dalenius.show.html.style import sheet
from dalenius.web import pages
from dalenius.web.guard import Entrance, Gate
from dalenius.web.pages import Bench, handler
from dalenius.web.sessions import Sessions

GET, BOTH = ["GET"], ["GET", "POST"]
STATIC = {"dials.js": "text/javascript", "icon.svg": "image/svg+xml"}


def application(bench: Bench, entrance: Entrance) -> Any:
    """The whole as one ASGI application."""
    sessions = Sessions()

    @asynccontextmanager
    async def lifespan(_app: Any) -> AsyncIterator[None]:
        yield
        bench.jobs.close()
        sessions.close()

    def route(path: str, answer: Any, methods: list[str]) -> Any:
        return Route(path, handler(bench, answer), methods=methods)

    routes = [
        route("/", pages.start, GET),
        route("/begin", pages.begin, ["POST"]),
        route("/draft/{draft}/columns", pages.columns, BOTH),
        route("/draft/{draft}/figures", pages.figures, BOTH),
        route("/draft/{draft}/beliefs", pages.beliefs, BOTH),
        route("/draft/{draft}/attacker", pages.attacker, BOTH),
        route("/draft/{draft}/yaml", pages.specification, BOTH),
        route("/draft/{draft}/verdict", pages.verdict, GET),
        route("/draft/{draft}/dial", pages.dial, GET),
        route("/draft/{draft}/plan", pages.plan, BOTH),
        route("/draft/{draft}/release", pages.release, BOTH),
        route("/timeline", pages.timeline, GET),
        route("/release/{release}", pages.released, GET),
        route("/release/{release}/{file}", pages.released_file, GET),
        route("/desk", pages.queue, GET),
        route("/desk/{case}", pages.case, BOTH),
        route("/desk/{case}/{file}", pages.case_file, GET),
        route("/audit", pages.audits, BOTH),
        route("/audit/{audit}", pages.audited, GET),
        route("/job/{job}", pages.job, BOTH),
        route("/leave", pages.leave, ["POST"]),
        Route("/static/{name}", _static, methods=GET),
    ]
    return Gate(Starlette(routes=routes, lifespan=lifespan), entrance, sessions)


async def _static(request: Request) -> Response:
    """What belongs to the pages, out of the package."""
    name = request.path_params["name"]
    if name == "style.css":  # that of the reports, and what forms and coloured tables need besides
        more = (files("dalenius.web") / "static" / "pages.css").read_text(encoding="utf-8")
        return Response(sheet() + more, media_type="text/css")
    if name not in STATIC:
        return PlainTextResponse("There is no such file.\n", status_code=404)
    content = (files("dalenius.web") / "static" / name).read_bytes()
    return Response(content, media_type=STATIC[name])
