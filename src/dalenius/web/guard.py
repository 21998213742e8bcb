"""What stands before every page: who may come in, with how much, and what a browser may do with the answer."""

import secrets
from dataclasses import dataclass
from typing import Any, final
from urllib.parse import parse_qs, urlsplit

from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response

from dalenius.web.sessions import Session, Sessions

COOKIE = "dalenius"
LARGEST_BODY = 12_000_000  # bytes of a form with what is uploaded
POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
# A report brings its own style sheet, and nothing else: no script, no form, no origin.
REPORT_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'; base-uri 'none'"
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


@final
@dataclass(frozen=True, slots=True)
class Entrance:
    """How people come in: with the token of the printed address, or by the name that a proxy puts into a header."""

    hosts: frozenset[str]  # what a browser may call this server
    token: str
    user: str  # whoever comes with the token
    header: str = ""  # of the proxy
    proxies: frozenset[str] = frozenset({"127.0.0.1", "::1"})


@final
class TooLargeError(Exception):
    """More was sent than may be."""


@final
class Gate:
    """An ASGI application around another one."""

    def __init__(self, app: Any, entrance: Entrance, sessions: Sessions) -> None:
        self.app, self.entrance, self.sessions = app, entrance, sessions

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return  # no websockets

        started = False

        async def guarded(message: Any) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                headers = list(message.get("headers", []))
                there = {name.lower() for name, _ in headers}
                for name, value in HEADERS.items():
                    if name.lower().encode() not in there:
                        headers.append((name.lower().encode(), value.encode()))
                message = {**message, "headers": headers}
            await send(message)

        request = Request(scope)
        refusal = self._enter(request)
        if refusal is not None:
            await refusal(scope, receive, guarded)
            return
        left = LARGEST_BODY

        async def limited() -> Any:
            nonlocal left
            message = await receive()
            left -= len(message.get("body", b""))
            if left < 0:
                raise TooLargeError
            return message

        try:
            await self.app(scope, limited, guarded)
        except TooLargeError:
            if not started:
                await _refuse(413, f"Needed at most {LARGEST_BODY} bytes.")(scope, receive, guarded)

    def _enter(self, request: Request) -> Response | None:
        """None if the request may go on; `scope["session"]` is then whose it is."""
        host = request.headers.get("host", "")
        if host not in self.entrance.hosts:  # a name that leads here is not enough: another page may have made it
            return _refuse(421, "This server has another name.")
        if request.url.path.startswith("/static/"):
            return None
        length = request.headers.get("content-length") or "0"
        if not (length.isascii() and length.isdecimal()) or len(length) > 12 or int(length) > LARGEST_BODY:
            return _refuse(413, f"Needed at most {LARGEST_BODY} bytes.")
        origin = request.headers.get("origin")
        if request.method not in ("GET", "HEAD", "POST"):
            return _refuse(405, "Not here.")
        if request.method == "POST" and (
            (origin is not None and urlsplit(origin).netloc != host)
            or request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none")
        ):
            return _refuse(403, "This came from another site.")
        session = self.sessions.find(request.cookies.get(COOKIE, ""))
        if self.entrance.header:
            return self._by_proxy(request, session)
        token = (parse_qs(request.url.query).get("token") or [""])[0]
        if token and secrets.compare_digest(token.encode(), self.entrance.token.encode()):
            if session is None:
                session = self.sessions.begin(self.entrance.user)
            answer = RedirectResponse("/", status_code=303)
            _keep(answer, session)
            return answer
        if session is None:
            return _refuse(
                401, "Open the address that `dalenius serve` printed, with its token. The session may have ended, too."
            )
        request.scope["session"] = session
        return None

    def _by_proxy(self, request: Request, session: Session | None) -> Response | None:
        client = request.client
        names = request.headers.getlist(self.entrance.header)
        if client is None or client.host not in self.entrance.proxies or len(names) != 1 or not names[0].strip():
            return _refuse(401, "Come through the proxy, which says who you are.")
        user = names[0].strip()
        if not user.isprintable() or len(user) > 200:
            return _refuse(401, "The proxy needs to say who you are in a name that can be printed.")
        if session is None or session.user != user:
            if request.method == "POST":
                return _refuse(403, "This session is over, or somebody else's. Open the first page again.")
            session = self.sessions.begin(user)
            answer = RedirectResponse(request.url.path or "/", status_code=303)
            _keep(answer, session)
            return answer
        request.scope["session"] = session
        return None


def _keep(answer: Response, session: Session) -> None:
    answer.set_cookie(COOKIE, session.id, httponly=True, samesite="strict", path="/")


def _refuse(status: int, words: str) -> Response:
    return PlainTextResponse(words + "\n", status_code=status)
