"""Who may ask the app for anything: the browser that was given its token, from its own pages, under its own address."""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; media-src 'self' blob:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
SAFE_HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
NO_TOKEN = "This is Haustra. Open it by the address that `haustra app` printed when it was started: it holds a key.\n"


@dataclass(frozen=True)
class Gate:
    """The hosts under which the app may be addressed, its token, and its port: browsers tell cookies apart by name,
    not by port."""

    hosts: frozenset[str]
    token: str
    port: int

    @property
    def cookie(self) -> str:
        return f"haustra-{self.port}"


class Guard:
    """Middleware around everything: what it does not let through never reaches a route."""

    def __init__(self, app: ASGIApp, gate: Gate) -> None:
        self.app, self.gate = app, gate

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            return  # websockets: there are none

        async def send_safely(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in SAFE_HEADERS.items():
                    headers[name] = value
            await send(message)

        refused = self._refusal(scope)
        await (self.app if refused is None else refused)(scope, receive, send_safely)

    def _refusal(self, scope: Scope) -> Response | None:
        """The answer to who may not ask; also the one that hands out the cookie for the token."""
        headers = Headers(scope=scope)
        if headers.get("host", "").lower() not in self.gate.hosts:
            return PlainTextResponse("wrong host\n", 421)
        if self._is_foreign(scope, headers):
            return PlainTextResponse("only pages of the app itself may do this\n", 403)
        given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
        if scope["path"] == "/" and self._is_token(given):
            answer = RedirectResponse("/", 303)
            answer.set_cookie(self.gate.cookie, self.gate.token, httponly=True, samesite="strict")
            return answer
        if not self._is_token(_cookie(headers.get("cookie", ""), self.gate.cookie)):
            return PlainTextResponse(NO_TOKEN, 401)
        return None

    def _is_foreign(self, scope: Scope, headers: Headers) -> bool:
        """Whether another page had the browser send this: an address bar and our own pages are not foreign."""
        origin = headers.get("origin")
        if origin is not None and origin.lower() != f"http://{headers['host']}".lower():
            return True
        if origin is None and scope["method"] not in ("GET", "HEAD"):
            return True
        site, mode = headers.get("sec-fetch-site", "none"), headers.get("sec-fetch-mode", "navigate")
        return site not in ("none", "same-origin") and mode != "navigate"

    def _is_token(self, given: str) -> bool:
        return hmac.compare_digest(given.encode(), self.gate.token.encode())


def _cookie(header: str, name: str) -> str:
    try:
        found = SimpleCookie(header).get(name)
    except CookieError:
        return ""
    return "" if found is None else found.value
