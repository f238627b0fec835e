import re
from dataclasses import dataclass, field
from functools import reduce, wraps
from http import HTTPStatus
from typing import Any, Callable
from urllib.parse import parse_qsl, urlsplit
import json


@dataclass
class Request:
    method: str
    path: str
    query: dict[str, str] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""

    @classmethod
    def parse(cls, raw: bytes) -> "Request":
        head, _, body = raw.partition(b"\r\n\r\n")
        first, *lines = head.decode("ascii").split("\r\n")
        try:
            method, target, version = first.split(" ")
        except ValueError:
            raise HTTPError(HTTPStatus.BAD_REQUEST, f"malformed request line {first!r}") from None
        url = urlsplit(target)
        headers = {k.strip().title(): v.strip() for k, v in (l.split(":", 1) for l in lines)}
        return cls(method, url.path, dict(parse_qsl(url.query)), headers, body[: int(headers.get("Content-Length", 0))])

    def json(self):
        return json.loads(self.body)


class HTTPError(Exception):
    def __init__(self, status: HTTPStatus, detail: str = ""):
        self.status, self.detail = status, detail or status.phrase


class App:
    CONVERTERS = {"int": (r"\d+", int), "str": (r"[^/]+", str)}

    def __init__(self):
        self.routes, self.middleware = [], []

    def route(self, pattern, *methods):
        casts = {}

        def sub(m):
            kind, name = (m[1] or "str:").rstrip(":"), m[2]
            rx, casts[name] = self.CONVERTERS[kind]
            return f"(?P<{name}>{rx})"

        rx = re.compile("^" + re.sub(r"<(\w+:)?(\w+)>", sub, pattern) + "$")

        def deco(fn):
            self.routes.append((methods or ("GET",), rx, casts, fn))
            return fn
        return deco

    def use(self, mw):
        self.middleware.append(mw)
        return mw

    def _dispatch(self, req):
        allowed = set()
        for methods, rx, casts, fn in self.routes:
            if m := rx.match(req.path):
                if req.method in methods:
                    return fn(req, **{k: casts[k](v) for k, v in m.groupdict().items()})
                allowed.update(methods)
        raise HTTPError(HTTPStatus.METHOD_NOT_ALLOWED if allowed else HTTPStatus.NOT_FOUND)

    def __call__(self, raw):
        handler = reduce(lambda h, mw: mw(h), reversed(self.middleware), self._dispatch)
        try:
            result = handler(Request.parse(raw))
            status, body = result if isinstance(result, tuple) else (200, result)
        except HTTPError as e:
            status, body = e.status, {"error": e.detail}
        text = json.dumps(body)
        return f"HTTP/1.1 {int(status)} {HTTPStatus(status).phrase}\r\nContent-Length: {len(text)}\r\n\r\n{text}".encode()


app, log = App(), []


@app.use
def logging(next_handler):
    @wraps(next_handler)
    def inner(req):
        log.append(f"{req.method} {req.path}")
        return next_handler(req)
    return inner


@app.route("/users/<int:id>")
def user(req, id):
    return {"id": id, "q": req.query.get("q")}


@app.route("/users/", "POST")
def create(req):
    return HTTPStatus.CREATED, req.json()


def call(line, body=b""):
    raw = f"{line} HTTP/1.1\r\nhost: x\r\ncontent-length: {len(body)}\r\n\r\n".encode() + body + b"junk"
    head, body = app(raw).split(b"\r\n\r\n")
    return int(head.split()[1]), json.loads(body)


assert call("GET /users/7?q=a+b") == (200, {"id": 7, "q": "a b"})
assert call("POST /users/", b'{"n": 1}') == (201, {"n": 1})
assert call("GET /users/")[0] == 405 and call("GET /nope") == (404, {"error": "Not Found"}) and call("GET /users/x")[0] == 404
assert b"400 Bad Request" in app(b"nonsense\r\n\r\n")
print(log)
assert log[0] == "GET /users/7" and HTTPStatus(418).name == "IM_A_TEAPOT"
