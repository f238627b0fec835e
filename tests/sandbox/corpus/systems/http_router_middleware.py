"""Requests parsed from text, a router with decorators, and a chain of middleware."""
from __future__ import annotations

import html
import json
import re
from dataclasses import dataclass, field
from functools import reduce, wraps
from typing import Callable
from urllib.parse import parse_qs, unquote

PHRASES = {200: "OK", 201: "Created", 400: "Bad Request", 401: "Unauthorized", 404: "Not Found",
           405: "Method Not Allowed", 422: "Unprocessable Entity"}

class HTTPError(Exception):
    def __init__(self, status: int, detail: str = ""):
        self.status = status
        super().__init__(detail or PHRASES[status])

class Headers(dict):
    def __setitem__(self, k, v):
        super().__setitem__(k.title(), v)

    def get(self, k, default=None):
        return super().get(k.title(), default)

@dataclass
class Request:
    method: str
    path: str
    query: dict[str, list[str]] = field(default_factory=dict)
    headers: Headers = field(default_factory=Headers)
    body: str = ""
    user: str | None = None

    @classmethod
    def parse(cls, raw: str) -> Request:
        head, _, body = raw.partition("\r\n\r\n")
        start, *lines = head.split("\r\n")
        m = re.fullmatch(r"([A-Z]+) (\S+) HTTP/1\.[01]", start)
        if m is None:
            raise HTTPError(400, f"bad request line: {start!r}")
        path, _, query = m[2].partition("?")
        headers = Headers()
        for name, _, value in (line.partition(":") for line in lines):
            headers[name] = value.strip()
        if (length := headers.get("content-length")) is not None:
            body = body[:int(length)]
        return cls(m[1], unquote(path), parse_qs(query), headers, body)
    @property
    def json(self):
        try:
            return json.loads(self.body)
        except json.JSONDecodeError as exc:
            raise HTTPError(422, exc.msg) from exc

@dataclass
class Response:
    body: str = ""
    status: int = 200
    headers: Headers = field(default_factory=Headers)

    def __str__(self) -> str:
        self.headers["Content-Length"] = str(len(self.body.encode()))
        lines = [f"HTTP/1.1 {self.status} {PHRASES[self.status]}"]
        lines += [f"{k}: {v}" for k, v in sorted(self.headers.items())]
        return "\r\n".join([*lines, "", self.body])

Handler = Callable[[Request], Response]

class Router:
    CONVERTERS = {"str": ("[^/]+", str), "int": (r"-?\d+", int), "path": (".+", str)}

    def __init__(self) -> None:
        self.routes: list[tuple[str, re.Pattern, dict, Callable]] = []
        self.middleware: list[Callable[[Handler], Handler]] = []
        self.names: dict[str, str] = {}

    def route(self, template: str, *methods: str):
        converters = {}

        def to_group(m):
            kind, name = m[1] or "str", m[2]
            pattern, converters[name] = self.CONVERTERS[kind]
            return f"(?P<{name}>{pattern})"

        regex = re.compile(re.sub(r"<(?:(\w+):)?(\w+)>", to_group, template))

        def register(func):
            for method in methods or ("GET",):
                self.routes.append((method, regex, converters, func))
            self.names[func.__name__] = template
            return func

        return register

    get = route
    post = lambda self, template: self.route(template, "POST")

    def url_for(self, name: str, **values) -> str:
        return re.sub(r"<(?:\w+:)?(\w+)>", lambda m: str(values[m[1]]), self.names[name])

    def dispatch(self, request: Request) -> Response:
        allowed = set()
        for method, regex, converters, func in self.routes:
            if m := regex.fullmatch(request.path):
                if method != request.method:
                    allowed.add(method)
                    continue
                match func(request, **{k: converters[k](v) for k, v in m.groupdict().items()}):
                    case Response() as response:
                        return response
                    case str(text):
                        return Response(text)
                    case (status, data):
                        return Response(json.dumps(data), status)
                    case data:
                        return Response(json.dumps(data))
        if allowed:
            raise HTTPError(405, "allowed: " + ", ".join(sorted(allowed)))
        raise HTTPError(404)

    def __call__(self, raw: str) -> Response:
        app = reduce(lambda inner, mw: mw(inner), reversed(self.middleware), self.dispatch)
        try:
            return app(Request.parse(raw))
        except HTTPError as e:
            return Response(html.escape(str(e)), e.status)

app = Router()
log: list[str] = []
TODOS: dict[int, str] = {1: "write", 2: "test"}

def logging(inner):
    def handler(request):
        try:
            response = inner(request)
        except HTTPError as e:
            log.append(f"{request.method} {request.path} !{e.status}")
            raise
        log.append(f"{request.method} {request.path} {response.status}")
        return response
    return handler

def authentication(inner):
    def handler(request):
        scheme, _, token = request.headers.get("Authorization", "").partition(" ")
        if scheme == "Bearer":
            request.user = {"s3cret": "ann"}.get(token)
        return inner(request)
    return handler

app.middleware += logging, authentication

def login_required(func):
    @wraps(func)
    def wrapper(request, **kwargs):
        if not request.user:
            raise HTTPError(401)
        return func(request, **kwargs)
    return wrapper

@app.get("/")
def index(request):
    return f"<h1>Hello, {html.escape(request.query.get('name', ['you'])[-1])}</h1>"

@app.get("/todos/<int:id>")
def todo(request, id):
    if text := TODOS.get(id):
        return dict(id=id, text=text)
    raise HTTPError(404, f"no todo {id}")

@app.post("/todos")
@login_required
def add(request):
    """Add a todo."""
    TODOS[new := max(TODOS) + 1] = request.json["text"]
    return 201, {"id": new, "by": request.user}

@app.route("/files/<path:name>", "GET", "PUT")
def files(request, name):
    return Response(f"{request.method} {name}")

def send(line, body="", **headers):
    headers = "".join(f"\r\n{k.replace('_', '-')}: {v}" for k, v in headers.items())
    return app(f"{line} HTTP/1.1{headers}\r\n\r\n{body}")

assert send("GET /?name=a&name=%3Cb%3E").body == "<h1>Hello, &lt;b&gt;</h1>"
assert json.loads(send("GET /todos/2").body) == {"id": 2, "text": "test"}
token = {"Authorization": "Bearer s3cret"}
made = send("POST /todos", '{"text": "ship"}extra', Content_Length=16, **token)
assert (made.status, json.loads(made.body)) == (201, {"id": 3, "by": "ann"}) and TODOS[3] == "ship"
assert str(send("PUT /files/a/b%20c")) == "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nPUT a/b c"
for args, status, text in [(("GET /todos/9",), 404, "no todo 9"), (("DELETE /todos/1",), 405, "allowed: GET"),
                           (("POST /todos", "{}"), 401, "Unauthorized"), (("get /",), 400, None), (("GET /nope",), 404, "Not Found"),
                           (("GET / x",), 400, "bad request line: &#x27;GET / x HTTP/1.1&#x27;")]:
    r = send(*args)
    assert r.status == status and text in (None, r.body), (args, r)
assert send("POST /todos", "{oops", **token).status == 422
assert app.url_for("todo", id=7) == "/todos/7" and add.__doc__ == "Add a todo." and log[0] == "GET / 200" and "!404" in log[-2]
